"""Tells the host which lines of a script were reached, so that it can name one when it ends the script.

Nothing can look into an interpreter that is being ended, so the line has to be known before. Each line is told once, when it
is reached for the first time: then its event is switched off, and the line costs nothing any more.
"""

import sys
import types

from wit_world.imports import script_host as host

# None of those that are reserved for debuggers, coverage, profilers and optimizers.
_TOOL = 4


def install():
    """Make ready to watch. Runs while the component is built."""
    sys.monitoring.use_tool_id(_TOOL, "mitt")
    sys.monitoring.register_callback(_TOOL, sys.monitoring.events.LINE, _reached)


def watch(code):
    """Tell of the lines of `code`, and of the functions in it."""
    try:
        _watch(code)
    except (AttributeError, ValueError, RecursionError):
        # A script before has taken the tool away, or Python is too old for it in a test: no lines are told.
        return


def _watch(code):
    sys.monitoring.set_local_events(_TOOL, code, sys.monitoring.events.LINE)
    for constant in code.co_consts:
        if type(constant) is types.CodeType:
            _watch(constant)


def _reached(code, line):
    host.at(line)
    return sys.monitoring.DISABLE
