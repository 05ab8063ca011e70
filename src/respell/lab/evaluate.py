"""Scores of a system on token-aligned sentences, by both counting rules, kept as JSON."""

import argparse
import sys
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from respell.bundle import digest
from respell.config import count
from respell.lab import plots, systems
from respell.lab.corpus import heldout_lines
from respell.lab.misspellings import merge, read_tsv
from respell.lab.storage import replacing

FINDINGS = "file\toriginal\tsuggestion\tscore\tcontext"  # the head of what is flagged
CONTEXT = 50  # characters shown on either side of a flagged word


@dataclass(frozen=True, slots=True)
class Rule:
    """Counts by one rule and what follows from them; a share of nothing is 0."""

    tp: int
    fp: int
    fn: int
    tn: int
    precision: float
    recall: float
    f05: float


@dataclass(frozen=True, slots=True)
class Part:
    """Figures of a group of tokens: all of them, the real words or the non-words.

    `table` is the paper's Table 3: a misspelling changed to another wrong word is missed (FN).
    `authors` is what the authors' code counts: any change that is not right is a FP.
    """

    tokens: int
    errors: int
    accuracy: float
    table: Rule
    authors: Rule


@dataclass(frozen=True, slots=True)
class Pairs:
    """Misspellings whose (word, misspelling) pair was, or was not, to be learnt from a list."""

    count: int
    corrected: int
    share: float


@dataclass(frozen=True, slots=True)
class Scores:
    """All figures of one run; the parts that need a lexicon or a list are None without it.

    `false_alarms` counts correct tokens that were changed, `damaged_per_1000` is their rate.
    `lower_cased` holds the same figures when strings are compared without regard to case.
    """

    all: Part
    real_words: Part | None
    non_words: Part | None
    known: Pairs | None
    unknown: Pairs | None
    false_alarms: int
    damaged_per_1000: float
    lower_cased: "Scores | None" = None


class _Outcome(NamedTuple):
    """What became of one token; tokens of the same outcome are counted together."""

    real: bool | None  # None: there is no lexicon to tell
    known: bool | None  # None: there is no list to tell
    misspelled: bool
    changed: bool
    right: bool


def score(
    noisy: Sequence[Sequence[str]],
    gold: Sequence[Sequence[str]],
    predicted: Sequence[Sequence[str]],
    *,
    is_word: systems.IsWord | None = None,
    known: Iterable[tuple[str, str]] | None = None,
) -> Scores:
    """Score predictions; `is_word` parts the input tokens, `known` holds (gold, noisy) pairs."""
    systems.check_aligned(noisy, gold, "gold")
    systems.check_aligned(noisy, predicted, "predictions")
    pairs = None if known is None else {(right.lower(), wrong.lower()) for right, wrong in known}
    exact: Counter[_Outcome] = Counter()
    folded: Counter[_Outcome] = Counter()
    for sentence in zip(noisy, gold, predicted, strict=True):
        for token, target, answer in zip(*sentence, strict=True):
            real = None if is_word is None else is_word(token)
            lower = token.lower(), target.lower(), answer.lower()
            listed = None if pairs is None else (lower[1], lower[0]) in pairs
            exact[_outcome(real, listed, token, target, answer)] += 1
            folded[_outcome(real, listed, *lower)] += 1
    return _scores(exact, lower_cased=_scores(folded))


def _outcome(
    real: bool | None, known: bool | None, token: str, target: str, answer: str
) -> _Outcome:
    return _Outcome(real, known, token != target, answer != token, answer == target)


def _scores(outcomes: Counter[_Outcome], *, lower_cased: Scores | None = None) -> Scores:
    part = _part(outcomes)
    split = all(outcome.real is not None for outcome in outcomes)
    listed = all(outcome.known is not None for outcome in outcomes)
    return Scores(
        all=part,
        real_words=_part(_where(outcomes, real=True)) if split else None,
        non_words=_part(_where(outcomes, real=False)) if split else None,
        known=_pairs(_where(outcomes, known=True)) if listed else None,
        unknown=_pairs(_where(outcomes, known=False)) if listed else None,
        false_alarms=part.table.fp,
        damaged_per_1000=1000 * _share(part.table.fp, part.tokens - part.errors),
        lower_cased=lower_cased,
    )


def _where(outcomes: Counter[_Outcome], **wanted: bool) -> Counter[_Outcome]:
    """The outcomes whose named fields are as wanted."""
    return Counter(
        {o: n for o, n in outcomes.items() if all(getattr(o, k) is v for k, v in wanted.items())}
    )


def _part(outcomes: Counter[_Outcome]) -> Part:
    def count(**wanted: bool) -> int:
        return _where(outcomes, **wanted).total()

    return Part(
        tokens=outcomes.total(),
        errors=count(misspelled=True),
        accuracy=_share(count(right=True), outcomes.total()),
        table=_rule(
            tp=count(misspelled=True, right=True),
            fp=count(misspelled=False, right=False),
            fn=count(misspelled=True, right=False),
            tn=count(misspelled=False, right=True),
        ),
        authors=_rule(
            tp=count(changed=True, right=True),
            fp=count(changed=True, right=False),
            fn=count(changed=False, right=False),
            tn=count(changed=False, right=True),
        ),
    )


def _pairs(outcomes: Counter[_Outcome]) -> Pairs:
    count = _where(outcomes, misspelled=True).total()
    corrected = _where(outcomes, misspelled=True, right=True).total()
    return Pairs(count, corrected, _share(corrected, count))


def _rule(*, tp: int, fp: int, fn: int, tn: int) -> Rule:
    precision, recall = _share(tp, tp + fp), _share(tp, tp + fn)
    f05 = _share(1.25 * precision * recall, 0.25 * precision + recall)
    return Rule(tp, fp, fn, tn, precision, recall, f05)


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the `evaluate` command."""
    parser.add_argument("--noisy", type=Path, required=True, help="sentences with mistakes")
    parser.add_argument("--gold", type=Path, required=True, help="the same, every token right")
    scored = systems.add_model_arguments(parser)
    scored.add_argument("--predictions", type=Path, help="what another system answered")
    scored.add_argument("--system", choices=sorted(systems.SYSTEMS), help="one without a model")
    parser.add_argument("--lower", action="store_true", help="lower-case both sides first")
    parser.add_argument(
        "--known", nargs="+", type=Path, metavar="TSV", help="pairs that were learnt from"
    )
    parser.add_argument("--lexicon", type=Path, help="words, one a line: others are non-words")
    parser.add_argument("--name", help="the row's name in tables")
    parser.add_argument("--output", type=Path, metavar="JSON", help="where the result is kept")
    parser.add_argument("--write-predictions", type=Path, metavar="FILE")


def run(args: argparse.Namespace) -> int:
    """Score a system on a pair of files, print the scores, keep them."""
    noisy, gold = systems.read_pair(args.noisy, args.gold)
    if args.lower:
        noisy, gold = ([[t.lower() for t in tokens] for tokens in side] for side in (noisy, gold))
    known = merge(*map(read_tsv, args.known)) if args.known else None
    subject = systems.open_subject(args)
    start = time.perf_counter()
    predicted = subject.system(noisy)
    seconds = time.perf_counter() - start
    scores = score(
        noisy,
        gold,
        predicted,
        is_word=systems.words_of(args.lexicon) if args.lexicon else subject.is_word,
        known=None if known is None else [(w, s) for w, wrong in known.items() for s in wrong],
    )
    if args.write_predictions:
        systems.write_tokens(args.write_predictions, predicted)
    record = {
        "name": args.name or (args.output.stem if args.output else subject.description["kind"]),
        "scores": asdict(scores),
        "noisy": {"file": args.noisy.name, "sha256": digest(args.noisy)},
        "gold": {"file": args.gold.name, "sha256": digest(args.gold)},
        "known": [{"file": path.name, "sha256": digest(path)} for path in args.known or ()],
        "lower": args.lower,
        "system": subject.description,
        "words_per_second": scores.all.tokens / seconds if subject.timed else None,
        **systems.provenance(),
    }
    if args.output:
        systems.write_json(args.output, record)
    sys.stdout.write(plots.summary(record))
    return 0


def configure_false_alarms(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the `false-alarms` command."""
    parser.add_argument("files", nargs="+", type=Path, help="clean text, one sentence a line")
    systems.add_model_arguments(parser)
    parser.add_argument("--part", choices=("all", "last-tenth"), default="all")
    parser.add_argument("--limit-words", type=count, metavar="N", help="of each file, at most")
    parser.add_argument("--output", type=Path, required=True, metavar="JSON")
    parser.add_argument("--findings", type=Path, required=True, metavar="TSV", help="to be read")


def run_false_alarms(args: argparse.Namespace) -> int:
    """Count what a model flags in clean text; whether an alarm is false is for a reader to say."""
    model = systems.load_model(args)
    files = []
    with (
        replacing(args.findings) as temporary,
        temporary.open("w", encoding="utf-8", newline="\n") as findings,
    ):
        findings.write(f"{FINDINGS}\n")
        for path in args.files:
            start = time.perf_counter()
            lines = first_words(heldout_lines(path, args.part), args.limit_words)
            words, alarms = flag(model.corrector, lines, findings, name=path.name)
            seconds = time.perf_counter() - start
            files.append({"file": path.name, **_rates(words, alarms), "seconds": seconds})
            sys.stdout.write(f"{path.name}: {alarms} flagged in {words} words\n")
    total = _rates(sum(f["words"] for f in files), sum(f["alarms"] for f in files))
    record = {"part": args.part, "total": total, "files": files, "system": model.description}
    systems.write_json(args.output, record | systems.provenance())
    sys.stdout.write(f"{total['alarms_per_1000']:.3f} per 1,000 words\n")
    return 0


def flag(
    corrector: systems.Checks, lines: Iterable[str], findings: TextIO, *, name: str
) -> tuple[int, int]:
    """Write what is flagged in some lines, in context, as TSV; count words and flagged words."""
    words = alarms = 0
    waiting: deque[str] = deque()

    def feed() -> Iterator[str]:
        for line in lines:
            waiting.append(line)
            yield line

    for corrections in corrector.check_many(feed()):
        line = waiting.popleft()
        words += len(line.split())
        alarms += len(corrections)
        for c in corrections:
            before, after = line[max(0, c.start - CONTEXT) : c.start], line[c.end :][:CONTEXT]
            context = " ".join(f"{before}[{c.original}]{after}".split())
            best = c.suggestions[0].text
            findings.write(f"{name}\t{c.original}\t{best}\t{c.score:.4f}\t{context}\n")
    return words, alarms


def first_words(lines: Iterable[str], limit: int | None) -> Iterator[str]:
    """Lines until `limit` words have been given; the last line is given whole."""
    words = 0
    for line in lines:
        if limit is not None and words >= limit:
            return
        words += len(line.split())
        yield line


def _rates(words: int, alarms: int) -> dict[str, Any]:
    return {"words": words, "alarms": alarms, "alarms_per_1000": 1000 * _share(alarms, words)}
