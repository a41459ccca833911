"""Locks of a script."""

import unittest

import fakes

fakes.load(fakes.Host())
from mitt._threads import Lock  # noqa: E402


class Locks(unittest.TestCase):
    def test_waiting_for_ever_is_an_error(self):
        lock = Lock()
        with lock:
            self.assertTrue(lock.locked())
            with self.assertRaises(RuntimeError):
                lock.acquire()
            self.assertFalse(lock.acquire(blocking=False))
            self.assertFalse(lock.acquire(timeout=5))
        self.assertFalse(lock.locked())
        with self.assertRaises(RuntimeError):
            lock.release()


if __name__ == "__main__":
    unittest.main()
