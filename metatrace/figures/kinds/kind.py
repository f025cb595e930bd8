"""What a kind of figure is: its config, checks, tables, pictures and caption; which code makes them.

A kind is a module here and an entry in `metatrace.figures.kinds.registry`. Modules of kinds import nothing heavy:
they name the functions that make tables and draw (`module:function`), and jobs import those.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from metatrace.config.figure import Figure


@dataclass(frozen=True)
class Picture:
    """A picture of a figure.

    Attributes:
      suffix: of its file name after the figure's: "" or "_heat_map".
      caption: the template `reports/<caption>.rst`. shows: what the report's list says of it.
      draw: `module:function`, of `PictureJob` to (matplotlib figure, the table that it draws).
      title: of the figure its heading; None: the figure's own title.
      has_curves: whether it draws curves or bands, which the note at its foot then explains.
    """

    suffix: str
    caption: str
    shows: str
    draw: str
    title: "Callable[[Figure], str] | None" = None
    has_curves: bool = True


@dataclass(frozen=True)
class PictureJob:
    """What a drawing function gets.

    Attributes:
      tables: the folder of the figure's tables; reference: that of the untuned figure, where it has one.
      facts: what else of the figure it depends on, as plain types: `length`, `beta_mu`, …
    """

    tables: Path
    title: str
    note: str
    reference: Path | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Kind:
    """A kind of figure.

    Attributes:
      name: the value of the config's `kind`. text: what it shows, for config/README.md: panels and lines.
      model: the pydantic model of its entry in the config.
      unit: the unit of the domains whose runs it shows.
      check: holds a resolved figure to what the kind can show; raises UserError; the string names file and key.
      tables, csv: the tables of a figure, and those that are there as CSV too.
      make: `module:function`, of an `analysis.job.TablesJob` and its runs to the tables by name.
      pictures: those of a figure.
      evidence: the tables that claims are judged by.
      explorer: the columns that become panels and colours in the explorer; None: the figure is not shown there, for
        it has no runs of its own.
    """

    name: str
    text: str
    model: Any
    unit: str
    check: "Callable[[Figure, str], None]"
    tables: "Callable[[Figure], tuple[str, ...]]"
    csv: "Callable[[Figure], tuple[str, ...]]"
    make: str
    pictures: "Callable[[Figure], tuple[Picture, ...]]"
    evidence: tuple[str, ...]
    explorer: tuple[str, str] | None
