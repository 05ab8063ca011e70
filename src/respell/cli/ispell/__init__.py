"""`respell -a` and `respell -c FILE`: what programs ask of ispell or aspell."""

from collections.abc import Callable, Sequence

_PIPE = {"-a", "-A", "--ispell"}
_FIRST = (*_PIPE, "-l", "-v", "-vv", "-D", "dicts")
_FILE = {"-c", "--check", "-x", "--dont-backup"}
_QUESTIONS = 2  # words in `config KEY`


def wanted(arguments: Sequence[str], *, piped: Callable[[], bool]) -> bool:
    """Whether a command line is one of ispell or aspell that reads a pipe, or asks for a fact.

    `pipe`, `list`, `dicts` and `config KEY` are commands of aspell: Emacs runs them.
    """
    first = arguments[0] if arguments else ""
    if first in ("list", "pipe"):
        return arguments[1].startswith("-") if len(arguments) > 1 else piped()
    if first == "config":
        from respell.cli.ispell.options import CONFIG

        return len(arguments) == _QUESTIONS and arguments[1] in CONFIG
    return first in _FIRST or (first.startswith("-") and not _PIPE.isdisjoint(arguments))


def corrects_file(arguments: Sequence[str]) -> bool:
    """Whether a command line is one of ispell or aspell that asks about a file on the terminal."""
    first = arguments[0] if arguments else ""
    return first.startswith("-") and not _FILE.isdisjoint(arguments)
