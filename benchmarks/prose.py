"""The prose diary: every correction the model makes on our own clean pages, to be read as a diff.

python benchmarks/prose.py            show what has changed since it was written
python benchmarks/prose.py --write    write it anew, after a change of model
python benchmarks/prose.py TEXT...    list the corrections of other texts in the same form
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
DIARY = PAGES / "diary.tsv"
HEADER = "preset\tpage\tline\toriginal\tsuggestion\tscore\n"


def diary(pages: Iterable[Path], presets: Sequence[str] = PRESETS) -> Iterator[str]:
    """Yield a line for every correction of the pages, preset by preset."""
    texts = {page: page.read_text(encoding="utf-8") for page in pages}
    masked = [mask(text, language_of(page.name).name) for page, text in texts.items()]
    for preset in presets:
        found = respell.load(preset=preset).check_many(masked)
        for (page, text), corrections in zip(texts.items(), found, strict=True):
            for finding in locate(page.name, [(text, corrections)]):
                correction = finding.correction
                row = (preset, page.name, finding.line, correction.original)
                best = correction.suggestions[0]
                yield "\t".join(map(str, (*row, best.text, f"{best.probability:.2f}"))) + "\n"


def pages() -> list[Path]:
    """The pages of the diary, in order."""
    return sorted(page for page in PAGES.iterdir() if page.suffix[1:] in SEARCHED)


def unscored(lines: Iterable[str]) -> list[str]:
    """Lines without their scores, whose last digits are another CPU's own."""
    return [line.rpartition("\t")[0] for line in lines]


def changes(old: Sequence[str], new: Sequence[str]) -> str:
    """What a change of model has changed, as a diff."""
    before, after = unscored(old), unscored(new)
    return "\n".join(difflib.unified_diff(before, after, "diary", "now", lineterm="", n=0))


def main() -> int:
    """Compare, write, or list other texts."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("texts", nargs="*", type=Path, metavar="TEXT")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    lines = [HEADER, *diary(args.texts or pages())]
    if args.texts:
        sys.stdout.writelines(lines)
        return 0
    if args.write:
        DIARY.write_text("".join(lines), encoding="utf-8")
        return 0
    told = changes(DIARY.read_text(encoding="utf-8").splitlines(keepends=True), lines)
    print(told or "nothing has changed")
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main())
