"""The tracking tasks: what their sources describe, and the compiled learner against the plain one."""

import numpy as np
import pytest

from metatrace.compiled.regression_layout import TRACKING
from metatrace.domains.protocol import Request
from metatrace.domains.readings import complete
from metatrace.domains.registry import ENVIRONMENTS
from metatrace.domains.tracking.domain import DOMAIN
from metatrace.domains.tracking.task import TASKS, TWENTY, TWO, Examples
from metatrace.methods import METHODS, complete_hyper
from metatrace.runs.key import RunKey


def run(method, length=2500, *, environment="tracking", alpha="0.05", mu="0.01", seed=0, kernel=None, **readings):
    key = RunKey(environment, method, alpha, mu if METHODS[method].has_mu else "0", "0", seed)
    answers = complete(ENVIRONMENTS[environment].readings, readings, "readings")
    request = Request(key, length, answers, complete_hyper(method, {}, "hyper"), kernel=kernel)
    return DOMAIN.train(request, lambda more, *, before=False: None)


@pytest.fixture(scope="module")
def kernel(kernel_files):
    return kernel_files("tracking_kernel")


def weights(examples, count):
    """The target's weights at each example, by least squares over the examples between two flips."""
    x, y = examples.draw(count)
    size = x.shape[1]
    parts = [np.linalg.lstsq(x[first : first + size], y[first : first + size])[0] for first in range(0, count, 20)]
    return np.round(parts, 6)


def test_one_of_five_signs_flips_every_twenty_examples():
    found = weights(Examples(TWENTY, 3), 2000)
    assert set(np.unique(found)) == {-1.0, 0.0, 1.0} and not found[:, 5:].any() and found[:, :5].all()
    changed = (found[1:] != found[:-1]).sum(axis=1)
    assert (changed == 1).all()
    assert all((found[1:, i] != found[:-1, i]).any() for i in range(5))


def test_with_two_inputs_one_sign_flips_with_a_chance_of_a_half():
    found = weights(Examples(TWO, 3), 20_000)
    assert (found[:, 1] == 1).all() and set(found[:, 0]) == {-1.0, 1.0}
    assert 0.45 < (found[1:, 0] != found[:-1, 0]).mean() < 0.55


def test_the_scale_multiplies_targets_and_changes_no_input():
    (x, y), (x_10, y_10) = (Examples(TWENTY, 0, scale=scale).draw(100) for scale in (1.0, 10.0))
    np.testing.assert_array_equal(x, x_10)
    np.testing.assert_allclose(10 * y, y_10, rtol=1e-12)


def test_hidden_inputs_are_zero_and_targets_the_same():
    (x, y), (hidden, y_hidden) = (Examples(TWENTY, 0, hidden=hidden).draw(100) for hidden in (False, True))
    np.testing.assert_array_equal(hidden[:, :5], x[:, :5])
    np.testing.assert_array_equal(y, y_hidden)
    assert not hidden[:, 5:].any()


def test_examples_do_not_depend_on_how_they_are_drawn():
    whole, parts = Examples(TWENTY, 1), Examples(TWENTY, 1)
    x, y = whole.draw(300)
    drawn = [parts.draw(count) for count in (7, 13, 20, 60, 200)]
    np.testing.assert_array_equal(x, np.concatenate([part[0] for part in drawn]))
    np.testing.assert_array_equal(y, np.concatenate([part[1] for part in drawn]))


@pytest.mark.parametrize("environment", TASKS)
@pytest.mark.parametrize("method", TRACKING)
def test_the_compiled_learner_learns_what_the_plain_one_does(method, environment, kernel):
    plain, fast = (run(method, environment=environment, kernel=file, seed=5) for file in (None, kernel))
    for name in ("losses", "step_sizes", "beta"):
        np.testing.assert_allclose(getattr(fast, name), getattr(plain, name), rtol=1e-9, atol=1e-12)
    assert (plain.meta["agent"], fast.meta["agent"]) == ("plain", "compiled")
    assert len(plain.losses) == 3 and plain.meta["block"] == 1000 and plain.meta["examples"] == 2500


def test_a_learner_that_diverges_predicts_zero_from_then_on(kernel):
    diverged = [run("none", 4000, alpha="1", kernel=file) for file in (None, kernel)]
    targets = Examples(TWENTY, 0).draw(4000)[1]
    for made in diverged:
        assert made.diverged_episode == 0 and np.isnan(made.step_sizes).all()
        np.testing.assert_allclose(made.losses, (targets**2).reshape(4, 1000).mean(axis=1), rtol=1e-12)


def test_idbd_does_what_sutton_reports(kernel):
    """In a twelfth of his examples: an error near 1.5, and step-sizes that tell the relevant inputs."""
    idbd, lms = run("idbd", 20_000, kernel=kernel), run("none", 20_000, alpha="0.03", kernel=kernel)
    assert idbd.losses[-10:].mean() < 1.8 < 3.0 < lms.losses[-10:].mean() < 4.0
    assert idbd.step_sizes[:5].min() > 0.08 and idbd.step_sizes[5:].max() < 0.02
    assert idbd.meta["step_size_groups"] == {"relevant": [0, 5], "irrelevant": [5, 20]}
