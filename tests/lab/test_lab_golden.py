import json
from pathlib import Path

import pytest
import tiny

from respell.lab.__main__ import main
from respell.types import PRESETS


@pytest.mark.parametrize("end", ["", "\n"])
def test_every_text_has_an_answer(base: Path, end: str) -> None:
    folder, _ = tiny.exported(base)
    texts = folder.parent / "texts.txt"
    texts.write_text(f"a dog\n\nteh cat{end}", encoding="utf-8")
    tokens = folder.parent / "tokens.txt"
    tokens.write_text(f"teh cat{end}", encoding="utf-8")
    assert main(["golden", str(texts), "--tokens", str(tokens), "--bundle", str(folder)]) == 0
    path = folder / "golden.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    path.unlink()  # other tests use this bundle
    assert [row.get("text", row.get("tokens")) for row in rows] == [
        *("a dog", "", "teh cat", ["teh", "cat"])
    ] * len(PRESETS)
    assert [row["preset"] for row in rows] == [preset for preset in PRESETS for _ in range(4)]
    assert all(isinstance(row["corrections"], list) for row in rows)
