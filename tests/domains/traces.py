"""What tests of games share: all that can be seen of a game, and that a saved state is the whole of it."""

import io

import numpy as np


def trace(game, actions):
    """All that can be seen of a game that is played so, and begun anew when it is over."""
    seen = []
    for action in actions:
        step = game.step(action)
        seen.append((step.observation.tobytes(), *step[1:]))
        if step.over:
            seen.append(game.reset().tobytes())
    return seen


def assert_goes_on_from_its_state(undisturbed, other, actions, number):
    """A game that was saved after so many of the actions, and another one that was set to what was saved."""
    undisturbed.reset()
    trace(undisturbed, actions[:number])
    file = io.BytesIO()
    np.savez(file, allow_pickle=False, **undisturbed.state())
    file.seek(0)
    other.restore(np.load(file, allow_pickle=False))
    assert trace(undisturbed, actions[number:]) == trace(other, actions[number:])
