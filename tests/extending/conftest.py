"""The finished scale that all tests here share; each extends or edits a copy of it."""

import pytest
from extensions import CONFIG
from project import Project


@pytest.fixture(scope="session")
def finished(made_once):
    """The project with its finished scale. Do not edit it."""

    def make(folder):
        project = Project.copy_to(folder)
        (project.folder / "config/tiny.yaml").write_text(CONFIG)
        project.record_as_finished()

    return Project(made_once("recorded_for_extensions", make))
