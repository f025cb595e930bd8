"""What figures, tables and readings are called: in the report's lists, the explorer, titles and captions."""

import re

from metatrace.config.figure import Figure, short_name_of
from metatrace.figures.kinds.kind import Picture
from metatrace.methods import METHODS

# Of each table its name and, after the colon, what it holds.
_TABLES = {
    "scores": "scores, one row per run: final return (mean over the last {final} episodes) and AUC (mean over all "
    "episodes) of every run",
    "settings": "scores, one row per setting: final return and AUC of every setting: mean over seeds and 95 % "
    "bootstrap interval",
    "spread": "spread over α: standard deviation of the mean AUC over α ≤ {spread_alpha_max}, for every μ, with a 95 %"
    " bootstrap interval that resamples the seeds of all α together",
    "best_mu": "the best μ: for every method and drift rate, the α and μ with the highest final return (mean over the "
    "last {final} episodes), the runner-up, and the difference between the two, with 95 % bootstrap intervals; the "
    "interval of the difference pairs runs of the same seed",
    "interquartile": "interquartile means: for every method and drift rate, at its best α and μ, the mean of the "
    "middle half of the final returns (mean over the last {final} episodes) of all seeds, with a 95 % bootstrap "
    "interval",
    "improvement": "probability of improvement: for every two methods and drift rate, each at its best α and μ, how "
    "likely a run of the first one ends with a larger final return than a run of the other (0.5: neither is better), "
    "with a 95 % bootstrap interval",
    "final_beta": "final β, one row per run and group: mean β (log step-size) of every group of weights over the last "
    "{final} episodes of every run",
    "best_constant": "the best constant α: for every game, the α with the highest final return (mean over the last "
    "{final} episodes) without tuning",
    "reference": "scores next to random play and published ones: final return (mean over the last {final} finished "
    "episodes) of every setting, next to random play and published agents, each with its protocol, its source, and "
    "whether it is comparable",
    "differences": "the two methods' differences, one row per setting: AUC and final return of the first method minus "
    "the second at every setting, with runs paired by seed: the mean with a 95 % bootstrap interval, whether the "
    "interval excludes 0 (significant), each method's standard deviation over seeds, and the difference as a multiple "
    "of it",
    "overview": "the differences, summarized: over all settings: how often AUC and final return differ significantly "
    "between the two methods and which is better then, the median difference, and the largest difference and where it "
    "occurs. By chance alone about one setting in twenty would be significant, and more with few seeds",
    "best_over_alpha": "the best μ over all α: for every method, the μ with the highest mean AUC over α ≤ "
    "{spread_alpha_max}, with a 95 % bootstrap interval over seeds, and the runner-up",
    "errors": "errors, one row per setting: mean loss over the last examples (error) and over all (mean_error), mean "
    "over seeds and 95 % bootstrap interval, and how many runs diverged",
    "step_sizes": "step-sizes at the end, one row per setting and group of weights: the mean over the group's weights, "
    "mean over seeds with a 95 % bootstrap interval, and the means over seeds of the group's least and largest",
    "aggregate_scores": "all games together: for every method and α, the interquartile mean (IQM) of the final return "
    "over the runs of all games, normalized per game: 0 is random play, 1 the published DQN of the table of published "
    "scores, which learned from more frames and with replay; and how likely a run with tuning is better "
    "than one without at the same α, on a game drawn at random (improvement; 0.5: neither is better). 95 % bootstrap "
    "intervals resample the runs of each game",
    "prediction_errors": "errors of predictions, one row per setting: final error (mean over as many last episodes as "
    "the figure says), mean error over all episodes (auc), and mean step-sizes at the end of tiles and of noise: means "
    "over seeds with 95 % bootstrap intervals, and how many runs diverged",
}
TABLES = {table: tuple(text.split(": ", 1)) for table, text in _TABLES.items()}


def labels(figure: Figure, what: str) -> dict[str, str]:
    """The columns by which the report lists a file."""
    return {
        "figure": figure.short_name,
        "method": ", ".join(figure.methods),
        "μ": "untuned" if figure.mus == ("0",) else token_range(figure.mus),
        "shows": what,
    }


def token_range(tokens: tuple[str, ...]) -> str:
    """The first and the last token, or the only one."""
    return tokens[0] if len(tokens) == 1 else f"{tokens[0]} … {tokens[-1]}"


def title(figure: Figure, picture: Picture) -> str:
    """The heading of a picture."""
    return picture.title(figure) if picture.title else figure.title


def without_wildcards(text: str) -> str:
    """A text for where Snakemake replaces wildcards: its `{x}` stays as it is.

    Snakemake has no way to escape braces; an invisible word joiner after the brace keeps it from seeing a wildcard.
    """
    return text.replace("{", "{\u2060")


def as_rst(text: str) -> str:
    """A text for a template in reStructuredText, with its markup escaped."""
    return re.sub(r"([\\*`|_<>])", r"\\\1", text)


def length_text(figure: Figure) -> str:
    """How long its runs are: "1000 episodes", "12,500,000 observed frames"."""
    return f"{figure.length:{',' if figure.length > 9999 else ''}} {figure.unit}"


def alphas_text(figure: Figure) -> str:
    """The initial step-sizes, or the rule that chooses them."""
    if figure.best is None:
        return ", ".join(figure.alphas)
    method, other = METHODS[figure.best.method].label, short_name_of(figure.best.figure)
    few = f"{figure.best.count} best" if figure.best.count > 1 else "best"
    return f"the {few} of {method} in {other}"


def variant_text(variant: str) -> str:
    """The readings of a variant, as a reader writes them."""
    return variant.replace("~", " = ").replace("+", ", ") or "the config's own"
