"""Events of a session."""

from __future__ import annotations

import json
import sys
import threading
from collections import deque
from typing import TYPE_CHECKING, Any

from ._mitt import Switch

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

__all__ = ["Events"]

#: Most events that wait for their reader.
MAX_WAITING = 100_000


class Hub:
    """What listens to a session. Mitt creates no events while nothing does."""

    def __init__(self, callback: Callable[[dict[str, Any]], object] | None) -> None:
        self.switch: Switch = Switch()
        self._lock = threading.Lock()
        self._callback = callback
        self._readers: tuple[Events, ...] = ()
        self._is_closed = False
        self.switch.set(callback is not None)

    def dispatch(self, text: str) -> None:
        """Hands an event to everything that listens. Called by threads of Mitt."""
        event = json.loads(text)
        for reader in self._readers:
            reader._put(event)
        if self._callback is not None:
            try:
                self._callback(event)
            # It may raise anything, also what ends a program; here it ends nothing.
            except BaseException as error:
                # The work goes on: an event is no place for an error.
                sys.excepthook(type(error), error, error.__traceback__)

    def add(self, reader: Events) -> None:
        with self._lock:
            is_closed = self._is_closed
            if not is_closed:
                self._readers += (reader,)
                self.switch.set(True)
        if is_closed:
            reader.close()

    def remove(self, reader: Events) -> None:
        with self._lock:
            self._readers = tuple(other for other in self._readers if other is not reader)
            self.switch.set(bool(self._readers) or self._callback is not None)

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            readers = self._readers
        for reader in readers:
            reader.close()


class Events:
    """The events of a session from now on, for one reader: ``for event in events`` or ``async for event in events``.

    Each is an object of JSON whose ``event`` is ``call_started``, ``call_finished``, ``output``, ``log``, ``delivered``, ``turn``,
    ``model_text`` or another name. The iterator waits for the next one, and ends when ``close`` is called or the session is closed. At
    most 100,000 events wait; the oldest are dropped then, and counted in ``dropped``.
    """

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._ready = threading.Condition()
        self._waiting: deque[dict[str, Any]] = deque()
        self._wakers: list[Callable[[], object]] = []
        self._is_closed = False
        self.dropped: int = 0
        hub.add(self)

    def close(self) -> None:
        """Ends the iterator after the events that wait."""
        self._hub.remove(self)
        with self._ready:
            self._is_closed = True
            self._wake()

    def _put(self, event: dict[str, Any]) -> None:
        with self._ready:
            if len(self._waiting) >= MAX_WAITING:
                self._waiting.popleft()
                self.dropped += 1
            self._waiting.append(event)
            self._wake()

    def _wake(self) -> None:
        self._ready.notify_all()
        wakers, self._wakers = self._wakers, []
        for wake in wakers:
            wake()

    def __enter__(self) -> Events:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Events:
        return self

    def __next__(self) -> dict[str, Any]:
        with self._ready:
            while not self._waiting and not self._is_closed:
                self._ready.wait()
            if not self._waiting:
                raise StopIteration
            return self._waiting.popleft()

    def __aiter__(self) -> Events:
        return self

    async def __anext__(self) -> dict[str, Any]:
        import asyncio

        loop = asyncio.get_running_loop()
        while True:
            with self._ready:
                if self._waiting:
                    return self._waiting.popleft()
                if self._is_closed:
                    raise StopAsyncIteration
                woken = loop.create_future()
                waker = _waker(loop, woken)
                self._wakers.append(waker)
            try:
                await woken
            finally:
                # A reader whose task is cancelled again and again collects none.
                with self._ready:
                    if waker in self._wakers:
                        self._wakers.remove(waker)


def _waker(loop: asyncio.AbstractEventLoop, woken: asyncio.Future[None]) -> Callable[[], None]:
    """Returns what wakes a task from any thread."""

    def finish() -> None:
        if not woken.done():
            woken.set_result(None)

    def wake() -> None:
        try:
            loop.call_soon_threadsafe(finish)
        except RuntimeError:
            # The loop was closed, so nobody waits.
            pass

    return wake
