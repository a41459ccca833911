"""Runs scripts and says what came of each.

Whatever a script does, `run` returns: an exception that left the component's export would be a trap, which tells a
model nothing. A script may break the interpreter that it runs in (`del builtins.len`, `sys.modules.clear()`); the
instance is its own and ends with it, so nothing is mended, only reported.
"""

import builtins
import contextlib
import dataclasses
import sys
import types

import mitt
from wit_world.imports import script_host as host

from mitt import _compile, _files, _imports, _json, _lines, _os, _output, _report, _skills, _values

# Memory for the report of a script that used up all of it.
RESERVE_BYTES = 1 << 20

_main = None
_runs = 0
_reserve = None


@dataclasses.dataclass(slots=True)
class Value:
    """The value of a script: JSON text, or what `repr` gives."""

    text: str
    is_json: bool


@dataclasses.dataclass(slots=True)
class Uncaught:
    """An exception that nobody caught, as the contract has it."""

    name: str
    message: str
    traceback: str
    line: int | None = None
    column: int | None = None


def prepare():
    """Make what every script needs. Called once, while the component is built."""
    global _main, _reserve
    # Registered, because dataclasses, enums and pickles look their module up by name.
    _main = types.ModuleType("__main__")
    _main.__builtins__ = builtins
    sys.modules["__main__"] = _main
    # What a script has without import.
    builtins.documents = mitt.documents
    builtins.mitt = mitt
    builtins.Table = mitt.Table
    builtins.ToolError = mitt.ToolError
    _reserve = bytes(RESERVE_BYTES)


def seal():
    """Give scripts built-in names of their own, when all of them have their last value.

    What a script does to them concerns only itself: `del builtins.len` must not break the report of what came of it.
    """
    own = types.ModuleType("builtins", builtins.__doc__)
    own.__dict__.update(builtins.__dict__)
    sys.modules["builtins"] = _main.__builtins__ = own


def run(code, inputs=None, allowed=None):
    """Run a script: its `Value`, `Uncaught`, or None where there is no value.

    The variables of earlier scripts in this instance are there. `inputs` is a JSON object as text, `allowed` a list of
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

    body, value = _compile.compiled(code, script)
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
        # An object that happens to look like a table is an object here.
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
        # Not even the report could be made: memory or stack ended, or the script replaced what is needed for it.
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
