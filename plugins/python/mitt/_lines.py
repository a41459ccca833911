"""Tells the host which lines of a script were reached, so that it can name one when it ends the script.

Nothing can look into an interpreter that is being ended, so the line has to be known before. Each line is told once, when it
is reached for the first time: then its event is switched off, and the line costs nothing any more.
"""

import sys
import types

from wit_world.imports import script_host as host

# None of those that are reserved for debuggers, coverage, profilers and optimizers.
_TOOL = 4

# Frames that telling a line takes, and a few more. They are no part of the depth that a script sees and sets: one that is as
# deep as it may be must not fail because a line is told.
_RESERVE = 8

_set_limit, _get_limit = sys.setrecursionlimit, sys.getrecursionlimit


def install():
    """Make ready to watch. Runs while the component is built."""
    sys.monitoring.use_tool_id(_TOOL, "mitt")
    sys.monitoring.register_callback(_TOOL, sys.monitoring.events.LINE, _reached)
    _set_limit(_get_limit() + _RESERVE)
    for function in (setrecursionlimit, getrecursionlimit):
        function.__module__ = "sys"
        setattr(sys, function.__name__, function)


def setrecursionlimit(limit, /):
    """Set the maximum depth of the Python interpreter stack."""
    # What is no limit is refused as it is.
    is_limit = isinstance(limit, int) and limit >= 1
    _set_limit(limit + _RESERVE if is_limit else limit)


def getrecursionlimit():
    """The maximum depth of the Python interpreter stack."""
    return _get_limit() - _RESERVE


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
