"""Read the sets that rows are scored on, the lexicon and the known pairs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from respell.lab.common.metrics import score
from respell.lab.common.storage import read_json
from respell.lab.common.tokens import check_aligned, read_tokens
from respell.lab.misspellings.word_lists import read_tsv
from respell.model.bundle import digest
from respell.model.lexicon import Lexicon
from respell.types import Error

Sentences = list[list[str]]
DEV, PAPER, LM1B = "dev", "test", "test1b"
"""Files are named dev.noisy.txt, dev.gold.txt and so on; `test` is the paper's sentences."""
SETS = (DEV, PAPER, LM1B)
ALL = "test_all"
"""In results: all of the paper's sentences; `test` has only those inside the lexicon."""
LEXICON, KNOWN, AUTHORS = "lexicon.txt", "omega_train80.tsv", "test.row11.txt"


@dataclass(frozen=True, slots=True)
class Set:
    """Sentences with misspellings, their corrections, and where they come from."""

    name: str
    noisy: Sentences
    gold: Sentences
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ScoringData:
    """Everything that scoring needs besides the answers."""

    sets: tuple[Set, ...]
    lexicon: Lexicon
    known: tuple[tuple[str, str], ...]  # (word, misspelling) pairs of the training list
    sha256: Mapping[str, str]

    @classmethod
    def read(cls, folders: Sequence[Path], names: Sequence[str] = SETS) -> "ScoringData":
        """Read the named sets; each file is taken from the first folder that has it."""
        lexicon, known = find(folders, LEXICON), find(folders, KNOWN)
        sets = tuple(_read_set(folders, name) for name in names)
        hashes = {LEXICON: digest(lexicon), KNOWN: digest(known)}
        for given in sets:
            if given.facts.get("lexicon_sha256", hashes[LEXICON]) != hashes[LEXICON]:
                raise Error(f"{given.name}.json: made with another lexicon than {lexicon}")
        pairs = ((word, wrong) for word, spelled in read_tsv(known).items() for wrong in spelled)
        return cls(sets, Lexicon.read(lexicon), tuple(pairs), hashes)

    def score(self, given: Set, answers: Sentences) -> dict[str, dict[str, Any]]:
        """Score the answers to a set; the paper's set gives two results, see `ALL`."""
        check_aligned(given.noisy, answers, f"answers to {given.name}")
        inside = [all(word in self.lexicon for word in words) for words in given.gold]
        if given.name != PAPER:
            if not all(inside):
                line = inside.index(False) + 1
                raise Error(f"{given.name}.gold.txt:{line}: has words outside the lexicon")
            return {given.name: self._scores(given, given.noisy, given.gold, answers)}
        kept = [
            [side for side, keep in zip(sides, inside, strict=True) if keep]
            for sides in (given.noisy, given.gold, answers)
        ]
        if not kept[0]:
            raise Error(f"{given.name}.gold.txt: every sentence has words outside the lexicon")
        everything = self._scores(given, given.noisy, given.gold, answers)
        best = self._scores(given, given.noisy, given.gold, self.ceiling(given))
        return {PAPER: self._scores(given, *kept), ALL: {**everything, "ceiling": best["scores"]}}

    def ceiling(self, given: Set) -> Sentences:
        """The best answers of a model that must choose a word of the lexicon for every token.

        If the right word is not in the lexicon, a token that is in it stays, which is a miss by
        both rules. Any other token has to become a wrong word.
        """
        wrong = self.lexicon.words[0]

        def best(token: str, right: str) -> str:
            if right in self.lexicon:
                return right
            return token if token in self.lexicon else wrong

        return [
            [best(*pair) for pair in zip(noisy, gold, strict=True)]
            for noisy, gold in zip(given.noisy, given.gold, strict=True)
        ]

    def _scores(
        self, given: Set, noisy: Sentences, gold: Sentences, answers: Sentences
    ) -> dict[str, Any]:
        is_word = self.lexicon.__contains__
        scores = score(noisy, gold, answers, is_word=is_word, known=self.known)
        return {"sentences": len(noisy), "of": len(given.noisy), "scores": asdict(scores)}


def find(folders: Sequence[Path], name: str) -> Path:
    """The file of that name in the first folder that has it."""
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    raise Error(f"{name}: not in {' or '.join(map(str, folders))}; see docs/internals/paper.md")


def _read_set(folders: Sequence[Path], name: str) -> Set:
    paths = {side: find(folders, f"{name}.{side}.txt") for side in ("noisy", "gold")}
    noisy, gold = (read_tokens(path) for path in paths.values())
    check_aligned(noisy, gold, str(paths["gold"]))
    facts = {f"{side}_sha256": digest(path) for side, path in paths.items()}
    return Set(name, noisy, gold, {**dict(_frozen(paths["noisy"], name, facts)), **facts})


def _frozen(noisy: Path, name: str, facts: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    """The facts that `freeze` wrote about a set, if it did; the hashes must match its files."""
    path = noisy.with_name(f"{name}.json")
    if path.is_file():
        made = read_json(path)
        for key, value in facts.items():
            if made.get(key, value) != value:
                raise Error(f"{path}: {name} has changed since it was frozen, {key} differs")
        yield from made.items()
