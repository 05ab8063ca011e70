"""WordPiece over rows of character ids: BERT's pieces of many words at once, inside the graph.

The tables of a vocabulary are buffers of a module, so a checkpoint carries them with its weights.
"""

import argparse
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from respell.cli.args import count
from respell.lab.common.storage import save_text
from respell.lab.data.corpus import read_lines
from respell.model.encode import (
    CHAR_MASK,
    CHAR_PAD,
    CHAR_START,
    CHAR_UNKNOWN,
    FIRST_CHARACTER,
    LONGEST,
)
from respell.types import Error

CONTINUES = "##"
SPECIAL = {
    "unknown": ("[UNK]", "<unk>"),
    "start": ("<s>", "[CLS]"),
    "end": ("</s>", "[SEP]"),
    "mask": ("<mask>", "[MASK]"),
}
"""Names of the special pieces, the preferred first: MPNet's vocabulary holds BERT's as well."""
LETTER, ALONE, BLANK, DROPPED = range(4)
_DEAD, _WORD, _REST = range(3)  # nodes: no piece begins so; roots of first and of further pieces
_NOTHING, _STRANGE, _MASKED = range(3)  # classes of characters that no vocabulary spells
_FIRST_CLASS = 3
_CLASSES = {CHAR_PAD: _NOTHING, CHAR_UNKNOWN: _STRANGE, CHAR_START: _NOTHING, CHAR_MASK: _MASKED}
_KINDS = {CHAR_PAD: BLANK, CHAR_UNKNOWN: LETTER, CHAR_START: DROPPED, CHAR_MASK: ALONE}
_HAN = re.compile(
    "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0002a6df\U0002a700-\U0002b81f\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f]"
)


def read_vocabulary(path: Path) -> tuple[str, ...]:
    """The pieces of a `vocab.txt`, one a line, in the order of their ids."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Error(f"{path}: cannot read the vocabulary ({error})") from error
    pieces = tuple(text.removesuffix("\n").split("\n"))
    for name, spelled in SPECIAL.items():
        if name != "mask" and not any(special in pieces for special in spelled):
            raise Error(f"{path}: no vocabulary of WordPiece, {' or '.join(spelled)} is missing")
    return pieces


def is_lower(vocabulary: Iterable[str]) -> bool:
    """Whether a vocabulary is of lower-cased text, special pieces aside."""
    plain = (piece for piece in vocabulary if piece[:1] not in "[<")
    return not any(c.isascii() and c.isupper() for piece in plain for c in piece)


def normalized(character: str, *, lower: bool) -> tuple[str, int]:
    """What BERT makes of a character, and how it cuts there."""
    category = unicodedata.category(character)
    if character in "\0\ufffd" or (category in ("Cc", "Cf", "Co") and character not in "\t\n\r"):
        return "", DROPPED
    if character.isspace():
        return "", BLANK
    han = _HAN.match(character)
    if lower:
        parts = unicodedata.normalize("NFD", character)
        character = "".join(c for c in parts if unicodedata.category(c) != "Mn").lower()
    if not character:
        return "", DROPPED
    ascii_mark = character.isascii() and not character.isalnum()
    mark = ascii_mark or unicodedata.category(character[0])[0] == "P"
    return character, ALONE if mark or han else LETTER


@dataclass(frozen=True, slots=True)
class Tables:
    """A vocabulary as the graph reads it."""

    classes: Tensor  # [characters] what a character is to the vocabulary
    kinds: Tensor  # [characters] LETTER, ALONE, BLANK or DROPPED
    steps: Tensor  # [inner nodes, classes] the node behind a node and a character
    named: Tensor  # [nodes] piece that ends at a node, -1 = none; inner nodes come first
    special: Tensor  # [4] ids of SPECIAL

    @classmethod
    def build(cls, vocabulary: Sequence[str], alphabet: str) -> "Tables":
        """Tables for character ids of an alphabet; a character of no single letter is strange."""
        lower = is_lower(vocabulary)
        index = {piece: i for i, piece in enumerate(vocabulary)}
        found = [[index[s] for s in spelled if s in index] for spelled in SPECIAL.values()]
        special = [(ids or found[0])[0] for ids in found]
        spelled = [normalized(character, lower=lower) for character in alphabet]
        numbers: dict[str, int] = {}
        for letter, _ in spelled:
            if len(letter) == 1:
                numbers.setdefault(letter, len(numbers) + _FIRST_CLASS)
        classes = dict(_CLASSES) | {
            FIRST_CHARACTER + i: numbers.get(letter, _STRANGE)
            for i, (letter, _) in enumerate(spelled)
        }
        kinds = dict(_KINDS) | {FIRST_CHARACTER + i: kind for i, (_, kind) in enumerate(spelled)}
        steps, named = _trie(index, numbers, special[list(SPECIAL).index("mask")])
        ids = range(FIRST_CHARACTER + len(alphabet))
        return cls(
            torch.tensor([classes[i] for i in ids]),
            torch.tensor([kinds[i] for i in ids]),
            steps,
            named,
            torch.tensor(special),
        )


def _trie(index: dict[str, int], numbers: dict[str, int], mask: int) -> tuple[Tensor, Tensor]:
    """The tables `steps` and `named` of all pieces that the alphabet can spell."""
    children: list[dict[int, int]] = [{}, {}, {}]
    ends: dict[int, int] = {}

    def put(root: int, letters: Sequence[int], piece: int) -> None:
        node = root
        for letter in letters:
            if letter not in children[node]:
                children.append({})
                children[node][letter] = len(children) - 1
            node = children[node][letter]
        ends[node] = piece

    put(_WORD, [_MASKED], mask)
    for piece, number in index.items():
        further = piece.startswith(CONTINUES) and piece != CONTINUES
        letters = piece.removeprefix(CONTINUES) if further else piece
        if letters and all(letter in numbers for letter in letters):
            put(_REST if further else _WORD, [numbers[letter] for letter in letters], number)
    return _numbered(children, ends, len(numbers) + _FIRST_CLASS)


def _numbered(
    children: list[dict[int, int]], ends: dict[int, int], classes: int
) -> tuple[Tensor, Tensor]:
    """Number the nodes anew, leaves last: more than half are, and nothing leads on from them."""
    roots = range(_REST + 1)
    order = [node for node, below in enumerate(children) if below or node in roots]
    inner = len(order)
    order += [node for node, below in enumerate(children) if not below and node not in roots]
    place = {node: i for i, node in enumerate(order)}
    steps = torch.zeros(inner, classes, dtype=torch.int32)
    for i, node in enumerate(order[:inner]):
        for letter, child in children[node].items():
            steps[i, letter] = place[child]
    return steps, torch.tensor([ends.get(node, -1) for node in order], dtype=torch.int32)


class WordPiece(nn.Module):
    """Longest match first, as BERT does it, for all words at once and without a sync."""

    classes: Tensor
    kinds: Tensor
    steps: Tensor
    named: Tensor
    special: Tensor

    def __init__(self, characters: int) -> None:
        """Empty tables, to be filled by `fill` or by the state of a checkpoint."""
        super().__init__()
        self.register_buffer("classes", torch.zeros(characters, dtype=torch.long))
        self.register_buffer("kinds", torch.zeros(characters, dtype=torch.long))
        self.register_buffer("steps", torch.zeros(0, 0, dtype=torch.int32))
        self.register_buffer("named", torch.zeros(0, dtype=torch.int32))
        self.register_buffer("special", torch.zeros(len(SPECIAL), dtype=torch.long))

    def fill(self, tables: Tables) -> None:
        """Take over the tables of a vocabulary."""
        if len(tables.classes) != len(self.classes):
            raise Error(
                f"the model knows {len(self.classes)} characters, the vocabulary's tables "
                f"{len(tables.classes)}: build them for the model's alphabet"
            )
        for name in ("classes", "kinds", "steps", "named", "special"):
            setattr(self, name, getattr(tables, name).to(self.classes.device))

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *rest: Any) -> None:
        for name in ("steps", "named"):  # as large as the vocabulary that was trained with
            if prefix + name in state_dict:
                setattr(self, name, torch.empty_like(state_dict[prefix + name]))
        super()._load_from_state_dict(state_dict, prefix, *rest)

    def forward(self, spellings: Tensor) -> tuple[Tensor, Tensor]:
        """[words, WIDTH] character ids -> piece ids [words, LONGEST] and their number [words]."""
        if not len(self.steps):
            raise Error("the model has no vocabulary yet: prepare it, or load a checkpoint")
        letters, groups, length = self._letters(spellings[:, 1:])
        pieces, ahead = self._longest(letters, groups)
        pieces, ahead = self._whole_groups(pieces, ahead, groups, length)
        # The end of a word leads to itself, and is no piece.
        pieces, ahead = F.pad(pieces, (0, 1), value=-1), F.pad(ahead, (0, 1), value=LONGEST)
        cursor = torch.zeros_like(length)
        visited = []
        for _ in range(LONGEST):
            visited.append(cursor)
            cursor = ahead.gather(1, cursor)
        ids = pieces.gather(1, torch.cat(visited, 1))
        return ids.clamp(min=0), (ids >= 0).sum(1)

    def _letters(self, characters: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Classes and groups [words, LONGEST] moved up over what is left out, and their number.

        BERT cuts a word into groups first: each mark stands alone, and no piece crosses a cut.
        """
        kinds = self.kinds[characters]
        alone = (kinds == ALONE).long()
        opened = (alone + (kinds == BLANK).long()).cumsum(1)
        groups = opened + F.pad(alone.cumsum(1)[:, :-1], (1, 0)) + 1  # a mark closes its own
        kept = kinds <= ALONE
        target = torch.where(kept, kept.long().cumsum(1) - 1, LONGEST)
        empty = torch.zeros_like(F.pad(characters, (0, 1)))
        letters = empty.scatter(1, target, self.classes[characters])[:, :LONGEST]
        return letters, empty.scatter(1, target, groups)[:, :LONGEST], kept.sum(1, keepdim=True)

    def _longest(self, letters: Tensor, groups: Tensor) -> tuple[Tensor, Tensor]:
        """From every letter: the longest piece, -1 = none, and the letter behind it."""
        inner, classes = self.steps.shape
        steps = self.steps.flatten()
        starts = groups != F.pad(groups[:, :-1], (1, 0))
        node = torch.where(starts, _WORD, _REST)
        column = torch.arange(LONGEST, device=letters.device)
        pieces = torch.full_like(letters, -1)
        ahead = torch.zeros_like(letters) + column
        for length in range(LONGEST):
            letter = F.pad(letters[:, length:], (0, length))
            same = F.pad(groups[:, length:], (0, length)) == groups
            node = torch.where(same & (node < inner), node, _DEAD)
            node = steps[node * classes + letter].long()
            piece = self.named[node].long()
            pieces = torch.where(piece >= 0, piece, pieces)
            ahead = torch.where(piece >= 0, column + length + 1, ahead)
        return pieces, ahead

    def _whole_groups(
        self, pieces: Tensor, ahead: Tensor, groups: Tensor, length: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Make one unknown piece of a group that has letters no piece covers."""
        column = torch.arange(LONGEST, device=pieces.device)
        real = column < length
        before = (groups[:, None, :] <= groups[:, :, None]) & real[:, None, :]
        behind = before.sum(2)  # first letter of the next group
        stuck = (pieces < 0) & real
        ahead = torch.where(stuck, behind, ahead)
        ahead = torch.where(real, ahead, LONGEST)
        # How often one gets stuck from here to the end of the word, in strides of 1, 2, 4, ...
        stops, stride = F.pad(stuck.long(), (0, 1)), F.pad(ahead, (0, 1), value=LONGEST)
        for _ in range(LONGEST.bit_length()):
            stops = stops + stops.gather(1, stride)
            stride = stride.gather(1, stride)
        failed = stops[:, :LONGEST] > stops.gather(1, behind)
        starts = groups != F.pad(groups[:, :-1], (1, 0))
        unknown = failed & starts & real
        return (
            torch.where(unknown, self.special[0], pieces.where(real, -1)),
            torch.where(unknown, behind, ahead),
        )


def learn(lines: Iterable[str], *, size: int, lower: bool = True) -> tuple[str, ...]:
    """A new vocabulary for text, by the `tokenizers` library."""
    try:
        from tokenizers import BertWordPieceTokenizer
    except ModuleNotFoundError as error:
        raise Error("tokenizers is not installed; run: pip install 'respell[lab]'") from error
    tokenizer = BertWordPieceTokenizer(lowercase=lower)
    tokenizer.train_from_iterator(lines, vocab_size=size, show_progress=False)
    vocabulary: dict[str, int] = tokenizer.get_vocab()
    return tuple(sorted(vocabulary, key=vocabulary.__getitem__))


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `wordpiece`."""
    parser.add_argument("text", type=Path, nargs="+", help="text files, or a lexicon")
    parser.add_argument("--out", type=Path, required=True, help="vocab.txt to write")
    parser.add_argument("--size", type=count, default=30_522, help="pieces at most")
    parser.add_argument("--cased", action="store_true", help="keep capitals and accents")


def run(args: argparse.Namespace) -> int:
    """Learn a vocabulary and write it, one piece a line."""
    lines = (line for path in args.text for line in read_lines(path) if line.strip())
    first = next(lines, None)
    if first is None:
        raise Error(f"{args.text[0]}: no text to learn pieces from")
    vocabulary = learn(chain([first], lines), size=args.size, lower=not args.cased)
    save_text("".join(f"{piece}\n" for piece in vocabulary), args.out)
    return 0
