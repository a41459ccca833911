"""The tools of a session for pydantic-ai. Needs ``pydantic-ai-slim``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic_ai import FunctionToolset, ModelRetry, Tool

from .._errors import Error
from . import AS_MODELS_SEE, chosen

if TYPE_CHECKING:
    from collections.abc import Collection

    from .._documents import Tool as SessionTool
    from .._session import Session


def toolset(session: Session, names: Collection[str] | None = None) -> FunctionToolset[Any]:
    """Returns the tools of a session. Their errors go to the model, which may try again."""
    return FunctionToolset([_tool(session, tool) for tool in chosen(session, names)])


def _tool(session: Session, tool: SessionTool) -> Tool[Any]:
    async def call(**arguments: Any) -> str:
        try:
            return (await session.acall(tool.name, arguments, options=AS_MODELS_SEE)).for_model()
        except Error as error:
            raise ModelRetry(error.text) from error

    made: Tool[Any] = Tool.from_schema(call, tool.name, tool.description, tool.parameters)
    return made
