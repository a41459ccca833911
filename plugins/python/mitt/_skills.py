"""Skills as modules: `import excel_tool` finds the session's tools of that skill and makes functions of them.

The finder stands last in `sys.meta_path`. What it does not find either does not exist here, so it also says what to use
instead: the message is for a model, which has one turn to repair its script.
"""

import difflib
import importlib.machinery
import inspect
import keyword
import sys
import types

from componentize_py_types import Err
from wit_world.imports import tools as host

from mitt import _files, _values

# A script that starts scripts gains nothing but depth.
OWN_SKILL = "python"

# What models import by habit, and the skill that does the same work here.
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
    "xlrd": "documents",
    "xlsxwriter": "excel_tool",
    "xlwt": "excel_tool",
    "PyPDF2": "documents",
    "fitz": "documents",
    "pdfplumber": "documents",
    "pypdf": "documents",
}

# What a sandbox does not have, and never will.
_ABSENT = {
    "aiohttp": "a script has no network",
    "asyncio": "calls of a script run one after another; call the tools directly",
    "ctypes": "a script has no native libraries",
    "ftplib": "a script has no network",
    "http": "a script has no network",
    "httpx": "a script has no network",
    "multiprocessing": "a script has no processes",
    "requests": "a script has no network",
    "shutil": "a script has no file system; open(name) reaches the workspace, `documents` the documents",
    "smtplib": "a script has no network",
    "socket": "a script has no network",
    "ssl": "a script has no network",
    "subprocess": "a script has no processes",
    "tempfile": "a script has no file system; open(name, 'w') makes a file in the workspace",
    "urllib": "a script has no network; urllib.parse is there",
    "urllib3": "a script has no network",
}


class ToolError(Exception):
    """A tool refused a call or failed. A script may catch it.

    - `error.message`: what went wrong and what to change
    - `error.kind`: `"unknown-tool"`, `"arguments"`, `"plugin"` (the tool reported it) or `"trap"` (the tool crashed)
    - `error.tool`: name of the tool
    """

    def __init__(self, kind, message, tool=None):
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.tool = tool


def call(tool, /, *arguments, **named):
    """Call a tool by its full name: `mitt.call("excel_tool__create_excel", data=rows)`.

    Arguments are given by name, or as one dict. Gives the tool's result; raises `ToolError`.
    """
    if len(arguments) > 1 or (arguments and (named or not isinstance(arguments[0], dict))):
        raise TypeError("call() takes the tool's arguments by name, or as one dict")
    return _call(tool, arguments[0] if arguments else named)


def modules():
    """Names of the skills that a script can import, sorted."""
    return sorted({tool.skill for tool in _tools()})


def functions(module):
    """Names of the functions of a skill's module, or None for any other module."""
    return list(module.__all__) if isinstance(module, SkillModule) else None


class SkillModule(types.ModuleType):
    """A skill. Its functions are the skill's tools."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        names = self.__dict__.get("__all__", ())
        raise AttributeError(f"skill {self.__name__!r} has no function {name!r}; there are: {_values._names(names)}")


class SkillFinder:
    """Finds skills, and explains what cannot be found."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if any(tool.skill == name for tool in _tools()):
            return importlib.machinery.ModuleSpec(name, SkillFinder, origin="skill")
        raise ModuleNotFoundError(f"No module named {name!r}; {_advice(name)}", name=name)

    @staticmethod
    def create_module(spec):
        return SkillModule(spec.name)

    @staticmethod
    def exec_module(module):
        tools = [tool for tool in _tools() if tool.skill == module.__name__]
        for tool in tools:
            setattr(module, tool.function, _function(tool))
        module.__all__ = [tool.function for tool in tools]
        summaries = (tool.description.strip().partition("\n")[0] for tool in tools)
        lines = (f"{name}: {summary}" for name, summary in zip(module.__all__, summaries))
        module.__doc__ = "\n".join([f"Skill {module.__name__}.", "", *lines])


_cached_tools = None


def _tools():
    global _cached_tools
    if _cached_tools is None:
        _cached_tools = [tool for tool in host.list() if tool.skill != OWN_SKILL]
    return _cached_tools


def _call(name, arguments):
    if not isinstance(name, str):
        raise TypeError(f"expected the name of a tool, got {type(name).__name__}")
    try:
        text = _values.encode(arguments)
    except _values.Unencodable as error:
        problem = f"{name}: argument {error.pointer or '/'}: {error.reason}"
    else:
        problem = None
    if problem is not None:
        raise ValueError(problem)
    # The tool may read the file that was just written.
    _files.settle()
    try:
        return _values.decode(host.call(_values.scalar_text(name), text))
    except Err as error:
        failure = error.value
    raise ToolError(failure.kind.name.lower().replace("_", "-"), failure.message, name)


def _function(tool):
    wire_names = {_python_name(parameter.name): parameter.name for parameter in tool.parameters}
    signature = _signature(tool)

    def function(*positional, **named):
        try:
            bound = signature.bind(*positional, **named)
        except TypeError as error:
            problem = f"{tool.skill}.{tool.function}() {error}; it is called as {tool.function}{signature}"
        else:
            return _call(tool.name, {wire_names[name]: value for name, value in bound.arguments.items()})
        raise TypeError(problem)

    function.__name__ = tool.function
    function.__qualname__ = tool.function
    function.__module__ = tool.skill
    function.__doc__ = tool.description
    function.__signature__ = signature
    return function


def _signature(tool):
    """Required parameters first: WIT lets an optional one stand before them, Python does not."""
    return inspect.Signature([
        inspect.Parameter(
            _python_name(parameter.name),
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=inspect.Parameter.empty if parameter.required else None,
            annotation=_Annotation(parameter.type),
        )
        for parameter in sorted(tool.parameters, key=lambda parameter: not parameter.required)
    ])


def _python_name(name):
    return name + "_" if keyword.iskeyword(name) else name


class _Annotation(str):
    """A WIT type, shown without quotes."""

    __slots__ = ()

    def __repr__(self):
        return str(self)


def _advice(name):
    top = name.partition(".")[0]
    skills = modules()
    instead = _SKILL_INSTEAD.get(top)
    if instead == "documents":
        return "the host has read the documents already: documents[name].text and .tables"
    if instead in skills:
        return f"use the skill: import {instead}"
    if top in _ABSENT:
        return _ABSENT[top]
    close = difflib.get_close_matches(top, skills, n=1)
    if close:
        return f"did you mean {close[0]!r}?"
    if top in sys.stdlib_module_names:
        return "this part of the standard library is left out, because it serves programs, files or networks"
    return f"only the standard library and the session's skills exist here; skills: {_values._names(skills)}"
