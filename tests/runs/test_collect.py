import shlex

import numpy as np
import pytest

from metatrace.errors import UserError
from metatrace.runs.key import grid_of_runs
from metatrace.runs.results import Run, load_runs, save_run

GRID = grid_of_runs(
    ["drifting_mountain_car"], ["vector", "none"], ["2^-10"], ["2^-6", "2^-8"], ["6e-6", "4e-6"], [2, 0]
)
CODE = {"vector": "a" * 16, "none": "b" * 16}


def made_run(identity, *, episodes=3, code=None):
    returns = np.full(episodes, -100.0 - identity.seed)
    return Run(
        identity,
        returns,
        np.ones(episodes, np.int64),
        {"code": CODE[identity.method] if code is None else code},
    )


@pytest.fixture
def root(tmp_path):
    """The run files of the grid."""
    for identity in GRID:
        save_run(identity.path(tmp_path), made_run(identity))
    return tmp_path


def refusal(root, path, **options):
    with pytest.raises(UserError) as raised:
        load_runs(root, GRID, episodes=3, **{"code": CODE} | options)
    line = str(raised.value)
    assert line.startswith(f"{path}: ") and len(line.splitlines()) == 1
    return line


def test_runs_are_read_in_the_order_of_the_grid(root):
    runs = load_runs(root, GRID, episodes=3, code=CODE)
    assert tuple(run.key for run in runs) == GRID
    assert [run.returns[0] for run in runs] == [-102, -100] * 6


def test_nothing_but_the_grid_is_read(root):
    (root / "drifting_mountain_car" / "vector" / "stray.npz").write_bytes(b"junk")
    key = GRID[3]
    assert [run.key for run in load_runs(root, [key], episodes=3, code=CODE)] == [key]


@pytest.mark.parametrize("method", CODE)
def test_stale_code_of_one_of_two_methods_is_refused(root, method):
    path = next(run for run in GRID if run.method == method).path(root)
    line = refusal(root, path, code={**CODE, method: "c" * 16})
    assert f"is stale: code {CODE[method]} made it, the code is now {'c' * 16}; " in line
    assert f"rm {shlex.quote(path)}" in line


def test_a_method_has_the_code_of_its_own_and_not_of_the_other(root):
    identity = GRID[-1]
    assert identity.method == "none"
    save_run(identity.path(root), made_run(identity, code=CODE["vector"]))
    assert "is stale" in refusal(root, identity.path(root))


def test_a_missing_run_is_named(root):
    path = GRID[5].path(root)
    (root / path).unlink()
    assert "there is no such run file" in refusal(root, path)


def test_a_run_in_the_place_of_another_is_named(root):
    first, second, *_ = GRID
    save_run(second.path(root), made_run(first))
    assert f"holds another run ({first}); rebuild it with" in refusal(root, second.path(root))


def test_a_run_of_another_length_is_named(root):
    identity = GRID[2]
    save_run(identity.path(root), made_run(identity, episodes=4))
    assert "has 4 episodes, not 3; rebuild it with" in refusal(root, identity.path(root))
