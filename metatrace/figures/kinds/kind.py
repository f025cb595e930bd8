"""What a kind of figure is: its config, checks, tables, pictures and caption; which code makes them.

A kind is a module here and an entry in `metatrace.figures.kinds.registry`. Modules of kinds import nothing heavy:
they name the functions that make tables and draw (`module:function`), and jobs import those.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metatrace.errors import UserError

if TYPE_CHECKING:
    from metatrace.config.figure import Figure

# The tables of every figure with runs in episodes.
EPISODE_TABLES = ("curves", "scores", "settings", "spread", "tenths")


@dataclass(frozen=True)
class Picture:
    """A picture of a figure.

    Attributes:
      suffix: of its file name after the figure's: "" or "_heat_map".
      caption: the template `reports/<caption>.rst`. shows: what the report's list says of it.
      draw: `module:function`, of `PictureJob` to (matplotlib figure, the table that it draws).
      title: of the figure its heading; None: the figure's own title.
      has_curves: whether it draws curves or bands, which the note at its foot then explains.
      needs: what a figure must have to have this picture: "reference" or "settings_from"; "" if nothing.
    """

    suffix: str
    caption: str
    shows: str
    draw: str
    title: "Callable[[Figure], str] | None" = None
    has_curves: bool = True
    needs: str = ""


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


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of figure.

    Attributes:
      text: what it shows, for config/README.md: panels and lines.
      model: the pydantic model of its entry in the config. unit: of the domains whose runs it shows.
      single: the quantities of which a figure has one value: environment, method, alpha, mu, drift.
      also: holds a resolved figure to what else the kind can show, as `check` does.
      own_tables, own_csv: the tables of its figures, and those that are there as CSV too.
      of_several: a table that is there, also as CSV, only if there are several environments.
      make: `module:function`, of an `analysis.job.TablesJob` and its runs to the tables by name.
      all_pictures: those that a figure may have.
      evidence: the tables that claims are judged by.
      choice: by which score the runs of such a figure choose settings for another one (`settings_from`), and which
        quantities they choose, for each method and drift.
      explorer: the columns that become panels and colours in the explorer; None: the figure is not shown there.
      has_losses: whether its runs have losses, not returns. is_thinned: whether it has curves of its own for the
        explorer; one that compares others shows theirs.
    """

    text: str
    model: Any
    unit: str = "episodes"
    single: tuple[str, ...] = ()
    also: "Callable[[Figure, str], None] | None" = None
    own_tables: tuple[str, ...]
    own_csv: tuple[str, ...]
    of_several: tuple[str, ...] = ()
    make: str
    all_pictures: tuple[Picture, ...]
    evidence: tuple[str, ...] = ()
    choice: tuple[str, tuple[str, ...]] | None = None
    explorer: tuple[str, str] | None = None
    has_losses: bool = False

    @property
    def name(self) -> str:
        """The value of the config's `kind`."""
        name: str = self.model.model_fields["kind"].annotation.__args__[0]
        return name

    @property
    def is_thinned(self) -> bool:
        return self.explorer is not None and not hasattr(self.model, "member_kind")

    def check(self, figure: "Figure", key: str) -> None:
        """Holds a resolved figure to what the kind can show.

        Raises:
          UserError: it cannot; `key` names the file and the figure.
        """
        for quantity in self.single:
            values = getattr(figure, f"{quantity}s")
            if len(values) > 1:
                raise UserError(
                    f"{key}.{quantity}: has {len(values)} values; a figure of kind {self.name} has one {quantity}"
                )
        if self.also:
            self.also(figure, key)

    def tables(self, figure: "Figure") -> tuple[str, ...]:
        """The tables of a figure."""
        return self.own_tables + self.of_several * (len(figure.environments) > 1)

    def csv(self, figure: "Figure") -> tuple[str, ...]:
        """The tables of a figure that are there as CSV too."""
        return self.own_csv + self.of_several * (len(figure.environments) > 1)

    def pictures(self, figure: "Figure") -> tuple[Picture, ...]:
        """The pictures of a figure."""
        return tuple(picture for picture in self.all_pictures if not picture.needs or getattr(figure, picture.needs))
