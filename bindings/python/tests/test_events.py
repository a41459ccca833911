"""Events of a session."""

from __future__ import annotations

import asyncio
import sys
import threading
from typing import Any

import mitt
import pytest
from test_session import refused


def test_a_function_gets_events(bare: mitt.Host, capsys: pytest.CaptureFixture[str]) -> None:
    events: list[dict[str, Any]] = []
    session = bare.session(events=events.append)
    session.tool(name="my__one")(lambda: 1)
    session.call("my__one")
    assert [event["event"] for event in events] == ["call_started", "call_finished"]
    assert events[0]["tool"] == "my__one" and events[-1]["failure"] is None

    def fails(event: dict[str, Any]) -> None:
        raise ValueError("in an event")

    session = bare.session(events=fails)
    session.tool(name="my__one")(lambda: 1)
    assert session.call("my__one").value == 1
    assert "in an event" in capsys.readouterr().err


def test_a_function_for_events_must_not_wait(bare: mitt.Host) -> None:
    codes: list[str] = []

    def waits(event: dict[str, Any]) -> None:
        try:
            session.call("my__one")
        except mitt.Error as error:
            codes.append(error.code)

    session = bare.session(events=waits)
    session.tool(name="my__one")(lambda: 1)
    assert session.call("my__one").value == 1
    assert set(codes) == {"reentered"}


def test_readers_get_events_until_the_end(bare: mitt.Host) -> None:
    session = bare.session()
    session.tool(name="my__one")(lambda: 1)
    session.call("my__one")
    reader, other = session.events(), session.events()
    names: list[str] = []
    thread = threading.Thread(target=lambda: names.extend(event["event"] for event in reader), daemon=True)
    thread.start()
    session.call("my__one")
    other.close()
    session.call("my__one")
    assert [event["event"] for event in other] == ["call_started", "call_finished"]
    session.close()
    thread.join(10)
    assert names == ["call_started", "call_finished"] * 2 and reader.dropped == 0
    with refused("closed"):
        session.call("my__one")


def test_waiting_events_have_a_bound(bare: mitt.Host, monkeypatch: pytest.MonkeyPatch) -> None:
    from mitt import _events

    monkeypatch.setattr(_events, "MAX_WAITING", 1)
    session = bare.session()
    session.tool(name="my__one")(lambda: 1)
    reader = session.events()
    session.call("my__one")
    reader.close()
    assert [event["event"] for event in reader] == ["call_finished"] and reader.dropped == 1


def test_a_script_prints_events(host: mitt.Host) -> None:
    with host.session() as session, session.events() as events:
        session.script("print('hello')")
        session.close()
        texts = [event["text"] for event in events if event["event"] == "output"]
        assert "".join(texts) == "hello\n"


def test_a_reader_of_a_closed_session_ends(bare: mitt.Host) -> None:
    session = bare.session()
    session.close()
    assert list(session.events()) == []


def test_a_cancelled_reader_leaves_no_waker(bare: mitt.Host) -> None:
    async def story() -> None:
        with bare.session() as session, session.events() as events:
            for _ in range(3):
                with pytest.raises(asyncio.TimeoutError):
                    await asyncio.wait_for(events.__anext__(), 0.01)
            assert events._wakers == []

    asyncio.run(story())


def test_a_function_for_events_cannot_end_the_program(bare: mitt.Host, capsys: pytest.CaptureFixture[str]) -> None:
    def ends(event: dict[str, Any]) -> None:
        sys.exit("in an event")

    session = bare.session(events=ends)
    session.tool(name="my__one")(lambda: 1)
    assert session.call("my__one").value == 1 and session.call("my__one").value == 1
