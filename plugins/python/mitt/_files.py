"""`open()` for the session's workspace.

A file is read completely when it is opened, and written completely when it is flushed or closed, because the host
offers no more; files are small. The buffered classes of Python do the rest over one raw file.
"""

import errno
import io
import os

from componentize_py_types import Err
from wit_world.imports import workspace as host
from wit_world.imports.types import Error_InvalidArgument, Error_NotFound, Error_Quota

from mitt import _values

# Unclosed files must be written, and a refused write must be an error of the script. These are strong references,
# because Python only prints errors of finalizers.
_open_files = []


def open_file(file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None):
    """Open a file of the session's workspace. Its name is a plain name such as `totals.csv`, never a path.

    Text is UTF-8 unless `encoding` says otherwise. A document can be read by its name, which gives its text; its tables
    are in `documents`.
    """
    action = _action(mode)
    binary = "b" in mode
    if binary and (encoding is not None or errors is not None or newline is not None):
        raise ValueError("binary mode doesn't take an encoding, errors or newline argument")
    name = _checked_name(file)
    settle()
    if action == "r" and "+" not in mode:
        text = _document_text(name)
        if text is not None:
            return _opened_document(name, text, binary)
    raw = WorkspaceFile(name, action, "+" in mode)
    if raw.readable() and raw.writable():
        buffered = _Updater(raw)
    elif raw.writable():
        buffered = _Writer(raw)
    else:
        buffered = io.BufferedReader(raw)
    stream = buffered if binary else io.TextIOWrapper(buffered, encoding or "utf-8", errors, newline)
    if not binary:
        stream.mode = mode
    if raw.writable():
        _open_files.append(stream)
    return stream


def open_code(path):
    """Open a file to run it, like `open(path, "rb")`."""
    return open_file(path, "rb")


def settle():
    """Write all buffers, so that tools and later scripts see the content. `open("a", "w").write("x")` needs this."""
    _open_files[:] = [stream for stream in _open_files if not stream.closed]
    for stream in _open_files:
        stream.flush()


def close_all():
    """Write the files that a script left open."""
    while _open_files:
        stream = _open_files.pop(0)
        if not stream.closed:
            stream.close()


def files():
    """Names of the files in the workspace, sorted."""
    settle()
    return [info.name for info in host.list()]


def size(name):
    """Return the size of a file of the workspace, or of the text of a document; None if neither exists."""
    settle()
    for info in host.list():
        if info.name == name:
            return info.size
    from mitt import documents

    return len(documents[name].text.encode()) if name in documents else None


def remove(name):
    """Remove a file of the workspace."""
    name = _checked_name(name)
    settle()
    try:
        return host.remove(name)
    except Err as error:
        failure = _failure(error.value, name)
    raise failure


def rename(old, new):
    """Rename a file of the workspace; one that has the new name is replaced."""
    old, new = _checked_name(old), _checked_name(new)
    settle()
    content = _content(old, must_exist=True)
    if old != new:
        _write(new, content)
        remove(old)


class _Writer(io.BufferedWriter):
    """A writer that also flushes the raw file, so that a tool sees what a script flushed."""

    def flush(self):
        super().flush()
        self.raw.flush()


class _Updater(io.BufferedRandom):
    """Does what `_Writer` does for files that are read and written."""

    def flush(self):
        super().flush()
        self.raw.flush()


class WorkspaceFile(io.RawIOBase):
    """The raw file below the buffered ones."""

    def __init__(self, name, action, update):
        self.name = name
        self._action = action
        self._update = update
        self._position = 0
        self._content = bytearray()
        self._changed = action in "wx"
        if action == "x" and name in files():
            raise _os_error(FileExistsError, errno.EEXIST, f"the workspace has a file {name!r}")
        if action in "ra":
            content = _content(name, must_exist=action == "r")
            self._changed = content is None
            self._content += content or b""
        if action == "a":
            self._position = len(self._content)

    @property
    def mode(self):
        """The mode as CPython shows it for a raw file."""
        return f"{self._action}b{'+' if self._update else ''}"

    def readable(self):
        return self._action == "r" or self._update

    def writable(self):
        return self._action != "r" or self._update

    def seekable(self):
        return True

    def readinto(self, buffer):
        part = self._content[self._position : self._position + len(buffer)]
        buffer[: len(part)] = part
        self._position += len(part)
        return len(part)

    def write(self, data):
        data = bytes(data)
        if self._action == "a":
            self._position = len(self._content)
        # A write after the end fills the gap with zeros.
        self._content += bytes(max(0, self._position - len(self._content)))
        self._content[self._position : self._position + len(data)] = data
        self._position += len(data)
        self._changed = True
        return len(data)

    def seek(self, offset, whence=io.SEEK_SET):
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: len(self._content)}[whence]
        if base + offset < 0:
            raise _os_error(OSError, errno.EINVAL, f"negative position in {self.name!r}")
        self._position = base + offset
        return self._position

    def truncate(self, size=None):
        size = self._position if size is None else size
        del self._content[size:]
        self._content += bytes(size - len(self._content))
        self._changed = True
        return size

    def flush(self):
        super().flush()
        if not self._changed:
            return
        # Before the call: a refused write must be reported once, not again on close.
        self._changed = False
        _write(self.name, bytes(self._content))


class FileIO(WorkspaceFile):
    """A raw file of the workspace in place of `io.FileIO`."""

    def __init__(self, file, mode="r", closefd=True, opener=None):
        super().__init__(_checked_name(file), _action(mode), "+" in mode)


def _action(mode):
    if not isinstance(mode, str):
        raise TypeError(f"open() argument 'mode' must be str, not {type(mode).__name__}")
    actions = [letter for letter in mode if letter in "rwax"]
    others = sorted(letter for letter in mode if letter not in "rwax")
    if len(actions) != 1 or others not in ([], ["b"], ["t"], ["+"], ["+", "b"], ["+", "t"]):
        raise ValueError(f"invalid mode: {mode!r}")
    return actions[0]


def _checked_name(file):
    if isinstance(file, int):
        raise _os_error(PermissionError, errno.EPERM, "a script has no file descriptors; open files by name")
    name = os.fspath(file)
    if isinstance(name, bytes):
        name = name.decode("utf-8", "replace")
    if name.startswith("./"):
        name = name[2:]
    plain = name.replace("\\", "/").rstrip("/").rpartition("/")[2]
    if plain != name:
        example = plain or "totals.csv"
        raise _os_error(PermissionError, errno.EACCES, f"{name!r} is a path; files have plain names here: {example!r}")
    return _values.scalar_text(name)


def _document_text(name):
    """Return the text of a document, unless a file of the workspace has its name."""
    from mitt import documents

    if name not in documents or any(info.name == name for info in host.list()):
        return None
    return documents[name].text


def _opened_document(name, text, binary):
    if binary:
        raise _os_error(
            io.UnsupportedOperation, errno.EINVAL,
            f"{name!r} is a document that the host has read: documents[{name!r}].text and .tables; open() gives its text",
        )
    stream = io.StringIO(text)
    stream.name, stream.mode = name, "r"
    return stream


def _write(name, content):
    try:
        return host.write(name, content)
    except Err as error:
        failure = _failure(error.value, name)
    raise failure


def _content(name, must_exist):
    try:
        return host.read(name)
    except Err as error:
        if isinstance(error.value, Error_NotFound) and not must_exist:
            return None
        failure = _failure(error.value, name)
    raise failure


def _failure(error, name):
    if isinstance(error, Error_NotFound):
        return _missing(name)
    if isinstance(error, Error_InvalidArgument):
        return _os_error(PermissionError, errno.EACCES, error.value)
    return _os_error(OSError, errno.ENOSPC if isinstance(error, Error_Quota) else errno.EIO, error.value)


def _missing(name):
    """Return the error for a file that does not exist."""
    from mitt import documents

    names = _values._names([*files(), *documents.names])
    return _os_error(FileNotFoundError, errno.ENOENT, f"no file {name!r} in the workspace; there are: {names}")


def _os_error(kind, code, message):
    """Make an error with its number, but do not show it: readers take the WASI number in `[Errno 44]` for one of Linux.
    """
    error = kind(message)
    error.errno = code
    return error
