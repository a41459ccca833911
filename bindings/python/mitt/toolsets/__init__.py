"""The tools of a session for frameworks of agents. Each module imports its framework when it is used.

``mitt.toolsets.langchain.tools(session)``, ``mitt.toolsets.pydantic_ai.toolset(session)``, ``mitt.toolsets.openai_agents.tools(session)``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._errors import Error
from .._options import CallOptions

if TYPE_CHECKING:
    from collections.abc import Collection

    from .._documents import Tool
    from .._session import Session

#: Tables in results are shown as models see them.
AS_MODELS_SEE = CallOptions(tables="model")


def chosen(session: Session, names: Collection[str] | None) -> list[Tool]:
    """Returns the tools of these names; all of them if ``names`` is ``None``.

    Raises ``Error`` with the code ``unknown-tool`` if the session lacks one of them.
    """
    tools = session.tools()
    if names is None:
        return tools
    known = {tool.name for tool in tools}
    for name in names:
        if name not in known:
            raise Error(f"the session has no tool `{name}`", code="unknown-tool", place=name, hint="`session.tools()` lists them")
    return [tool for tool in tools if tool.name in names]
