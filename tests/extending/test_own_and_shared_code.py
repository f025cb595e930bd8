"""A change of one method's own code makes its runs again and no other's; one of shared code, those that share it."""

import pytest
from extensions import PAGES, copy_of, pending

CARS = {"tables_step_sizes": 1, "pictures_step_sizes": 1}
DRIFTING = {"tables_best_mu": 1, "pictures_best_mu": 1}
GAMES = {"tables_games": 1, "pictures_games": 1}


def runs(environment, *methods, each=1):
    return {(environment, method): each for method in methods}


# By what is edited: the file, the old and the new text; the jobs that are listed apart from the pages, and the runs.
EDITS = {
    "SID's lines of a kernel": (
        (
            "metatrace/compiled/lazy_kernel.py",
            "Delta_beta = delta * z_h\n    return",
            "Delta_beta = z_h * delta\n    return",
        ),
        {"compile_lazy_kernel": 1, **CARS},
        runs("mountain_car", "sid", each=2),
    ),
    "SID's tuner, which runs as it stands only on games": (
        ("metatrace/tuning/sid.py", "self.mu * Delta_beta", "Delta_beta * self.mu"),
        GAMES,
        runs("catch", "sid"),
    ),
    "mixed Metatrace's lines of the games' kernel": (
        (
            "metatrace/domains/atari/step_kernel.py",
            "h_r += r[j] * h[start + j]\n    sums[EFFECTIVE]",
            "h_r += h[start + j] * r[j]\n    sums[EFFECTIVE]",
        ),
        {"compile_step_kernel": 1, **GAMES},
        runs("catch", "mixed"),
    ),
    "what vector and mixed Metatrace share of a kernel": (
        (
            "metatrace/compiled/packed_kernel.py",
            "growth = short_exp(mu * Delta_beta / v)",
            "growth = short_exp(Delta_beta * mu / v)",
        ),
        {"compile_packed_kernel": 1, **DRIFTING},
        runs("drifting_mountain_car", "vector", "mixed"),
    ),
    "what all tuners share": (
        ("metatrace/tuning/tuner.py", "return alpha * z * delta", "return delta * z * alpha"),
        GAMES,
        runs("catch", "none", "mixed", "mixed-unnormalized", "sid"),
    ),
}


@pytest.mark.parametrize("edit", EDITS)
def test_a_change_lists_the_runs_of_the_methods_that_use_the_code(finished, tmp_path, edit):
    replacement, jobs, runs = EDITS[edit]
    project = copy_of(finished, tmp_path / "project")
    project.edit(*replacement)
    assert pending(project) == ({**jobs, **PAGES}, runs)


def test_nothing_is_listed_of_what_is_finished(finished):
    assert pending(finished) == ({}, {})
