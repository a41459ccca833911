"""Reports the lines that a script reached to the host, which names the last one if it ends the script.

An interpreter that is being ended cannot be examined, so the line must be known before. Each line is reported once,
when it is reached for the first time. Then its event is switched off and costs nothing any more.
"""

import sys
import types

from wit_world.imports import script_host as host

# Not one of the numbers reserved for debuggers, coverage, profilers and optimizers.
_TOOL = 4

# Frames that reporting a line needs, and a few more. The recursion limit of the script does not include them, so that a
# script at its limit does not fail because a line is reported.
_RESERVE = 8

_set_limit, _get_limit = sys.setrecursionlimit, sys.getrecursionlimit


def install():
    """Prepare the events. Runs while the component is built."""
    sys.monitoring.use_tool_id(_TOOL, "mitt")
    sys.monitoring.register_callback(_TOOL, sys.monitoring.events.LINE, _reached)
    _set_limit(_get_limit() + _RESERVE)
    for function in (setrecursionlimit, getrecursionlimit):
        function.__module__ = "sys"
        setattr(sys, function.__name__, function)


def setrecursionlimit(limit, /):
    """Set the maximum depth of the Python interpreter stack."""
    # Invalid limits are passed on, and refused.
    is_limit = isinstance(limit, int) and limit >= 1
    _set_limit(limit + _RESERVE if is_limit else limit)


def getrecursionlimit():
    """The maximum depth of the Python interpreter stack."""
    return _get_limit() - _RESERVE


def watch(code):
    """Report the lines of `code` and of its functions."""
    try:
        _watch(code)
    except (AttributeError, ValueError, RecursionError):
        # An earlier script has freed the tool, or Python is too old in a test: no lines are reported.
        return


def _watch(code):
    sys.monitoring.set_local_events(_TOOL, code, sys.monitoring.events.LINE)
    for constant in code.co_consts:
        if type(constant) is types.CodeType:
            _watch(constant)


def _reached(code, line):
    host.at(line)
    return sys.monitoring.DISABLE
