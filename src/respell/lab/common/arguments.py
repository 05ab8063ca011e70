"""Kinds of arguments that several commands take; argparse tells what is none of them."""


def share(text: str) -> float:
    """A number above 0 and below 1."""
    number = float(text)
    if not 0 < number < 1:
        raise ValueError
    return number


def seed(text: str) -> int:
    """A whole number that every generator of random numbers takes."""
    number = int(text)
    if not 0 <= number < 2**63:
        raise ValueError
    return number
