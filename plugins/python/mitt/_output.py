"""`sys.stdout` and `sys.stderr`: Python's own text streams, whose lines go to the host as they are written.

The host keeps the beginning and bounds the rest, so nothing is collected here: a loop that prints fills no memory, and
what was written before a limit ends the script is not lost.
"""

import codecs
import io
import sys

from wit_world.imports import script_host as host

from mitt import _values

# Characters of one call to the host; a text of any length is copied in parts of this size.
PART = 1 << 16


class _Raw(io.RawIOBase):
    """The raw stream: UTF-8 in, text to the host."""

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
            # A character that goes on in the next part, or bytes that are no text.
            self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
            text = self._decoder.decode(bytes(data))
        self.send(text)
        return len(data)

    def finish(self):
        """Show that a character was begun and not ended."""
        if self._decoder is not None:
            self.send(self._decoder.decode(b"", final=True))
            self._decoder = None

    def send(self, text):
        """Hand text to the host."""
        if len(text) <= PART:
            host.write(self._stream, text)
            return
        for start in range(0, len(text), PART):
            host.write(self._stream, text[start : start + PART])

    def close(self):
        """Stays open: a script that closes it would lose the message of its own error."""


class _Buffer(io.BufferedWriter):
    """What `sys.stdout.buffer` is."""

    def close(self):
        """Stays open, as the text stream does."""
        self.flush()


class _Text(io.TextIOWrapper):
    """What `sys.stdout` is."""

    def close(self):
        """Stays open: later output of the script, and its error, still want to be seen."""
        self.flush()


def _encode_surrogates(error):
    """Surrogates have no UTF-8 form; two halves that belong together become the character that they mean."""
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
        # As CPython names them: `<stdout>` in `repr(sys.stdout)`.
        raw.name = f"<{name}>"
        text.mode = "w"
        _streams.append((text, raw))
        setattr(sys, name, text)
        setattr(sys, f"__{name}__", text)
    sys.stdin = sys.__stdin__ = io.StringIO()


def reset():
    """Give the streams to a new script, whatever the last one made of them."""
    if all(_is_usable(text) for text, _ in _streams) and len(_streams) == 2:
        sys.stdout, sys.stderr = _streams[0][0], _streams[1][0]
    else:
        install()


def flush():
    """Hand over what is not a whole line yet."""
    for text, _ in _streams:
        try:
            text.flush()
        except ValueError:
            # A script has detached the buffer, and with it what was in it.
            continue


def finish():
    """Hand over everything, at the end of a script."""
    flush()
    for _, raw in _streams:
        raw.finish()


def bounded_middle(text, limit):
    """Text that loses its middle: of a traceback the first call and the message at the end matter most."""
    if len(text) <= limit:
        return text
    # The note takes room too; `limit` holds for the whole.
    room = limit - 64
    head = room // 4
    return f"{text[:head]}\n[… {len(text) - room} characters left out …]\n{text[head - room:]}"


def _is_usable(text):
    try:
        # Raises where a script has detached the buffer.
        return not text.closed
    except ValueError:
        return False
