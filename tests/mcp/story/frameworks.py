"""Frameworks for Python: a function for each, which runs the framework's own agent as its documentation shows.

    python frameworks.py NAME '{"model": …, "prompt": …, "command": …, "args": … or "url": …}'
"""

import asyncio
import json
import sys
import urllib.request

NAME, GIVEN = sys.argv[1], json.loads(sys.argv[2])
MODEL, PROMPT, URL = GIVEN["model"] + "/v1", GIVEN["prompt"], GIVEN.get("url")
COMMAND = {"command": GIVEN.get("command"), "args": GIVEN.get("args")}
SCRIPTED, KEY = "scripted", "none"
AGENTS = {}


def agent(name):
    def note(function):
        AGENTS[name] = function
        return function
    return note


def langchain_client():
    from langchain_mcp_adapters.client import MultiServerMCPClient

    server = {"transport": "streamable_http", "url": URL} if URL else {"transport": "stdio", **COMMAND}
    return MultiServerMCPClient({"mitt": server})


async def langchain_agent(tools):
    from langchain.agents import create_agent
    from langchain_openai import ChatOpenAI

    graph = create_agent(ChatOpenAI(model=SCRIPTED, base_url=MODEL, api_key=KEY), tools)
    state = await graph.ainvoke({"messages": [("user", PROMPT)]})
    return state["messages"][-1].content


@agent("langchain")
async def langchain():
    """As in its documentation: each call opens another session."""
    return await langchain_agent(await langchain_client().get_tools())


@agent("langchain-session")
async def langchain_session():
    from langchain_mcp_adapters.tools import load_mcp_tools

    async with langchain_client().session("mitt") as session:
        return await langchain_agent(await load_mcp_tools(session))


@agent("openai-agents")
async def openai_agents():
    from agents import Agent, Runner
    from agents.mcp import MCPServerStdio, MCPServerStreamableHttp

    server = MCPServerStreamableHttp(params={"url": URL}) if URL else MCPServerStdio(params=COMMAND)
    async with server:
        result = await Runner.run(Agent(name="reports", model="gpt-5", mcp_servers=[server]), PROMPT)
        return result.final_output


def smolagents(kind):
    from mcp import StdioServerParameters
    from smolagents import MCPClient, OpenAIServerModel

    server = {"url": URL, "transport": "streamable-http"} if URL else StdioServerParameters(**COMMAND)
    with MCPClient(server, structured_output=False) as tools:
        return kind(tools=tools, model=OpenAIServerModel(SCRIPTED, api_base=MODEL, api_key=KEY), max_steps=8).run(PROMPT)


@agent("smolagents-code")
def smolagents_code():
    from smolagents import CodeAgent

    return smolagents(CodeAgent)


@agent("smolagents-tools")
def smolagents_tools():
    from smolagents import ToolCallingAgent

    return smolagents(ToolCallingAgent)


@agent("llamaindex")
async def llamaindex():
    from llama_index.core.agent.workflow import FunctionAgent
    from llama_index.llms.openai_like import OpenAILike
    from llama_index.tools.mcp import BasicMCPClient, McpToolSpec

    client = BasicMCPClient(URL) if URL else BasicMCPClient(COMMAND["command"], args=COMMAND["args"])
    tools = await McpToolSpec(client=client).to_tool_list_async()
    llm = OpenAILike(model=SCRIPTED, api_base=MODEL, api_key=KEY, is_chat_model=True, is_function_calling_model=True)
    return str(await FunctionAgent(tools=tools, llm=llm).run(PROMPT))


@agent("autogen")
async def autogen():
    from autogen_agentchat.agents import AssistantAgent
    from autogen_ext.models.openai import OpenAIChatCompletionClient
    from autogen_ext.tools.mcp import McpWorkbench, StdioServerParams, StreamableHttpServerParams

    info = {"vision": False, "function_calling": True, "json_output": False, "structured_output": False, "family": "unknown"}
    llm = OpenAIChatCompletionClient(model=SCRIPTED, base_url=MODEL, api_key=KEY, model_info=info)
    server = StreamableHttpServerParams(url=URL) if URL else StdioServerParams(**COMMAND)
    async with McpWorkbench(server) as workbench:
        worker = AssistantAgent("reports", llm, workbench=workbench, max_tool_iterations=8)
        return (await worker.run(task=PROMPT)).messages[-1].to_text()


@agent("pydantic-ai")
async def pydantic_ai():
    from pydantic_ai import Agent
    from pydantic_ai.mcp import MCPToolset
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    if URL:
        server = MCPToolset(URL)
    else:
        server = MCPToolset({"mcpServers": {"mitt": COMMAND}})
    llm = OpenAIChatModel(SCRIPTED, provider=OpenAIProvider(base_url=MODEL, api_key=KEY))
    worker = Agent(llm, toolsets=[server])
    async with worker:
        return (await worker.run(PROMPT)).output


@agent("adk")
async def adk():
    from google.adk.agents import LlmAgent
    from google.adk.runners import InMemoryRunner
    from google.adk.tools.mcp_tool.mcp_toolset import McpToolset
    from google.adk.tools.mcp_tool.mcp_session_manager import StdioConnectionParams, StreamableHTTPConnectionParams
    from google.genai import types
    from mcp import StdioServerParameters

    where = (StreamableHTTPConnectionParams(url=URL) if URL else
             StdioConnectionParams(server_params=StdioServerParameters(**COMMAND)))
    tools = McpToolset(connection_params=where)
    runner = InMemoryRunner(agent=LlmAgent(name="reports", model="gemini-2.5-flash", tools=[tools]), app_name="story")
    session = await runner.session_service.create_session(app_name="story", user_id="user")
    said = ""
    content = types.Content(role="user", parts=[types.Part(text=PROMPT)])
    async for event in runner.run_async(user_id="user", session_id=session.id, new_message=content):
        for part in event.content.parts if event.content else []:
            said = part.text or said
    await runner.close()
    return said


@agent("semantic-kernel")
async def semantic_kernel():
    from openai import AsyncOpenAI
    from semantic_kernel.agents import ChatCompletionAgent
    from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion
    from semantic_kernel.connectors.mcp import MCPStdioPlugin, MCPStreamableHttpPlugin

    plugin = MCPStreamableHttpPlugin(name="mitt", url=URL) if URL else MCPStdioPlugin(name="mitt", **COMMAND)
    async with plugin:
        service = OpenAIChatCompletion(ai_model_id=SCRIPTED, async_client=AsyncOpenAI(base_url=MODEL, api_key=KEY))
        worker = ChatCompletionAgent(service=service, name="reports", plugins=[plugin])
        return str(await worker.get_response(messages=PROMPT))


@agent("agno")
async def agno():
    from agno.agent import Agent
    from agno.models.openai.like import OpenAILike
    from agno.tools.mcp import MCPTools
    from mcp import StdioServerParameters

    where = {"url": URL, "transport": "streamable-http"} if URL else {"server_params": StdioServerParameters(**COMMAND)}
    async with MCPTools(**where) as tools:
        worker = Agent(model=OpenAILike(id=SCRIPTED, base_url=MODEL, api_key=KEY), tools=[tools], telemetry=False)
        return (await worker.arun(PROMPT)).content


@agent("crewai")
def crewai():
    from crewai import LLM, Agent, Crew, Task
    from crewai_tools import MCPServerAdapter
    from mcp import StdioServerParameters

    where = {"url": URL, "transport": "streamable-http"} if URL else StdioServerParameters(**COMMAND)
    with MCPServerAdapter(where, connect_timeout=60) as tools:
        llm = LLM(model="openai/gpt-4o", base_url=MODEL, api_key=KEY)
        worker = Agent(role="analyst", goal="compare reports", backstory="exact", tools=tools, llm=llm)
        task = Task(description=PROMPT, expected_output="where the files are", agent=worker)
        return str(Crew(agents=[worker], tasks=[task]).kickoff())


@agent("strands")
def strands():
    from mcp import StdioServerParameters, stdio_client
    from strands import Agent
    from strands.models.openai import OpenAIModel
    from strands.tools.mcp import MCPClient

    where = {"url": URL} if URL else {"transport_callable": lambda: stdio_client(StdioServerParameters(**COMMAND))}
    with MCPClient(**where) as client:
        llm = OpenAIModel(client_args={"base_url": MODEL, "api_key": KEY}, model_id=SCRIPTED)
        return str(Agent(model=llm, tools=client.list_tools_sync())(PROMPT))


@agent("mcp-agent")
async def mcp_agent():
    from mcp_agent.agents.agent import Agent
    from mcp_agent.app import MCPApp
    from mcp_agent.config import LoggerSettings, MCPServerSettings, MCPSettings, OpenAISettings, Settings
    from mcp_agent.workflows.llm.augmented_llm_openai import OpenAIAugmentedLLM

    server = MCPServerSettings(transport="streamable_http", url=URL) if URL else MCPServerSettings(**COMMAND)
    settings = Settings(execution_engine="asyncio", logger=LoggerSettings(type="none"), usage_telemetry={"enabled": False},
                        mcp=MCPSettings(servers={"mitt": server}),
                        openai=OpenAISettings(api_key=KEY, base_url=MODEL, default_model="gpt-4o"))
    async with MCPApp(name="story", settings=settings).run():
        async with Agent(name="reports", instruction="Use the tools.", server_names=["mitt"]) as worker:
            return await (await worker.attach_llm(OpenAIAugmentedLLM)).generate_str(PROMPT)


@agent("mcp-use")
async def mcp_use():
    from langchain_openai import ChatOpenAI
    from mcp_use import MCPAgent, MCPClient

    client = MCPClient.from_dict({"mcpServers": {"mitt": {"url": URL} if URL else COMMAND}})
    llm = ChatOpenAI(model=SCRIPTED, base_url=MODEL, api_key=KEY)
    try:
        return await MCPAgent(llm=llm, client=client, max_steps=8).run(PROMPT)
    finally:
        await client.close_all_sessions()


async def loop(tools, call):
    """A loop for clients without one: `tools` in OpenAI's form; `call` returns the text of a result."""
    messages = [{"role": "user", "content": PROMPT}]
    while True:
        body = json.dumps({"model": SCRIPTED, "messages": messages, "tools": tools}).encode()
        request = urllib.request.Request(MODEL + "/chat/completions", body, {"Content-Type": "application/json"})
        answer = await asyncio.to_thread(lambda: json.load(urllib.request.urlopen(request)))
        message = answer["choices"][0]["message"]
        messages.append(message)
        if not message.get("tool_calls"):
            return message["content"]
        for it in message["tool_calls"]:
            content = await call(it["function"]["name"], json.loads(it["function"]["arguments"]))
            messages.append({"role": "tool", "tool_call_id": it["id"], "content": content})


def function(name, description, schema):
    return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}


@agent("fastmcp")
async def fastmcp():
    from fastmcp import Client

    async with Client(URL or {"mcpServers": {"mitt": COMMAND}}) as client:
        async def call(name, arguments):
            result = await client.call_tool(name, arguments)
            return "\n".join(block.text for block in result.content if block.type == "text")

        listed = await client.list_tools()
        schemas = [getattr(tool, "inputSchema", None) or tool.input_schema for tool in listed]
        return await loop([function(tool.name, tool.description, schema) for tool, schema in zip(listed, schemas)], call)


@agent("mcpo")
async def mcpo():
    """A server with an OpenAPI description, as Open WebUI uses it: its tools are read from the description."""
    import os
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    what = ["--server-type", "streamable-http", "--", URL] if URL else ["--", COMMAND["command"], *COMMAND["args"]]
    program = os.path.join(os.path.dirname(sys.executable), "mcpo")
    process = await asyncio.create_subprocess_exec(program, "--host", "127.0.0.1", "--port", str(port), *what)
    base = f"http://127.0.0.1:{port}"

    def fetch(path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(base + path, data, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=600) as answer:
            return json.load(answer)

    async def call(name, arguments):
        return json.dumps(await asyncio.to_thread(fetch, "/" + name, arguments), ensure_ascii=False)

    try:
        api = None
        while process.returncode is None and not api:
            try:
                api = fetch("/openapi.json")
            except OSError:
                await asyncio.sleep(0.3)
        tools = []
        for path, item in api["paths"].items():
            schema = item["post"].get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
            if "$ref" in schema:
                schema = api["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
            tools.append(function(path.strip("/"), item["post"].get("description"), schema))
        return await loop(tools, call)
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


run = AGENTS[NAME]
print(asyncio.run(run()) if asyncio.iscoroutinefunction(run) else run())
