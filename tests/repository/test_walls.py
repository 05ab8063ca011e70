"""What an import of respell may bring with it, and what it must show."""

import subprocess
import sys

import pytest

import respell

PUBLIC = "Bundle Correction Corrector Error Example Suggestion Token __version__ apply load".split()
HEAVY = ("numpy", "onnxruntime", "torch", "respell.lab", "respell.corrector")


def _run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    return done.stdout.strip()


def _loaded(code: str, names: tuple[str, ...]) -> set[str]:
    listing = f"import sys; {code}; print(*(n for n in {names!r} if n in sys.modules))"
    return set(_run(listing).split())


@pytest.mark.parametrize("code", ["import respell", "import respell.text, respell.types"])
def test_import_is_light(code: str) -> None:
    assert _loaded(code, HEAVY) == set()


def test_the_corrector_needs_no_lab_and_opens_no_session() -> None:
    code = "import respell; respell.Corrector; respell.load; respell.Bundle"
    assert _loaded(code, HEAVY) == {"numpy", "respell.corrector"}


def test_all_names_the_public_ones() -> None:
    assert sorted(respell.__all__) == sorted(PUBLIC)


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names_resolve(name: str) -> None:
    assert getattr(respell, name) is not None
    assert _run(f"from respell import {name}; print({name}.__class__.__name__)")


def test_a_star_import_gives_them_all() -> None:
    names = _run("from respell import *; print(*sorted(k for k in dir() if k[:1] != '_'))").split()
    assert names == sorted(name for name in PUBLIC if name != "__version__")


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'respell' has no attribute 'teh'"):
        respell.teh  # noqa: B018
