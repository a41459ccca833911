# Makes `/mnt/data`, folders below it and `/tmp` work for the flat set of named files that the interpreter has.
# A slash in a name is stored as U+2215. Files below `/tmp` are stored below `tmp~`, and the service does not keep them.
def _mitt_files():
    import errno, importlib.machinery, os, posix, stat, sys
    from mitt import _files, _os, _report

    DATA, SLASH, SCRATCH = "/mnt/data", "\u2215", "tmp~"
    folders = {SCRATCH}
    cwd = DATA

    def inside(path):
        text = os.fspath(path)
        if isinstance(text, bytes):
            text = text.decode("utf-8", "replace")
        text = text.removeprefix("sandbox:")
        if not text.startswith("/"):
            text = f"{cwd}/{text}"
        text = os.path.normpath(text)
        if text in (DATA, "/"):
            return ""
        if text.startswith(DATA + "/"):
            return text[len(DATA) + 1 :]
        if text == "/tmp" or text.startswith("/tmp/"):
            return SCRATCH + text[4:]
        if text.count("/") == 1:
            return text[1:]
        return None

    def stored(name):
        return name.replace("/", SLASH)

    def is_folder(name):
        start = stored(name) + SLASH
        return name == "" or name in folders or any(file.startswith(start) for file in _files.files())

    def missing(path):
        text = f"no folder {os.fspath(path)!r}; files are below '/mnt/data'"
        return _files._os_error(FileNotFoundError, errno.ENOENT, text)

    def entries(path):
        name = inside("." if path is None else path)
        if name is None or not is_folder(name):
            raise missing(path)
        start = name + "/" if name else ""
        found = {}
        for file in [*_files.files(), *(folder.replace("/", SLASH) + SLASH for folder in folders)]:
            full = file.replace(SLASH, "/")
            if full.startswith(start):
                head, below, _ = full[len(start) :].partition("/")
                if head and (name or head != SCRATCH):
                    found[head] = found.get(head) or bool(below)
        return found

    checked = _files._checked_name

    def checked_name(file):
        if not isinstance(file, int):
            name = inside(file)
            if name:
                if is_folder(name):
                    raise _files._os_error(IsADirectoryError, errno.EISDIR, f"{os.fspath(file)!r} is a folder")
                file = stored(name)
        return checked(file)

    plain_stat = os.stat

    def os_stat(path, *, dir_fd=None, follow_symlinks=True):
        name = None if isinstance(path, int) else inside(path)
        if name is None:
            return plain_stat(path)
        if is_folder(name):
            return _os._result(stat.S_IFDIR | 0o755, 0)
        size = _files.size(stored(name))
        if size is None:
            raise _files._missing(os.fspath(path))
        return _os._result(stat.S_IFREG | 0o644, size)

    def listdir(path="."):
        return sorted(entries(path))

    class Entry(_os._Entry):
        def __init__(self, folder, name, is_folder):
            super().__init__(folder, name)
            self._is_folder = is_folder

        def is_file(self, *, follow_symlinks=True):
            return not self._is_folder

        def is_dir(self, *, follow_symlinks=True):
            return self._is_folder

    def scandir(path="."):
        folder = "." if path is None else os.fsdecode(path)
        return _os._Entries([Entry(folder, name, below) for name, below in sorted(entries(path).items())])

    def mkdir(path, mode=0o777, *, dir_fd=None):
        name = inside(path)
        if name is None:
            raise _os._no_folders()
        if is_folder(name) or _files.size(stored(name)) is not None:
            raise _files._os_error(FileExistsError, errno.EEXIST, f"{os.fspath(path)!r} exists")
        folders.add(name)

    def makedirs(name, mode=0o777, exist_ok=False):
        path, name = name, inside(name)
        if name is None:
            raise _os._no_folders()
        if exist_ok and is_folder(name):
            return
        mkdir(path)
        while "/" in name:
            name = name.rpartition("/")[0]
            folders.add(name)

    def rmdir(path, *, dir_fd=None):
        if entries(path):
            raise _files._os_error(OSError, errno.ENOTEMPTY, f"{os.fspath(path)!r} is not empty")
        folders.discard(inside(path))

    def chdir(path):
        nonlocal cwd
        name = inside(path)
        if name is None or not is_folder(name):
            raise missing(path)
        cwd = f"{DATA}/{name}".rstrip("/") if not name.startswith(SCRATCH) else "/tmp" + name[len(SCRATCH) :]

    def getcwd():
        return cwd

    class Modules:
        """Finds the Python files of the sandbox."""

        @staticmethod
        def find_spec(name, path=None, target=None):
            base = name.replace(".", SLASH)
            there = _files.files()
            if base + ".py" in there:
                return importlib.machinery.ModuleSpec(name, Modules, origin=base + ".py")
            if any(file.startswith(base + SLASH) for file in there):
                file = base + SLASH + "__init__.py"
                origin = file if file in there else None
                return importlib.machinery.ModuleSpec(name, Modules, origin=origin, is_package=True)
            return None

        @staticmethod
        def create_module(spec):
            return None

        @staticmethod
        def exec_module(module):
            file = module.__spec__.origin
            if file is None:
                return
            shown = file.replace(SLASH, "/")
            with _files.open_file(shown, encoding="utf-8") as stream:
                source = stream.read()
            module.__file__ = f"{DATA}/{shown}"
            _report.register(shown, source)
            exec(compile(source, shown, "exec", dont_inherit=True), module.__dict__)

    _files._checked_name = checked_name
    _os.os_stat = os_stat
    functions = dict(
        stat=os_stat, lstat=os_stat, listdir=listdir, scandir=scandir, mkdir=mkdir, makedirs=makedirs, rmdir=rmdir,
        chdir=chdir, getcwd=getcwd, getcwdb=lambda: getcwd().encode(),
    )
    for name, function in functions.items():
        function.__name__ = function.__qualname__ = name
        setattr(os, name, function)
        setattr(posix, name, function)
    sys.meta_path.insert(0, Modules)


_mitt_files()
del _mitt_files
