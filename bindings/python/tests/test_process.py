"""Hosts in a child process. With `MITT_TEST_MODE=process`, all other tests run in that mode too."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import Any

import mitt
import pytest
from mitt import _process
from test_session import refused


def process_of(host: mitt.Host) -> int:
    opened: Any = host._opened
    assert isinstance(opened, _process.ProcessHost)
    return opened._client.pid


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def ended(pid: int) -> bool:
    for _ in range(100):
        if not is_alive(pid):
            return True
        time.sleep(0.05)
    return False


@pytest.fixture
def host() -> Any:
    with mitt.Host(mode="process", bundled=False, cache=False) as host:
        yield host


def test_after_a_crash_the_next_session_works(host: mitt.Host) -> None:
    host.tool(name="my__one")(lambda: 1)
    session = host.session()
    started = threading.Event()

    def sleeps() -> None:
        started.set()
        time.sleep(60)

    session.tool(name="my__sleep")(sleeps)
    assert session.call("my__one").value == 1
    errors: list[mitt.Error] = []

    def call() -> None:
        try:
            session.call("my__sleep")
        except mitt.Error as error:
            errors.append(error)

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    assert started.wait(10)
    pid = process_of(host)
    os.kill(pid, signal.SIGKILL)
    thread.join(10)
    assert [error.code for error in errors] == ["crashed"] and errors[0].retryable and "-9" in errors[0].text
    with refused("crashed"):
        session.call("my__one")
    again = host.session()
    assert again.call("my__one").value == 1 and process_of(host) != pid


def test_the_process_ends_with_the_last_session() -> None:
    host = mitt.Host(mode="process", bundled=False, cache=False)
    host.tool(name="my__one")(lambda: 1)
    session = host.session()
    pid = process_of(host)
    host.close()
    assert session.call("my__one").value == 1 and is_alive(pid)
    session.close()
    assert ended(pid)


def test_a_mode_that_is_refused() -> None:
    with refused("arguments", "mode"):
        mitt.Host(mode="fiber")  # type: ignore[arg-type]


def test_a_host_that_fails_leaves_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[_process.Client] = []

    class Seen(_process.Client):
        def __init__(self) -> None:
            super().__init__()
            made.append(self)

    monkeypatch.setattr(_process, "Client", Seen)
    with refused("arguments", "options.threads"):
        mitt.Host(mode="process", bundled=False, cache=False, threads=0)
    made[0]._reader.join(10)
    assert made[0].is_gone and made[0]._process.returncode is not None


@pytest.fixture
def with_ctrl_c() -> Any:
    """Processes do not inherit that a shell in the background ignores Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_the_process_outlives_ctrl_c(with_ctrl_c: None, host: mitt.Host) -> None:
    session = host.session()
    session.tool(name="my__one")(lambda: 1)
    assert session.call("my__one").value == 1
    os.kill(process_of(host), signal.SIGINT)
    time.sleep(0.2)
    assert session.call("my__one").value == 1


def test_models_are_dropped_with_their_runs(host: mitt.Host) -> None:
    session = host.session()
    opened: Any = host._opened
    assert session.run("a", lambda request: "done").text == "done"
    assert opened._client._functions == {}


def test_objects_are_dropped_while_locks_are_held(host: mitt.Host) -> None:
    """As the garbage collector does."""
    session = host.session()
    session.tool(name="my__one")(lambda: 1)
    session.call("my__one")
    opened: Any = host._opened
    with opened._client._lock, opened._client._channel._lock:
        del session
    assert host.session().tools() == []
