"""Which files a scale of the paper is made of: what the workflow makes, and `metatrace status` looks for."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from metatrace.config.figure import Figure
from metatrace.domains.protocol import Domain
from metatrace.figures.kinds.registry import KINDS

FORMATS = ("svg", "pdf", "png", "csv")


def in_explorer(figures: Iterable[Figure]) -> list[Figure]:
    """Those that the explorer shows."""
    return [figure for figure in figures if KINDS[figure.kind].explorer]


def with_returns(figures: Iterable[Figure]) -> list[Figure]:
    """Those with curves of returns: what is published as scores and curves."""
    return [one for one in figures if KINDS[one.kind].is_thinned and not KINDS[one.kind].has_losses]


def csv_tables_of(figure: Figure) -> tuple[str, ...]:
    """The tables of a figure that are there as CSV too."""
    return KINDS[figure.kind].csv(figure)


def tables_of(figure: Figure) -> tuple[str, ...]:
    """All tables of a figure."""
    return KINDS[figure.kind].tables(figure)


def pictures_of(figure: Figure) -> tuple[str, ...]:
    """The names of a figure's pictures."""
    return tuple(f"{figure.name}{picture.suffix}" for picture in KINDS[figure.kind].pictures(figure))


def times_file(results: str, domain: Domain) -> str:
    """The file that says how long a frame takes in a domain whose runs are long."""
    return f"{results}/frame_times_{domain.name}.json"


def drawn_files(results: str, figures: Iterable[Figure]) -> list[str]:
    """The pictures of some figures below `results` (`results/<scale>`), in every format."""
    return [
        f"{results}/figures/{name}.{suffix}" for figure in figures for name in pictures_of(figure) for suffix in FORMATS
    ]


def csv_files(results: str, figures: Iterable[Figure]) -> list[str]:
    """The tables of some figures that are there as CSV."""
    return [f"{results}/tables/{figure.name}_{table}.csv" for figure in figures for table in csv_tables_of(figure)]


def table_files(
    results: str, figures: Iterable[Figure], tables: Callable[[Figure], Iterable[str]] = tables_of
) -> list[str]:
    """The tables of some figures, as Parquet; `tables` names those of a figure, all unless it is given."""
    return [f"{results}/tables/{figure.name}/{table}.parquet" for figure in figures for table in tables(figure)]


def thinned_files(results: str, figures: Iterable[Figure]) -> list[str]:
    """What the explorer shows of some figures: their curves and runs, thinned."""
    thinned = [figure for figure in figures if KINDS[figure.kind].is_thinned]
    return [f"{results}/tables/{figure.name}/thinned.json" for figure in thinned]


def evidence_files(results: str, figures: Iterable[Figure]) -> list[str]:
    """The tables by which the paper's claims are judged."""
    return table_files(results, figures, lambda figure: KINDS[figure.kind].evidence)


def claim_files(results: str) -> list[str]:
    """The verdicts over the paper's claims."""
    return [f"{results}/tables/claims.json", f"{results}/tables/claims.csv"]


def page_files(results: str) -> list[str]:
    """What shows a whole scale: verdicts, article, claims, explorer, the page to play with, and last the report."""
    pages = ("index", "claims", "explorer", "try", "report")
    return [*claim_files(results), *(f"{results}/{page}.html" for page in pages)]


def figure_files(results: str, figures: Sequence[Figure]) -> list[str]:
    """All that is made of the runs of some figures: tables, choices and pictures."""
    return [
        *table_files(results, figures),
        *(f"{results}/tables/{figure.name}/chosen.txt" for figure in figures if figure.chosen_by),
        *csv_files(results, figures),
        *drawn_files(results, figures),
        *thinned_files(results, figures),
    ]


def made_files(results: str, figures: Sequence[Figure]) -> list[str]:
    """All that is made of a scale's runs: what is made for its figures, and the pages, last the report."""
    return [*figure_files(results, figures), *page_files(results)]


def choice(results: str, figure: Figure) -> tuple[str, ...] | None:
    """What other runs chose for a figure (`Figure.choice_of`); None if they have not yet. Its α, if none do.

    A choice among others than the config has now is none.
    """
    if figure.chosen_by is None:
        return figure.alphas
    file = Path(f"{results}/tables/{figure.name}/chosen.txt")
    chosen = file.read_text(encoding="utf-8", errors="replace").splitlines() if file.is_file() else []
    return tuple(chosen) if chosen and set(chosen) <= set(figure.candidates()) else None


def for_every_figure(paths: Iterable[str], figure: Figure) -> list[str]:
    """The paths below a folder of a figure's own with Snakemake's wildcard `{figure}` in its place."""
    return [path.replace(f"/{figure.name}/", "/{figure}/") for path in paths]
