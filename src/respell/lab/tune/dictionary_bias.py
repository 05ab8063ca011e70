"""The `dictionary-bias` command: choose the bias of user words, and measure what they gain."""

import argparse
import random
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from respell.cli.args import count
from respell.corrector import Corrector
from respell.decision.user_words import suggested_words
from respell.lab.common.metrics import f_half, ratio
from respell.lab.common.presets_file import add_to_presets
from respell.lab.common.provenance import provenance, write_json
from respell.lab.common.storage import to_json
from respell.lab.common.text_files import read_lines
from respell.lab.data.corpus import HeldOut, heldout_lines
from respell.lab.evaluate import systems
from respell.lab.misspellings import word_lists
from respell.lab.misspellings.edit_model import EditModel
from respell.model.bundle import Bundle, digest
from respell.model.compose import UserWordScorer
from respell.model.encode import normalize
from respell.text.case import LOWER, TITLE, apply_shape, case_shape
from respell.text.sentences import sentences
from respell.text.tokenize import tokenize
from respell.types import Correction, Error, Token

BIASES = tuple(map(float, range(9)))
RATE = 0.002
"""The assumed share of words in a text that are misspelled user words: a tenth of all errors."""
MIN_LENGTH = 4
"""Letters of a word that may be misspelled."""


@dataclass(frozen=True, slots=True)
class Case:
    """A sentence with one misspelling."""

    text: str
    start: int
    word: str

    def corrected(self, found: Sequence[Correction]) -> bool:
        """Whether the right word is suggested."""
        return any(c.start == self.start and c.replacement == self.word for c in found)

    def changed(self, found: Sequence[Correction]) -> bool:
        """Whether any word is suggested."""
        return any(c.start == self.start for c in found)


@dataclass(frozen=True, slots=True)
class Cases:
    """Sentences with a misspelled user word, with a misspelled lexicon word, and clean ones."""

    user: list[Case] = field(default_factory=list)
    lexicon: list[Case] = field(default_factory=list)
    clean: list[str] = field(default_factory=list)

    @property
    def dictionary(self) -> list[str]:
        """The words of the user's dictionary."""
        return [case.word for case in self.user]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What a corrector did with the cases."""

    dictionary: int
    """Words in the user's dictionary."""
    user: int
    """Misspelled user words."""
    user_corrected: int
    user_miscorrected: int
    lexicon: int
    """Misspelled words of the lexicon."""
    lexicon_corrected: int
    clean_words: int
    clean_alarms: int
    words: int
    """Words of all sentences."""
    user_confused: int
    """Misspelled user words for which another user word was suggested."""
    wrongly_suggested: int
    """User words that were suggested for other words."""

    def f05(self, rate: float) -> float:
        """F0.5 of suggested user words in a text where this share of words are misspelled ones."""
        recall = ratio(self.user_corrected, self.user)
        right, confused = rate * recall, rate * ratio(self.user_confused, self.user)
        wrong = confused + ratio(self.wrongly_suggested, self.words)
        return f_half(ratio(right, right + wrong), recall)


class Collector:
    """Draws cases from running text; no word or sentence is used twice."""

    def __init__(
        self, bundle: Bundle, rare: Iterable[str], edit_model: EditModel, *, count: int, seed: int
    ) -> None:
        self.lexicon, self.encoder = bundle.lexicon, bundle.encoder
        self.rare = {word for word in rare if len(word) >= MIN_LENGTH and word.isalpha()}
        self.edit_model, self.count, self.random = edit_model, count, random.Random(seed)
        self.used: set[str] = set()

    def collect(self, lines: Iterable[str]) -> Cases:
        """Collect `count` sentences of each kind, or as many as there are."""
        cases = Cases()
        for line in lines:
            if min(len(cases.user), len(cases.lexicon), len(cases.clean)) >= self.count:
                break
            tokens = tokenize(line)
            if len(sentences(line, tokens)) != 1 or any(t.kind == "code" for t in tokens):
                continue
            self._add(line, tokens[1:], cases)  # the first word has a capital anyway
        return cases

    def _add(self, line: str, tokens: Sequence[Token], cases: Cases) -> None:
        """Add a sentence to the kind that needs it most."""
        if len(cases.clean) < min(self.count, len(cases.user) + 1):
            cases.clean.append(line)  # with any words: rare ones cause most false alarms
            return
        words = [t for t in tokens if t.kind == "word" and len(t.text) >= MIN_LENGTH]
        rare = [t for t in words if normalize(t.text) in self.rare]
        known = [t for t in words if normalize(t.text) in self.lexicon and t.text.isalpha()]
        if rare:
            new = [t for t in rare if normalize(t.text) not in self.used and self._listable(t)]
            if new and len(cases.user) < self.count:
                cases.user.extend(self._misspell(line, self.random.choice(new)))
        elif known and len(cases.lexicon) < self.count:
            cases.lexicon.extend(self._misspell(line, self.random.choice(known)))

    def _listable(self, token: Token) -> bool:
        return case_shape(token.text) in (LOWER, TITLE) and bool(
            suggested_words([token.text], self.encoder)
        )

    def _misspell(self, line: str, token: Token) -> Iterator[Case]:
        """Misspell this word as people do, unless the result is another word."""
        spelling = normalize(token.text)
        for wrong in self.edit_model.misspell(spelling, 1, self.random):
            written = apply_shape(wrong, case_shape(token.text))
            if wrong in self.lexicon or wrong in self.rare or not written.isalpha():
                continue
            text = line[: token.start] + written + line[token.end :]
            if Token(token.start, written) not in tokenize(text):
                continue
            self.used.add(spelling)
            yield Case(text, token.start, token.text)


def measure(corrector: Corrector, cases: Cases, words: Collection[str]) -> Measured:
    """Check all sentences; `words` are those that may be suggested besides the lexicon."""
    dictionary = frozenset(map(normalize, words))
    texts = [case.text for case in (*cases.user, *cases.lexicon)] + cases.clean
    found = list(corrector.check_many(texts))
    on_user, rest = found[: len(cases.user)], found[len(cases.user) :]
    on_lexicon, on_clean = rest[: len(cases.lexicon)], rest[len(cases.lexicon) :]
    corrected = [case.corrected(f) for case, f in zip(cases.user, on_user, strict=True)]
    changed = [case.changed(f) for case, f in zip(cases.user, on_user, strict=True)]
    suggested = sum(normalize(c.replacement) in dictionary for f in found for c in f)
    for_user = sum(
        normalize(c.replacement) in dictionary
        for case, f in zip(cases.user, on_user, strict=True)
        for c in f
        if c.start == case.start
    )
    return Measured(
        dictionary=len(corrector.policy.user_words),
        user=len(cases.user),
        user_corrected=sum(corrected),
        user_miscorrected=sum(changed) - sum(corrected),
        lexicon=len(cases.lexicon),
        lexicon_corrected=sum(
            case.corrected(f) for case, f in zip(cases.lexicon, on_lexicon, strict=True)
        ),
        clean_words=sum(len(text.split()) for text in cases.clean),
        clean_alarms=sum(map(len, on_clean)),
        words=sum(len(text.split()) for text in texts),
        user_confused=for_user - sum(corrected),
        wrongly_suggested=suggested - for_user,
    )


@dataclass(frozen=True, slots=True)
class WithDictionary:
    """Makes copies of a corrector with a dictionary."""

    corrector: Corrector
    preset: str

    def __call__(self, words: Iterable[str], bias: float) -> Corrector:
        """The corrector with these words in its dictionary, at this bias."""
        bundle, policy = self.corrector.bundle, self.corrector.policy
        preset = replace(
            bundle.preset(self.preset),
            threshold=policy.threshold,
            oov_threshold=policy.oov_threshold,
            name_threshold=policy.name_threshold,
            dictionary_bias=bias,
        )
        bundle = replace(bundle, config=replace(bundle.config, presets={"default": preset}))
        return Corrector(bundle, self.corrector.forward, dictionary=words)


def choose(
    measured: Callable[[float], Measured], biases: Iterable[float], rate: float
) -> tuple[float, list[dict[str, Any]]]:
    """The bias with the best F0.5, and the results of every bias."""
    tried: list[dict[str, Any]] = []
    for bias in biases:
        found = measured(bias)
        tried.append({"bias": bias, "f05": found.f05(rate), **asdict(found)})
        sys.stderr.write(f"bias {bias}: F0.5 {found.f05(rate):.4f}\n")
    return max(tried, key=lambda row: row["f05"])["bias"], tried


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `dictionary-bias`."""
    systems.add_model_arguments(parser)
    parser.add_argument(
        "--rare",
        type=Path,
        required=True,
        help="surfaces.txt.xz of a build: rare words, the most frequent first",
    )
    parser.add_argument(
        "--ranks", type=count, default=50_000, help="how many of them to use (default 50000)"
    )
    add_texts(parser)


def add_texts(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for texts and misspellings, and for the results."""
    parser.add_argument(
        "--lists", type=Path, nargs="+", required=True, help="TSV files of misspellings"
    )
    parser.add_argument(
        "--dev",
        type=Path,
        help="training text to choose the bias on, which is written into --presets; without it the "
        "bias is only measured",
    )
    parser.add_argument("--test", type=Path, required=True, help="text to measure on")
    parser.add_argument("--part", choices=("all", "last-tenth"), default="last-tenth")
    parser.add_argument(
        "--count", type=count, default=1000, help="sentences of each kind (default 1000)"
    )
    parser.add_argument("--seed", type=int, default=1, help="of random choices (default 1)")
    parser.add_argument(
        "--output", type=Path, required=True, metavar="JSON", help="result to write"
    )


def run(args: argparse.Namespace) -> int:
    """Choose the bias if there is dev text, then measure with and without a dictionary."""
    model = systems.load_model(args)
    if not isinstance(model.corrector.forward, UserWordScorer):
        raise Error("this model cannot score user words; train it with model.composed")
    rare = islice(read_lines(args.rare), args.ranks)
    collector = make_collector(args, model.corrector.bundle, rare)
    record: dict[str, Any] = {"rare": describe(args.rare) | {"ranks": args.ranks}, "rate": RATE}
    record["lists"] = [describe(path) for path in args.lists]
    make = WithDictionary(model.corrector, args.preset)
    bias = model.corrector.bundle.preset(args.preset).dictionary_bias
    if args.dev:
        dev = collector.collect(read_lines(args.dev))
        words = dev.dictionary
        bias, tried = choose(lambda b: measure(make(words, b), dev, words), BIASES, RATE)
        record["dev"] = {"text": describe(args.dev), "tried": tried}
    part: HeldOut = args.part
    cases = collector.collect(heldout_lines(args.test, part))
    without = measure(make((), bias), cases, cases.dictionary)
    measured = measure(make(cases.dictionary, bias), cases, cases.dictionary)
    record |= {
        "bias": bias,
        "test": {"text": describe(args.test), "part": part, "seed": args.seed},
        "without": asdict(without),
        "with": asdict(measured) | {"f05": measured.f05(RATE)},
        "system": dict(model.description),
    }
    write_json(args.output, record | provenance())
    if args.presets and args.dev:
        add_to_presets(args.presets, "dictionary_bias", bias)
    sys.stdout.write(to_json({key: record[key] for key in ("bias", "without", "with")}))
    return 0


def make_collector(args: argparse.Namespace, bundle: Bundle, rare: Iterable[str]) -> Collector:
    """A collector of sentences with rare words, misspelled as in the lists."""
    pairs = word_lists.tidy(word_lists.merge(*map(word_lists.read_tsv, args.lists)))
    lowered: dict[str, list[str]] = {}
    for word, spellings in pairs.items():
        lowered.setdefault(word.lower(), []).extend(s.lower() for s in spellings)
    return Collector(bundle, rare, EditModel(lowered), count=args.count, seed=args.seed)


def describe(path: Path) -> dict[str, Any]:
    """The name and hash of a file."""
    return {"file": path.name, "sha256": digest(path)}
