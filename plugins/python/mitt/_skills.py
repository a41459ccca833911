"""Skills as modules: the session's tools of a skill are its functions, the Python files that it ships its submodules.

A module is made when a script imports it, a function when it is first used: a skill may have forty tools, and a script
calls one.
"""

import importlib.machinery
import inspect
import keyword
import sys
import types

from componentize_py_types import Err
from wit_world.imports import script_host
from wit_world.imports import tools as host

from mitt import _files, _json, _output, _report, _values


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

    def __reduce__(self):
        return ToolError, (self.kind, self.message, self.tool)


def call(tool, /, *arguments, **named):
    """Call a tool by its full name: `mitt.call("excel_tool__create_excel", data=rows)`.

    Arguments are given by name, or as one dict. Gives the tool's result; raises `ToolError`.
    """
    if len(arguments) > 1 or (arguments and (named or not isinstance(arguments[0], dict))):
        raise TypeError("call() takes the tool's arguments by name, or as one dict")
    return _call(tool, arguments[0] if arguments else named)


def names():
    """Names of the skills that a script can import, sorted."""
    return script_host.modules()


def functions(module):
    """Names of the functions of a skill's module, or None for any other module."""
    return list(module.__dict__["__functions__"]) if isinstance(module, SkillModule) else None


class SkillModule(types.ModuleType):
    """A skill. Its functions are the skill's tools."""

    def __getattr__(self, name):
        tool = self.__dict__.get("__functions__", {}).get(name)
        if tool is not None:
            function = self.__dict__[name] = _function(self.__name__, tool)
            return function
        if name.startswith("__"):
            raise AttributeError(name)
        if f"{self.__name__}.{name}" in _helpers:
            # As an attribute of a package that was imported as a whole: `excel_tool.rows.load()`.
            return importlib.import_module(f"{self.__name__}.{name}")
        raise AttributeError(
            f"skill {self.__name__!r} has no function {name!r}; there are: {_values._names(self.__all__)}"
        )

    def __dir__(self):
        return sorted({*self.__dict__, *self.__all__})


class _Skill:
    """A skill that was imported: what the host gave, and the module that was made of it."""

    def __init__(self, record, module):
        self.record = record
        self.module = module
        # Helpers that were imported, by the names of their modules; set aside between two scripts.
        self.helpers = {}


# Skills by name, and the compiled files of helpers by the names of their modules; None for a folder.
_skills = {}
_helpers = {}


def settle():
    """Let the next script ask the host again for what earlier ones imported: a skill may have been replaced."""
    for name, skill in _skills.items():
        skill.helpers.update((below, sys.modules.pop(below)) for below in _submodules(name))
        sys.modules.pop(name, None)


def find(name):
    """The spec of a skill or of a helper, None when there is none of this name."""
    top, _, below = name.partition(".")
    if not below:
        if not name.isidentifier():
            return None
        record = script_host.load_module(name)
        if record is None:
            return None
        return importlib.machinery.ModuleSpec(name, _SkillLoader(record), origin="skill", is_package=True)
    if name not in _helpers:
        return None
    return importlib.machinery.ModuleSpec(name, _HelperLoader, origin=_file_of(name), is_package=_is_package(name))


def helpers(name):
    """Names of the helpers right below a module of a skill."""
    start = f"{name}."
    return sorted(key[len(start) :] for key in _helpers if key.startswith(start) and "." not in key[len(start) :])


class _SkillLoader:
    """Loads a skill with all of its helpers, or fails and leaves nothing."""

    def __init__(self, record):
        self._record = record

    def create_module(self, spec):
        known = _skills.get(spec.name)
        if known is not None and known.record == self._record:
            return known.module
        return SkillModule(spec.name)

    def exec_module(self, module):
        name, record = module.__name__, self._record
        known = _skills.get(name)
        if known is not None and known.module is module:
            # Nothing changed since an earlier script imported it.
            sys.modules.update(known.helpers)
            return
        _forget(name)
        try:
            package = _compiled(name, record.helpers)
            module.__functions__ = {function.name: function for function in record.functions}
            module.__all__ = list(module.__functions__)
            module.__doc__ = _summary(name, record)
            module.__path__ = []
            if package is not None:
                exec(package, module.__dict__)
                _check_package(module)
        except BaseException:
            _forget(name)
            raise
        _skills[name] = _Skill(record, module)


class _HelperLoader:
    """Runs a helper that was compiled when its skill was imported."""

    @staticmethod
    def create_module(spec):
        return None

    @staticmethod
    def exec_module(module):
        code = _helpers[module.__name__]
        if code is not None:
            exec(code, module.__dict__)


def _compiled(name, files):
    """Compile all helpers of a skill; gives the code of the one that has no name, which is the package itself."""
    package = None
    compiled = {}
    for file in files:
        below = f"{name}.{file.name}" if file.name else name
        filename = _file_of(below) if file.name else f"{name}/__init__.py"
        _report.register(filename, file.source)
        code = compile(file.source, filename, "exec", dont_inherit=True)
        if file.name:
            compiled[below] = code
        else:
            package = code
    for below in list(compiled):
        # Folders without a file of their own.
        parent = below.rpartition(".")[0]
        while parent != name and parent not in compiled:
            compiled[parent] = None
            parent = parent.rpartition(".")[0]
    _helpers.update(compiled)
    return package


def _check_package(module):
    for name, tool in module.__functions__.items():
        value = module.__dict__.get(name)
        if value is not None and getattr(value, "__tool__", None) != tool.tool:
            raise ImportError(f"scripts/__init__.py of {module.__name__} defines {name!r}, which is a tool of it")


def _file_of(name):
    return name.replace(".", "/") + ".py"


def _is_package(name):
    return _helpers[name] is None or any(other.startswith(f"{name}.") for other in _helpers)


def _submodules(name):
    return [module for module in sys.modules if module.startswith(f"{name}.")]


def _forget(name):
    """Drop all that is known of a skill, also of one that failed half-way."""
    _skills.pop(name, None)
    _report.forget(f"{name}/__init__.py")
    for below in [key for key in _helpers if key.startswith(f"{name}.")]:
        del _helpers[below]
        _report.forget(_file_of(below))
    for below in _submodules(name):
        del sys.modules[below]


def _summary(name, record):
    lines = [f"Skill {name}.", ""]
    for function in record.functions:
        lines.append(f"{function.name}: {function.description.strip().partition(chr(10))[0]}")
    if record.helpers:
        lines += ["", "Modules: " + ", ".join(file.name for file in record.helpers if file.name)]
    return "\n".join(lines)


def _call(name, arguments):
    if not isinstance(name, str):
        raise TypeError(f"expected the name of a tool, got {type(name).__name__}")
    try:
        text = _json.encode(arguments)
    except _json.Unencodable as error:
        problem = f"{name}: argument {error.pointer or '/'}: {error.reason}"
    else:
        problem = None
    if problem is not None:
        raise ValueError(problem)
    # The tool may read the file that was just written, and may be the last that is heard of this script.
    _files.settle()
    _output.flush()
    try:
        answer = host.call(_values.scalar_text(name), text)
    except Err as error:
        failure = error.value
    else:
        return _json.decode(answer)
    raise ToolError(failure.kind.name.lower().replace("_", "-"), failure.message, name)


def _function(skill, tool):
    """A function of a module. Arguments are bound by hand: `inspect` needs longer than the rest of the call."""
    parameters = sorted(tool.parameters, key=lambda parameter: not parameter.required)
    order = [_python_name(parameter.name) for parameter in parameters]
    wire_names = {name: parameter.name for name, parameter in zip(order, parameters)}
    required = [name for name, parameter in zip(order, parameters) if parameter.required]

    def function(*positional, **named):
        arguments = {}
        if len(positional) > len(order):
            raise wrong("takes " + (f"at most {len(order)} arguments" if order else "no arguments"))
        for name, value in zip(order, positional):
            arguments[wire_names[name]] = value
        for name, value in named.items():
            wire_name = wire_names.get(name)
            if wire_name is None:
                raise wrong(f"got an unexpected keyword argument {name!r}")
            if wire_name in arguments:
                raise wrong(f"got multiple values for argument {name!r}")
            arguments[wire_name] = value
        for name in required:
            if wire_names[name] not in arguments:
                raise wrong(f"missing a required argument: {name!r}")
        return _call(tool.tool, arguments)

    def wrong(problem):
        return TypeError(
            f"{skill}.{tool.name}() {problem}; it is called as {tool.name}{function.__signature__}"
        )

    function.__name__ = tool.name
    function.__qualname__ = tool.name
    function.__module__ = skill
    function.__doc__ = tool.description
    function.__tool__ = tool.tool
    function.__signature__ = _signature(parameters, order)
    return function


def _signature(parameters, order):
    """Required parameters stand first: WIT lets an optional one stand before them, Python does not."""
    return inspect.Signature([
        inspect.Parameter(
            name,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=inspect.Parameter.empty if parameter.required else None,
            annotation=_Annotation(parameter.type),
        )
        for name, parameter in zip(order, parameters)
    ])


def _python_name(name):
    return name + "_" if keyword.iskeyword(name) else name


class _Annotation(str):
    """A WIT type, shown without quotes."""

    __slots__ = ()

    def __repr__(self):
        return str(self)
