"""Any task of Gymnasium with discrete actions, learned by the linear agent: to add one is to describe it.

Write a `Task`, in a file of its own that imports nothing heavy, and put it into `metatrace.domains.registry.TASKS`.
Every method runs on it.
"""

from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING

from metatrace.domains.protocol import Code, Domain, Environment, Progress, Request, facts_of
from metatrace.domains.readings import LINEAR_AGENT
from metatrace.methods import METHODS

if TYPE_CHECKING:
    from metatrace.runs.results import Run

_FOLDER = "metatrace.domains.gymnasium"


@dataclass(frozen=True)
class Task:
    """A task of Gymnasium.

    Attributes:
      token, label: its name in configs and paths, and in running text.
      id: Gymnasium's name for it, such as "CartPole-v1"; "module:Name-v0" where importing `module` registers it.
      time_limit: the most steps of an episode.
      failed_return: the return of an episode without a policy.
      low, high: the range of each number of an observation; tiles cover it, and what lies beyond counts as its edge.
      tiles: how many tiles of a tiling a range takes; tilings: how many tilings there are.
      groups: the numbers of an observation that are tiled together, by their places; empty: all of them. There are
        tilings · tiles^(numbers of a group) features for each group.
      features: `module:Class` of other features; it is called as `tiles.Tiles` is.
    """

    token: str
    label: str
    id: str
    time_limit: int
    failed_return: float
    low: tuple[float, ...]
    high: tuple[float, ...]
    tiles: int = 4
    tilings: int = 8
    groups: tuple[tuple[int, ...], ...] = ()
    features: str = f"{_FOLDER}.tiles:Tiles"


class Gymnasium(Domain):
    """The tasks that it is given; see `metatrace.domains.protocol.Domain`."""

    name = "gymnasium"

    def __init__(self, *tasks: Task) -> None:
        self.tasks = {task.token: task for task in tasks}
        self.environments = {
            task.token: Environment(task.token, task.label, LINEAR_AGENT, task.failed_return, has_own_code=True)
            for task in tasks
        }
        self.slowest = max(tasks, key=lambda task: task.time_limit).token

    def train(self, request: Request, progress: Progress) -> "Run":
        """By the linear agent."""
        from metatrace.domains.gymnasium import train

        return train.train(self.tasks[request.key.environment], request, progress)

    def code(self, environment: str, method: str, agent: str = "fast") -> Code:
        """The agent, the features, the task if a module here has it, and the method's tuner."""
        task, entry = self.tasks[environment], METHODS[method]
        facts = (f"task {astuple(task)[2:]}", *facts_of(entry, self.name))
        own = (task.id.partition(":")[0],) if task.id.startswith("metatrace.") else ()
        return Code((f"{_FOLDER}.train:train", task.features, *own, entry.tuner), method, facts)
