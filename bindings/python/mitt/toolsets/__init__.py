"""The tools of a session for frameworks of agents. Each module imports its framework when it is used.

``mitt.toolsets.langchain.tools(session)``, ``mitt.toolsets.pydantic_ai.toolset(session)``, ``mitt.toolsets.openai_agents.tools(session)``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._options import CallOptions

if TYPE_CHECKING:
    from collections.abc import Container

    from .._documents import Tool
    from .._session import Session

#: Tables in results are shown as models see them.
AS_MODELS_SEE = CallOptions(tables="model")


def chosen(session: Session, names: Container[str] | None) -> list[Tool]:
    """Returns the tools of these names; all of them if ``names`` is ``None``."""
    return [tool for tool in session.tools() if names is None or tool.name in names]
