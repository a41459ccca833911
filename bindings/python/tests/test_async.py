"""Coroutines and cancellation."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from collections.abc import Iterator

import mitt
import pytest
from test_session import refused

ENDLESS = "while True: pass"


class Rang(Exception):
    """What the alarm raises."""


@pytest.fixture
def alarm() -> Iterator[None]:
    """Makes SIGALRM raise `Rang`."""

    def ring(*_: object) -> None:
        raise Rang

    before = signal.signal(signal.SIGALRM, ring)
    yield
    signal.signal(signal.SIGALRM, before)


def test_cancelling_a_task_stops_the_sandbox(host: mitt.Host) -> None:
    async def story() -> tuple[float, list[str]]:
        async with host.session() as session:
            await session.ascript("1")
            with session.events() as events:
                task = asyncio.create_task(session.ascript(ENDLESS))
                names: list[str] = []
                async for event in events:
                    names.append(event["event"])
                    if event["event"] == "call_started":
                        break
                await asyncio.sleep(0.2)
                # Other tasks run meanwhile.
                assert not task.done()
                started = time.monotonic()
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
                took = time.monotonic() - started
                # Nothing computes any more.
                await asyncio.sleep(0.5)
                used = time.process_time()
                await asyncio.sleep(0.5)
                assert time.process_time() - used < 0.25
            # The session goes on.
            assert (await session.ascript("print(2)")).stdout == "2\n"
            return took, names

    took, _ = asyncio.run(asyncio.wait_for(story(), 60))
    assert took < 1, took


def test_a_timeout_of_asyncio(host: mitt.Host) -> None:
    async def story() -> float:
        async with host.session() as session:
            await session.ascript("1")
            started = time.monotonic()
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(session.ascript(ENDLESS), 0.3)
            return time.monotonic() - started

    assert asyncio.run(story()) < 1.3


def test_a_flag_ends_calls_of_threads(host: mitt.Host) -> None:
    cancel = mitt.Cancel()
    with host.session() as session:
        session.script("1")
        codes: list[str] = []

        def run() -> None:
            try:
                session.script(ENDLESS, cancel=cancel)
            except mitt.Error as error:
                codes.append(error.code)

        threads = [threading.Thread(target=run, daemon=True) for _ in range(2)]
        for thread in threads:
            thread.start()
        time.sleep(0.3)
        started = time.monotonic()
        cancel.set()
        for thread in threads:
            thread.join(10)
        assert time.monotonic() - started < 1 and codes == ["cancelled", "cancelled"]

def test_work_with_a_set_flag_does_not_begin(bare: mitt.Host) -> None:
    """A tool ends before a message that follows its request can cancel it."""
    calls: list[str] = []
    cancel = mitt.Cancel()
    assert not cancel.is_set()
    cancel.set()
    assert cancel.is_set()
    with bare.session() as session:

        @session.tool
        def counts() -> str:
            calls.append("call")
            return "counted"

        async def story() -> None:
            with refused("cancelled"):
                await session.acall("app__counts", cancel=cancel)

        for _ in range(50):
            with refused("cancelled"):
                session.call("app__counts", cancel=cancel)
            asyncio.run(story())
        assert calls == []
        session.call("app__counts")
        assert calls == ["call"]


def test_a_flag_outlives_a_cancelled_task(bare: mitt.Host) -> None:
    """A cancelled task does not set the flag that it shares with others."""
    session = bare.session()

    @session.tool
    async def waits() -> None:
        await asyncio.sleep(60)

    async def story() -> None:
        cancel = mitt.Cancel()
        first = asyncio.create_task(session.acall("app__waits", cancel=cancel))
        second = asyncio.create_task(session.acall("app__waits", cancel=cancel))
        await asyncio.sleep(0.2)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        await asyncio.sleep(0.2)
        assert not second.done()
        cancel.set()
        with refused("cancelled"):
            await second
        with refused("cancelled"):
            await session.acall("app__waits", cancel=cancel)

    asyncio.run(asyncio.wait_for(story(), 20))


@pytest.mark.usefixtures("alarm")
def test_a_signal_ends_a_call(host: mitt.Host) -> None:
    with host.session() as session:
        session.script("1")
        started = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(Rang):
            session.script(ENDLESS)
        assert time.monotonic() - started < 1.3


def test_all_twins(host: mitt.Host) -> None:
    async def story() -> None:
        async with host.session(destructive="pause") as session:

            @session.tool(name="my__clear", destructive=True)
            def clear() -> str:
                return "cleared"

            document = await session.aadd(b"a,b\n1,2\n", "a.csv")
            assert document.tables[0].rows == 1
            assert any(tool.name == "table_tool__sort" for tool in await session.atools())
            result = await session.acall("table_tool__sort", data={"$ref": "a.csv"}, keys=[{"column": "a"}])
            assert result.value
            with refused("paused") as it:
                await session.acall("my__clear")
            assert (await session.aresume(it.error.result.approval.id, approve=True)).value == "cleared"
        assert (await mitt.arender("# A", "pdf")).pages == 1
        with refused("input"):
            await mitt.afill(b"a", {})
        with refused("closed"):
            await session.aadd(b"a", "a.csv")
        with refused("arguments", "name"):
            await host.session().aadd(b"a")

    asyncio.run(story())


def test_a_thousand_tasks(bare: mitt.Host) -> None:
    session = bare.session()
    session.tool(name="my__next")(lambda n: n + 1)

    async def story() -> list[int]:
        results = await asyncio.gather(*(session.acall("my__next", n=n) for n in range(1000)))
        return [result.value for result in results]

    limits: mitt.Limits = {"concurrency": {"queue": 2000, "wait_ms": 60000}, "session": {"tool_calls": 5000}}
    with mitt.Host(bundled=False, cache=False, limits=limits) as host:
        session = host.session()
        session.tool(name="my__next")(lambda n: n + 1)
        assert asyncio.run(asyncio.wait_for(story(), 60)) == list(range(1, 1001))


@pytest.mark.usefixtures("alarm")
def test_a_flag_outlives_a_signal(bare: mitt.Host) -> None:
    cancel = mitt.Cancel()
    with bare.session() as session:
        session.tool(name="my__sleep")(lambda seconds: time.sleep(seconds))
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(Rang):
            session.call("my__sleep", seconds=2, cancel=cancel)
        assert session.call("my__sleep", seconds=0, cancel=cancel).value is None
        cancel.set()
        with refused("cancelled"):
            session.call("my__sleep", seconds=0, cancel=cancel)


def test_work_keeps_its_host() -> None:
    async def story() -> None:
        started = asyncio.Event()
        host = mitt.Host(bundled=False, cache=False)
        session = host.session()

        @session.tool(name="my__wait")
        async def wait() -> int:
            started.set()
            await asyncio.sleep(0.3)
            return 1

        # As `aadd` and `atools` do, which hold only the work.
        task = asyncio.create_task(session._wait(session._core().call("my__wait", "{}", ""), None))
        await started.wait()
        session.close()
        host.close()
        del session, host
        assert '"result":1' in await task

    asyncio.run(asyncio.wait_for(story(), 20))
