"""``Host(mode="process")``: what the extension does, over a child process, so that a crash of native code ends no program.

The classes have the methods of those of the extension that hosts and sessions use.
"""

from __future__ import annotations

import itertools
import json
import os
import queue
import threading
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ._channel import Channel, packed
from ._errors import Error, error_of
from ._launch import interpreter_of, started
from ._tables import SentTable, to_ipc

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._mitt import Cancel, Switch

    Function = Callable[[str, Any], tuple[bool, str]]
    Done = Callable[[Any, BaseException | None], object]


#: Seconds between two looks at work that was cancelled.
_LOOK_SECONDS = 0.1
#: Looks until a process is killed that does not end such work: one that sends nothing, and one that sends something.
_LOOKS_IF_SILENT = 20
_LOOKS_IF_ALIVE = 100


class Startable(Protocol):
    """Work, in this process or another one."""

    def run(self, cancel: Cancel) -> Any: ...
    def start(self, cancel: Cancel, done: Done) -> None: ...


class ProcessStop:
    """Says that an answer is not needed any more."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._function: Callable[[], object] | None = None
        self._is_stopped = False

    def on_stop(self, function: Callable[[], object]) -> None:
        with self._lock:
            self._function = function
            is_stopped = self._is_stopped
        if is_stopped:
            function()

    def stop(self) -> None:
        with self._lock:
            self._is_stopped = True
            function = self._function
        if function is not None:
            function()


class _Dropped(NamedTuple):
    """A host or a session that is not needed any more."""

    object: int
    functions: list[int]


class Client:
    """A child process, and what is expected of it."""

    def __init__(self, interpreter: str) -> None:
        self._process = started(interpreter)
        assert self._process.stdin is not None and self._process.stdout is not None
        self._channel = Channel(self._process.stdout, self._process.stdin)
        self._owner = os.getpid()
        self._numbers = itertools.count(1)
        #: What is sent next; ``None`` ends the process. It is all that ``__del__`` uses, which may interrupt whatever holds a lock.
        self._outbox: queue.SimpleQueue[tuple[bytes, bytes] | _Dropped | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._waiting: dict[int, Done] = {}
        self._functions: dict[int, Function] = {}
        self._listeners: dict[int, Callable[[str], object]] = {}
        self._stops: dict[int, ProcessStop] = {}
        self.is_gone: bool = False
        #: Requests whose work was cancelled; ``None`` ends the watch. It is all that is used when a flag is set, which a signal handler
        #: may do.
        self._cancelled: queue.SimpleQueue[int | None] = queue.SimpleQueue()
        #: Requests that were cancelled when the process was killed for them.
        self._given_up: frozenset[int] = frozenset()
        self._n_received = 0
        #: Hosts and sessions; the process ends with the last one.
        self._n_objects = 0
        self._reader = threading.Thread(target=self._read, name="mitt-process", daemon=True)
        self._reader.start()
        threading.Thread(target=self._write, name="mitt-process-write", daemon=True).start()
        threading.Thread(target=self._watch, name="mitt-process-watch", daemon=True).start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def check(self) -> None:
        """Raises ``Error`` if the process belongs to the parent of this one, or has ended."""
        if os.getpid() != self._owner:
            raise Error("the host belongs to the parent of this process", code="forked", hint="make a host of its own after `fork`")
        if threading.current_thread() is self._reader:
            message = "a callback for events must not wait for a call"
            raise Error(message, code="reentered", place="events", hint="hand the event to another thread")
        if self.is_gone:
            raise self._crashed()

    def _crashed(self) -> Error:
        code = self._process.poll()
        message = "the process of the host ended" if code is None else f"the process of the host ended with {code}"
        return Error(message, code="crashed", hint="open another session: the host starts a process again", retryable=True)

    def _cancelled_error(self) -> Error:
        message = "the call was cancelled; the process of the host did not end it, and was killed"
        return Error(message, code="cancelled", hint="open another session: the host starts a process again")

    def request(self, message: dict[str, Any], payload: bytes, done: Done) -> int:
        """Sends a request. ``done`` is called with its result or its error, on a thread of this class."""
        self.check()
        id = next(self._numbers)
        sent = packed({**message, "id": id}, payload)
        with self._lock:
            is_gone = self.is_gone
            if not is_gone:
                self._waiting[id] = done
        if is_gone:
            raise self._crashed()
        self._outbox.put(sent)
        return id

    def ask(self, do: str, of: int | None, *given: Any) -> Any:
        """Sends a request and waits for its result."""
        return self.ask_with_id(do, of, *given)[0]

    def ask_with_id(self, do: str, of: int | None, *given: Any) -> tuple[Any, int]:
        waiter = Waiter()
        id = self.request({"do": do, "of": of, "given": given}, b"", waiter.done)
        return waiter.result(), id

    def send(self, message: dict[str, Any], payload: bytes = b"") -> None:
        """Sends a message without an answer. Nothing happens if the process is gone."""
        if not self.is_gone and os.getpid() == self._owner:
            self._outbox.put(packed(message, payload))

    def cancel(self, request: int) -> None:
        """Asks the process to end the work of a request. It is killed if it does not."""
        self.send({"cancel": request})
        # It answers if it lives.
        self.send({"ping": request})
        self._cancelled.put(request)

    def function(self, function: Function) -> int:
        """Returns the number by which the child asks a function."""
        id = next(self._numbers)
        with self._lock:
            self._functions[id] = function
        return id

    def forget_function(self, function: int | None) -> None:
        if function is not None:
            self._functions.pop(function, None)

    def keep(self, object: int, listener: Callable[[str], object] | None) -> None:
        """Counts a host or a session, until it is dropped."""
        with self._lock:
            self._n_objects += 1
        if listener is not None:
            self._listeners[object] = listener

    def forget(self, object: int, functions: list[int]) -> None:
        """Drops a host or a session."""
        if os.getpid() == self._owner:
            self._outbox.put(_Dropped(object, functions))

    def close(self) -> None:
        """Ends the process after the messages that were sent."""
        self._outbox.put(None)

    def _write(self) -> None:
        try:
            while (sent := self._outbox.get()) is not None:
                if not isinstance(sent, _Dropped):
                    self._channel.write(*sent)
                elif self._drop(sent):
                    break
                # The thread keeps nothing while it waits.
                del sent
        except (OSError, ValueError):
            # The thread that reads finds out.
            pass
        self._channel.close()

    def _drop(self, dropped: _Dropped) -> bool:
        """Drops a host or a session. Returns whether it was the last one."""
        self._listeners.pop(dropped.object, None)
        for function in dropped.functions:
            self.forget_function(function)
        with self._lock:
            self._n_objects -= 1
            is_last = self._n_objects == 0
        self._channel.send({"drop": dropped.object})
        return is_last

    def _watch(self) -> None:
        """Kills the process if it does not end work that was cancelled, as it cannot when it is stopped or hangs."""
        # For each request: how often it was looked at, and what the process had sent before.
        looks: dict[int, tuple[int, int]] = {}
        while True:
            try:
                request = self._cancelled.get(timeout=_LOOK_SECONDS if looks else None)
                if request is None:
                    return
                looks.setdefault(request, (0, self._n_received))
                continue
            except queue.Empty:
                # Looks are counted, and not seconds: this process may have been stopped, too.
                looks = {request: (count + 1, before) for request, (count, before) in looks.items() if request in self._waiting}
            for count, before in looks.values():
                if count >= (_LOOKS_IF_SILENT if self._n_received == before else _LOOKS_IF_ALIVE):
                    self._given_up = frozenset(looks)
                    # The thread that reads finds out.
                    self._process.kill()
                    return

    def _read(self) -> None:
        try:
            while (received := self._received()) is not None:
                self._n_received += 1
                self._dispatch(*received)
        except BaseException:
            # Nobody would read what the process writes.
            self._process.kill()
            raise
        finally:
            self._end()

    def _received(self) -> tuple[dict[str, Any], bytes] | None:
        try:
            return self._channel.receive()
        except (OSError, ValueError):
            return None

    def _end(self) -> None:
        with self._lock:
            self.is_gone = True
            waiting, self._waiting = self._waiting, {}
            stops, self._stops = self._stops, {}
        self.close()
        self._cancelled.put(None)
        self._process.wait()
        for stop in stops.values():
            stop.stop()
        for request, done in waiting.items():
            done(None, self._cancelled_error() if request in self._given_up else self._crashed())

    def _dispatch(self, message: dict[str, Any], payload: bytes) -> None:
        if "call" in message:
            stop = self._stops[message["call"]] = ProcessStop()
            thread = threading.Thread(target=self._answer, args=(message, payload.decode(), stop), daemon=True)
            thread.start()
        elif "event" in message:
            listener = self._listeners.get(message["event"])
            if listener is not None:
                listener(payload.decode())
        elif "stop" in message:
            asked = self._stops.get(message["stop"])
            if asked is not None:
                asked.stop()
        elif "pong" in message:
            # It is counted as all messages are.
            pass
        else:
            with self._lock:
                done = self._waiting.pop(message["id"], None)
            if done is not None:
                done(*_ended(message, payload))

    def _answer(self, message: dict[str, Any], request: str, stop: ProcessStop) -> None:
        function = self._functions.get(message["function"])
        is_ok, answer = (False, "the function is gone") if function is None else function(request, stop)
        self._stops.pop(message["call"], None)
        self.send({"answer": message["call"], "ok": is_ok}, answer.encode("utf-8", "replace"))


def _ended(message: dict[str, Any], payload: bytes) -> tuple[Any, BaseException | None]:
    if "error" in message:
        return None, error_of(message["error"])
    if "failure" in message:
        return None, Error(message["failure"], code="internal")
    kind = message["kind"]
    if kind == "text":
        return payload.decode(), None
    if kind == "file":
        return (payload, message["report"]), None
    return (payload if kind == "bytes" else message["value"]), None


class Waiter:
    """Waits for a result."""

    def __init__(self) -> None:
        self._ended = threading.Event()
        self._outcome: tuple[Any, BaseException | None] = (None, None)

    def done(self, result: Any, error: BaseException | None) -> None:
        self._outcome = (result, error)
        self._ended.set()

    def result(self) -> Any:
        self._ended.wait()
        result, error = self._outcome
        if error is not None:
            raise error
        return result


class ProcessWork:
    """Work of a child process."""

    def __init__(
        self, client: Client, session: ProcessSession, message: dict[str, Any], payload: bytes = b"", function: int | None = None
    ) -> None:
        self._client = client
        # It lives until the work ends.
        self._session = session
        self._message = message
        self._payload = payload
        # What only this work calls.
        self._function = function

    def _request(self, cancel: Cancel, done: Done) -> int:
        # The work may end before a message that cancels it arrives. A flag that is set already goes with the request.
        message = {**self._message, "cancelled": True} if cancel.is_set() else self._message
        return self._client.request(message, self._payload, done)

    def start(self, cancel: Cancel, done: Done) -> None:
        """See ``_mitt.Work``."""
        request: list[int] = []

        def end() -> None:
            self._client.cancel(request[0])

        def ended(result: Any, error: BaseException | None) -> None:
            cancel.forget(end)
            self._client.forget_function(self._function)
            done(result, error)

        try:
            request.append(self._request(cancel, ended))
        except BaseException:
            self._client.forget_function(self._function)
            raise
        cancel.on_set(end)

    def run(self, cancel: Cancel) -> Any:
        """See ``_mitt.Work``."""
        waiter = Waiter()
        request = 0

        def stop() -> None:
            self._client.cancel(request)

        try:
            request = self._request(cancel, waiter.done)
            cancel.on_set(stop)
            return waiter.result()
        except Error:
            raise
        except BaseException:
            # Ctrl-C, or another exception of a signal handler.
            stop()
            raise
        finally:
            cancel.forget(stop)
            self._client.forget_function(self._function)


class ProcessSession:
    """A session in a child process: see ``_mitt.Session``."""

    def __init__(
        self, client: Client, options: str, host: int, tools: list[tuple[str, Function]], listener: Callable[[str], object]
    ) -> None:
        self._client = client
        self._functions = [client.function(function) for _, function in tools]
        sent = [(definition, number) for (definition, _), number in zip(tools, self._functions)]
        _, self._id = client.ask_with_id("session", host, options, sent)
        client.keep(self._id, listener)

    def __del__(self) -> None:
        if hasattr(self, "_id"):
            self._client.forget(self._id, self._functions)

    def _work(self, do: str, *given: Any, payload: bytes = b"") -> ProcessWork:
        self._client.check()
        return ProcessWork(self._client, self, {"do": do, "of": self._id, "given": given}, payload)

    def add(self, name: str, data: bytes, options: str) -> ProcessWork:
        return self._work("add", name, options, payload=data)

    def add_table(self, name: str, stream: object) -> ProcessWork:
        return self._work("add_table", name, payload=to_ipc(_Stream(stream)))

    def call(self, tool: str, arguments: str, options: str) -> ProcessWork:
        return self._work("call", tool, arguments, options)

    def script(self, language: str, source: str, options: str) -> ProcessWork:
        return self._work("script", language, source, options)

    def resume(self, id: str, decision: str) -> ProcessWork:
        return self._work("resume", id, decision)

    def tools(self) -> ProcessWork:
        return self._work("tools")

    def follow(self, instruction: str, options: str, model: Function) -> ProcessWork:
        self._client.check()
        number = self._client.function(model)
        message = {"do": "follow", "of": self._id, "given": [instruction, options, number]}
        return ProcessWork(self._client, self, message, function=number)

    def table(self, reference: str) -> SentTable:
        return SentTable(self._client.ask("table", self._id, reference))

    def state(self) -> str:
        return str(self._client.ask("state", self._id))

    def artifacts(self) -> str:
        return str(self._client.ask("artifacts", self._id))

    def artifact(self, name: str) -> bytes:
        content: bytes = self._client.ask("artifact", self._id, name)
        return content

    def document_bytes(self) -> int:
        return int(self._client.ask("document_bytes", self._id))


class _Stream:
    """A capsule as an object that has one."""

    def __init__(self, capsule: object) -> None:
        self._capsule = capsule

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._capsule


class ProcessHost:
    """A host in a child process, which is started again when it has ended: see ``_mitt.Host``."""

    def __init__(self, options: str, interpreter: str | os.PathLike[str] | None) -> None:
        self._options = options
        self._interpreter = interpreter_of(interpreter)
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._tools: list[tuple[str, Function]] = []
        self._client, self._id = self._started()

    def _started(self) -> tuple[Client, int]:
        client = Client(self._interpreter)
        try:
            _, id = client.ask_with_id("host", None, self._options)
            client.keep(id, None)
            for definition, function in self._tools:
                client.ask("tool", id, definition, client.function(function))
        except BaseException:
            client.close()
            raise
        return client, id

    def _live(self) -> tuple[Client, int]:
        with self._lock:
            if self._client.is_gone and os.getpid() == self._owner:
                self._client, self._id = self._started()
            self._client.check()
            return self._client, self._id

    def __del__(self) -> None:
        client = getattr(self, "_client", None)
        if client is not None:
            # Sessions keep the process.
            client.forget(self._id, [])

    def add_tool(self, definition: str, function: Function) -> None:
        client, id = self._live()
        client.ask("tool", id, definition, client.function(function))
        self._tools.append((definition, function))

    def check_session(self, options: str) -> None:
        client, id = self._live()
        client.ask("check", id, options)

    def session(
        self, options: str, tools: list[tuple[str, Function]], switch: Switch, function: Callable[[str], object]
    ) -> ProcessSession:
        client, id = self._live()
        return ProcessSession(client, options, id, tools, function)
