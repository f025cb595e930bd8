"""The one error that a user can cause."""


class UserError(Exception):
    """Bad input: the message is one line that says what is wrong, where, and what would be right.

    The command line prints it without a traceback and ends with exit code 2.
    """
