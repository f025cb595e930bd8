"""Readings: every question has an answer, and no other answer is taken."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metatrace.domains import readings
from metatrace.domains.mountain_car.settings import Settings
from metatrace.domains.readings import Reading
from metatrace.domains.registry import ENVIRONMENTS, READINGS
from metatrace.errors import UserError

README = Path(__file__).parents[2] / "config" / "README.md"
ASKED = (
    Reading("R1", "colour", "Which colour?", ("red", "green"), "it is"),
    Reading("R2", "size", "How large?", ("small",), "it is"),
)


def test_the_default_is_the_first_answer():
    assert [reading.default for reading in ASKED] == ["red", "small"]
    assert readings.complete(ASKED, {}, "c") == {"colour": "red", "size": "small"}


def test_a_chosen_answer_stands_where_its_question_does():
    chosen = {"size": "small", "colour": "green"}
    assert list(readings.complete(ASKED, chosen, "c").items()) == [("colour", "green"), ("size", "small")]
    assert chosen == {"size": "small", "colour": "green"}


@pytest.mark.parametrize(
    "chosen, line",
    [
        ({"color": "red"}, "c.yaml: readings.color: there is no such reading; the readings are colour, size"),
        ({"colour": "blue"}, "c.yaml: readings.colour: 'blue' is no answer; it must be one of red, green"),
        ({"size": ""}, "c.yaml: readings.size: '' is no answer; it must be one of small"),
        (
            {"colour": "red\n"},
            "c.yaml: readings.colour: 'red\\n' is no answer; it must be one of red, green",
        ),
    ],
    ids=["another key", "another answer", "no answer", "a line break"],
)
def test_a_wrong_key_or_answer_is_named_with_what_would_be_right(chosen, line):
    with pytest.raises(UserError) as raised:
        readings.complete(ASKED, chosen, "c.yaml: readings")
    assert str(raised.value) == line


@given(data=st.data())
def test_every_combination_of_answers_is_kept_and_filled_up(data):
    of_environments = [environment.readings for environment in ENVIRONMENTS.values() if environment.readings]
    asked = data.draw(st.sampled_from([ASKED, *of_environments]))
    some = data.draw(st.lists(st.sampled_from(asked), unique=True))
    chosen = {reading.key: data.draw(st.sampled_from(reading.values)) for reading in some}
    answers = readings.complete(asked, chosen, "c")
    assert list(answers) == [reading.key for reading in asked]
    for reading in asked:
        assert answers[reading.key] == chosen.get(reading.key, reading.values[0])
    assert readings.complete(asked, answers, "c") == answers


@given(key=st.text(max_size=12), value=st.text(max_size=12))
def test_any_other_key_or_answer_is_refused_in_one_line(key, value):
    allowed = {reading.key: reading.values for reading in ASKED}
    try:
        answers = readings.complete(ASKED, {key: value}, "c")
    except UserError as error:
        assert value not in allowed.get(key, ()) and len(str(error).splitlines()) == 1
    else:
        assert answers[key] == value and value in allowed[key]


def test_every_mountain_car_has_its_questions():
    plain, drifting = (
        {reading.key for reading in ENVIRONMENTS[name].readings} for name in ("mountain_car", "drifting_mountain_car")
    )
    # SARSA(λ) does not run on drifting features.
    assert drifting - plain == {"drift_and_noise"} and plain - drifting == {"exploration"}
    # What training looks up where nothing is said.
    assert Settings("none", 0.1, 0.0, 0, 1).readings == readings.complete(
        ENVIRONMENTS["mountain_car"].asked("none"), {}, "readings"
    )


@pytest.mark.parametrize("reading", READINGS, ids=lambda reading: reading.key)
def test_a_question_is_whole(reading):
    assert reading.question.rstrip(".").strip() and reading.why
    assert len(set(reading.values)) == len(reading.values) >= 1
    # Each is an option of the command line: KEY=VALUE.
    assert "=" not in reading.key and all(value.isprintable() for value in reading.values)


@pytest.mark.parametrize("reading", READINGS, ids=lambda reading: reading.key)
def test_the_readme_lists_the_question_with_its_answers(reading):
    rows = [
        [cell.strip() for cell in line.replace(r"\|", "/").strip("|").split("|")]
        for line in README.read_text(encoding="utf-8").splitlines()
        if line.startswith(f"| {reading.id} | `{reading.key}` |")
    ]
    assert len(rows) == 1, f"config/README.md has {len(rows)} rows for {reading.id}, {reading.key}"
    _, _, _, answers, _ = rows[0]
    assert tuple(part for part in answers.split("`")[1::2]) == reading.values
