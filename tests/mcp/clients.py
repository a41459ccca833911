"""Judges the MCP server by foreign clients and converters that are written in Python.

Each check is about what a user would see: a file that a tool delivered must reach the model, a client that closes at once
must not crash, and the schemas must survive the converters of the frameworks.

    python clients.py <mitt> <address of `mitt serve`>

Run by `tests/mcp/run`.
"""

import asyncio
import copy
import json
import logging
import os
import sys
import urllib.request
from contextlib import asynccontextmanager

MITT, SERVER = sys.argv[1:3]
MCP = SERVER + "/mcp"
ARGUMENTS = {"markdown": "# 月报\n", "filename": "月报.md"}
URI = "mitt://artifacts/%E6%9C%88%E6%8A%A5.md"
TOOL = "report__deliver"
BASE = ["mcp", "--no-out", "--cache-dir", os.environ.get("MITT_CACHE", "target/mitt-cache")]


def command(*more):
    """Returns the arguments of the program; all tools are listed unless `more` says otherwise."""
    return [*BASE, *([] if "--tools" in more else ["--tools", "all"]), *more]


COMMAND = command()

checks = []


def check(function):
    checks.append(function)
    return function


def tells_uri(text):
    assert URI in text, f"the model does not see {URI}: {text[:500]}"


@asynccontextmanager
async def session(http, more=(), **options):
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    if http:
        from mcp.client.streamable_http import streamablehttp_client

        transport = streamablehttp_client(MCP)
    else:
        transport = stdio_client(StdioServerParameters(command=MITT, args=command(*more)))
    async with transport as streams, ClientSession(*streams[:2], **options) as client:
        await client.initialize()
        yield client


@check
async def sdk_stdio():
    async with session(http=False) as client:
        tools = (await client.list_tools()).tools
        assert any(tool.name == TOOL for tool in tools)
        result = await client.call_tool(TOOL, ARGUMENTS)
        tells_uri(json.dumps(result.structuredContent))
        tells_uri(result.content[0].text)
        assert all(block.type == "text" for block in result.content), result.content


@check
async def sdk_http_gives_a_link_for_the_browser():
    async with session(http=True) as client:
        result = await client.call_tool(TOOL, ARGUMENTS)
        url = result.structuredContent["files"][0]["url"]
        answer = await asyncio.to_thread(urllib.request.urlopen, url)
        assert answer.read().decode() == ARGUMENTS["markdown"]
        name = answer.headers["Content-Disposition"]
        assert "filename*=UTF-8''%E6%9C%88%E6%8A%A5.md" in name, name


@check
async def sdk_that_closes_at_once_does_not_fall_over():
    """Notifications of a call come before its answer, because nobody reads after it."""
    for http in [False] * 6 + [True] * 6:
        async with session(http) as client:
            await client.call_tool(TOOL, ARGUMENTS)


@check
async def sdk_ends_its_sessions_without_a_complaint():
    class Complaints(logging.Handler):
        def __init__(self):
            super().__init__(logging.WARNING)
            self.said = []

        def emit(self, record):
            self.said.append(record.getMessage())

    complaints = Complaints()
    logging.getLogger().addHandler(complaints)
    try:
        async with session(http=True) as client:
            await client.list_tools()
    finally:
        logging.getLogger().removeHandler(complaints)
    assert not complaints.said, complaints.said


@check
async def fastmcp_client():
    from fastmcp import Client

    async with Client(MCP) as client:
        result = await client.call_tool(TOOL, ARGUMENTS)
        tells_uri(json.dumps(result.structured_content))


@check
async def langchain():
    from langchain_mcp_adapters.client import MultiServerMCPClient

    servers = {"mitt": {"command": MITT, "args": COMMAND, "transport": "stdio"}}
    tools = await MultiServerMCPClient(servers).get_tools()
    tool = next(tool for tool in tools if tool.name == TOOL)
    for _ in range(5):
        content = await tool.ainvoke(ARGUMENTS)
        tells_uri(str(content))
        # Most chat models refuse anything else, which ends the conversation.
        assert isinstance(content, str) or all(it["type"] == "text" for it in content), content


@check
async def openai_agents():
    from agents.mcp import MCPServerStdio

    async with MCPServerStdio(params={"command": MITT, "args": COMMAND}) as server:
        result = await server.call_tool(TOOL, ARGUMENTS)
        tells_uri(result.content[0].text)


@check
async def smolagents():
    from smolagents import MCPClient

    def use():
        with MCPClient({"url": MCP, "transport": "streamable-http"}, structured_output=False) as tools:
            tool = next(tool for tool in tools if tool.name == TOOL)
            tells_uri(str(tool(**ARGUMENTS)))

    await asyncio.to_thread(use)


async def listed(*more):
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    parameters = StdioServerParameters(command=MITT, args=command(*more))
    async with stdio_client(parameters) as streams, ClientSession(*streams) as client:
        await client.initialize()
        return (await client.list_tools()).tools


CATALOGUE = ("--tools", "catalogue")
SCRIPT = ("--tools", "script")
FIRST = ["open_skill", "call_tool", "documents__add"]
ACTIVATE = {"skill": "report"}
# Tools of the skill `report`, in the order of the list.
OPENED = ["report__convert_document", TOOL]
INSIDE = {"name": TOOL, "arguments": ARGUMENTS}


def names(tools):
    return [tool.name for tool in tools]


@check
async def sdk_hears_of_an_activated_skill_and_lists_its_tools():
    told = []

    async def hear(message):
        told.append(type(getattr(message, "root", message)).__name__)

    async with session(False, CATALOGUE, message_handler=hear) as client:
        assert names((await client.list_tools()).tools) == FIRST
        answer = await client.call_tool("open_skill", ACTIVATE)
        assert not answer.isError and TOOL in answer.content[0].text, answer
        # The session reads in order, so notifications that came before the answer are here by now.
        await asyncio.sleep(0.1)
        assert told == ["ToolListChangedNotification"], told
        assert names((await client.list_tools()).tools) == FIRST + OPENED
        for name, arguments in [(TOOL, ARGUMENTS), ("call_tool", INSIDE)]:
            result = await client.call_tool(name, arguments)
            tells_uri(json.dumps(result.structuredContent))


@check
async def sdk_calls_what_it_has_not_listed():
    async with session(False, CATALOGUE) as client:
        result = await client.call_tool(TOOL, ARGUMENTS)
        tells_uri(json.dumps(result.structuredContent))
        answer = await client.call_tool("call_tool", {"name": "report__delivr", "arguments": {}})
        assert answer.isError and f"`{TOOL}`" in answer.content[0].text, answer


async def langchain_tools(more):
    from langchain_mcp_adapters.client import MultiServerMCPClient

    servers = {"mitt": {"command": MITT, "args": command(*more), "transport": "stdio"}}
    return {tool.name: tool for tool in await MultiServerMCPClient(servers).get_tools()}


@check
async def langchain_lists_once_and_begins_a_session_for_each_call():
    """So nothing is active when it calls the tool that it read about."""
    tools = await langchain_tools(CATALOGUE)
    assert list(tools) == FIRST
    told = str(await tools["open_skill"].ainvoke(ACTIVATE))
    assert TOOL in told and "markdown: string" in told, told
    for arguments in [ARGUMENTS, json.dumps(ARGUMENTS)]:
        tells_uri(str(await tools["call_tool"].ainvoke({"name": TOOL, "arguments": arguments})))


@check
async def langchain_sees_the_functions_of_scripts():
    """It shows a model only the tools of a server."""
    tools = await langchain_tools(SCRIPT)
    run = tools["python__run"]
    assert "report:\n- deliver(markdown, filename" in run.description, run.description
    code = f"import report\nreport.deliver({ARGUMENTS['markdown']!r}, {ARGUMENTS['filename']!r})\nhelp(report)"
    content = str(await run.ainvoke({"code": code}))
    tells_uri(content)
    assert "deliver(" in content, content


@check
async def openai_agents_with_a_list_that_stays_and_one_that_does_not():
    from agents.mcp import MCPServerStdio

    for stays in [True, False]:
        parameters = {"command": MITT, "args": command(*CATALOGUE)}
        async with MCPServerStdio(params=parameters, cache_tools_list=stays) as server:
            assert names(await server.list_tools()) == FIRST
            await server.call_tool("open_skill", ACTIVATE)
            assert names(await server.list_tools()) == FIRST + OPENED * (not stays)
            result = await server.call_tool("call_tool", INSIDE)
            tells_uri(result.content[0].text)


@check
async def openai_agents_leaves_open_objects_open():
    """If it made such a schema strict, a model could give a tool no arguments at all."""
    from agents import Agent, RunContextWrapper
    from agents.mcp import MCPServerStdio, MCPUtil

    parameters = {"command": MITT, "args": command(*CATALOGUE)}
    async with MCPServerStdio(params=parameters) as server:
        agent = Agent(name="test", mcp_servers=[server])
        tools = await MCPUtil.get_all_function_tools(
            [server], True, RunContextWrapper(context=None), agent
        )
        tool = next(tool for tool in tools if tool.name == "call_tool")
        arguments = tool.params_json_schema["properties"]["arguments"]
        assert arguments.get("additionalProperties") is not False, arguments


@check
async def first_requests_are_short():
    """3 000 tokens, at about four bytes of JSON each."""
    for more in [SCRIPT, CATALOGUE]:
        tools = [tool.model_dump(mode="json", exclude_none=True) for tool in await listed(*more)]
        size = len(json.dumps(tools, separators=(",", ":"), ensure_ascii=False).encode())
        assert size < 12_000, f"{more[1]}: {size} bytes"


@check
async def openai_agents_makes_every_schema_strict():
    from agents.strict_schema import ensure_strict_json_schema

    for tool in await listed():
        ensure_strict_json_schema(copy.deepcopy(tool.inputSchema))


@check
async def pydantic_ai_finds_every_strict_schema_strict():
    from pydantic_ai.profiles.openai import OpenAIJsonSchemaTransformer

    for tool in await listed("--schemas", "strict") + await listed("--schemas", "strict", *CATALOGUE):
        transformer = OpenAIJsonSchemaTransformer(copy.deepcopy(tool.inputSchema), strict=None)
        transformer.walk()
        assert transformer.is_strict_compatible, tool.name
    # The conversion keeps the meaning: it removes only `default` and similar keywords.
    for tool in await listed():
        schema = OpenAIJsonSchemaTransformer(copy.deepcopy(tool.inputSchema), strict=True).walk()
        assert set(schema["properties"]) == set(tool.inputSchema["properties"]), tool.name


@check
async def every_schema_is_small_enough_for_codex():
    for tool in await listed() + await listed(*CATALOGUE):
        size = len(json.dumps(tool.inputSchema, separators=(",", ":"), ensure_ascii=False).encode())
        assert size <= 5_000, f"{tool.name}: {size} bytes"


async def main():
    failed = 0
    for function in checks:
        try:
            await asyncio.wait_for(function(), 120)
        except ModuleNotFoundError as error:
            print(f"clients {function.__name__}: skipped: {error}")
        except BaseException as error:
            failed += 1
            print(f"clients {function.__name__}: {error!r}")
            for inner in getattr(error, "exceptions", []):
                print(f"  {inner!r}")
    print(f"clients: {len(checks)} checks, {failed} failed")
    sys.exit(1 if failed else 0)


asyncio.run(main())
