"""The registry of kinds of figure: each entry is whole, and fits the figures of the paper."""

import pytest
from project import PAPER, ROOT

from metatrace.domains.registry import DOMAINS
from metatrace.figures.kinds.registry import DEFAULT_KIND, KINDS

FIGURES = list(PAPER.figures.values())


@pytest.mark.parametrize("name", KINDS)
def test_a_kind_is_whole(name):
    kind = KINDS[name]
    assert kind.name == name and kind.text and kind.unit in {domain.unit for domain in DOMAINS}
    assert (kind.unit in kind.model.model_fields) == ("members" not in kind.model.model_fields)
    assert kind.unit in kind.model.model_fields or not kind.is_thinned
    field = kind.model.model_fields["kind"]
    assert field.annotation.__args__ == (name,) and field.is_required() == (name != DEFAULT_KIND)
    for field in kind.model.model_fields.values():
        assert field.description or field is kind.model.model_fields["kind"]


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_a_figure_has_pictures_with_captions_and_tables(figure):
    kind = KINDS[figure.kind]
    pictures = kind.pictures(figure)
    assert len({picture.suffix for picture in pictures}) == len(pictures) and pictures[0].suffix == ""
    for picture in pictures:
        assert (ROOT / "reports" / f"{picture.caption}.rst").is_file() and picture.shows
        assert picture.draw.startswith("metatrace.figures.") and picture.draw.endswith(":draw_job")
    tables = kind.tables(figure)
    assert len(set(tables)) == len(tables) and {*kind.csv(figure), *kind.evidence} <= set(tables)
    assert kind.make.startswith("metatrace.analysis.") and ":make" in kind.make


def test_all_pictures_of_a_kind_are_known_without_a_figure():
    for name, kind in KINDS.items():
        drawn = {picture.suffix for figure in FIGURES if figure.kind == name for picture in kind.pictures(figure)}
        assert {picture.suffix for picture in kind.all_pictures} == drawn


def test_every_kind_is_in_the_paper():
    assert {figure.kind for figure in FIGURES} == set(KINDS)


def test_a_figure_of_several_games_combines_them():
    several = {figure.name: "aggregate_scores" in KINDS[figure.kind].tables(figure) for figure in FIGURES}
    assert [name for name, combined in several.items() if combined] == [
        "figure_9",
        "figure_m2",
        "figure_m4",
        "figure_m7",
    ]
