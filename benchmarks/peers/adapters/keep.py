"""Change nothing: the baseline of all scores, and the overhead of the protocol."""


def correct(tokens: list[str]) -> list[str]:
    """Return the tokens unchanged."""
    return tokens
