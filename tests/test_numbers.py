"""Number tokens: one number, one spelling."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from matplotlib import mathtext

from metatrace.errors import UserError
from metatrace.numbers import label, parse, print_token

positive = st.one_of(
    st.floats(min_value=0, exclude_min=True, allow_infinity=False),
    st.integers(-1074, 1023).map(lambda power: math.ldexp(1.0, power)),
    st.floats(1e-7, 2.0),
)
# Texts that look like numbers, so that many of them are.
spellings = st.one_of(
    st.from_regex(r"[+-]?[0-9]{0,4}\.?[0-9]{0,4}([eE][+-]?[0-9]{1,3})?", fullmatch=True),
    st.from_regex(r"2\^[+-]?[0-9]{1,5}", fullmatch=True),
    positive.map(repr),
    positive.map(print_token),
    st.text(max_size=8),
)


@given(positive)
@example(1.0)
@example(5e-324)
@example(1.7976931348623157e308)
@example(1e16)
@example(0.0001)
def test_a_printed_value_reads_back_as_itself(value):
    assert parse(print_token(value), "here") == value


@given(st.integers(-1074, 1023))
def test_a_power_of_two_is_printed_as_one(power):
    assert print_token(math.ldexp(1.0, power)) == ("1" if power == 0 else f"2^{power}")


@given(positive)
def test_a_token_holds_nothing_that_a_path_or_yaml_would_misread(value):
    assert set(print_token(value)) <= set("0123456789.e^-")


@pytest.mark.parametrize(
    "value, token",
    [
        (2**-10, "2^-10"),
        (0.001, "0.001"),
        (4e-6, "4e-6"),
        (1e-5, "1e-5"),
        (3.0, "3"),
        (2.0, "2^1"),
        (0.0, "0"),
    ],
)
def test_the_tokens_of_the_paper_are_spelled_as_in_the_contract(value, token):
    assert print_token(value) == token


@given(spellings)
def test_whatever_is_accepted_is_the_one_spelling(text):
    try:
        value = parse(text, "here", zero=True)
    except UserError as error:
        assert "\n" not in str(error) and str(error).startswith("here: ")
    else:
        assert text == print_token(value) and math.isfinite(value) and value >= 0


@given(spellings)
def test_what_python_reads_as_a_number_is_accepted_or_given_its_spelling(text):
    try:
        value = float(text.strip())
    except ValueError:
        return
    if not (math.isfinite(value) and value > 0 and text.isascii() and "_" not in text and text == text.strip()):
        return
    try:
        assert parse(text, "here") == value
    except UserError as error:
        assert repr(print_token(value)) in str(error)


@pytest.mark.parametrize(
    "spelling, right",
    [
        ("0.25", "2^-2"),
        ("1e-05", "1e-5"),
        ("1E-5", "1e-5"),
        ("+1", "1"),
        ("01", "1"),
        ("1.0", "1"),
        (".001", "0.001"),
        ("0.00001", "1e-5"),
        ("2^0", "1"),
        ("0.0010", "0.001"),
        ("-0", "0"),
        ("0.0", "0"),
    ],
)
def test_a_second_spelling_is_refused_with_the_first(spelling, right):
    with pytest.raises(UserError, match="every number has one spelling") as refusal:
        parse(spelling, "--alpha", zero=True)
    assert str(refusal.value).startswith("--alpha: ") and repr(right) in str(refusal.value)


@pytest.mark.parametrize(
    "text",
    [
        " 1",
        "1 ",
        "",
        "inf",
        "nan",
        "NaN",
        "-inf",
        "2^-08",
        "2^",
        "2**-3",
        "2^2.5",
        "0x1p3",
        "1_000",
        "١",
        "1e",
        "1\n",
    ],
)
def test_what_is_no_number_is_refused(text):
    with pytest.raises(UserError, match="is not a number; write it as"):
        parse(text, "--alpha")


@pytest.mark.parametrize("text", ["-1", "-0.001", "-1e-5", "0", "1e999", "1e-999"])
def test_what_no_step_size_can_be_is_refused(text):
    with pytest.raises(UserError, match="out of range; it must be a finite number above 0"):
        parse(text, "--alpha")


@pytest.mark.parametrize("text", ["2^1024", "2^99999999999999999999", "2^-2000"])
def test_a_power_beyond_what_a_float_holds_is_refused(text):
    with pytest.raises(UserError, match=r"^--alpha: "):
        parse(text, "--alpha")


@pytest.mark.parametrize("value", [1e-5, 0.001, 1, 0, True, None, ["2^-3"], {"2": 3}])
def test_what_is_no_text_is_refused_and_told_to_be_quoted(value):
    with pytest.raises(UserError, match="is not a number token; quote it") as refusal:
        parse(value, "config.yaml: alpha[0]")
    assert str(refusal.value).startswith("config.yaml: alpha[0]: ")


def test_zero_is_a_setting_only_where_it_is_said_to_be_one():
    assert parse("0", "--drift", zero=True) == 0
    with pytest.raises(UserError, match="above 0"):
        parse("0", "--alpha", zero=False)


@pytest.mark.parametrize("value", [-1.0, math.inf, -math.inf, math.nan])
def test_a_value_without_token_is_not_printed(value):
    with pytest.raises(ValueError, match="no token"):
        print_token(value)


@pytest.mark.parametrize(
    "token, text",
    [
        ("2^-10", "2^{-10}"),
        ("2^3", "2^{3}"),
        ("0.001", "0.001"),
        ("1e-5", "10^{-5}"),
        ("4e-6", r"4\times 10^{-6}"),
        ("0", "0"),
    ],
)
def test_a_label_is_the_number_in_mathtext(token, text):
    assert label(token) == text


@given(positive)
def test_every_label_is_mathtext_that_matplotlib_reads(value):
    mathtext.MathTextParser("path").parse(f"${label(print_token(value))}$")
