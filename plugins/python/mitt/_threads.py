"""Locks where there is one thread: waiting for a lock that is held would last for ever, so it is an error instead.

The lock of CPython ends the instance there, as its runtime has nothing to wait with.
"""

import _thread
import queue
import threading


class Lock:
    """A lock of `threading`. Taking one that is held raises `RuntimeError`, or gives False after a timeout at once."""

    __slots__ = ("__weakref__", "_held")

    def __init__(self):
        self._held = False

    def acquire(self, blocking=True, timeout=-1):
        """Take the lock; gives whether it was free."""
        if not self._held:
            self._held = True
            return True
        if blocking and (timeout is None or timeout < 0):
            raise RuntimeError("deadlock: this waits for another thread, and a script has only one")
        return False

    def release(self):
        """Give the lock back."""
        if not self._held:
            raise RuntimeError("release unlocked lock")
        self._held = False

    def locked(self):
        """Whether it is held."""
        return self._held

    def __enter__(self):
        return self.acquire()

    def __exit__(self, *_):
        self.release()

    def __repr__(self):
        return f"<{'locked' if self._held else 'unlocked'} threading.Lock object>"


def install():
    """Put it in the place of the locks that wait. Runs while the component is built."""
    Lock.__module__ = "threading"
    threading.Lock = threading._allocate_lock = Lock
    _thread.allocate_lock = _thread.allocate = _thread.lock = _thread.LockType = Lock
    # The one in C waits with a lock of its own.
    queue.SimpleQueue = queue._PySimpleQueue
