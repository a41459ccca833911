#!/usr/bin/env python3
"""Starts the PyPI package `open-webui`, unchanged, and drives it as a client of `mitt serve`.

    open_webui.py BASE_URL KEY MODEL_URL

BASE_URL and KEY belong to the server, whose model `mock` is the `mock_model.py` beside this file; MODEL_URL is the address
of that model with `/v1`. Open WebUI is a client of both: of Mitt's models and tools, and of the scripted model as one that
Open WebUI asks itself and gives Mitt's tools to. Its own web page sends the same requests as this file.

Run it with a Python in which `open-webui` is installed. One line for each check; the exit code is 1 if one failed.
"""

import importlib.metadata
import json
import os
import pathlib
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import uuid

START_SECONDS = 300
ANSWER_SECONDS = 60
FAILED = []
DELIVER = '[python]\nimport report\nprint(report.deliver("# Hello", filename="hello.pdf").name)\n[/python]'
TABLE = {"columns": ["a", "b"], "rows": [["x", 3], ["y", 1], ["z", 2]]}
SORT = f'[function table_tool__sort {json.dumps({"data": TABLE, "keys": [{"column": "b", "order": "ascending"}]})}]'
# Nothing is loaded from the network: neither models nor news.
OFFLINE = {
    "OFFLINE_MODE": "true", "HF_HUB_OFFLINE": "1", "RAG_EMBEDDING_ENGINE": "openai", "ENABLE_OLLAMA_API": "false",
    "BYPASS_EMBEDDING_AND_RETRIEVAL": "true", "AUDIO_STT_ENGINE": "openai", "ENABLE_VERSION_UPDATE_CHECK": "false",
    "SCARF_NO_ANALYTICS": "true", "DO_NOT_TRACK": "true", "ANONYMIZED_TELEMETRY": "false",
}


def check(name, found, expected=True):
    """Prints whether a check passed."""
    if found == expected:
        print(f"ok    {name}", flush=True)
    else:
        print(f"FAIL  {name}: expected {expected!r}, got {found!r}", flush=True)
        FAILED.append(name)
    return found == expected


def fetched(address):
    with urllib.request.urlopen(address, timeout=60) as answer:
        return answer.read()


class WebUi:
    """A server of Open WebUI, and its first user, an administrator."""

    def __init__(self, address):
        self.address = address
        self.token = None

    def request(self, path, body=None, content_type="application/json"):
        """Returns status and body of a response: a value if it is JSON, text otherwise."""
        data = json.dumps(body).encode() if body is not None and not isinstance(body, bytes) else body
        asked = urllib.request.Request(self.address + path, data=data, headers={"Content-Type": content_type})
        if self.token:
            asked.add_header("Authorization", f"Bearer {self.token}")
        try:
            with urllib.request.urlopen(asked, timeout=120) as answer:
                status, text = answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read().decode()
        try:
            return status, json.loads(text)
        except ValueError:
            return status, text

    def sign_up(self):
        person = {"name": "Admin", "email": "admin@example.org", "password": secrets.token_hex(12)}
        status, answer = self.request("/api/v1/auths/signup", person)
        if check("the first user signs up", (status, answer.get("role")), (200, "admin")):
            self.token = answer["token"]
        return self.token is not None

    def connect(self, base, key, model_url, api_type="chat_completions"):
        """Connects Open WebUI to Mitt and to the scripted model; returns the names of models."""
        settings = {
            "ENABLE_OPENAI_API": True,
            "OPENAI_API_BASE_URLS": [base + "/v1", model_url],
            "OPENAI_API_KEYS": [key, "mock"],
            "OPENAI_API_CONFIGS": {"0": {"enable": True, "api_type": api_type}},
        }
        self.request("/openai/config/update", settings)
        return [it["id"] for it in self.request("/api/models?refresh=true")[1]["data"]]

    def chat(self, model, text, tools=(), files=(), chat=None, tasks=None):
        """Says something as the page does, in a new chat or after the last answer of `chat`; returns chat and answer."""
        question, answer = str(uuid.uuid4()), str(uuid.uuid4())
        before = self.messages(chat) if chat else {}
        parent = self.request(f"/api/v1/chats/{chat}")[1]["chat"]["history"]["currentId"] if chat else None
        message = {
            "id": question, "parentId": parent, "childrenIds": [], "role": "user", "content": text,
            "timestamp": int(time.time()), "models": [model], "files": list(files),
        }
        said = [{"role": it["role"], "content": it["content"]} for it in before.values()]
        body = {
            "model": model, "stream": True, "messages": [*said, {"role": "user", "content": text}],
            "session_id": "test", "id": answer, "parent_id": parent, "user_message": message,
            "tool_ids": list(tools), "files": list(files), "background_tasks": tasks or {},
        }
        if chat:
            body["chat_id"] = chat
        status, begun = self.request("/api/chat/completions", body)
        assert status == 200, (status, begun)
        end = time.monotonic() + ANSWER_SECONDS
        while time.monotonic() < end:
            found = self.messages(begun["chat_id"]).get(answer, {})
            if found.get("done"):
                return begun["chat_id"], found
            time.sleep(0.2)
        raise TimeoutError(f"no answer to {text!r}: {found}")

    def messages(self, chat):
        return self.request(f"/api/v1/chats/{chat}")[1]["chat"]["history"]["messages"]

    def upload(self, name, content):
        """Attaches a file, and waits until Open WebUI has read it; returns what a message says of it."""
        edge = uuid.uuid4().hex
        head = f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
        body = f"{head}Content-Type: text/csv\r\n\r\n".encode() + content + f"\r\n--{edge}--\r\n".encode()
        _, file = self.request("/api/v1/files/", body, f"multipart/form-data; boundary={edge}")
        end = time.monotonic() + ANSWER_SECONDS
        while self.request(f"/api/v1/files/{file['id']}")[1]["data"].get("status") == "pending":
            assert time.monotonic() < end, "the file is not read"
            time.sleep(0.2)
        return {"type": "file", "file": file, "id": file["id"], "url": file["id"], "name": name, "status": "uploaded"}


def outputs(answer):
    """Returns the results of the calls of an answer."""
    found = [it for it in answer["output"] if it["type"] == "function_call_output"]
    return ["".join(part.get("text", "") for part in it["output"]) for it in found]


def models(ui, base, key, model_url):
    """Mitt as a model."""
    status, answer = ui.request("/openai/verify", {"url": base + "/v1", "key": key, "config": {}})
    check("the connection is verified", (status, "mock" in str(answer)), (200, True))
    status, answer = ui.request("/openai/verify", {"url": base + "/v1", "key": "wrong", "config": {}})
    check("a wrong key is refused", status, 401)
    names = ui.connect(base, key, model_url)
    check("the models are listed", ("mock" in names, "scripted" in names), (True, True))

    plain = {"model": "mock", "messages": [{"role": "user", "content": "[say Hello from Mitt]"}]}
    _, answer = ui.request("/api/chat/completions", {**plain, "stream": False})
    check("its API answers", answer["choices"][0]["message"]["content"], "Hello from Mitt")
    _, events = ui.request("/api/chat/completions", {**plain, "stream": True})
    data = [it[6:] for it in events.split("\n") if it.startswith("data: ")]
    pieces = [json.loads(it)["choices"][0]["delta"].get("content") or "" for it in data[:-1]]
    check("its API streams", (data[-1], "".join(pieces), len(pieces) > 2), ("[DONE]", "Hello from Mitt", True))

    chat, answer = ui.chat("mock", DELIVER)
    link = re.search(r"\[hello\.pdf\]\((http[^)]*)\)", answer["content"])
    check("a delivered file is a link in the answer", bool(link))
    check("the link downloads", bool(link) and fetched(link[1])[:4], b"%PDF")
    _, answer = ui.chat("mock", "[say And so on]", chat=chat)
    check("the chat goes on", answer["content"], "And so on")
    _, answer = ui.chat("mock", "[function get_current_timestamp {}]")
    check("a tool of Open WebUI is called", "current_timestamp" in answer["content"] and len(outputs(answer)), 1)
    _, answer = ui.chat("mock", "What is in the file?", files=[ui.upload("two.csv", b"a,b\n17,4\n")])
    check("an attached file arrives as text", "17,4" in answer["content"] or "b: 4" in answer["content"])
    _, answer = ui.chat("mock", "[fail]")
    check("an error is shown", "scripted failure" in json.dumps(answer.get("error")))
    chat, _ = ui.chat("mock", '[say {"title": "Sales by month"}]', tasks={"title_generation": True})
    end = time.monotonic() + ANSWER_SECONDS
    title = None
    while title != "Sales by month" and time.monotonic() < end:
        title = ui.request(f"/api/v1/chats/{chat}")[1]["title"]
        time.sleep(0.2)
    check("Mitt makes the title", title, "Sales by month")


def responses(ui, base, key, model_url):
    """Mitt as a model, with the API type *Responses*."""
    ui.connect(base, key, model_url, "responses")
    chat, answer = ui.chat("mock", DELIVER)
    calls = [it["name"] for it in answer["output"] if it["type"] == "mcp_call"]
    check("responses: the answer shows Mitt's calls", calls, ["python__run"])
    link = re.search(r"\[hello\.pdf\]\((http[^)]*)\)", answer["content"])
    check("responses: the link downloads", bool(link) and fetched(link[1])[:4], b"%PDF")
    _, answer = ui.chat("mock", "[say And so on]", chat=chat)
    check("responses: the chat goes on", answer["content"], "And so on")
    _, answer = ui.chat("mock", "[function get_current_timestamp {}]")
    check("responses: a tool of Open WebUI is called", "current_timestamp" in answer["content"])
    ui.connect(base, key, model_url)


def tools(ui, base, key):
    """Mitt as a tool server of type OpenAPI, and of type MCP."""
    server = {
        "url": base, "path": "v1/tools/openapi.json", "type": "openapi", "auth_type": "bearer", "key": key,
        "config": {"enable": True}, "info": {"id": "mitt", "name": "Mitt", "description": ""},
    }
    status, document = ui.request("/api/v1/configs/tool_servers/verify", server)
    check("tools: the server is verified", (status, "/v1/tools/table_tool__sort" in document["paths"]), (200, True))
    mcp = {**server, "url": base + "/mcp", "path": "", "type": "mcp", "info": {"id": "mcp", "name": "MCP"}}
    status, answer = ui.request("/api/v1/configs/tool_servers/verify", mcp)
    check("MCP: the server is verified", (status, "python__run" in str(answer)), (200, True))
    ui.request("/api/v1/configs/tool_servers", {"TOOL_SERVER_CONNECTIONS": [server, mcp]})
    listed = {it["id"] for it in ui.request("/api/v1/tools/")[1]}
    check("tools: both servers are listed", {"server:mitt", "server:mcp:mcp"} <= listed)

    _, answer = ui.chat("scripted", "[offered]", ["server:mitt"])
    names = set(answer["content"].split())
    wanted = {it["post"]["operationId"] for it in document["paths"].values()}
    check("tools: the model gets all of them", wanted - names, set())
    _, answer = ui.chat("scripted", "[offered table_tool__sort]", ["server:mitt"])
    offered = json.loads(answer["content"])["parameters"]
    has = set(offered["properties"]) >= {"data", "keys", "limit"}
    check("tools: they have parameters", (has, offered["required"]), (True, ["data", "keys"]))
    order = offered["properties"]["keys"]["items"]["properties"]["order"]
    check("tools: parameters have their own schemas", order.get("enum"), ["ascending", "descending"])

    _, answer = ui.chat("scripted", SORT, ["server:mitt"])
    rows = json.loads(outputs(answer)[0])["data"]["rows"]
    check("tools: a call is made", rows, [["y", 1], ["z", 2], ["x", 3]])
    code = 'import report\nprint(report.deliver("# Hello", filename="hello.pdf").name)'
    call = json.dumps({"code": code})
    _, answer = ui.chat("scripted", f"[function python__run {call}]", ["server:mitt"])
    (file,) = json.loads(outputs(answer)[0])["files"]
    check("tools: a delivered file downloads", (file["name"], fetched(file["url"])[:4]), ("hello.pdf", b"%PDF"))
    _, answer = ui.chat("scripted", '[function table_tool__sort {"data": 1, "keys": 2}]', ["server:mitt"])
    check("tools: an error names the place", "/keys" in outputs(answer)[0])
    _, answer = ui.chat("scripted", "[function document_tool__list_documents {}]", ["server:mitt"])
    check("tools: a call without arguments is made", "error" not in outputs(answer)[0][:20])
    _, answer = ui.chat("mock", SORT, ["server:mitt"])
    check("tools: a model of Mitt refuses them", "is a tool of Mitt" in json.dumps(answer.get("error")))
    _, answer = ui.chat("scripted", f"[function mcp_python__run {call}]", ["server:mcp:mcp"])
    (file,) = json.loads(outputs(answer)[0])["files"]
    check("MCP: a delivered file downloads", fetched(file["url"])[:4], b"%PDF")

    container = urllib.request.Request(base + "/v1/containers", data=b'{"name": "work"}')
    container.add_header("Authorization", f"Bearer {key}")
    container.add_header("Content-Type", "application/json")
    server["headers"] = {"X-Mitt-Session": json.loads(fetched(container))["id"]}
    ui.request("/api/v1/configs/tool_servers", {"TOOL_SERVER_CONNECTIONS": [server]})
    for code in ("open('kept.csv', 'w').write('a,b')", "open('kept.csv').read()"):
        call = json.dumps({"code": code})
        _, answer = ui.chat("scripted", f"[function python__run {call}]", ["server:mitt"])
    check("tools: files of a container stay", json.loads(outputs(answer)[0])["result"], "a,b")


def free_port():
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        return it.getsockname()[1]


def started(folder, log):
    """Starts Open WebUI; returns its process and address when it answers."""
    port = free_port()
    environment = {**os.environ, **OFFLINE, "DATA_DIR": str(folder), "WEBUI_SECRET_KEY": secrets.token_hex(32)}
    program = pathlib.Path(sys.executable).parent / "open-webui"
    command = [str(program), "serve", "--host", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT)
    address = f"http://127.0.0.1:{port}"
    end = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < end:
        try:
            fetched(address + "/health")
            return process, address
        except OSError:
            time.sleep(0.5)
    return process, None


def main():
    base, key, model_url = sys.argv[1].rstrip("/"), sys.argv[2], sys.argv[3]
    print(f"open-webui {importlib.metadata.version('open-webui')}", flush=True)
    folder = pathlib.Path(tempfile.mkdtemp())
    with open(folder / "log", "w+", encoding="utf-8") as log:
        process, address = started(folder, log)
        try:
            ui = WebUi(address)
            if check("Open WebUI starts", address is not None) and ui.sign_up():
                models(ui, base, key, model_url)
                responses(ui, base, key, model_url)
                tools(ui, base, key)
        finally:
            process.terminate()
            process.wait()
            if FAILED or sys.exc_info()[0]:
                log.seek(0)
                print("".join(log.readlines()[-40:]))
            shutil.rmtree(folder, ignore_errors=True)
    if FAILED:
        print(f"open-webui: failed: {', '.join(FAILED)}")
        sys.exit(1)


if __name__ == "__main__":
    main()
