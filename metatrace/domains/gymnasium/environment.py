"""Environments of Gymnasium, made and checked: discrete actions, and observations that are numbers."""

import math
from importlib import import_module
from typing import Any

from metatrace.errors import UserError

# Steps of an episode where an environment is registered without a limit: it might never end.
MOST_STEPS = 10_000
# Of an observation. Images have more: they need a network that sees them as such, as the games' does.
MOST_NUMBERS = 1000


def make(id: str) -> Any:
    """The environment of an id, with its own time limit, and with actions that count from 0.

    Raises:
      UserError: Gymnasium or a package that the environment needs is not installed, there is no such id, its actions or
        observations are of another kind, or an observation is too large. The line names the id.
    """
    where = f"gymnasium:{id}"
    try:
        import gymnasium
    except ModuleNotFoundError:
        raise UserError(f'{where}: Gymnasium is not installed; pip install "metatrace[workflow]"') from None
    module, _, name = id.rpartition(":")
    try:
        if module:
            import_module(module)  # which registers it
        limit = gymnasium.spec(name).max_episode_steps or MOST_STEPS
        made: Any = gymnasium.make(name, max_episode_steps=limit, disable_env_checker=True)
    except ModuleNotFoundError as error:
        raise UserError(f"{where}: needs the module {error.name}, which is not there; install it") from None
    except (gymnasium.error.Error, ImportError) as error:
        raise UserError(f"{where}: {_one_line(error)}") from None
    spaces = gymnasium.spaces
    if not isinstance(made.action_space, spaces.Discrete):
        raise UserError(f"{where}: its actions are a {type(made.action_space).__name__}; they must be Discrete")
    if not isinstance(made.observation_space, spaces.Box | spaces.Discrete):
        kind = type(made.observation_space).__name__
        raise UserError(
            f"{where}: its observations are a {kind}; they must be Box or Discrete: wrap it in FlattenObservation"
        )
    numbers = math.prod(made.observation_space.shape or ())
    if numbers > MOST_NUMBERS:
        raise UserError(f"{where}: its observations are {numbers} numbers; there must be at most {MOST_NUMBERS}")
    first, count = int(made.action_space.start), made.action_space.n
    if first:
        made = gymnasium.wrappers.TransformAction(made, lambda action: action + first, spaces.Discrete(count))
    return made


def _one_line(error: Exception) -> str:
    text = " ".join(str(error).split()).rstrip(".")
    return text[:1].lower() + text[1:]
