"""Runs scripts and reports their outcome.

`run` always returns: an exception that left the component's export would be a trap, which has no text for a model. A
script may break its interpreter (`del builtins.len`, `sys.modules.clear()`). The instance ends with the script, so
nothing is repaired, only reported.
"""

import builtins
import contextlib
import dataclasses
import sys
import types

import mitt
from wit_world.imports import script_host as host

from mitt import _compile, _fence, _files, _imports, _json, _lines, _os, _output, _report, _skills, _values

# Memory for the report of a script that used all of it.
RESERVE_BYTES = 1 << 20

_main = None
_runs = 0
_reserve = None


@dataclasses.dataclass(slots=True)
class Value:
    """The value of a script: JSON text, or the result of `repr`."""

    text: str
    is_json: bool


@dataclasses.dataclass(slots=True)
class Uncaught:
    """An uncaught exception, as in the contract."""

    name: str
    message: str
    traceback: str
    line: int | None = None
    column: int | None = None


def prepare():
    """Prepare the environment of scripts. Called once, while the component is built."""
    global _main, _reserve
    # Registered, because dataclasses, enums and pickles look up their module by name.
    _main = types.ModuleType("__main__")
    _main.__builtins__ = builtins
    sys.modules["__main__"] = _main
    # Names that a script has without import.
    builtins.documents = mitt.documents
    builtins.mitt = mitt
    builtins.Table = mitt.Table
    builtins.ToolError = mitt.ToolError
    _reserve = bytes(RESERVE_BYTES)


def seal():
    """Give scripts their own module of built-in names, after all of these have their last value.

    A script's changes then affect only itself: `del builtins.len` must not break the report of its outcome.
    """
    own = types.ModuleType("builtins", builtins.__doc__)
    own.__dict__.update(builtins.__dict__)
    sys.modules["builtins"] = _main.__builtins__ = own


def run(code, inputs=None, allowed=None):
    """Run a script. Return its `Value`, `Uncaught`, or None if there is no value.

    It sees the variables of earlier scripts in this instance. `inputs` is a JSON object as text, `allowed` a list of
    the modules that may be imported, or None.
    """
    global _runs, _reserve
    _runs += 1
    script = "script.py" if _runs == 1 else f"script-{_runs}.py"
    if _reserve is None:
        _reserve = bytes(RESERVE_BYTES)
    _output.reset()
    if _runs == 1:
        _os.hide()
    else:
        _skills.settle()
        mitt.documents.refresh()
    sys.argv = [script, *host.arguments()]
    try:
        _report.register(script, code)
        try:
            with _imports.restricted(allowed) if allowed is not None else contextlib.nullcontext():
                return _value(_execute(code, script, inputs))
        finally:
            _files.close_all()
            _output.finish()
    except SystemExit as exit:
        if not exit.code:
            return None
        text = _values.scalar_text(str(exit.code))
        return Uncaught("SystemExit", text, f"SystemExit: {text}")
    except BaseException as exception:
        _reserve = None
        return _uncaught(exception, script)


def _value(value):
    if value is None:
        return None
    try:
        return Value(_json.encode(value, plain=True), True)
    except (_json.Unencodable, RecursionError):
        return Value(_values.scalar_text(repr(value)), False)


def _execute(code, script, inputs):
    namespace = _main.__dict__
    variables = _variables(inputs)
    namespace["inputs"] = variables
    for name, value in variables.items():
        if name.isidentifier():
            namespace[name] = value

    body, value = _compile.compiled(_fence.without_fence(code, script), script)
    _lines.watch(body)
    if value:
        _lines.watch(value)
    exec(body, namespace)
    return value and eval(value, namespace)


def _variables(inputs):
    if inputs is None:
        return _values.Object()
    try:
        variables = _json.decode(inputs)
    except RecursionError:
        raise ValueError("inputs: nested too deeply") from None
    except ValueError as error:
        problem = f"inputs: expected a JSON object: {error}"
        raise ValueError(problem) from None
    if type(variables) is _values.Table:
        # Inputs are an object even if they look like a table.
        variables = _values.Object(columns=variables.columns, rows=variables.rows)
    if not isinstance(variables, dict):
        raise ValueError(f"inputs: expected a JSON object, got {type(variables).__name__}")
    reserved = [name for name in variables if name.startswith("__")]
    if reserved:
        raise ValueError(f"inputs: names that begin with two underscores are reserved: {', '.join(reserved)}")
    return variables


def _uncaught(exception, script):
    name = message = None
    try:
        name = _report.class_name(exception)
        message = _report.message(exception)
        return Uncaught(name, message, *_report.described(exception, script, _hint))
    except BaseException as second:
        # The report failed: memory or stack is exhausted, or the script replaced what the report needs.
        name, message = name or "Exception", message or ""
        return Uncaught(name, message, f"{name}: {message}\n(no traceback: {_report.class_name(second)})")


def _hint(exception):
    if isinstance(exception, NameError) and exception.name in _skills.names():
        return f"import {exception.name}"
    if isinstance(exception, EOFError):
        return "a script cannot ask for input; values come as variables through `inputs`"
    if isinstance(exception, ImportError) and exception.name in sys.modules:
        functions = _skills.functions(sys.modules[exception.name])
        return functions and f"functions of {exception.name}: {', '.join(functions)}"
    return None
