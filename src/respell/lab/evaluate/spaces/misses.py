"""The cases that went wrong, for reading."""

from collections.abc import Iterator

from respell.lab.evaluate.spaces.cases import Material
from respell.lab.evaluate.spaces.measure import Found, alarms, changes, is_right

_AROUND = 40


def misses(material: Material, found: Found) -> Iterator[str]:
    """Each missed or miscorrected case and each false alarm, as a line with tabs."""
    for case in material.cases:
        made = changes(case, found)
        if made and is_right(case, made):
            continue
        answer = " + ".join(f"{c.replacement} ({c.kind} {c.score:.2f})" for c in made) or "-"
        around = _around(case.text, case.start, case.end)
        yield "\t".join((case.group, case.written, case.meant, answer, around))
    for text, c in alarms(material, found):
        answer = f"{c.replacement} ({c.kind} {c.score:.2f})"
        yield "\t".join(("clean", c.original, c.original, answer, _around(text, c.start, c.end)))


def _around(text: str, start: int, end: int) -> str:
    return text[max(0, start - _AROUND) : end + _AROUND]
