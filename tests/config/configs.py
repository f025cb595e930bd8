"""A small valid config, and what makes it wrong."""

import copy

import pytest

from metatrace.config import loading
from metatrace.errors import UserError

VALID = {
    "scale": "tiny",
    "readings": {"time_limit": "terminal"},
    "statistics": {"final_episodes": 5, "spread_alpha_max": "2^-5"},
    "figures": {
        "figure_1": {
            "section": "mountain_car",
            "title": "Untuned",
            "environment": "mountain_car",
            "method": "none",
            "alpha": ["2^-8", "2^-9"],
            "seeds": 2,
            "episodes": 10,
            "smoothing": 2,
        },
        "figure_2": {
            "section": "mountain_car",
            "title": "Tuned",
            "environment": "mountain_car",
            "method": "scalar",
            "alpha": ["2^-8", "0.001"],
            "mu": ["2^-6", "4e-6"],
            "seeds": [0, 3],
            "episodes": 10,
            "smoothing": 2,
            "reference": "figure_1",
        },
        "figure_6": {
            "section": "drifting_mountain_car",
            "title": "Drifting",
            "kind": "best_mu",
            "environment": "drifting_mountain_car",
            "method": ["none", "vector"],
            "alpha": ["2^-10"],
            "mu": ["2^-6", "2^-8"],
            "drift": ["4e-6", "0"],
            "seeds": 2,
            "episodes": 30,
            "smoothing": 4,
        },
        "figure_7": {
            "section": "drifting_mountain_car",
            "title": "Betas",
            "kind": "mu_and_beta",
            "environment": "drifting_mountain_car",
            "method": ["vector", "mixed"],
            "alpha": ["2^-10"],
            "mu": ["2^-6", "2^-8"],
            "beta_mu": "2^-8",
            "drift": ["4e-6"],
            "seeds": 2,
            "episodes": 30,
            "smoothing": 4,
        },
        "figure_8": {
            "section": "atari",
            "title": "A game",
            "kind": "games",
            "environment": "seaquest",
            "method": ["none", "mixed"],
            "alpha": ["2^-8", "2^-9", "2^-10"],
            "mu": ["0.001"],
            "seeds": 1,
            "frames": 700,
            "smoothing": 40,
        },
        "figure_9": {
            "section": "atari",
            "title": "Games",
            "kind": "games",
            "environment": ["freeway", "seaquest"],
            "method": ["none", "mixed"],
            "alpha": {"best": 2, "from_figure": "figure_8", "method": "mixed"},
            "mu": ["0.001"],
            "seeds": 2,
            "frames": 700,
            "smoothing": 40,
        },
    },
}


def changed(path, value):
    """A valid config with one value replaced; `path` ends at a key or an index."""
    config = copy.deepcopy(VALID)
    place = config
    for part in path[:-1]:
        place = place[part]
    if value is REMOVED:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return config


REMOVED = object()
FIGURE = ("figures", "figure_2")
SIX, SEVEN, EIGHT, NINE = (("figures", f"figure_{number}") for number in (6, 7, 8, 9))


def refusal(config):
    with pytest.raises(UserError) as raised:
        loading.check(config, "c.yaml")
    line = str(raised.value)
    assert line.startswith("c.yaml: ") and "\n" not in line
    return line


def refusal_of_file(tmp_path, content):
    path = tmp_path / "c.yaml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(UserError) as raised:
        loading.read(path)
    line = str(raised.value)
    assert line.startswith(str(path)) and "\n" not in line
    return line
