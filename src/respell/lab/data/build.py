"""The `build` command: turn corpora into a lexicon and shards of word indexes.

Each corpus is scanned separately into provisional codes. The scans are then merged into one
lexicon, and the renumbered codes are written as shards. The result does not depend on the number
of processes.
"""

import argparse
import hashlib
import lzma
import os
import shutil
import sys
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor, Future
from dataclasses import asdict, replace
from itertools import islice
from pathlib import Path
from typing import Any, get_args

from respell.cli.args import count
from respell.lab.common.storage import replacing_folder, save_text, sha256, to_json
from respell.lab.data.corpus import Source, Style, read_lexicon, read_sources
from respell.lab.data.merge_scans import Cut, Part, count_forms, first_seen, gather, plan, renumber
from respell.lab.data.scan import Scan, ScanOptions, scan
from respell.lab.data.shards import ESCAPE, write_shard
from respell.lab.data.workers import workers
from respell.model.bundle import INVALID
from respell.model.encode import Casing
from respell.model.lexicon import Lexicon
from respell.types import Error

SHARD_TOKENS = 10_000_000
MISSING_APOSTROPHE = 0.02
"""A form such as *dont* is a typo if its count is below this share of the count of *don't*."""
SCAN_OPTIONS: dict[Casing, ScanOptions] = {
    "lower": ScanOptions(),
    # As in the paper's code: at most 200 tokens, of at most 20 characters each.
    "exact": ScanOptions(casing="exact", min_words=1, max_words=200, longest=20),
}


def build(
    sources: Sequence[Source],
    out: Path,
    *,
    data: Path,
    size: int = 50_000,
    options: ScanOptions | None = None,
    lexicon: Lexicon | None = None,
    closed: bool = False,
    jobs: int = 1,
    shard_tokens: int = SHARD_TOKENS,
) -> dict[str, Any]:
    """Build the folder `out` from the training lines of the sources, and return its manifest.

    The files of the sources are read from the folder `data`. If no lexicon is given, it is made of
    the `size` most frequent forms. `closed` drops all sentences with a form outside the lexicon.
    """
    options = options or SCAN_OPTIONS["lower"]
    sources = [source for source in sources if source.heldout != "all"]
    _check(sources, out, data, size=size if lexicon is None else len(lexicon), jobs=jobs)
    with replacing_folder(out) as folder, workers(jobs) as pool:
        scans = _scan_all(sources, data, options, folder / "scans", pool)
        if not any(scan.lines for scan in scans):
            raise Error(f"{data / sources[0].file}: no text; write one sentence per line")
        keeps = first_seen(scans)
        counts = count_forms(scans, keeps)
        if lexicon is None:
            lexicon = _most_frequent(counts, size, lower=options.casing == "lower")
        surfaces = [] if closed else [form for form, _ in counts if form not in lexicon]
        index = {form: i for i, form in enumerate((*lexicon, *surfaces))}
        parts = [renumber(scan, keep, index) for scan, keep in zip(scans, keeps, strict=True)]
        if not any(part.keep.any() for part in parts):
            raise Error("no sentence is left to build from; change --min-words or --closed")
        _write_forms(lexicon, folder / "lexicon.txt")
        if not closed:
            _write_forms(surfaces, folder / "surfaces.txt.xz")
        _write_shards(parts, plan(parts, shard_tokens), folder, len(lexicon), pool)
        manifest = {
            "format": 1,
            "arguments": {**asdict(options), "size": size, "closed": closed},
            "sources": [_describe(*pair, data) for pair in zip(sources, parts, strict=True)],
            "totals": _totals(parts, counts, lexicon, len(surfaces)),
            **_hashes(folder),
        }
        shutil.rmtree(folder / "scans")
        save_text(to_json(manifest), folder / "manifest.json")
    return manifest


def _most_frequent(counts: Sequence[tuple[str, int]], size: int, *, lower: bool) -> Lexicon:
    """The most frequent forms that a bundle may have.

    If they are lower-cased, typos such as "dont" are left out.
    """
    number = dict(counts)
    whole = {form.replace("'", ""): n for form, n in counts if "'" in form.strip("'")}

    def is_typo(form: str) -> bool:
        limit = MISSING_APOSTROPHE * whole.get(form, 0)
        return lower and "'" not in form and number[form] < limit

    usable = (form for form, _ in counts if not is_typo(form) and not INVALID.search(form))
    return Lexicon(islice(usable, size))


def _check(sources: Sequence[Source], out: Path, data: Path, *, size: int, jobs: int) -> None:
    if out.exists():
        raise Error(f"{out}: already exists; remove it or name another folder")
    if jobs < 1:
        raise Error(f"jobs must be 1 or more, not {jobs}")
    if not sources:
        raise Error("nothing to build from: name at least one corpus with training lines")
    if not 0 < size < ESCAPE:
        raise Error(f"a lexicon has from 1 to {ESCAPE - 1} words, not {size}")
    for source in sources:
        if (data / source.file).is_dir():
            raise Error(f"{data / source.file}: a folder, not a corpus; name the files in it")
        if not (data / source.file).is_file():
            raise Error(
                f"{data / source.file}: no such corpus; docs/internals/data.md says where to get it"
            )


def _scan_all(
    sources: Sequence[Source], data: Path, options: ScanOptions, folder: Path, pool: Executor
) -> list[Scan]:
    def task(i: int) -> Future[Scan]:
        path, source = data / sources[i].file, sources[i]
        return pool.submit(scan, path, source, options, folder / str(i))

    # The largest first, so that no long scan runs alone at the end.
    order = sorted(range(len(sources)), key=lambda i: -(data / sources[i].file).stat().st_size)
    futures = {i: task(i) for i in order}
    return [futures[i].result() for i in range(len(sources))]


def _write_forms(forms: Iterable[str], path: Path) -> None:
    lines = "".join(f"{form}\n" for form in forms).encode()
    path.write_bytes(lzma.compress(lines, preset=3) if path.suffix == ".xz" else lines)


def _write_shards(
    parts: Sequence[Part],
    shards: Sequence[Sequence[Cut]],
    folder: Path,
    lexicon_size: int,
    pool: Executor,
) -> None:
    futures = [
        pool.submit(
            _write_shard,
            {cut.part: parts[cut.part] for cut in cuts},
            cuts,
            lexicon_size,
            folder / f"shard-{i:03}.npz.xz",
        )
        for i, cuts in enumerate(shards)
    ]
    for future in futures:
        future.result()


def _write_shard(
    parts: dict[int, Part], cuts: Sequence[Cut], lexicon_size: int, path: Path
) -> None:
    write_shard(gather(parts, cuts, lexicon_size=lexicon_size), path)


def _describe(source: Source, part: Part, data: Path) -> dict[str, Any]:
    path = data / source.file
    lengths = part.lengths()
    described = {key: value for key, value in asdict(source).items() if key != "clean"}
    return {
        **described,
        "fetch": "; ".join(origin.name for origin in source.fetch),
        "file": path.name,
        "sha256": sha256(path),
        "lines": part.scan.lines,
        "sentences": len(lengths),
        "words": int(lengths.sum()),
    }


def _totals(
    parts: Sequence[Part], counts: Sequence[tuple[str, int]], lexicon: Lexicon, surfaces: int
) -> dict[str, Any]:
    seen = sum(count for _, count in counts)
    outside = sum(count for form, count in counts if form not in lexicon)
    return {
        "sentences": sum(len(part.lengths()) for part in parts),
        "words": sum(int(part.lengths().sum()) for part in parts),
        "lexicon": len(lexicon),
        "surfaces": surfaces,
        "outside_lexicon": round(outside / max(seen, 1), 6),
    }


def _hashes(folder: Path) -> dict[str, Any]:
    """The files of a build with their hashes, and one hash over all of them."""
    paths = sorted(path for path in folder.iterdir() if path.is_file())
    files = {path.name: {"sha256": sha256(path), "bytes": path.stat().st_size} for path in paths}
    listing = "".join(f"{files[path.name]['sha256']}  {path.name}\n" for path in paths)
    return {"files": files, "data_hash": hashlib.sha256(listing.encode()).hexdigest()}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `build` to a parser."""
    add = parser.add_argument
    add("files", nargs="*", type=Path, metavar="FILE", help="additional corpora")
    add("--corpora", type=Path, help="TOML list of corpora, see recipes/corpora.toml")
    add("--data", type=Path, default=Path(), help="folder of the corpora in the list")
    add("--out", type=Path, required=True, help="folder to create")
    add("--size", type=int, default=50_000, help="words in the lexicon (%(default)s)")
    add("--lexicon", type=Path, help="use this lexicon instead of the most frequent words")
    add("--casing", choices=get_args(Casing), default="lower", help="lower-case words or not")
    add("--style", choices=get_args(Style), default="raw", help="how FILEs are tokenized")
    add("--presplit", type=float, default=0.0, help="share of raw lines to tokenize first")
    add("--min-words", type=int, help="shortest sentence (lower: 3, exact: 1)")
    add("--max-words", type=int, help="longest sentence (lower: 120, exact: 200)")
    add("--permissive-only", action="store_true", help="only corpora with free licences")
    add("--closed", action="store_true", help="drop sentences with words outside the lexicon")
    add("--limit", type=count, help="words to read from each corpus, for experiments")
    add("--jobs", type=int, default=os.cpu_count() or 1, help="processes (%(default)s)")


def run(args: argparse.Namespace) -> int:
    """Build the data and print a summary to stderr."""
    began = time.perf_counter()
    given = {"min_words": args.min_words, "max_words": args.max_words}
    options = replace(
        SCAN_OPTIONS[args.casing],
        presplit=args.presplit,
        limit=args.limit,
        **{name: value for name, value in given.items() if value is not None},
    )
    manifest = build(
        _sources(args),
        args.out,
        data=args.data,
        size=args.size,
        options=options,
        lexicon=_read_lexicon(args.lexicon, args.casing) if args.lexicon else None,
        closed=args.closed,
        jobs=args.jobs,
    )
    totals = manifest["totals"]
    size = sum(file["bytes"] for file in manifest["files"].values())
    seconds = time.perf_counter() - began
    sys.stderr.write(
        f"{args.out}: {totals['words']:,} words in {totals['sentences']:,} sentences, "
        f"{totals['outside_lexicon']:.2%} outside the lexicon, {size / 1e6:.1f} MB, "
        f"{seconds:.0f} s, {totals['words'] / seconds:,.0f} words/s\n"
    )
    return 0


def _read_lexicon(path: Path, casing: Casing) -> Lexicon:
    lexicon = read_lexicon(path)
    if not len(lexicon):
        raise Error(f"{path}: no words; omit --lexicon to use the most frequent words")
    if casing == "lower" and (cased := sum(word != word.lower() for word in lexicon)):
        message = f"{cased:,} words have capitals and match nothing with --casing lower"
        sys.stderr.write(f"respell.lab: {path}: {message}\n")
    return lexicon


def _sources(args: argparse.Namespace) -> list[Source]:
    sources = list(read_sources(args.corpora)) if args.corpora else []
    if args.permissive_only:
        if args.files:
            raise Error("--permissive-only: FILEs have no known licence; list them in --corpora")
        sources = [source for source in sources if source.permissive]
    # Joining an absolute path to the data folder gives the absolute path.
    return sources + [Source(str(file.resolve()), style=args.style) for file in args.files]
