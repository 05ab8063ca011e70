"""How requests share the model: batches, turns, limits, and what becomes of trouble."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from fakes import ALWAYS, Fake, Ranking, fake_bundle
from respell.corrector import Corrector
from respell.model.forward import Features, TopK
from respell.server import batching
from respell.server.batching import Batcher, BusyError, Options
from respell.server.metrics import Metrics

ANSWERS: dict[str, Ranking] = {"teh": (("the", 0.75),), "recieve": (("receive", 0.5625),)}
LONG = "teh apple would receive it. " * 400  # 2,400 tokens


class Slow:
    """A forward that tells when it is asked and answers when it is let."""

    def __init__(self) -> None:
        self.fake = Fake(ANSWERS)
        self.asked = threading.Event()
        self.free = threading.Event()

    def __call__(self, features: Features, gate: float) -> TopK:
        self.asked.set()
        assert self.free.wait(10)
        return self.fake(features, gate)


def run(
    forward: Any,
    work: Callable[[Batcher], Awaitable[object]],
    *,
    defaults: Options | None = None,
) -> Metrics:
    async def main() -> Metrics:
        metrics = Metrics()
        batcher = Batcher(fake_bundle(), forward, defaults=defaults or Options(), metrics=metrics)
        batcher.start()
        try:
            await asyncio.wait_for(work(batcher), 20)
        finally:
            await batcher.stop()
        return metrics

    return asyncio.run(main())


async def until(event: threading.Event) -> None:
    await asyncio.to_thread(event.wait, 10)


def test_answers_are_those_of_the_corrector() -> None:
    texts = ["teh", "", "All recieve teh 🙂 teh", LONG, "..."]
    sentences = [["teh"], [], ["(teh,", "recieve"], ["teh"] * 1000]

    async def work(batcher: Batcher) -> None:
        assert await batcher.check(texts, Options()) == list(corrector.check_many(texts))
        expected = list(corrector.check_tokens_many(sentences))
        assert await batcher.check(sentences, Options()) == expected
        assert await batcher.check([], Options()) == []

    corrector = Corrector(fake_bundle(), Fake(ANSWERS))
    run(Fake(ANSWERS), work)


def test_requests_that_come_together_share_a_batch() -> None:
    fake = Fake(ANSWERS)

    async def work(batcher: Batcher) -> None:
        found = await asyncio.gather(*(batcher.check([f"teh {i}x"], Options()) for i in range(20)))
        assert [len(corrections) for (corrections,) in found] == [1] * 20

    metrics = run(fake, work)
    assert "respell_batch_requests_sum 20" in metrics.render()
    assert "respell_batch_requests_count 1\n" in metrics.render()
    assert len(fake.gates) == 1


def test_each_request_has_its_own_options() -> None:
    wanted = {
        Options(): ["teh", "recieve"],
        Options(threshold=0.7): ["teh"],
        Options(dictionary=frozenset(("TEH",))): ["recieve"],
        Options(preset="noisy"): ["teh", "recieve"],
        Options(threshold=1): [],
    }

    async def work(batcher: Batcher) -> None:
        found = await asyncio.gather(*(batcher.check(["teh recieve"], o) for o in wanted))
        assert [[c.original for c in only] for (only,) in found] == list(wanted.values())

    run(Fake(ANSWERS), work)


def test_the_server_chooses_where_a_request_does_not() -> None:
    async def work(batcher: Batcher) -> None:
        assert batcher.corrector(Options()).policy.threshold == 0.55
        assert batcher.corrector(Options(threshold=0.9)).policy.threshold == 0.9
        assert batcher.corrector(Options(preset="noisy")).policy.threshold == 0.2
        (found,) = await batcher.check(["apple zoo"], Options())
        assert [correction.original for correction in found] == ["zoo"]

    defaults = Options(threshold=0.55, dictionary=frozenset(("apple",)))
    run(Fake(otherwise=ALWAYS), work, defaults=defaults)


def test_a_long_request_lets_short_ones_through() -> None:
    slow = Slow()
    done: list[str] = []

    async def ask(batcher: Batcher, name: str, text: str) -> None:
        await batcher.check([text], Options())
        done.append(name)

    async def work(batcher: Batcher) -> None:
        long = asyncio.create_task(ask(batcher, "long", LONG * 4))
        await until(slow.asked)
        short = [asyncio.create_task(ask(batcher, f"short {i}", "teh")) for i in range(3)]
        await asyncio.sleep(0)
        slow.free.set()
        await asyncio.gather(long, *short)

    metrics = run(slow, work)
    assert done == ["short 0", "short 1", "short 2", "long"]
    assert metrics.words >= 2400 * 4


def test_other_options_get_their_turn() -> None:
    slow = Slow()
    done: list[str] = []

    async def ask(batcher: Batcher, name: str, text: str, options: Options) -> None:
        await batcher.check([text], options)
        done.append(name)

    async def work(batcher: Batcher) -> None:
        long = asyncio.create_task(ask(batcher, "long", LONG * 4, Options()))
        await until(slow.asked)
        other = asyncio.create_task(ask(batcher, "other", "teh", Options(threshold=0.1)))
        await asyncio.sleep(0)
        slow.free.set()
        await asyncio.gather(long, other)

    run(slow, work)
    assert done == ["other", "long"]


def test_who_leaves_costs_no_more() -> None:
    slow = Slow()

    async def work(batcher: Batcher) -> None:
        left = asyncio.create_task(batcher.check([LONG * 4], Options()))
        await until(slow.asked)
        left.cancel()
        slow.free.set()
        (found,) = await batcher.check(["teh"], Options())
        assert len(found) == 1

    assert run(slow, work).words < 2400


def test_too_much_is_turned_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batching, "MOST_CHARACTERS", 1000)
    slow = Slow()

    async def work(batcher: Batcher) -> None:
        first = asyncio.create_task(batcher.check(["teh " * 200], Options()))
        await until(slow.asked)
        with pytest.raises(BusyError):
            await batcher.check(["teh " * 200], Options())
        slow.free.set()
        await first
        await batcher.check(["teh " * 200], Options())  # there is room again
        with pytest.raises(BusyError):
            await batcher.check([["teh"] * 300], Options())

    run(slow, work)


def test_too_many_are_turned_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batching, "MOST_REQUESTS", 1)
    slow = Slow()

    async def work(batcher: Batcher) -> None:
        first = asyncio.create_task(batcher.check(["teh"], Options()))
        await until(slow.asked)
        with pytest.raises(BusyError):
            await batcher.check(["teh"], Options())
        slow.free.set()
        await first

    run(slow, work)


def test_trouble_in_the_model_reaches_those_in_the_batch_only() -> None:
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
            await batcher.check(["teh"], Options())
        assert len((await batcher.check(["teh"], Options()))[0]) == 1

    run(broken, work)


def test_correctors_are_shared_and_few() -> None:
    async def work(batcher: Batcher) -> None:
        first = batcher.corrector(Options())
        assert batcher.corrector(Options()) is first
        for i in range(100):
            batcher.corrector(Options(max_suggestions=i + 6))
        assert batcher.corrector(Options()) is not first

    run(Fake(ANSWERS), work)
