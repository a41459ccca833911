"""The tools of a session for LangChain, and its chat models as models of ``Session.arun``. Needs ``langchain-core``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from langchain_core.messages import convert_to_messages, convert_to_openai_messages
from langchain_core.tools import StructuredTool, ToolException

from .._errors import Error
from . import AS_MODELS_SEE, chosen

if TYPE_CHECKING:
    from collections.abc import Collection

    from langchain_core.language_models import BaseChatModel
    from langchain_core.tools import BaseTool

    from .._documents import Tool
    from .._session import Model, Session


def tools(session: Session, names: Collection[str] | None = None) -> list[BaseTool]:
    """Returns the tools of a session. Their errors go to the model."""
    return [_tool(session, tool) for tool in chosen(session, names)]


def _tool(session: Session, tool: Tool) -> BaseTool:
    def call(**arguments: Any) -> str:
        try:
            return session.call(tool.name, arguments, options=AS_MODELS_SEE).for_model()
        except Error as error:
            raise ToolException(error.text) from error

    async def acall(**arguments: Any) -> str:
        try:
            return (await session.acall(tool.name, arguments, options=AS_MODELS_SEE)).for_model()
        except Error as error:
            raise ToolException(error.text) from error

    return StructuredTool(
        name=tool.name, description=tool.description, args_schema=tool.parameters, func=call, coroutine=acall, handle_tool_error=True
    )  # fmt: skip


def model(chat: BaseChatModel) -> Model:
    """Returns a chat model as one for ``Session.arun``, whose event loop asks it.

    ``Session.run`` takes it too, but asks it in a new event loop for each turn, which clients with open connections may refuse.
    """

    async def answer(request: dict[str, Any]) -> dict[str, Any]:
        bound = chat.bind_tools(request["tools"]) if request.get("tools") else chat
        reply = await bound.ainvoke(convert_to_messages(request["messages"]))
        message = convert_to_openai_messages(reply)
        assert isinstance(message, dict)
        return message

    return answer
