"""How requests share the model: batches, turns, limits and errors."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from fakes import ALWAYS, Fake, Ranking, fake_bundle
from respell.corrector import Corrector
from respell.model.forward import Features, TopK
from respell.options import CorrectorOptions
from respell.server import batching
from respell.server.batching import Batcher, BusyError
from respell.server.metrics import Metrics

ANSWERS: dict[str, Ranking] = {"teh": (("the", 0.75),), "recieve": (("receive", 0.5625),)}
UNSET = CorrectorOptions()
LONG = "teh apple would receive it. " * 400  # 2,400 tokens


class Slow:
    """A forward that sets `called` when it is called, and returns once `free` is set."""

    def __init__(self) -> None:
        self.fake = Fake(ANSWERS)
        self.called = threading.Event()
        self.free = threading.Event()

    def __call__(self, features: Features, gate: float) -> TopK:
        self.called.set()
        assert self.free.wait(10)
        return self.fake(features, gate)


def run(
    forward: Any,
    work: Callable[[Batcher], Awaitable[object]],
    *,
    defaults: CorrectorOptions | None = None,
) -> Metrics:
    async def main() -> Metrics:
        metrics = Metrics()
        batcher = Batcher(fake_bundle(), forward, defaults=defaults or UNSET, metrics=metrics)
        batcher.start()
        try:
            await asyncio.wait_for(work(batcher), 20)
        finally:
            await batcher.stop()
        return metrics

    return asyncio.run(main())


def value(metrics: Metrics, name: str) -> float:
    families = text_string_to_metric_families(metrics.render().decode())
    return sum(s.value for family in families for s in family.samples if s.name == name)


async def until(event: threading.Event) -> None:
    await asyncio.to_thread(event.wait, 10)


def test_results_equal_those_of_the_corrector() -> None:
    texts = ["teh", "", "All recieve teh 🙂 teh", LONG, "..."]
    sentences = [["teh"], [], ["(teh,", "recieve"], ["teh"] * 1000]

    async def work(batcher: Batcher) -> None:
        assert await batcher.check(texts, UNSET) == list(corrector.check_many(texts))
        expected = list(corrector.check_tokens_many(sentences))
        assert await batcher.check(sentences, UNSET) == expected
        assert await batcher.check([], UNSET) == []

    corrector = Corrector(fake_bundle(), Fake(ANSWERS))
    run(Fake(ANSWERS), work)


def test_simultaneous_requests_share_a_batch() -> None:
    fake = Fake(ANSWERS)

    async def work(batcher: Batcher) -> None:
        found = await asyncio.gather(*(batcher.check([f"teh {i}x"], UNSET) for i in range(20)))
        assert [len(corrections) for (corrections,) in found] == [1] * 20

    metrics = run(fake, work)
    assert value(metrics, "respell_batch_requests_sum") == 20
    assert value(metrics, "respell_batch_requests_count") == 1
    assert len(fake.gates) == 1


def test_each_request_has_its_own_options() -> None:
    wanted = {
        UNSET: ["teh", "recieve"],
        CorrectorOptions(threshold=0.7): ["teh"],
        CorrectorOptions(dictionary=frozenset(("TEH",))): ["recieve"],
        CorrectorOptions(preset="noisy"): ["teh", "recieve"],
        CorrectorOptions(threshold=1): [],
    }

    async def work(batcher: Batcher) -> None:
        found = await asyncio.gather(*(batcher.check(["teh recieve"], o) for o in wanted))
        assert [[c.original for c in only] for (only,) in found] == list(wanted.values())

    run(Fake(ANSWERS), work)


def test_options_of_the_server_are_the_defaults() -> None:
    async def work(batcher: Batcher) -> None:
        assert batcher.corrector(UNSET).policy.threshold == 0.55
        assert batcher.corrector(CorrectorOptions(threshold=0.9)).policy.threshold == 0.9
        assert batcher.corrector(CorrectorOptions(preset="noisy")).policy.threshold == 0.2
        assert batcher.corrector(UNSET).policy.max_suggestions == 3
        assert batcher.corrector(CorrectorOptions(max_suggestions=1)).policy.max_suggestions == 1
        (found,) = await batcher.check(["apple zoo"], UNSET)
        assert [correction.original for correction in found] == ["zoo"]
        own = CorrectorOptions(dictionary=frozenset(("zoo",)))
        assert await batcher.check(["apple zoo"], own) == [[]]

    words = frozenset(("apple",))
    defaults = CorrectorOptions(threshold=0.55, dictionary=words, max_suggestions=3)
    run(Fake(otherwise=ALWAYS), work, defaults=defaults)


def test_markup_is_skipped_in_the_format_of_the_request() -> None:
    text = "teh recieve <!-- teh -->"

    async def work(batcher: Batcher) -> None:
        (plain,) = await batcher.check([text], UNSET)
        assert [c.start for c in plain] == [0, 4, 17]
        (found,) = await batcher.check([text], UNSET, format="markdown")
        assert [(c.start, c.original) for c in found] == [(0, "teh"), (4, "recieve")]

    run(Fake(ANSWERS), work)


def test_a_long_request_does_not_hold_up_short_ones() -> None:
    slow = Slow()
    done: list[str] = []

    async def ask(batcher: Batcher, name: str, text: str) -> None:
        await batcher.check([text], UNSET)
        done.append(name)

    async def work(batcher: Batcher) -> None:
        long = asyncio.create_task(ask(batcher, "long", LONG * 4))
        await until(slow.called)
        short = [asyncio.create_task(ask(batcher, f"short {i}", "teh")) for i in range(3)]
        await asyncio.sleep(0)
        slow.free.set()
        await asyncio.gather(long, *short)

    metrics = run(slow, work)
    assert done == ["short 0", "short 1", "short 2", "long"]
    assert value(metrics, "respell_words_total") >= 2400 * 4


def test_requests_with_other_options_get_their_turn() -> None:
    slow = Slow()
    done: list[str] = []

    async def ask(batcher: Batcher, name: str, text: str, options: CorrectorOptions) -> None:
        await batcher.check([text], options)
        done.append(name)

    async def work(batcher: Batcher) -> None:
        long = asyncio.create_task(ask(batcher, "long", LONG * 4, UNSET))
        await until(slow.called)
        other = asyncio.create_task(ask(batcher, "other", "teh", CorrectorOptions(threshold=0.1)))
        await asyncio.sleep(0)
        slow.free.set()
        await asyncio.gather(long, other)

    run(slow, work)
    assert done == ["other", "long"]


def test_a_cancelled_request_is_not_processed_further() -> None:
    slow = Slow()

    async def work(batcher: Batcher) -> None:
        cancelled = asyncio.create_task(batcher.check([LONG * 4], UNSET))
        await until(slow.called)
        cancelled.cancel()
        slow.free.set()
        (found,) = await batcher.check(["teh"], UNSET)
        assert len(found) == 1

    assert value(run(slow, work), "respell_words_total") < 2400


def test_too_many_characters_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batching, "MAX_CHARACTERS", 1000)
    slow = Slow()

    async def work(batcher: Batcher) -> None:
        first = asyncio.create_task(batcher.check(["teh " * 200], UNSET))
        await until(slow.called)
        with pytest.raises(BusyError):
            await batcher.check(["teh " * 200], UNSET)
        slow.free.set()
        await first
        await batcher.check(["teh " * 200], UNSET)  # there is room again
        with pytest.raises(BusyError):
            await batcher.check([["teh"] * 300], UNSET)

    run(slow, work)


def test_too_many_requests_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batching, "MAX_REQUESTS", 1)
    slow = Slow()

    async def work(batcher: Batcher) -> None:
        first = asyncio.create_task(batcher.check(["teh"], UNSET))
        await until(slow.called)
        with pytest.raises(BusyError):
            await batcher.check(["teh"], UNSET)
        slow.free.set()
        await first

    run(slow, work)


def test_a_document_counts_as_one_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batching, "MAX_REQUESTS", 1)
    slow = Slow()

    async def work(batcher: Batcher) -> None:
        first = asyncio.create_task(batcher.check_document(["teh"], UNSET))
        await until(slow.called)
        with pytest.raises(BusyError):
            await batcher.check_document(["teh"], UNSET)
        slow.free.set()
        (found,) = await first
        assert len(found) == 1
        assert len((await batcher.check(["teh"], UNSET))[0]) == 1  # there is room again

    run(slow, work)


def test_an_error_of_the_model_affects_only_its_batch() -> None:
    calls = 0
    fake = Fake(ANSWERS)

    def broken(features: Features, gate: float) -> TopK:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise ValueError("broken")
        return fake(features, gate)

    async def work(batcher: Batcher) -> None:
        with pytest.raises(ValueError, match="broken"):
            await batcher.check(["teh"], UNSET)
        assert len((await batcher.check(["teh"], UNSET))[0]) == 1

    run(broken, work)


def test_correctors_are_cached_up_to_a_limit() -> None:
    async def work(batcher: Batcher) -> None:
        first = batcher.corrector(UNSET)
        assert batcher.corrector(UNSET) is first
        for i in range(100):
            batcher.corrector(CorrectorOptions(max_suggestions=i + 6))
        assert batcher.corrector(UNSET) is not first

    run(Fake(ANSWERS), work)
