"""Models that are Python functions."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import mitt
import pytest
from test_session import refused


def price_host(bare: mitt.Host) -> mitt.Host:
    @bare.tool(name="shop__price")
    def price(article: str) -> int:
        """Returns a price."""
        return {"a": 3, "b": 4}[article]

    return bare


def call(id: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


def shopping(request: dict[str, Any]) -> Any:
    """Asks for two prices, then says what it saw."""
    last = request["messages"][-1]
    if last["role"] == "user":
        assert request["model"] == "m" and any(tool["function"]["name"] == "shop__price" for tool in request["tools"])
        return {"content": None, "tool_calls": [call("1", "shop__price", article="a"), call("2", "shop__price", article="x")]}
    return f"saw {[message['content'] for message in request['messages'] if message['role'] == 'tool'][0]}"


def test_a_model_calls_tools(bare: mitt.Host) -> None:
    session = price_host(bare).session()
    run = session.run("buy", shopping, name="m", tools="all", limits={"turns": 5})
    assert "3" in run.text and run.turns == 2 and run.artifacts == () and run.missing == ()
    first, second = run.calls
    assert isinstance(first, mitt.Result) and first.value == 3
    assert isinstance(second, mitt.Error) and "KeyError" in second.text


def test_a_model_is_a_coroutine_function_with_a_whole_response(bare: mitt.Host) -> None:
    session = price_host(bare).session()
    requests: list[dict[str, Any]] = []

    async def model(request: dict[str, Any]) -> dict[str, Any]:
        requests.append(request)
        await asyncio.sleep(0)
        message = {"role": "assistant", "content": "done"}
        return {"choices": [{"message": message, "finish_reason": "stop"}], "usage": {"prompt_tokens": 7, "completion_tokens": 2}}

    earlier = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}]
    run = asyncio.run(session.arun("go on", model, instructions="Be short.", earlier=earlier))
    assert run.text == "done" and (run.usage.input, run.usage.output) == (7, 2)
    texts = [message["content"] for message in requests[0]["messages"]]
    assert "Be short." in texts[0] and "hello" in texts and "hi" in texts


def test_a_model_that_fails(bare: mitt.Host) -> None:
    session = bare.session()

    def model(request: dict[str, Any]) -> str:
        raise ConnectionError("no network")

    with refused("model") as it:
        session.run("a", model)
    assert isinstance(it.error.__cause__, ConnectionError) and "no network" in it.error.text
    with refused("model") as it:
        session.run("a", lambda request: 7)
    assert "expected the model to return a dict or a str, got int" in it.error.text
    with refused("model") as it:
        session.run("a", lambda request: {"content": None})
    assert "answer" in it.error.text
    with refused("arguments", "options.tools"):
        session.run("a", model, tools="none")  # type: ignore[arg-type]
    with refused("arguments", "options.earlier[0].role"):
        session.run("a", model, earlier=[{"role": "system", "content": "a"}])
    with refused("arguments", "options.limits"):
        session.run("a", model, limits={"turn": 1})  # type: ignore[typeddict-unknown-key]


PRICES = {"type": "object", "properties": {"sum": {"type": "number"}}, "required": ["sum"]}


def test_an_answer_follows_its_schema(bare: mitt.Host) -> None:
    session = bare.session()
    answers = ["About seven.", '```json\n{"sum": 7.50}\n```']
    run = session.run("add", lambda request: answers.pop(0), output_schema=PRICES)
    assert (run.output, run.text, run.turns) == ({"sum": 7.5}, '{"sum": 7.50}', 2)
    assert session.run("add", lambda request: "seven").output is None
    run = asyncio.run(session.arun("add", lambda request: '{"sum": 1}', output_schema=PRICES))
    assert run.output == {"sum": 1}
    with refused("model") as it:
        session.run("add", lambda request: "It is seven.", output_schema=PRICES)
    assert it.error.answer == "It is seven." and "demanded form" in it.error.message
    for wrong in ({"if": {}}, ["object"]):
        with refused("arguments", "options.output_schema"):
            session.run("add", lambda request: "", output_schema=wrong)  # type: ignore[arg-type]


def test_a_run_reaches_its_limit(bare: mitt.Host) -> None:
    session = price_host(bare).session()
    numbers = iter(range(100))

    def again(request: dict[str, Any]) -> dict[str, Any]:
        return {"tool_calls": [call(str(next(numbers)), "shop__price", article="a")]}

    with refused("limit"):
        session.run("a", again, tools="all", limits={"turns": 3})


def test_a_cancelled_run_cancels_its_model(bare: mitt.Host) -> None:
    session = bare.session()
    seen: list[str] = []

    async def model(request: dict[str, Any]) -> str:
        try:
            seen.append("asked")
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise
        return "late"

    async def story() -> float:
        task = asyncio.create_task(session.arun("a", model))
        while not seen:
            await asyncio.sleep(0.01)
        started = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        while len(seen) < 2 and time.monotonic() - started < 5:
            await asyncio.sleep(0.01)
        return time.monotonic() - started

    assert asyncio.run(story()) < 1
    assert seen == ["asked", "cancelled"]
