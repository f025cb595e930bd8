"""Progress of long work, on a terminal only: a log file gets none of it."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def episode_bar(episodes: int) -> Iterator[Callable[[int], None]]:
    """A progress bar over episodes; yields the callback that moves it on."""
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    from tqdm import tqdm

    with tqdm(total=episodes, unit="episode", smoothing=0.05, file=sys.stderr) as bar:
        yield lambda done: (bar.update(done), None)[1]
