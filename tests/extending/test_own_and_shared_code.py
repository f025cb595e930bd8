"""A change of one method's own code makes its runs again and no other's; one of shared code, those that share it."""

from extensions import PAGES, copy_of, pending

CARS = {"tables_step_sizes": 1, "pictures_step_sizes": 1}
DRIFTING = {"tables_best_mu": 1, "pictures_best_mu": 1}
GAMES = {"tables_games": 1, "pictures_games": 1}
# The file, the old and the new text.
SIDS_OWN = (
    "metatrace/compiled/lazy_kernel.py",
    "Delta_beta = delta * run.z_h\n    run.beta",
    "Delta_beta = run.z_h * delta\n    run.beta",
)
MIXEDS_OWN = (
    "metatrace/networks/step_kernel.py",
    "s.h_hat[j] += alpha * (trace * c.delta_hat + entropy)",
    "s.h_hat[j] += alpha * (c.delta_hat * trace + entropy)",
)
SHARED = (
    "metatrace/compiled/packed_kernel.py",
    "total = a[0] * (g[0] * g[0])",
    "total = (g[0] * g[0]) * a[0]",
)


def test_a_change_of_methods_own_lines_of_kernels_lists_their_runs_alone(finished, tmp_path):
    project = copy_of(finished, tmp_path / "project")
    project.edit(*SIDS_OWN)
    project.edit(*MIXEDS_OWN)
    compiled = {"compile_lazy_kernel": 1, "compile_step_kernel": 1}
    assert pending(project) == (
        {**compiled, **CARS, **GAMES, **PAGES},
        {("mountain_car", "sid"): 2, ("catch", "mixed"): 1, ("catch", "mixed-unnormalized"): 1},
    )


def test_a_change_of_what_methods_share_lists_the_runs_of_these(finished, tmp_path):
    project = copy_of(finished, tmp_path / "project")
    project.edit(*SHARED)
    sharing = {("drifting_mountain_car", method): 1 for method in ("vector", "mixed")}
    assert pending(project) == ({"compile_packed_kernel": 1, **DRIFTING, **PAGES}, sharing)
