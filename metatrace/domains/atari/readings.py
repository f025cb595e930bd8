"""The readings of the paper that concern the games of the Arcade Learning Environment, and catch."""

from metatrace.domains.readings import H_LIFETIME, OUTPUT_LAYERS, OVERSHOOT_DIVISOR, Reading

_EMULATOR = (
    Reading(
        "R10",
        "action_set",
        "Has the policy the actions that the game uses, or all 18 of the console?",
        ("minimal", "full"),
        "the paper does not say; DQN, whose network it takes up, chose among the actions that a game uses",
    ),
    Reading(
        "R10",
        "episode_end",
        "Does an episode end with the game, or for the learner already with a lost life?",
        ("game", "life"),
        "the episode counts in a comment of the paper's source fit whole games; returns are of whole games "
        "in either case",
    ),
    Reading(
        "R10",
        "observed_frame",
        "Of each four emulator frames, is the last observed, or the pixelwise maximum of the last two?",
        ("every_fourth", "maximum_of_two"),
        '"only every 4th frame is observed"; the maximum, made against flicker, is not mentioned',
    ),
)
_AGENT = (
    H_LIFETIME,
    OUTPUT_LAYERS,
    Reading(
        "R13",
        "learned_reward",
        "Does the agent learn from rewards clipped to [−1, 1] or from the game's own? Returns are reported unclipped.",
        ("clipped", "raw"),
        "the entropy bonus of ψ = 0.01 matters only at that scale, and the paper says that it helped; in "
        "trials with raw rewards the policy lost all its entropy within 40,000 frames",
    ),
    OVERSHOOT_DIVISOR,
)

_GAMES = ("asterix", "beam_rider", "freeway", "seaquest", "space_invaders")
READINGS: dict[str, tuple[Reading, ...]] = {**dict.fromkeys(_GAMES, (*_EMULATOR, *_AGENT)), "catch": _AGENT}
