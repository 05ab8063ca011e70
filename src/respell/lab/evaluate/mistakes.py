"""The `mistakes` command: a sample of what a model gets wrong, with two words on either side."""

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
    DAMAGED: "a right word changed",
    WRONG: "a misspelling changed to another wrong word",
    MISSED: "a misspelling left as it was",
    FLAGGED: "flagged in clean text",
}


@dataclass(frozen=True, slots=True)
class Mistake:
    """A token, what was said instead, what was wanted, and the words beside it."""

    kind: str
    before: str
    token: str
    after: str
    said: str
    wanted: str


def mistakes_of(
    noisy: Sequence[Sequence[str]], gold: Sequence[Sequence[str]], said: Sequence[Sequence[str]]
) -> Iterator[Mistake]:
    """Every token that did not come out right."""
    for words, right, answers in zip(noisy, gold, said, strict=True):
        for i, (word, wanted, answer) in enumerate(zip(words, right, answers, strict=True)):
            if answer == wanted:
                continue
            kind = DAMAGED if word == wanted else MISSED if answer == word else WRONG
            before, after = words[max(0, i - NEIGHBOURS) : i], words[i + 1 :][:NEIGHBOURS]
            yield Mistake(kind, " ".join(before), word, " ".join(after), answer, wanted)


def flagged_in(findings: Path) -> Iterator[Mistake]:
    """What `false-alarms` noted, with fewer words around it."""
    head, *lines = read_text(findings).splitlines() or [""]
    if head != FINDINGS:
        raise Error(f"{findings}: no head of findings; did `false-alarms` write it?")
    for number, line in enumerate(lines, start=2):
        cells = line.split("\t")
        if len(cells) != 5:
            raise Error(f"{findings}:{number}: five columns expected; did `false-alarms` write it?")
        _, token, said, _, context = cells
        before, _, rest = context.partition(f"[{token}]")
        cut = before.split()[len(before) >= CONTEXT :]  # the first word may have lost its head
        tail = rest.split()[: len(rest.split()) - (len(rest) >= CONTEXT)]
        yield Mistake(
            FLAGGED,
            " ".join(cut[-NEIGHBOURS:]),
            token,
            " ".join(tail[:NEIGHBOURS]),
            said,
            token,
        )


def sample(found: Sequence[Mistake], size: int) -> list[dict[str, object]]:
    """For each kind how many there are, and some of them, never two of the same token."""
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
    metavar = ("NAME", "NOISY", "GOLD", "SAID")
    parser.add_argument("--set", nargs=4, action="append", default=[], metavar=metavar)
    parser.add_argument("--findings", type=Path, action="append", default=[], metavar="TSV")
    parser.add_argument("--bundle", type=Path, default=default_path(), help="which said it")
    parser.add_argument("--preset", default="default", help="at which it was said")
    parser.add_argument("--size", type=count, default=5, help="examples of a kind in a set")
    parser.add_argument("--output", type=Path, required=True, metavar="JSON")


def run(args: argparse.Namespace) -> int:
    """Sample every set and write the samples."""
    if not (args.set or args.findings):
        raise Error("nothing to sample from; give --set or --findings")
    samples = []
    for name, *files in args.set:
        noisy, gold = read_pair(*map(Path, files[:2]))
        said = read_tokens(Path(files[2]))
        check_aligned(noisy, said, files[2])
        groups = sample(list(mistakes_of(noisy, gold, said)), args.size)
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
