"""The five games of the paper's Atari experiment, as the agent meets them.

An action lasts four emulator frames, of which one is observed; an observation is the last four observed
frames, 84×84 and grey. The emulator is the Arcade Learning Environment.
"""

from collections.abc import Mapping

import ale_py
import numpy as np
from PIL import Image

from metatrace.domains.atari.frames import SIZE, network_shape, pushed, stacked
from metatrace.errors import UserError
from metatrace.networks.environment import Step, restore_generator, saved_generator

FRAME_SKIP = 4  # emulator frames an action
STICKINESS = 0.25  # the paper's repeat_action_probability
LIMIT = 108_000  # emulator frames a game, 30 minutes of play

# Else every emulator greets on stderr.
ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)


class Emulator:
    """One game, played time after time; see `metatrace.networks.environment.Environment`.

    Args:
      game: the emulator's name of it.
      seed: Of this environment alone; used once, so that a reset begins another game.
      action_set, episode_end, observed_frame: Answers to reading R10, see `readings`; others concern the agent.
    """

    def __init__(
        self,
        game: str,
        *,
        seed: int | np.random.SeedSequence,
        action_set: str = "minimal",
        episode_end: str = "game",
        observed_frame: str = "every_fourth",
        **_others: str,
    ) -> None:
        self._ends_with_life = episode_end == "life"
        self._maximum_of_two = observed_frame == "maximum_of_two"
        self._rng = np.random.default_rng(seed)
        self.ale = ale_py.ALEInterface()
        self.ale.setInt("random_seed", int(self._rng.integers(2**31)))
        # Actions are repeated in `step` alone. The emulator can repeat them too, but its saved state leaves out the
        # action that it last carried out, and a game gone on with would take another course.
        self.ale.setFloat("repeat_action_probability", 0.0)
        self.ale.setInt("max_num_frames_per_episode", LIMIT)
        rom = ale_py.roms.get_rom_path(game)
        assert rom is not None
        self.ale.loadROM(rom)
        minimal = action_set == "minimal"
        actions = self.ale.getMinimalActionSet() if minimal else self.ale.getLegalActionSet()
        self._actions = [action.value for action in actions]
        self.shape = network_shape(len(actions))
        self._screen = np.zeros(self.ale.getScreenDims(), np.uint8)
        height, width = self._screen.shape
        # Of the same memory, for a new picture of every frame takes half as long as shrinking it does.
        self._picture = Image.frombuffer("L", (width, height), self._screen, "raw", "L", 0, 1)
        self._carried_out = 0  # the emulator's number of the last frame's action; 0 is to do nothing
        self._frames = stacked(np.zeros((SIZE, SIZE), np.uint8))
        self._over = True

    def reset(self) -> np.ndarray:
        """Begins a game; its first frame fills the whole observation, uint8 (4, 84, 84)."""
        self.ale.reset_game()
        self._carried_out = 0
        self._over = False
        self.ale.getScreenGrayscale(self._screen)
        self._frames = stacked(_shrunk(self._picture))
        return self._frames.copy(order="K")

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
        # A game that ended before its fourth frame shows the frame at which it ended.
        ale.getScreenGrayscale(self._screen)
        if screen is not None:
            np.maximum(screen, self._screen, out=self._screen)
        self._frames = pushed(self._frames, _shrunk(self._picture))
        terminal = ale.game_over(with_truncation=False) or (self._ends_with_life and ale.lives() < lives)
        return Step(self._frames.copy(order="K"), float(reward), terminal, self._over)

    def state(self) -> dict[str, np.ndarray]:
        """Everything that decides how the game goes on, as plain arrays."""
        emulator = self.ale.cloneState(include_rng=True).serialize()
        return {
            "emulator": np.frombuffer(emulator, dtype=np.uint8),
            "carried_out": np.array(self._carried_out),
            "frames": self._frames.copy(),
            "over": np.array(self._over),
            "generator": saved_generator(self._rng),
        }

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Goes on from `state`, which an environment with the same options gave.

        Raises:
          UserError: the emulator does not take it.
        """
        emulator = state["emulator"].tobytes()
        self.ale.restoreState(ale_py.ALEState(emulator))
        if self.ale.cloneState(include_rng=True).serialize() != emulator:
            raise UserError("saved game: the emulator does not take it in; it was saved by another version")
        self._carried_out = int(state["carried_out"])
        self._frames = stacked(state["frames"])
        self._over = bool(state["over"])
        restore_generator(self._rng, state["generator"])


def _shrunk(picture: Image.Image) -> np.ndarray:
    """The screen, grey, 210×160, as uint8 (84, 84): each pixel is the mean of the 4 or 6 or so that it covers.

    Of the filters that lose no pixel, Pillow's box is the fastest (100 µs; bilinear takes 160 to 200 µs), and
    the thin moving things of these games come out evenly grey with either.
    """
    shrunk = picture.resize((SIZE, SIZE), Image.Resampling.BOX)
    return np.frombuffer(shrunk.tobytes(), np.uint8).reshape(SIZE, SIZE)
