"""The part of asyncio that needs no operating system: tasks take turns, and `sleep` takes no time."""

import builtins
import collections
import heapq
import inspect
import types

TimeoutError = builtins.TimeoutError
FIRST_COMPLETED, FIRST_EXCEPTION, ALL_COMPLETED = "FIRST_COMPLETED", "FIRST_EXCEPTION", "ALL_COMPLETED"
iscoroutine, iscoroutinefunction = inspect.iscoroutine, inspect.iscoroutinefunction


class CancelledError(BaseException):
    """The task was cancelled."""


class InvalidStateError(Exception):
    """The future has no result, or has one already."""


class QueueEmpty(Exception):
    """There is nothing in the queue."""


class QueueFull(Exception):
    """The queue has no room."""


_ready = collections.deque()
_timers = []
_tasks = {}
# Functions that are called when no task can continue; they return True if one can afterwards.
_idle = []
_now = 0.0
_count = 0
_current = None


class Future:
    """A result that comes later."""

    def __init__(self, *, loop=None):
        self._state, self._result, self._exception, self._callbacks = "PENDING", None, None, []

    def done(self):
        return self._state != "PENDING"

    def cancelled(self):
        return self._state == "CANCELLED"

    def result(self):
        if self._state == "CANCELLED":
            raise CancelledError()
        if self._state == "PENDING":
            raise InvalidStateError("Result is not set.")
        if self._exception is not None:
            raise self._exception
        return self._result

    def exception(self):
        if self._state == "CANCELLED":
            raise CancelledError()
        if self._state == "PENDING":
            raise InvalidStateError("Exception is not set.")
        return self._exception

    def set_result(self, result):
        self._finish("FINISHED", result, None)

    def set_exception(self, exception):
        self._finish("FINISHED", None, exception() if isinstance(exception, type) else exception)

    def cancel(self, msg=None):
        if self.done():
            return False
        self._finish("CANCELLED", None, None)
        return True

    def add_done_callback(self, callback, *, context=None):
        if self.done():
            _ready.append((callback, self))
        else:
            self._callbacks.append(callback)

    def remove_done_callback(self, callback):
        before = len(self._callbacks)
        self._callbacks[:] = [it for it in self._callbacks if it != callback]
        return before - len(self._callbacks)

    def get_loop(self):
        return _loop

    def _finish(self, state, result, exception):
        if self.done():
            raise InvalidStateError("invalid state")
        self._state, self._result, self._exception = state, result, exception
        for callback in self._callbacks:
            _ready.append((callback, self))
        self._callbacks = []

    def __await__(self):
        if not self.done():
            yield self
        return self.result()

    __iter__ = __await__


class Task(Future):
    """A coroutine that runs in turns with others."""

    def __init__(self, coro, *, loop=None, name=None, context=None):
        global _count
        super().__init__()
        if not inspect.iscoroutine(coro) and not isinstance(coro, types.GeneratorType):
            raise TypeError(f"a coroutine was expected, got {coro!r}")
        _count += 1
        self._coro, self._waits, self._must_cancel = coro, None, False
        self._name = name or f"Task-{_count}"
        _tasks[id(self)] = self
        _ready.append((self._step, None))

    def get_name(self):
        return self._name

    def set_name(self, name):
        self._name = str(name)

    def get_coro(self):
        return self._coro

    def cancel(self, msg=None):
        if self.done():
            return False
        if self._waits is None or not self._waits.cancel():
            self._must_cancel = True
        return True

    def uncancel(self):
        return 0

    def cancelling(self):
        return int(self._must_cancel)

    def _finish(self, state, result, exception):
        _tasks.pop(id(self), None)
        super()._finish(state, result, exception)

    def _step(self, _):
        global _current
        if self.done():
            return
        before, _current = _current, self
        self._waits = None
        try:
            if self._must_cancel:
                self._must_cancel = False
                waits = self._coro.throw(CancelledError())
            else:
                waits = self._coro.send(None)
        except StopIteration as stop:
            self._finish("FINISHED", stop.value, None)
        except CancelledError:
            self._finish("CANCELLED", None, None)
        except (KeyboardInterrupt, SystemExit):
            self._finish("CANCELLED", None, None)
            raise
        except BaseException as error:
            self._finish("FINISHED", None, error)
        else:
            if waits is None:
                _ready.append((self._step, None))
            else:
                self._waits = waits
                waits.add_done_callback(self._step)
                if self._must_cancel and waits.cancel():
                    self._must_cancel = False
        finally:
            _current = before


def _drive(future):
    """Let tasks take turns until a future is done."""
    global _now
    while not future.done():
        if _ready:
            callback, argument = _ready.popleft()
            callback(argument)
        elif any([idle() for idle in _idle]):
            continue
        elif _timers:
            when, _, due = heapq.heappop(_timers)
            _now = max(_now, when)
            if not due.done():
                due.set_result(None)
        else:
            raise RuntimeError("the script waits for something that never happens")
    return future.result()


def run(main, *, debug=None, loop_factory=None):
    """Run a coroutine to its end, and cancel the tasks that it leaves."""
    if not inspect.iscoroutine(main):
        if not inspect.isawaitable(main):
            raise ValueError(f"a coroutine was expected, got {main!r}")
        main = _awaited(main)
    others = set(_tasks)
    try:
        return _drive(Task(main))
    finally:
        for key, task in list(_tasks.items()):
            if key not in others and task.cancel():
                try:
                    _drive(task)
                except BaseException:
                    continue


async def _awaited(awaitable):
    return await awaitable


@types.coroutine
def _turn():
    yield


def _timer(delay):
    global _count
    _count += 1
    future = Future()
    heapq.heappush(_timers, (_now + delay, _count, future))
    return future


async def sleep(delay, result=None):
    if delay <= 0:
        await _turn()
    else:
        await _timer(delay)
    return result


def ensure_future(awaitable, *, loop=None):
    if isinstance(awaitable, Future):
        return awaitable
    if not inspect.isawaitable(awaitable):
        raise TypeError("An asyncio.Future, a coroutine or an awaitable is required")
    return Task(awaitable if inspect.iscoroutine(awaitable) else _awaited(awaitable))


def create_task(coro, *, name=None, context=None, eager_start=None):
    return Task(coro, name=name)


def isfuture(value):
    return isinstance(value, Future)


def current_task(loop=None):
    return _current


def all_tasks(loop=None):
    return set(_tasks.values())


def gather(*awaitables, return_exceptions=False):
    children = [ensure_future(it) for it in awaitables]
    outer = _Gathering(children)
    left = len(set(map(id, children)))
    if not left:
        outer.set_result([])

    def ended(child):
        nonlocal left
        left -= 1
        if outer.done():
            return
        error = CancelledError() if child.cancelled() else child.exception()
        if error is not None and not return_exceptions:
            outer.set_exception(error)
        elif not left:
            outer.set_result([
                (CancelledError() if it.cancelled() else it.exception() or it.result()) if return_exceptions else it.result()
                for it in children
            ])

    for child in {id(it): it for it in children}.values():
        child.add_done_callback(ended)
    return outer


class _Gathering(Future):
    def __init__(self, children):
        super().__init__()
        self._children = children

    def cancel(self, msg=None):
        if self.done():
            return False
        for child in self._children:
            child.cancel()
        return super().cancel()


def shield(awaitable):
    inner, outer = ensure_future(awaitable), Future()

    def ended(_):
        if outer.done():
            return
        if inner.cancelled():
            outer.cancel()
        elif inner.exception() is not None:
            outer.set_exception(inner.exception())
        else:
            outer.set_result(inner.result())

    inner.add_done_callback(ended)
    return outer


async def wait(futures, *, timeout=None, return_when=ALL_COMPLETED):
    futures = [ensure_future(it) for it in futures]
    if not futures:
        raise ValueError("Set of Tasks/Futures is empty.")
    waiter = Future() if timeout is None else _timer(timeout)

    def ended(_):
        done = [it for it in futures if it.done()]
        failed = any(not it.cancelled() and it.exception() for it in done)
        enough = len(done) == len(futures) or (done and return_when == FIRST_COMPLETED)
        if not waiter.done() and (enough or (failed and return_when == FIRST_EXCEPTION)):
            waiter.set_result(None)

    for future in futures:
        future.add_done_callback(ended)
    await waiter
    return {it for it in futures if it.done()}, {it for it in futures if not it.done()}


async def wait_for(awaitable, timeout):
    if timeout is None:
        return await awaitable
    future = ensure_future(awaitable)
    try:
        await wait([future], timeout=timeout)
    except CancelledError:
        future.cancel()
        raise
    if not future.done():
        future.cancel()
        try:
            await future
        except CancelledError:
            raise TimeoutError() from None
    return future.result()


def as_completed(futures, *, timeout=None):
    queue, left = Queue(), [ensure_future(it) for it in futures]
    for future in left:
        future.add_done_callback(queue.put_nowait)

    async def following():
        return (await queue.get()).result()

    for _ in left:
        yield following()


async def to_thread(function, /, *arguments, **named):
    return function(*arguments, **named)


class TaskGroup:
    """Tasks that end together."""

    def __init__(self):
        self._children, self._failures = [], []

    def create_task(self, coro, *, name=None, context=None):
        task = Task(coro, name=name)
        self._children.append(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task):
        if not task.cancelled() and task.exception() is not None:
            self._failures.append(task.exception())
            for other in self._children:
                other.cancel()

    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, error, trace):
        if error is not None:
            for child in self._children:
                child.cancel()
        while any(not child.done() for child in self._children):
            await wait([child for child in self._children if not child.done()])
        await _turn()
        if error is not None and not isinstance(error, CancelledError):
            self._failures.append(error)
        if self._failures:
            raise BaseExceptionGroup("unhandled errors in a TaskGroup", self._failures) from None


class timeout:
    """Cancels what runs in the block after a time."""

    def __init__(self, delay):
        self._delay, self._timer, self._expired = delay, None, False

    def expired(self):
        return self._expired

    async def __aenter__(self):
        if self._delay is not None:
            task = _current
            self._timer = _timer(self._delay)

            def due(timer):
                if not timer.cancelled():
                    self._expired = True
                    task.cancel()

            self._timer.add_done_callback(due)
        return self

    async def __aexit__(self, kind, error, trace):
        if self._timer is not None:
            self._timer.cancel()
        if self._expired and isinstance(error, CancelledError):
            raise TimeoutError() from None


class Semaphore:
    """Lets a number of tasks in at the same time."""

    def __init__(self, value=1):
        if value < 0:
            raise ValueError("Semaphore initial value must be >= 0")
        self._value, self._waiters = value, collections.deque()

    def locked(self):
        return self._value == 0

    async def acquire(self):
        while self._value == 0:
            waiter = Future()
            self._waiters.append(waiter)
            await waiter
        self._value -= 1
        return True

    def release(self):
        self._value += 1
        while self._waiters:
            waiter = self._waiters.popleft()
            if not waiter.done():
                waiter.set_result(None)
                break

    async def __aenter__(self):
        await self.acquire()

    async def __aexit__(self, *_):
        self.release()


BoundedSemaphore = Semaphore


class Lock(Semaphore):
    """Lets one task in at a time."""

    def __init__(self):
        super().__init__(1)

    def release(self):
        if self._value:
            raise RuntimeError("Lock is not acquired.")
        super().release()


class Event:
    """Tasks wait until it is set."""

    def __init__(self):
        self._set, self._waiters = False, []

    def is_set(self):
        return self._set

    def set(self):
        self._set = True
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)

    def clear(self):
        self._set = False

    async def wait(self):
        if not self._set:
            waiter = Future()
            self._waiters.append(waiter)
            await waiter
        return True


class Queue:
    """A queue between tasks."""

    def __init__(self, maxsize=0):
        self._maxsize, self._items, self._unfinished = maxsize, collections.deque(), 0
        self._changed, self._finished = [], Event()
        self._finished.set()

    def _wake(self):
        waiters, self._changed = self._changed, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)

    async def _change(self):
        waiter = Future()
        self._changed.append(waiter)
        await waiter

    def qsize(self):
        return len(self._items)

    def empty(self):
        return not self._items

    def full(self):
        return 0 < self._maxsize <= len(self._items)

    def put_nowait(self, item):
        if self.full():
            raise QueueFull()
        self._items.append(item)
        self._unfinished += 1
        self._finished.clear()
        self._wake()

    def get_nowait(self):
        if not self._items:
            raise QueueEmpty()
        item = self._items.popleft()
        self._wake()
        return item

    async def put(self, item):
        while self.full():
            await self._change()
        self.put_nowait(item)

    async def get(self):
        while not self._items:
            await self._change()
        return self.get_nowait()

    def task_done(self):
        if not self._unfinished:
            raise ValueError("task_done() called too many times")
        self._unfinished -= 1
        if not self._unfinished:
            self._finished.set()

    async def join(self):
        await self._finished.wait()


class _Loop:
    """What scripts expect of an event loop."""

    def run_until_complete(self, future):
        return _drive(ensure_future(future))

    def create_task(self, coro, *, name=None, context=None):
        return Task(coro, name=name)

    def create_future(self):
        return Future()

    def run_in_executor(self, executor, function, *arguments):
        return Task(to_thread(function, *arguments))

    def call_soon(self, callback, *arguments, context=None):
        _ready.append((lambda _: callback(*arguments), None))

    def call_later(self, delay, callback, *arguments, context=None):
        timer = _timer(delay)
        timer.add_done_callback(lambda it: it.cancelled() or callback(*arguments))
        return timer

    def time(self):
        return _now

    def is_running(self):
        return _current is not None

    def is_closed(self):
        return False

    def close(self):
        """Nothing is open."""


_loop = _Loop()


class Runner:
    """Runs coroutines one after another."""

    def __init__(self, *, debug=None, loop_factory=None):
        """There is nothing to choose."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def run(self, coro, *, context=None):
        return run(coro)

    def get_loop(self):
        return _loop

    def close(self):
        """Nothing is open."""


def get_event_loop():
    return _loop


def new_event_loop():
    return _loop


def set_event_loop(loop):
    """There is one loop."""


def get_running_loop():
    if _current is None:
        raise RuntimeError("no running event loop")
    return _loop


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(f"asyncio has no {name!r} here: a script has no network, no processes and no threads")
