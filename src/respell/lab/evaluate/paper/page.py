"""Write the page about the paper's rows."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from respell.lab.common import markdown
from respell.lab.common.storage import read_json, save_text
from respell.lab.evaluate.paper import figures
from respell.lab.evaluate.paper import text as words
from respell.lab.evaluate.paper.claims import AUTHORS as THEIRS
from respell.lab.evaluate.paper.claims import CLAIMS, GOAL, Record, Records
from respell.lab.evaluate.paper.rows import Row, Table
from respell.lab.evaluate.paper.run import RATES, ROWS
from respell.lab.evaluate.paper.sets import ALL, DEV, LM1B, PAPER
from respell.types import Error

FILE, AUTHORS = "README.md", "authors.json"
NOT_YET, NOTHING = "not yet", "–"
Cells = Callable[[Record], list[str]]


def write(folder: Path, table: Table) -> None:
    """Write the page and its plots."""
    records = read_records(folder, table)
    save_text(render_folder(folder, table), folder / FILE)
    figures.draw_f05(table.rows, records, folder / figures.F05)
    if _has_curves(records):
        figures.draw_curves(table.rows, records, folder / figures.CURVES)
    if records:
        figures.draw_pairs(table.rows, records, folder / figures.PAIRS)


def render_folder(folder: Path, table: Table) -> str:
    """The page for a folder of results."""
    rates = folder / RATES
    return render(table, read_records(folder, table), read_json(rates) if rates.is_file() else {})


def read_records(folder: Path, table: Table) -> Records:
    """Read the results of the rows, and of the authors' output."""
    paths = {row.row: folder / ROWS / row.file for row in table.rows}
    paths[THEIRS] = folder / AUTHORS
    records = {row: read_json(path) for row, path in paths.items() if path.is_file()}
    for row, record in records.items():
        if record.get("row") != row or PAPER not in record.get("sets", {}):
            raise Error(f"{paths[row]}: not a result of row {row}; run `paper score` again")
    if len({record["sha256"]["lexicon.txt"] for record in records.values()}) > 1:
        raise Error(f"{folder}: the rows were scored with different lexicons; score them again")
    return records


def render(table: Table, records: Records, rates: Record) -> str:
    """The page as Markdown."""
    lines = [words.HEAD, "", *_status(table, records), "", f"![F0.5 by row]({figures.F05})"]
    lines += ["", "## The paper's claims", "", words.CLAIMS, ""]
    lines += [f"{i}. {claim.verdict(records)}" for i, claim in enumerate(CLAIMS, 1)]
    lines += ["", f"The goal: {GOAL.verdict(records)}"]
    lines += ["", "## Table 1: all words", "", words.AUTHORS_RULE]
    titles = {name: _title(name, records) for name in (DEV, PAPER)}
    for name, title in titles.items():
        lines += ["", title, "", *_table_1(table, records, name)]
    lines += ["", "## Table 2: real words and non-words", "", words.REAL]
    for name, title in titles.items():
        lines += ["", title, "", *_table_2(table, records, name)]
    lines += ["", "## Where our results differ", "", words.DIFFERENCES]
    lines += ["", "## Both tables by the table rule", "", words.TABLE_RULE]
    for name, title in titles.items():
        lines += ["", title, "", *_table_rule(table, records, name)]
    lines += ["", "## Unknown pairs and damaged words", "", words.PAIRS, ""]
    lines += _pairs(table, records, PAPER)
    if records:
        lines += ["", f"![known and unknown pairs]({figures.PAIRS})"]
    lines += ["", "## Capitals", "", words.TRUECASE, "", *_capitals(table, records)]
    lines += ["", "## A second test set", "", words.LM1B, "", *_pairs(table, records, LM1B)]
    lines += ["", "## All of the paper's sentences", "", words.ALL, "", *_all(table, records)]
    lines += ["", "## Cost of each row", "", words.COST, "", *_costs(table, records)]
    if _has_curves(records):
        lines += ["", words.CURVE, "", f"![learning curves]({figures.CURVES})"]
    lines += ["", "## Learning rates", "", *_rates(table, rates)]
    lines += ["", "## Files", "", *_files(records)]
    return "\n".join(lines).rstrip() + "\n"


def _title(name: str, records: Records) -> str:
    """The heading of a set, with the number of sentences if any row was scored."""
    title = "### Dev" if name == DEV else "### Test"
    for record in records.values():
        if part := record["sets"].get(name):
            of = f" of {part['of']:,}" if part["of"] > part["sentences"] else ""
            return f"{title}: {part['sentences']:,}{of} sentences"
    return title


def _table(
    table: Table,
    records: Records,
    columns: Sequence[str],
    cells: Cells,
    *,
    published: Callable[[Row], list[str]] | None = None,
    authors: bool = True,
) -> list[str]:
    """A table with one line per row and one for the authors' output, with published numbers."""
    heads = [c for column in columns for c in ((column, "paper") if published else (column,))]
    lines = markdown.head("row", "model", *heads, words=2)
    for row in table.rows:
        ours = _cells(records.get(row.row), cells, len(columns))
        lines.append(markdown.row(row.row, row.name, *_mixed(ours, published and published(row))))
    if authors and THEIRS in records:
        theirs = _cells(records[THEIRS], cells, len(columns))
        blank = [NOTHING] * len(columns) if published else None
        lines.append(markdown.row("", "the authors' row 11", *_mixed(theirs, blank)))
    return lines


def _cells(record: Record | None, cells: Cells, count: int) -> list[str]:
    if record is None:
        return [NOT_YET] + [""] * (count - 1)
    try:
        return cells(record)
    except KeyError:  # the authors' output is only for the paper's sentences
        return [NOTHING] * count


def _mixed(ours: Sequence[str], theirs: Sequence[str] | None) -> list[str]:
    if theirs is None:
        return list(ours)
    return [cell for pair in zip(ours, theirs, strict=True) for cell in pair]


def _three(values: Sequence[float]) -> list[str]:
    return [f"{value:.3f}" for value in values]


def _published(row: Row, *keys_and_counts: tuple[str, int]) -> list[str]:
    cells: list[str] = []
    for key, count in keys_and_counts:
        found = row.published.get(key)
        cells += _three(found) if found else [NOTHING] * count
    return cells


def _rule(part: Record, rule: str) -> list[float]:
    return [part[rule][key] for key in ("precision", "recall", "f05")]


def _table_1(table: Table, records: Records, name: str) -> list[str]:
    def cells(record: Record) -> list[str]:
        part = record["sets"][name]["scores"]["all"]
        return _three([part["accuracy"], *_rule(part, "authors")])

    key = "dev" if name == DEV else "test"
    columns = ("accuracy", "P", "R", "F0.5")
    return _table(table, records, columns, cells, published=lambda row: _published(row, (key, 4)))


def _table_2(table: Table, records: Records, name: str) -> list[str]:
    def cells(record: Record) -> list[str]:
        scores = record["sets"][name]["scores"]
        non_words = scores["non_words"]["authors"]["precision"]
        return _three([*_rule(scores["real_words"], "authors"), non_words])

    key = "dev" if name == DEV else "test"
    return _table(
        table,
        records,
        ("real-word P", "R", "F0.5", "non-word P"),
        cells,
        published=lambda row: _published(row, (f"real_{key}", 3), (f"non_{key}", 1)),
    )


def _table_rule(table: Table, records: Records, name: str) -> list[str]:
    def cells(record: Record) -> list[str]:
        scores = record["sets"][name]["scores"]
        non_words = scores["non_words"]["table"]["recall"]
        everything, real = (_rule(scores[part], "table") for part in ("all", "real_words"))
        return _three([scores["all"]["accuracy"], *everything, *real, non_words])

    columns = ("accuracy", "P", "R", "F0.5", "real-word P", "R", "F0.5", "non-word R")
    return _table(table, records, columns, cells)


def _pairs(table: Table, records: Records, name: str) -> list[str]:
    def cells(record: Record) -> list[str]:
        scores = record["sets"][name]["scores"]
        rules = [scores["all"][rule]["f05"] for rule in ("authors", "table")]
        pairs = [_share(scores[kind]) for kind in ("known", "unknown")]
        return [*_three(rules), *pairs, f"{scores['damaged_per_1000']:.2f}"]

    columns = ("F0.5, authors' rule", "F0.5, table rule", "known pairs", "unknown pairs")
    return _table(table, records, (*columns, "damaged per 1,000"), cells)


def _capitals(table: Table, records: Records) -> list[str]:
    def cells(record: Record) -> list[str]:
        exact = record["sets"][PAPER]["scores"]
        both = (exact, exact["lower_cased"])
        rules = [s["all"][rule]["f05"] for rule in ("authors", "table") for s in both]
        return [*_three(rules), *(f"{scores['damaged_per_1000']:.2f}" for scores in both)]

    columns = [
        f"{figure}{case}"
        for figure in ("F0.5, authors' rule", "F0.5, table rule", "damaged per 1,000")
        for case in ("", ", case-insensitive")
    ]
    return _table(table, records, columns, cells)


def _share(pairs: Record) -> str:
    return f"{pairs['share']:.3f} ({pairs['corrected']:,}/{pairs['count']:,})"


def _all(table: Table, records: Records) -> list[str]:
    def cells(scores: Record) -> list[str]:
        rules = [scores["all"][rule]["f05"] for rule in ("authors", "table")]
        values = _three([scores["all"]["accuracy"], *rules])
        return [*values, _share(scores["unknown"]), f"{scores['damaged_per_1000']:.2f}"]

    columns = ("accuracy", "F0.5, authors' rule", "F0.5, table rule", "unknown pairs")
    lines = _table(
        table,
        records,
        (*columns, "damaged per 1,000"),
        lambda record: cells(record["sets"][ALL]["scores"]),
    )
    if records:
        best = next(iter(records.values()))["sets"][ALL]["ceiling"]
        lines.append(markdown.row("", "a perfect model with our lexicon", *cells(best)))
    return lines


def _costs(table: Table, records: Records) -> list[str]:
    def cells(record: Record) -> list[str]:
        sizes, training = record["parameters"], record["training"]
        share = training["utilisation"]
        return [
            record["labels"] or "word",
            f"{sizes['all'] / 1e6:.1f} M",
            f"{sizes['rest'] / 1e6:.1f} M",
            f"{training['seconds']:,.0f}",
            f"{training['steps']:,}",
            f"{training['words'] / 1e6:,.1f} M",
            f"{training['words_per_second']:,}",
            f"{training['flops_per_word'] / 1e6:,.0f} M",
            NOTHING if share is None else f"{100 * share:.1f} %",
        ]

    columns = ("labels", "parameters", "without tables", "seconds", "steps", "words")
    more = ("words/s", "FLOPs per word", "utilization")
    return _table(table, records, (*columns, *more), cells, authors=False)


def _has_curves(records: Records) -> bool:
    return any(figures.curve_points(r) for row, r in records.items() if row != THEIRS)


def _status(table: Table, records: Records) -> Iterator[str]:
    """Which rows are trained, and whether they can be compared."""
    done = [row.row for row in table.rows if row.row in records]
    if not done:
        yield f"None of the {len(table.rows)} rows has been trained yet."
        return
    yield f"{len(done)} of {len(table.rows)} rows are trained: {', '.join(done)}."
    numbered = [row for row in done if row.isdigit()] or done
    hashes = {records[row]["data_hash"][:12] for row in numbered}
    data = "the same data" if len(hashes) == 1 else "DIFFERENT DATA"
    seconds = [records[row]["training"]["seconds"] for row in numbered]
    devices = sorted({str(records[row]["training"]["device"] or "a CPU") for row in numbered})
    spans = dict.fromkeys(f"{value:,.0f}" for value in (min(seconds), max(seconds)))
    yield (
        f"Rows {numbered[0]} to {numbered[-1]} were trained on {data} "
        f"({', '.join(sorted(hashes))}), for {' to '.join(spans)} seconds each, "
        f"on {' and '.join(devices)}."
    )


def _rates(table: Table, rates: Record) -> list[str]:
    if not rates:
        return ["Not tried yet."]
    lines = [
        words.RATES,
        "",
        "| family | tried | budget | F0.5 on dev by rate |",
        "|---|---|---|---|",
    ]
    for family in table.tried:
        for trial in rates.get(family, ()):
            points = [f"{p['rate']:g}: {p['dev_f05']:.4f}" for p in trial["points"]]
            budget = trial["budget"].replace("--", "")
            lines.append(markdown.row(family, f"row {trial['row']}", budget, ", ".join(points)))
    return lines


def _files(records: Records) -> list[str]:
    if not records:
        return ["None yet."]
    first = next(iter(records.values()))
    hashes = dict(first["sha256"])
    for record in records.values():
        for name, facts in record["files"].items():
            hashes |= {f"{name}.{side}.txt": facts[f"{side}_sha256"] for side in ("noisy", "gold")}
    lines = ["| file | SHA-256 |", "|---|---|"]
    return lines + [markdown.row(f"`{name}`", f"`{value[:16]}`") for name, value in hashes.items()]
