"""Write src/languages.json: what the local engine knows about the languages of editors.

python editors/vscode/languages.py
"""

import json
from pathlib import Path

from respell.formats.languages import LANGUAGES

FILE = Path(__file__).parent / "src" / "languages.json"


def table() -> str:
    """The file as a text: editor id -> format, and how to exclude a line."""
    rows = {
        id_: {
            "format": one.name,
            "comment": one.ignore_comment,
            "above": list(one.comments_above),
            "apart": one.apart,
            "code": one.syntax is not None,
        }
        for one in LANGUAGES
        for id_ in sorted({one.name, *one.editor_ids.split()})
    }
    return json.dumps(rows, indent=1) + "\n"


if __name__ == "__main__":
    FILE.write_text(table(), encoding="utf-8")
