"""Memory for arrays that every step goes through from end to end."""

import contextlib
import mmap

import torch
from torch import Tensor

_PAGE = 4096


def zeros(count: int, n: int) -> list[Tensor]:
    """`count` arrays of n zeros, float32, on the CPU, in huge pages where the system lends them.

    A step reads about 20 MB: more pages of 4 KiB than the processor keeps the addresses of. And each array
    starts at another place within its page than the one before: a processor takes a read for one that waits
    for an earlier write, to another array, if both are at the same place.
    """
    stride = -(-4 * n // _PAGE) * _PAGE + _PAGE // 8
    memory = mmap.mmap(-1, count * stride, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):  # not on macOS
        with contextlib.suppress(OSError):  # a Linux without them
            memory.madvise(mmap.MADV_HUGEPAGE)
    whole = torch.frombuffer(memory, dtype=torch.float32)  # keeps `memory` alive
    return [whole[first : first + n] for first in range(0, count * stride // 4, stride // 4)]
