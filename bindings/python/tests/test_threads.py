"""Threads, forks, and the functions of C in the same file."""

from __future__ import annotations

import ctypes
import gc
import os
import pathlib
import subprocess
import sys
import threading
import time
import weakref

import mitt
import pytest
from test_session import refused


def test_thirty_two_threads(host: mitt.Host) -> None:
    limits: mitt.Limits = {"concurrency": {"queue": 1000, "wait_ms": 60000}, "session": {"tool_calls": 10_000}}
    with mitt.Host(bundled=False, cache=False, limits=limits) as host:
        session = host.session(events=lambda event: None)
        session.tool(name="my__add")(lambda a, b: a + b)
        failures: list[BaseException] = []

        def work(number: int) -> None:
            try:
                for n in range(30):
                    assert session.call("my__add", a=number, b=n).value == number + n
                    session.add(f"a,b\n{number},{n}\n".encode(), f"{number}-{n}.csv") if n % 10 == 0 else session.documents
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(32)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        assert not any(thread.is_alive() for thread in threads) and failures == []
        assert len(session.documents) == 96


def test_the_interpreter_runs_during_a_call(host: mitt.Host) -> None:
    with host.session() as session:
        session.script("1")
        counted = 0
        done = threading.Event()

        def run() -> None:
            try:
                session.script("while True: pass", options=mitt.CallOptions(timeout=1.0))
            except mitt.Error:
                done.set()

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        while not done.is_set():
            counted += 1
            time.sleep(0.001)
        thread.join()
        assert counted > 200


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_fork_gets_an_error_and_no_deadlock(host: mitt.Host) -> None:
    with host.session() as session:
        session.add(b"a\n1\n", "a.csv")
        child = os.fork()
        if child == 0:
            code = 1
            try:
                for used in (lambda: session.call("table_tool__sort"), host.session, lambda: session.documents):
                    with refused("forked") as it:
                        used()  # type: ignore[operator]
                    assert it.error.hint
                with mitt.Host(bundled=False, cache=False) as own:
                    mine = own.session()
                    mine.tool(name="my__one")(lambda: 1)
                    assert mine.call("my__one").value == 1
                del session
                code = 0
            finally:
                os._exit(code)
        for _ in range(300):
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                break
            time.sleep(0.1)
        else:
            os.kill(child, 9)
            os.waitpid(child, 0)
            raise AssertionError("the child hangs")
        assert os.waitstatus_to_exitcode(status) == 0
        assert session.documents[0].name == "a.csv"


def test_an_interpreter_ends_while_work_runs(tmp_path: pathlib.Path) -> None:
    """Daemon threads and calls that run do not keep a program from its end."""
    program = """
import threading, time, mitt
host = mitt.Host(bundled=False, cache=False)
session = host.session(events=lambda event: None)
session.tool(name="my__sleep")(lambda: time.sleep(60))
threading.Thread(target=lambda: session.call("my__sleep"), daemon=True).start()
time.sleep(0.5)
print("end", flush=True)
"""
    started = time.monotonic()
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=30, check=False, cwd=tmp_path)
    assert (done.returncode, done.stdout.strip()) == (0, b"end"), done.stderr
    assert time.monotonic() - started < 20


def test_the_functions_of_c_are_in_the_library() -> None:
    library = ctypes.CDLL(mitt.library_path())
    assert library.mitt_abi_version() == 1
    library.mitt_version.restype = ctypes.c_char_p
    assert library.mitt_version().decode() == mitt.__version__
    for name in ("mitt_host_new", "mitt_session_call", "mitt_agent_run", "mitt_render", "mitt_session_table", "mitt_bytes_free"):
        assert getattr(library, name)


def test_a_closed_session_is_freed(bare: mitt.Host) -> None:
    """Also if a tool of it refers to it, which is a circle through the library that the collector does not see."""
    session = bare.session()
    session.tool(name="my__one")(lambda: len(session.documents))
    assert session.call("my__one").value == 0
    freed = weakref.ref(session)
    session.close()
    # What remains of the last call is dropped on threads of the library.
    session = bare.session()
    for _ in range(100):
        gc.collect()
        if freed() is None:
            break
        time.sleep(0.05)
    assert freed() is None
