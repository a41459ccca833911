"""Hosts."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, Literal, TypeVar, overload

from . import _mitt
from ._errors import Error
from ._options import millis, paths, rules_of, text_of
from ._session import Session
from ._tools import Definition
from ._waiting import Loop

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from types import TracebackType

    from ._options import Limits, RulesSource
    from ._process import ProcessHost

__all__ = ["Host"]

F = TypeVar("F", bound=Callable[..., Any])


class Host:
    """Engine, skills, limits and threads. Make one for each process, and again in a child after ``os.fork``.

    ``mode``: ``thread`` runs everything on threads of this process, ``process`` in a child process, so that a crash of native code does not
    end the program: sessions that were open raise ``Error`` with the code ``crashed`` then, and the next session starts another process.
    ``interpreter``: the Python interpreter for that process, by default ``sys.executable``. A frozen program, and one that embeds Python,
    must name one, with the same version of Mitt or with the package of this program beside it.
    ``bundled``: the skills of the library are there. ``skills``: folders of further skills. ``components``: files of WebAssembly
    components. ``replace_skills``: names of bundled skills that others may replace. ``trust``: a file of approvals. ``cache``: the folder
    for compiled skills, or ``False`` for none. ``threads``: threads that run calls, 1 to 256, by default as many as processors.
    ``script_engine``: the engine for scripts of its language, such as ``python-lite``. ``worker``: the path of the program ``mitt`` of the
    same version, which compiles and typesets in processes that can be killed. ``worker_required``: such work fails if the program cannot
    be started; by default it is done in this process. ``full_journals``: journals keep messages with the values
    of callers. ``rules``: rules about content for all sessions. ``tenant_rules``: rules for the sessions of a tenant. ``limits``: what is
    not named has its default.

    Raises ``Error`` with the code ``arguments``, ``input`` or ``load`` if an option is wrong.
    """

    def __init__(
        self,
        *,
        mode: Literal["thread", "process"] = "thread",
        interpreter: str | os.PathLike[str] | None = None,
        bundled: bool = True,
        skills: Iterable[str | os.PathLike[str]] = (),
        components: Iterable[str | os.PathLike[str]] = (),
        replace_skills: Iterable[str] = (),
        trust: str | os.PathLike[str] | None = None,
        cache: str | os.PathLike[str] | Literal[False] | None = None,
        threads: int | None = None,
        script_engine: str | None = None,
        worker: str | os.PathLike[str] | None = None,
        worker_required: bool = False,
        full_journals: bool = False,
        rules: Iterable[RulesSource] = (),
        tenant_rules: Mapping[str, Iterable[RulesSource]] | None = None,
        limits: Limits | None = None,
    ) -> None:
        of_tenants = [{"tenant": tenant, "rules": rules_of(of)} for tenant, of in (tenant_rules or {}).items()]
        options: dict[str, Any] = {
            "bundled": bundled,
            "skills": paths(skills) or None,
            "components": paths(components) or None,
            "replace_skills": list(replace_skills) or None,
            "trust": None if trust is None else os.fspath(trust),
            "cache": cache if cache is None or cache is False else os.fspath(cache),
            "threads": threads,
            "script_engine": script_engine,
            "worker": None if worker is None else os.fspath(worker),
            "worker_required": worker_required or None,
            "full_journals": full_journals or None,
            "rules": rules_of(rules) or None,
            "tenant_rules": of_tenants or None,
            "limits": limits,
        }
        self._loop = Loop()
        self._opened: _mitt.Host | ProcessHost | None = None
        if mode == "process":
            from ._process import ProcessHost

            self._opened = ProcessHost(text_of(options), interpreter)
        elif mode == "thread":
            if interpreter is not None:
                message = "`interpreter` is for a host in a process of its own"
                raise Error(message, code="arguments", place="interpreter", hint='add `mode="process"`')
            self._opened = _mitt.Host(text_of(options))
        else:
            raise Error(f"expected `thread` or `process`, got `{mode}`", code="arguments", place="mode")

    def _core(self) -> _mitt.Host | ProcessHost:
        if self._opened is None:
            raise Error("the host is closed", code="closed", hint="make another one")
        return self._opened

    def close(self) -> None:
        """Closes the host. Its threads end when its sessions are closed."""
        self._opened = None

    def __enter__(self) -> Host:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def session(
        self,
        *,
        tenant: str | None = None,
        folder: str | os.PathLike[str] | None = None,
        opens_folder_later: bool = False,
        time: float | None = None,
        keeps_sources: bool = False,
        rules: Iterable[RulesSource] = (),
        destructive: Literal["pause", "approve", "deny"] | None = None,
        assignment: str | None = None,
        events: Callable[[dict[str, Any]], object] | None = None,
    ) -> Session:
        """Returns a session, which is opened when it is first used.

        ``tenant``: who owns it. ``folder``: where files and the journal go; without it they stay in memory. ``opens_folder_later``: the
        folder is made with the first file. ``time``: seconds for all its calls. ``keeps_sources``: Office files are kept, so that tools can
        edit them. ``rules``: rules about content. ``destructive``: what is done about calls of tools that are marked so; by default scripts
        pause, and other calls are made. ``assignment``: the key that assigns it to variants of skills. ``events``: a function that is
        called with each event, from any thread; it must return quickly, and must not call what waits.

        Raises ``Error`` with the code ``arguments`` or ``input`` if an option is wrong.
        """
        options: dict[str, Any] = {
            "tenant": tenant,
            "folder": None if folder is None else os.fspath(folder),
            "opens_folder_later": opens_folder_later or None,
            "time_ms": millis(time),
            "keeps_sources": keeps_sources or None,
            "rules": rules_of(rules) or None,
            "destructive": destructive,
            "assignment": assignment,
        }
        return Session(self._core(), text_of(options), self._loop, events)

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
        """Makes a function a tool of all sessions that are first used after that: see ``Session.tool``.

        Raises ``Error`` with the code ``load`` if there is a tool of this name or the name is not one of a tool, and ``arguments``.
        """

        def add(function: Callable[..., Any]) -> Any:
            definition = Definition(
                function, self._loop, name=name, description=description, title=title, parameters=parameters, read_only=read_only,
                idempotent=idempotent, destructive=destructive, timeout=timeout,
            )  # fmt: skip
            self._core().add_tool(definition.json, definition.call)
            return function

        return add if function is None else add(function)
