"""The `freeze` command: add noise to clean sentences, to make a fixed test set."""

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import torch

from respell.cli.args import count
from respell.lab.common.arguments import seed
from respell.lab.common.storage import save_text
from respell.lab.common.text_files import read_lines
from respell.lab.data.corpus import read_lexicon
from respell.lab.misspellings.word_lists import merge, read_tsv
from respell.lab.noise.config import NoiseConfig
from respell.lab.noise.sampler import Noiser
from respell.lab.noise.surfaces import Pairs, SurfaceTable, alphabet, extend
from respell.model.bundle import digest
from respell.model.encode import FIRST_CHARACTER, LONGEST, Encoder
from respell.model.lexicon import Lexicon
from respell.text.case import transfer_case
from respell.types import Error


def freeze(
    sentences: Sequence[Sequence[str]],
    pairs: dict[str, list[str]],
    config: NoiseConfig,
    *,
    seed: int,
) -> list[list[str]]:
    """Add noise to sentences; the same seed gives the same noise."""
    words = sorted({word for sentence in sentences for word in sentence})
    characters = alphabet([*words, *(spelling for s in pairs.values() for spelling in s)])
    # A word with a character outside the alphabet cannot be converted back to text.
    writable = frozenset(characters).issuperset
    pairs = {word: [s for s in spellings if writable(s)] for word, spellings in pairs.items()}
    surfaces = extend(words, pairs)
    index = {surface: i for i, surface in enumerate(surfaces)}
    encoder = Encoder(Lexicon(words), characters, "exact")
    rows = torch.from_numpy(encoder.spell(surfaces).astype(np.uint8))
    table = SurfaceTable.build(rows, lexicon_size=len(words))
    letters = ["\0"] * FIRST_CHARACTER + list(characters)
    eligible = torch.tensor([writable(surface) for surface in surfaces])
    lists = Pairs.from_lists(pairs, index, words)
    noiser = Noiser(table, lists, config, alphabet=characters, eligible=eligible, capacity=1.0)
    generator = torch.Generator().manual_seed(seed)
    noisy: list[list[str]] = []
    for start in range(0, len(sentences), 256):
        chunk = sentences[start : start + 256]
        ids = torch.full((len(chunk), max(map(len, chunk))), -1)
        for i, sentence in enumerate(chunk):
            ids[i, : len(sentence)] = torch.tensor([index[word] for word in sentence])
        segments = torch.where(ids >= 0, 0, -1)
        noised = noiser(ids, segments, torch.zeros_like(ids, dtype=torch.uint8), generator)
        for sentence, changed, spelled in zip(
            chunk, noised.changed.tolist(), noised.characters.tolist(), strict=True
        ):
            noisy.append(
                [
                    "".join(letters[c] for c in row[1:] if c) if wrong else word
                    for word, wrong, row in zip(sentence, changed, spelled, strict=False)
                ]
            )
    return noisy


def mix(
    pairs: Mapping[str, Sequence[str]], new: Mapping[str, Sequence[str]], share: float
) -> dict[str, list[str]]:
    """Mix two lists so that `share` of the misspellings come from the second one.

    Words that only one list has are not mixed. The second list is in lower case; its misspellings
    get the case of the word.
    """
    mixed = {}
    for word, known in pairs.items():
        others = [transfer_case(word, spelling) for spelling in new.get(word.lower(), ())]
        others = [spelling for spelling in others if spelling not in known]
        if others:
            repeats = max(1, round(len(others) * (1 - share) / share))
            mixed[word] = [*known] * repeats + others * len(known)
        else:
            mixed[word] = [*known]
    return mixed


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `freeze`."""
    parser.add_argument("input", type=Path, help="clean sentences, tokens separated by spaces")
    parser.add_argument("--lists", type=Path, nargs="+", required=True, help="misspellings, TSV")
    parser.add_argument("--new", type=Path, help="additional misspellings, not in the lists")
    parser.add_argument(
        "--new-share", type=float, default=0.2, help="their share of the noise (0.2)"
    )
    parser.add_argument("--out", type=Path, required=True, help="prefix of the files to write")
    parser.add_argument(
        "--synthetic", type=float, default=0.0, help="share of sentences with synthetic noise (0)"
    )
    parser.add_argument("--sigma", type=float, default=0.2, help="amount of noise (0.2)")
    parser.add_argument("--seed", type=seed, default=1, help="of random choices (1)")
    parser.add_argument("--lexicon", type=Path, help="use only sentences of words in this lexicon")
    parser.add_argument("--limit", type=count, help="number of sentences to use")


def run(args: argparse.Namespace) -> int:
    """Write PREFIX.noisy.txt, PREFIX.gold.txt and PREFIX.json."""
    sentences = _read_sentences(args)
    config = NoiseConfig(synthetic=args.synthetic, sigmas=(args.sigma,))
    noisy = freeze(sentences, _read_pairs(args), config, seed=args.seed)
    if noisy == sentences:
        raise Error(f"{args.input}: no word was misspelled; --lists must have some of its words")
    args.out.parent.mkdir(parents=True, exist_ok=True)
    facts: dict[str, object] = {"input": args.input.name, "input_sha256": digest(args.input)}
    facts |= {"lists": {path.name: digest(path) for path in args.lists}}
    if args.new:
        facts |= {"new": {args.new.name: digest(args.new)}, "new_share": args.new_share}
    if args.lexicon:
        facts["lexicon_sha256"] = digest(args.lexicon)
    facts |= {"seed": args.seed, "sigma": args.sigma, "synthetic": args.synthetic}
    for kind, side in (("noisy", noisy), ("gold", sentences)):
        path = args.out.with_name(f"{args.out.name}.{kind}.txt")
        save_text("".join(" ".join(tokens) + "\n" for tokens in side), path)
        facts[f"{kind}_sha256"] = digest(path)
    save_text(json.dumps(facts, indent=1) + "\n", args.out.with_name(f"{args.out.name}.json"))
    return 0


def _read_sentences(args: argparse.Namespace) -> list[list[str]]:
    lines = [line.split(" ") for line in read_lines(args.input)]
    sentences = [s for s in lines if len(s) <= 200 and 0 < max(map(len, s)) <= LONGEST]
    if args.lexicon:
        known = frozenset(read_lexicon(args.lexicon).words)
        sentences = [sentence for sentence in sentences if known.issuperset(sentence)]
    if not sentences:
        raise Error(f"{args.input}: no sentence of at most 200 tokens of {LONGEST} characters")
    return sentences[: args.limit]


def _read_pairs(args: argparse.Namespace) -> dict[str, list[str]]:
    if not 0 < args.new_share < 1:
        raise Error(f"--new-share {args.new_share}: write a share above 0 and below 1")
    pairs = merge(*map(read_tsv, args.lists))
    if not pairs and not args.synthetic:
        raise Error(f"{args.lists[0]}: no pairs; use other --lists or --synthetic")
    return mix(pairs, read_tsv(args.new), args.new_share) if args.new else pairs
