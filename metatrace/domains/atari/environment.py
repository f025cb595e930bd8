"""The five games of the paper's Atari experiment, as the agent meets them.

An action lasts four emulator frames, of which one is observed; an observation is the last four observed
frames, 84×84 and grey. The emulator is the Arcade Learning Environment, by Gymnasium's name `ALE/…-v5`.
"""

import hashlib
from collections.abc import Mapping
from typing import NamedTuple

import ale_py
import gymnasium
import numpy as np
from PIL import Image

from metatrace.domains.atari.readings import READINGS
from metatrace.domains.readings import complete
from metatrace.errors import UserError

GAMES = {  # our token -> the emulator's name
    "asterix": "Asterix",
    "beam_rider": "BeamRider",
    "freeway": "Freeway",
    "seaquest": "Seaquest",
    "space_invaders": "SpaceInvaders",
}
FRAME_SKIP = 4  # emulator frames an action
STICKINESS = 0.25  # the paper's repeat_action_probability
LIMIT = 108_000  # emulator frames a game, 30 minutes of play
STACK = 4  # observed frames in an observation
SIZE = 84  # pixels a side

gymnasium.register_envs(ale_py)
# Else every emulator greets on stderr.
ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)


class Step(NamedTuple):
    """What an action led to."""

    observation: np.ndarray  # uint8 (4, 84, 84), the newest frame last
    reward: float  # the game's own, unclipped
    terminal: bool  # the learner's episode ends here, and nothing follows to bootstrap from
    over: bool  # the game ends here: `reset` comes next


class Environment:
    """One game, played time after time; all chance in it comes from the seed.

    Args:
      game: A key of `GAMES`.
      seed: Of this environment alone; used once, so that a reset begins another game.
      action_set, episode_end, observed_frame: Answers to reading R10, see `readings`.
    """

    def __init__(
        self,
        game: str,
        *,
        seed: int | np.random.SeedSequence,
        action_set: str = "minimal",
        episode_end: str = "game",
        observed_frame: str = "every_fourth",
    ) -> None:
        if game not in GAMES:
            raise UserError(f"game: there is no {game!r} here; it must be one of {', '.join(GAMES)}")
        options = {"action_set": action_set, "episode_end": episode_end, "observed_frame": observed_frame}
        complete(READINGS[game], options, "readings")
        self._made_by = ", ".join((game, *options.values(), f"ale-py {ale_py.__version__}"))
        self._ends_with_life = episode_end == "life"
        self._maximum_of_two = observed_frame == "maximum_of_two"
        made = gymnasium.make(
            f"ALE/{GAMES[game]}-v5",
            disable_env_checker=True,
            obs_type="grayscale",
            # Frames are skipped and actions repeated in `step` alone. The emulator can repeat actions too,
            # but its saved state leaves out the action that it last carried out, and a game gone on with
            # would take another course.
            frameskip=1,
            repeat_action_probability=0.0,
            full_action_space=action_set == "full",
            max_num_frames_per_episode=LIMIT,
        ).unwrapped
        assert isinstance(made, ale_py.AtariEnv)
        self._rng = np.random.default_rng(seed)
        # Gymnasium's own seeding may, once in 2^32, hit upon −1, which to the emulator means the time of day.
        made.ale.setInt("random_seed", int(self._rng.integers(2**31)))
        made.load_game()
        self.ale = made.ale
        minimal = action_set == "minimal"
        actions = self.ale.getMinimalActionSet() if minimal else self.ale.getLegalActionSet()
        self._actions = [action.value for action in actions]
        self.n_actions = len(self._actions)
        self._carried_out = 0  # the emulator's number of the last frame's action; 0 is to do nothing
        self._frames = np.zeros((STACK, SIZE, SIZE), dtype=np.uint8)
        self._over = True

    def reset(self) -> np.ndarray:
        """Begins a game; its first frame fills the whole observation, uint8 (4, 84, 84)."""
        self.ale.reset_game()
        self._carried_out = 0
        self._over = False
        self._frames[:] = _shrunk(self.ale.getScreenGrayscale())
        return self._frames.copy()

    def step(self, action: int) -> Step:
        """Four emulator frames with one action, each of which may repeat the action of the frame before."""
        if self._over:
            raise RuntimeError("the game is over, and nobody has reset it")
        ale, wanted, lives = self.ale, self._actions[action], self.ale.lives()
        reward = 0
        screen = None
        for frame, luck in enumerate(self._rng.random(FRAME_SKIP).tolist(), start=1):
            if luck >= STICKINESS:
                self._carried_out = wanted
            reward += ale.act(self._carried_out)
            self._over = ale.game_over()
            if self._over:
                break
            if self._maximum_of_two and frame == FRAME_SKIP - 1:
                screen = ale.getScreenGrayscale()
        last = ale.getScreenGrayscale()
        # A game that ended before its fourth frame shows the frame at which it ended.
        push(self._frames, _shrunk(last if screen is None else np.maximum(screen, last)))
        terminal = ale.game_over(with_truncation=False) or (self._ends_with_life and ale.lives() < lives)
        return Step(self._frames.copy(), float(reward), terminal, self._over)

    def state(self) -> dict[str, np.ndarray]:
        """Everything that decides how the game goes on, as plain arrays."""
        emulator = self.ale.cloneState(include_rng=True).serialize()
        return sealed(
            self._made_by,
            {
                "emulator": np.frombuffer(emulator, dtype=np.uint8),
                "carried_out": np.array(self._carried_out),
                "frames": self._frames.copy(),
                "over": np.array(self._over),
                "generator": generator_words(self._rng),
            },
        )

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Goes on from `state`, which an environment with the same options gave.

        Raises:
          UserError: the state is damaged or of something else.
        """
        # The emulator checks little and may crash on a damaged state: the seal comes first.
        held = unsealed(self._made_by, state)
        emulator = held["emulator"].tobytes()
        self.ale.restoreState(ale_py.ALEState(emulator))
        if self.ale.cloneState(include_rng=True).serialize() != emulator:
            raise UserError("saved game: the emulator does not take it in; it was saved by another version")
        self._carried_out = int(held["carried_out"])
        self._frames = held["frames"].copy()
        self._over = bool(held["over"])
        self._rng = generator_of(held["generator"])


def _shrunk(screen: np.ndarray) -> np.ndarray:
    """The screen, uint8 (210, 160), at (84, 84): each pixel is the mean of the 4 or 6 or so that it covers.

    Of the filters that lose no pixel, Pillow's box is the fastest (100 µs; bilinear takes 160 to 200 µs), and
    the thin moving things of these games come out evenly grey with either.
    """
    return np.asarray(Image.fromarray(screen).resize((SIZE, SIZE), Image.Resampling.BOX))


def push(frames: np.ndarray, frame: np.ndarray) -> None:
    """Adds a frame, (84, 84), to `frames`, (4, 84, 84), in place of the oldest."""
    frames[:-1] = frames[1:]
    frames[-1] = frame


def generator_words(rng: np.random.Generator) -> np.ndarray:
    """The state of a generator made by `numpy.random.default_rng`, uint64 (6,)."""
    held = rng.bit_generator.state
    numbers = [half for key in ("state", "inc") for half in divmod(held["state"][key], 2**64)]
    return np.array([*numbers, held["has_uint32"], held["uinteger"]], dtype=np.uint64)


def generator_of(words: np.ndarray) -> np.random.Generator:
    """The generator of which these are the `generator_words`."""
    numbers = [int(word) for word in words]
    bits = np.random.PCG64()
    bits.state = {
        "bit_generator": "PCG64",
        "state": {"state": numbers[0] * 2**64 + numbers[1], "inc": numbers[2] * 2**64 + numbers[3]},
        "has_uint32": numbers[4],
        "uinteger": numbers[5],
    }
    return np.random.Generator(bits)


def sealed(made_by: str, state: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """`state` with its maker's name and a checksum, so that `unsealed` takes no other."""
    named = {"made_by": np.array(made_by), **state}
    return {**named, "checksum": np.array(_checksum(named))}


def unsealed(made_by: str, state: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """What was `sealed` under this name.

    Raises:
      UserError: the state is damaged, or another's.
    """
    held = dict(state)
    checksum = held.pop("checksum", None)
    if checksum is None or "made_by" not in held or str(checksum) != _checksum(held):
        raise UserError("saved game: the state is damaged or incomplete; it must be one that `state()` gave")
    maker = str(held.pop("made_by"))
    if maker != made_by:
        raise UserError(f"saved game: the state is of {maker}; it must be of {made_by}")
    return held


def _checksum(state: Mapping[str, np.ndarray]) -> str:
    digest = hashlib.sha256()
    for name in sorted(state):
        array = np.asarray(state[name])
        digest.update(f"{name} {array.dtype.str} {array.shape} ".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()
