"""The `vocabulary-bias` command: choose the bias of valid words outside the lexicon."""

import argparse
import sys
from copy import copy
from dataclasses import asdict, replace
from itertools import chain

from respell.corrector import Corrector
from respell.decision.valid_words import SUGGESTED
from respell.decision.vocabulary import table
from respell.lab.common.presets_file import add_to_presets
from respell.lab.common.provenance import provenance, write_json
from respell.lab.common.storage import to_json
from respell.lab.common.text_files import read_lines
from respell.lab.data.corpus import HeldOut, heldout_lines
from respell.lab.evaluate import systems
from respell.lab.tune import dictionary_bias
from respell.lab.tune.dictionary_bias import Cases, Measured, describe
from respell.model.compose import UserWordScorer
from respell.types import Error

BIASES = tuple(map(float, range(-6, 4)))
RATE = 0.0002
"""The assumed share of words in a text that are misspelled and outside the lexicon."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `vocabulary-bias`."""
    systems.add_model_arguments(parser)
    dictionary_bias.add_texts(parser)


def run(args: argparse.Namespace) -> int:
    """Choose the bias if there is dev text, then measure with and without these suggestions."""
    model = systems.load_model(args)
    corrector = model.corrector
    if not isinstance(corrector.forward, UserWordScorer):
        raise Error(
            "this model cannot score words outside its lexicon; train it with model.composed"
        )
    lexicon = corrector.bundle.lexicon
    every = chain.from_iterable(map(table, SUGGESTED))
    words = frozenset(word for word in every if word not in lexicon)
    collector = dictionary_bias.make_collector(args, corrector.bundle, words)

    def measured(cases: Cases, bias: float | None) -> Measured:
        return dictionary_bias.measure(_with_bias(corrector, bias), cases, words)

    record = {"rate": RATE, "lists": [describe(path) for path in args.lists]}
    bias = corrector.policy.vocabulary_bias
    if args.dev:
        dev = collector.collect(read_lines(args.dev))
        bias, tried = dictionary_bias.choose(lambda b: measured(dev, b), BIASES, RATE)
        record["dev"] = {"text": describe(args.dev), "tried": tried}
    part: HeldOut = args.part
    cases = collector.collect(heldout_lines(args.test, part))
    without, found = measured(cases, None), measured(cases, bias)
    record |= {
        "bias": bias,
        "test": {"text": describe(args.test), "part": part, "seed": args.seed},
        "without": asdict(without),
        "with": asdict(found) | {"f05": found.f05(RATE)},
        "system": dict(model.description),
    }
    write_json(args.output, record | provenance())
    if args.presets and args.dev and bias is not None:
        add_to_presets(args.presets, "vocabulary_bias", bias)
    sys.stdout.write(to_json({key: record[key] for key in ("bias", "without", "with")}))
    return 0


def _with_bias(corrector: Corrector, bias: float | None) -> Corrector:
    """The corrector with another bias; None turns suggestions outside the lexicon off."""
    changed = copy(corrector)
    changed.policy = replace(corrector.policy, vocabulary_bias=bias)
    return changed
