"""The names of the methods, apart from their tuners: knowing a name costs no import of numpy."""

UNTUNED = "none"
METHODS = (
    UNTUNED,
    "scalar",
    "scalar-unnormalized",
    "vector",
    "vector-unnormalized",
    "mixed",
    "mixed-unnormalized",
    "sid",
    "nosid",
)
TUNED_METHODS = METHODS[1:]
