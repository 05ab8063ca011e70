"""The manual page, made from the parser."""

import argparse
from collections.abc import Iterator

from respell.cli.args import Parser

_END = """\
.SH EXIT STATUS
.TP
0
Nothing was found, or everything was done.
.TP
1
check found misspellings, or fix \\-\\-diff shows differences.
.TP
2
There was an error. It is described on stderr.
.SH FILES
respell.toml, or pyproject.toml with a table [tool.respell],
in the current folder or above it.
.SH ENVIRONMENT
.TP
NO_COLOR
If it is set, the output has no colours.
.TP
RESPELL_DEBUG
If it is set, unexpected errors are printed with a traceback.
"""


def man_page(parser: Parser, version: str, date: str) -> str:
    """The manual page as roff."""
    lines = [
        f'.TH RESPELL 1 "{date}" "respell {version}" "User Commands"',
        ".SH NAME",
        "respell \\- context\\-aware English spelling correction",
        ".SH SYNOPSIS",
        ".B respell",
        "[\\fIOPTIONS\\fR] \\fITEXT\\fR...",
        *(f".br\n.B respell {name}\n{_arguments(one)}" for name, one in parser.commands.items()),
        ".br\n.B respell \\-a\n[\\fIOPTIONS\\fR]",
        ".SH DESCRIPTION",
        "Prints the corrected text. Without a text or a command, corrects stdin.",
        "A text takes the options of fix that are not about files.",
        ".SH OPTIONS",
        *_options(parser),
        ".SH COMMANDS",
    ]
    for name, command in parser.commands.items():
        lines += [f".SS respell {name}", _sentence(command.description)]
        lines += [*_positionals(command), *_options(command)]
    return "\n".join(lines) + "\n" + _END + _examples(parser.epilog or "")


def _positionals(parser: Parser) -> Iterator[str]:
    return (f".TP\n\\fI{one.metavar}\\fR\n{_sentence(one.help)}" for one in parser.positionals)


def _options(parser: Parser) -> Iterator[str]:
    for action in parser.options:
        flags = ", ".join(f"\\fB{_escape(flag)}\\fR" for flag in action.option_strings)
        yield f".TP\n{flags}{_value(action)}\n{_sentence(action.help)}"


def _value(action: argparse.Action) -> str:
    if action.nargs == 0:
        return ""
    if action.choices:
        return f" {_escape('|'.join(action.choices))}"
    return f" \\fI{action.metavar or action.dest.upper()}\\fR"


def _arguments(command: Parser) -> str:
    """The rest of a line of the synopsis."""
    places = (
        f"[\\fI{one.metavar}\\fR...]" if one.nargs else f"\\fI{one.metavar}\\fR"
        for one in command.positionals
    )
    required = (
        f"\\fB{_escape(one.option_strings[0])}\\fR{_value(one)}"
        for one in command.options
        if one.required
    )
    return " ".join(["[\\fIOPTIONS\\fR]", *required, *places])


def _examples(epilog: str) -> str:
    _, *lines = epilog.splitlines()
    return "\n".join([".SH EXAMPLES", ".nf", *map(_escape, lines), ".fi", ""])


def _sentence(text: str | None) -> str:
    text = _escape(text or "")
    return f"{text[:1].upper()}{text[1:]}."


def _escape(text: str) -> str:
    """Escape what roff would read as a request or a hyphen."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text.startswith((".", "'")) else text
