#!/usr/bin/env python3
"""A scripted model: an HTTP server in OpenAI's chat form, deterministic, standard library only.

    mock_model.py [--port 0] [--host 127.0.0.1]

It prints one line, `listening on http://HOST:PORT/v1`, and answers `POST /v1/chat/completions` (also streamed) and
`GET /v1/models`. What it answers depends on the last message:

| last message                        | answer                                                           |
|-------------------------------------|------------------------------------------------------------------|
| a result of a tool                  | `done: ` and the first 200 characters of the result              |
| user, and a plan is wanted          | a plan of one step                                               |
| the host: the form is wrong         | what stands between `[mended]` and `[/mended]`, if the request   |
|                                     | enforces a form; otherwise status 400                            |
| user, and a call is required        | calls the required function, or the last one, with `{}`          |
| user: `[json] TEXT [/json]`         | TEXT                                                             |
| user: `[python] CODE`               | calls `python__run` with CODE, up to `[/python]` or the end      |
| user: `[function NAME JSON]`        | calls the function NAME; several of them are called together     |
| user: `[offered]`, `[offered NAME]` | the names of the offered functions; the function NAME as JSON    |
| user: `[say TEXT]`                  | TEXT                                                             |
| user: `[slow N]`                    | `slow 1 slow 2 … slow N`, one word each 0.1 s                    |
| user: `[fail]`                      | status 400 without an answer                                     |
| user: anything else                 | `echo: ` and the message                                         |

Of several keywords in a message the first in this table counts. Identifiers of calls repeat from request to request, as
those of small models do. `[no call]` makes no call although one is required.
"""

import argparse
import json
import re
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MODEL = "scripted"
PAUSE_SECONDS = 0.1
PIECE_CHARACTERS = 8
PLAN = {
    "title": "A plan",
    "thought": "One step is enough.",
    "has_enough_context": False,
    "steps": [{"id": "s1", "title": "Look", "description": "Say what is there.", "kind": "research", "needs": []}],
}


def text_of(content):
    """Returns the text of a message's content, which is a string or a list of parts."""
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content or [])


def functions_in(text):
    """Returns the calls that `[function NAME JSON]` names."""
    calls = []
    for match in re.finditer(r"\[function ([A-Za-z0-9_-]+)\s*", text):
        rest = text[match.end():]
        arguments = {}
        if rest.startswith("{"):
            arguments, _ = json.JSONDecoder().raw_decode(rest)
        calls.append((match.group(1), arguments))
    return calls


def answer(request):
    """Returns text, calls and the pause between pieces for a request; `None` as text for a failure."""
    messages = request.get("messages") or []
    last = messages[-1] if messages else {}
    text = text_of(last.get("content"))
    if last.get("role") == "tool":
        return "done: " + text[:200], [], 0
    users = [it for it in messages if it.get("role") == "user"]
    text = text_of(users[-1]["content"]) if users else ""
    names = [it["function"]["name"] for it in request.get("tools") or []]
    offered = set(names)
    said = "\n".join(text_of(it.get("content")) for it in users)
    if "The answer does not have the form" in text:
        if (request.get("response_format") or {}).get("type") not in ("json_schema", "json_object"):
            return None, [], 0
        return said.split("[mended]", 1)[1].split("[/mended]", 1)[0], [], 0
    choice = request.get("tool_choice")
    if choice not in (None, "auto", "none") and "[no call]" not in said and "[function" not in text:
        required = choice["function"]["name"] if isinstance(choice, dict) else names[-1]
        return "", [(required, {})], 0
    if "[json]" in text:
        return text.split("[json]", 1)[1].split("[/json]", 1)[0].strip(), [], 0
    if messages and "You plan how" in text_of(messages[0].get("content")):
        return json.dumps(PLAN), [], 0
    if "[python]" in text:
        code = text.split("[python]", 1)[1].split("[/python]", 1)[0].strip()
        calls = [("python__run", {"code": code})]
    else:
        calls = functions_in(text)
    missing = [name for name, _ in calls if name not in offered]
    if missing:
        return "there is no tool " + ", ".join(missing), [], 0
    if calls:
        return "", calls, 0
    if match := re.search(r"\[offered ?([A-Za-z0-9_-]*)\]", text):
        functions = {it["function"]["name"]: it["function"] for it in request.get("tools") or []}
        return json.dumps(functions.get(match.group(1))) if match.group(1) else "\n".join(functions), [], 0
    if match := re.search(r"\[say ([^\]]*)\]", text):
        return match.group(1), [], 0
    if match := re.search(r"\[slow (\d+)\]", text):
        words = [f"slow {number}" for number in range(1, int(match.group(1)) + 1)]
        return " ".join(words), [], PAUSE_SECONDS
    if "[fail]" in text:
        return None, [], 0
    return "echo: " + text, [], 0


def tool_calls(calls):
    return [
        {
            "index": index,
            "id": f"call_{index}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for index, (name, arguments) in enumerate(calls)
    ]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send_json(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path.endswith("/models"):
            model = {"id": MODEL, "object": "model", "created": 0, "owned_by": "mock"}
            self.send_json(200, {"object": "list", "data": [model]})
        else:
            self.send_json(404, {"error": {"message": "no such path", "type": "invalid_request_error"}})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if not self.path.endswith("/chat/completions"):
            self.send_json(404, {"error": {"message": "no such path", "type": "invalid_request_error"}})
            return
        request = json.loads(body)
        text, calls, pause = answer(request)
        if text is None:
            self.send_json(400, {"error": {"message": "scripted failure", "type": "invalid_request_error"}})
            return
        head = {"id": "chatcmpl-mock", "created": 0, "model": request.get("model") or MODEL}
        written = len(text.split()) + sum(len(json.dumps(it)) for _, it in calls)
        read = len(body) // 4
        usage = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
        finish = "tool_calls" if calls else "stop"
        try:
            if request.get("stream"):
                self.stream(head, text, tool_calls(calls), finish, usage, pause)
            else:
                time.sleep(pause * len(text.split()) / 2)
                message = {"role": "assistant", "content": text or None}
                if calls:
                    message["tool_calls"] = [
                        {key: value for key, value in it.items() if key != "index"} for it in tool_calls(calls)
                    ]
                choice = {"index": 0, "message": message, "finish_reason": finish}
                self.send_json(200, {**head, "object": "chat.completion", "choices": [choice], "usage": usage})
        except (BrokenPipeError, ConnectionResetError):
            # The client has enough.
            self.close_connection = True

    def stream(self, head, text, calls, finish, usage, pause):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

        def send(data):
            self.wfile.write(f"data: {data}\n\n".encode())
            self.wfile.flush()

        def chunk(delta, reason=None, choices=None, usage=None):
            if choices is None:
                choices = [{"index": 0, "delta": delta, "finish_reason": reason}]
            send(json.dumps({**head, "object": "chat.completion.chunk", "choices": choices, "usage": usage}))

        chunk({"role": "assistant", "content": ""})
        if pause:
            pieces = re.findall(r"slow \d+ ?", text)
        else:
            pieces = [text[at:at + PIECE_CHARACTERS] for at in range(0, len(text), PIECE_CHARACTERS)]
        for piece in pieces:
            time.sleep(pause)
            chunk({"content": piece})
        for call in calls:
            function = call["function"]
            begin = {**call, "function": {"name": function["name"], "arguments": ""}}
            chunk({"tool_calls": [begin]})
            rest = {"index": call["index"], "function": {"arguments": function["arguments"]}}
            chunk({"tool_calls": [rest]})
        chunk({}, finish)
        chunk(None, choices=[], usage=usage)
        send("[DONE]")


def main():
    options = argparse.ArgumentParser(description="A scripted model in OpenAI's chat form.")
    options.add_argument("--host", default="127.0.0.1")
    options.add_argument("--port", type=int, default=0, help="0 chooses a free one")
    options = options.parse_args()
    server = ThreadingHTTPServer((options.host, options.port), Handler)
    server.daemon_threads = True
    print(f"listening on http://{options.host}:{server.server_port}/v1", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        sys.exit(0)


if __name__ == "__main__":
    main()
