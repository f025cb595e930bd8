"""What both sides of a call of the regression kernels know."""

# The methods of each kernel: a call names a method by its place.
TRACKING = ("none", "rmsprop", "adam", "idbd", "autostep")
GEOFF = ("none", "momentum", "rmsprop", "adam", "crossprop")
# What a method keeps for each weight, in the order of the kernel's rows after the weights themselves: attributes of its
# tuner.
STATE = {
    "none": (),
    "momentum": ("m",),
    "rmsprop": ("m",),
    "adam": ("m_1", "m_2"),
    "idbd": ("beta", "h"),
    "autostep": ("beta", "h", "v"),
    "crossprop": ("h",),
}
# The numbers of a call: constants, and last 1 − ρ^t of both rates, which live on.
NUMBERS = ("alpha", "mu", "tau", "rate_1", "rate_2", "epsilon", "correction_1", "correction_2")
