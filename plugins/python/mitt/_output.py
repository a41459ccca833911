"""Captured output: text streams that keep the beginning and drop the rest while it is produced."""

import codecs
import io

from mitt import _values

# Characters of each stream that reach the model. Anything longer is noise in its context, and a loop that prints must
# not fill the memory before its fuel ends.
MAX_CHARACTERS = 32_768

MARK = "\n[SYSTEM: TRUNCATED]"


class Capture(io.TextIOBase):
    """A text stream in memory, bounded while it is written."""

    encoding = "utf-8"
    errors = "replace"

    def __init__(self, name):
        self.name = name
        self.truncated = False
        self._parts = []
        self._left = MAX_CHARACTERS
        self._buffer = None

    @property
    def buffer(self):
        """The same stream for bytes, as scripts use it that write `sys.stdout.buffer`."""
        if self._buffer is None:
            self._buffer = _Bytes(self)
        return self._buffer

    def writable(self):
        return True

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        kept = text[: self._left]
        if kept:
            self._parts.append(kept)
            self._left -= len(kept)
        if len(kept) < len(text):
            self.truncated = True
        return len(text)

    def close(self):
        """Stays open: a script that closes it would lose the message of its own error."""

    def text(self):
        """What was kept, with a mark where the rest was dropped."""
        return _values.scalar_text("".join(self._parts)) + (MARK if self.truncated else "")


class _Bytes(io.BufferedIOBase):
    """Bytes into a `Capture`."""

    def __init__(self, capture):
        self._capture = capture
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode

    def writable(self):
        return True

    def write(self, data):
        data = bytes(data)
        self._capture.write(self._decode(data))
        return len(data)

    def close(self):
        """Stays open, as the text stream does."""


def bounded(text):
    """Text of at most `MAX_CHARACTERS`, and whether it lost its end."""
    if len(text) <= MAX_CHARACTERS:
        return text, False
    return text[:MAX_CHARACTERS] + MARK, True


def bounded_middle(text, limit):
    """Text that loses its middle: of a traceback the first call and the message at the end matter most."""
    if len(text) <= limit:
        return text, False
    head = limit // 4
    return f"{text[:head]}\n[… {len(text) - limit} characters left out …]\n{text[head - limit:]}", True
