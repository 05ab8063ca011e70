"""WordPiece over rows of character ids, as a part of the graph of a model.

The module splits many words at once. The tables of its vocabulary are buffers, so that a checkpoint
stores them with its weights.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

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
"""Names of the special pieces, preferred first; the vocabulary of MPNet also has those of BERT."""
LETTER, ALONE, BLANK, DROPPED = range(4)
_DEAD, _WORD, _REST = range(3)  # nodes: no such piece; roots of first pieces and of other pieces
_NOTHING, _STRANGE, _MASKED = range(3)  # classes of characters that are not in a vocabulary
_FIRST_CLASS = 3
_CLASSES = {CHAR_PAD: _NOTHING, CHAR_UNKNOWN: _STRANGE, CHAR_START: _NOTHING, CHAR_MASK: _MASKED}
_KINDS = {CHAR_PAD: BLANK, CHAR_UNKNOWN: LETTER, CHAR_START: DROPPED, CHAR_MASK: ALONE}
_HAN = re.compile(
    "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0002a6df\U0002a700-\U0002b81f\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f]"
)


def read_vocabulary(path: Path) -> tuple[str, ...]:
    """The pieces of a `vocab.txt`, one per line, in the order of their ids."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Error(f"{path}: cannot read the vocabulary ({error})") from error
    pieces = tuple(text.removesuffix("\n").split("\n"))
    for name, spelled in SPECIAL.items():
        if name != "mask" and not any(special in pieces for special in spelled):
            raise Error(f"{path}: not a WordPiece vocabulary, {' or '.join(spelled)} is missing")
    return pieces


def is_lower(vocabulary: Iterable[str]) -> bool:
    """Whether all pieces of a vocabulary are in lower case, except special pieces."""
    plain = (piece for piece in vocabulary if piece[:1] not in "[<")
    return not any(c.isascii() and c.isupper() for piece in plain for c in piece)


def normalized(character: str, *, lower: bool) -> tuple[str, int]:
    """A character as normalized by BERT, and how it splits words there."""
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
    """The tables of a vocabulary in the graph."""

    classes: Tensor  # [characters] class of a character in the vocabulary
    kinds: Tensor  # [characters] LETTER, ALONE, BLANK or DROPPED
    steps: Tensor  # [inner nodes, classes] the node after a node and a character
    named: Tensor  # [nodes] piece that ends at a node, -1 = none; inner nodes come first
    special: Tensor  # [4] ids of SPECIAL

    @classmethod
    def build(cls, vocabulary: Sequence[str], alphabet: str) -> "Tables":
        """Tables for the character ids of an alphabet.

        A character that is normalized to several letters counts as unknown.
        """
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
    """The tables `steps` and `named` of all pieces in the letters of the alphabet."""
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
    """Renumber the nodes with leaves last; more than half are leaves, which need no row."""
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
    """Longest match first, as in BERT, for all words at once and without synchronisation."""

    classes: Tensor
    kinds: Tensor
    steps: Tensor
    named: Tensor
    special: Tensor

    def __init__(self, characters: int) -> None:
        """Create empty tables, to be set by `fill` or by the state of a checkpoint."""
        super().__init__()
        self.register_buffer("classes", torch.zeros(characters, dtype=torch.long))
        self.register_buffer("kinds", torch.zeros(characters, dtype=torch.long))
        self.register_buffer("steps", torch.zeros(0, 0, dtype=torch.int32))
        self.register_buffer("named", torch.zeros(0, dtype=torch.int32))
        self.register_buffer("special", torch.zeros(len(SPECIAL), dtype=torch.long))

    def fill(self, tables: Tables) -> None:
        """Set the tables of a vocabulary."""
        if len(tables.classes) != len(self.classes):
            raise Error(
                f"the model has {len(self.classes)} characters, the tables have "
                f"{len(tables.classes)}: build them for the alphabet of the model"
            )
        for name in ("classes", "kinds", "steps", "named", "special"):
            setattr(self, name, getattr(tables, name).to(self.classes.device))

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *rest: Any) -> None:
        for name in ("steps", "named"):  # their sizes depend on the vocabulary
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
        # The end of a word is not a piece and is followed by itself.
        pieces, ahead = F.pad(pieces, (0, 1), value=-1), F.pad(ahead, (0, 1), value=LONGEST)
        cursor = torch.zeros_like(length)
        visited = []
        for _ in range(LONGEST):
            visited.append(cursor)
            cursor = ahead.gather(1, cursor)
        ids = pieces.gather(1, torch.cat(visited, 1))
        return ids.clamp(min=0), (ids >= 0).sum(1)

    def _letters(self, characters: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Classes and groups [words, LONGEST] without dropped characters, and their number.

        BERT first splits a word into groups: each punctuation mark is a group of its own, and no
        piece crosses the border of a group.
        """
        kinds = self.kinds[characters]
        alone = (kinds == ALONE).long()
        opened = (alone + (kinds == BLANK).long()).cumsum(1)
        groups = opened + F.pad(alone.cumsum(1)[:, :-1], (1, 0)) + 1  # a mark ends its group
        kept = kinds <= ALONE
        target = torch.where(kept, kept.long().cumsum(1) - 1, LONGEST)
        empty = torch.zeros_like(F.pad(characters, (0, 1)))
        letters = empty.scatter(1, target, self.classes[characters])[:, :LONGEST]
        return letters, empty.scatter(1, target, groups)[:, :LONGEST], kept.sum(1, keepdim=True)

    def _longest(self, letters: Tensor, groups: Tensor) -> tuple[Tensor, Tensor]:
        """For every letter: the longest piece from there, -1 = none, and the letter after it."""
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
        """Replace a group by one unknown piece if no pieces cover all its letters."""
        column = torch.arange(LONGEST, device=pieces.device)
        real = column < length
        before = (groups[:, None, :] <= groups[:, :, None]) & real[:, None, :]
        behind = before.sum(2)  # first letter of the next group
        stuck = (pieces < 0) & real
        ahead = torch.where(stuck, behind, ahead)
        ahead = torch.where(real, ahead, LONGEST)
        # How often no piece is found from here to the end of the word, in strides of 1, 2, 4, ...
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
