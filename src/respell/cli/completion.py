"""Scripts that complete the command line in a shell, made from the parser."""

import argparse
from collections.abc import Iterator

from respell.cli.args import Parser

_FILES = ("FILE", "DIR", "PATH")
_BASH = """\
# Completes the arguments of respell in bash.
_respell() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} words=
    # bash takes "--option=value" as three words.
    if [[ $current == = ]]; then
        current=
    elif [[ $previous == = ]]; then
        previous=${{COMP_WORDS[COMP_CWORD-2]}}
    fi
    [[ $COMP_CWORD -eq 1 ]] && words="{top}"
    case ${{COMP_WORDS[1]}}:$previous in
{cases}
    esac
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _respell respell
"""
_ZSH = """\
#compdef respell
# Completes the arguments of respell in zsh.
_respell() {{
    local -a commands=(
{commands}
    )
    if (( CURRENT == 2 )); then
        _describe command commands
        _arguments {top}
        return
    fi
    local command=$words[2]
    shift words
    (( CURRENT-- ))
    case $command in
{cases}
    esac
}}
if [ "$funcstack[1]" = "_respell" ]; then
    _respell "$@"
else
    compdef _respell respell
fi
"""


def completion(parser: Parser, shell: str) -> str:
    """The completion script for a shell."""
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](parser)


def _takes_value(action: argparse.Action) -> bool:
    """Whether a value follows the option."""
    return action.nargs != 0


def _choices(action: argparse.Action) -> str:
    return " ".join(action.choices or ())


def _names(parser: Parser) -> str:
    return " ".join(name for action in parser.options for name in action.option_strings)


def _bash(parser: Parser) -> str:
    cases = []
    for name, command in parser.commands.items():
        for action in command.options:
            if action.choices:
                flags = "|".join(f"{name}:{flag}" for flag in action.option_strings)
                cases.append(f'        {flags}) words="{_choices(action)}" ;;')
        cases += [
            f'        {name}:{name}) words="{_choices(action)} {_names(command)}" ;;'
            for action in command.positionals
            if action.choices
        ]
        cases.append(f'        {name}:*) [[ $current == -* ]] && words="{_names(command)}" ;;')
    top = " ".join([*parser.commands, _names(parser)])
    return _BASH.format(top=top, cases="\n".join(cases))


def _zsh(parser: Parser) -> str:
    commands = (
        f"        '{name}:{_zsh_text(command.description)}'"
        for name, command in parser.commands.items()
    )
    cases = (
        f"        {name}) _arguments {_zsh_arguments(command)} ;;"
        for name, command in parser.commands.items()
    )
    return _ZSH.format(
        commands="\n".join(commands), top=_zsh_arguments(parser), cases="\n".join(cases)
    )


def _zsh_arguments(parser: Parser) -> str:
    return " ".join(f"'{one}'" for one in _zsh_specs(parser))


def _zsh_specs(parser: Parser) -> Iterator[str]:
    for action in parser.options:
        value = f":{action.metavar or action.dest}:{_zsh_values(action)}"
        value = value if _takes_value(action) else ""
        many = "*" if action.const is None and action.default == [] else ""
        for flag in action.option_strings:
            equals = "=" if value and flag.startswith("--") else ""
            yield f"{many}{flag}{equals}[{_zsh_text(action.help)}]{value}"
    for action in parser.positionals:
        if isinstance(action.metavar, str) and action.dest != "command":
            yield f"{'*' if action.nargs == '*' else ''}:{action.metavar}:{_zsh_values(action)}"


def _zsh_values(action: argparse.Action) -> str:
    if action.choices:
        return f"({_choices(action)})"
    return "_files" if action.metavar in _FILES else " "


def _zsh_text(text: str | None) -> str:
    text = (text or "").replace("\\", "\\\\").replace("'", "'\\''")
    return "".join(f"\\{sign}" if sign in "[]:$`" else sign for sign in text)


def _fish(parser: Parser) -> str:
    top = "__fish_use_subcommand"
    lines = ["# Completes the arguments of respell in fish."]
    lines += _fish_options(parser, top)
    for name, command in parser.commands.items():
        lines.append(f"complete -c respell -n {top} -a {name} -d {_quote(command.description)}")
    for name, command in parser.commands.items():
        seen = f"'__fish_seen_subcommand_from {name}'"
        lines += _fish_options(command, seen)
        lines += (
            f"complete -c respell -n {seen} -f -a '{_choices(action)}'"
            for action in command.positionals
            if action.choices
        )
    return "\n".join(lines) + "\n"


def _fish_options(parser: Parser, condition: str) -> Iterator[str]:
    for action in parser.options:
        flags = " ".join(
            f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}"
            for flag in action.option_strings
        )
        value = ""
        if _takes_value(action):
            value = " -r" if action.metavar in _FILES else " -x"
            value += f" -a '{_choices(action)}'" if action.choices else ""
        yield f"complete -c respell -n {condition} {flags}{value} -d {_quote(action.help)}"


def _quote(text: str | None) -> str:
    escaped = (text or "").replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
