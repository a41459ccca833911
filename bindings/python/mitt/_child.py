"""The child process of ``Host(mode="process")``: it holds the library, and does what its parent says."""

from __future__ import annotations

import itertools
import os
import queue
import threading
from typing import TYPE_CHECKING, Any

from . import _mitt
from ._channel import Channel
from ._errors import Error
from ._launch import GREETING
from ._tables import from_ipc, to_ipc

if TYPE_CHECKING:
    from collections.abc import Callable

#: Methods of a session that give work.
_WORKS = frozenset({"add", "call", "script", "resume", "tools"})
#: Methods of a session that give a text, a number or bytes.
_VALUES = frozenset({"state", "artifacts", "artifact", "document_bytes"})


class Child:
    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._hosts: dict[int, _mitt.Host] = {}
        self._sessions: dict[int, _mitt.Session] = {}
        self._flags: dict[int, _mitt.Cancel] = {}
        self._answers: dict[int, queue.SimpleQueue[tuple[bool, str]]] = {}
        self._numbers = itertools.count(1)
        #: Requests and objects that are not needed any more, in their order; ``None`` after the last one.
        self._inbox: queue.SimpleQueue[tuple[dict[str, Any], bytes] | None] = queue.SimpleQueue()

    def serve(self) -> None:
        """Does what the parent says until it is gone."""
        threading.Thread(target=self._receive, name="mitt-child-read", daemon=True).start()
        while (received := self._inbox.get()) is not None:
            message, payload = received
            if "drop" in message:
                self._hosts.pop(message["drop"], None)
                self._sessions.pop(message["drop"], None)
            else:
                self._do(message, payload)

    def _receive(self) -> None:
        """Receives what the parent says. What ends work or waiting is done here, as the other thread may be busy."""
        try:
            while (received := self._channel.receive()) is not None:
                message, payload = received
                if "answer" in message:
                    waiting = self._answers.pop(message["answer"], None)
                    if waiting is not None:
                        waiting.put((message["ok"], payload.decode()))
                elif "cancel" in message:
                    flag = self._flags.get(message["cancel"])
                    if flag is not None:
                        flag.set()
                elif "ping" in message:
                    self._channel.send({"pong": message["ping"]})
                else:
                    if "id" in message:
                        # It may be cancelled before its turn comes.
                        self._flags[message["id"]] = _mitt.Cancel()
                    self._inbox.put(received)
        finally:
            self._inbox.put(None)

    def _do(self, message: dict[str, Any], payload: bytes) -> None:
        id = message["id"]
        try:
            done = self._begin(id, message, payload)
            if done is not None:
                self._finish(id, done, None)
        except BaseException as error:
            self._finish(id, None, error)

    def _finish(self, id: int, result: Any, error: BaseException | None) -> None:
        self._flags.pop(id, None)
        try:
            if isinstance(error, Error):
                self._channel.send({"id": id, "error": error.to_json()})
            elif error is not None:
                self._channel.send({"id": id, "failure": f"{type(error).__name__}: {error}"})
            elif isinstance(result, tuple):
                self._channel.send({"id": id, "kind": "file", "report": result[1]}, result[0])
            elif isinstance(result, bytes):
                self._channel.send({"id": id, "kind": "bytes"}, result)
            elif isinstance(result, str):
                self._channel.send({"id": id, "kind": "text"}, result.encode())
            else:
                self._channel.send({"id": id, "kind": "number", "value": int(result)})
        except (OSError, ValueError):
            # The parent is gone.
            os._exit(1)

    def _begin(self, id: int, message: dict[str, Any], payload: bytes) -> Any:
        """Does something at once and returns its result, or starts work and returns nothing."""
        what, given = message["do"], message.get("given", [])
        if what == "host":
            self._hosts[id] = _mitt.Host(given[0])
        elif what == "tool":
            self._hosts[message["of"]].add_tool(given[0], self._function(given[1]))
        elif what == "check":
            self._hosts[message["of"]].check_session(given[0])
        elif what == "session":
            tools = [(definition, self._function(function)) for definition, function in given[1]]
            switch = _mitt.Switch()
            switch.set(True)
            self._sessions[id] = self._hosts[message["of"]].session(given[0], tools, switch, self._reporter(id))
        elif what == "table":
            return to_ipc(self._sessions[message["of"]].table(given[0]))
        elif what in _VALUES:
            return getattr(self._sessions[message["of"]], what)(*given)
        else:
            flag = self._flags[id]
            if message.get("cancelled"):
                flag.set()
            self._work(message, payload, given).start(flag, lambda result, error: self._finish(id, result, error))
            return None
        return 0

    def _work(self, message: dict[str, Any], payload: bytes, given: list[Any]) -> _mitt.Work:
        what = message["do"]
        session = self._sessions[message["of"]]
        if what == "add":
            return session.add(given[0], payload, given[1])
        if what == "add_table":
            return session.add_table(given[0], from_ipc(payload).__arrow_c_stream__())
        if what == "follow":
            return session.follow(given[0], given[1], self._function(given[2]))
        if what not in _WORKS:
            raise ValueError(f"unknown request `{what}`")
        work: _mitt.Work = getattr(session, what)(*given)
        return work

    def _reporter(self, session: int) -> Callable[[str], None]:
        def report(event: str) -> None:
            self._channel.send({"event": session}, event.encode())

        return report

    def _function(self, function: int) -> Callable[[str, _mitt.Stop], tuple[bool, str]]:
        """Returns what asks a function of the parent."""

        def ask(request: str, stop: _mitt.Stop) -> tuple[bool, str]:
            number = next(self._numbers)
            answer = self._answers[number] = queue.SimpleQueue()

            def stopped() -> None:
                self._channel.send({"stop": number})
                # The thread goes on.
                answer.put((False, ""))

            stop.on_stop(stopped)
            self._channel.send({"call": number, "function": function}, request.encode())
            return answer.get()

        return ask


def main() -> None:
    """Runs until the parent closes the pipe."""
    # Nothing else may write to the pipe.
    target = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    source = os.fdopen(os.dup(0), "rb")
    target.write(GREETING)
    target.flush()
    threading.current_thread().name = "mitt-child"
    Child(Channel(source, target)).serve()
    os._exit(0)
