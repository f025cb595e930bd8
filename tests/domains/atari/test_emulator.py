"""The five games, with the real emulator."""

import copy
import io
import subprocess
import sys

import ale_py
import gymnasium
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from marks import slow
from PIL import Image

from metatrace.domains.atari.emulator import FRAME_SKIP, LIMIT, Emulator, _shrunk
from metatrace.domains.atari.readings import READINGS
from metatrace.networks.environment import restore_generator, saved_generator

GAMES = {  # our token -> Gymnasium's name
    "asterix": "Asterix",
    "beam_rider": "BeamRider",
    "freeway": "Freeway",
    "seaquest": "Seaquest",
    "space_invaders": "SpaceInvaders",
}
EACH_GAME = pytest.mark.parametrize("game", GAMES)
TWO_AND_SLOWLY_ALL = pytest.mark.parametrize(
    "game", [game if game in ("asterix", "seaquest") else slow(game) for game in GAMES]
)
gymnasium.register_envs(ale_py)
# Random play, measured elsewhere: observed frames and return a game.
RANDOM_PLAY = {
    "asterix": (270, 290),
    "beam_rider": (1320, 360),
    "freeway": (2048, 0),
    "seaquest": (555, 96),
    "space_invaders": (483, 122),
}


def actions_of(environment, count, seed=0):
    return np.random.default_rng(seed).integers(environment.shape.n_actions, size=count).tolist()


def play(environment, actions):
    """Every step of these actions, with a reset after each game."""
    steps = []
    for action in actions:
        steps.append(environment.step(action))
        if steps[-1].over:
            steps.append(environment.reset())
    return steps


def same(steps, others):
    return len(steps) == len(others) and all(
        np.array_equal(one, other)
        if isinstance(one, np.ndarray)
        else np.array_equal(one.observation, other.observation) and one[1:] == other[1:]
        for one, other in zip(steps, others, strict=True)
    )


def set_episode_frame(environment, frame):
    """Lets the emulator believe that this many of its frames have gone by in this game."""
    saved = bytearray(environment.ale.cloneState(include_rng=True).serialize())
    saved[12:16] = frame.to_bytes(4, "little")
    environment.ale.restoreState(ale_py.ALEState(bytes(saved)))
    assert environment.ale.getEpisodeFrameNumber() == frame


@pytest.mark.parametrize(
    ("game", "count"),
    [("asterix", 9), ("beam_rider", 9), ("freeway", 3), ("seaquest", 18), ("space_invaders", 6)],
)
def test_the_action_sets(game, count):
    environment = Emulator(game, seed=0)
    full = Emulator(game, seed=0, action_set="full")
    assert (environment.shape.n_actions, full.shape.n_actions) == (count, 18)
    full.reset()
    assert full.step(17).observation.shape == (4, 84, 84)
    with pytest.raises(IndexError):
        full.step(18)


@EACH_GAME
def test_an_action_lasts_four_emulator_frames_of_which_the_last_is_observed(game):
    environment = Emulator(game, seed=1)
    observation = environment.reset()
    assert observation.shape == (4, 84, 84) and observation.dtype == np.uint8
    assert (observation == observation[0]).all() and observation.max() > 0  # the first frame fills the stack
    changed = 0
    for number, action in enumerate(actions_of(environment, 60), start=1):
        step = environment.step(action)
        assert environment.ale.getEpisodeFrameNumber() == number * FRAME_SKIP
        assert step.observation.shape == (4, 84, 84) and step.observation.dtype == np.uint8
        assert np.array_equal(step.observation[:3], observation[1:])  # the newest is last
        screen = Image.fromarray(environment.ale.getScreenGrayscale())
        assert np.array_equal(step.observation[3], np.asarray(screen.resize((84, 84), Image.Resampling.BOX)))
        changed += not np.array_equal(step.observation[3], observation[3])
        observation = step.observation
    assert changed > 30


def test_an_observation_once_handed_out_never_changes_nor_does_writing_to_it_matter():
    one, other = Emulator("seaquest", seed=1), Emulator("seaquest", seed=1)
    first, _ = one.reset(), other.reset()
    kept, copies = [first], [first.copy()]
    for action in actions_of(one, 10):
        kept.append(one.step(action).observation)
        copies.append(kept[-1].copy())
        assert np.array_equal(other.step(action).observation, kept[-1])
    assert all(np.array_equal(a, b) for a, b in zip(kept, copies, strict=True))
    one.step(0).observation[:] = 7
    other.step(0)
    assert np.array_equal(one.step(0).observation, other.step(0).observation)


def test_shrinking_keeps_the_mean_and_loses_no_pixel():
    """The sprites are a pixel or two wide: each must leave a trace wherever it is."""
    dark = np.zeros((210, 160), dtype=np.uint8)
    for y in range(0, 210, 11):
        for x in range(160):
            dark[y, x] = 200
            shrunk = _shrunk(Image.fromarray(dark)).astype(int)
            dark[y, x] = 0
            assert 33 <= shrunk.sum() <= 101  # a sixth to a half of the pixel's light
            assert (shrunk > 0).sum() == 1


@pytest.mark.parametrize("game", ["asterix", "space_invaders"])
def test_the_maximum_of_two_frames(game):
    """Two emulators play the same frames; the second is looked at after each."""
    environment = Emulator(game, seed=2, observed_frame="maximum_of_two")
    plain = Emulator(game, seed=2)
    environment.reset(), plain.reset()
    witness = gymnasium.make(
        f"ALE/{GAMES[game]}-v5", frameskip=1, repeat_action_probability=0.0, obs_type="grayscale"
    ).unwrapped
    differs = 0
    for action in actions_of(plain, 80):
        before = plain.ale.cloneState(include_rng=True)
        carried_out = plain._carried_out
        luck = copy.deepcopy(plain._rng).random(FRAME_SKIP)
        witness.ale.restoreState(before)
        screens = []
        for sticky in luck < 0.25:
            carried_out = carried_out if sticky else plain._actions[action]
            witness.ale.act(carried_out)
            screens.append(witness.ale.getScreenGrayscale())
        pooled, last = environment.step(action), plain.step(action)
        assert pooled[1:] == last[1:]
        expected = Image.fromarray(np.maximum(*screens[-2:])).resize((84, 84), Image.Resampling.BOX)
        assert np.array_equal(pooled.observation[3], np.asarray(expected))
        differs += not np.array_equal(pooled.observation[3], last.observation[3])
        if last.over:
            break
    assert differs > 10


def test_actions_stick_with_probability_one_quarter():
    """Infers from the emulator alone for how many frames of each step the former action was carried out.

    From the state before a step, a second emulator plays what would happen if the former action lasted for
    k = 0 … 4 frames. Where the five outcomes differ, the one that did happen tells k. Which states these are
    depends on nothing that the step draws, so the sample is fair: k repeats in min(k + 1, 4) draws.
    """
    environment = Emulator("asterix", seed=3)
    witness = gymnasium.make("ALE/Asterix-v5", frameskip=1, repeat_action_probability=0.0).unwrapped
    environment.reset()
    former, repeats, draws, told = 0, 0, 0, 0
    for action in actions_of(environment, 700, seed=4):
        wanted = environment._actions[action]
        before = environment.ale.cloneState(include_rng=True)
        step = environment.step(action)
        after = environment.ale.getRAM().tobytes()
        outcomes = []
        for k in range(FRAME_SKIP + 1):
            witness.ale.restoreState(before)
            for frame in range(FRAME_SKIP):
                witness.ale.act(former if frame < k else wanted)
            outcomes.append(witness.ale.getRAM().tobytes())
        assert after in outcomes
        if len(set(outcomes)) == FRAME_SKIP + 1:
            k = outcomes.index(after)
            repeats, draws, told = repeats + k, draws + min(k + 1, FRAME_SKIP), told + 1
        former = environment._carried_out
        if step.over:
            environment.reset()
            former = 0
    error = np.sqrt(0.25 * 0.75 / draws)
    assert told > 150, told
    assert abs(repeats / draws - 0.25) < 3 * error, (repeats, draws)
    assert 3 * error < 0.1


@TWO_AND_SLOWLY_ALL
def test_the_same_seed_is_the_same_game_and_another_is_another(game):
    actions = actions_of(Emulator(game, seed=5), 150)
    games = []
    for seed in (5, np.random.SeedSequence(5), 6):
        environment = Emulator(game, seed=seed)
        games.append([environment.reset(), *play(environment, actions)])
    assert same(games[0], games[1])
    assert not same(games[0], games[2])


def test_one_seed_sequence_serves_twice():
    """Making an environment leaves the sequence as it was: no spawning behind the caller's back."""
    sequence = np.random.SeedSequence(8).spawn(2)[0]
    one, other = (Emulator("freeway", seed=sequence) for _ in range(2))
    one.reset(), other.reset()
    assert same(play(one, [1] * 40), play(other, [1] * 40))


def test_a_reset_begins_another_game():
    environment = Emulator("seaquest", seed=5)
    actions = actions_of(environment, 100)
    games = []
    for _ in range(2):
        environment.reset()
        games.append([environment.step(action) for action in actions])
    assert not same(*games)


def test_no_action_sticks_from_one_game_to_the_next():
    """Two games that differ in nothing but the last action before the reset go on alike after it."""
    one, other = Emulator("asterix", seed=2), Emulator("asterix", seed=2)
    left, right = (one._actions.index(action.value) for action in (ale_py.Action.LEFT, ale_py.Action.RIGHT))
    for _ in range(20):  # a quarter of the first frames repeat the action before them
        one.reset(), other.reset()
        assert same(play(one, [0] * 4), play(other, [0] * 4))
        one.step(left), other.step(right)


def test_a_lost_life_ends_the_learners_episode_only_if_so_wished():
    life, game = (Emulator("seaquest", seed=7, episode_end=end) for end in ("life", "game"))
    life.reset(), game.reset()
    lives, lost = 4, 0
    for action in actions_of(life, 1500):
        one, other = life.step(action), game.step(action)
        now = life.ale.lives()
        assert np.array_equal(one.observation, other.observation) and one.reward == other.reward
        assert one.terminal == (now < lives or one.over)
        assert other.terminal == other.over == one.over
        lost += one.terminal and not one.over
        if one.over:
            break
        lives = now
    assert one.over and lost >= 2
    with pytest.raises(RuntimeError):
        life.step(0)


@pytest.mark.parametrize("left", [8, 2])
def test_the_emulators_own_limit_is_no_terminal_state(left):
    environment = Emulator("seaquest", seed=0, episode_end="life")
    environment.reset()
    set_episode_frame(environment, LIMIT - left)
    steps = [environment.step(0) for _ in range(max(left // FRAME_SKIP, 1))]
    assert [step.over for step in steps] == [False] * (len(steps) - 1) + [True]
    assert not steps[-1].terminal
    assert environment.ale.getEpisodeFrameNumber() == LIMIT  # no frame beyond it
    assert not (environment.reset(), environment.step(0))[1].over


@TWO_AND_SLOWLY_ALL
@settings(max_examples=2)
@given(number=st.integers(1, 250), seed=st.integers(0, 2**32))
def test_a_game_goes_on_from_a_saved_state_as_if_undisturbed(game, number, seed):
    undisturbed = Emulator(game, seed=seed)
    undisturbed.reset()
    play(undisturbed, actions_of(undisturbed, number, seed))
    file = io.BytesIO()
    np.savez(file, **undisturbed.state())
    file.seek(0)
    restored = Emulator(game, seed=seed + 1)
    if number % 2:  # into one that is in the middle of something else
        restored.reset()
        play(restored, [0, 1])
    restored.restore(np.load(file, allow_pickle=False))
    actions = actions_of(undisturbed, 300, seed + 1)
    assert same(play(undisturbed, actions), play(restored, actions))


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("asterix", {}),
        ("seaquest", {"episode_end": "life", "observed_frame": "maximum_of_two"}),
        ("space_invaders", {"action_set": "full"}),
    ],
)
def test_a_saved_state_holds_across_the_end_of_a_game(game, options):
    undisturbed = Emulator(game, seed=9, **options)
    undisturbed.reset()
    actions = actions_of(undisturbed, 3000)
    length = next(number for number, action in enumerate(actions) if undisturbed.step(action).over)
    undisturbed = Emulator(game, seed=9, **options)
    undisturbed.reset()
    play(undisturbed, actions[: length - 20])
    before_end = undisturbed.state()
    rest = [undisturbed.step(action) for action in actions[length - 20 : length + 1]]
    assert rest[-1].over
    at_end = undisturbed.state()
    rest.append(undisturbed.reset())
    rest += play(undisturbed, actions[length + 1 : length + 281])
    restored = Emulator(game, seed=1, **options)
    restored.restore(before_end)
    assert same(rest, play(restored, actions[length - 20 : length + 281]))
    restored = Emulator(game, seed=1, **options)
    restored.restore(at_end)
    with pytest.raises(RuntimeError):
        restored.step(0)
    assert np.array_equal(rest[21], restored.reset())
    assert same(rest[22:], play(restored, actions[length + 1 : length + 281]))


def test_to_save_a_state_disturbs_nothing_and_it_is_plain():
    one, other = Emulator("seaquest", seed=3), Emulator("seaquest", seed=3)
    one.reset(), other.reset()
    for action in actions_of(one, 50):
        state = one.state()
        assert all(isinstance(array, np.ndarray) and not array.dtype.hasobject for array in state.values())
        assert same([one.step(action)], [other.step(action)])


def test_nothing_is_printed():
    code = "from metatrace.domains.atari.emulator import Emulator; Emulator('freeway', seed=0).reset()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


def test_the_questions_load_without_the_emulator_and_torch():
    code = (
        "import sys, metatrace.domains.atari.readings;"
        "print([name for name in ('torch', 'gymnasium', 'ale_py', 'numpy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_readings_that_are_mountain_cars_too_are_asked_alike():
    from metatrace.domains.mountain_car.readings import READINGS as MOUNTAIN_CARS

    theirs = {reading.key: reading for reading in MOUNTAIN_CARS["mountain_car"]}
    shared = [reading for reading in READINGS["catch"] if reading.key in theirs]
    assert [reading.key for reading in shared] == ["h_lifetime", "overshoot_divisor"]
    assert all(reading == theirs[reading.key] for reading in shared)
    assert set(READINGS) == {*GAMES, "catch"}


@pytest.mark.parametrize("words", [0, 1, 3])
def test_a_generator_goes_on_from_what_was_saved(words):
    rng, again = np.random.default_rng(4), np.random.default_rng(5)
    rng.integers(12, size=words)  # an odd number leaves half a word for later
    restore_generator(again, saved_generator(rng))
    assert np.array_equal(rng.integers(12, size=9), again.integers(12, size=9))
    assert np.array_equal(rng.random(9), again.random(9))


def random_games(game, count):
    """Length in observed frames and return of each of so many games, played at random."""
    environment = Emulator(game, seed=11)
    rng = np.random.default_rng(12)
    lengths, returns = np.zeros(count), np.zeros(count)
    for number in range(count):
        environment.reset()
        over = False
        while not over:
            step = environment.step(int(rng.integers(environment.shape.n_actions)))
            lengths[number] += 1
            returns[number] += step.reward
            over = step.over
    return lengths, returns


def check_random_play(game, count):
    """Both means within four standard errors; the reference has one too, taken to be that of 40 games."""
    for values, expected in zip(random_games(game, count), RANDOM_PLAY[game], strict=True):
        error = values.std(ddof=1) * np.sqrt(1 / count + 1 / 40)
        assert abs(values.mean() - expected) <= 4 * error + 1, (values.mean(), expected, error)


@pytest.mark.parametrize("game", ["seaquest", "space_invaders"])
def test_random_play_lasts_and_earns_what_it_should(game):
    check_random_play(game, 8)


def test_freeway_always_takes_the_same_time():
    lengths, returns = random_games("freeway", 1)
    assert abs(lengths[0] - 2048) <= 1 and returns[0] <= 2


@pytest.mark.slow
@EACH_GAME
def test_forty_games_of_random_play_last_and_earn_what_they_should(game):
    check_random_play(game, 40)
