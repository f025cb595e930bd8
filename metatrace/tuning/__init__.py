"""Step-size tuners for AC(λ): the paper's section 3 and nothing else.

A module a method, to be read beside the paper: `scalar` is its algorithm 1, `vector` its
algorithm 2, `mixed` its algorithm 3; `sid` and `nosid` are the methods that it compares with, and
`constant` is no tuning. `normalization` and `sensitivity` hold the lines that the algorithms share.

    from metatrace.tuning import make_tuner
    tuner = make_tuner("mixed", n_weights, alpha=2**-10, mu=2**-10, gamma=0.99, lam=0.8, psi=0.01)
    tuner.start_episode()
    alpha = tuner.update(grad_U=gU, grad_H=gH, grad_delta=gd, delta=d, z=z)
"""

from metatrace.tuning.factory import make_tuner
from metatrace.tuning.methods import METHODS, TUNED_METHODS
from metatrace.tuning.tuner import Tuner

__all__ = ["METHODS", "TUNED_METHODS", "Tuner", "make_tuner"]
