"""Catch: a game on which learning shows within minutes must be fair, winnable and not winnable blindly."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from traces import assert_goes_on_from_its_state

from metatrace.domains.atari.catch import COLUMNS, HEIGHT, ROWS, WIDTH, Catch


def perfect(game):
    """The action of a player who reads the logical state: go under the ball."""
    return 1 + int(np.sign(game.column - game.paddle))


def play_ball(game, choose):
    """The rewards of one ball."""
    game.reset()
    steps = [game.step(choose(game))]
    while not steps[-1].over:
        steps.append(game.step(choose(game)))
    return [step.reward for step in steps]


@pytest.mark.parametrize("column", range(COLUMNS))
@pytest.mark.parametrize("paddle", range(COLUMNS))
def test_every_ball_can_be_caught_from_everywhere(column, paddle):
    game = Catch(seed=0)
    game.reset()
    game.column, game.paddle = column, paddle
    rewards = []
    for _ in range(ROWS - 1):
        rewards.append(game.step(perfect(game)).reward)
    assert rewards == [0.0] * (ROWS - 2) + [1.0]


@pytest.mark.parametrize("way", ["random", "left", "stay", "right"])
def test_play_that_does_not_see_the_ball_catches_a_fifth(way):
    game, rng, balls = Catch(seed=1), np.random.default_rng(2), 3000
    choose = {
        "random": lambda _: int(rng.integers(3)),
        "left": lambda _: 0,
        "stay": lambda _: 1,
        "right": lambda _: 2,
    }
    returns = np.array([sum(play_ball(game, choose[way])) for _ in range(balls)])
    assert set(returns) == {-1.0, 1.0}
    assert abs((returns == 1).mean() - 0.2) < 4 * np.sqrt(0.2 * 0.8 / balls)


def test_balls_fall_in_every_column_equally_often():
    game = Catch(seed=3)
    columns = [(game.reset(), game.column)[1] for _ in range(6000)]
    counts = np.bincount(columns, minlength=COLUMNS)
    assert (abs(counts - 1200) < 4 * np.sqrt(1200)).all()


def test_an_episode_is_one_ball_of_five_steps():
    game = Catch(seed=4)
    for _ in range(5):
        game.reset()
        steps = [game.step(1) for _ in range(ROWS - 1)]
        assert [(step.terminal, step.over) for step in steps] == [(False, False)] * 4 + [(True, True)]
        with pytest.raises(RuntimeError):
            game.step(1)


def test_the_paddle_moves_a_column_a_step_and_stops_at_the_walls():
    game = Catch(seed=5)
    game.reset()
    game.paddle = 1
    paddles = [(game.step(action), game.paddle)[1] for action in (0, 0, 1, 2)]
    assert paddles == [0, 0, 0, 1]
    game.reset()
    game.paddle = COLUMNS - 2
    paddles = [(game.step(action), game.paddle)[1] for action in (2, 2, 1, 0)]
    assert paddles == [4, 4, 4, 3]


def expected_picture(game):
    picture = np.zeros((84, 84), dtype=np.uint8)
    picture[14 * game.row : 14 * game.row + 14, 16 * game.column : 16 * game.column + 16] = 255
    picture[70:, 16 * game.paddle : 16 * (game.paddle + 1)] = 255
    return picture


def test_the_picture_is_ball_and_paddle_and_the_newest_frame_is_last():
    game, rng = Catch(seed=6), np.random.default_rng(7)
    for _ in range(10):
        observation = game.reset()
        assert observation.shape == (4, 84, 84) and observation.dtype == np.uint8
        assert (observation == expected_picture(game)).all()
        assert (observation[3] > 0).sum() == 2 * WIDTH * HEIGHT
        kept, copy, over = observation, observation.copy(), False
        while not over:
            step = game.step(int(rng.integers(3)))
            assert np.array_equal(step.observation[3], expected_picture(game))
            assert np.array_equal(step.observation[:3], observation[1:])
            observation, over = step.observation, step.over
        assert np.array_equal(kept, copy)


def test_the_same_seed_is_the_same_game_and_another_is_another():
    def columns(seed):
        game = Catch(seed=seed)
        return [game.paddle, *((game.reset(), game.column)[1] for _ in range(20))]

    assert columns(1) == columns(1) == columns(np.random.SeedSequence(1)) != columns(2)


@given(number=st.integers(0, 60), seed=st.integers(0, 2**32))
def test_a_game_goes_on_from_a_saved_state_as_if_undisturbed(number, seed):
    actions = np.random.default_rng(seed).integers(3, size=number + 60).tolist()
    assert_goes_on_from_its_state(Catch(seed=seed), Catch(seed=seed + 1), actions, number)
