from pathlib import Path

import pytest

from respell.lab.common.storage import parse_json, read_json, read_text, replacing_folder, sha256
from respell.types import Error


def test_folder_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder"
    for text in ("first", "second"):
        with replacing_folder(path) as folder:
            (folder / text).write_text(text)
        assert [inside.name for inside in path.iterdir()] == [text]
        assert list(path.parent.iterdir()) == [path]


def test_old_folder_is_kept_after_an_error(tmp_path: Path) -> None:
    path = tmp_path / "folder"
    path.mkdir()

    def fail() -> None:
        with replacing_folder(path) as folder:
            (folder / "half").touch()
            raise Error("failed")

    with pytest.raises(Error, match="failed"):
        fail()
    assert list(tmp_path.iterdir()) == [path]
    assert list(path.iterdir()) == []


def test_read_errors_have_the_file_name(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    with pytest.raises(Error, match=r"x\.json: cannot be read"):
        read_json(path)
    path.write_bytes(b"\xff")
    with pytest.raises(Error, match=r"x\.json: not UTF-8 \(byte 0\)"):
        read_text(path)
    with pytest.raises(Error, match="line 3: not JSON"):
        parse_json('{"a":', "line 3")
    with pytest.raises(Error, match="line 3: not a JSON object"):
        parse_json("[]", "line 3")


def test_sha256(tmp_path: Path) -> None:
    (tmp_path / "abc").write_bytes(b"abc")
    assert sha256(tmp_path / "abc").startswith("ba7816bf8f01cfea")
