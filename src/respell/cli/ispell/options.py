"""The options of ispell and aspell: those that matter here, and those that are only accepted."""

import argparse
import codecs
import contextlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from respell import __version__
from respell.cli.args import Parser, add_model_options, corrector_options, read_config
from respell.config import user_words_file
from respell.formats.languages import FORMATS
from respell.options import CorrectorOptions
from respell.types import Error

BANNER = (
    "@(#) International Ispell Version 3.1.20 (but really Aspell 0.60.8) "
    f"(but really respell {__version__})"
)
"""The first line of an answer. Emacs uses UTF-8 only with a program that it knows, as aspell."""
DICTIONARIES = ("en", "en_GB", "en_US")
_DATA = str(Path(__file__).parent)
CONFIG = {"lang": "en", "encoding": "utf-8", "mode": "none", "dict-dir": _DATA, "data-dir": _DATA}
"""What `config KEY` prints, which is an aspell command."""
MODES = {
    "none": "plain",
    "url": "plain",
    "email": "plain",
    "nroff": "man",
    "tex": "latex",
    "sgml": "html",
    "xml": "html",
    "ccpp": "cpp",
    "comment": "shell",
}
"""The filter modes of aspell and ispell -> formats; the names of formats are modes too."""
_VARIANTS = (
    (r"(en[_-]GB|british|uk)\b", "en-GB"),
    (r"(en[_-]US|american|us)\b", "en-US"),
    (r"(en|eng|english|default)(\b|_)", "auto"),
)
_EXAMPLE = """\
Programs start it with the options of ispell or aspell. All of them are accepted;
those that are not listed here have no effect.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the command line asks for."""

    task: str  # "session", "list", "version", "dicts" or "config"
    corrector: CorrectorOptions
    personal: Path
    encoding: str = "utf-8"
    format: str = "plain"
    ignore: int = 0  # words of at most so many letters are right
    key: str = ""


def read(arguments: Sequence[str]) -> Options:
    """Read the command line of ispell or aspell."""
    given, others = _parser().parse_known_args(arguments)
    config = read_config(given)
    options = corrector_options(given, config)
    language = given.dict or given.lang or given.l
    if language and given.variant is None:
        options = replace(options, variant=_variant(language))
    own = [given.personal] if given.personal else [*config.dictionary_files, user_words_file()]
    return Options(
        task=_task(given, others),
        corrector=options,
        personal=own[0].expanduser(),
        encoding=_encoding(given.encoding),
        format=mode(given.mode or "none") or "plain",
        ignore=given.ignore,
        key=others[-1] if others else "",
    )


def for_fix(arguments: Sequence[str], fix: argparse.Namespace) -> argparse.Namespace:
    """The command line of ispell with a file as that of `fix`, whose defaults are given."""
    given, others = _parser().parse_known_args(arguments)
    fix.paths = [name for name in others if not name.startswith("-")]
    if len(fix.paths) != 1:
        raise Error("name one file to correct: respell -c FILE")
    asked = read(arguments)
    vars(fix).update({name: value for name, value in vars(given).items() if name in vars(fix)})
    fix.variant = asked.corrector.variant
    with contextlib.suppress(OSError):  # without the file, words are added to one in this folder
        asked.personal.parent.mkdir(parents=True, exist_ok=True)
        asked.personal.touch()
        fix.dictionary = [*given.dictionary, asked.personal]
    return fix


def mode(name: str) -> str | None:
    """The format of a filter mode; None if there is no such mode."""
    name = name.lower()
    return MODES.get(name) or (name if name in FORMATS else None)


def _parser() -> Parser:
    parser = Parser(
        prog="respell -a",
        usage="respell -a [OPTIONS], or respell -c [OPTIONS] FILE",
        description="Do what ispell and aspell do: answer on stdin and stdout, or correct a file.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("-a", "-A", "--ispell", action="store_true", help="answer line by line")
    add("-c", action="store_true", help="correct a file; ask before each change")
    add("-l", nargs="?", const="", metavar="LANG", help="only list the misspelled words of stdin")
    add("-v", action="store_true", help="print the version line that programs look for")
    add("-D", action="store_true", help="list the dictionaries")
    add("-d", "--dict", "--master", metavar="NAME", help="en, en_GB or en_US")
    add("--lang", metavar="NAME", help="the same")
    add("-p", "--personal", type=Path, metavar="FILE", help="the file of your words")
    add("-i", "-T", "--encoding", default="utf-8", metavar="NAME", help="default: utf-8")
    add("--mode", metavar="NAME", help="the markup to skip: none, tex, html, nroff, markdown, ...")
    add("-W", "--ignore", type=_length, default=0, metavar="N", help="accept words of N letters")
    for flag, name in (("-t", "tex"), ("-n", "nroff"), ("-H", "html"), ("-e", "email")):
        add(flag, dest="mode", action="store_const", const=name, help=f"the same as --mode={name}")
    for flag in ("-w", "-L", "-f", "--sug-mode", "--size", "--variety", "--repl", "--home-dir"):
        add(flag, dest="unused", help=argparse.SUPPRESS)
    for flag in "BCPSmxbNMVsu":
        add(f"-{flag}", dest="unused", action="store_true", help=argparse.SUPPRESS)
    add_model_options(parser)
    return parser


def _task(given: argparse.Namespace, others: Sequence[str]) -> str:
    if given.v:
        return "version"
    if given.D:
        return "dicts"
    if given.ispell:
        return "session"
    command = next((one for one in others if one in ("list", "dicts", "config")), None)
    return command or ("list" if given.l is not None else "session")


def _variant(name: str) -> str:
    for pattern, variant in _VARIANTS:
        if re.match(pattern, Path(name).name, re.IGNORECASE):
            return variant
    raise Error(f"no dictionary {name!r}; respell knows English only: {', '.join(DICTIONARIES)}")


def _encoding(name: str) -> str:
    """A codec for the name of an encoding; Emacs adds the kind of line end to some names."""
    plain = re.sub(r"-(unix|dos|mac)$", "", name)
    # -T names an encoding for hunspell but a kind of file for ispell.
    if plain in ("nroff", "tex", "list", "html"):
        return "utf-8"
    try:
        codec = codecs.lookup(plain).name
        lines_are_ascii = "a\n".encode(codec) == b"a\n"
    except (LookupError, TypeError, UnicodeError):
        lines_are_ascii = False
    if not lines_are_ascii:
        raise Error(f"no encoding {name!r}; use utf-8")
    return codec


def _length(text: str) -> int:
    """A number of letters; ispell reads anything else as 0."""
    return int(text) if text.isdecimal() else 0
