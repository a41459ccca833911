"""The tools of a session for OpenAI's Agents SDK. Needs ``openai-agents``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from agents import FunctionTool

from .._errors import Error
from . import AS_MODELS_SEE, chosen

if TYPE_CHECKING:
    from collections.abc import Collection

    from agents import Tool as AgentTool

    from .._documents import Tool
    from .._session import Session


def tools(session: Session, names: Collection[str] | None = None) -> list[AgentTool]:
    """Returns the tools of a session. Their errors go to the model."""
    return [_tool(session, tool) for tool in chosen(session, names)]


def _tool(session: Session, tool: Tool) -> FunctionTool:
    async def call(_: Any, arguments: str) -> str:
        try:
            given = json.loads(arguments or "{}")
            return (await session.acall(tool.name, given, options=AS_MODELS_SEE)).for_model()
        except (Error, ValueError) as error:
            return str(error)

    return FunctionTool(
        name=tool.name, description=tool.description, params_json_schema=tool.parameters, on_invoke_tool=call, strict_json_schema=False
    )  # fmt: skip
