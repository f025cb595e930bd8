"""The one error that a user can cause is one line, whatever it quotes."""

from hypothesis import given
from hypothesis import strategies as st

from metatrace.errors import UserError


@given(st.text())
def test_a_message_is_one_line_that_a_terminal_shows_as_it_is(text):
    shown = str(UserError(f"c.yaml: {text}: there is no such key"))
    assert len(shown.splitlines()) == 1 and shown.isprintable()


@given(st.text().filter(str.isprintable))
def test_a_printable_message_stays_as_it_is(text):
    assert str(UserError(text)) == text
