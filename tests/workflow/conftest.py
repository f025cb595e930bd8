"""One finished tiny scale for all tests here; a test that edits gets a copy of it."""

import shutil

import pytest
from project import Project


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A project whose tiny scale is finished. Do not edit it."""
    project = Project.copy_to(tmp_path_factory.mktemp("workflow") / "project")
    project.make()
    return project


@pytest.fixture
def editable(finished, tmp_path):
    """A copy of the finished project, with its results and Snakemake's records, to edit."""
    folder = tmp_path / "project"
    shutil.copytree(finished.folder, folder)  # keeps the times of files
    return Project(folder)
