"""Change nothing: the floor of every score, and the cost of asking a process."""


def correct(tokens: list[str]) -> list[str]:
    """The tokens as they are."""
    return tokens
