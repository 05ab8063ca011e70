"""Build training data: corpora become a lexicon and shards of word indexes.

Each corpus is scanned by itself into provisional codes, the scans are joined into one lexicon, and
the renumbered codes are written as shards. Nothing depends on how many processes share the work.
"""

import argparse
import hashlib
import lzma
import multiprocessing
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, replace
from itertools import islice
from pathlib import Path
from typing import Any, get_args

from respell.cli.args import count
from respell.lab.common.storage import replacing_folder, save_text, sha256, to_json
from respell.lab.data.corpus import Source, Style, read_lexicon, read_sources
from respell.lab.data.merge_scans import Cut, Part, count_forms, first_seen, gather, plan, renumber
from respell.lab.data.scan import Reading, Scan, scan
from respell.lab.data.shards import ESCAPE, write_shard
from respell.model.encode import Casing
from respell.model.lexicon import Lexicon
from respell.types import Error

SHARD_TOKENS = 10_000_000
SLIPS = 0.02
"""A form this much rarer than the same with an apostrophe is a slip of the text."""
READINGS: dict[Casing, Reading] = {
    "lower": Reading(),
    # What the paper's code leaves out: over 200 tokens, or any token over 20 characters.
    "exact": Reading(casing="exact", min_words=1, max_words=200, longest=20),
}


def build(
    sources: Sequence[Source],
    out: Path,
    *,
    data: Path,
    size: int = 50_000,
    reading: Reading | None = None,
    lexicon: Lexicon | None = None,
    closed: bool = False,
    jobs: int = 1,
    shard_tokens: int = SHARD_TOKENS,
) -> dict[str, Any]:
    """Build the folder `out` from the sources' training lines; return its manifest.

    The files of the sources are looked for in the folder `data`. A given lexicon is used as it is,
    else the `size` most frequent forms make one. `closed` leaves out all sentences with a form
    outside the lexicon.
    """
    reading = reading or READINGS["lower"]
    sources = [source for source in sources if source.heldout != "all"]
    _check(sources, out, data, size=size if lexicon is None else len(lexicon), jobs=jobs)
    with replacing_folder(out) as folder, _workers(jobs) as workers:
        scans = _scan_all(sources, data, reading, folder / "scans", workers)
        if not any(scan.lines for scan in scans):
            raise Error(f"{data / sources[0].file}: no text; write one sentence a line")
        keeps = first_seen(scans)
        counts = count_forms(scans, keeps)
        if lexicon is None:
            lexicon = _lexicon(counts, size, folded=reading.casing == "lower")
        surfaces = [] if closed else [form for form, _ in counts if form not in lexicon]
        index = {form: i for i, form in enumerate((*lexicon, *surfaces))}
        parts = [renumber(scan, keep, index) for scan, keep in zip(scans, keeps, strict=True)]
        if not any(part.keep.any() for part in parts):
            raise Error("no sentence is left to build from; loosen --min-words or --closed")
        _write_forms(lexicon, folder / "lexicon.txt")
        if not closed:
            _write_forms(surfaces, folder / "surfaces.txt.xz")
        _write_shards(parts, plan(parts, shard_tokens), folder, len(lexicon), workers)
        manifest = {
            "format": 1,
            "arguments": {**asdict(reading), "size": size, "closed": closed},
            "sources": [_describe(*pair, data) for pair in zip(sources, parts, strict=True)],
            "totals": _totals(parts, counts, lexicon, len(surfaces)),
            **_hashes(folder),
        }
        shutil.rmtree(folder / "scans")
        save_text(to_json(manifest), folder / "manifest.json")
    return manifest


def _lexicon(counts: Sequence[tuple[str, int]], size: int, *, folded: bool) -> Lexicon:
    """The most frequent forms; of folded ones, none that only forgets an apostrophe ("dont")."""
    number = dict(counts)
    whole = {form.replace("'", ""): n for form, n in counts if "'" in form.strip("'")}

    def slip(form: str) -> bool:
        return folded and "'" not in form and number[form] < SLIPS * whole.get(form, 0)

    return Lexicon(islice((form for form, _ in counts if not slip(form)), size))


def _check(sources: Sequence[Source], out: Path, data: Path, *, size: int, jobs: int) -> None:
    if out.exists():
        raise Error(f"{out}: exists already; remove it or build into another folder")
    if jobs < 1:
        raise Error(f"jobs must be 1 or more, not {jobs}")
    if not sources:
        raise Error("there is nothing to build from: no corpus with training lines was named")
    if not 0 < size < ESCAPE:
        raise Error(f"a lexicon has from 1 to {ESCAPE - 1} words, not {size}")
    for source in sources:
        if (data / source.file).is_dir():
            raise Error(f"{data / source.file}: a folder, no corpus; name the files in it")
        if not (data / source.file).is_file():
            raise Error(f"{data / source.file}: no such corpus; docs/data.md tells where to get it")


class _Here(Executor):
    """Does the work in this process."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


@contextmanager
def _workers(jobs: int) -> Iterator[Executor]:
    if jobs == 1:
        yield _Here()
        return
    # Forking a process that has run torch or numpy threads can hang.
    spawn = multiprocessing.get_context("spawn")
    others = set(multiprocessing.active_children())
    # Ctrl-C reaches every process: this one hears it for all.
    deaf = (signal.SIGINT, signal.SIG_IGN)
    with ProcessPoolExecutor(jobs, spawn, initializer=signal.signal, initargs=deaf) as pool:
        try:
            yield pool
        except BaseException:  # nobody waits for their work any longer
            for worker in set(multiprocessing.active_children()) - others:
                worker.terminate()
            raise


def _scan_all(
    sources: Sequence[Source], data: Path, reading: Reading, folder: Path, workers: Executor
) -> list[Scan]:
    def task(i: int) -> Future[Scan]:
        path, source = data / sources[i].file, sources[i]
        return workers.submit(scan, path, source.style, source.heldout, reading, folder / str(i))

    # The largest first, so that no process is left alone with a long one at the end.
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
    workers: Executor,
) -> None:
    futures = [
        workers.submit(
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
    return {
        **asdict(source),
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
    """The files of a build, and one hash that stands for them all."""
    paths = sorted(path for path in folder.iterdir() if path.is_file())
    files = {path.name: {"sha256": sha256(path), "bytes": path.stat().st_size} for path in paths}
    listing = "".join(f"{files[path.name]['sha256']}  {path.name}\n" for path in paths)
    return {"files": files, "data_hash": hashlib.sha256(listing.encode()).hexdigest()}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `build` to a parser."""
    add = parser.add_argument
    add("files", nargs="*", type=Path, metavar="FILE", help="further corpora, by path")
    add("--corpora", type=Path, help="TOML list of corpora, see recipes/corpora.toml")
    add("--data", type=Path, default=Path(), help="folder of the corpora that the list names")
    add("--out", type=Path, required=True, help="folder to make")
    add("--size", type=int, default=50_000, help="words in the lexicon (%(default)s)")
    add("--lexicon", type=Path, help="use this lexicon instead of counting one")
    add("--casing", choices=get_args(Casing), default="lower", help="words folded or as they are")
    add("--style", choices=get_args(Style), default="raw", help="how FILEs are written")
    add("--presplit", type=float, default=0.0, help="share of raw lines written as tokens")
    add("--min-words", type=int, help="shortest sentence (lower: 3, exact: 1)")
    add("--max-words", type=int, help="longest sentence (lower: 120, exact: 200)")
    add("--permissive-only", action="store_true", help="only corpora with free licences")
    add("--closed", action="store_true", help="drop sentences with words outside the lexicon")
    add("--limit", type=count, help="words to take from each corpus, for trials")
    add("--jobs", type=int, default=os.cpu_count() or 1, help="processes (%(default)s)")


def run(args: argparse.Namespace) -> int:
    """Build as the command line asks; report to stderr."""
    began = time.perf_counter()
    given = {"min_words": args.min_words, "max_words": args.max_words}
    reading = replace(
        READINGS[args.casing],
        presplit=args.presplit,
        limit=args.limit,
        **{name: value for name, value in given.items() if value is not None},
    )
    manifest = build(
        _chosen(args),
        args.out,
        data=args.data,
        size=args.size,
        reading=reading,
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
        raise Error(f"{path}: no words; leave out --lexicon to have them counted")
    if casing == "lower" and (cased := sum(word != word.lower() for word in lexicon)):
        told = f"{cased:,} of its words have capitals and match nothing, --casing lower has none"
        sys.stderr.write(f"respell.lab: {path}: {told}\n")
    return lexicon


def _chosen(args: argparse.Namespace) -> list[Source]:
    sources = list(read_sources(args.corpora)) if args.corpora else []
    if args.permissive_only:
        if args.files:
            raise Error("--permissive-only knows no licence of FILEs; list them in --corpora")
        sources = [source for source in sources if source.permissive]
    # An absolute path stays as it is when it is looked for in the data folder.
    return sources + [Source(str(file.resolve()), style=args.style) for file in args.files]
