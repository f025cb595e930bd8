"""What holds for every tuner on any stream of gradients."""

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metatrace import methods as registry
from metatrace.tuning import METHODS, TUNED_METHODS, StepSizeTuner, make_tuner
from metatrace.tuning.factory import tuner_class

# Those that make a step by a step-size of their own (`update`), and of these the ones that tune it by h.
STEP_SIZES = tuple(method for method in METHODS if issubclass(tuner_class(method), StepSizeTuner))
TUNED = tuple(method for method in STEP_SIZES if method in TUNED_METHODS)
# The paper's, and those that it tunes actor-critics by: the others know no entropy.
OF_ACTOR_CRITICS = tuple(method for method in TUNED if "mountain_car" in registry.METHODS[method].domains)
NORMALIZED = ("scalar", "vector", "mixed")
_, OVERSHOOT_DIVISORS = StepSizeTuner.readings["overshoot_divisor"]
N = 6
GAMMA, LAM, PSI = 0.99, 0.8, 0.01


def stream(rng, steps, *, scale=1.0):
    """A linear agent's gradients: binary features, a random walk between them, traces as AC(λ) has them."""
    z = np.zeros(N)
    x = rng.integers(0, 2, N).astype(float)
    for _ in range(steps):
        following = rng.integers(0, 2, N).astype(float)
        grad_U = scale * x * rng.uniform(0.5, 1.5, N)
        z = GAMMA * LAM * z + grad_U
        yield {
            "grad_U": grad_U,
            "grad_H": rng.normal(size=N) * x,
            "grad_delta": scale * (GAMMA * following - x),
            "z": z,
        }
        x = following


seeds = st.integers(0, 2**32 - 1)
log2 = st.integers(-13, -3)


@given(method=st.sampled_from((*NORMALIZED, "nosid", "none")), seed=seeds, alpha=log2, mu=st.integers(-11, -4))
@settings(deadline=None)
def test_a_constant_reward_leaves_nothing_non_finite(method, seed, alpha, mu):
    """The agent sees reward −1 for ever: V falls towards −100 and nothing may blow up on the way."""
    rng = np.random.default_rng(seed)
    if method == "nosid":  # it becomes unstable near 2^-8, as the paper reports
        mu -= 6
    tuner = make_tuner(method, N, alpha=2.0**alpha, mu=2.0**mu, gamma=GAMMA, lam=LAM, psi=0.0)
    tuner.start_episode()
    w = np.zeros(N)
    for gradients in stream(rng, 300):
        delta = -1 + gradients["grad_delta"] @ w
        step_size = tuner.update(delta=delta, **gradients)
        w = w + step_size * gradients["z"] * delta
        assert np.isfinite(delta) and np.isfinite(w).all()
        assert np.isfinite(step_size).all() and np.isfinite(tuner.beta).all() and np.isfinite(tuner.h).all()


@given(method=st.sampled_from(METHODS), seed=seeds)
def test_no_weight_changes_where_there_is_no_error(method, seed):
    tuner = make_tuner(method, N, alpha=2**-8, mu=2**-8, gamma=GAMMA, lam=LAM)
    for gradients in stream(np.random.default_rng(seed), 20):
        assert not np.any(tuner.step(delta=0.0, **gradients))


@given(method=st.sampled_from(TUNED), seed=seeds)
def test_nothing_is_tuned_where_there_is_no_error(method, seed):
    rng = np.random.default_rng(seed)
    tuner = make_tuner(method, N, alpha=2**-8, mu=2**-8, gamma=GAMMA, lam=LAM)
    for gradients in stream(rng, 20):
        step_size = tuner.update(delta=0.0, **gradients)
        np.testing.assert_allclose(step_size, 2**-8, rtol=1e-14)
        assert not np.any(tuner.h)


@given(
    method=st.sampled_from(NORMALIZED),
    seed=seeds,
    alpha=st.integers(-8, 4),
    scale=st.floats(0.01, 100),
    delta=st.floats(-100, 100),
)
def test_no_step_overshoots_by_its_own_gradient(method, seed, alpha, scale, delta):
    """⟨α|(∂U/∂w)²⟩ ≤ 1 after M, whatever went before (paper, "Normalization")."""
    rng = np.random.default_rng(seed)
    tuner = make_tuner(method, N, alpha=2.0**alpha, mu=2**-4, gamma=GAMMA, lam=LAM, psi=PSI)
    tuner.start_episode()
    for gradients in stream(rng, 30, scale=scale):
        step_size = tuner.update(delta=delta, **gradients)
        assert np.sum(step_size * gradients["grad_U"] ** 2) <= 1 + 1e-12


def step_sizes(method, seed, steps=30, **settings):
    """The step-sizes of a stream with noisy errors, (steps, N)."""
    rng = np.random.default_rng(seed)
    tuner = make_tuner(method, N, **{"mu": 2**-4, "gamma": GAMMA, "lam": LAM, "psi": PSI} | settings)
    tuner.start_episode()
    return np.array(
        [np.broadcast_to(tuner.update(delta=rng.normal(), **gradients), N) for gradients in stream(rng, steps)]
    )


@pytest.mark.parametrize("method", NORMALIZED)
@pytest.mark.parametrize(
    ("divisor", "second"),
    [
        ("decaying_maximum", 2 / 12 / (12 * GAMMA * LAM)),  # u still remembers the 12
        ("present_step", 2 / 12),
        ("absent", 2),
    ],
)
def test_what_an_overshoot_does_to_this_step_and_to_the_next(method, divisor, second):
    """α = 2 and six gradients of 1: an effective step-size of 12. Then a step without gradient or error."""
    tuner = make_tuner(method, N, alpha=2.0, mu=2**-4, gamma=GAMMA, lam=LAM, overshoot_divisor=divisor)
    tuner.start_episode()
    ones, zeros = np.ones(N), np.zeros(N)
    first = tuner.update(grad_U=ones, grad_delta=-ones, delta=0.0, z=ones)
    np.testing.assert_allclose(first, 2 if divisor == "absent" else 2 / 12, rtol=1e-12)
    after = tuner.update(grad_U=zeros, grad_delta=zeros, delta=0.0, z=GAMMA * LAM * ones)
    np.testing.assert_allclose(after, second, rtol=1e-12)


@given(method=st.sampled_from(NORMALIZED), seed=seeds, alpha=st.integers(-6, 3), scale=st.floats(0.1, 10))
def test_present_step_divides_by_what_this_step_alone_overshoots(method, seed, alpha, scale):
    """M = max(⟨α|(∂U/∂w)²⟩, 1), α as it is before the division."""
    rng = np.random.default_rng(seed)
    tuner = make_tuner(
        method,
        N,
        alpha=2.0**alpha,
        mu=2**-4,
        gamma=GAMMA,
        lam=LAM,
        psi=PSI,
        overshoot_divisor="present_step",
    )
    tuner.start_episode()
    for gradients in stream(rng, 15, scale=scale):
        undivided = copy.deepcopy(tuner)
        undivided.divides_overshoot = False
        delta = rng.normal()
        before = undivided.update(delta=delta, **gradients)
        M = max(np.sum(before * gradients["grad_U"] ** 2), 1)
        after = tuner.update(delta=delta, **gradients)
        np.testing.assert_allclose(after, before / M, rtol=1e-10)
        assert np.sum(after * gradients["grad_U"] ** 2) <= 1 + 1e-12


@given(method=st.sampled_from(NORMALIZED), seed=seeds, alpha=st.integers(0, 3))
def test_the_default_divisor_is_the_decaying_maximum_and_no_other(method, seed, alpha):
    made = {
        divisor: step_sizes(method, seed, alpha=2.0**alpha, overshoot_divisor=divisor) for divisor in OVERSHOOT_DIVISORS
    }
    np.testing.assert_array_equal(step_sizes(method, seed, alpha=2.0**alpha), made["decaying_maximum"])
    assert not np.array_equal(made["decaying_maximum"], made["present_step"])
    assert not np.array_equal(made["decaying_maximum"], made["absent"])
    assert not np.array_equal(made["present_step"], made["absent"])


@given(method=st.sampled_from(NORMALIZED), seed=seeds)
def test_where_nothing_overshoots_the_divisors_agree(method, seed):
    # ⟨α|(∂U/∂w)²⟩ ≤ 6 · 1.5² · α = 0.0016, and β moves by at most a few μ in 30 steps.
    made = [
        step_sizes(method, seed, alpha=2**-13, mu=2**-9, overshoot_divisor=divisor) for divisor in OVERSHOOT_DIVISORS
    ]
    np.testing.assert_array_equal(made[0], made[1])
    np.testing.assert_array_equal(made[0], made[2])


@pytest.mark.parametrize("method", sorted(set(STEP_SIZES) - set(NORMALIZED)))
def test_a_method_without_that_divisor_takes_the_reading_and_ignores_it(method):
    made = [step_sizes(method, 0, alpha=0.1, mu=2**-8, overshoot_divisor=divisor) for divisor in OVERSHOOT_DIVISORS]
    assert np.isfinite(made[0]).all()
    np.testing.assert_array_equal(made[0], made[1])
    np.testing.assert_array_equal(made[0], made[2])


@given(method=st.sampled_from(STEP_SIZES), seed=seeds)
def test_an_episode_start_resets_its_own_and_keeps_the_rest(method, seed):
    rng = np.random.default_rng(seed)
    tuner = make_tuner(method, N, alpha=2**-4, mu=2**-6, gamma=GAMMA, lam=LAM, psi=PSI)
    for gradients in stream(rng, 30):
        tuner.update(delta=rng.normal(), **gradients)
    kept = {
        name: np.copy(getattr(tuner, name))
        for name in ("beta", "h", "v", "beta_hat", "h_hat", "v_hat")
        if hasattr(tuner, name)
    }
    assert method not in TUNED or np.any(kept["h"])
    tuner.start_episode()
    for name, value in kept.items():
        np.testing.assert_array_equal(getattr(tuner, name), value, err_msg=name)
    for name in ("z_beta", "z_beta_hat", "u"):
        assert not np.any(getattr(tuner, name, 0)), name


@pytest.mark.parametrize("kind", ["numpy", "torch float64", "torch float32"])
@pytest.mark.parametrize("weight_update", ["tuned_step_size", "previous_step_size"])
@given(method=st.sampled_from(STEP_SIZES), seed=seeds, entropy=st.booleans(), alpha=st.integers(-8, -3))
@settings(deadline=None)
def test_a_step_is_the_step_size_times_the_gradients(kind, weight_update, method, seed, entropy, alpha):
    """Δw = α (z δ + ψ ∂H/∂w), of the array kind that came in; by the reading, α from before the update."""

    def convert(value):
        if kind == "numpy":
            return value
        torch = pytest.importorskip("torch")
        return torch.tensor(value, dtype=getattr(torch, kind.removeprefix("torch ")))

    rng = np.random.default_rng(seed)
    chosen = {"alpha": 2.0**alpha, "mu": 2**-6, "gamma": GAMMA, "lam": LAM, "psi": PSI}
    stepping = make_tuner(method, N, **chosen, weight_update=weight_update)
    tuning = make_tuner(method, N, **chosen)
    step_size = 2.0**alpha
    for gradients in stream(rng, 10):
        given = {name: convert(value) for name, value in gradients.items() if entropy or name != "grad_H"}
        given["delta"] = convert(rng.normal())
        change = stepping.step(**given)
        previous, step_size = step_size, tuning.update(**given)
        used = step_size if weight_update == "tuned_step_size" else previous
        z, delta = given["z"], given["delta"]
        expected = used * (z * delta + PSI * given["grad_H"]) if entropy else used * z * delta
        assert type(change) is type(z) and change.dtype == z.dtype and change.shape == (N,)
        np.testing.assert_array_equal(np.asarray(change), np.asarray(expected))
        np.testing.assert_array_equal(np.asarray(stepping.beta), np.asarray(tuning.beta))


@pytest.mark.parametrize("method", STEP_SIZES)
def test_log_step_sizes_are_those_of_the_last_update(method):
    tuner = make_tuner(method, N, alpha=2**-4, mu=2**-6)
    rng = np.random.default_rng(0)
    for gradients in stream(rng, 10):
        step_size = tuner.update(delta=rng.normal(), **gradients)
        np.testing.assert_allclose(np.exp(tuner.log_step_sizes()), step_size, rtol=1e-14)
        assert tuner.is_finite()
    tuner.beta = tuner.beta * np.inf
    assert not tuner.is_finite()


@pytest.mark.parametrize("method", TUNED)
def test_h_can_be_made_to_live_for_one_episode(method):
    tuner = make_tuner(method, N, alpha=2**-4, mu=2**-6, h_lifetime="episode")
    for gradients in stream(np.random.default_rng(0), 10):
        tuner.update(delta=1.0, **gradients)
    assert np.any(tuner.h)
    tuner.start_episode()
    assert not np.any(tuner.h) and not np.any(getattr(tuner, "h_hat", 0))


@given(seed=seeds)
def test_scalar_h_feels_the_whole_dot_product(seed):
    """h + αz(δ + ⟨∂δ|h⟩): two equal weights, one silent in δ, must still move alike."""
    rng = np.random.default_rng(seed)
    tuner = make_tuner("scalar-unnormalized", 2, alpha=0.1, mu=0.0, gamma=GAMMA, lam=LAM)
    z = np.ones(2)
    for _ in range(5):
        tuner.update(grad_U=z, grad_delta=np.array([rng.normal(), 0.0]), delta=rng.normal(), z=z)
        assert tuner.h[0] == tuner.h[1]


@given(method=st.sampled_from(OF_ACTOR_CRITICS), seed=seeds, psi=st.floats(0.001, 1))
def test_the_entropy_term_enters_beta_and_h(method, seed, psi):
    results = []
    for grad_H in (None, "given"):
        rng = np.random.default_rng(seed)
        tuner = make_tuner(method, N, alpha=2**-4, mu=2**-6, psi=psi)
        for gradients in stream(rng, 5):
            tuner.update(delta=1.0, **{**gradients, "grad_H": gradients["grad_H"] if grad_H else None})
        results.append(tuner.h)
    assert not np.array_equal(*results)


@given(
    normaliser=st.sampled_from(["td_error", "trace_product", "meta_gradient"]),
    seed=seeds,
    alpha=st.integers(-8, 4),
)
def test_nosid_never_lets_an_update_turn_delta_round(normaliser, seed, alpha):
    rng = np.random.default_rng(seed)
    tuner = make_tuner("nosid", N, alpha=2.0**alpha, mu=2**-6, normaliser=normaliser)
    for gradients in stream(rng, 30):
        step_size = tuner.update(delta=rng.normal(), **gradients)
        assert step_size * (gradients["z"] @ gradients["grad_delta"]) >= -1 - 1e-12


def test_the_three_normalisers_of_nosid_differ():
    betas = []
    for normaliser in ("td_error", "trace_product", "meta_gradient"):
        tuner = make_tuner("nosid", N, alpha=2**-6, mu=2**-4, normaliser=normaliser)
        rng = np.random.default_rng(0)
        for gradients in stream(rng, 20):
            tuner.update(delta=3 * rng.normal(), **gradients)
        betas.append(float(tuner.beta))
    assert len(set(betas)) == 3


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"method": "adamant"}, "unknown tuning method 'adamant'; it must be one of none, scalar"),
        ({"mu": None}, "needs mu"),
        ({"alpha": 0.0}, "alpha is 0.0"),
        ({"alpha": float("nan")}, "alpha is nan"),
        ({"mu": -1.0}, "mu is -1.0"),
        ({"gamma": 1.5}, "gamma is 1.5; it must be finite and from 0 to 1"),
        ({"lam": float("inf")}, "lam is inf"),
        ({"n_weights": 0}, "n_weights is 0"),
        ({"h_lifetime": "day"}, "h_lifetime is 'day'; it must be one of run, episode"),
        ({"method": "nosid", "normaliser": "max"}, "normaliser is 'max'"),
        ({"normaliser": "td_error"}, "normaliser: method scalar has no such reading; its readings are h_lifetime, "),
        ({"weight_update": "both"}, "weight_update is 'both'; it must be one of tuned_step_size, previous_step_size"),
        ({"hyper": {"tau": 3}}, "hyper.tau: method scalar has no such hyper-parameter; it has none"),
        (
            {"overshoot_divisor": "sometimes"},
            "overshoot_divisor is 'sometimes'; it must be one of decaying_maximum, present_step, absent",
        ),
    ],
)
def test_a_wrong_setting_is_named(change, words):
    arguments = {"method": "scalar", "n_weights": 3, "alpha": 0.1, "mu": 0.1, **change}
    with pytest.raises(ValueError, match=words):
        make_tuner(arguments.pop("method"), arguments.pop("n_weights"), **arguments)
