"""The jobs that registries lead to, and what the command line calls them."""

from types import MappingProxyType, SimpleNamespace

import pytest

from metatrace.domains.protocol import Code, Environment
from metatrace.domains.registry import DOMAINS
from metatrace.errors import UserError
from metatrace.figures.kinds.kind import Picture
from metatrace.methods import METHODS
from metatrace.pipeline import jobs

CURVES = Picture("", "curves", "curves", "metatrace.figures.learning_curves:draw")
MAP = Picture("_map", "map", "a map", "metatrace.figures.heat_map:draw")


class MadeUp:
    """A domain for atari's methods, with one kernel."""

    name = "atari"
    environments = MappingProxyType(
        {
            "maze": Environment("maze", "maze", (), 0.0),
            "hall": Environment("hall", "hall", (), 0.0),
        }
    )
    kernels = ("maze_kernel",)
    options = frozenset()

    def code(self, environment, method, agent="fast"):
        return Code((f"made.{environment}",), method)

    def kernel_code(self, kernel):
        return Code((f"made.{kernel}",))


def test_a_domain_has_a_job_for_each_kernel_and_each_method_that_runs_there():
    found = jobs.domain_jobs([MadeUp()])
    there = {token for token, method in METHODS.items() if "atari" in method.domains}
    runs = {f"run_atari_{token}" for token in there}
    assert found.keys() == {"compile_maze_kernel", *runs}
    assert found["run_atari_mixed"] == Code(("made.maze",), "mixed")
    assert found["compile_maze_kernel"] == Code(("made.maze_kernel",))


@pytest.mark.parametrize("domain", DOMAINS, ids=lambda domain: domain.name)
def test_environments_of_a_domain_share_code(domain):
    for method in (token for token, entry in METHODS.items() if domain.name in entry.domains):
        assert len({domain.code(name, method) for name in domain.environments}) == 1


def test_a_kind_of_figure_has_a_job_for_its_tables_and_one_for_all_its_pictures():
    make, drawn = "metatrace.analysis.aggregate:make", (MAP.draw, CURVES.draw)
    thinned = {"is_thinned": True, "has_losses": False}
    kind = SimpleNamespace(name="mazes", make=make, unit="frames", all_pictures=(MAP, CURVES), **thinned)
    thin = "metatrace.analysis.thinned:thin_frames"
    assert jobs.kind_jobs([kind]) == {
        "tables_mazes": Code(("metatrace.pipeline.making:make_tables", make, thin)),
        "pictures_mazes": Code(("metatrace.pipeline.making:draw_pictures", *drawn)),
    }


def test_the_code_of_every_job_is_there():
    for job in jobs.JOBS:
        assert jobs.fingerprint_of(job).definitions


def test_a_name_is_a_job_or_a_rule():
    assert jobs.jobs_of("claims") == ("claims",)
    for rule, meant in jobs.RULES.items():
        assert jobs.jobs_of(rule) == meant and set(meant) <= jobs.JOBS.keys()
    with pytest.raises(UserError, match=r"there is no job and no rule 'runs'; it must be one of .*claims"):
        jobs.jobs_of("runs")
