"""The component's export. Its top level runs once, at build time; an instance starts from the snapshot of that state."""

import pathlib
import sys
import traceback

import library
import tzdata
from componentize_py_types import Err
from wit_world.exports import script
from wit_world.imports import log
from wit_world.imports.types import Error_Malformed, Error_Unsupported

from mitt import _imports, _lines, _os, _output, _runner, _threads, _values, _zones

library.load()
_zones.install(pathlib.Path(tzdata.__file__).parent / "zoneinfo")
_output.install()
_runner.prepare()
_lines.install()
_os.install()
_threads.install()
_imports.install(library.MODULES)
_os.close()
_runner.seal()
library.close()

_BROKEN = "the script broke the interpreter that it runs in; it must not change the standard library"


class Script:
    """The interface `script` of the world."""

    def run(self, request):
        """Run a script. Return every outcome as a value: an exception that left this function would be a trap."""
        try:
            value = _runner.run(request.code, request.inputs, request.allowed_modules)
            if value is None:
                return script.Value_Nothing()
            if type(value) is not _runner.Uncaught:
                return script.Value_Json(value.text) if value.is_json else script.Value_Repr(value.text)
            uncaught = script.Uncaught(value.name, value.message, value.traceback, value.line, value.column)
        except BaseException:
            # The script broke something that the report needs, or there is a bug here: the operator needs the log.
            _log(traceback.format_exc())
            uncaught = script.Uncaught("SystemError", _BROKEN, f"SystemError: {_BROKEN}", None, None)
        raise Err(uncaught)

    def dump(self):
        """Refused: objects of CPython cannot leave their instance."""
        raise Err(Error_Unsupported(
            "the engine `python` cannot save its variables; keep the session open, or use the engine `python-lite`"
        ))

    def load(self, state):
        """Refused, because `dump` never returns a state."""
        raise Err(Error_Malformed("the engine `python` has no saved variables"))


def _log(text):
    try:
        log.write(log.Level.ERROR, _values.scalar_text(text))
    except BaseException:
        # The streams themselves are broken; the outcome reports it.
        sys.exc_info()
