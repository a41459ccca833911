"""Messages between a program and its child process: an object of JSON, and bytes beside it."""

from __future__ import annotations

import json
import struct
import threading
from typing import IO, Any

_HEAD = struct.Struct(">II")


def packed(message: dict[str, Any], payload: bytes = b"") -> tuple[bytes, bytes]:
    """Returns a message as it is sent."""
    text = json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return _HEAD.pack(len(text), len(payload)) + text, payload


class Channel:
    """Two pipes. Messages may be sent by several threads."""

    def __init__(self, source: IO[bytes], target: IO[bytes]) -> None:
        self._source = source
        self._target = target
        self._lock = threading.Lock()

    def send(self, message: dict[str, Any], payload: bytes = b"") -> None:
        """Sends a message. Raises ``OSError`` or ``ValueError`` if the other side is gone."""
        self.write(*packed(message, payload))

    def write(self, head: bytes, payload: bytes) -> None:
        """Sends what ``packed`` returned."""
        with self._lock:
            self._target.write(head)
            if payload:
                self._target.write(payload)
            self._target.flush()

    def receive(self) -> tuple[dict[str, Any], bytes] | None:
        """Waits for a message. ``None`` if the other side is gone."""
        head = self._source.read(_HEAD.size)
        if len(head) < _HEAD.size:
            return None
        n_text, n_payload = _HEAD.unpack(head)
        text, payload = self._source.read(n_text), self._source.read(n_payload)
        if len(text) < n_text or len(payload) < n_payload:
            return None
        message: dict[str, Any] = json.loads(text.decode("utf-8", "surrogatepass"))
        return message, payload

    def close(self) -> None:
        """Closes the pipe to the other side, which ends then."""
        with self._lock:
            try:
                self._target.close()
            except OSError:
                # What was not sent is lost with the process that it was for.
                pass
