"""Skills as modules: the tools of a skill are its functions, its Python files are its submodules.

A module is made when a script imports it, and a function when it is first used: a skill may have forty tools, of which
a script calls one.
"""

import importlib.machinery
import inspect
import keyword
import sys
import types

from componentize_py_types import Err
from wit_world.imports import script_host
from wit_world.imports import tools as host

from mitt import _files, _json, _output, _report, _tables, _values


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
    """Return the names of the skills that a script can import, sorted."""
    return script_host.modules()


def functions(module):
    """Return the names of the functions of a skill's module, or None for any other module."""
    return list(module.__dict__["__functions__"]) if isinstance(module, SkillModule) else None


class SkillModule(types.ModuleType):
    """A skill. Its functions are the skill's tools."""

    @property
    def __doc__(self):
        return _summary(self)

    def __getattr__(self, name):
        tool = self.__dict__.get("__functions__", {}).get(name)
        if tool is not None:
            function = self.__dict__[name] = _function(self.__name__, tool)
            return function
        if name.startswith("__"):
            raise AttributeError(name)
        if f"{self.__name__}.{name}" in _helpers:
            # An attribute of an imported package: `excel_tool.rows.load()`.
            return importlib.import_module(f"{self.__name__}.{name}")
        raise AttributeError(
            f"skill {self.__name__!r} has no function {name!r}; there are: {_values._names(self.__all__)}"
        )

    def __dir__(self):
        return sorted({*self.__dict__, *self.__all__})


class _Skill:
    """An imported skill: the record of the host, and its module."""

    def __init__(self, record, module):
        self.record = record
        self.module = module
        # Imported helpers by the names of their modules, kept here between two scripts.
        self.helpers = {}


# Skills by name, and the compiled files of helpers by the names of their modules; None for a folder.
_skills = {}
_helpers = {}


def settle():
    """Make the next script fetch its imports from the host again: a skill may have been replaced."""
    for name, skill in _skills.items():
        for below in _helpers_of(name):
            if below in sys.modules:
                skill.helpers[below] = sys.modules.pop(below)
        sys.modules.pop(name, None)


def load(name):
    """Return the module of a skill with all its helpers, or None if there is no such skill. On failure, leave nothing.

    `import` calls this directly, without the machinery that looks for files.
    """
    record = script_host.load_module(name)
    if record is None:
        return None
    known = _skills.get(name)
    if known is not None and known.record == record:
        # Unchanged since an earlier script imported it.
        sys.modules.update(known.helpers)
        sys.modules[name] = known.module
        return known.module
    _forget(name)
    module = SkillModule(name)
    module.__spec__ = importlib.machinery.ModuleSpec(name, Loader, origin="skill", is_package=True)
    module.__package__ = name
    module.__path__ = []
    module.__functions__ = {function.name: function for function in record.functions}
    module.__all__ = list(module.__functions__)
    module.__helpers__ = [file.name for file in record.helpers if file.name]
    # Registered before its code runs, which may import the module itself.
    sys.modules[name] = module
    try:
        package = _compiled(name, record.helpers)
        if package is not None:
            exec(package, module.__dict__)
            _check_package(module)
    except BaseException:
        # Keep the sources: the traceback shows where it failed.
        _forget(name, sources=False)
        sys.modules.pop(name, None)
        raise
    _skills[name] = _Skill(record, module)
    return module


def find(name):
    """Return the spec of a skill or of a helper; None if there is none of this name."""
    if "." not in name:
        # It is loaded here; the import machinery only needs the spec.
        module = load(name) if name.isidentifier() else None
        return None if module is None else module.__spec__
    if name not in _helpers:
        return None
    return importlib.machinery.ModuleSpec(name, Loader, origin=_file_of(name), is_package=_is_package(name))


def helpers(name):
    """Return the names of the helpers directly below a module of a skill."""
    start = f"{name}."
    return sorted(key[len(start) :] for key in _helpers if key.startswith(start) and "." not in key[len(start) :])


class Loader:
    """Passes loaded skills to the import machinery, and runs helpers, which were compiled with their skill."""

    @staticmethod
    def create_module(spec):
        """Return the module of a skill; None makes a new one for a helper."""
        return None if spec.name in _helpers else sys.modules[spec.name]

    @staticmethod
    def exec_module(module):
        """Run the code of a helper."""
        code = _helpers.get(module.__name__)
        if code is not None:
            exec(code, module.__dict__)


def _compiled(name, files):
    """Compile all helpers of a skill. Return the code of the one without a name, which is the package itself."""
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
        # Folders without their own file.
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


def _helpers_of(name):
    return [below for below in _helpers if below.startswith(f"{name}.")]


def _forget(name, sources=True):
    """Forget a skill, also one that failed half-way."""
    _skills.pop(name, None)
    files = [f"{name}/__init__.py"]
    for below in _helpers_of(name):
        del _helpers[below]
        sys.modules.pop(below, None)
        files.append(_file_of(below))
    for file in files if sources else ():
        _report.forget(file)


def _summary(module):
    lines = [f"Skill {module.__name__}.", ""]
    for function in module.__functions__.values():
        lines.append(f"{function.name}: {function.description.strip().partition(chr(10))[0]}")
    if module.__helpers__:
        lines += ["", f"Modules: {', '.join(module.__helpers__)}"]
    return "\n".join(lines)


def _call(name, arguments):
    if not isinstance(name, str):
        raise TypeError(f"expected the name of a tool, got {type(name).__name__}")
    try:
        return _made(name, arguments)
    finally:
        _tables.settle()


def _made(name, arguments):
    try:
        text = _json.encode(arguments)
    except _json.Unencodable as error:
        problem = f"{name}: argument {error.pointer or '/'}: {error.reason}"
    else:
        problem = None
    if problem is not None:
        raise ValueError(problem)
    # The tool may read the file that was just written, and may never return.
    _files.settle()
    _output.flush()
    try:
        answer = host.call(_values.scalar_text(name), text)
    except Err as error:
        failure = error.value
    else:
        return _json.decode_result(answer)
    raise ToolError(failure.kind.name.lower().replace("_", "-"), failure.message, name)


def _function(skill, tool):
    """Make a function of a module. It binds arguments itself, because `inspect` takes longer than the rest of the call.
    """
    parameters = tool.parameters
    if not all(parameter.required for parameter in parameters):
        # Required ones first: WIT allows optional ones before them, Python does not.
        parameters = sorted(parameters, key=lambda parameter: not parameter.required)
    wire_names = {_python_name(parameter.name): parameter.name for parameter in parameters}
    required = [parameter.name for parameter in parameters if parameter.required]

    def function(*positional, **named):
        if len(positional) > len(wire_names):
            raise wrong(f"takes {len(wire_names)} arguments, got {len(positional)}")
        arguments = dict(zip(wire_names.values(), positional))
        for name, value in named.items():
            wire_name = wire_names.get(name)
            if wire_name is None:
                raise wrong(f"got an unexpected keyword argument {name!r}")
            if wire_name in arguments:
                raise wrong(f"got multiple values for argument {name!r}")
            arguments[wire_name] = value
        for name in required:
            if name not in arguments:
                raise wrong(f"missing a required argument: {_python_name(name)!r}")
        return _call(tool.tool, arguments)

    def wrong(problem):
        return TypeError(
            f"{skill}.{tool.name}() {problem}; it is called as {tool.name}{inspect.signature(function)}"
        )

    function.__name__ = function.__qualname__ = tool.name
    function.__module__ = skill
    function.__doc__ = tool.description
    function.__tool__ = tool.tool
    function.__wrapped__ = _Signed(parameters)
    return function


class _Signed:
    """The signature of a tool for `inspect` and `help`, made when they read it."""

    def __init__(self, parameters):
        self._parameters = parameters

    @property
    def __signature__(self):
        return inspect.Signature([
            inspect.Parameter(
                _python_name(parameter.name),
                inspect.Parameter.POSITIONAL_OR_KEYWORD,
                default=inspect.Parameter.empty if parameter.required else None,
                annotation=_Annotation(parameter.type),
            )
            for parameter in self._parameters
        ])


def _python_name(name):
    return name + "_" if keyword.iskeyword(name) else name


class _Annotation(str):
    """A WIT type, shown without quotes."""

    __slots__ = ()

    def __repr__(self):
        return str(self)
