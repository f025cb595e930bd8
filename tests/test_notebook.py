"""The notebook runs as a reader runs it, from top to bottom.

Its cells are executed in this process: a Jupyter kernel would add two large dependencies for the same check.
"""

import json
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

ROOT = Path(__file__).parents[1]
NOTEBOOK = ROOT / "docs/examples/own_figure.ipynb"


@pytest.fixture(scope="module")
def notebook():
    return json.loads(NOTEBOOK.read_text(encoding="utf-8"))


@pytest.fixture
def names(notebook, monkeypatch):
    """The names that the cells leave behind."""
    monkeypatch.chdir(NOTEBOOK.parent)
    found = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), NOTEBOOK.name, "exec"), found)
    yield found
    plt.close("all")


def test_it_draws_a_figure_of_every_published_method(names):
    lines, bars = names["figure"].axes
    methods = set(names["runs"]["method"])
    assert len(lines.get_lines()) == len(bars.patches) == len(methods) > 5
    assert names["good"]["scalar"] > names["good"]["none"] > 0


def test_it_is_small_and_keeps_no_output(notebook):
    assert not any(cell.get("outputs") for cell in notebook["cells"])
    assert NOTEBOOK.stat().st_size < 10_000
