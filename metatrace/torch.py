"""AC(λ) with any method of this package, on a torch network of one's own.

    from metatrace.torch import ActorCritic
    learner = ActorCritic(network, method="mixed", alpha=2**-9, mu=0.001)
    learner.start_episode()
    action = learner.act(observation)
    learner.step(observation, action, reward, next_observation, terminated)

It needs numpy and torch, and nothing else of the package's dependencies.
"""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import log_softmax

from metatrace.networks.plain import entropy
from metatrace.tuning import make_tuner


class ActorCritic:
    """Actor-critic with eligibility traces and entropy regularization: the paper's section 3, on a module's parameters.

        δ = R + γV(S_{t+1}) − V(S_t);   z ← γλz + ∂U/∂w, U = V + ½ log π;   w ← w + Δw, of the method's tuner

    Without tuning Δw = α (zδ + ψ ∂H/∂w). All gradients of a step are at the weights before it. V(S_{t+1}) counts as 0
    if S_{t+1} is terminal. It takes the place of an optimizer: it owns the trace and the change of the weights.

    Args:
      module: from one observation to (logits, value): one logit for each action, (actions,) or (1, actions), and V, a
        tensor of one number. Its parameters share one dtype, float32 or float64, and one device; those that do
        not require gradients stay as they are.
      method: a key of `metatrace.tuning.METHODS` for AC(λ), such as none, scalar, vector, mixed, adam, obgd.
      alpha: α₀ > 0, the initial step-size. mu: μ ≥ 0, the meta-step-size, if the method has one.
      gamma, lam: γ and λ, each in [0, 1]. psi: ψ ≥ 0, the weight of the entropy.
      options: further arguments of `metatrace.tuning.make_tuner`: `hyper` and readings.

    Attributes:
      tuner: the method's own state, for example `tuner.beta`, log α.
      z: (n,), the eligibility trace, in the order of `module.parameters()`.

    Raises:
      ValueError: the module has no parameters to learn, they differ in dtype or device, or a setting is out of range.
    """

    def __init__(
        self,
        module: nn.Module,
        method: str = "mixed",
        *,
        alpha: float,
        mu: float = 0.001,
        gamma: float = 0.99,
        lam: float = 0.8,
        psi: float = 0.01,
        **options: Any,
    ) -> None:
        self.module, self.method, self.gamma = module, method, gamma
        self._parameters = [parameter for parameter in module.parameters() if parameter.requires_grad]
        kinds = {(parameter.dtype, parameter.device) for parameter in self._parameters}
        if len(kinds) != 1 or next(iter(kinds))[0] not in (torch.float32, torch.float64):
            found = (
                ", ".join(sorted(f"{dtype} on {device}" for dtype, device in kinds)) or "none that require gradients"
            )
            raise ValueError(f"the module's parameters are {found}; all must be float32 or all float64, on one device")
        self._sizes = [parameter.numel() for parameter in self._parameters]
        self.z = self._parameters[0].new_zeros(sum(self._sizes))
        self.tuner = make_tuner(method, len(self.z), alpha=alpha, mu=mu, gamma=gamma, lam=lam, psi=psi, **options)
        self.tuner.adopt(self.z)

    def start_episode(self) -> None:
        """Begins an episode: forgets the trace, and what the method keeps for one episode."""
        self.z.zero_()
        self.tuner.start_episode()

    @torch.no_grad()
    def act(self, observation: Any, generator: torch.Generator | None = None) -> int:
        """An action drawn from π(·|observation).

        Args:
          observation: what the module takes, or anything of which `torch.as_tensor` makes that.
          generator: the random numbers, on the CPU; torch's own if None.

        Raises:
          FloatingPointError: learning has diverged.
        """
        log_pi, _ = self._look(observation)
        if not log_pi.isfinite().all():
            raise FloatingPointError(
                "the policy is no longer finite: learning diverged; a smaller alpha or mu may help"
            )
        return int(torch.multinomial(log_pi.exp().cpu(), 1, generator=generator))

    def step(self, observation: Any, action: int, reward: float, next_observation: Any, terminated: bool) -> float:
        """One step of learning; returns δ, the TD error.

        Args:
          terminated: whether `next_observation` is a terminal state, whose value is 0. It is False where only a time
            limit ended the episode; call `start_episode` in either case.
        """
        log_pi, value = self._look(observation)
        delta = reward - value
        if not terminated:
            delta = delta + self.gamma * self._look(next_observation)[1]
        wanted = {"grad_U": value + 0.5 * log_pi[action], "grad_H": entropy(log_pi)}
        if self.tuner.uses_grad_delta:
            wanted["grad_delta"] = delta
        gradients = {name: self._gradient(scalar) for name, scalar in wanted.items()}
        with torch.no_grad():
            self.z.mul_(self.tuner.gamma_lambda).add_(gradients["grad_U"])
            step = {"grad_delta": gradients["grad_U"], **gradients}  # those that do not use ∂δ/∂w take anything
            changes = self.tuner.step(**step, delta=delta.detach(), z=self.z).split(self._sizes)
            for parameter, change in zip(self._parameters, changes, strict=True):
                parameter.add_(change.view_as(parameter))
        return delta.item()

    def state_dict(self) -> dict[str, Any]:
        """What learning has left besides the module's weights: plain tensors, which `torch.save` and `torch.load` take.

        Save `module.state_dict()` as well.
        """
        kept = {name: value.clone() for name, value in vars(self.tuner).items() if isinstance(value, Tensor)}
        return {"method": self.method, "z": self.z.clone(), "tuner": kept}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Goes on from `state_dict`.

        Raises:
          ValueError: it is of another method, or of a module of another size.
        """
        if state["method"] != self.method:
            raise ValueError(f"the state is that of method {state['method']}; this learner's method is {self.method}")
        if state["z"].shape != self.z.shape:
            raise ValueError(f"the state is that of {len(state['z'])} weights; the module has {len(self.z)}")
        self.z.copy_(state["z"])
        for name, value in state["tuner"].items():
            setattr(self.tuner, name, value.to(self.z, copy=True))

    def _look(self, observation: Any) -> tuple[Tensor, Tensor]:
        """log π(·|observation), (actions,), and V, ()."""
        if not isinstance(observation, Tensor):
            observation = torch.as_tensor(observation, dtype=self.z.dtype)
        logits, value = self.module(observation.to(self.z.device))
        return log_softmax(logits.flatten(), 0), value.squeeze()

    def _gradient(self, scalar: Tensor) -> Tensor:
        """∂/∂w, (n,); 0 for a parameter that plays no part."""
        parts = torch.autograd.grad(
            scalar, self._parameters, retain_graph=True, allow_unused=True, materialize_grads=True
        )
        return torch.cat([part.flatten() for part in parts])
