"""`respell -a` and `respell -c FILE`: what programs ask of ispell or aspell."""

from collections.abc import Callable, Sequence

_PIPE = {"-a", "-A", "--ispell", "-l"}
_FIRST = (*_PIPE, "-v", "-vv", "-D", "dicts")
_FILE = {"-c", "-x", "--dont-backup"}
_QUESTIONS = 2  # words in `config KEY`


def wanted(arguments: Sequence[str], *, piped: Callable[[], bool]) -> bool:
    """Whether a command line is one of ispell or aspell.

    `pipe`, `list`, `dicts` and `config KEY` are commands of aspell: Emacs runs them.
    """
    first = arguments[0] if arguments else ""
    if first in ("list", "pipe"):
        return arguments[1].startswith("-") if len(arguments) > 1 else piped()
    if first == "config":
        from respell.cli.ispell.options import CONFIG

        return len(arguments) == _QUESTIONS and arguments[1] in CONFIG
    options = _PIPE | _FILE
    return first in _FIRST or (first.startswith("-") and not options.isdisjoint(arguments))


def corrects_file(arguments: Sequence[str]) -> bool:
    """Whether a command line of ispell or aspell is one that asks about a file on the terminal."""
    given = {one for one in arguments if arguments[0].startswith("-")}
    return _PIPE.isdisjoint(given) and not _FILE.isdisjoint(given)
