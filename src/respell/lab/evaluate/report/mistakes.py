"""The page's section with examples of mistakes."""

from collections.abc import Mapping
from typing import Any

from respell.lab.common.markdown import head, heading, plain, row
from respell.lab.evaluate.mistakes import FLAGGED, KINDS

Record = Mapping[str, Any]
_ABOUT = """A random sample of the mistakes of the {preset} preset, at most one per token. Some are
errors of the test sets: correct words that they call wrong, or the reverse."""


def section(record: Record, titles: Mapping[str, str]) -> list[str]:
    """Examples with a few words of context, by set and kind."""
    lines = ["## Examples of mistakes", "", _ABOUT.format(preset=record["system"]["preset"])]
    flagged: list[str] = []
    for one in record["mistakes"]:
        title = titles.get(one["set"], one["set"])
        rows = {group["kind"]: _examples(group) for group in one["kinds"]}
        if FLAGGED in rows:
            flagged.append(row(title, *rows.pop(FLAGGED)))
        if rows:
            lines += ["", heading(3, title), "", *head("mistake", "examples", "number", words=2)]
            lines += [row(KINDS[kind], *cells) for kind, cells in rows.items()]
    if flagged:
        columns = head("text", "examples", "number", words=2)
        lines += ["", heading(3, KINDS[FLAGGED]), "", *columns, *flagged]
    return lines


def _examples(group: Record) -> tuple[str, str]:
    examples = "<br>".join(_example(group["kind"], example) for example in group["examples"])
    return examples, f"{group['count']:,}"


def _example(kind: str, example: Record) -> str:
    before, token, after = (plain(example[key]) for key in ("before", "token", "after"))
    quoted = " ".join(filter(None, (before, f"**{token}**", after)))
    answer, gold = plain(example["answer"]), plain(example["gold"])
    if kind == FLAGGED or example["gold"] == example["token"]:
        return f"{quoted} → {answer}"
    if example["answer"] == example["token"]:
        return f"{quoted} (right: {gold})"
    return f"{quoted} → {answer} (right: {gold})"
