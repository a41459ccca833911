"""The component's export. Its top level runs once, at build time; a call starts from the snapshot of that state."""

import pathlib
import sys
import traceback

import tzdata
from componentize_py_types import Err
from wit_world.exports import tools
from wit_world.imports import log
from wit_world.imports.types import Error_InvalidArgument

from mitt import _preload, _runner, _skills, _values, _zones

_preload.load()
_zones.install(pathlib.Path(tzdata.__file__).parent / "zoneinfo")
_runner.prepare()
sys.meta_path.append(_skills.SkillFinder)
_preload.close()


class Tools:
    """The interface `tools` of the world."""

    def run(self, code, inputs):
        """Run a script. Only wrong inputs are an error of the tool; errors of the script are its outcome."""
        variables = _variables(inputs)
        try:
            finished = _runner.run(code, variables)
        except BaseException:
            # The script broke what the report is made with, or there is a defect here: the operator should know.
            log.write(log.Level.ERROR, _values.scalar_text(traceback.format_exc()))
            broken = "the script broke the interpreter that it runs in; it must not change the standard library"
            finished = _runner.Finished("", "", None, broken, False)
        return tools.Outcome(
            status=tools.Status.SUCCESS if finished.error is None else tools.Status.ERROR,
            stdout=finished.stdout,
            stderr=finished.stderr,
            result=finished.result,
            error_message=finished.error,
            truncated=finished.truncated,
        )


def _variables(inputs):
    if inputs is None:
        return _values.Object()
    try:
        variables = _values.decode(inputs)
    except ValueError as error:
        problem = f"inputs: expected a JSON object: {error}"
    except RecursionError:
        problem = "inputs: nested too deeply"
    else:
        if type(variables) is _values.Table:
            # An object that happens to look like a table is an object here.
            variables = _values.Object(columns=variables.columns, rows=variables.rows)
        reserved = isinstance(variables, dict) and [name for name in variables if name.startswith("__")]
        if not isinstance(variables, dict):
            problem = f"inputs: expected a JSON object, got {_described(variables)}"
        elif reserved:
            problem = f"inputs: names that begin with two underscores are reserved: {', '.join(reserved)}"
        else:
            return variables
    raise Err(Error_InvalidArgument(_values.scalar_text(problem)))


def _described(value):
    return "null" if value is None else f"{type(value).__name__} {str(value)[:60]}"
