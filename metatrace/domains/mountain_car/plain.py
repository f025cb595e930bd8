"""AC(λ) on mountain car, written for reading: the oracle of the compiled kernel.

Dense numpy weights, Gymnasium's own environment, and a tuner of `metatrace.tuning`.
"""

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

from metatrace.domains.mountain_car.drift import N_NOISE, Drift
from metatrace.domains.mountain_car.dynamics import N_ACTIONS, TIME_LIMIT
from metatrace.domains.mountain_car.settings import Settings, Training, empty_training, random_streams
from metatrace.domains.mountain_car.tiles import N_TILES, active_tiles
from metatrace.tuning import Tuner, make_tuner


class DivergedError(Exception):
    """A weight, a step-size or a TD error is no longer finite."""


class Agent:
    """Linear actor-critic over tile features (and noise features, where `drift` is given).

    V(s) = ⟨w_V|x⟩ and π(a|s) = softmax(⟨w_a|x⟩); `weights` is (1 + actions, features), row 0 is w_V.
    The tuner sees the weights as one flat vector.
    """

    def __init__(self, settings: Settings, tuner: Tuner, drift: Drift | None) -> None:
        self.settings = settings
        self.drift = drift
        self.visited = np.zeros(N_TILES, bool)
        self.tuner = tuner
        self.weights = np.zeros((1 + N_ACTIONS, settings.n_features))
        self.z = np.zeros(settings.n_weights)
        self.alpha: np.ndarray | float = settings.alpha

    def features(self, observation: np.ndarray) -> np.ndarray:
        """x: (features,), 1 where a tile is active (its sign where signs drift), else 0; noise last."""
        x = np.zeros(self.settings.n_features)
        tiles = active_tiles(observation, self.settings.readings["tile_width"])
        x[tiles] = 1
        if self.settings.has_bias:
            x[N_TILES] = 1
        if self.drift is not None:
            x[tiles] = self.drift.signs[tiles]
            x[-N_NOISE:] = self.drift.noise()
        return x

    def value(self, x: np.ndarray) -> float:
        """V(s) = ⟨w_V|x⟩."""
        return self.weights[0] @ x

    def policy(self, x: np.ndarray) -> np.ndarray:
        """π(·|s): (actions,), the softmax of ⟨w_a|x⟩."""
        logits = self.weights[1:] @ x
        odds = np.exp(logits - logits.max())
        return odds / odds.sum()

    def grad_V(self, x: np.ndarray) -> np.ndarray:
        """∂V/∂w: (weights,), x in the value's block."""
        gradient = np.zeros_like(self.weights)
        gradient[0] = x
        return gradient.ravel()

    def grad_U(self, x: np.ndarray, pi: np.ndarray, action: int) -> np.ndarray:
        """∂U/∂w, U = V + ½ log π(A|S): (weights,); ∂log π(A)/∂w_a = (1[a = A] − π(a)) x."""
        gradient = np.zeros_like(self.weights)
        gradient[0] = x
        grad_log_pi = (np.arange(N_ACTIONS) == action) - pi
        if self.settings.readings["log_policy"] == "plus_1e-8":
            grad_log_pi = grad_log_pi * (pi[action] / (pi[action] + 1e-8))
        gradient[1:] = 0.5 * np.outer(grad_log_pi, x)
        return gradient.ravel()

    def start_episode(self) -> None:
        self.z[:] = 0
        self.tuner.start_episode()

    def act(self, x: np.ndarray, uniform: float) -> tuple[int, np.ndarray]:
        """The action that a uniform number in [0, 1) picks from π(·|s), and π(·|s)."""
        pi = self.policy(x)
        if not np.isfinite(pi).all():
            raise DivergedError
        action = int(np.searchsorted(np.cumsum(pi), uniform, side="right"))
        return min(action, N_ACTIONS - 1), pi  # the sum of π may round to just below 1

    def learn(
        self,
        x: np.ndarray,
        pi: np.ndarray,
        action: int,
        reward: float,
        next_x: np.ndarray,
        terminal: bool,
    ) -> None:
        """One step of AC(λ): z ← γλz + ∂U; tune α; w ← w + α z δ. All gradients at the old weights."""
        gamma, lam = self.settings.gamma, self.settings.lam
        self.visited |= x[:N_TILES] != 0
        bootstrap = 0.0 if terminal else gamma  # V of a terminal state is 0, and so is its gradient
        delta = reward + (bootstrap * self.value(next_x) if bootstrap else 0.0) - self.value(x)
        grad_U = self.grad_U(x, pi, action)
        grad_delta = bootstrap * self.grad_V(next_x) - self.grad_V(x)
        if terminal and self.settings.readings["terminal_trace"] == "cut":
            self.z[:] = 0
        self.z = gamma * lam * self.z + grad_U
        previous_alpha = self.alpha
        self.alpha = self.tuner.update(grad_U=grad_U, grad_delta=grad_delta, delta=delta, z=self.z)
        if not (np.isfinite(delta) and np.isfinite(self.alpha).all() and np.isfinite(self.tuner.beta).all()):
            raise DivergedError
        tuned = self.settings.readings["weight_update"] == "tuned_step_size"
        alpha = self.alpha if tuned else previous_alpha
        self.weights += (alpha * self.z * delta).reshape(self.weights.shape)

    def mean_beta(self) -> np.ndarray:
        """The mean β of each of `settings.BETA_GROUPS`: (groups,). For mixed, β = β̂ + β_i."""
        beta = self.tuner.beta + getattr(self.tuner, "beta_hat", 0.0)
        beta = np.broadcast_to(beta, self.settings.n_weights).reshape(self.weights.shape)
        tiles, noise = beta[:, :N_TILES], beta[:, -N_NOISE:]
        visited = tiles[:, self.visited]
        groups = (tiles[0], noise[0], tiles[1:], noise[1:], visited[0], visited[1:])
        return np.array([group.mean() for group in groups])


def train(settings: Settings, progress: Callable[[int], None] = lambda episodes: None) -> Training:
    """Trains for `settings.episodes` episodes; `progress` is told of every finished one."""
    streams = random_streams(settings.seed)
    environment = gymnasium.make("MountainCar-v0", max_episode_steps=TIME_LIMIT)
    environment.unwrapped.np_random = streams.starts
    reading = settings.readings
    options: dict[str, Any] = {"normaliser": reading["nosid_normaliser"]} if settings.method == "nosid" else {}
    tuner = make_tuner(
        settings.method,
        settings.n_weights,
        alpha=settings.alpha,
        mu=settings.mu,
        gamma=settings.gamma,
        lam=settings.lam,
        h_lifetime=reading["h_lifetime"],
        overshoot_divisor=reading["overshoot_divisor"],
        **options,
    )
    drift = Drift(settings.drift, streams.flips, streams.noise) if settings.drifting else None
    agent = Agent(settings, tuner, drift)
    training = empty_training(settings)
    training.weights = agent.weights
    with np.errstate(all="ignore"):  # divergence is caught where it happens, not by warnings
        for episode in range(settings.episodes):
            agent.start_episode()
            observation, _ = environment.reset()
            x = agent.features(observation)
            episode_return, length, over = 0.0, 0, False
            try:
                while not over:
                    action, pi = agent.act(x, streams.policy.random())
                    observation, reward, reached, out_of_time, _ = environment.step(action)
                    episode_return += float(reward)
                    length += 1
                    training.steps += 1
                    if drift is not None:
                        drift.step()
                    over = reached or out_of_time
                    terminal = reached or (out_of_time and reading["time_limit"] == "terminal")
                    next_x = agent.features(observation)
                    agent.learn(x, pi, action, float(reward), next_x, terminal)
                    x = next_x
            except DivergedError:
                training.diverged_episode = episode
                if training.beta is not None and episode > 0:
                    training.beta[episode:] = training.beta[episode - 1]
                break
            training.returns[episode], training.lengths[episode] = episode_return, length
            if training.beta is not None:
                training.beta[episode] = agent.mean_beta()
            progress(1)
    environment.close()
    return training
