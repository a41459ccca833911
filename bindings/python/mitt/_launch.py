"""Starts the child process of ``Host(mode="process")``, and makes sure that it is one."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

from . import _mitt
from ._errors import Error

#: What a child writes before anything else.
GREETING = f"mitt-child {_mitt.__version__}\n".encode()
#: Seconds until a child must have written it. It loads the library, which may come from a slow disk.
_GREETING_SECONDS = 30.0
_HINT = 'name a Python interpreter: `mitt.Host(mode="process", interpreter="/usr/bin/python3")`'


def interpreter_of(given: str | os.PathLike[str] | None) -> str:
    """Returns the path of the interpreter for child processes.

    Raises ``Error`` with the code ``arguments`` if none is given and this program is not one.
    """
    if given is not None:
        return os.fspath(given)
    if getattr(sys, "frozen", False):
        # It would start itself again.
        message = f"`{sys.executable}` is a frozen program, and no interpreter for a child process"
        raise Error(message, code="arguments", place="interpreter", hint=_HINT)
    if not sys.executable:
        message = "the path of the interpreter is not known, as in a program that embeds Python"
        raise Error(message, code="arguments", place="interpreter", hint=_HINT)
    return sys.executable


def started(interpreter: str) -> subprocess.Popen[bytes]:
    """Starts a child, and waits for its greeting.

    Raises ``Error`` with the code ``arguments`` if the interpreter cannot be started, or is none that loads this version of Mitt.
    """
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    # Ctrl-C reaches all processes of the terminal. It ends a call, and not the process that does it.
    ignoring = "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN)"
    program = f"{ignoring}; sys.path.insert(0, {root!r}); from mitt import _child; _child.main()"
    try:
        process = subprocess.Popen([interpreter, "-I", "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=-1)
    except (OSError, ValueError) as error:
        raise _refused(interpreter, f"which cannot be started: {error}") from error
    problem = _problem(process)
    if problem is not None:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            try:
                if pipe is not None:
                    pipe.close()
            except OSError:
                # It was not written to.
                pass
        raise _refused(interpreter, problem)
    return process


def _problem(process: subprocess.Popen[bytes]) -> str | None:
    """Waits for the greeting of a child. Returns what is wrong with it."""
    assert process.stdout is not None
    source = process.stdout
    read: list[bytes] = []
    thread = threading.Thread(target=lambda: read.append(source.read(len(GREETING))), name="mitt-greeting", daemon=True)
    thread.start()
    thread.join(_GREETING_SECONDS)
    if not read:
        # Killing the process ends the thread.
        process.kill()
        thread.join(1)
        return f"which does not greet within {_GREETING_SECONDS:g} s"
    if read[0] == GREETING:
        return None
    if read[0].startswith(GREETING.split()[0]):
        return f"which has another version of Mitt than {_mitt.__version__}"
    if len(read[0]) < len(GREETING):
        return f"which ended with {process.wait()} before it greeted"
    return "which writes something else than a greeting"


def _refused(interpreter: str, problem: str) -> Error:
    message = f"expected a Python interpreter that loads Mitt, got `{interpreter}`, {problem}"
    return Error(message, code="arguments", place="interpreter", hint=_HINT)
