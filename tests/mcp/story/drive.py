#!/usr/bin/env python3
"""Runs foreign clients with their own loops, from two reports to a workbook and a PDF that the user finds.

Installs a client at a pinned version, gives it Mitt and a model that follows a script (`model.py`), and checks that the
files are where the user looks for them. See `README.md`.

    drive.py [--only NAME…] [--transport stdio|http] [--tools all|script]
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import model
import wire

HERE = Path(__file__).resolve().parent
CHECKOUT = next((folder for folder in HERE.parents if (folder / "examples" / "yoy").is_dir()), HERE)
REPORTS = ["2024年经营报告.xlsx", "2025年经营报告.docx"]
FILES = {"2024-2025年经营对比.xlsx": b"PK\3\4", "2024-2025年经营总结.pdf": b"%PDF"}
CHART = "\nimport chart_tool\nchart_tool.draw_chart(months, form='line', filename='growth.png')\n"
PROMPT = (
    f"Compare the two yearly reports {REPORTS[0]} and {REPORTS[1]} with the tools of mitt. "
    "Write a workbook with the growth of each month and a summary as PDF, and tell me where they are."
)
NODE = "node@22.23.3"
QUIET = {
    "CI": "1", "DO_NOT_TRACK": "1", "NO_COLOR": "1", "NO_UPDATE_NOTIFIER": "1", "OTEL_SDK_DISABLED": "true",
    "DISABLE_TELEMETRY": "1", "PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8", "NODE_NO_WARNINGS": "1",
}

CLIENTS = {}


def client(name, *packages, venv=None):
    """A client with its packages from npm, or from PyPI if `venv` names their environment."""
    def note(function):
        CLIENTS[name] = (packages, venv, function)
        return function
    return note


class Skipped(Exception):
    pass


class Run:
    """One client, one transport: its folders, the server and the model."""

    def __init__(self, options, name, transport):
        self.options, self.name, self.transport = options, name, transport
        self.packages, self.venv, self.configure = CLIENTS[name]
        kind = "-chart" * options.chart + "-slow" * bool(options.delay)
        self.dir = options.base / "runs" / f"{name}-{transport}-{options.tools}{kind}"
        shutil.rmtree(self.dir, ignore_errors=True)
        self.home, self.work, self.out = self.dir / "home", self.dir / "reports", self.dir / "out"
        for folder in (self.home, self.work):
            folder.mkdir(parents=True)
        for report in REPORTS:
            shutil.copy(options.yoy / report, self.work)
        self.processes = []

    def bin(self, program):
        folder = self.options.base / (f"venv/{self.venv}/bin" if self.venv else f"npm/{self.name}/node_modules/.bin")
        return str(folder / program)

    def write(self, path, content):
        """Writes a file of the client's settings: JSON, or plain text."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content, indent=2), encoding="utf-8")
        return str(path)

    def start(self):
        code = (self.options.yoy / "script.py").read_text(encoding="utf-8") + CHART * self.options.chart
        calls = [{"tool": "documents__add", "arguments": {"path": report}} for report in REPORTS]
        calls.append({"tool": "python__run", "arguments": {"code": code}})
        self.steps = len(calls)
        self.model_server = model.serve(calls, str(self.dir / "model.jsonl"))
        self.model = self.model_server.url
        common = ["--tools", self.options.tools, "--folder", str(self.work), "--cache-dir", str(self.options.cache)]
        self.command, self.args, self.url = None, None, None
        if self.transport == "stdio":
            self.command = sys.executable
            self.args = [str(HERE / "wire.py"), str(self.dir / "wire.jsonl"), str(self.options.delay),
                         self.options.mitt, "mcp", "--out", str(self.out), *common]
        else:
            with open(self.dir / "serve.log", "w", encoding="utf-8") as log:
                serve = subprocess.Popen([self.options.mitt, "serve", "--listen", "127.0.0.1:0", *common], stderr=log)
            self.processes.append(serve)
            for _ in range(600):
                address = re.search(r"127\.0\.0\.1:[1-9]\d*", (self.dir / "serve.log").read_text(encoding="utf-8"))
                if address or serve.poll() is not None:
                    break
                time.sleep(0.1)
            if not address:
                raise RuntimeError("`mitt serve` did not start: " + str(self.dir / "serve.log"))
            self.proxy = wire.serve(address[0], str(self.dir / "wire.jsonl"), self.options.delay)
            self.url = self.proxy.url + "/mcp"

    def server(self, http="url", **more):
        """Returns Mitt's entry in the settings of most clients; `http` is their key for the address."""
        return {http: self.url, **more} if self.url else {"command": self.command, "args": self.args}

    def agent(self):
        """Returns the command for a framework: the function in `frameworks.py` or `frameworks.mjs` with its name."""
        given = json.dumps({"model": self.model, "prompt": PROMPT, **self.server()})
        if self.venv:
            return [self.bin("python"), str(HERE / "frameworks.py"), self.name, given]
        script = self.dir.parent.parent / "npm" / self.name / "frameworks.mjs"
        shutil.copy(HERE / "frameworks.mjs", script)
        return ["node", str(script), self.name, given]

    def environment(self, more):
        paths = [str(self.options.base / "npm/node/node_modules/node/bin"), os.environ["PATH"]]
        keep = {name: os.environ[name] for name in ("LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT") if name in os.environ}
        home = {"HOME": str(self.home), "USERPROFILE": str(self.home), "XDG_CONFIG_HOME": str(self.home / ".config"),
                "XDG_DATA_HOME": str(self.home / ".local/share"), "XDG_CACHE_HOME": str(self.home / ".cache"),
                "XDG_STATE_HOME": str(self.home / ".local/state")}
        return {"LANG": "C.UTF-8", **keep, **home, **QUIET, "PATH": os.pathsep.join(paths), **more}

    def play(self):
        self.start()
        command, more = self.configure(self)
        begun = time.time()
        with open(self.dir / "client.log", "w", encoding="utf-8") as log:
            log.write("$ " + " ".join(command) + "\n")
            log.flush()
            process = subprocess.Popen(command, cwd=self.work, env=self.environment(more), stdin=subprocess.DEVNULL,
                                       stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
            try:
                code = process.wait(self.options.timeout)
            except subprocess.TimeoutExpired:
                code = f"none after {self.options.timeout} s"
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        return code, time.time() - begun

    def daemons(self):
        """Yields processes that a client left in another process group, as Cline does: those with this run's folder in their arguments."""
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                if os.fsencode(str(self.dir) + os.sep) in path.read_bytes() and int(path.parent.name) != os.getpid():
                    yield int(path.parent.name)
            except OSError:
                pass

    def end(self):
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait()
        for process in self.daemons():
            os.kill(process, signal.SIGKILL)
        for server in ("model_server", "proxy"):
            if hasattr(self, server):
                getattr(self, server).shutdown()

    def judge(self, code):
        """Returns what is wrong (empty if nothing is), and further remarks."""
        said = lines(self.dir / "model.jsonl")
        told = lines(self.dir / "wire.jsonl")
        requests = [line for line in said if "request" in line]
        results = [line for line in said if "result" in line]
        first = next((line for line in requests if line["tools"]), requests[0] if requests else {})
        links = {line["link"]: line for line in said if "link" in line}
        asked = [line["message"] for line in told if line["from"] == "client" and isinstance(line.get("message"), dict)]
        methods = [message.get("method") for message in asked]
        hello = next((message["params"] for message in asked if message.get("method") == "initialize"), None)
        if hello is None:
            # From 2026-07-28 on, each request contains it.
            metas = [message["params"]["_meta"] for message in asked if "_meta" in (message.get("params") or {})]
            about = next((meta for meta in metas if any("clientInfo" in name for name in meta)), {})
            hello = {name.rpartition("/")[2].replace("clientCapabilities", "capabilities"): about[name] for name in about}
        facts = {
            "requests": len(requests), "answers": [line["answer"][:60] for line in requests],
            "first_bytes": first.get("bytes"), "first_tools": first.get("tools"),
            "first_tools_bytes": first.get("tools_bytes"), "last_bytes": requests[-1]["bytes"] if requests else None,
            "results_bytes": [line["bytes"] for line in results],
            "folder": next((line["text"] == str(self.work) for line in told if line["from"] == "folder"), None),
            "sees_path": any(str(self.out / name) in re.sub(r"\\+", r"\\", line["text"])
                             for line in results for name in FILES),
            "sees_link": bool(links), "links": [line.get("status") for line in links.values()],
            "links_after": [status(link) for link in links] if self.url else [],
            "pictures": requests[-1]["pictures"] if requests else 0,
            "pictures_as_text": requests[-1]["pictures_as_text"] if requests else 0,
            "client": hello.get("clientInfo"), "revision": hello.get("protocolVersion"),
            "capabilities": hello.get("capabilities"),
            "methods": {method: methods.count(method) for method in dict.fromkeys(methods) if method},
        }
        called = [line["time"] for line in told if '"python__run"' in json.dumps(line) and line["from"] == "client"]
        ended = [line["time"] for line in results if line["result"] == self.steps]
        facts["call_seconds"] = round(ended[-1] - called[0], 1) if called and ended else None
        wrong = []
        if not requests:
            wrong.append("the model was not asked")
        elif len(results) < self.steps:
            wrong.append(f"{len(results)} of {self.steps} calls came back; the model said last: {requests[-1]['answer']!r}")
        for line in results:
            if line["result"] == self.steps and not re.search(r'"status\\*": ?\\*"success', line["text"]):
                wrong.append("the script's result is not seen: " + line["text"][:300])
        if self.url:
            good = [line for line in links.values() if line.get("status") == 200]
            for kind in FILES.values():
                if not any(line["head"] == repr(kind) for line in good):
                    wrong.append(f"no link that works to a file that begins with {kind!r}")
        else:
            for name, kind in FILES.items():
                file = self.out / name
                if not file.is_file() or file.read_bytes()[:4] != kind:
                    wrong.append(f"{name} is not in the folder")
            if not facts["sees_path"]:
                wrong.append("the model does not see the path")
        if code != 0:
            wrong.append(f"exit code {code}")
        return wrong, facts


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def status(url):
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError as error:
        return str(error)


def install(options, name):
    """One folder for each client of npm, one environment for each group of frameworks."""
    packages, venv, _ = CLIENTS[name]
    if not venv:
        npm(options, "node", NODE)
        return npm(options, name, *packages)
    folder = options.base / "venv" / venv
    wanted = sorted({package for others, group, _ in CLIENTS.values() if group == venv for package in others})
    if marked(folder, wanted):
        return
    if not (folder / "bin/python").exists():
        call([sys.executable, "-m", "venv", str(folder)])
        call([str(folder / "bin/python"), "-m", "pip", "install", "--quiet", "--upgrade", "pip"])
    call([str(folder / "bin/python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--prefer-binary",
          "--retries", "2", *wanted])
    (folder / "installed").write_text("\n".join(wanted))


def npm(options, name, *packages):
    folder = options.base / "npm" / name
    if marked(folder, sorted(packages)):
        return
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text('{ "private": true }')
    more = os.pathsep.join([str(options.base / "npm/node/node_modules/node/bin"), os.environ["PATH"]])
    call(["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=2",
          *packages], env={**os.environ, "PATH": more})
    (folder / "installed").write_text("\n".join(sorted(packages)))


def marked(folder, wanted):
    mark = folder / "installed"
    return mark.exists() and mark.read_text().split("\n") == wanted


def call(command, **more):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900, **more)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Skipped(str(error)) from error
    if done.returncode:
        raise Skipped("cannot be installed: " + " ".join(done.stdout.split()[-60:]))


# Clients that are programs.


@client("claude-code", "@anthropic-ai/claude-code@2.1.328")
def claude_code(run):
    kind = {"type": "http"} if run.url else {"type": "stdio"}
    servers = run.write(run.home / "mcp.json", {"mcpServers": {"mitt": {**kind, **run.server()}}})
    command = [run.bin("claude"), "-p", PROMPT, "--mcp-config", servers, "--strict-mcp-config", "--allowedTools",
               "mcp__mitt", "--model", "claude-sonnet-4-5", "--output-format", "stream-json", "--verbose"]
    return command, {
        "ANTHROPIC_BASE_URL": run.model, "ANTHROPIC_API_KEY": "none", "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_ERROR_REPORTING": "1",
    }


@client("codex", "@openai/codex@0.169.0")
def codex(run):
    settings = {
        "model": "gpt-5", "model_provider": "scripted", "check_for_update_on_startup": False,
        "model_providers.scripted.name": "scripted", "model_providers.scripted.base_url": run.model + "/v1",
        "model_providers.scripted.wire_api": "responses", "model_providers.scripted.env_key": "SCRIPTED_KEY",
        "analytics.enabled": False,
        **{f"mcp_servers.mitt.{name}": value for name, value in run.server().items()},
    }
    given = [part for name, value in settings.items() for part in ("-c", f"{name}={json.dumps(value)}")]
    return [run.bin("codex"), "exec", "--skip-git-repo-check", *given, PROMPT], {"SCRIPTED_KEY": "none"}


def gemini_like(run, folder, program, kind, more, environment):
    run.write(run.home / folder / "settings.json", {
        "mcpServers": {"mitt": run.server("httpUrl")},
        "security": {"auth": {"selectedType": kind}, "folderTrust": {"enabled": False}},
        "privacy": {"usageStatisticsEnabled": False}, "telemetry": {"enabled": False},
        "general": {"enableAutoUpdate": False, "disableAutoUpdate": True, "disableUpdateNag": True},
    })
    return [run.bin(program), "--yolo", *more, "-p", PROMPT], environment


@client("gemini-cli", "@google/gemini-cli@0.61.0")
def gemini_cli(run):
    return gemini_like(run, ".gemini", "gemini", "gemini-api-key", ["-m", "gemini-2.5-flash"], {
        "GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": run.model, "GEMINI_TELEMETRY_ENABLED": "false",
        "GEMINI_CLI_TRUST_WORKSPACE": "true"})


@client("qwen-code", "@qwen-code/qwen-code@0.24.4")
def qwen_code(run):
    return gemini_like(run, ".qwen", "qwen", "openai", ["-m", "scripted"], {
        "OPENAI_API_KEY": "none", "OPENAI_BASE_URL": run.model + "/v1", "OPENAI_MODEL": "scripted",
        "QWEN_TELEMETRY_ENABLED": "false"})


@client("opencode", "opencode-ai@1.18.33")
def opencode(run):
    mitt = {"type": "remote", "url": run.url} if run.url else {"type": "local", "command": [run.command, *run.args]}
    run.write(run.work / "opencode.json", {
        "mcp": {"mitt": {**mitt, "enabled": True}}, "model": "scripted/scripted", "autoupdate": False, "share": "disabled",
        "provider": {"scripted": {
            "npm": "@ai-sdk/openai-compatible", "name": "scripted",
            "options": {"baseURL": run.model + "/v1", "apiKey": "none"}, "models": {"scripted": {"name": "scripted"}}}},
    })
    return [run.bin("opencode"), "run", "--print-logs", PROMPT], {
        "OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1"}


@client("cline", "cline@3.0.65")
def cline(run):
    kind = {"type": "streamableHttp"} if run.url else {}
    settings = run.home / ".cline/data/settings"
    run.write(settings / "cline_mcp_settings.json", {"mcpServers": {"mitt": run.server(**kind)}})
    run.write(settings / "providers.json", {"version": 1, "lastUsedProvider": "openai-compatible", "providers": {
        "openai-compatible": {"settings": {"provider": "openai-compatible", "apiKey": "none", "model": "scripted",
                                           "baseUrl": run.model + "/v1"},
                              "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual"}}})
    return [run.bin("cline"), "--json", PROMPT], {"CLINE_TELEMETRY_DISABLED": "1", "CLINE_NO_AUTO_UPDATE": "1"}


@client("continue", "@continuedev/cli@1.5.47")
def continue_cli(run):
    kind = {"type": "streamable-http"} if run.url else {"type": "stdio"}
    settings = run.write(run.home / "config.yaml", {  # JSON is YAML too
        "name": "story", "version": "1.0.0", "schema": "v1",
        "models": [{"name": "scripted", "provider": "openai", "model": "scripted", "apiKey": "none",
                    "apiBase": run.model + "/v1", "roles": ["chat"], "capabilities": ["tool_use"]}],
        "mcpServers": [{"name": "mitt", **kind, **run.server()}],
    })
    return [run.bin("cn"), "--config", settings, "--auto", "-p", PROMPT], {
        "CONTINUE_CLI_ENABLE_TELEMETRY": "0", "CONTINUE_TELEMETRY_ENABLED": "0", "CONTINUE_CLI_AUTO_UPDATED": "1"}


# Frameworks: `frameworks.py` and `frameworks.mjs` have a function for each.

OPENAI = "langchain-openai==1.7.4"
FRAMEWORKS = [
    ("langchain", "shared", ["langchain-mcp-adapters==0.3.2", "langchain==1.5.0", OPENAI, "mcp==1.30.0"]),
    ("langchain-session", "shared", ["langchain-mcp-adapters==0.3.2"]),
    ("openai-agents", "shared", ["openai-agents==0.24.0"]),
    ("smolagents-code", "shared", ["smolagents[mcp,openai]==1.26.0"]),
    ("smolagents-tools", "shared", ["smolagents[mcp,openai]==1.26.0"]),
    ("ai-sdk", None, ["ai@7.0.173", "@ai-sdk/mcp@2.0.99", "@ai-sdk/openai@4.0.118"]),
    ("llamaindex", "llamaindex", ["llama-index-tools-mcp==0.6.0", "llama-index-llms-openai-like==0.8.1"]),
    ("autogen", "autogen", ["autogen-ext[mcp,openai]==0.7.5", "autogen-agentchat==0.7.5", "mcp==1.30.0"]),
    ("pydantic-ai", "shared", ["pydantic-ai-slim[openai,mcp]==2.68.0"]),
    ("adk", "adk", ["google-adk[mcp]==2.13.0"]),
    ("semantic-kernel", "semantic-kernel", ["semantic-kernel[mcp]==1.45.0"]),
    ("agno", "agno", ["agno[mcp]==3.1.10", "openai==2.54.0"]),
    ("crewai", "crewai", ["crewai==1.15.30", "crewai-tools[mcp]==1.15.30"]),
    ("strands", "strands", ["strands-agents[openai]==1.62.0"]),
    ("mcp-agent", "mcp-agent", ["mcp-agent[openai]==0.2.6", "mcp==1.30.0"]),
    ("mcp-use", "mcp-use", ["mcp-use==1.7.1", OPENAI]),
    ("mcpo", "mcpo", ["mcpo==0.0.20", "mcp==1.30.0", "fastapi==0.128.0"]),
    ("fastmcp", "fastmcp", ["fastmcp==4.1.6"]),
    ("mastra", None, ["@mastra/core@1.71.0", "@mastra/mcp@2.0.0", "@ai-sdk/openai@4.0.118"]),
]
for name, group, needed in FRAMEWORKS:
    client(name, *needed, venv=group)(lambda run: (run.agent(), {
        "OPENAI_API_KEY": "none", "OPENAI_BASE_URL": run.model + "/v1", "OPENAI_AGENTS_DISABLE_TRACING": "1",
        "CREWAI_DISABLE_TELEMETRY": "true", "CREWAI_TRACING_ENABLED": "false", "AGNO_TELEMETRY": "false",
        "MCP_USE_ANONYMIZED_TELEMETRY": "false", "MASTRA_TELEMETRY_DISABLED": "1", "GOOGLE_API_KEY": "none",
        "GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": run.model}))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=list(CLIENTS), default=list(CLIENTS))
    parser.add_argument("--list", action="store_true", help="the clients and their versions")
    parser.add_argument("--transport", choices=["stdio", "http", "both"], default="both")
    parser.add_argument("--tools", choices=["all", "script", "catalogue"], default="script")
    parser.add_argument("--chart", action="store_true", help="a chart too: a picture in the result")
    parser.add_argument("--delay", type=float, default=0, help="seconds to hold the script's answer back")
    parser.add_argument("--timeout", type=float, default=180, help="seconds for each client")
    parser.add_argument("--base", type=Path, default=CHECKOUT / "target/mcp-story", help="for installations and logs")
    parser.add_argument("--mitt", default=os.environ.get("MITT", str(CHECKOUT / "target/debug/mitt")), help="the program")
    parser.add_argument("--cache", type=Path, default=CHECKOUT / "target/mitt-cache", help="compiled components")
    parser.add_argument("--yoy", type=Path, default=CHECKOUT / "examples/yoy", help="the folder of the two reports")
    options = parser.parse_args()
    if options.list:
        for name, (packages, *_) in CLIENTS.items():
            print(f"{name}: {' '.join(packages)}")
        return 0
    for path in ("base", "cache", "yoy"):
        setattr(options, path, getattr(options, path).resolve())
    options.mitt = str(Path(options.mitt).resolve())
    options.base.mkdir(parents=True, exist_ok=True)
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for name in options.only:
        version = CLIENTS[name][0][0].rpartition("@")[2].rpartition("==")[2]
        try:
            install(options, name)
        except Skipped as reason:
            counts["skipped"] += 1
            print(f"{name} {version}: skipped: {reason}", flush=True)
            continue
        for transport in ["stdio", "http"] if options.transport == "both" else [options.transport]:
            run = Run(options, name, transport)
            try:
                code, seconds = run.play()
                wrong, facts = run.judge(code)
            finally:
                run.end()
            counts["failed" if wrong else "passed"] += 1
            with open(options.base / "results.jsonl", "a", encoding="utf-8") as file:
                line = {"client": name, "version": version, "transport": transport, "tools": options.tools,
                        "wrong": wrong, "seconds": round(seconds, 1), "facts": facts}
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
            print(f"{name} {version} {transport} --tools {options.tools}: {'FAILED' if wrong else 'passed'}, "
                  f"{seconds:.1f} s, first request {facts['first_bytes']} bytes"
                  + "".join(f"\n  {reason}" for reason in wrong), flush=True)
    print(", ".join(f"{number} {word}" for word, number in counts.items()))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
