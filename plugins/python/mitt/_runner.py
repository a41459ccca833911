"""Runs one script and says what came of it.

Whatever a script does, `run` returns: an exception that left the component's export would be a trap, which tells a
model nothing. A script may break the interpreter that it runs in (`del builtins.len`, `sys.modules.clear()`); the
instance is its own and ends with it, so nothing is mended, only reported.
"""

import ast
import builtins
import dataclasses
import io
import linecache
import sys
import traceback
import types

import mitt
from mitt import _files, _output, _skills, _values

SCRIPT = "script.py"

# A traceback is for one repair; what is longer than this has a message or a recursion that does not help it.
MAX_ERROR_CHARACTERS = 8_192


@dataclasses.dataclass
class Finished:
    """What a script did. `error` is None when it ended well."""

    stdout: str
    stderr: str
    result: str | None
    error: str | None
    truncated: bool


def prepare():
    """Give scripts their names. Called once, while the component is built."""
    builtins.documents = mitt.documents
    builtins.mitt = mitt
    builtins.Table = mitt.Table
    builtins.ToolError = mitt.ToolError
    # `pathlib` and `csv` recipes go through `io.open`.
    builtins.open = io.open = _files.open_file


def run(code, inputs):
    """Run a script with the variables of a dict."""
    stdout, stderr = _output.Capture("<stdout>"), _output.Capture("<stderr>")
    sys.stdout = sys.__stdout__ = stdout
    sys.stderr = sys.__stderr__ = stderr
    sys.stdin = sys.__stdin__ = io.StringIO()
    sys.argv = [SCRIPT]
    # Without a modification time the cache never looks for a file.
    linecache.cache[SCRIPT] = (len(code), None, code.splitlines(keepends=True), SCRIPT)

    result = error = None
    try:
        try:
            result = _shown(_execute(code, inputs))
        finally:
            _files.close_all()
    except SystemExit as exit:
        error = _exit_error(exit.code)
    except BaseException as exception:
        error = _described(exception, code)

    truncated = stdout.truncated or stderr.truncated
    if error is not None:
        result = None
        error, cut = _output.bounded_middle(_values.scalar_text(error), MAX_ERROR_CHARACTERS)
        truncated = truncated or cut
    if result is not None:
        result, cut = _output.bounded(_values.scalar_text(result))
        truncated = truncated or cut
    return Finished(stdout.text(), stderr.text(), result, error, truncated)


def _execute(code, inputs):
    """Run the code and give the value of its last line, None when that is a statement."""
    # Registered, because dataclasses, enums and pickles look their module up by name.
    module = sys.modules["__main__"] = types.ModuleType("__main__")
    namespace = module.__dict__
    namespace["__builtins__"] = builtins
    namespace["inputs"] = inputs
    namespace.update((name, value) for name, value in inputs.items() if name.isidentifier())

    tree = compile(code, SCRIPT, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    # Both halves before the first line runs: a script with an error in its last line must not have effects.
    body = compile(tree, SCRIPT, "exec", dont_inherit=True)
    value = last and compile(ast.Expression(last.value), SCRIPT, "eval", dont_inherit=True)
    exec(body, namespace)
    return value and eval(value, namespace)


def _shown(value):
    if value is None:
        return None
    try:
        return _values.encode(value, plain=True)
    except _values.Unencodable:
        pass
    return repr(value)


def _exit_error(code):
    if code is None or code == 0:
        return None
    return f"SystemExit: {code}"


def _described(exception, code):
    """The traceback as a model should see it: frames of the script only, with line, column and caret."""
    try:
        report = traceback.TracebackException.from_exception(exception, compact=True)
        _strip(report, code)
        lines = list(report.format())
        if isinstance(exception, SyntaxError) and exception.filename == SCRIPT and exception.offset:
            # The place of the error stands last; frames above it are those of `compile` or `eval` in the script.
            place = f'File "{SCRIPT}", line {exception.lineno}\n'
            lines = [line.replace(place, f"{place[:-1]}, column {exception.offset}\n") for line in lines]
        hint = _hint(exception)
        if hint:
            lines.append(f"hint: {hint}\n")
        return "".join(lines).rstrip("\n")
    except BaseException as second:
        # Not even the report could be made: memory or stack ended, or the script replaced what is needed for it.
        return f"{type(exception).__name__}, and no traceback: {type(second).__name__}"


def _strip(report, code):
    source = code.splitlines()
    pending, seen = [report], set()
    while pending:
        current = pending.pop()
        if current is None or id(current) in seen:
            continue
        seen.add(id(current))
        frames = _ScriptFrames(frame for frame in current.stack or () if frame.filename == SCRIPT)
        frames.source = source
        current.stack = frames or None
        pending += [current.__cause__, current.__context__, *(current.exceptions or ())]


class _ScriptFrames(traceback.StackSummary):
    """Frames that also say the column, counted in characters from 1."""

    def format_frame_summary(self, frame, **options):
        text = super().format_frame_summary(frame, **options)
        if frame.colno is None or not 0 < frame.lineno <= len(self.source):
            return text
        # The compiler counts bytes.
        before = self.source[frame.lineno - 1].encode()[: frame.colno].decode(errors="replace")
        return text.replace(f"line {frame.lineno},", f"line {frame.lineno}, column {len(before) + 1},", 1)


def _hint(exception):
    if isinstance(exception, NameError) and exception.name in _skills.modules():
        return f"import {exception.name}"
    if isinstance(exception, EOFError):
        return "a script cannot ask for input; values come as variables through `inputs`"
    if isinstance(exception, ImportError) and exception.name in sys.modules:
        names = _skills.functions(sys.modules[exception.name])
        return names and f"functions of {exception.name}: {', '.join(names)}"
    return None
