"""Write the tables that the JavaScript package shares with the Python one.

python benchmarks/js_tables.py            writes js/src/generated/
python benchmarks/js_tables.py --check    says whether the files are up to date

Whatever is a table in Python is written here for JavaScript, so no table is written twice.
"""

import argparse
import ast
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from types import ModuleType
from typing import Any

from js_patterns import DIGIT, SPACE, translate

from respell import corrector, options
from respell.decision import (
    adjust,
    decode,
    evidence,
    policy,
    rules,
    spacing,
    terms,
    user_words,
    valid_words,
    variants,
    vocabulary,
)
from respell.decision.shorthand import shorthand
from respell.formats import (
    asciidoc,
    languages,
    man,
    markdown,
    masker,
    mdx,
    notebook,
    org,
    pragmas,
    rdoc,
    rst,
    scanner,
    source,
)
from respell.formats.scanner import Scanner
from respell.formats.source import Comments
from respell.model import bundle, compose, encode, forward, hidden_words, presets, session, version
from respell.model import vocabulary as model_vocabulary
from respell.model.presets import Preset
from respell.text import case, noisy_tokens, sentences, tokenize, windows, words
from respell.types import PRESETS, SPACING, VARIANTS, Token

FOLDER = Path(__file__).parents[1] / "js" / "src" / "generated"
HEADER = "// Written by `python benchmarks/js_tables.py` from the tables of the Python package.\n\n"
PLACE = "\ue000"
"""In the end of a comment or string, stands for what its start has matched."""
MODULES: Mapping[str, Sequence[ModuleType]] = {
    "text": (case, noisy_tokens, sentences, tokenize, windows, words),
    "model": (
        *(bundle, compose, encode, forward, hidden_words),
        *(presets, session, version, model_vocabulary),
    ),
    "decision": (
        *(adjust, decode, evidence, policy, rules, spacing, terms),
        *(user_words, valid_words, variants, vocabulary),
    ),
    "formats": (
        *(asciidoc, man, markdown, mdx, notebook, org, pragmas, rdoc, rst, scanner, source),
    ),
    "root": (corrector, options),
}
"""The modules whose tables JavaScript shares: one file for each folder."""
TEXTS = frozenset(
    "FILLER CODE NEW_WORDS COMPOSED CLASSES KINDS CONFIG LEXICON MODEL TRUECASE VOCABULARY "
    "CODES SHARED AFTER_CODES AFTER_LETTERS IGNORE_LINE".split()
)
"""Other strings are parts of regular expressions."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the files, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    only_check = parser.parse_args(arguments).check
    files = generate()
    old = [name for name, text in files.items() if _read(FOLDER / name) != text]
    if only_check:
        print("\n".join(f"{name} is not up to date" for name in old) or "up to date")
        return 1 if old else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in old:
        (FOLDER / name).write_text(files[name], encoding="utf-8", newline="")
    print(f"{len(old)} files changed")
    return 0


def _read(path: Path) -> str | None:
    return path.read_bytes().decode() if path.is_file() else None


def generate() -> dict[str, str]:
    """The contents of the files by their names."""
    files = {f"{name}.ts": _folder(modules) for name, modules in MODULES.items()}
    files["text.ts"] += _constant("Characters", {"SPACE": SPACE, "DIGIT": _digits()})
    files["model.ts"] += _constant("PRESET", _defaults(Preset))
    lists = {"PRESETS": PRESETS, "VARIANTS": VARIANTS, "SPACING": SPACING}
    files["root.ts"] += "".join(_constant(name, list(words)) for name, words in lists.items())
    files["decision.ts"] += _constant("SHORTHAND", shorthand())
    files["grammars.ts"] = _grammars()
    return files


def _defaults(of: type) -> dict[str, Any]:
    """The fields of a data class that need not be given."""
    return {one.name: one.default for one in fields(of) if one.default is not MISSING}


def _digits() -> str:
    """Characters for which `str.isdigit` is true, as the contents of a class."""
    digits = [c for c in range(0x110000) if chr(c).isdigit() and not chr(c).isdecimal()]
    return DIGIT + "".join(rf"\u{{{c:x}}}" for c in digits)


def _folder(modules: Sequence[ModuleType]) -> str:
    body = "".join(_constant(_title(module.__name__), dict(_tables(module))) for module in modules)
    uses = 'import { Pattern } from "../pattern.js";\n\n' if "new Pattern" in body else ""
    return HEADER + uses + body


def _title(name: str) -> str:
    return "".join(map(str.capitalize, name.rpartition(".")[2].split("_")))


def _constant(name: str, value: Any) -> str:
    return f"export const {name} = {_write(value)};\n"


def _tables(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """The tables of a module and of its classes, without the underscores of private names."""
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            owner: Any = getattr(module, node.name)
            yield from _assigned(node.body, owner)
    yield from _assigned(tree.body, module)


def _assigned(body: Sequence[ast.stmt], owner: Any) -> Iterator[tuple[str, Any]]:
    for node in body:
        targets: Sequence[ast.expr] = ()
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            targets = [node.target]
        for target in targets:
            for name in target.elts if isinstance(target, ast.Tuple) else [target]:
                key = name.id if isinstance(name, ast.Name) else ""
                if key.isupper() or key.strip("_").isupper():
                    value = getattr(owner, key)
                    if _is_table(key, value):
                        yield key.lstrip("_"), value


def _is_table(name: str, value: Any) -> bool:
    if isinstance(value, str):
        return name.lstrip("_") in TEXTS
    if isinstance(value, Mapping):
        return all(isinstance(key, str) and _is_plain(one) for key, one in value.items())
    if isinstance(value, frozenset | tuple):
        return all(isinstance(one, str | Token) for one in value)
    return _is_plain(value)


def _is_plain(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(_is_plain(one) for one in value.values())
    return isinstance(value, int | float | str | re.Pattern)


def _write(value: Any, depth: int = 0) -> str:
    """A value as a JavaScript expression."""
    if isinstance(value, re.Pattern):
        return _pattern(value)
    if isinstance(value, frozenset):
        return f"new Set({_json(sorted(value))})"
    if isinstance(value, Token):
        return _json({"text": value.text, "kind": value.kind})
    if isinstance(value, Mapping):
        indent = "  " * (depth + 1)
        rows = "".join(f"{indent}{_key(k)}: {_write(v, depth + 1)},\n" for k, v in value.items())
        return f"{{\n{rows}{'  ' * depth}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_write(one, depth) for one in value)}]"
    return _json(value)


def _json(value: Any) -> str:
    # Two separators of lines and invisible characters would be hard to read in a file.
    text = json.dumps(value, ensure_ascii=False)
    return "".join(c if c.isprintable() else _escaped(c) for c in text)


def _escaped(character: str) -> str:
    return json.dumps(character)[1:-1]


def _key(name: str) -> str:
    return name if name.isidentifier() else _json(name)


def _pattern(pattern: "re.Pattern[str]") -> str:
    found = translate(pattern)
    groups = f", {_json(list(found.groups))}" if found.groups else ""
    return f"new Pattern({_json(found.source)}{groups})"


def _grammars() -> str:
    documents, comments = (
        {name: _steps(open_steps) for name, open_steps in table.items()}
        for table in (masker._DOCUMENTS, masker._COMMENTS)
    )
    cells = Scanner(notebook._FORMULAS, r"\\")
    scanners = {
        name: _scanner(step)
        for name, open_steps in {**masker._DOCUMENTS, **masker._COMMENTS}.items()
        for step in map(_owner, open_steps())
        if isinstance(step, Scanner)
    }
    scanners |= {"formulas": _scanner(cells)}
    return (
        HEADER
        + 'import { Pattern } from "../pattern.js";\n'
        + "import type { Grammar, LanguageTable, StepName, Syntax } from "
        + '"../formats/tables.js";\n\n'
        + f"export const DOCUMENTS: Record<string, StepName[]> = {_write(documents)};\n"
        + f"export const COMMENTS: Record<string, StepName[]> = {_write(comments)};\n"
        + f"export const SCANNERS: Record<string, Grammar> = {_write(scanners)};\n"
        + f"export const SYNTAXES: Record<string, Syntax> = {_write(_syntaxes())};\n"
        + f"export const LANGUAGES: Record<string, LanguageTable> = {_write(_languages())};\n"
    )


def _steps(open_steps: Callable[[], Sequence[Any]]) -> list[str]:
    return [type(_owner(step)).__name__ for step in open_steps()]


def _owner(step: Any) -> Any:
    """The object whose method a step is."""
    return step.__self__


def _scanner(scanner_: Scanner) -> dict[str, Any]:
    return {
        "grammar": scanner_._grammar,
        "rules": {
            name: {
                "closes": re.compile(rule.closes, scanner_._flags) if rule.closes else "",
                "keep": rule.keep,
                "word": rule.word,
                "glue": rule.glue,
            }
            for name, rule in scanner_._rules.items()
        },
    }


def _syntaxes() -> dict[str, Any]:
    return {name: _syntax(spans) for name, spans in source.SYNTAXES.items()}


def _syntax(spans: Mapping[str, source.Span]) -> dict[str, Any]:
    def compiled(pattern: str) -> Any:
        return re.compile(pattern, re.MULTILINE) if pattern else ""

    return {
        "grammar": Comments(spans)._grammar,
        "spans": {
            name: {
                "closes": compiled(span.closes.replace("{}", PLACE)),
                "shown": span.shown,
                "margin": compiled(span.margin),
                "alone": span.alone,
            }
            for name, span in spans.items()
        },
    }


def _languages() -> dict[str, Any]:
    return {
        one.name: {
            "extensions": one.extensions.split(),
            "editorIds": one.editor_ids.split(),
            "filenames": one.filenames.split(),
            "ignoreComment": one.ignore_comment or "",
            "commentsAbove": list(one.comments_above),
            "apart": one.apart,
            "syntax": one.syntax or "",
        }
        for one in languages.LANGUAGES
    }


if __name__ == "__main__":
    sys.exit(main())
