"""The command line of the lab: `python -m respell.lab`."""

import argparse
import importlib
import os
import sys
from typing import Any

from respell.lab.common.stopping import INTERRUPTED, unwinding
from respell.types import Error

TROUBLE = 2
_ABOUT = (
    "Prepare data, and train, tune, evaluate and export models. COMMAND --help has its options."
)
COMMANDS = {
    "chain": ("export.chain", "run the stages from the training data to a bundle"),
    "fetch": ("data.fetch.command", "get the corpora of a list from their origins and clean them"),
    "build": ("data.build", "turn corpora into a lexicon and arrays of word IDs"),
    "generate": ("misspellings.generate", "generate more misspellings like those of some lists"),
    "confusions": ("misspellings.confusions", "make a table of real words that people confuse"),
    "freeze": ("noise.freeze", "add noise to clean sentences, to make a fixed test set"),
    "wordpiece": ("train.wordpiece", "learn a WordPiece vocabulary"),
    "train": ("train.command", "train a checkpoint from a recipe and a build folder"),
    "average": ("train.average", "average the weights of two checkpoints of a run"),
    "export": ("export.command", "export a checkpoint as a bundle"),
    "vocabulary": ("misspellings.vocabulary", "write the table of valid words outside a lexicon"),
    "unpack": ("export.unpack", "turn a bundle back into a checkpoint, to train it further"),
    "truecase": ("export.truecase", "add the usual capitalization of words to a bundle"),
    "golden": ("export.golden", "write the exact corrections of a bundle, for tests"),
    "card": ("export.card", "write the model card of a bundle from results"),
    "everyday": ("tune.everyday", "make dev sets of everyday text"),
    "presets": ("tune.presets", "choose the presets on dev sets"),
    "reliability": ("tune.reliability", "measure how often corrections are right, by score"),
    "dictionary-bias": ("tune.dictionary_bias", "choose the bias for words of a user's dictionary"),
    "vocabulary-bias": ("tune.vocabulary_bias", "choose the bias for words outside the lexicon"),
    "spacing-threshold": (
        "tune.spacing_threshold",
        "choose when missing and extra spaces are reported",
    ),
    "evaluate": ("evaluate.command", "score a system on token-aligned files"),
    "false-alarms": ("evaluate.false_alarms", "count the words flagged in clean text"),
    "table": ("evaluate.table", "print results as a Markdown table"),
    "mistakes": ("evaluate.mistakes", "sample the mistakes of a model"),
    "ablation": ("evaluate.ablation", "train runs that differ from a recipe in one setting"),
    "report": ("evaluate.report.command", "write the results page of the model"),
    "peers": ("evaluate.peers.command", "compare respell with other correctors"),
    "paper": ("evaluate.paper.command", "train and score the models of the paper's tables"),
}
"""Command: (module below respell.lab, help)."""


def main(argv: list[str] | None = None) -> int:
    """Run the command line. Errors are reported in one line, with exit status 2."""
    try:
        with unwinding():
            return _run(sys.argv[1:] if argv is None else argv)
    except KeyboardInterrupt:
        return INTERRUPTED
    except (Error, OSError) as error:
        print(f"respell.lab: {error}", file=sys.stderr)
    except Exception as error:
        if os.environ.get("RESPELL_DEBUG"):
            import traceback

            traceback.print_exc()
        message = " ".join(str(error).split())
        print(f"respell.lab: {type(error).__name__}: {message}", file=sys.stderr)
    return TROUBLE


def _run(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m respell.lab", description=_ABOUT)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    chosen = arguments[0] if arguments else None
    for name, (module, text) in COMMANDS.items():
        command = commands.add_parser(name, help=text, description=text)
        if name == chosen:  # importing the others would load torch for nothing
            _import(module).configure(command)
    args = parser.parse_args(arguments)
    return int(_import(COMMANDS[args.command][0]).run(args))


def _import(module: str) -> Any:
    try:
        return importlib.import_module(f"respell.lab.{module}")
    except ModuleNotFoundError as error:
        raise Error(f"{error.name} is not installed; run: pip install '.[lab]'") from error


if __name__ == "__main__":
    sys.exit(main())
