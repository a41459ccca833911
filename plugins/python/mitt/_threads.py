"""Locks for a single thread: waiting for a held lock would never end, so it is an error.

The lock of CPython would end the instance, because its runtime cannot wait.
"""

import _thread
import queue
import threading


class Lock:
    """A lock of `threading`. Acquiring a held lock raises `RuntimeError`, or returns False at once if there is a
    timeout."""

    __slots__ = ("__weakref__", "_held")

    def __init__(self):
        self._held = False

    def acquire(self, blocking=True, timeout=-1):
        """Acquire the lock. Return True if it was free."""
        if not self._held:
            self._held = True
            return True
        if blocking and (timeout is None or timeout < 0):
            raise RuntimeError("deadlock: this waits for another thread, and a script has only one")
        return False

    def release(self):
        """Release the lock."""
        if not self._held:
            raise RuntimeError("release unlocked lock")
        self._held = False

    def locked(self):
        """Return True if the lock is held."""
        return self._held

    def __enter__(self):
        return self.acquire()

    def __exit__(self, *_):
        self.release()

    def __repr__(self):
        return f"<{'locked' if self._held else 'unlocked'} threading.Lock object>"


def install():
    """Replace the locks that wait. Runs while the component is built."""
    Lock.__module__ = "threading"
    threading.Lock = threading._allocate_lock = Lock
    _thread.allocate_lock = _thread.allocate = _thread.lock = _thread.LockType = Lock
    # The class in C waits with its own lock.
    queue.SimpleQueue = queue._PySimpleQueue
