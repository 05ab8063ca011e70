"""The spaCy component in real pipelines, with the shipped model."""

import json
import os
import pickle
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import respell
from respell.model.bundle import default_path

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


def _golden() -> list[dict[str, Any]]:
    lines = (default_path() / "golden.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_golden_answers(nlp: Any) -> None:
    golden = _golden()
    docs = list(nlp.pipe([line["text"] for line in golden]))
    assert len(docs) == len(golden) > 0
    for doc, line in zip(docs, golden, strict=True):
        found = doc._.corrections
        wanted = line["corrections"]
        assert [(c.start, c.end, c.original) for c in found] == [
            (w["start"], w["end"], w["original"]) for w in wanted
        ]
        for c, w in zip(found, wanted, strict=True):
            assert [s.text for s in c.suggestions] == [s["text"] for s in w["suggestions"]]
            assert c.score == pytest.approx(w["score"], abs=0.02)


def test_the_library_and_the_component_agree(nlp: Any) -> None:
    doc = nlp(TEXT)
    corrections = respell.load().check(TEXT)
    assert [c.original for c in corrections] == ["recieve", "teh", "freind", "didnt"]
    assert doc._.corrections == corrections
    assert [c.wrong for c in doc._.corrections] == [c.wrong for c in corrections]
    assert doc._.corrected == respell.apply(TEXT, corrections)


def test_tokens_carry_the_correction_they_lie_in(nlp: Any) -> None:
    doc = nlp(TEXT)
    found = {t.text: t._.correction.original for t in doc if t._.correction}
    # spaCy cuts "didnt" in two: both halves name the whole.
    assert found == {
        "recieve": "recieve",
        "teh": "teh",
        "freind": "freind",
        "did": "didnt",
        "nt": "didnt",
    }
    assert doc[0]._.correction is None


def test_a_token_of_several_words_gives_the_first_correction() -> None:
    nlp = _pipeline()
    nlp.tokenizer = spacy.tokenizer.Tokenizer(nlp.vocab)  # cuts at blanks only
    doc = nlp("We recieve/beleive it.")
    assert doc[1].text == "recieve/beleive"
    assert doc[1]._.correction.original == "recieve"
    assert [c.original for c in doc._.corrections] == ["recieve", "beleive"]


@pytest.mark.parametrize("text", ["", " ", "\n\n", "Nothing is wrong here."])
def test_nothing_found(nlp: Any, text: str) -> None:
    doc = nlp(text)
    assert (doc._.corrections, doc._.corrected) == ([], text)


def test_batches_and_order_do_not_matter(nlp: Any) -> None:
    texts = [f"Number {i}: I recieve teh mail." for i in range(20)] + [TEXT, ""]
    one_by_one = [nlp(text)._.corrected for text in texts]
    assert [doc._.corrected for doc in nlp.pipe(texts)] == one_by_one
    assert [doc._.corrected for doc in nlp.pipe(texts, batch_size=3)] == one_by_one


def test_pipe_reads_no_further_than_a_batch(nlp: Any) -> None:
    read = []

    def texts() -> Any:
        for i in range(100):
            read.append(i)
            yield "I recieve teh mail."

    next(nlp.pipe(texts(), batch_size=4))
    assert len(read) == 4


def test_two_processes_after_the_parent_has_used_its_model(nlp: Any) -> None:
    texts = [f"Number {i}: I recieve teh mail." for i in range(12)]
    here = [doc._.corrections for doc in nlp.pipe(texts)]
    there = [doc._.corrections for doc in nlp.pipe(texts, n_process=2, batch_size=3)]
    assert there == here
    assert all(here)


def test_options() -> None:
    assert _pipeline(threshold=1.0)("I recieve teh mail.")._.corrections == []
    doc = _pipeline(dictionary=["Recieve"], max_suggestions=2)("I recieve teh mail.")
    assert [(c.original, len(c.suggestions)) for c in doc._.corrections] == [("teh", 2)]
    loaded = respell.load(preset="careful").check(TEXT)
    assert _pipeline(preset="careful", model=str(default_path()))(TEXT)._.corrections == loaded


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"threshold": 2.0}, "threshold must be a number between 0 and 1"),
        ({"preset": "bold"}, "no preset 'bold'"),
        ({"model": "nowhere"}, "no such model folder"),
    ],
)
def test_a_wrong_option_is_told_at_once(config: dict[str, Any], message: str) -> None:
    with pytest.raises(respell.Error, match=message):
        _pipeline(**config)


def test_saved_loaded_pickled(tmp_path: Path) -> None:
    nlp = _pipeline(dictionary=["teh"])
    nlp.to_disk(tmp_path / "pipeline")
    copies = [
        spacy.load(tmp_path / "pipeline"),
        spacy.blank("en").from_config(nlp.config).from_bytes(nlp.to_bytes()),
        pickle.loads(pickle.dumps(nlp)),
    ]
    for copy in copies:
        assert copy(TEXT)._.corrections == nlp(TEXT)._.corrections


def test_documents_are_stored_with_their_corrections(nlp: Any) -> None:
    docs = [nlp(TEXT), nlp("Teh end.")]
    stored = tokens.DocBin(docs=docs, store_user_data=True).to_bytes()
    back = list(tokens.DocBin().from_bytes(stored).get_docs(nlp.vocab))
    assert [doc._.corrections for doc in back] == [doc._.corrections for doc in docs]
    assert back[0][2]._.correction == docs[0][2]._.correction is not None


def test_offsets_stay_true_when_documents_are_joined_or_cut(nlp: Any) -> None:
    joined = tokens.Doc.from_docs([nlp("Teh end."), nlp(TEXT)])
    assert joined._.corrections == respell.load().check(joined.text)
    cut = joined[4:].as_doc(copy_user_data=True)
    assert [c.original for c in cut._.corrections] == ["recieve", "teh", "freind", "didnt"]
    assert cut._.corrected == respell.apply(cut.text, cut._.corrections)


def test_a_second_run_replaces_the_first(nlp: Any) -> None:
    doc = nlp(TEXT)
    careful = _pipeline(threshold=1.0)
    assert doc._.corrections
    assert careful(doc)._.corrections == []


def test_a_name_that_is_taken_is_told() -> None:
    ours = tokens.Doc.get_extension("corrected")
    tokens.Doc.set_extension("corrected", default="theirs", force=True)
    try:
        with pytest.raises(respell.Error, match=r"Doc\._\.corrected is taken"):
            _pipeline()
    finally:
        tokens.Doc.set_extension("corrected", getter=ours[2], force=True)


def test_add_pipe_finds_the_component_by_the_entry_point(tmp_path: Path) -> None:
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


def test_without_spacy_the_extra_is_named() -> None:
    code = "import sys; sys.modules['spacy'] = None; import respell.integrations.spacy"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert "respell.types.Error: " in done.stderr
    assert "pip install 'respell[spacy]'" in done.stderr.splitlines()[-1]
