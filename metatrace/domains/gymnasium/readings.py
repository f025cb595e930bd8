"""What can be chosen about runs on Gymnasium's environments."""

from metatrace.domains.readings import LINEAR_AGENT, Reading

FEATURES = Reading(
    "R20",
    "features",
    "What does the agent see of an observation of Gymnasium: tiles, a Fourier basis, or the numbers themselves, from "
    "which a small network learns features of its own?",
    ("tiles", "fourier", "network"),
    "tiles are what the paper's linear agent has; an observation that is a whole number is one-hot in any case",
)
# A time limit is no terminal state there (R1), and the agents have the defaults of R8 and R12.
READINGS = (
    FEATURES,
    *(reading for reading in LINEAR_AGENT if reading.key not in ("time_limit", "terminal_trace", "log_policy")),
)
