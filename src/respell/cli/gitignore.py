"""Patterns of .gitignore files and of `--exclude`, matched as git does."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

_POSIX = dict(alnum="0-9A-Za-z", alpha="A-Za-z", digit="0-9", lower="a-z", upper="A-Z", space=r"\s")
_GLOB = re.compile(
    r"(?P<deep>(?:^|(?<=/))\*{2,}(?:/|$))|(?P<star>\*+)|(?P<any>\?)"
    r"|\[(?P<set>[!^]?\]?(?:\[:\w+:\]|\\.|[^\]\\])*)\]|\\(?P<escaped>.)|(?P<char>[^\\\[])",
    re.DOTALL,
)
_SET = re.compile(r"\[:(?P<posix>\w+):\]|\\?(?P<low>.)(?:-\\?(?P<high>.))?", re.DOTALL)
Matches = Sequence[re.Match[str]]
"""Parts of a glob, as _GLOB finds them."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """One line of a .gitignore file."""

    regex: re.Pattern[str]
    negated: bool
    folders_only: bool
    whole_path: bool


@dataclass(frozen=True, slots=True)
class Patterns:
    """The lines of one .gitignore file, or of `--exclude`, and the folder they apply to."""

    base: str
    patterns: tuple[Pattern, ...]

    @classmethod
    def parse(cls, base: Path, lines: Iterable[str]) -> Self:
        """Read gitignore lines that apply below the folder `base`."""
        patterns = tuple(pattern for pattern in map(_pattern, lines) if pattern)
        return cls(base.resolve().as_posix().rstrip("/") + "/", patterns)

    @classmethod
    def typed(cls, base: Path, lines: Iterable[str]) -> Self:
        """Read patterns of the command line: `./a` means `/a` in gitignore."""
        return cls.parse(base, (re.sub(r"^(!?)\./+", r"\1/", line) for line in lines))

    def verdict(self, path: str, *, folder: bool) -> bool | None:
        """Whether the absolute `path` is ignored; None if no line matches it."""
        name = path[path.rfind("/") + 1 :]
        inside = path.startswith(self.base)
        relative = path[len(self.base) :]
        for pattern in reversed(self.patterns):
            if (pattern.folders_only and not folder) or (pattern.whole_path and not inside):
                continue
            if pattern.regex.fullmatch(relative if pattern.whole_path else name):
                return not pattern.negated
        return None


def _pattern(line: str) -> Pattern | None:
    line = re.sub(r"(?<!\\) +$", "", line)
    negated = line.startswith("!")
    glob = line[negated:].removesuffix("/")
    regex = None if line.startswith("#") else _translate(glob.removeprefix("/"))
    if not regex:
        return None
    return Pattern(re.compile(regex, re.DOTALL), negated, line.endswith("/"), "/" in glob)


def _translate(glob: str) -> str | None:
    """A glob as a regular expression; None for one that matches nothing in git."""
    matches = list(_GLOB.finditer(glob))
    if sum(len(match.group()) for match in matches) < len(glob):
        return None  # a backslash at the end, or a bracket without its partner
    first, *rest = map(_components, _split(matches, lambda match: bool(match["deep"])))
    last = ".*" if matches and _is_open(matches[-1]["deep"]) else "(?:[^/]*/)*"
    return first + _chain(rest, "(?:[^/]*/)*?", last)


def _is_open(deep: str | None) -> bool:
    """Whether it is a `**` at the very end, which also matches files."""
    return bool(deep) and not str(deep).endswith("/")


def _components(matches: Matches) -> str:
    """Translate the part between two `**`, folder by folder."""
    return "/".join(map(_name, _split(matches, lambda match: _literal(match) == "/")))


def _name(matches: Matches) -> str:
    first, *rest = ("".join(map(_character, part)) for part in _split(matches, _is_star))
    return first + _chain(rest, "[^/]*?", "[^/]*")


def _chain(parts: list[str], some: str, last: str) -> str:
    """Wildcards, each with what must follow it.

    If a name fits at all, it fits with all but the last wildcard as short as can be: these are
    never tried again, so that no pattern takes more time than its length times that of the name.
    """
    if not parts:
        return ""
    return "".join(f"(?>{some}{part})" for part in parts[:-1]) + last + parts[-1]


def _split(matches: Matches, at: Callable[[re.Match[str]], bool]) -> list[Matches]:
    parts: list[list[re.Match[str]]] = [[]]
    for match in matches:
        if at(match):
            parts.append([])
        else:
            parts[-1].append(match)
    return [*parts]


def _is_star(match: re.Match[str]) -> bool:
    return bool(match["star"])


def _literal(match: re.Match[str]) -> str:
    return match["escaped"] or match["char"] or ""


def _character(match: re.Match[str]) -> str:
    if match["any"]:
        return "[^/]"
    return re.escape(_literal(match)) if match["set"] is None else _translate_set(match["set"])


def _translate_set(body: str) -> str:
    negated = body[:1] in ("!", "^")
    inside = []
    for match in _SET.finditer(body, int(negated)):
        low, high = match["low"], match["high"]
        if match["posix"]:
            inside.append(_POSIX.get(match["posix"], ""))
        elif high is None or low <= high:  # git lets the range z-a match nothing
            inside.append(re.escape(low) + (f"-{re.escape(high)}" if high else ""))
    if not any(inside):
        return "[^/]" if negated else "(?!)"
    return f"(?!/)[{'^' if negated else ''}{''.join(inside)}]"
