"""Progress of long work: a bar on a terminal, now and then a line in a log."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Work that is done sooner leaves no line.
SECONDS_BETWEEN_LINES = 10.0


@contextmanager
def episode_bar(episodes: int) -> Iterator[Callable[[int], None]]:
    """Shows how many of `episodes` are done; yields the callback that counts."""
    if not sys.stderr.isatty():
        yield _lines(episodes)
        return
    from tqdm import tqdm

    with tqdm(total=episodes, unit="episode", smoothing=0.05, file=sys.stderr) as bar:
        yield lambda done: (bar.update(done), None)[1]


def _lines(episodes: int) -> Callable[[int], None]:
    start = last = time.monotonic()
    finished = 0

    def count(done: int) -> None:
        nonlocal finished, last
        finished += done
        now = time.monotonic()
        if now - last >= SECONDS_BETWEEN_LINES and finished < episodes:
            last = now
            left = (now - start) * (episodes - finished) / finished
            print(
                f"{finished} of {episodes} episodes in {now - start:.0f} s, about {left:.0f} s left",
                file=sys.stderr,
                flush=True,
            )

    return count
