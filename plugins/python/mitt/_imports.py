"""Imports of a script: skills, allowed modules, and advice on modules that do not exist.

After the component is built there is only one finder, which knows skills. The standard library is loaded already, and
no other module can be loaded.
"""

import builtins
import contextlib
import difflib
import importlib
import sys
from collections.abc import MutableMapping

from mitt import _report, _skills, _values

# Common modules, and the skills that do the same work.
_SKILL_INSTEAD = {
    "docx": "report",
    "duckdb": "table_tool",
    "fpdf": "report",
    "markdown": "report",
    "matplotlib": "excel_tool",
    "numpy": "table_tool",
    "openpyxl": "excel_tool",
    "pandas": "table_tool",
    "plotly": "excel_tool",
    "polars": "table_tool",
    "pyarrow": "table_tool",
    "reportlab": "report",
    "scipy": "table_tool",
    "seaborn": "excel_tool",
    "weasyprint": "report",
    "xlsxwriter": "excel_tool",
    "xlwt": "excel_tool",
}

# Libraries that read files which the host has read already.
_READERS = frozenset(("PyPDF2", "bs4", "camelot", "fitz", "pdfminer", "pdfplumber", "pypdf", "tabula", "xlrd"))

_NETWORK = "not available: a script has no network"
_PROCESS = "not available: a script has no processes"

# Modules that a sandbox cannot support.
_ABSENT = {
    "_socket": _NETWORK,
    "_ssl": _NETWORK,
    "aiohttp": _NETWORK,
    "asyncio": "not available: calls of a script run one after another; call the tools directly",
    "concurrent": "not available: a script has no threads",
    "ctypes": "not available: a script has no native libraries",
    "email": "not available: a script has no network",
    "ftplib": _NETWORK,
    "http": _NETWORK,
    "httpx": _NETWORK,
    "imaplib": _NETWORK,
    "multiprocessing": _PROCESS,
    "pip": "not available: nothing can be installed here",
    "posixpath": "use os.path",
    "pty": _PROCESS,
    "requests": _NETWORK,
    "shutil": "not available: a script has no file system; open(name) reaches the workspace, `documents` the documents",
    "signal": _PROCESS,
    "smtplib": _NETWORK,
    "socket": _NETWORK,
    "ssl": _NETWORK,
    "subprocess": _PROCESS,
    "tempfile": "not available: a script has no file system; open(name, 'w') makes a file in the workspace",
    "urllib": "not available: a script has no network; urllib.parse is there",
    "urllib3": _NETWORK,
    "websockets": _NETWORK,
}

# A compiler directive, and what every script has without import.
_ALWAYS_ALLOWED = frozenset(("builtins", "mitt"))

# All loaded modules. `sys.modules` is another object while a script may not see them all.
_modules = sys.modules
_import = builtins.__import__
_import_module = importlib.import_module

_library = ()
_allowed = None


class Finder:
    """The only finder: finds skills and their helpers, and gives advice on other names."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        """Return the spec of a skill; raise `ModuleNotFoundError` for any other name."""
        spec = _skills.find(name)
        if spec is not None:
            return spec
        raise ModuleNotFoundError(f"No module named {name!r}; {_advice(name)}", name=name)


def install(library):
    """Leave only this finder, and check imports. `library` lists the modules of the standard library for a script."""
    global _library
    _library = tuple(sorted({name.partition(".")[0] for name in library}))
    sys.meta_path[:] = [Finder]
    builtins.__import__ = _guarded_import
    importlib.__import__ = _guarded_import
    importlib.import_module = _guarded_import_module


@contextlib.contextmanager
def restricted(allowed):
    """Let a script import only these modules while the block runs."""
    global _allowed
    _allowed = frozenset(name.partition(".")[0] for name in allowed)
    sys.modules = _Visible()
    try:
        yield
    finally:
        _allowed = None
        sys.modules = _modules


def _guarded_import(name, globals=None, locals=None, fromlist=(), level=0):
    if _allowed is not None and level == 0:
        _check(name, sys._getframe(1))
    if level == 0 and name not in _modules and type(name) is str and name.isidentifier():
        # Load a skill if there is one.
        _skills.load(name)
    return _import(name, globals, locals, fromlist, level)


def _guarded_import_module(name, package=None):
    """Import a module. `package` is the base of a relative name."""
    if _allowed is not None:
        _check(name, sys._getframe(1))
    return _import_module(name, package)


for _guard, _guarded in ((_guarded_import, "__import__"), (_guarded_import_module, "import_module")):
    _guard.__name__ = _guard.__qualname__ = _guarded
del _guard, _guarded


def _check(name, frame):
    if not isinstance(name, str):
        # `import` itself reports the problem.
        return
    top = name.partition(".")[0]
    # Names with an underscore belong to the library. Its functions in C, such as `datetime.strptime`, import such
    # modules in the frame of their caller.
    if top in _allowed or top in _ALWAYS_ALLOWED or top.startswith("_") or _is_of_library(frame):
        return
    shown = ", ".join(sorted(_allowed)) or "none"
    raise ImportError(f"module {top!r} is not allowed in this script; allowed are: {shown}", name=top)


def _is_of_library(frame):
    """Return True if code belongs to the library or a skill, which import what they need, and not to the script."""
    namespace = frame.f_globals
    module = _modules.get(namespace.get("__name__"))
    if module is None or module.__name__ == "__main__" or getattr(module, "__dict__", None) is not namespace:
        return False
    filename = frame.f_code.co_filename
    return filename.startswith(("/", "<frozen ")) or (_report.knows(filename) and not filename.startswith("script"))


class _Visible(MutableMapping):
    """`sys.modules` of a script with restricted imports. Code of the library sees all modules."""

    __slots__ = ()

    def __getitem__(self, name):
        module = _modules[name]
        _check(name, _caller())
        return module

    def __setitem__(self, name, module):
        _modules[name] = module

    def __delitem__(self, name):
        del _modules[name]

    def __iter__(self):
        frame = _caller()
        if _is_of_library(frame):
            return iter(list(_modules))
        return iter([name for name in _modules if name.partition(".")[0] in _allowed])

    def __len__(self):
        return len(list(iter(self)))

    def __repr__(self):
        return f"{{{', '.join(f'{name!r}: {self[name]!r}' for name in self)}}}"


def _caller():
    """Return the frame that called a method of `sys.modules`."""
    frame = sys._getframe(2)
    while frame.f_code.co_filename in (__file__, _MAPPING_FILE):
        frame = frame.f_back
    return frame


_MAPPING_FILE = MutableMapping.get.__code__.co_filename


def _advice(name):
    top, _, below = name.partition(".")
    if below and top in _modules:
        return _advice_below(name)
    skills = _skills.names()
    instead = _SKILL_INSTEAD.get(top)
    if top in _READERS:
        advice = "the host has read the documents already: documents[name].text and .tables"
    elif instead in skills:
        advice = f"use the skill instead: import {instead}"
    elif instead is not None:
        advice = f"not available; the skill {instead!r} does such work, but this session has it not"
    elif top in _ABSENT:
        advice = _ABSENT[top]
    elif top in sys.stdlib_module_names:
        advice = "this part of the standard library serves programs, files or networks and is left out"
    else:
        close = difflib.get_close_matches(top, [*skills, *_library], n=1)
        advice = f"did you mean {close[0]!r}?" if close else "nothing can be installed here"
    return f"{advice.removesuffix('?')}. There are: {', '.join(_library)}; skills: {', '.join(skills) or 'none'}"


def _advice_below(name):
    if name == "urllib.request":
        return _ABSENT["urllib"]
    parent = name.rpartition(".")[0]
    start = f"{parent}."
    loaded = {key[len(start) :] for key in _modules if key.startswith(start)}
    there = sorted({*(key for key in loaded if "." not in key and key[0] != "_"), *_skills.helpers(parent)})
    return f"{parent} has {_values._names(there)}" if there else f"{parent} has no modules below it"
