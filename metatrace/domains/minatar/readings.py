"""What can be chosen about MinAtar's games; the first answers are the protocol that was published with them."""

from metatrace.domains.readings import H_LIFETIME, OUTPUT_LAYERS, OVERSHOOT_DIVISOR, Reading

_STICKY = Reading(
    "R15",
    "sticky_actions",
    "With which probability does MinAtar carry out the action of the frame before in place of the chosen one?",
    ("0.1", "0"),
    "MinAtar's published protocol",
)
_RAMPING = Reading(
    "R15",
    "difficulty_ramping",
    "Do asterix, seaquest and space invaders of MinAtar become harder while a game lasts?",
    ("on", "off"),
    "MinAtar's published protocol; breakout and freeway have no such option",
)
_ACTIONS = Reading(
    "R15",
    "minatar_actions",
    "Has the policy all six actions of MinAtar, or those that have an effect in the game?",
    ("all_six", "minimal"),
    "MinAtar's published agents chose among all six in every game",
)
_REWARD = Reading(
    "R15",
    "minatar_reward",
    "Does the agent learn from MinAtar's own rewards, or from these clipped to [−1, 1]?",
    ("raw", "clipped"),
    "MinAtar's published agents learned from its own, which are 0 or 1 but for seaquest's bonus of up to 10; none is "
    "so large that the entropy bonus would not count",
)
_AGENT = (_ACTIONS, H_LIFETIME, OUTPUT_LAYERS, _REWARD, OVERSHOOT_DIVISOR)

# By MinAtar's name of the game.
READINGS: dict[str, tuple[Reading, ...]] = {
    game: (_STICKY, *([_RAMPING] if ramps else []), *_AGENT)
    for game, ramps in {
        "asterix": True,
        "breakout": False,
        "freeway": False,
        "seaquest": True,
        "space_invaders": True,
    }.items()
}
