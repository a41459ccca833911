"""Sessions: documents, calls, scripts, files, and runs with models."""

from __future__ import annotations

import itertools
import json
import os
import stat
import threading
from typing import TYPE_CHECKING, Any, Callable, Literal, TypeVar, overload

from . import _mitt
from ._documents import Document, Tool, tool_of
from ._errors import Error
from ._events import Events, Hub
from ._options import call_options, text_of
from ._results import Approval, Artifact, Result, Run, ScriptResult, approval_of, artifacts_of, result_of, script_result_of
from ._tools import Definition, answering, model_answer
from ._waiting import Loop, run, wait

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType

    from ._mitt import Cancel, Table
    from ._options import AgentLimits, CallOptions
    from ._process import ProcessHost, ProcessSession, Startable
    from ._tables import SentTable

__all__ = ["Model", "Session"]

#: A function that answers requests in the form of OpenAI's chat completions, or its coroutine function.
Model = Callable[[dict[str, Any]], Any]
F = TypeVar("F", bound=Callable[..., Any])
#: What a session reads: a path, bytes, or a table with ``__arrow_c_stream__``.
Source = Any


class Session:
    """A session: the unit of isolation. ``Host.session`` opens it.

    Methods that wait release the interpreter lock, and may be called by many threads at once. Each has a twin whose name begins with
    ``a`` for coroutines: if its task is cancelled, the sandbox stops. Errors are ``mitt.Error``.
    """

    def __init__(
        self, host: _mitt.Host | ProcessHost, options: str, loop: Loop, events: Callable[[dict[str, Any]], object] | None
    ) -> None:
        host.check_session(options)
        self._host: _mitt.Host | ProcessHost | None = host
        self._options = options
        self._loop = Loop(loop)
        self._hub = Hub(events)
        self._lock = threading.Lock()
        self._opened: _mitt.Session | ProcessSession | None = None
        self._tools: list[Definition] = []
        self._numbers = itertools.count(1)

    def _core(self) -> _mitt.Session | ProcessSession:
        opened = self._opened
        if opened is not None:
            return opened
        with self._lock:
            if self._opened is None:
                if self._host is None:
                    raise Error("the session is closed", code="closed", hint="open another one")
                tools = [(tool.json, tool.call) for tool in self._tools]
                self._opened = self._host.session(self._options, tools, self._hub.switch, self._hub.dispatch)
            return self._opened

    def close(self) -> None:
        """Closes the session. Its documents are gone when the calls that run have ended; ``Artifact`` objects keep their files."""
        with self._lock:
            self._opened = self._host = None
        self._hub.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    async def __aenter__(self) -> Session:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    async def _wait(self, work: Startable, cancel: Cancel | None) -> Any:
        self._loop.use()
        return await wait(work, cancel)

    # Documents and tables.

    def add(
        self,
        source: Source,
        name: str | None = None,
        *,
        password: str | None = None,
        keeps_unread: bool = False,
        without_text: bool = False,
        cancel: Cancel | None = None,
    ) -> Document:
        """Reads a file or a table into the session.

        ``source`` is a path, the bytes of a file, or an object with ``__arrow_c_stream__``: of polars, pyarrow, pandas, DuckDB and others.
        ``name`` is the name in the session; bytes and tables need one. ``keeps_unread`` keeps a file that nothing can read.
        ``without_text`` leaves the text of a file unread that tools can edit, which is faster: models and scripts see an empty document.
        ``Document.warnings`` names what is not kept of a table: time zones, nanoseconds, NaN, the order of categories.

        Raises ``Error`` with the code ``input`` if the file is missing, damaged or of an unsupported type, or a column has a type that a
        table cannot hold, and ``limit``.
        """
        return Document(json.loads(run(self._adding(source, name, password, keeps_unread, without_text), cancel)))

    async def aadd(
        self,
        source: Source,
        name: str | None = None,
        *,
        password: str | None = None,
        keeps_unread: bool = False,
        without_text: bool = False,
        cancel: Cancel | None = None,
    ) -> Document:
        """Does what ``add`` does, without blocking the event loop."""
        import asyncio

        # The file may be on a slow disk.
        work = await asyncio.to_thread(self._adding, source, name, password, keeps_unread, without_text)
        return Document(json.loads(await self._wait(work, cancel)))

    def _adding(
        self, source: Source, name: str | None, password: str | None, keeps_unread: bool, without_text: bool
    ) -> Startable:
        core = self._core()
        stream = getattr(source, "__arrow_c_stream__", None)
        if stream is not None:
            return core.add_table(_named(name, "the table"), stream())
        if isinstance(source, (bytes, bytearray, memoryview)):
            name, data = _named(name, "the bytes"), bytes(source)
        else:
            path = os.fspath(source)
            data = _content(path, core.document_bytes())
            name = os.path.basename(path) if name is None else name
        options = {
            "text": True,
            "password": password,
            "keeps_unread": keeps_unread or None,
            "without_text": without_text or None,
        }
        return core.add(name, data, text_of(options))

    def table(self, reference: str) -> Table | SentTable:
        """Returns a table of the session: ``sales.csv``, ``book.xlsx#Sheet2``, ``t:3``.

        It has ``__arrow_c_stream__``, so that ``polars.DataFrame(table)`` and ``pyarrow.table(table)`` take its columns without a copy.

        Raises ``Error`` with the code ``input`` if there is none; the hints name those that exist.
        """
        return self._core().table(reference)

    @property
    def documents(self) -> list[Document]:
        """The documents, without their texts."""
        return [Document(item) for item in self._state()["documents"]]

    @property
    def tables(self) -> list[str]:
        """The names of all tables, for ``table`` and for arguments: ``{"$ref": name}``."""
        names: list[str] = self._state()["tables"]
        return names

    @property
    def pending(self) -> list[Approval]:
        """The calls that wait for a decision."""
        return [approval_of(item) for item in self._state()["pending"]]

    @property
    def memory(self) -> int:
        """Bytes that the session holds."""
        used: int = self._state()["memory"]["bytes"]
        return used

    def _state(self) -> dict[str, Any]:
        state: dict[str, Any] = json.loads(self._core().state())
        return state

    # Files.

    @property
    def artifacts(self) -> list[Artifact]:
        """The delivered files."""
        return list(artifacts_of(self._core()))

    def artifact(self, name: str) -> Artifact:
        """Returns a delivered file. Raises ``Error`` with the code ``input`` if there is none of this name."""
        for artifact in artifacts_of(self._core()):
            if artifact.name == name:
                return artifact
        # The error of the library.
        self._core().artifact(name)
        raise AssertionError("a file is delivered and not listed")

    # Calls.

    def call(
        self,
        tool: str,
        arguments: Mapping[str, Any] | None = None,
        /,
        *,
        options: CallOptions | None = None,
        cancel: Cancel | None = None,
        **more: Any,
    ) -> Result:
        """Calls a tool: ``session.call("table_tool__sort", data=frame, keys=[{"column": "a"}])``.

        Arguments are those of the mapping and the named ones; an argument whose name is one of this method must be in the mapping. A table
        with ``__arrow_c_stream__`` may be an argument or within one: it is added to the session as ``arrow-1``, ``arrow-2``, ...
        ``Result.warnings`` names what the session does not keep of it. A ``Document`` stands for its name.

        Raises ``Error`` with the code ``arguments``, which names all mistakes at once, ``unknown-tool``, ``denied``, ``blocked``,
        ``limit``, ``trap``, ``plugin``, ``paused``, ``busy``, ``cancelled`` or another one.
        """
        core = self._core()
        given, tables = self._arguments(arguments, more)
        notes: list[str] = []
        for name, table in tables:
            notes += _notes(run(core.add_table(name, table.__arrow_c_stream__()), cancel))
        return result_of(core, run(core.call(tool, given, text_of(call_options(options))), cancel), notes)

    async def acall(
        self,
        tool: str,
        arguments: Mapping[str, Any] | None = None,
        /,
        *,
        options: CallOptions | None = None,
        cancel: Cancel | None = None,
        **more: Any,
    ) -> Result:
        """Does what ``call`` does, without blocking the event loop."""
        core = self._core()
        given, tables = self._arguments(arguments, more)
        notes: list[str] = []
        for name, table in tables:
            notes += _notes(await self._wait(core.add_table(name, table.__arrow_c_stream__()), cancel))
        return result_of(core, await self._wait(core.call(tool, given, text_of(call_options(options))), cancel), notes)

    def _free_name(self) -> str:
        """Returns a name for a table that no document has: another one would be taken for the argument."""
        taken = {document["name"] for document in self._state()["documents"]}
        return next(name for name in (f"arrow-{number}" for number in self._numbers) if name not in taken)

    def _arguments(self, arguments: Mapping[str, Any] | None, more: dict[str, Any]) -> tuple[str, list[tuple[str, Any]]]:
        if arguments is not None:
            both = sorted(arguments.keys() & more.keys())
            if both:
                raise Error(f"the argument `{both[0]}` is given twice", code="arguments", place=both[0])
            more = {**arguments, **more}
        tables: list[tuple[str, Any]] = []

        def plain(value: Any) -> Any:
            if hasattr(value, "__arrow_c_stream__"):
                name = self._free_name()
                tables.append((name, value))
                return {"$ref": name}
            if isinstance(value, Document):
                return value.name
            raise TypeError(f"an object of the type {type(value).__name__}")

        try:
            text = json.dumps(more, ensure_ascii=False, allow_nan=False, default=plain)
            # Half of a surrogate pair is no text.
            text.encode()
            return text, tables
        except (TypeError, ValueError, RecursionError) as error:
            raise Error(f"the arguments cannot be written as JSON: {error}", code="arguments", place="arguments") from error

    def script(
        self,
        source: str,
        language: str = "python",
        *,
        inputs: Mapping[str, Any] | None = None,
        arguments: Sequence[str] = (),
        options: CallOptions | None = None,
        cancel: Cancel | None = None,
    ) -> ScriptResult:
        """Runs a script in the sandbox. ``language`` may be the name of an engine, such as ``python-lite``.

        ``inputs`` become variables of the script, ``arguments`` are ``sys.argv[1:]``. The value of the result is that of its last
        expression.

        Raises ``Error`` with the code ``plugin`` if the script fails, ``load`` if nothing runs its language, and those of ``call``.
        """
        core = self._core()
        return script_result_of(core, run(core.script(language, source, _script_options(inputs, arguments, options)), cancel))

    async def ascript(
        self,
        source: str,
        language: str = "python",
        *,
        inputs: Mapping[str, Any] | None = None,
        arguments: Sequence[str] = (),
        options: CallOptions | None = None,
        cancel: Cancel | None = None,
    ) -> ScriptResult:
        """Does what ``script`` does, without blocking the event loop."""
        core = self._core()
        work = core.script(language, source, _script_options(inputs, arguments, options))
        return script_result_of(core, await self._wait(work, cancel))

    def resume(self, id: str, approve: bool, *, reason: str | None = None, cancel: Cancel | None = None) -> Result:
        """Decides about a call that waits, and continues it. ``id`` is that of ``Error.result.approval`` or of ``pending``.

        Raises ``Error`` with the code ``denied`` if it is denied, and those of ``call``.
        """
        core = self._core()
        return result_of(core, run(core.resume(id, _decision(approve, reason)), cancel))

    async def aresume(self, id: str, approve: bool, *, reason: str | None = None, cancel: Cancel | None = None) -> Result:
        """Does what ``resume`` does, without blocking the event loop."""
        core = self._core()
        return result_of(core, await self._wait(core.resume(id, _decision(approve, reason)), cancel))

    def tools(self, *, cancel: Cancel | None = None) -> list[Tool]:
        """Returns the tools with their JSON Schemas. Loads all skills, which compiles those that are not in the cache."""
        return [tool_of(tool) for tool in json.loads(run(self._core().tools(), cancel))["tools"]]

    async def atools(self, *, cancel: Cancel | None = None) -> list[Tool]:
        """Does what ``tools`` does, without blocking the event loop."""
        return [tool_of(tool) for tool in json.loads(await self._wait(self._core().tools(), cancel))["tools"]]

    # Models.

    def run(
        self,
        task: str,
        model: Model,
        *,
        name: str = "callback",
        tools: Literal["script", "catalogue", "all"] | None = None,
        instructions: str | None = None,
        earlier: Sequence[Mapping[str, str]] = (),
        limits: AgentLimits | None = None,
        output_schema: Mapping[str, Any] | None = None,
        cancel: Cancel | None = None,
    ) -> Run:
        """Lets a model do a task with the documents and tools of the session.

        ``model`` gets the body of a chat completion of OpenAI's interface as a dict, and returns the body of the response, its message, or
        a text; it may be a coroutine function. ``name`` is the model's name in requests. ``tools`` says how tools are shown to it,
        ``instructions`` precede everything else, and ``earlier`` are messages with ``role`` and ``content``. With ``output_schema``, a JSON
        Schema, the answer is one JSON value that follows it: ``output`` of the run.

        Raises ``Error`` with the code ``model`` if the model failed, whose exception is the cause, or never gave an answer that follows the
        schema (``Error.answer`` is what it said instead), ``limit`` and ``cancelled``. A call that fails is no error here: the model sees it.
        """
        core, causes = self._core(), list[BaseException]()
        options = _run_options(name, tools, instructions, earlier, limits, output_schema)
        try:
            return Run(core, json.loads(run(core.follow(task, options, self._model(model, causes)), cancel)))
        except Error as error:
            raise _caused(error, causes)

    async def arun(
        self,
        task: str,
        model: Model,
        *,
        name: str = "callback",
        tools: Literal["script", "catalogue", "all"] | None = None,
        instructions: str | None = None,
        earlier: Sequence[Mapping[str, str]] = (),
        limits: AgentLimits | None = None,
        output_schema: Mapping[str, Any] | None = None,
        cancel: Cancel | None = None,
    ) -> Run:
        """Does what ``run`` does, without blocking the event loop."""
        core, causes = self._core(), list[BaseException]()
        options = _run_options(name, tools, instructions, earlier, limits, output_schema)
        try:
            return Run(core, json.loads(await self._wait(core.follow(task, options, self._model(model, causes)), cancel)))
        except Error as error:
            raise _caused(error, causes)

    def _model(self, model: Model, causes: list[BaseException]) -> Callable[[str, Any], tuple[bool, str]]:
        return answering(model, lambda request: (json.loads(request),), model_answer, self._loop, causes.append)

    # Tools of the program, and events.

    @overload
    def tool(self, function: F, /) -> F: ...

    @overload
    def tool(
        self,
        function: None = None,
        /,
        *,
        name: str | None = None,
        description: str | None = None,
        title: str | None = None,
        parameters: dict[str, Any] | None = None,
        read_only: bool = False,
        idempotent: bool = False,
        destructive: bool = False,
        timeout: float | None = None,
    ) -> Callable[[F], F]: ...

    def tool(
        self,
        function: Callable[..., Any] | None = None,
        /,
        *,
        name: str | None = None,
        description: str | None = None,
        title: str | None = None,
        parameters: dict[str, Any] | None = None,
        read_only: bool = False,
        idempotent: bool = False,
        destructive: bool = False,
        timeout: float | None = None,
    ) -> Any:
        """Makes a function a tool of this session: ``@session.tool`` or ``@session.tool(name="shop__price")``.

        The schema comes from the annotations, the description from the docstring, and the name is ``app__`` and that of the function. A
        coroutine function runs in the event loop that waits for the session, or in one of its own. ``timeout`` are seconds, 30 by default.

        Tools are added before the session is used. Raises ``Error`` with the code ``arguments`` if the definition is wrong, and ``late`` if
        the session was used. ``load`` comes with the first use: the name is taken, or not one of a tool.
        """

        def add(function: Callable[..., Any]) -> Any:
            definition = Definition(
                function, self._loop, name=name, description=description, title=title, parameters=parameters, read_only=read_only,
                idempotent=idempotent, destructive=destructive, timeout=timeout,
            )  # fmt: skip
            with self._lock:
                if self._opened is not None:
                    message = "the session was used, so that its tools do not change any more"
                    raise Error(message, code="late", hint="add tools first, or open another session", text=message)
                self._tools.append(definition)
            return function

        return add if function is None else add(function)

    def events(self) -> Events:
        """Returns an iterator over the events from now on: ``for event in session.events()`` in another thread, or ``async for``."""
        return Events(self._hub)


def _content(path: str, most_bytes: int) -> bytes:
    """Returns the content of a file: at most one byte too many, for the error of the library."""
    message = f"cannot read `{path}`: "
    try:
        # A pipe would be waited for.
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise Error(f"{message}it is no file", code="input", place=path)
        with open(path, "rb") as file:
            return file.read(most_bytes + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise Error(f"{message}{reason}", code="input", place=path) from error


def _named(name: str | None, what: str) -> str:
    if name is None:
        raise Error(f"there is no name for {what}", code="arguments", place="name", hint="give `name`")
    return name


#: The end of a warning about the text of a document, which is not about the table.
_TEXT_ONLY = "rows; the table has all of them"


def _notes(added: str) -> list[str]:
    """Returns the warnings of a table that became an argument."""
    document = json.loads(added)
    return [f"{document['name']}: {warning}" for warning in document["warnings"] if not warning.endswith(_TEXT_ONLY)]


def _script_options(inputs: Mapping[str, Any] | None, arguments: Sequence[str], options: CallOptions | None) -> str:
    given: dict[str, Any] = {"inputs": None if inputs is None else dict(inputs), "arguments": list(arguments) or None}
    try:
        text = text_of({**call_options(options), **given})
        text.encode()
        return text
    except (TypeError, ValueError, RecursionError) as error:
        raise Error(f"the inputs cannot be written as JSON: {error}", code="arguments", place="inputs") from error


def _decision(approve: bool, reason: str | None) -> str:
    return text_of({"decision": "approve" if approve else "deny", "reason": reason})


def _run_options(
    name: str,
    tools: str | None,
    instructions: str | None,
    earlier: Sequence[Mapping[str, str]],
    limits: AgentLimits | None,
    output_schema: Mapping[str, Any] | None,
) -> str:
    options = {
        "model": name, "tools": tools, "instructions": instructions, "earlier": [dict(message) for message in earlier] or None,
        "limits": limits, "output_schema": output_schema,
    }  # fmt: skip
    return text_of(options)


def _caused(error: Error, causes: list[BaseException]) -> Error:
    if error.code == "model" and causes:
        error.__cause__ = causes[-1]
    return error
