"""Mitt: document skills for language models, sandboxed.

    import mitt

    with mitt.Host() as host, host.session() as session:
        session.add("2024.xlsx")
        result = session.script("...")
        for artifact in result.artifacts:
            artifact.save(".")
"""

from . import _mitt
from ._documents import Document, DocumentTable, Page, Tool
from ._errors import Error, LimitReached
from ._events import Events
from ._files import afill, arender, fill, render
from ._host import Host
from ._mitt import Cancel, Table, __version__
from ._options import (
    AgentLimits,
    BlockingLimits,
    CallLimits,
    CallOptions,
    ConcurrencyLimits,
    Limits,
    MemoryLimits,
    PartsLimits,
    Rules,
    SessionLimits,
    TablePreview,
)
from ._results import Approval, Artifact, Made, Result, Run, RunUsage, ScriptResult, Sheet, Usage
from ._session import Model, Session

__all__ = [
    "AgentLimits",
    "Approval",
    "Artifact",
    "BlockingLimits",
    "CallLimits",
    "CallOptions",
    "Cancel",
    "ConcurrencyLimits",
    "Document",
    "DocumentTable",
    "Error",
    "Events",
    "Host",
    "LimitReached",
    "Limits",
    "Made",
    "MemoryLimits",
    "Model",
    "Page",
    "PartsLimits",
    "Result",
    "Rules",
    "Run",
    "RunUsage",
    "ScriptResult",
    "Session",
    "SessionLimits",
    "Sheet",
    "Table",
    "TablePreview",
    "Tool",
    "Usage",
    "__version__",
    "afill",
    "arender",
    "fill",
    "library_path",
    "render",
]


def library_path() -> str:
    """Returns the path of the shared library that has the functions of ``mitt.h`` too, for ctypes, cffi and others."""
    return _mitt.__file__
