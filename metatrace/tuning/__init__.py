"""Step-size tuners for agents with eligibility traces: the paper's section 3 and nothing else.

One module per method, to be read next to the paper: `scalar` is its algorithm 1, `vector` its algorithm 2, `mixed` its
algorithm 3; `sid` and `nosid` are the methods that it compares with, and `constant` is no tuning. `normalization` and
`sensitivity` hold the lines that the algorithms share. `metatrace.methods` lists them all.

    from metatrace.tuning import make_tuner
    tuner = make_tuner("mixed", n_weights, alpha=2**-10, mu=2**-10, gamma=0.99, lam=0.8, psi=0.01)
    tuner.start_episode()
    w = w + tuner.step(grad_U=gU, grad_H=gH, grad_delta=gd, delta=d, z=z)
"""

from metatrace import methods
from metatrace.tuning.factory import make_tuner, readings_of
from metatrace.tuning.tuner import StepSizeTuner, Tuner

METHODS = tuple(methods.METHODS)
TUNED_METHODS = tuple(name for name, method in methods.METHODS.items() if method.has_mu)

__all__ = ["METHODS", "TUNED_METHODS", "StepSizeTuner", "Tuner", "make_tuner", "readings_of"]
