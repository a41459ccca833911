"""The loop of `agents.rs` by a library: `peer.py LIBRARY mcp|own MITT INSTRUCTION ADDRESS TURNS CALLS SECONDS`.

Prints, as JSON, the processor time of this process for one turn, without its imports, without a first conversation, which opens the
connections, and without the server of the tool, which is another process. The tools' list is cached, and nothing is traced.
"""

import asyncio
import contextlib
import json
import os
import statistics
import sys
import time
from importlib.metadata import version

library, tools, mitt, instruction, address = sys.argv[1:6]
turns, calls, seconds = int(sys.argv[6]), int(sys.argv[7]), float(sys.argv[8])
server = {"command": mitt, "args": [], "env": dict(os.environ, MITT_BENCH_ROLE="mcp")}
url = f"http://{address}/v1"
first_texts = []


def heard(text):
    """The text of a turn is the time at which it was sent."""
    if text:
        first_texts.append(time.time_ns() - int(text))


async def openai_agents(stack):
    from agents import Agent, Runner, function_tool, set_tracing_disabled
    from agents.mcp import MCPServerStdio
    from agents.models.openai_chatcompletions import OpenAIChatCompletionsModel
    from openai import AsyncOpenAI

    @function_tool
    async def empty__run() -> None:
        """Does nothing."""

    set_tracing_disabled(True)
    client = AsyncOpenAI(base_url=url, api_key="none")
    given = {"tools": [empty__run]}
    if tools == "mcp":
        given = {"mcp_servers": [await stack.enter_async_context(MCPServerStdio(server, cache_tools_list=True))]}

    async def converse(model):
        agent = Agent(name="bench", model=OpenAIChatCompletionsModel(model, openai_client=client), **given)
        run = Runner.run_streamed(agent, instruction, max_turns=1_000_000)
        n_results = 0
        async for event in run.stream_events():
            if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
                heard(event.data.delta)
            elif event.type == "run_item_stream_event" and event.name == "tool_output":
                n_results += 1
        return n_results

    return converse


async def pydantic_ai(stack):
    from pydantic_ai import Agent, FunctionToolResultEvent, PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta, UsageLimits
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    async def empty__run() -> None:
        """Does nothing."""

    provider = OpenAIProvider(base_url=url, api_key="none")
    given = {"tools": [empty__run]}
    if tools == "mcp":
        from fastmcp.client.transports import StdioTransport
        from pydantic_ai.mcp import MCPToolset

        given = {"toolsets": [await stack.enter_async_context(MCPToolset(StdioTransport(**server)))]}

    async def converse(model):
        n_results = 0

        async def told(_, events):
            nonlocal n_results
            async for event in events:
                if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
                    heard(event.part.content)
                elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
                    heard(event.delta.content_delta)
                elif isinstance(event, FunctionToolResultEvent):
                    n_results += 1

        agent = Agent(OpenAIChatModel(model, provider=provider), **given)
        await agent.run(instruction, event_stream_handler=told, usage_limits=UsageLimits(request_limit=None))
        return n_results

    return converse


def memory(key):
    with contextlib.suppress(OSError), open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(key))
    return 0


async def main():
    async with contextlib.AsyncExitStack() as stack:
        converse = await {"openai-agents": openai_agents, "pydantic-ai": pydantic_ai}[library](stack)
        assert await converse("t1-n1") == 1
        first_texts.clear()
        before, n_turns = memory("VmRSS"), 0
        begun, cpu = time.perf_counter(), time.process_time()
        while n_turns == 0 or time.perf_counter() - begun < seconds:
            n_results = await converse(f"t{turns}-n{calls}")
            assert n_results == turns * calls, n_results
            n_turns += turns + 1
        cpu = time.process_time() - cpu
        package = {"openai-agents": "openai-agents", "pydantic-ai": "pydantic-ai-slim"}[library]
        measured = {
            "version": version(package),
            "cpu_per_turn": cpu / n_turns,
            "first_text": statistics.median(first_texts) / 1e9,
            "memory_before": before,
            "memory_peak": memory("VmHWM"),
        }
    print(json.dumps(measured))


asyncio.run(main())
