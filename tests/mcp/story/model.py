"""A model that follows a script, behind the APIs of the services that clients use.

It finds Mitt's tools among those that a client offers, under whatever names, makes the calls of the script one after
another, and ends with a text that names the files. So the client's own loop runs, at no cost.

Supports OpenAI chat completions and responses, Anthropic messages, and Gemini, each with and without streaming. Needs only
Python's standard library.

    python model.py SCRIPT.json LOG.jsonl        # prints its address

The script is a list of `{"tool": …, "arguments": {…}}`. The log has a line for each request (`request`: sizes in bytes,
tools, what was answered) and one for each result that the client passed on (`result`: the text that a model would see).
The requests themselves are beside it, in `LOG.jsonl.d`.
"""

import json
import os
import re
import sys
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PNG = "iVBORw0KGgo"
NAME = "scripted"
# Tools with which a client expects a model to finish, with the argument for the text.
LAST = {"final_answer": "answer", "attempt_completion": "result", "submit_and_exit": "result"}
# Tools with which a model searches deferred tools, and those with which it calls them.
FINDERS = ("ToolSearch", "tool_search", "search_tools")
CALLERS = ("tool_call",)


def plain(name):
    return re.sub(r"[^a-z0-9]+", "_", name.lower())


def find(tools, wanted):
    """Returns the client's name for a tool of Mitt: one with the server's name before the client's own, then the shortest."""
    names = [name for name in tools if plain(name).endswith(plain(wanted))]
    return min(names, key=lambda name: ("mitt" not in name, len(name)), default=None)


def size(value):
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


def text_of(content):
    """Returns the text of a result as the model sees it."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(text_of(part) for part in content)
    if isinstance(content, dict):
        if content.get("type") in ("text", "input_text", "output_text"):
            return str(content.get("text"))
        if content.get("type") in ("image", "image_url", "input_image") or "inlineData" in content:
            return "[image]"
        if set(content) == {"output"}:
            return text_of(content["output"])
    return json.dumps(content, ensure_ascii=False)


def pictures(value, inside=False):
    """Returns how often a PNG is in a request as a picture, and how often as text."""
    if isinstance(value, str):
        count = value.count(PNG)
        return (count, 0) if inside else (0, count)
    if isinstance(value, list):
        counts = [pictures(part, inside) for part in value]
    elif isinstance(value, dict):
        inside = inside or value.get("type") in ("image", "input_image")
        shown = ("image_url", "source", "inlineData", "inline_data")
        # A function result for Gemini is JSON, whatever it contains.
        counts = [(0, json.dumps(part).count(PNG)) if key == "response" else pictures(part, inside or key in shown)
                  for key, part in value.items()]
    else:
        counts = []
    return tuple(map(sum, zip(*counts))) if counts else (0, 0)


class Answer:
    """What the model says: a text, or the call of a tool, which may be in a namespace of the client."""

    def __init__(self, text=None, call=None, id=None, arguments=None, namespace=None):
        self.text, self.call, self.id, self.arguments, self.namespace = text, call, id, arguments, namespace
        self.json = json.dumps(arguments, ensure_ascii=False)


def events(*items):
    """Writes server-sent events, with their type if they have one."""
    for item in items:
        named = f"event: {item['type']}\n" if isinstance(item, dict) and "type" in item else ""
        yield named + "data: " + (item if isinstance(item, str) else json.dumps(item, ensure_ascii=False)) + "\n\n"


class Chat:
    """OpenAI chat completions."""

    def tools(self, request):
        tools = {}
        for tool in request.get("tools") or []:
            tool = tool.get("function", tool)
            tools[tool.get("name")] = tool.get("parameters")
        return tools

    def results(self, request):
        for message in request["messages"]:
            if message.get("role") == "tool":
                yield message.get("tool_call_id"), None, message.get("content")

    def answer(self, request, answer):
        base = {"id": f"chatcmpl-{time.time_ns()}", "created": int(time.time()), "model": request.get("model", NAME)}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        reason = "tool_calls" if answer.call else "stop"
        message = {"role": "assistant", "content": answer.text}
        if answer.call:
            function = {"name": answer.call, "arguments": answer.json}
            message["tool_calls"] = [{"id": answer.id, "type": "function", "function": function}]
        if not request.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": reason}
            return {**base, "object": "chat.completion", "choices": [choice], "usage": usage}
        for call in message.get("tool_calls", []):
            call["index"] = 0
        base["object"] = "chat.completion.chunk"
        return events(
            {**base, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
            {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
            {**base, "choices": [], "usage": usage},
            "[DONE]",
        )


class Responses:
    """OpenAI responses. Codex groups the tools of a server in a namespace."""

    def tools(self, request):
        tools = {}
        for tool in self.offered(request):
            if tool.get("type") == "namespace":
                for inner in tool["tools"]:
                    tools[f"{tool['name']}\n{inner['name']}"] = inner.get("parameters")
            else:
                tools[tool.get("name") or tool.get("type")] = tool.get("parameters")
        return tools

    def offered(self, request):
        yield from request.get("tools") or []
        for item in self.items(request):
            if item.get("type") in ("tool_search_output", "additional_tools"):
                yield from item.get("tools") or []

    def items(self, request):
        return [item for item in request.get("input") or [] if isinstance(item, dict)]

    def results(self, request):
        for item in self.items(request):
            if str(item.get("type")).endswith("call_output"):
                yield item.get("call_id"), None, item.get("output")

    def answer(self, request, answer):
        if answer.call == "tool_search":
            item = {"type": "tool_search_call", "id": "ts_1", "call_id": answer.id, "execution": "client",
                    "arguments": answer.arguments, "status": "completed"}
        elif answer.call:
            item = {"type": "function_call", "id": f"fc_{answer.id}", "call_id": answer.id, "name": answer.call,
                    "arguments": answer.json, "status": "completed"}
            if answer.namespace:
                item["namespace"] = answer.namespace
        else:
            content = {"type": "output_text", "text": answer.text, "annotations": []}
            item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [content]}
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2,
                 "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        response = {"id": f"resp_{time.time_ns()}", "object": "response", "created_at": int(time.time()),
                    "model": request.get("model", NAME), "parallel_tool_calls": False, "tool_choice": "auto", "tools": []}
        begun = {**response, "status": "in_progress", "output": []}
        done = {**response, "status": "completed", "output": [item], "usage": usage}
        if not request.get("stream"):
            return done
        at = {"output_index": 0, "item_id": item["id"]}
        if item["type"] == "message":
            part = {"content_index": 0, **at}
            inner = [
                {"type": "response.content_part.added", **part, "part": {**content, "text": ""}},
                {"type": "response.output_text.delta", **part, "delta": answer.text, "logprobs": []},
                {"type": "response.output_text.done", **part, "text": answer.text, "logprobs": []},
                {"type": "response.content_part.done", **part, "part": content},
            ]
            empty = {**item, "status": "in_progress", "content": []}
        elif item["type"] == "function_call":
            inner = [
                {"type": "response.function_call_arguments.delta", **at, "delta": answer.json},
                {"type": "response.function_call_arguments.done", **at, "arguments": answer.json, "name": answer.call},
            ]
            empty = {**item, "status": "in_progress", "arguments": ""}
        else:
            inner, empty = [], item
        told = [
            {"type": "response.created", "response": begun},
            {"type": "response.output_item.added", "output_index": 0, "item": empty},
            *inner,
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": done},
        ]
        return events(*({**event, "sequence_number": number} for number, event in enumerate(told)))


class Messages:
    """Anthropic messages."""

    def tools(self, request):
        return {tool.get("name"): tool.get("input_schema") for tool in request.get("tools") or []}

    def results(self, request):
        for message in request["messages"]:
            for part in message["content"] if isinstance(message["content"], list) else []:
                if part.get("type") == "tool_result":
                    yield part.get("tool_use_id"), None, part.get("content")

    def answer(self, request, answer):
        message = {"id": f"msg_{time.time_ns()}", "type": "message", "role": "assistant",
                   "model": request.get("model", NAME), "stop_sequence": None,
                   "usage": {"input_tokens": 1, "output_tokens": 1}}
        reason = "tool_use" if answer.call else "end_turn"
        if answer.call:
            block = {"type": "tool_use", "id": answer.id, "name": answer.call, "input": answer.arguments}
            empty, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": answer.json}
        else:
            block = {"type": "text", "text": answer.text}
            empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": answer.text}
        if not request.get("stream"):
            return {**message, "content": [block], "stop_reason": reason}
        return events(
            {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}},
            {"type": "content_block_start", "index": 0, "content_block": empty},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None},
             "usage": {"output_tokens": 1}},
            {"type": "message_stop"},
        )


class Gemini:
    """Gemini's `generateContent`. Results have names, and ids only in newer clients."""

    def tools(self, request):
        found = {}
        for group in request.get("tools") or []:
            for tool in group.get("functionDeclarations") or group.get("function_declarations") or []:
                found[tool["name"]] = tool.get("parameters") or tool.get("parametersJsonSchema")
        return found

    def results(self, request):
        for content in request.get("contents") or []:
            for part in content.get("parts") or []:
                result = part.get("functionResponse") or part.get("function_response")
                if result:
                    yield result.get("id"), result.get("name"), result.get("response")

    def answer(self, request, answer):
        part = {"text": answer.text}
        if answer.call:
            part = {"functionCall": {"id": answer.id, "name": answer.call, "args": answer.arguments}}
        candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
        whole = {"candidates": [candidate], "modelVersion": NAME, "responseId": "1",
                 "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}}
        return events(whole) if request["stream"] else whole


APIS = [
    (re.compile(r"/chat/completions$"), Chat()),
    (re.compile(r"/responses$"), Responses()),
    (re.compile(r"/messages$"), Messages()),
    (re.compile(r":(generateContent|streamGenerateContent)$"), Gemini()),
]


class Model:
    def __init__(self, script, log):
        self.script, self.log, self.seen, self.count = script, log, set(), 0
        self.lock = threading.Lock()
        self.links, self.activated = {}, set()
        os.makedirs(log + ".d", exist_ok=True)

    def write(self, **line):
        with self.lock, open(self.log, "a", encoding="utf-8") as file:
            file.write(json.dumps({"time": round(time.time(), 2), **line}, ensure_ascii=False) + "\n")

    def reply(self, api, request, length):
        with self.lock:
            self.count += 1
            number = self.count
        with open(f"{self.log}.d/{number:03}.json", "w", encoding="utf-8") as file:
            json.dump(request, file, ensure_ascii=False, indent=1)
        tools = api.tools(request)
        done = self.results(api.results(request))
        code = "" if tools else self.code(request)
        if code or (not done and "final_answer" in tools):
            done = self.results(observations(request))
        answer = self.next(request, tools, done, code)
        shown, as_text = pictures(request)
        self.write(request=number, api=type(api).__name__, stream=bool(request.get("stream")), bytes=length,
                   tools=len(tools), tools_bytes=size(list(api.offered(request)) if hasattr(api, "offered") else
                                                      request.get("tools") or []),
                   step=done, pictures=shown, pictures_as_text=as_text,
                   answer=answer.call or (answer.text or "")[:200])
        return api.answer(request, answer)

    def results(self, results):
        """Logs new results, and returns how many calls of the script are done."""
        done = count = 0
        for id, name, content in results:
            known = re.search(r"mitt_(\d+)", str(id))
            if not known and not (name and any(find([name], step["tool"]) for step in self.script)):
                continue
            count += 1
            number = int(known[1]) if known else count
            done = max(done, number)
            if number not in self.seen and number <= len(self.script):
                self.seen.add(number)
                text = text_of(content)
                self.write(result=number, tool=self.script[number - 1]["tool"], bytes=size(content), text=text)
                self.fetch(text)
        return done

    def fetch(self, text):
        """Opens a link as a user does while the conversation goes on."""
        for url in dict.fromkeys(re.findall(r"http://[^\s\"'\\<>()]+/files/[^\s\"'\\<>()]+", text)):
            try:
                with urllib.request.urlopen(url, timeout=30) as answer:
                    body = answer.read()
                    disposition = answer.headers.get("Content-Disposition", "")
                self.write(link=url, status=answer.status, length=len(body), head=repr(body[:4]), disposition=disposition)
            except OSError as error:
                self.write(link=url, status=getattr(error, "code", 0), error=str(error))
            self.links[url] = True

    def code(self, request):
        """Returns whether the client expects calls as Python code in the text, as CodeAgent of smolagents does."""
        text = json.dumps(request, ensure_ascii=False)
        return "<code>" in text and "documents__add(" in text

    def next(self, request, tools, done, code):
        if done >= len(self.script):
            text = "The workbook and the summary are there. " + " ".join(self.links)
            if code:
                return Answer(text=f"Thought: it is done.\n<code>\nfinal_answer({text!r})\n</code>")
            for name, argument in LAST.items():
                if name in tools:
                    return Answer(call=name, id="call_last", arguments={argument: text})
            return Answer(text=text)
        step = self.script[done]
        if code:
            given = ", ".join(f"{name}={value!r}" for name, value in step["arguments"].items())
            return Answer(text=f"Thought: the next call.\n<code>\nprint({step['tool']}({given}))\n</code>")
        id = f"call_mitt_{done + 1}"

        def call(name, arguments, id=id):
            namespace, _, inner = name.rpartition("\n")
            return Answer(call=inner, namespace=namespace, id=id, arguments=arguments)

        if name := find(tools, step["tool"]):
            return call(name, step["arguments"])
        # With `--tools catalogue` a skill is activated; a client that does not list again uses `call_tool`.
        opener, caller = find(tools, "activate_skill"), find(tools, "call_tool")
        if opener and caller:
            skill = step["tool"].partition("__")[0]
            if skill not in self.activated:
                self.activated.add(skill)
                return call(opener, {"skill": skill}, f"call_open_{self.count}")
            return call(caller, {"name": step["tool"], "arguments": step["arguments"]})
        held = re.search(r"\b\w*mitt\w*" + step["tool"] + r"\b", json.dumps(request))
        for name in CALLERS:
            if name in tools and held and self.count > 1:
                return call(name, {"name": held[0], "arguments": step["arguments"]})
        for name in FINDERS:
            if name in tools and self.count < 12:
                query = f"select:{held[0]}" if held else "mitt " + step["tool"].replace("__", " ")
                return call(name, {"query": query}, f"call_find_{self.count}")
        # A request for a title, a summary or a safety check, which is not part of the script.
        return Answer(text="Reports" if not tools else f"There is no tool {step['tool']}.")


def observations(request):
    """Returns results from a conversation in which the client writes them as text, as smolagents does."""
    number = 0
    for message in request.get("messages") or []:
        if message.get("role") not in ("system", "assistant"):
            for text in re.split(r"(?:^|\n)(?=Observation:|Error:\n)", text_of(message.get("content"))):
                if text.startswith(("Observation:", "Error:\n")):
                    number += 1
                    yield f"mitt_{number}", None, text


class Server(ThreadingHTTPServer):
    """Serves on any free port of this machine, in the background."""

    daemon_threads = True

    def __init__(self, handler):
        super().__init__(("127.0.0.1", 0), handler)
        self.url = "http://127.0.0.1:%d" % self.server_address[1]
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):
        """Ignores connections that ending clients close."""


def handler(model):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def send(self, content, kind="application/json", status=200):
            body = (content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)).encode()
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def do_HEAD(self):
            self.send({})

        def do_GET(self):
            path = self.path.split("?")[0]
            if path.rstrip("/").endswith("models"):
                models = [{"id": NAME, "object": "model", "created": 0, "owned_by": "mitt", "type": "model",
                           "display_name": NAME, "name": f"models/{NAME}"}]
                self.send({"object": "list", "data": models, "models": [] if "codex" in str(self.headers) else models})
            else:
                model.write(get=path)
                self.send({"error": {"message": "not there", "type": "not_found"}}, status=404)

        def do_POST(self):
            if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
                body = b""
                while length := int(self.rfile.readline().split(b";")[0], 16):
                    body += self.rfile.read(length)
                    self.rfile.readline()
                self.rfile.readline()
            else:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            path = self.path.split("?")[0]
            if path.endswith(("/count_tokens", ":countTokens")):
                return self.send({"input_tokens": len(body) // 4, "totalTokens": len(body) // 4})
            api = next((api for pattern, api in APIS if pattern.search(path)), None)
            if not api:
                model.write(post=path, body=body[:500].decode("utf-8", "replace"))
                return self.send({"error": {"message": "not there", "type": "not_found"}}, status=404)
            request = json.loads(body)
            if isinstance(api, Gemini):
                request["stream"] = "stream" in path.rsplit(":")[-1]
            answer = model.reply(api, request, len(body))
            if isinstance(answer, dict):
                self.send(answer)
            else:
                self.send("".join(answer), "text/event-stream")

    return Handler


def serve(script, log):
    return Server(handler(Model(script, log)))


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        print(serve(json.load(file), sys.argv[2]).url, flush=True)
    threading.Event().wait()
