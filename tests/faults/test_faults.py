"""A few of the harness's harms, each kind at least once; `python tests/faults/harness.py` does many."""

import random

import pytest
from harness import (
    HARMS,
    SMALL_CONFIG,
    Scene,
    a_folder,
    finish,
    fresh_copy,
    harm_once,
    results_of,
    undisturbed,
    wipe,
)

pytestmark = pytest.mark.slow
NAMES = [harm.name for harm in HARMS]


@pytest.fixture(scope="module")
def scene_and_why_no_disk(tmp_path_factory, all_kernels):
    """A project to harm, and, if it has no small disk of its own, why not."""
    folder = tmp_path_factory.mktemp("faults")
    whole = undisturbed(folder / "whole", SMALL_CONFIG, all_kernels)
    with a_folder(folder) as (disk, why_not):
        scene = Scene(fresh_copy(whole, disk / "project"), results_of(whole), random.Random(0))
        yield scene, why_not
        scene.end()


@pytest.fixture
def scene(scene_and_why_no_disk):
    return scene_and_why_no_disk[0]


def harm_named(name):
    return HARMS[NAMES.index(name)]


def test_after_kills_a_plain_snakemake_goes_on_and_ends_with_the_same_bytes(scene):
    for name in ("kill Snakemake", "kill all", "kill Snakemake", "kill a job"):
        assert harm_once(scene, harm_named(name))
    assert finish(scene) > 10_000


def test_after_a_disk_that_takes_nothing_a_plain_snakemake_ends_with_the_same_bytes(scene_and_why_no_disk):
    scene, why_not = scene_and_why_no_disk
    if why_not:
        pytest.skip(why_not)
    if scene.n_starts:
        # Not the games again, which take longest.
        wipe(scene, "tables", "figures", "runs/drifting_mountain_car")
    for name in [harm.name for harm in HARMS if harm.needs_disk]:
        assert harm_once(scene, harm_named(name), 1) == "exit code 1"
    assert finish(scene) > 10_000


def test_damaged_results_are_made_anew_by_a_plain_snakemake(scene):
    if not scene.n_starts:
        scene.start()
        finish(scene)
    for name in ("cut", "garble", "empty", "swap"):
        assert harm_named(name).do(scene)
    harmed = {f"{name}.changed" for name in scene.harmed}
    scene.start()
    assert finish(scene) > 10_000
    assert harmed <= scene.project.results().keys()
