"""The one error that a user can cause."""


class UserError(Exception):
    """Bad input: the message is one line that says what is wrong, where, and what would be right.

    The command line prints it without a traceback and ends with exit code 2. What the message quotes may
    hold line breaks and control characters; they are shown escaped.
    """

    def __init__(self, message: str) -> None:
        shown = (letter if letter.isprintable() else ascii(letter)[1:-1] for letter in message)
        super().__init__("".join(shown))
