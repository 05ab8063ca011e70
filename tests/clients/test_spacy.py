"""The spaCy component in real pipelines, with the shipped model."""

import os
import pickle
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import respell
from golden_answers import golden
from respell.model.bundle import default_path
from respell.types import PRESETS

pytestmark = pytest.mark.clients

spacy = pytest.importorskip("spacy")
tokens = pytest.importorskip("spacy.tokens")
pytest.importorskip("respell.integrations.spacy")

ROOT = Path(__file__).parents[2]
TEXT = "😀 I recieve teh mail. Bob's freind didnt no."


def _pipeline(**config: Any) -> Any:
    nlp = spacy.blank("en")
    nlp.add_pipe("respell", config=config)
    return nlp


@pytest.fixture(scope="module")
def nlp() -> Any:
    return _pipeline()


@pytest.mark.parametrize("preset", PRESETS)
def test_golden_answers(preset: str) -> None:
    rows = golden(preset)
    docs = list(_pipeline(preset=preset).pipe([row["text"] for row in rows]))
    assert len(docs) == len(rows) > 0
    for doc, row in zip(docs, rows, strict=True):
        found = [c.to_dict() for c in doc._.corrections]
        wanted = row["corrections"]
        for key in ("start", "end", "original", "replacement", "kind"):
            assert [c[key] for c in found] == [c[key] for c in wanted]
        for key in ("score", "error_probability"):
            scores = [c[key] for c in wanted]
            assert [c[key] for c in found] == pytest.approx(scores, abs=0.02)


def test_component_agrees_with_the_library(nlp: Any) -> None:
    doc = nlp(TEXT)
    corrections = respell.load().check(TEXT)
    assert [c.original for c in corrections] == ["recieve", "teh", "freind", "didnt"]
    assert [c.to_dict() for c in doc._.corrections] == [c.to_dict() for c in corrections]
    assert doc._.corrected == respell.apply(TEXT, corrections)


def test_tokens_have_the_correction_that_overlaps_them(nlp: Any) -> None:
    doc = nlp(TEXT)
    found = {t.text: t._.correction.original for t in doc if t._.correction}
    # spaCy splits "didnt" in two; both halves have the correction of the whole word.
    assert found == {
        "recieve": "recieve",
        "teh": "teh",
        "freind": "freind",
        "did": "didnt",
        "nt": "didnt",
    }
    assert doc[0]._.correction is None


def test_token_of_several_words_has_the_first_correction() -> None:
    nlp = _pipeline()
    nlp.tokenizer = spacy.tokenizer.Tokenizer(nlp.vocab)  # splits at spaces only
    doc = nlp("We recieve/beleive it.")
    assert doc[1].text == "recieve/beleive"
    assert doc[1]._.correction.original == "recieve"
    assert [c.original for c in doc._.corrections] == ["recieve", "beleive"]


@pytest.mark.parametrize("text", ["", " ", "\n\n", "Nothing is wrong here."])
def test_correct_text(nlp: Any, text: str) -> None:
    doc = nlp(text)
    assert (doc._.corrections, doc._.corrected) == ([], text)


def test_batches_change_nothing(nlp: Any) -> None:
    texts = [f"Number {i}: I recieve teh mail." for i in range(20)] + [TEXT, ""]
    one_by_one = [nlp(text)._.corrected for text in texts]
    assert [doc._.corrected for doc in nlp.pipe(texts)] == one_by_one
    assert [doc._.corrected for doc in nlp.pipe(texts, batch_size=3)] == one_by_one


def test_pipe_reads_only_one_batch_ahead(nlp: Any) -> None:
    read = []

    def texts() -> Any:
        for i in range(100):
            read.append(i)
            yield "I recieve teh mail."

    next(nlp.pipe(texts(), batch_size=4))
    assert len(read) == 4


def test_two_processes_after_the_parent_has_opened_the_model(nlp: Any) -> None:
    texts = [f"Number {i}: I recieve teh mail." for i in range(12)]
    here = [doc._.corrections for doc in nlp.pipe(texts)]
    there = [doc._.corrections for doc in nlp.pipe(texts, n_process=2, batch_size=3)]
    assert there == here
    assert all(here)


def test_options() -> None:
    assert _pipeline(threshold=1.0)("I recieve teh mail.")._.corrections == []
    text = "Please take the forh road to teh libary."
    found = _pipeline(dictionary=["Teh"])(text)._.corrections
    assert [c.original for c in found] == ["forh", "libary"]
    assert len(found[0].suggestions) > 2
    found = _pipeline(max_suggestions=2)(text)._.corrections
    assert [c.original for c in found] == ["forh", "teh", "libary"]
    assert len(found[0].suggestions) == 2
    assert _pipeline(fix_threshold=1.0)(text)._.corrected == text
    assert _pipeline(variant="en-US")("My favourite")._.corrected == "My favorite"
    loaded = respell.load(preset="careful").check(TEXT)
    assert _pipeline(preset="careful", model=str(default_path()))(TEXT)._.corrections == loaded


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"threshold": 2.0}, "threshold must be a number between 0 and 1"),
        ({"fix_threshold": -1.0}, "fix_threshold must be a number between 0 and 1"),
        ({"variant": "en-AU"}, "variant must be one of auto, en-GB, en-US"),
        ({"preset": "bold"}, "no preset 'bold'"),
        ({"model": "nowhere"}, "no such model folder"),
    ],
)
def test_invalid_option_is_an_error_at_once(config: dict[str, Any], message: str) -> None:
    with pytest.raises(respell.Error, match=message):
        _pipeline(**config)


def test_pipeline_can_be_saved_and_pickled(tmp_path: Path) -> None:
    nlp = _pipeline(dictionary=["teh"])
    nlp.to_disk(tmp_path / "pipeline")
    copies = [
        spacy.load(tmp_path / "pipeline"),
        spacy.blank("en").from_config(nlp.config).from_bytes(nlp.to_bytes()),
        pickle.loads(pickle.dumps(nlp)),
    ]
    for copy in copies:
        assert copy(TEXT)._.corrections == nlp(TEXT)._.corrections


def test_stored_documents_keep_their_corrections(nlp: Any) -> None:
    docs = [nlp(TEXT), nlp("Teh end.")]
    stored = tokens.DocBin(docs=docs, store_user_data=True).to_bytes()
    back = list(tokens.DocBin().from_bytes(stored).get_docs(nlp.vocab))
    for new, old in zip(back, docs, strict=True):
        assert [c.to_dict() for c in new._.corrections] == [c.to_dict() for c in old._.corrections]
    assert back[0][2]._.correction == docs[0][2]._.correction is not None


def test_offsets_stay_correct_when_documents_are_joined_or_sliced(nlp: Any) -> None:
    joined = tokens.Doc.from_docs([nlp("Teh end."), nlp(TEXT)])
    assert joined._.corrections == respell.load().check(joined.text)
    part = joined[4:].as_doc(copy_user_data=True)
    assert [c.original for c in part._.corrections] == ["recieve", "teh", "freind", "didnt"]
    assert part._.corrected == respell.apply(part.text, part._.corrections)


def test_second_run_replaces_the_first(nlp: Any) -> None:
    doc = nlp(TEXT)
    careful = _pipeline(threshold=1.0)
    assert doc._.corrections
    assert careful(doc)._.corrections == []


def test_used_name_is_an_error() -> None:
    ours = tokens.Doc.get_extension("corrected")
    tokens.Doc.set_extension("corrected", default="other", force=True)
    try:
        with pytest.raises(respell.Error, match=r"Doc\._\.corrected is used"):
            _pipeline()
    finally:
        tokens.Doc.set_extension("corrected", getter=ours[2], force=True)


def test_add_pipe_finds_the_component_by_its_entry_point(tmp_path: Path) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    target = project["entry-points"]["spacy_factories"]["respell"]
    folder = tmp_path / "respell-0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: respell\nVersion: 0\n")
    (folder / "entry_points.txt").write_text(f"[spacy_factories]\nrespell = {target}\n")
    code = (
        "import spacy; n = spacy.blank('en'); n.add_pipe('respell'); "
        "print(n('I saw teh mail')._.corrected)"
    )
    paths = [str(tmp_path), str(ROOT / "src")]
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.stdout, done.returncode) == ("I saw the mail\n", 0), done.stderr


def test_missing_spacy_is_reported_with_the_extra() -> None:
    code = "import sys; sys.modules['spacy'] = None; import respell.integrations.spacy"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert "respell.types.Error: " in done.stderr
    assert "pip install '.[spacy]'" in done.stderr.splitlines()[-1]
