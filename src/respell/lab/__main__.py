"""`python -m respell.lab`: build data, train, choose thresholds, evaluate, export."""

import argparse
import importlib
import os
import sys

from respell.lab.stopping import INTERRUPTED, unwinding
from respell.types import Error

TROUBLE = 2

COMMANDS = {
    "build": ("respell.lab.build", "", "corpora into a lexicon and arrays of ids"),
    "noise": ("respell.lab.freeze", "", "clean sentences into a frozen noisy test set"),
    "invent": ("respell.lab.invent", "", "lists of misspellings into many more of their kind"),
    "wordpiece": ("respell.lab.wordpiece", "", "text into a vocabulary of pieces of words"),
    "train": ("respell.lab.train", "", "a recipe and a build folder into a checkpoint"),
    "average": ("respell.lab.average", "", "one checkpoint between two of the same run"),
    "presets": ("respell.lab.presets", "", "choose the operating points on dev sets"),
    "calibrate": ("respell.lab.calibrate", "", "how far the scores of a model can be believed"),
    "dictionary": ("respell.lab.listed", "", "what listing words is worth; choose their bias"),
    "evaluate": ("respell.lab.evaluate", "", "score a system on token-aligned files"),
    "false-alarms": ("respell.lab.evaluate", "_false_alarms", "count alarms on clean text"),
    "table": ("respell.lab.plots", "_table", "results as a Markdown table"),
    "capitals": ("respell.lab.capitals", "", "how people write words like YouTube and NASA"),
    "golden": ("respell.lab.golden", "", "a bundle's exact answers, for every face to give"),
    "mistakes": ("respell.lab.mistakes", "", "sample what a model gets wrong"),
    "ablation": ("respell.lab.ablation", "", "train runs that differ in one lever"),
    "page": ("respell.lab.page.command", "", "render the page about the model from results"),
    "card": ("respell.lab.card", "", "render a bundle's card from results"),
    "peers": ("respell.lab.peers.command", "", "other correctors beside ours"),
    "paper": ("respell.lab.paper.command", "", "the paper's rows beside the published figures"),
    "export": ("respell.lab.export", "", "a checkpoint into a bundle"),
    "unpack": ("respell.lab.unpack", "", "a bundle into a checkpoint, to train it further"),
}
"""Command: (module, suffix of its configure and run functions, help)."""


def main(argv: list[str] | None = None) -> int:
    """Run the command line; errors become one line and exit code 2."""
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
        told = " ".join(str(error).split())
        print(f"respell.lab: {type(error).__name__}: {told}", file=sys.stderr)
    return TROUBLE


def _run(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m respell.lab", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    chosen = arguments[0] if arguments else None
    for name, (module, suffix, text) in COMMANDS.items():
        command = commands.add_parser(name, help=text, description=text)
        if name == chosen:  # only the command asked for imports torch and the like
            getattr(_import(module), "configure" + suffix)(command)
    args = parser.parse_args(arguments)
    module, suffix, _ = COMMANDS[args.command]
    return int(getattr(_import(module), "run" + suffix)(args))


def _import(module: str) -> object:
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise Error(f"{error.name} is not installed; run: pip install 'respell[lab]'") from error


if __name__ == "__main__":
    sys.exit(main())
