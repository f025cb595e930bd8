"""A training script in the manner of CleanRL, with `ActorCritic` where the optimizer was.

`python docs/examples/cleanrl_style.py --env-id Acrobot-v1`
"""

import argparse
import random
import time

import gymnasium as gym
import numpy as np
import torch
from torch import nn

from metatrace.torch import ActorCritic


def parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--env-id", default="CartPole-v1")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--total-timesteps", type=int, default=50_000)
    parser.add_argument("--learning-rate", type=float, default=0.03, help="where tuning starts")
    parser.add_argument("--meta-learning-rate", type=float, default=0.001)
    parser.add_argument("--gamma", type=float, default=0.99)
    parser.add_argument("--trace-lambda", type=float, default=0.8)
    parser.add_argument("--ent-coef", type=float, default=0.01)
    return parser.parse_args()


class Agent(nn.Module):
    def __init__(self, envs: gym.Env) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(int(np.prod(envs.observation_space.shape)), 64), nn.Tanh())
        self.actor, self.critic = nn.Linear(64, int(envs.action_space.n)), nn.Linear(64, 1)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        hidden = self.body(x)
        return self.actor(hidden), self.critic(hidden)


if __name__ == "__main__":
    args = parse_args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    env = gym.wrappers.RecordEpisodeStatistics(gym.make(args.env_id))
    env = gym.wrappers.NormalizeReward(gym.wrappers.NormalizeObservation(env), gamma=args.gamma)
    agent = Agent(env)
    # In place of `optimizer = optim.Adam(agent.parameters(), lr=args.learning_rate)`
    learner = ActorCritic(
        agent,
        "mixed",
        alpha=args.learning_rate,
        mu=args.meta_learning_rate,
        gamma=args.gamma,
        lam=args.trace_lambda,
        psi=args.ent_coef,
    )
    start = time.monotonic()
    obs, _ = env.reset(seed=args.seed)
    learner.start_episode()
    for global_step in range(1, args.total_timesteps + 1):
        action = learner.act(obs)
        next_obs, reward, terminated, truncated, info = env.step(action)
        # In place of the loss, `loss.backward()` and `optimizer.step()`
        learner.step(obs, action, float(reward), next_obs, terminated)
        obs = next_obs
        if terminated or truncated:
            sps = int(global_step / (time.monotonic() - start))
            print(
                f"global_step={global_step}, episodic_return={float(info['episode']['r']):.0f}, SPS={sps}", flush=True
            )
            obs, _ = env.reset()
            learner.start_episode()
