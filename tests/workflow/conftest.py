"""One finished tiny scale for all tests here; a test that edits gets a copy of it."""

import shutil

import pytest
from project import Project


@pytest.fixture(scope="session")
def finished(made_once):
    """A project whose tiny scale is finished, kernel and all. Do not edit it."""
    return Project(made_once("finished", lambda folder: Project.copy_to(folder).make()))


@pytest.fixture
def editable(finished, tmp_path):
    """A copy of the finished project, with its results and Snakemake's records, to edit."""
    folder = tmp_path / "project"
    shutil.copytree(finished.folder, folder)  # keeps the times of files
    return Project(folder)
