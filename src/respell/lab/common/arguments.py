"""Types of command-line arguments; argparse reports values that do not fit."""


def share(text: str) -> float:
    """A number above 0 and below 1."""
    number = float(text)
    if not 0 < number < 1:
        raise ValueError
    return number


def seed(text: str) -> int:
    """An integer that every random number generator accepts."""
    number = int(text)
    if not 0 <= number < 2**63:
        raise ValueError
    return number
