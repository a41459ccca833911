"""Hosts in a child process. With `MITT_TEST_MODE=process`, all other tests run in that mode too."""

from __future__ import annotations

import os
import pathlib
import signal
import sys
import threading
import time
from typing import Any

import mitt
import pytest
from mitt import _launch, _process
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
        def __init__(self, interpreter: str) -> None:
            super().__init__(interpreter)
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


def sleeper(session: mitt.Session) -> threading.Event:
    """Adds a tool that sleeps a minute. The event is set when it begins."""
    started = threading.Event()

    def sleeps() -> None:
        started.set()
        time.sleep(60)

    session.tool(name="my__sleep")(sleeps)
    return started


def test_a_flag_ends_a_call_of_a_stopped_process(host: mitt.Host) -> None:
    host.tool(name="my__one")(lambda: 1)
    session, other = host.session(), host.session()
    started = sleeper(other)
    assert session.call("my__one").value == 1
    errors: list[str] = []

    def call() -> None:
        try:
            other.call("my__sleep")
        except mitt.Error as error:
            errors.append(error.code)

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    assert started.wait(10)
    pid = process_of(host)
    os.kill(pid, signal.SIGSTOP)
    try:
        flag = mitt.Cancel()
        threading.Timer(0.3, flag.set).start()
        start = time.monotonic()
        with refused("cancelled"):
            session.call("my__one", cancel=flag)
        assert 1.5 < time.monotonic() - start < 30
        # The process is gone with all its sessions. The other call was not cancelled.
        thread.join(10)
        assert errors == ["crashed"] and ended(pid)
        assert host.session().call("my__one").value == 1
    finally:
        if is_alive(pid):
            os.kill(pid, signal.SIGKILL)


def test_a_flag_that_is_set_ends_a_call_of_a_stopped_process(host: mitt.Host) -> None:
    session = host.session()
    session.tools()
    pid = process_of(host)
    os.kill(pid, signal.SIGSTOP)
    flag = mitt.Cancel()
    flag.set()
    with refused("cancelled"):
        session.tools(cancel=flag)
    assert ended(pid)


def test_a_process_that_ends_its_work_lives(host: mitt.Host) -> None:
    session = host.session()
    started = sleeper(session)
    pid = process_of(host)
    flag = mitt.Cancel()
    threading.Thread(target=lambda: started.wait(10) and flag.set(), daemon=True).start()
    with refused("cancelled"):
        session.call("my__sleep", cancel=flag)
    time.sleep(2.5)
    assert is_alive(pid) and process_of(host) == pid and session.tools() != []


def test_a_process_that_lives_and_does_not_end_its_work_is_killed(monkeypatch: pytest.MonkeyPatch, host: mitt.Host) -> None:
    monkeypatch.setattr(_process, "_LOOKS_IF_ALIVE", 30)
    session = host.session()
    session.tools()
    opened: Any = host._opened
    client, pid = opened._client, process_of(host)
    waiter = _process.Waiter()
    # The child answers each ping, and nothing that it does not know of.
    client._waiting[10_000] = waiter.done
    client.cancel(10_000)
    with refused("cancelled"):
        waiter.result()
    assert ended(pid)


def test_a_program_that_is_no_interpreter_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    def program(name: str, text: str) -> str:
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return str(path)

    before = _launch._GREETING_SECONDS
    monkeypatch.setattr(_launch, "_GREETING_SECONDS", 1.0)
    for path, problem in [
        (program("ends", "exit 3"), "ended with 3"),
        (program("hangs", "exec sleep 60"), "does not greet within 1 s"),
        (program("talks", "echo welcome to this program, which is no Python; exec sleep 60"), "writes something else"),
        (program("old", "echo mitt-child 0.0.0-long-enough; exec sleep 60"), "another version of Mitt"),
        (str(tmp_path / "none"), "cannot be started"),
    ]:
        with refused("arguments", "interpreter") as it:
            mitt.Host(mode="process", bundled=False, cache=False, interpreter=path)
        assert path in it.error.text and problem in it.error.text and "interpreter=" in str(it.error.hint)
    monkeypatch.setattr(_launch, "_GREETING_SECONDS", before)
    with mitt.Host(mode="process", bundled=False, cache=False, interpreter=pathlib.Path(sys.executable)) as host:
        assert host.session().tools() == []


def test_a_frozen_program_does_not_start_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    python = sys.executable
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    with refused("arguments", "interpreter") as it:
        mitt.Host(mode="process", bundled=False, cache=False)
    assert "frozen" in it.error.text and "interpreter=" in str(it.error.hint)
    with mitt.Host(mode="process", bundled=False, cache=False, interpreter=python) as host:
        assert host.session().tools() == []
    monkeypatch.delattr(sys, "frozen")
    for nothing in ("", None):
        monkeypatch.setattr(sys, "executable", nothing)
        with refused("arguments", "interpreter"):
            mitt.Host(mode="process", bundled=False, cache=False)


def test_an_interpreter_needs_a_process() -> None:
    with refused("arguments", "interpreter"):
        mitt.Host(mode="thread", interpreter=sys.executable)
