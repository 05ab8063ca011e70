"""Types of command-line arguments, with clear errors."""

from argparse import ArgumentTypeError


def share(text: str) -> float:
    """A number above 0 and below 1."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < 1:
        raise ArgumentTypeError(f"must be a number above 0 and below 1, not {text!r}")
    return number


def seed(text: str) -> int:
    """An integer that every random number generator accepts."""
    try:
        number = int(text)
    except ValueError:
        number = -1
    if not 0 <= number < 2**63:
        raise ArgumentTypeError(f"must be a whole number from 0 to 2**63 - 1, not {text!r}")
    return number
