"""`os` for the session's workspace.

Everything that could access a file, a process or a descriptor of the system is removed from `os` and `posix`. Functions
that make sense for a flat set of named files replace it, so that `os.path.exists`, `pathlib` and others work.
"""

import builtins
import errno
import io
import os
import posix
import stat
import sys
import tokenize

from mitt import _files

# Functions that are removed without a replacement.
_REMOVED = """
    _exit abort chdir chmod close closerange confstr device_encoding dup fdatasync fpathconf fstat fsync ftruncate
    get_blocking get_inheritable link lseek open pathconf posix_fadvise pread pwrite read readinto readlink set_blocking
    set_inheritable symlink sysconf times truncate utime write
    _execvpe execl execle execlp execlpe execvp execvpe fdopen fwalk get_exec_path popen removedirs renames
""".split()

# Modules of the runtime or the build that a script must not find.
_INTERNAL = ("_imp", "_socket", "_sitebuiltins", "app", "faulthandler", "site", "zipimport")

# Their names and the modules, kept here: freeing a module would touch more memory than a small script.
_hidden = []


def install():
    """Remove and replace functions. Runs while the component is built, when everything is imported."""
    for name in _REMOVED:
        for module in (os, posix):
            module.__dict__.pop(name, None)
    for function in (
        access, getcwd, getcwdb, isatty, listdir, lstat, makedirs, mkdir, remove, rename, replace, rmdir, scandir,
        os_stat, unlink,
    ):
        name = function.__name__ = function.__qualname__ = function.__name__.removeprefix("os_")
        function.__module__ = "os"
        setattr(os, name, function)
        setattr(posix, name, function)
    # These sets name removed functions.
    os.supports_dir_fd, os.supports_effective_ids, os.supports_fd, os.supports_follow_symlinks = (
        set(), set(), set(), set(),
    )
    os.__all__ = [name for name in os.__all__ if hasattr(os, name)]
    # `pathlib`, `csv` recipes and `tokenize.open` go through these.
    builtins.open = tokenize._builtin_open = _files.open_file
    for module in (io, sys.modules["_io"]):
        module.open, module.open_code, module.FileIO = _files.open_file, _files.open_code, _files.FileIO


def close():
    """Disable imports of modules in C, and remove what only the runtime needs."""
    imp = sys.modules["_imp"]
    for name in ("create_builtin", "exec_builtin", "create_dynamic", "exec_dynamic", "init_frozen", "get_frozen_object"):
        imp.__dict__[name] = _absent
    for name in ("is_builtin", "is_frozen", "is_frozen_package"):
        imp.__dict__[name] = _unknown
    imp.find_frozen = _nothing
    _hidden[:] = [
        (name, module)
        for name, module in sys.modules.items()
        if name in _INTERNAL or name.startswith(("componentize_py", "wit_world", "_pyrepl", "_sysconfig"))
    ]


def hide():
    """Remove internal modules from `sys.modules`. Called at run time: the runtime needs some of them after the build."""
    for name, _ in _hidden:
        sys.modules.pop(name, None)


def _absent(*_, **__):
    raise ImportError("modules cannot be loaded here")


def _unknown(name):
    return 0


def _nothing(name, **_):
    return None


def os_stat(path, *, dir_fd=None, follow_symlinks=True):
    """Kind and size of a file of the workspace, of a document, or of the workspace itself."""
    if isinstance(path, int):
        raise _files._os_error(OSError, errno.EBADF, "a script has no file descriptors")
    name = os.fspath(path)
    if isinstance(name, bytes):
        name = name.decode("utf-8", "replace")
    if name in (".", "./", "/"):
        return _result(stat.S_IFDIR | 0o755, 0)
    if name.startswith("./"):
        name = name[2:]
    size = _files.size(name)
    if size is None:
        raise _files._missing(name)
    return _result(stat.S_IFREG | 0o644, size)


def lstat(path, *, dir_fd=None):
    """Do what `stat` does: there are no links."""
    return os_stat(path)


def _result(mode, size):
    return os.stat_result((mode, 0, 0, 1, 0, 0, size, 0, 0, 0))


def access(path, mode, *, dir_fd=None, effective_ids=False, follow_symlinks=True):
    """Return True if a file exists: all files may be read and written, and none executed."""
    try:
        os_stat(path)
    except OSError:
        return False
    return not mode & os.X_OK


def getcwd():
    """The workspace has no folders."""
    return "/"


def getcwdb():
    """As `getcwd`."""
    return b"/"


def isatty(fd):
    """Nothing is a terminal here."""
    return False


def listdir(path="."):
    """Names of the files of the workspace."""
    _only_folder(path)
    return _files.files()


def scandir(path="."):
    """The files of the workspace."""
    _only_folder(path)
    folder = "." if path is None else os.fsdecode(path)
    return _Entries([_Entry(folder, name) for name in _files.files()])


def remove(path, *, dir_fd=None):
    """Remove a file of the workspace."""
    _files.remove(path)


def unlink(path, *, dir_fd=None):
    """Remove a file of the workspace."""
    _files.remove(path)


def rename(src, dst, *, src_dir_fd=None, dst_dir_fd=None):
    """Rename a file of the workspace; one that has the new name is replaced."""
    _files.rename(src, dst)


def replace(src, dst, *, src_dir_fd=None, dst_dir_fd=None):
    """Rename a file of the workspace; one that has the new name is replaced."""
    _files.rename(src, dst)


def mkdir(path, mode=0o777, *, dir_fd=None):
    """Refused: the workspace has no folders."""
    raise _no_folders()


def makedirs(name, mode=0o777, exist_ok=False):
    """Refused: the workspace has no folders."""
    if exist_ok and os.fspath(name) in (".", "./", "/", ""):
        return
    raise _no_folders()


def rmdir(path, *, dir_fd=None):
    """Refused: the workspace has no folders."""
    raise _no_folders()


def _no_folders():
    return _files._os_error(
        PermissionError, errno.EACCES, "the workspace has no folders; files have plain names: 'totals.csv'"
    )


def _only_folder(path):
    name = "." if path is None else os.fspath(path)
    if name not in (".", "./", "/", "", b".", b"/"):
        raise _files._os_error(FileNotFoundError, errno.ENOENT, f"no folder {name!r}: the workspace is a flat set of files")


class _Entry:
    """A file in the result of `scandir`."""

    def __init__(self, folder, name):
        self.name = name
        self.path = os.path.join(folder, name)

    def __fspath__(self):
        return self.path

    def __repr__(self):
        return f"<DirEntry {self.name!r}>"

    def is_file(self, *, follow_symlinks=True):
        return True

    def is_dir(self, *, follow_symlinks=True):
        return False

    def is_symlink(self):
        return False

    def is_junction(self):
        return False

    def stat(self, *, follow_symlinks=True):
        return os_stat(self.path)

    def inode(self):
        return 0


class _Entries:
    """The result of `scandir`: an iterator that can be closed."""

    def __init__(self, entries):
        self._entries = iter(entries)

    def __iter__(self):
        return self._entries

    def __next__(self):
        return next(self._entries)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._entries = iter(())
