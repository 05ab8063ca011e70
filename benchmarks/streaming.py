"""Measure `respell check` on large files: peak memory, words/s, words per CPU-second.

python benchmarks/streaming.py --sizes 1 10 100 --output results/documents/streaming.json
python benchmarks/streaming.py --sizes 1000 --stub --output results/documents/streaming.stub.json

Every file is checked twice: with the evidence of the whole file, and each sentence alone. With
`--stub`, the model is replaced by one that costs nothing, and the rest of the program is measured.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from respell.cli.main import main as respell_main
from respell.corrector import Corrector
from respell.lab.common.provenance import hash_bundle, provenance, write_json
from respell.model.bundle import Bundle, default_path
from respell.model.forward import Features, TopK
from respell.types import Error

PROGRAM = "python benchmarks/streaming.py"
MEGABYTE = 1_000_000
MISSPELLED = 0.02  # people misspell 1 to 5 words in 100
TERM = 0.02
NEW_TERM = 0.1  # the share of terms that have not occurred before
STUB = "--stub"
WORDS = """
a about above across after again against all almost along already also always among an and another
answer any appear are around as ask at away back be became because become been before began behind
being below best better between big black book both bring brought build business but by call came
can carry cause change children city clear close cold come common could country course cut dark day
decide did different do does door down during each early earth easy eat end enough even ever every
example eye face fact fall family far farm father feel few field figure final find fire first five
follow food for form found four from full gave general get girl give go gold good government great
green ground group grow had half hand happen hard has have he head hear heart heat help her here
high him his hold home hope horse hot hour house how however hundred idea if important in inside
interest into is island it just keep kind king knew know land language large last late laugh learn
leave left less let letter life light like line list little live long look lost love low machine
made main make man many map mark may mean measure men might mile mind minute miss money moon more
morning most mother mountain move much music must name near need never new next night no north not
note nothing notice now number object ocean of off often old on once one only open or order other
our out over own page paper part pass pattern people perhaps person picture piece place plain plan
plant play point power problem produce question quick rain reach read ready real really receive
record red remember rest right river road rock room round rule run said same saw say school science
sea second see seem sentence separate serve set several shape she ship short should show side simple
since sit six size sleep slow small snow so some song soon sound south special spell stand star
start state stay step still stood stop story street strong study such summer sun sure surface system
table tail take talk teach tell ten test than that the their them then there these they thing think
this those thought thousand three through time to together told too took top toward town travel tree
true try turn two under unit until up us use usual very voice vowel wait walk want war warm was
watch water way we week weight well went were west what wheel when where which while white who whole
why will wind winter with without wonder wood word work world would write year yes yet you young
""".split()


@dataclass(frozen=True, slots=True)
class Run:
    """The measurements of one `respell check`."""

    evidence: bool
    megabytes: float
    words: int
    findings: int
    seconds: float
    cpu_seconds: float
    words_per_second: float
    words_per_cpu_second: float
    peak_rss_megabytes: float


def write_text(path: Path, size: int, seed: int) -> int:
    """Write at least `size` bytes of text with some misspellings; return the number of words."""
    generator = random.Random(seed)
    terms = make_terms(generator)
    words = written = 0
    with path.open("w", encoding="utf-8", newline="\n") as file:
        while written < size:
            sentences = [make_sentence(generator, terms) for _ in range(generator.randint(1, 6))]
            words += sum(map(len, sentences))
            # All characters are ASCII, so characters are bytes.
            written += file.write(" ".join(map(" ".join, sentences)) + "\n")
    return words


def make_terms(generator: random.Random) -> Iterator[str]:
    """Unknown words, more and more of them; most occur again."""
    known = ["frobset"]
    while True:
        if generator.random() < NEW_TERM:
            known.append("".join(generator.choices("bdfgklmnprstvz", k=4)) + "et")
        yield generator.choice(known[-1000:])


def make_sentence(generator: random.Random, terms: Iterator[str] | None = None) -> list[str]:
    """Random words, some misspelled or terms, with an initial capital and a full stop."""
    words = generator.choices(WORDS, k=generator.randint(4, 28))
    if terms is not None:
        words = [next(terms) if generator.random() < TERM else word for word in words]
    words = [misspell(w, generator) if generator.random() < MISSPELLED else w for w in words]
    words[0] = words[0].capitalize()
    words[-1] += "."
    return words


def misspell(word: str, generator: random.Random) -> str:
    """Swap two neighbouring letters, delete one or double one."""
    at = generator.randrange(len(word))
    kind = generator.randrange(3)
    if kind == 0 and at + 1 < len(word):
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    if kind == 1 and len(word) > 2:
        return word[:at] + word[at + 1 :]
    return word[: at + 1] + word[at:]


class Stub:
    """A model that costs nothing and finds one misspelling in a batch."""

    def __init__(self, replacement: int) -> None:
        self._replacement = np.full((1, 1), replacement)

    def __call__(self, features: Features, gate: float) -> TopK:
        """Rank the same word at the first place of every batch."""
        keep = np.ones(features.words.shape, np.float32)
        keep.flat[0] = 0.1
        one = np.zeros(1, np.int64)
        return TopK(keep, one, self._replacement, np.full((1, 1), 0.9, np.float32), one)


def load_stub(path: Any = None, *, threads: int = 0, **options: Any) -> Corrector:
    """A corrector with the stub."""
    bundle = Bundle.read(path or default_path())
    return Corrector(bundle, Stub(bundle.lexicon.index("receive") or 0), **options)


def measure(text: Path, words: int, options: list[str], *, stub: bool, evidence: bool) -> Run:
    """Check one file in a separate process and measure that process."""
    program = [__file__, STUB] if stub else ["-m", "respell"]
    how = [] if evidence else ["--no-evidence"]
    command = [sys.executable, *program, "check", "--no-config", *options, *how, str(text)]
    findings = text.with_suffix(".findings")
    with findings.open("wb") as output:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=output)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):  # 1: there are findings
        raise Error(f"respell check ended with {process.returncode}; see its message above")
    cpu = usage.ru_utime + usage.ru_stime
    with findings.open("rb") as lines:
        count = sum(1 for _ in lines)
    # Linux reports the peak in KiB, macOS in bytes. It is at least that of this small process.
    peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return Run(
        evidence=evidence,
        megabytes=text.stat().st_size / MEGABYTE,
        words=words,
        findings=count,
        seconds=round(seconds, 3),
        cpu_seconds=round(cpu, 3),
        words_per_second=round(words / seconds, 1),
        words_per_cpu_second=round(words / cpu, 1),
        peak_rss_megabytes=round(peak / MEGABYTE, 1),
    )


def main() -> int:
    """Measure every size and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", nargs="+", type=float, default=[1.0, 10.0], metavar="MB")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--model", type=Path, metavar="DIR", help="bundle (default: the shipped one)"
    )
    parser.add_argument(STUB, action="store_true", help="measure without a model")
    default = Path("results/documents/streaming.json")
    parser.add_argument("--output", type=Path, default=default)
    args = parser.parse_args()
    options = ["--model", str(args.model)] if args.model else []
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        for size in args.sizes:
            text = Path(folder, "text.txt")
            words = write_text(text, round(size * MEGABYTE), args.seed)
            for evidence in (True, False):
                run = measure(text, words, options, stub=args.stub, evidence=evidence)
                print(
                    f"{run.megabytes:8.1f} MB  {run.words_per_second:9,.0f} words/s  "
                    f"{run.words_per_cpu_second:9,.0f} words/CPU-s  "
                    f"{run.peak_rss_megabytes:7.1f} MB  evidence: {evidence}",
                    flush=True,
                )
                runs.append(asdict(run))
    model = {"sha256": hash_bundle(args.model or default_path()), "stub": args.stub}
    write_json(
        args.output, {"runs": runs, "model": model, "seed": args.seed, **provenance(PROGRAM)}
    )
    return 0


if __name__ == "__main__":
    if sys.argv[1:3] == [STUB, "check"]:
        sys.exit(respell_main(sys.argv[2:], load=load_stub))
    try:
        sys.exit(main())
    except Error as error:
        sys.exit(f"streaming: {error}")
