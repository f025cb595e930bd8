"""Learns CartPole with mixed Metatrace: `python docs/examples/cartpole.py --method mixed --alpha 0.03`."""

import argparse

import gymnasium
import torch
from torch import nn

from metatrace.torch import ActorCritic


class Network(nn.Module):
    """One hidden layer for both; policy and value start at zero, so the first policy is uniform."""

    def __init__(self, observations: int, actions: int, hidden: int = 64) -> None:
        super().__init__()
        self.hidden = nn.Sequential(nn.Linear(observations, hidden), nn.Tanh())
        self.policy, self.value = nn.Linear(hidden, actions), nn.Linear(hidden, 1)
        for layer in (self.policy, self.value):
            nn.init.zeros_(layer.weight)
            nn.init.zeros_(layer.bias)

    def forward(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x = self.hidden(observation)
        return self.policy(x), self.value(x)


def learn(method: str, alpha: float, mu: float, episodes: int, seed: int) -> list[float]:
    """The return of each episode."""
    torch.manual_seed(seed)
    environment = gymnasium.wrappers.NormalizeObservation(gymnasium.make("CartPole-v1"))
    network = Network(environment.observation_space.shape[0], int(environment.action_space.n))
    learner = ActorCritic(network, method, alpha=alpha, mu=mu, gamma=0.99, lam=0.8, psi=0.01)
    returns = []
    for episode in range(episodes):
        observation, _ = environment.reset(seed=seed if episode == 0 else None)
        learner.start_episode()
        total, over = 0.0, False
        while not over:
            action = learner.act(observation)
            next_observation, reward, terminated, truncated, _ = environment.step(action)
            # A tenth of the reward: values of about 10 instead of 100 suit a network that starts at 0.
            learner.step(observation, action, float(reward) / 10, next_observation, terminated)
            observation, total, over = next_observation, total + float(reward), terminated or truncated
        returns.append(total)
        if (episode + 1) % 20 == 0:
            print(f"episode {episode + 1}: mean return of the last 20: {sum(returns[-20:]) / 20:.0f}", flush=True)
    return returns


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--method", default="mixed")
    parser.add_argument("--alpha", type=float, default=0.03)
    parser.add_argument("--mu", type=float, default=0.001)
    parser.add_argument("--episodes", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    learn(**vars(parser.parse_args()))
