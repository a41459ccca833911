"""Formats exceptions for models: frames of the script and of helpers, with line, column and caret, and a hint."""

import linecache
import traceback

from mitt import _output, _values

# Most characters of a traceback. A longer one has a long message or a recursion, which does not help to correct the
# script.
MAX_CHARACTERS = 8_192

# Most frames that are examined. A script may raise its recursion limit to a million.
MAX_FRAMES = 1_000

# Source lines by file name: scripts of this instance, and helpers of skills. Frames of other files are not shown.
_sources = {}


def register(filename, source):
    """Register the source of a file, so that its frames are shown."""
    # The compiler knows only line feeds: a form feed does not end a line.
    _sources[filename] = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    _publish(filename)


def forget(filename):
    """Stop showing frames of a file."""
    if _sources.pop(filename, None) is not None:
        linecache.cache.pop(filename, None)


def knows(filename):
    """Return True if frames of a file are shown."""
    return filename in _sources


def class_name(exception):
    """Return the name of an exception's class, even if its metaclass changes it."""
    return type.__dict__["__name__"].__get__(type(exception))


def message(exception):
    """Return the text of an exception, shortened."""
    try:
        text = str(exception)
    except BaseException:
        text = "<exception str() failed>"
    # Shortened first, because it may take most of the memory.
    return _values.scalar_text(_output.bounded_middle(text, MAX_CHARACTERS))


def described(exception, script, hint):
    """Return the traceback of an exception, and the line and column of the script.

    `hint` is a function that returns a sentence for the exception, or None.
    """
    for filename in _sources:
        _publish(filename)
    _shorten(exception)
    report = traceback.TracebackException.from_exception(exception, compact=True)
    _strip(report)
    place = _place(exception, report, script)
    lines = list(report.format())
    if isinstance(exception, SyntaxError) and exception.filename in _sources and exception.offset:
        # The place of a syntax error comes last. The frames before it are those of `compile` or `eval` in the script.
        shown = f'File "{exception.filename}", line {exception.lineno}\n'
        lines = [line.replace(shown, f"{shown[:-1]}, column {exception.offset}\n") for line in lines]
    sentence = hint(exception)
    text = _values.scalar_text("".join(lines).rstrip("\n"))
    tail = f"\nhint: {sentence}" if sentence else ""
    return _output.bounded_middle(text, MAX_CHARACTERS - len(tail)) + tail, *place


def _publish(filename):
    # Without a modification time, the cache never looks for a file.
    linecache.cache[filename] = (1, None, [line + "\n" for line in _sources[filename]], filename)


def _shorten(exception):
    """Remove the middle of a long traceback, of the exception and of its causes."""
    seen = set()
    while exception is not None and id(exception) not in seen:
        seen.add(id(exception))
        entries, entry = [], exception.__traceback__
        while entry is not None:
            entries.append(entry)
            entry = entry.tb_next
        if len(entries) > MAX_FRAMES:
            entries[MAX_FRAMES // 2].tb_next = entries[-MAX_FRAMES // 2]
        exception = exception.__cause__ or exception.__context__


def _strip(report):
    pending, seen = [report], set()
    while pending:
        current = pending.pop()
        if current is None or id(current) in seen:
            continue
        seen.add(id(current))
        if isinstance(current._str, str):
            # Shortened before formatting, which copies it several times, and to leave room for the frames.
            current._str = _output.bounded_middle(current._str, MAX_CHARACTERS // 2)
        current.stack = _Frames(frame for frame in current.stack or () if frame.filename in _sources) or None
        pending += [current.__cause__, current.__context__, *(current.exceptions or ())]


def _place(exception, report, script):
    if isinstance(exception, SyntaxError) and exception.filename == script and exception.lineno:
        return exception.lineno, exception.offset or None
    for frame in reversed(report.stack or ()):
        if frame.filename == script and frame.lineno:
            return frame.lineno, _column(frame)
    return None, None


def _column(frame):
    """Return the column in characters, from 1. The compiler counts bytes."""
    lines = _sources.get(frame.filename, ())
    if frame.colno is None or not 0 < frame.lineno <= len(lines):
        return None
    return len(lines[frame.lineno - 1].encode("utf-8", "replace")[: frame.colno].decode("utf-8", "replace")) + 1


class _Frames(traceback.StackSummary):
    """Frames that also have the column."""

    def format_frame_summary(self, frame, **options):
        text = super().format_frame_summary(frame, **options)
        column = _column(frame)
        if column is None:
            return text
        return text.replace(f"line {frame.lineno},", f"line {frame.lineno}, column {column},", 1)
