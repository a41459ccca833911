"""Toolsets for frameworks of agents, each with a model of the framework itself."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import mitt
import pytest
from test_session import refused


@pytest.fixture
def shop(bare: mitt.Host) -> Iterator[mitt.Session]:
    with bare.session() as session:

        @session.tool(name="shop__price")
        def price(article: str) -> int:
            """Returns a price.

            Args:
                article: its name
            """
            if article == "x":
                raise mitt.Error("no such article", code="input")
            return 3

        session.tool(name="shop__other")(lambda: 1)
        yield session


def test_langchain(shop: mitt.Session) -> None:
    pytest.importorskip("langchain_core")
    from langchain_core.language_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage
    from mitt.toolsets import langchain

    (tool,) = langchain.tools(shop, {"shop__price"})
    assert tool.name == "shop__price" and "article" in tool.args
    assert tool.invoke({"article": "a"}) == "3"
    assert "no such article" in tool.invoke({"type": "tool_call", "id": "1", "name": tool.name, "args": {"article": "x"}}).content
    assert asyncio.run(tool.ainvoke({"article": "a"})) == "3"
    assert len(langchain.tools(shop)) == 2

    class Chat(GenericFakeChatModel):
        def bind_tools(self, tools: Any, **_: Any) -> Any:
            assert any(it["function"]["name"] == "shop__price" for it in tools)
            return self

    calls = [{"id": "1", "name": "shop__price", "args": {"article": "a"}}]
    chat = Chat(messages=iter([AIMessage(content="", tool_calls=calls), AIMessage(content="three")]))
    run = shop.run("what is it?", langchain.model(chat), tools="all")
    assert run.text == "three" and isinstance(run.calls[0], mitt.Result) and run.calls[0].value == 3


def test_pydantic_ai(shop: mitt.Session) -> None:
    pytest.importorskip("pydantic_ai")
    from mitt.toolsets.pydantic_ai import toolset
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    seen: list[str] = []

    def model(messages: Any, info: Any) -> ModelResponse:
        assert [tool.name for tool in info.function_tools] == ["shop__price"]
        part = messages[-1].parts[-1]
        if part.part_kind == "tool-return" and part.outcome == "success":
            return ModelResponse(parts=[TextPart(f"it is {part.content}")])
        if part.part_kind == "tool-return":
            assert part.outcome == "retried"
            seen.append(part.content)
            return ModelResponse(parts=[ToolCallPart("shop__price", {"article": "a"})])
        return ModelResponse(parts=[ToolCallPart("shop__price", {"article": "x"})])

    agent = Agent(FunctionModel(model), toolsets=[toolset(shop, {"shop__price"})])
    assert agent.run_sync("what is it?").output == "it is 3"
    assert seen == ["no such article"]


def test_openai_agents(shop: mitt.Session) -> None:
    pytest.importorskip("agents")
    from mitt.toolsets import openai_agents

    (tool,) = openai_agents.tools(shop, {"shop__price"})
    made: Any = tool
    assert made.name == "shop__price" and made.params_json_schema["required"] == ["article"]

    async def invoked(arguments: str) -> Any:
        return await made.on_invoke_tool(None, arguments)

    assert asyncio.run(invoked(json.dumps({"article": "a"}))) == "3"
    assert asyncio.run(invoked(json.dumps({"article": "x"}))) == "no such article"
    assert "Expecting" in asyncio.run(invoked("{"))


def test_a_name_that_is_unknown(shop: mitt.Session) -> None:
    from mitt.toolsets import chosen

    assert [tool.name for tool in chosen(shop, ["shop__price"])] == ["shop__price"]
    with refused("unknown-tool", "shop__prise"):
        chosen(shop, ["shop__prise"])
