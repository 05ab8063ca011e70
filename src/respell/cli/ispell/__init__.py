"""`respell -a`: answer the programs that talk to ispell or aspell."""

from collections.abc import Callable, Sequence

_FIRST = ("-a", "-A", "--ispell", "-l", "-v", "-vv", "-D", "dicts")
_QUESTIONS = 2  # words in `config KEY`


def wanted(arguments: Sequence[str], *, piped: Callable[[], bool]) -> bool:
    """Whether a command line is one of ispell or aspell.

    `list`, `dicts` and `config KEY` are commands of aspell: Emacs runs them.
    """
    first = arguments[0] if arguments else ""
    if first == "list":
        return arguments[1].startswith("-") if len(arguments) > 1 else piped()
    if first == "config":
        from respell.cli.ispell.options import CONFIG

        return len(arguments) == _QUESTIONS and arguments[1] in CONFIG
    return first in _FIRST or (
        first.startswith("-") and not {"-a", "-A", "--ispell"}.isdisjoint(arguments)
    )
