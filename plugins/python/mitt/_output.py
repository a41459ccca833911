"""`sys.stdout` and `sys.stderr`: Python's text streams, which send lines to the host as they are written.

The host bounds the output, so nothing is collected here. A loop that prints fills no memory, and the output before a
limit ended the script is not lost.
"""

import codecs
import io
import sys

from wit_world.imports import script_host as host

from mitt import _values

# Characters of one call to the host. Longer texts are sent in parts of this size.
PART = 1 << 16


class _Raw(io.RawIOBase):
    """The raw stream: decodes UTF-8 and sends text to the host."""

    def __init__(self, stream):
        self._stream = stream
        self._decoder = None

    def writable(self):
        return True

    def write(self, data):
        try:
            if self._decoder is None:
                text = str(data, "utf-8")
            else:
                text = self._decoder.decode(bytes(data))
        except UnicodeDecodeError:
            # A character that continues in the next part, or bytes that are not text.
            self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
            text = self._decoder.decode(bytes(data))
        self.send(text)
        return len(data)

    def finish(self):
        """Send a replacement for an incomplete character at the end."""
        if self._decoder is not None:
            self.send(self._decoder.decode(b"", final=True))
            self._decoder = None

    def send(self, text):
        """Send text to the host."""
        if len(text) <= PART:
            host.write(self._stream, text)
            return
        for start in range(0, len(text), PART):
            host.write(self._stream, text[start : start + PART])

    def close(self):
        """Stay open: a script that closes the stream would lose the message of its own error."""


class _Buffer(io.BufferedWriter):
    """The type of `sys.stdout.buffer`."""

    def close(self):
        """Stay open, like the text stream."""
        self.flush()


class _Text(io.TextIOWrapper):
    """The type of `sys.stdout`."""

    def close(self):
        """Stay open for later output of the script and its error."""
        self.flush()


def _encode_surrogates(error):
    """Encode surrogates, which have no UTF-8 form. Two halves of a pair become their character."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return _values.scalar_text(error.object[error.start : error.end]).encode(), error.end


_streams = []


def install():
    """Make the streams, and give them to `sys`."""
    codecs.register_error("mitt.surrogates", _encode_surrogates)
    _streams.clear()
    for name, stream in (("stdout", host.Stream.STDOUT), ("stderr", host.Stream.STDERR)):
        raw = _Raw(stream)
        text = _Text(_Buffer(raw), "utf-8", "mitt.surrogates", "\n", line_buffering=True)
        # The names of CPython: `<stdout>` in `repr(sys.stdout)`.
        raw.name = f"<{name}>"
        text.mode = "w"
        _streams.append((text, raw))
        setattr(sys, name, text)
        setattr(sys, f"__{name}__", text)
    sys.stdin = sys.__stdin__ = io.StringIO()


def reset():
    """Restore the streams for a new script, even if the last one replaced or closed them."""
    if all(_is_usable(text) for text, _ in _streams) and len(_streams) == 2:
        sys.stdout, sys.stderr = _streams[0][0], _streams[1][0]
    else:
        install()


def flush():
    """Send incomplete lines."""
    for text, _ in _streams:
        try:
            text.flush()
        except ValueError:
            # A script has detached the buffer with its content.
            continue


def finish():
    """Send everything at the end of a script."""
    flush()
    for _, raw in _streams:
        raw.finish()


def bounded_middle(text, limit):
    """Remove the middle of a long text: a traceback needs its first calls and the message at the end."""
    if len(text) <= limit:
        return text
    # `limit` includes the note.
    room = limit - 64
    head = room // 4
    return f"{text[:head]}\n[… {len(text) - room} characters left out …]\n{text[head - room:]}"


def _is_usable(text):
    try:
        # Raises if a script has detached the buffer.
        return not text.closed
    except ValueError:
        return False
