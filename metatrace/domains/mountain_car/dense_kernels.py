"""The dense kernel of mountain car, for numba. It has a record, and so a signature, of its own."""

from metatrace.compiled import dense_kernel
from metatrace.compiled.linear_agent import signature_of
from metatrace.domains.mountain_car.features import DENSE_RECORD
from metatrace.domains.mountain_car.kernels import make

SIGNATURE = signature_of(DENSE_RECORD)
dense = make(dense_kernel)
