"""The `mistakes` command: sample the mistakes of a model, with two words on either side."""

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from respell.cli.args import count
from respell.lab.common.provenance import hash_bundle, provenance, write_json
from respell.lab.common.storage import read_text
from respell.lab.common.tokens import check_aligned, read_pair, read_tokens
from respell.lab.evaluate.false_alarms import CONTEXT, FINDINGS
from respell.model.bundle import default_path, digest
from respell.types import Error

NEIGHBOURS = 2
DAMAGED, WRONG, MISSED, FLAGGED = "damaged", "wrong", "missed", "flagged"
KINDS = {
    DAMAGED: "a correct word was changed",
    WRONG: "a misspelling was changed to another wrong word",
    MISSED: "a misspelling was missed",
    FLAGGED: "flagged in clean text",
}


@dataclass(frozen=True, slots=True)
class Mistake:
    """A token, the answer, the right word, and the words around it."""

    kind: str
    before: str
    token: str
    after: str
    answer: str
    gold: str


def mistakes_of(
    noisy: Sequence[Sequence[str]],
    gold: Sequence[Sequence[str]],
    predicted: Sequence[Sequence[str]],
) -> Iterator[Mistake]:
    """Every token whose answer is wrong."""
    for words, targets, answers in zip(noisy, gold, predicted, strict=True):
        for i, (word, target, answer) in enumerate(zip(words, targets, answers, strict=True)):
            if answer == target:
                continue
            kind = DAMAGED if word == target else MISSED if answer == word else WRONG
            before, after = words[max(0, i - NEIGHBOURS) : i], words[i + 1 :][:NEIGHBOURS]
            yield Mistake(kind, " ".join(before), word, " ".join(after), answer, target)


def flagged_in(findings: Path) -> Iterator[Mistake]:
    """The findings of `false-alarms`, with less context."""
    header, *lines = read_text(findings).splitlines() or [""]
    if header != FINDINGS:
        raise Error(f"{findings}: no header; was it written by `false-alarms`?")
    for number, line in enumerate(lines, start=2):
        cells = line.split("\t")
        if len(cells) != 5:
            raise Error(
                f"{findings}:{number}: must have five columns; was it written by `false-alarms`?"
            )
        _, token, answer, _, context = cells
        before, _, rest = context.partition(f"[{token}]")
        head_words = before.split()[len(before) >= CONTEXT :]  # the first one may be cut off
        tail_words = rest.split()[: len(rest.split()) - (len(rest) >= CONTEXT)]
        yield Mistake(
            FLAGGED,
            " ".join(head_words[-NEIGHBOURS:]),
            token,
            " ".join(tail_words[:NEIGHBOURS]),
            answer,
            token,
        )


def sample(found: Sequence[Mistake], size: int) -> list[dict[str, object]]:
    """The number of mistakes of each kind, and some examples, each of a different token."""
    groups: list[dict[str, object]] = []
    for kind in KINDS:
        of_kind = [one for one in found if one.kind == kind]
        distinct = list({one.token.lower(): one for one in of_kind}.values())
        chosen = random.Random(0).sample(distinct, min(size, len(distinct)))
        shown = [{k: v for k, v in asdict(one).items() if k != "kind"} for one in chosen]
        if of_kind:
            groups.append({"kind": kind, "count": len(of_kind), "examples": shown})
    return groups


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `mistakes`."""
    metavar = ("NAME", "NOISY", "GOLD", "PREDICTED")
    parser.add_argument(
        "--set", nargs=4, action="append", default=[], metavar=metavar, help="a set with answers"
    )
    parser.add_argument(
        "--findings",
        type=Path,
        action="append",
        default=[],
        metavar="TSV",
        help="findings of `false-alarms`",
    )
    parser.add_argument(
        "--bundle", type=Path, default=default_path(), help="the bundle that made the predictions"
    )
    parser.add_argument("--preset", default="default", help="the preset that was used")
    parser.add_argument(
        "--size", type=count, default=5, help="examples per kind and set (default 5)"
    )
    parser.add_argument(
        "--output", type=Path, required=True, metavar="JSON", help="result to write"
    )


def run(args: argparse.Namespace) -> int:
    """Sample the mistakes on every set."""
    if not (args.set or args.findings):
        raise Error("nothing to sample from; give --set or --findings")
    samples = []
    for name, *files in args.set:
        noisy, gold = read_pair(*map(Path, files[:2]))
        predicted = read_tokens(Path(files[2]))
        check_aligned(noisy, predicted, files[2])
        groups = sample(list(mistakes_of(noisy, gold, predicted)), args.size)
        samples.append({"set": name, "kinds": groups})
    for path in args.findings:
        groups = sample(list(flagged_in(path)), args.size)
        samples.append({"set": path.name.split(".")[0], "kinds": groups})
    files = [Path(file) for _, *paths in args.set for file in paths] + args.findings
    record = {
        "mistakes": samples,
        "files": [{"file": path.name, "sha256": digest(path)} for path in files],
        "system": {
            "kind": "bundle",
            "sha256": hash_bundle(args.bundle),
            "preset": args.preset,
        },
        **provenance(),
    }
    write_json(args.output, record)
    sys.stdout.write(f"{args.output}\n")
    return 0
