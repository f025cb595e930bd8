"""Progress of long work: a bar on a terminal, now and then a line in a log; and durations in words."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Work that is done sooner leaves no line.
SECONDS_BETWEEN_LINES = 10.0


@contextmanager
def bar(total: int, unit: str) -> Iterator[Callable[..., None]]:
    """Shows how many of `total` episodes or frames (`unit`) are done.

    Yields the callback that counts: `count(more)`, or `count(more, before=True)` of those that a run did which was
    cut short.
    """
    if not sys.stderr.isatty():
        yield _lines(total, unit)
        return
    from tqdm import tqdm

    with tqdm(total=total, unit=unit, smoothing=0.05, file=sys.stderr) as shown:

        def count(more: int, *, before: bool = False) -> None:
            if before:
                shown.initial += more
                shown.n += more
            else:
                shown.update(more)

        yield count


def _lines(total: int, unit: str) -> Callable[..., None]:
    start = last = time.monotonic()
    finished = done = 0

    def count(more: int, *, before: bool = False) -> None:
        nonlocal finished, last, done
        finished += more
        done += more if before else 0
        now = time.monotonic()
        if now - last >= SECONDS_BETWEEN_LINES and done < finished < total:
            last = now
            left = (now - start) * (total - finished) / (finished - done)
            print(
                f"{finished} of {total} {unit}s in {now - start:.0f} s, about {left:.0f} s left",
                file=sys.stderr,
                flush=True,
            )

    return count


def in_words(seconds: float) -> str:
    """A duration as one would say it: "40 minutes", "6 hours", "98 days"."""
    for unit, length in (("day", 86400), ("hour", 3600)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}s"
    minutes = max(1, round(seconds / 60))
    return f"{minutes} minute{'s' if minutes > 1 else ''}"
