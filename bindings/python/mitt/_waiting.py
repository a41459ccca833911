"""Waits for work of the extension: a thread without the interpreter lock, or a task of an event loop."""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ._mitt import Cancel

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Coroutine, Generator

    from ._process import ProcessStop, Startable
    from ._mitt import Stop

_lock = threading.Lock()
#: How many calls block each event loop, by ``id``. A coroutine of a tool must not be given to one of these.
_blocked: dict[int, int] = {}


def _running_loop() -> asyncio.AbstractEventLoop | None:
    # A program that has not imported asyncio has no loop. It takes longer to import than this package.
    asyncio = sys.modules.get("asyncio")
    return None if asyncio is None else asyncio._get_running_loop()


@contextmanager
def _blocking(loop: asyncio.AbstractEventLoop) -> Generator[None, None, None]:
    with _lock:
        _blocked[id(loop)] = _blocked.get(id(loop), 0) + 1
    try:
        yield
    finally:
        with _lock:
            _blocked[id(loop)] -= 1
            if not _blocked[id(loop)]:
                del _blocked[id(loop)]


def run(work: Startable, cancel: Cancel | None) -> Any:
    """Does the work, and blocks the thread."""
    # The flag of the caller may serve other calls too, which go on when Ctrl-C ends this one.
    own = Cancel()
    end = own.set
    if cancel is not None:
        cancel.on_set(end)
    try:
        loop = _running_loop()
        if loop is None:
            return work.run(own)
        with _blocking(loop):
            return work.run(own)
    finally:
        if cancel is not None:
            cancel.forget(end)


async def wait(work: Startable, cancel: Cancel | None) -> Any:
    """Does the work. If the task is cancelled, the work is cancelled."""
    import asyncio

    loop = asyncio.get_running_loop()
    ended: asyncio.Future[Any] = loop.create_future()

    def finish(result: Any, error: BaseException | None) -> None:
        if ended.done():
            return
        if error is None:
            ended.set_result(result)
        else:
            ended.set_exception(error)

    def done(result: Any, error: BaseException | None) -> None:
        try:
            loop.call_soon_threadsafe(finish, result, error)
        except RuntimeError:
            # The loop was closed, so nobody waits.
            pass

    # The flag of the caller may serve other calls too, which go on when this task is cancelled.
    own = Cancel()
    end = own.set
    if cancel is not None:
        cancel.on_set(end)
    try:
        work.start(own, done)
        return await ended
    except asyncio.CancelledError:
        end()
        raise
    finally:
        if cancel is not None:
            cancel.forget(end)


class Loop:
    """The event loop that a session was last used in, for tools that are coroutine functions."""

    __slots__ = ("_loop", "_parent")

    def __init__(self, parent: Loop | None = None) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._parent = parent

    def use(self) -> None:
        """Remembers the loop that runs now."""
        self._loop = _running_loop()
        if self._parent is not None:
            self._parent.use()

    def result(self, coroutine: Coroutine[Any, Any, Any], stop: Stop | ProcessStop) -> Any:
        """Runs a coroutine in the loop, or in a new one if that does not run or is blocked, and returns its result."""
        import asyncio

        loop = self._loop
        if loop is not None and loop.is_running() and id(loop) not in _blocked:
            future = asyncio.run_coroutine_threadsafe(coroutine, loop)
            stop.on_stop(lambda: future.cancel())
            return future.result()
        return asyncio.run(_stoppable(coroutine, stop))


async def _stoppable(coroutine: Coroutine[Any, Any, Any], stop: Stop | ProcessStop) -> Any:
    import asyncio

    loop, task = asyncio.get_running_loop(), asyncio.ensure_future(coroutine)

    def cancel() -> None:
        try:
            loop.call_soon_threadsafe(task.cancel)
        except RuntimeError:
            # It ended meanwhile.
            pass

    stop.on_stop(cancel)
    return await task
