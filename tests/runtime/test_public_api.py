"""The public names, and what an import of respell may load."""

import subprocess
import sys
import types

import pytest

import respell
from respell.model.version import default_path, read_version

PUBLIC = (
    "Bundle Correction Corrector Error Explanation Suggestion Token __version__ apply load tokenize"
).split()
HEAVY = ("numpy", "onnxruntime", "torch", "respell.lab", "respell.corrector")


def _run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    return done.stdout.strip()


def _loaded(code: str, names: tuple[str, ...]) -> set[str]:
    listing = f"import sys; {code}; print(*(n for n in {names!r} if n in sys.modules))"
    return set(_run(listing).split())


@pytest.mark.parametrize("code", ["import respell", "import respell.text.tokenize, respell.types"])
def test_import_is_light(code: str) -> None:
    assert _loaded(code, HEAVY) == set()


def test_the_corrector_needs_neither_the_lab_nor_a_session() -> None:
    code = "import respell; respell.Corrector; respell.load; respell.Bundle"
    assert _loaded(code, HEAVY) == {"numpy", "respell.corrector"}


def test_all_is_exactly_what_is_public() -> None:
    members = {name: getattr(respell, name) for name in (*respell.__all__, *dir(respell))}
    visible = {
        name
        for name, value in members.items()
        if not name.startswith("_") and not isinstance(value, types.ModuleType)
    }
    assert sorted(respell.__all__) == sorted(PUBLIC)
    assert visible | {"__version__"} == set(respell.__all__)


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names_resolve(name: str) -> None:
    assert getattr(respell, name) is not None
    assert _run(f"from respell import {name}; print({name}.__class__.__name__)")


def test_a_star_import_gives_all_public_names() -> None:
    names = _run("from respell import *; print(*sorted(k for k in dir() if k[:1] != '_'))").split()
    assert names == sorted(name for name in PUBLIC if name != "__version__")


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'respell' has no attribute 'teh'"):
        respell.teh  # noqa: B018


PUBLIC_METHODS = (
    "agreeing check check_document check_many check_tokens check_tokens_many check_windows correct "
    "correct_many correct_tokens correct_tokens_many explain has_word_like_a_term split "
    "split_tokens with_dictionary with_evidence with_terms"
).split()


def test_the_methods_of_a_corrector() -> None:
    names = [name for name in vars(respell.Corrector) if not name.startswith("_")]
    assert sorted(names) == PUBLIC_METHODS


def test_a_correction_as_json() -> None:
    correction = respell.Correction(
        4, "teh", (respell.Suggestion("the", 0.9),), 0.9, 0.95, "nonword"
    )
    assert correction.replacement == "the"
    assert correction.to_dict() == {
        "start": 4,
        "end": 7,
        "original": "teh",
        "replacement": "the",
        "suggestions": [{"text": "the", "probability": 0.9}],
        "kind": "nonword",
        "error_probability": 0.95,
        "score": 0.9,
    }


def test_the_version_of_the_model() -> None:
    bundle = respell.Bundle.read(default_path())
    assert (bundle.config.name, bundle.edition) == ("respell-small", 4)
    assert bundle.version == f"respell-small, edition 4, {bundle.sha256[:12]}"
    assert bundle.version == read_version(default_path())
