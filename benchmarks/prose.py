"""List every correction that the model makes on our own clean pages, and show changes.

python benchmarks/prose.py            show what has changed since the list was written
python benchmarks/prose.py --write    write the list again, after a change of the model
python benchmarks/prose.py TEXT...    list the corrections of other texts in the same format
"""

import argparse
import difflib
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import respell
from respell.cli.reports.finding import locate
from respell.formats.languages import SEARCHED, language_of
from respell.formats.masker import mask
from respell.types import PRESETS

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "tests" / "prose"
LIST = PAGES / "diary.tsv"
HEADER = "preset\tpage\tline\toriginal\tsuggestion\tscore\n"


def corrections(pages: Iterable[Path], presets: Sequence[str] = PRESETS) -> Iterator[str]:
    """Yield a line for every correction of the pages, for each preset."""
    texts = {page: page.read_text(encoding="utf-8") for page in pages}
    masked = [mask(text, language_of(page.name).name) for page, text in texts.items()]
    for preset in presets:
        found = respell.load(preset=preset).check_many(masked)
        for (page, text), corrections in zip(texts.items(), found, strict=True):
            for finding in locate(page.name, [(text, corrections)]):
                correction = finding.correction
                row = (preset, page.name, finding.line, correction.original)
                cells = (*row, correction.replacement, f"{correction.score:.2f}")
                yield "\t".join(map(str, cells)) + "\n"


def pages() -> list[Path]:
    """Our own pages, in order."""
    return sorted(page for page in PAGES.iterdir() if page.suffix[1:] in SEARCHED)


def unscored(lines: Iterable[str]) -> list[str]:
    """Lines without their scores, whose last digits depend on the CPU."""
    return [line.rpartition("\t")[0] for line in lines]


def changes(old: Sequence[str], new: Sequence[str]) -> str:
    """The changes as a diff."""
    before, after = unscored(old), unscored(new)
    return "\n".join(difflib.unified_diff(before, after, "before", "now", lineterm="", n=0))


def main() -> int:
    """Compare with the list, write it, or list the corrections of other texts."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("texts", nargs="*", type=Path, metavar="TEXT")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    lines = [HEADER, *corrections(args.texts or pages())]
    if args.texts:
        sys.stdout.writelines(lines)
        return 0
    if args.write:
        LIST.write_text("".join(lines), encoding="utf-8")
        return 0
    diff = changes(LIST.read_text(encoding="utf-8").splitlines(keepends=True), lines)
    print(diff or "no changes")
    return 1 if diff else 0


if __name__ == "__main__":
    sys.exit(main())
