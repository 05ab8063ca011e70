"""The `fetch` command: get the texts of a list of corpora, extract their sentences, clean them."""

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from respell.lab.common.storage import parse_json, read_json, sha256, to_json
from respell.lab.common.text_files import read_lines
from respell.lab.data.corpus import Source, read_sources
from respell.lab.data.fetch.checkout import fetched, given
from respell.lab.data.fetch.clean import HeldOut
from respell.lab.data.fetch.write import References, name_of, settings, write_corpus
from respell.types import Error

WORD_LISTS = tuple(
    Path(f"/usr/share/dict/{name}-english-huge") for name in ("american", "british", "canadian")
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `fetch` to a parser."""
    add = parser.add_argument
    add("names", nargs="*", metavar="NAME", help="corpora to fetch (default: all of the list)")
    add("--corpora", type=Path, required=True, help="TOML list of corpora: recipes/corpora.toml")
    add("--out", type=Path, required=True, help="folder of the corpora")
    add("--from", type=Path, dest="given", metavar="FOLDER", help="checkouts; no network is used")
    add("--cache", type=Path, help="folder for what is downloaded (OUT/cache)")
    add("--held-out", type=Path, nargs="+", default=[], metavar="FILE",
        help="dev and test sets, whose sentences are dropped")  # fmt: skip
    add("--words", type=Path, nargs="+", default=[], metavar="FILE",
        help="word lists (those of wamerican-huge, wbritish-huge and wcanadian-huge)")  # fmt: skip
    add("--misspellings", type=Path, nargs="+", default=[], metavar="FILE",
        help="TSV lists of misspellings; lines with one of them are dropped")  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Fetch the corpora that are not there yet, and print a line for each to stderr."""
    sources = _chosen(read_sources(args.corpora), args.names)
    if args.given and not args.given.is_dir():
        raise Error(f"{args.given}: no such folder of checkouts")
    if not args.held_out:
        _say("no --held-out: sentences of dev and test sets are not removed")
    references = _references(sources, args)
    failed = [source for source in sources if not _fetch(source, args, references)]
    if failed:
        names = " ".join(map(name_of, failed))
        raise Error(f"{len(failed)} of {len(sources)} corpora failed; try again: {names}")
    return 0


def _chosen(sources: Sequence[Source], names: Sequence[str]) -> list[Source]:
    """The sources with these names, or all that say where they come from."""
    by_name = {name_of(source): source for source in sources}
    for name in names:
        if name not in by_name:
            raise Error(f"{name}: not in the list; there are {', '.join(by_name)}")
        if not by_name[name].fetch:
            raise Error(f"{name}: the list does not say where to fetch it")
    return [by_name[name] for name in names] or [source for source in sources if source.fetch]


def _fetch(source: Source, args: argparse.Namespace, references: References) -> bool:
    """Fetch a corpus; say whether that worked, so that one missing repository stops no other."""
    name = name_of(source)
    try:
        if _is_there(source, args.out, references):
            _say(f"{name}: already there")
            return True
        if args.given:
            checkouts = [given(origin, args.given) for origin in source.fetch]
        else:
            cache = args.cache or args.out / "cache"
            checkouts = [fetched(origin, cache) for origin in source.fetch]
        record = write_corpus(source, args.out, checkouts, references)
    except Error as error:
        _say(f"{name}: {error}")
        return False
    dropped = ", ".join(f"{reason} {n:,}" for reason, n in record["dropped"].items())
    _say(f"{name}: {record['words']:,} words in {record['lines']:,} lines; dropped: {dropped}")
    return True


def _is_there(source: Source, out: Path, references: References) -> bool:
    """Whether a corpus was fetched with the same settings; no other file is overwritten."""
    path, record = out / source.file, out / f"{name_of(source)}.json"
    if not path.exists():
        return False
    found = read_json(record) if record.is_file() else {}
    if found.get("sha256") != sha256(path):
        raise Error(f"{path}: not as `fetch` wrote it; remove it to fetch it again")
    wanted = parse_json(to_json(settings(source, references)), str(record))
    return all(found.get(key) == value for key, value in wanted.items())


def _references(sources: Sequence[Source], args: argparse.Namespace) -> References:
    lists: list[Path] = []
    if any(source.clean.needs_words for source in sources):
        lists = args.words or [path for path in WORD_LISTS if path.is_file()]
        if not lists:
            raise Error("no word lists: install wamerican-huge and wbritish-huge, or use --words")
    words = frozenset(line.lower() for line in _all_lines(lists))
    return References(
        words=words,
        misspellings=frozenset(_misspellings(args.misspellings)) - words,
        held_out=HeldOut(_all_lines(args.held_out)),
        word_files=_hashes((*lists, *args.misspellings)),
        held_out_files=_hashes(args.held_out),
    )


def _hashes(paths: Iterable[Path]) -> dict[str, str]:
    return {path.name: sha256(path) for path in paths}


def _all_lines(paths: Iterable[Path]) -> Iterator[str]:
    return chain.from_iterable(map(read_lines, paths))


def _misspellings(paths: Iterable[Path]) -> Iterator[str]:
    """The second column of the lists, in lower case."""
    for path in paths:
        for number, line in enumerate(read_lines(path), 1):
            word, tab, misspelling = line.partition("\t")
            if not tab:
                raise Error(f"{path}:{number}: needs a word, a tab and a misspelling")
            if word.lower() != misspelling.lower():
                yield misspelling.partition("\t")[0].lower()


def _say(message: str) -> None:
    sys.stderr.write(f"respell.lab: {message}\n")
