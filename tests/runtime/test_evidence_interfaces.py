"""The editor and the server use the evidence of a document as `check_document` does."""

import asyncio

import pytest

import respell
from respell.corrector import Corrector
from respell.lsp.checking import Checker
from respell.options import CorrectorOptions
from respell.server.batching import Batcher
from respell.server.metrics import Metrics
from respell.types import Correction

TEXT = (
    "The refspec maps refs, as `refspec` does.\n\nEach refspec has parts. I recieve mail.\n\n"
    "A refspec is short.\n\nThis refpsec is wrong. Another refspec is here, and one more refspec.\n"
)
OTHER = "A frobset, one `frobset`, the frobset. My frobest is a frobset. This refspec is new."


@pytest.fixture(scope="module")
def corrector() -> Corrector:
    return respell.load()


@pytest.fixture
def batcher(corrector: Corrector) -> Batcher:
    return Batcher(
        corrector.bundle, corrector.forward, defaults=CorrectorOptions(), metrics=Metrics()
    )


def plain(found: list[Correction]) -> list[tuple[int, str, str]]:
    return [(c.start, c.original, c.replacement) for c in found]


def expected(corrector: Corrector, text: str) -> list[tuple[int, str, str]]:
    return plain(corrector.check_document(text, format="markdown"))


def test_a_document_of_the_editor_has_its_own_terms(corrector: Corrector) -> None:
    checker = Checker(corrector)
    assert ("refpsec", "refspec") in {(b, c) for _, b, c in expected(corrector, TEXT)}
    for text in (TEXT, OTHER, TEXT, TEXT.replace("recieve", "receive"), OTHER):
        assert plain(checker.check(text, format="markdown")) == expected(corrector, text)


def serve(batcher: Batcher, parts: list[str], options: CorrectorOptions) -> list[list[Correction]]:
    async def ask() -> list[list[Correction]]:
        batcher.start()
        try:
            return await batcher.check_document(parts, options, format="markdown")
        finally:
            await batcher.stop()

    return asyncio.run(ask())


def test_a_request_of_the_server_is_a_document(corrector: Corrector, batcher: Batcher) -> None:
    (found,) = serve(batcher, [TEXT], CorrectorOptions())
    assert plain(found) == expected(corrector, TEXT)


def test_the_parts_of_a_request_share_their_evidence(batcher: Batcher) -> None:
    parts = TEXT.split("\n\n")
    found = serve(batcher, parts, CorrectorOptions())
    assert [[c.original for c in each] for each in found] == [[], ["recieve"], [], ["refpsec"]]
    assert found[3][0].replacement == "refspec"


def test_a_document_keeps_the_options_of_the_request(batcher: Batcher) -> None:
    options = CorrectorOptions(dictionary=frozenset({"recieve"}), variant="en-GB")
    (found,) = serve(batcher, [TEXT + " My color."], options)
    assert [(c.original, c.kind) for c in found] == [("refpsec", "nonword"), ("color", "variant")]
