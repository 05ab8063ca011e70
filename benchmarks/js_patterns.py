"""Translate Python's regular expressions to JavaScript's.

The translation reads the tree that Python's own parser makes, and writes a source for JavaScript's
`v` flag that matches the same texts. It needs no other flag: what Python's flags and its Unicode
tables mean is written out. Of characters that are newer than one of the two Unicode tables, the
two may think differently.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from re import _casefix, _constants as op, _parser  # type: ignore[attr-defined]  # isort: skip

Node = tuple[Any, Any]

WORD, DIGIT = r"\p{L}\p{N}_", r"\p{Nd}"
"""The contents of classes: `str.isalnum` is true of letters and numbers, `isdecimal` of Nd."""
SPACE = r"\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_CATEGORIES = {
    op.CATEGORY_WORD: WORD,
    op.CATEGORY_NOT_WORD: f"[^{WORD}]",
    op.CATEGORY_DIGIT: DIGIT,
    op.CATEGORY_NOT_DIGIT: r"\P{Nd}",
    op.CATEGORY_SPACE: SPACE,
    op.CATEGORY_NOT_SPACE: f"[^{SPACE}]",
}
_PYTHON = {
    op.CATEGORY_WORD: r"\w",
    op.CATEGORY_NOT_WORD: r"\W",
    op.CATEGORY_DIGIT: r"\d",
    op.CATEGORY_NOT_DIGIT: r"\D",
    op.CATEGORY_SPACE: r"\s",
    op.CATEGORY_NOT_SPACE: r"\S",
}
_BOUNDARY = f"(?:(?<=[{WORD}])(?![{WORD}])|(?<![{WORD}])(?=[{WORD}]))"
# Without and with MULTILINE. Nothing here is true between the halves of a wide character, where V8
# also looks for matches.
_AT = {
    op.AT_BEGINNING: ("^", r"(?<=^|\n)"),
    op.AT_BEGINNING_STRING: ("^", "^"),
    op.AT_END: (r"(?=\n?$)", r"(?=\n|$)"),
    op.AT_END_STRING: ("$", "$"),
    op.AT_BOUNDARY: (_BOUNDARY, _BOUNDARY),
}
_ATOMIC = "a"  # groups a1, a2, … stand for atomic groups, which JavaScript lacks
_UNNAMED = "_"  # and groups _1, _2, … for those without a name


@dataclass(frozen=True, slots=True)
class Translation:
    """A source for the flag `v`, and the outermost groups that have a name in Python."""

    source: str
    groups: tuple[str, ...]


@dataclass(slots=True)
class _State:
    names: Mapping[int, str]
    contents: dict[int, Sequence[Node]] = field(default_factory=dict)
    atomic: int = 0


def translate(pattern: "re.Pattern[str]") -> Translation:
    """The same pattern for JavaScript. Raises a ValueError for what it cannot express."""
    tree = _parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE)
    names = {number: name for name, number in pattern.groupindex.items()}
    for number in range(1, pattern.groups + 1):
        names.setdefault(number, f"{_UNNAMED}{number}")
    outermost = (names[n] for n in _outermost(tree))
    groups = tuple(name for name in outermost if not name.startswith(_UNNAMED))
    return Translation(_sequence(tree, pattern.flags, _State(names)), groups)


def _outermost(tree: Iterable[Node]) -> list[int]:
    """The capturing groups that are in no other, in order."""
    found: list[int] = []
    for code, value in tree:
        if code is op.SUBPATTERN and value[0] is not None:
            found.append(value[0])
        else:
            for inside in _children(code, value):
                found += _outermost(inside)
    return found


def _children(code: Any, value: Any) -> list[Iterable[Node]]:
    if code is op.BRANCH:
        return list(value[1])
    if code is op.SUBPATTERN:
        return [value[3]]
    if code in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
        return [value[2]]
    if code in (op.ASSERT, op.ASSERT_NOT):
        return [value[1]]
    return [value] if code is op.ATOMIC_GROUP else []


def _sequence(tree: Iterable[Node], flags: int, state: _State) -> str:
    return "".join(_node(code, value, flags, state) for code, value in tree)


def _node(code: Any, value: Any, flags: int, state: _State) -> str:
    if code in (op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN):
        return _character(code, value, flags)
    if code is op.BRANCH:
        return f"(?:{'|'.join(_sequence(branch, flags, state) for branch in value[1])})"
    if code is op.SUBPATTERN:
        return _group(value, flags, state)
    if code in (op.ASSERT, op.ASSERT_NOT):
        behind = "<" if value[0] < 0 else ""
        sign = "=" if code is op.ASSERT else "!"
        return f"(?{behind}{sign}{_sequence(value[1], flags, state)})"
    if code is op.AT and value in _AT:
        return _AT[value][bool(flags & re.MULTILINE)]
    if code is op.GROUPREF:
        return _reference(value, flags, state)
    if code is op.ATOMIC_GROUP:
        return _atomic(_sequence(value, flags, state), state)
    return _repeat(code, value, flags, state)


def _group(value: Any, flags: int, state: _State) -> str:
    number, added, removed, tree = value
    inside = _sequence(tree, (flags | added) & ~removed, state)
    if number is None:
        return f"(?:{inside})"
    state.contents[number] = tree
    return f"(?<{state.names[number]}>{inside})"


def _reference(number: int, flags: int, state: _State) -> str:
    if flags & re.IGNORECASE and not _is_caseless(state.contents[number]):
        raise ValueError("a reference that ignores case")
    return rf"\k<{state.names[number]}>"


def _is_caseless(tree: Iterable[Node]) -> bool:
    """Whether a tree matches only characters that have no other case."""
    for code, value in tree:
        if code is op.LITERAL:
            if len(_same_letters(value)) > 1:
                return False
        elif code is op.IN:
            if any(re.fullmatch(_python_class(value), other) for other in _cased()):
                return False
        elif not _children(code, value) or not all(map(_is_caseless, _children(code, value))):
            return False
    return True


def _atomic(inside: str, state: _State) -> str:
    state.atomic += 1
    name = f"{_ATOMIC}{state.atomic}"
    return rf"(?=(?<{name}>{inside}))\k<{name}>"


def _repeat(code: Any, value: Any, flags: int, state: _State) -> str:
    if code not in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
        raise ValueError(f"no translation for {code}")
    least, most, tree = value
    inside = _sequence(tree, flags, state)
    if len(tree) != 1 or tree[0][0] not in (op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN):
        inside = f"(?:{inside})"
    repeated = inside + _count(least, most)
    if code is op.POSSESSIVE_REPEAT:
        return _atomic(repeated, state)
    return repeated + ("?" if code is op.MIN_REPEAT else "")


def _count(least: int, most: int) -> str:
    if most == op.MAXREPEAT:
        return {0: "*", 1: "+"}.get(least, f"{{{least},}}")
    if (least, most) == (0, 1):
        return "?"
    return f"{{{least}}}" if least == most else f"{{{least},{most}}}"


def _character(code: Any, value: Any, flags: int) -> str:
    if code is op.ANY:
        # V8 would take [^]? and [^]* for an empty match if the flag v is set.
        return r"[\s\S]" if flags & re.DOTALL else r"[^\n]"
    if code is op.IN:
        return _class(value, flags)
    if flags & re.IGNORECASE and len(_same_letters(value)) > 1:
        letters = "".join(_escape(ord(letter), inside=True) for letter in _same_letters(value))
        return f"[{'^' if code is op.NOT_LITERAL else ''}{letters}]"
    if code is op.NOT_LITERAL:
        return f"[^{_escape(value, inside=True)}]"
    return _escape(value, inside=False)


def _class(items: Sequence[Node], flags: int) -> str:
    negated = items[0][0] is op.NEGATE
    listed = items[1:] if negated else items
    parts = [_item(code, value) for code, value in listed]
    if flags & re.IGNORECASE:
        python = _python_class(listed)
        exact, folded = re.compile(python), re.compile(python, re.IGNORECASE)
        more = [c for c in _cased() if folded.fullmatch(c) and not exact.fullmatch(c)]
        parts += [_escape(ord(c), inside=True) for c in more]
    return f"[{'^' if negated else ''}{''.join(parts)}]"


def _item(code: Any, value: Any) -> str:
    if code is op.CATEGORY:
        return _CATEGORIES[value]
    if code is op.RANGE:
        return "-".join(_escape(end, inside=True) for end in value)
    return _escape(value, inside=True)


def _python_class(items: Iterable[Node]) -> str:
    """The source of a class in Python."""
    parts = []
    for code, value in items:
        if code is op.NEGATE:
            parts.append("^")
        elif code is op.CATEGORY:
            parts.append(_PYTHON[value])
        else:
            ends = value if code is op.RANGE else (value,)
            parts.append("-".join(rf"\U{end:08x}" for end in ends))
    return f"[{''.join(parts)}]"


def _escape(code: int, *, inside: bool) -> str:
    character = chr(code)
    if code > 126 or code < 32:
        return {"\n": r"\n", "\t": r"\t", "\r": r"\r"}.get(character, rf"\u{{{code:x}}}")
    special = r"^$\.*+?()[]{}|/" + (r"&-!#%,:;<=>@`~" if inside else "")
    return f"\\{character}" if character in special else character


@cache
def _cased() -> tuple[str, ...]:
    """All characters that may match another one if case is ignored."""
    listed = {code for code, others in _casefix._EXTRA_CASES.items()}
    listed |= {other for others in _casefix._EXTRA_CASES.values() for other in others}
    everything = map(chr, range(0x110000))
    return tuple(
        c for c in everything if ord(c) in listed or {c.lower(), c.upper(), c.title()} != {c}
    )


@cache
def _same_letters(code: int) -> tuple[str, ...]:
    """The characters that a literal matches if case is ignored."""
    pattern = re.compile(re.escape(chr(code)), re.IGNORECASE)
    return (chr(code), *(c for c in _cased() if c != chr(code) and pattern.fullmatch(c)))
