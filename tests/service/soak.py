#!/usr/bin/env python3
"""Soaks `mitt serve`: many short runs, and kill -9 while runs work. Standard library only, on Linux.

    MITT=target/debug/mitt soak.py --runs 3000             # memory, descriptors and files stay flat
    MITT=target/debug/mitt soak.py --kill 20 [--seed N]    # nothing is lost, and nothing happens twice

`--runs` starts a server with `mock_model.py`, makes short runs, eight at a time, deletes none, and prints what the process
and its folder hold after 10 %, 50 % and 100 % of them. It fails if there are more descriptors at the end than at 10 %, or
64 MiB more memory.

`--kill` makes rounds. Each starts the server on the same folder, begins runs of several kinds, goes on with those of earlier
rounds, and kills the server at a random moment. A last round lets all of them end. Then, and during the rounds, it checks:

- a run that was created is there once, also if its request was sent again after the kill;
- a finished run has its text and its files, with the same content, and links from before the kill work;
- a run that worked becomes `interrupted`, and `continue` brings it to `completed`;
- events have the numbers 1, 2, 3 and so on, and those that a watcher saw before the kill are the same after it;
- a call has one result, and the model sees results that it has seen before;
- a line that a tool appended to a file outside of the sandbox is there once.

`--keep FOLDER` keeps the state, the logs of the server and what was seen of each run. The exit code is 1 if something is
wrong.
"""

import argparse
import collections
import hashlib
import http.client
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from http.server import ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import mock_model

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CACHE = ROOT / "target" / "mitt-cache"
# Runs at a time of `--runs`.
CLIENTS = 8
MOST_GROWTH_BYTES = 64 << 20
# Descriptors that come and go: accepted connections, and a file that is read just now.
DESCRIPTOR_SLACK = 4
# Seconds after which nothing can be under way any more: the lease of a run is 30 s, and a debug build is slow.
PATIENCE = 120
# New runs of a round.
NEW_RUNS = 10
# Most seconds from the start of a server to the beginning of a run, and to the kill.
MOST_DELAY = 3
MOST_LIFE = 7
# Finished runs of earlier rounds that are looked at again after a kill, besides those of the round before.
OLD_RUNS = 10
# Kinds of runs whose calls append lines to a file, each with its tool: a destructive one that waits for an approval, one
# that does not, one that only adds something, and the first one in a script.
EFFECTS = {"notes": "append", "approved": "put", "additions": "add", "scripts": "append"}
KINDS = ["say", "slow", "documents", "files", "reports", *EFFECTS]
# All runs of a round at once, each with several connections.
MANY = [it for name in ("connections", "sessions", "sessions-per-tenant", "sessions-per-client", "requests-per-client")
        for it in (f"--max-{name}", "4096")]


class Failed(Exception):
    """Something is not as it should be. `what` is the same text for all cases of it."""

    def __init__(self, what, detail=""):
        super().__init__(f"{what}: {detail}" if detail else what)
        self.what = what


def wait_for_line(path, pattern, process):
    """Returns what the pattern captures in the first line of a file that matches, once there is one."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        match = re.search(pattern, path.read_text(errors="replace")) if path.exists() else None
        if match:
            return match.group(1)
        if process.poll() is not None:
            break
        time.sleep(0.02)
    raise Failed(f"no line like `{pattern}` in {path}:\n{path.read_text(errors='replace')[-4000:]}")


class Server:
    """A `mitt serve` with its folder."""

    def __init__(self, work, model, options=()):
        self.work, self.model, self.options = work, model, list(options)
        self.state = work / "state"
        self.process = None
        self.port = 0
        self.number = 0
        home = work / "home"
        home.mkdir(exist_ok=True)
        self.environment = {
            **os.environ, "HOME": str(home), "XDG_CONFIG_HOME": str(home / "config"), "XDG_STATE_HOME": str(home / "state"),
            "XDG_DATA_HOME": str(home / "data"), "OPENAI_API_KEY": "mock", "NO_COLOR": "1",
        }

    @property
    def log(self):
        return self.work / f"serve-{self.number}.log"

    def run(self, *arguments):
        """Runs another command of the program to its end."""
        command = [os.environ["MITT"], *arguments, "--cache-dir", str(CACHE)]
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(f"{' '.join(command)}: {done.stderr}")

    def spawn(self):
        """Starts the process; `await_port` waits until it listens."""
        self.number += 1
        command = [
            os.environ["MITT"], "serve", "--listen", "127.0.0.1:0", "--state", str(self.state), "--model",
            f"mock={self.model}#mock", "--cache-dir", str(CACHE), "--no-watch", *self.options,
        ]
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(command, env=self.environment, stdout=log, stderr=log)

    def await_port(self):
        self.port = int(wait_for_line(self.log, r"listening.*?127\.0\.0\.1:(\d+)\D", self.process))

    def start(self):
        self.spawn()
        self.await_port()

    def end(self, by=signal.SIGTERM):
        """Ends the process with a signal, and returns its exit code."""
        self.process.send_signal(by)
        return self.process.wait(timeout=60)

    def connect(self, timeout=PATIENCE):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def memory(self):
        """Returns the resident memory in bytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status).group(1)) * 1024

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))


def send(connection, method, path, body=None, headers=None):
    """Sends a request, and returns status and body of its response: JSON as a value, everything else as bytes."""
    headers = dict(headers or {})
    if body is not None:
        body = json.dumps(body).encode()
        headers["Content-Type"] = "application/json"
    connection.request(method, path, body, headers)
    response = connection.getresponse()
    content = response.read()
    is_json = "json" in (response.getheader("Content-Type") or "")
    return response.status, json.loads(content) if is_json else content


def folder_size(folder):
    """Returns the number of files below a folder, and their bytes."""
    files = size = 0
    for path, _, names in os.walk(folder):
        for name in names:
            try:
                size += os.lstat(os.path.join(path, name)).st_size
                files += 1
            except FileNotFoundError:
                pass
    return files, size


# Many short runs.


class Sample:
    """What the process and its folder hold."""

    def __init__(self, server, runs):
        # What ends with a request ends a little later than its response.
        time.sleep(3)
        self.runs = runs
        self.memory = server.memory()
        self.descriptors = min(self.descriptors_after(server, 0.2) for _ in range(10))
        self.files, self.bytes = folder_size(server.state)

    @staticmethod
    def descriptors_after(server, seconds):
        time.sleep(seconds)
        return server.descriptors()

    def line(self, per_second):
        return (f"{self.runs:>8} runs  {self.memory / 2**20:7.1f} MiB  {self.descriptors:4} descriptors  "
                f"{self.files:8} files  {self.bytes / 1e6:8.1f} MB  {per_second:6.1f} runs/s")


def make_runs(server, count):
    """Makes short runs, several at a time; returns the seconds that it took."""
    left = iter(range(count))
    lock = threading.Lock()
    problems = []

    def work():
        connection = server.connect()
        while not problems:
            with lock:
                if next(left, None) is None:
                    return
            body = {"instruction": "[say ok]"}
            try:
                status, run = send(connection, "POST", "/v1/runs?wait=true", body)
            except (OSError, http.client.HTTPException) as error:
                problems.append(f"{type(error).__name__}: {error}")
                return
            if status != 201 or (run["status"], run.get("text")) != ("completed", "ok"):
                problems.append(f"status {status}: {run}")
                return

    begun = time.monotonic()
    threads = [threading.Thread(target=work) for _ in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if problems:
        raise Failed(problems[0])
    return time.monotonic() - begun


def soak_runs(work, count):
    """Makes many short runs; returns what is wrong."""
    model = subprocess.Popen(
        [sys.executable, "-u", str(HERE / "mock_model.py")], stdout=open(work / "model.log", "wb"), stderr=subprocess.STDOUT
    )
    server = None
    try:
        address = wait_for_line(work / "model.log", r"listening on (\S+)\n", model)
        server = Server(work, address)
        server.run("warm", "--quiet")
        server.start()
        samples, made = [], 0
        for part in (10, 50, 100):
            # The files of the last 80 runs stay open: so many are made before the first sample.
            more = max(count * part // 100, min(100, count)) - made
            seconds = make_runs(server, more)
            made += more
            samples.append(Sample(server, made))
            print(samples[-1].line(more / max(seconds, 0.001)), flush=True)
        first, last = samples[0], samples[-1]
        runs = max(last.runs - first.runs, 1)
        growth = last.memory - first.memory
        print(f"growth for each run after the first {first.runs}: {growth / runs:.0f} bytes of memory, "
              f"{(last.files - first.files) / runs:.2f} files, {(last.bytes - first.bytes) / runs:.0f} bytes on the disk")
        problems = []
        if last.descriptors > first.descriptors + DESCRIPTOR_SLACK:
            problems.append(f"descriptors grew from {first.descriptors} to {last.descriptors}")
        if growth > MOST_GROWTH_BYTES:
            problems.append(f"memory grew by {growth / 2**20:.1f} MiB")
        status, listed = send(server.connect(), "GET", "/v1/runs?limit=1")
        if status != 200 or not listed["runs"]:
            problems.append(f"the runs cannot be listed: {status}")
        if server.end() != 0:
            problems.append(f"the server ended with {server.process.returncode}")
        return problems
    finally:
        model.kill()
        model.wait()
        if server and server.process and server.process.poll() is None:
            server.process.kill()
            server.process.wait()


# Kills.

JOB = re.compile(r"\[job (\w+) (\w+) (\d+)\]")


class Model:
    """The model of `--kill`: calls a tool in each turn until a run has all of its results, and keeps what it was sent.

    Identifiers of its calls never repeat.
    """

    def __init__(self, rng):
        self.rng = rng
        self.lock = threading.Lock()
        self.calls = 0
        # Of each run: the identifiers of results that the model has seen, and their contents.
        self.results = collections.defaultdict(list)
        self.problems = []
        model = self

        class Handler(mock_model.Handler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                request = json.loads(body)
                text, calls, pause = model.answer(request)
                head = {"id": "chatcmpl-soak", "created": 0, "model": "mock"}
                usage = {"prompt_tokens": len(body) // 4, "completion_tokens": 1, "total_tokens": len(body) // 4 + 1}
                try:
                    self.stream(head, text, calls, "tool_calls" if calls else "stop", usage, pause)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

        class Listener(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, *_):
                """A client that was killed is no error."""

        self.server = Listener(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.server.server_port}/v1"

    def answer(self, request):
        """Returns text, calls and the pause between pieces."""
        messages = request["messages"]
        said = "\n".join(mock_model.text_of(it.get("content")) for it in messages if it["role"] == "user")
        match = JOB.search(said)
        if not match:
            self.problems.append(f"a request without a job: {said[:200]}")
            return "no job", [], 0
        mark, kind, count = match.group(1), match.group(2), int(match.group(3))
        results = [(it["tool_call_id"], mock_model.text_of(it["content"])) for it in messages if it["role"] == "tool"]
        with self.lock:
            known = self.results[mark]
            if results[:len(known)] != known:
                self.problems.append(f"{mark}: the model saw {known} before, and now {results}")
            self.results[mark] = results
            self.calls += 1
            call = f"call_{self.calls}"
            delay = self.rng.uniform(0, 0.3)
        ids = [call for call, _ in results]
        if len(set(ids)) != len(ids):
            self.problems.append(f"{mark}: a call has two results: {ids}")
        time.sleep(delay)
        if kind == "say":
            return f"ok {mark}", [], 0
        if kind == "slow":
            return " ".join(f"slow {number}" for number in range(1, count + 1)), [], mock_model.PAUSE_SECONDS
        done = len(results)
        if done >= count:
            return f"ok {mark}", [], 0
        name, arguments = call_of(kind, mark, done + 1, call)
        offered = {it["function"]["name"] for it in request.get("tools") or []}
        if name not in offered:
            self.problems.append(f"the tool {name} is not offered: {sorted(offered)[:50]}")
            return "no tool", [], 0
        function = {"name": name, "arguments": json.dumps(arguments)}
        return "", [{"index": 0, "id": call, "type": "function", "function": function}], 0


def call_of(kind, mark, number, call):
    """Returns the call of a turn: tool and arguments."""
    line = f"{mark} {number} {call}"
    match kind:
        case "files":
            code = f"import report\nprint(report.deliver({content_of(mark, number)!r}, filename='{mark}-{number}.md').name)"
            return "python__run", {"code": code}
        case "reports":
            return "report__deliver", {"markdown": content_of(mark, number), "filename": f"{mark}-{number}.md"}
        case "documents":
            return "python__run", {"code": f"print(len(documents['{mark}.csv'].tables[0]))"}
        case "scripts":
            code = (f"import mcp_ledger\nmcp_ledger.{EFFECTS[kind]}(line={line!r})\n"
                    f"total = sum(range(200000))\nprint('appended')")
            return "python__run", {"code": code}
        case _:
            return f"mcp_ledger__{EFFECTS[kind]}", {"line": line}


def content_of(mark, number):
    """Returns the content of a file."""
    return f"# {mark} {number}\n\n" + f"{mark} has the file {number}.\n" * 50


def ledger(path):
    """Serves a tool over MCP, by standard input and output, that appends a line to a file. It does so slowly."""
    line = {"type": "object", "properties": {"line": {"type": "string"}}, "required": ["line"]}
    destroys = {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False}
    hints = {"append": destroys, "put": destroys, "add": {**destroys, "destructiveHint": False}}
    tools = [
        {"name": name, "description": "Appends a line.", "inputSchema": line, "annotations": annotations}
        for name, annotations in hints.items()
    ]
    for text in sys.stdin:
        message = json.loads(text)
        match message.get("method"):
            case "initialize":
                version = message["params"]["protocolVersion"]
                result = {"protocolVersion": version, "capabilities": {"tools": {}},
                          "serverInfo": {"name": "ledger", "version": "1"}}
            case "tools/list":
                result = {"tools": tools}
            case "tools/call":
                time.sleep(random.uniform(0, 0.1))
                with open(path, "a") as file:
                    file.write(message["params"]["arguments"]["line"] + "\n")
                time.sleep(random.uniform(0, 0.1))
                result = {"content": [{"type": "text", "text": "appended"}]}
            case _:
                result = {}
        if "id" in message:
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)


class Run:
    """A run as its client knows it."""

    def __init__(self, mark, kind, count):
        self.mark, self.kind, self.count = mark, kind, count
        self.id = None
        # Events by their numbers.
        self.seen = {}
        self.state = None
        self.links = {}
        self.interruptions = 0
        # How often its usage became less.
        self.falls = 0
        self.is_done = False

    def __str__(self):
        return f"{self.mark} {self.kind} {self.count} {self.id}"

    def last(self):
        return max(self.seen, default=0)

    def body(self):
        options = {"tools": "all", "no_routing": True, "approvals": "allow"}
        body = {"instruction": f"Do this: [job {self.mark} {self.kind} {self.count}]", "options": options}
        if self.kind == "documents":
            rows = "".join(f"{number},{number * 2}\n" for number in range(self.count * 100))
            body["documents"] = [{"name": f"{self.mark}.csv", "text": f"a,b\n{rows}"}]
        return body

    def expected_files(self):
        """Returns the names of the files that it delivers, with their digests."""
        numbers = range(1, self.count + 1) if self.kind in ("files", "reports") else []
        return {f"{self.mark}-{number}.md": digest(content_of(self.mark, number).encode()) for number in numbers}

    def expected_text(self):
        if self.kind == "slow":
            return " ".join(f"slow {number}" for number in range(1, self.count + 1))
        return f"ok {self.mark}"


def digest(content):
    return hashlib.sha256(content).hexdigest()


def comparable(event):
    """Returns an event without the link to its file, which is made for each response."""
    event = json.loads(json.dumps(event))
    if isinstance(event.get("file"), dict):
        event["file"].pop("url", None)
    return event


class Round:
    """One life of the server."""

    def __init__(self, server, problems):
        self.server, self.problems = server, problems
        self.is_killed = False

    def problem(self, error, run=None):
        self.problems[error.what] += 1
        print(f"PROBLEM (server {self.server.number}): {run or ''} {error}", flush=True)

    def follow(self, run, delay=0.0):
        """Creates a run or goes on with it, until it has ended or the server is killed."""
        time.sleep(delay)
        if self.is_killed:
            return
        connection = self.server.connect()
        try:
            self.follow_alive(run, connection)
        except (OSError, http.client.HTTPException, ValueError) as error:
            # The process is gone some time before this program knows that it killed it.
            time.sleep(0.5)
            if not self.is_killed:
                self.problem(Failed("a request failed", f"{type(error).__name__}: {error}"), run)
        except Failed as error:
            self.problem(error, run)
            run.is_done = True
        finally:
            connection.close()

    def follow_alive(self, run, connection):
        if run.id is None:
            key = {"Idempotency-Key": run.mark}
            status, state = send(connection, "POST", "/v1/runs", run.body(), key)
            if status not in (200, 201):
                raise Failed("a run cannot be created", f"{status} {state}")
            run.id = state["id"]
        since = time.monotonic()
        has_continued = False
        while True:
            status, state = send(connection, "GET", f"/v1/runs/{run.id}")
            if status != 200:
                raise Failed("a run is gone", f"{status} {state}")
            match state["status"]:
                case "completed":
                    self.finished(run, state, connection)
                    return
                case "interrupted":
                    if has_continued:
                        raise Failed("a run was interrupted while its server worked")
                    has_continued = True
                    run.interruptions += 1
                    status, answer = send(connection, "POST", f"/v1/runs/{run.id}/continue")
                    if status != 200:
                        raise Failed("a run cannot be continued", f"{status} {answer}")
                    since = time.monotonic()
                case "queued" | "running":
                    if self.watch(run):
                        since = time.monotonic()
                    elif time.monotonic() - since > PATIENCE:
                        raise Failed("a run stands still", f"{state['status']} for {PATIENCE} s after event {run.last()}")
                case other:
                    raise Failed("a run failed", f"{other} {state.get('failure')} {state.get('question')}")

    def watch(self, run):
        """Reads events until the stream ends; returns whether there were some."""
        connection = self.server.connect()
        headers = {"Accept": "text/event-stream"}
        if run.last():
            headers["Last-Event-ID"] = str(run.last())
        try:
            connection.request("GET", f"/v1/runs/{run.id}/events", headers=headers)
            response = connection.getresponse()
            if response.status == 204:
                time.sleep(0.1)
                return False
            if response.status != 200:
                raise Failed("events cannot be read", f"{response.status} {response.read()}")
            number, is_new = None, False
            for line in response:
                name, _, value = line.decode().rstrip("\n").partition(": ")
                if name == "id":
                    number = int(value)
                elif name == "data":
                    event = json.loads(value)
                    if number != event.get("number") or number != run.last() + 1:
                        raise Failed("an event is missing or doubled", f"{number} after {run.last()}: {event}")
                    run.seen[number] = comparable(event)
                    is_new = True
            return is_new
        finally:
            connection.close()

    def finished(self, run, state, connection):
        """Checks a run that is completed; the first time, keeps what it is."""
        if state.get("text") != run.expected_text():
            raise Failed("a completed run has another text", repr(state.get("text")))
        files = {file["name"]: file["sha256"] for file in state["files"]}
        expected = run.expected_files()
        if files != expected:
            raise Failed("a completed run lacks files", f"{sorted(set(expected) - set(files))} of {len(expected)}")
        kept = {key: state[key] for key in ("status", "text", "usage", "created_ms", "updated_ms")}
        if run.state not in (None, kept):
            raise Failed("a completed run changed", f"it was {run.state}, and is {kept}")
        run.state = kept
        links = {file["name"]: urlsplit(file["url"]).path for file in state["files"]}
        for name, link in [*links.items(), *run.links.items()]:
            status, content = send(connection, "GET", link)
            if status != 200 or digest(content) != files[name]:
                raise Failed("a file cannot be read", f"{name}: {status} with {len(content)} bytes at {link}")
        run.links = links
        run.is_done = True

    def check(self, run):
        """Checks what is kept of a run that has ended."""
        if run.id is None:
            return
        try:
            kept = self.kept_events(run)
        except Failed as error:
            self.problem(error, run)
            return
        turns = [event["usage"]["turns"] for event in kept if "usage" in event]
        run.falls = sum(now < before for before, now in zip(turns, turns[1:]))
        for check in (self.check_numbers, self.check_seen, self.check_results, self.check_starts, self.check_ends):
            try:
                check(run, kept)
            except Failed as error:
                self.problem(error, run)
        return kept

    def kept_events(self, run):
        connection, kept = self.server.connect(), []
        while True:
            path = f"/v1/runs/{run.id}/events?after={len(kept)}&follow=false&limit=1000"
            status, page = send(connection, "GET", path)
            if status != 200:
                raise Failed("events cannot be read", f"{status} {page}")
            if not page["events"]:
                connection.close()
                return kept
            kept.extend(comparable(event) for event in page["events"])

    @staticmethod
    def check_numbers(_, kept):
        numbers = [event["number"] for event in kept]
        if numbers != list(range(1, len(kept) + 1)):
            raise Failed("an event is missing or doubled", numbers)

    @staticmethod
    def check_seen(run, kept):
        for number, event in sorted(run.seen.items()):
            now = kept[number - 1] if number <= len(kept) else None
            if now != event:
                raise Failed("an event that was seen has changed", f"it was {event}, and is {now}")

    @staticmethod
    def check_results(_, kept):
        results = collections.Counter(event["model_call"] for event in kept if event["type"] == "call_result")
        doubled = [call for call, count in results.items() if count > 1]
        if doubled:
            raise Failed("a call has two results", doubled)

    @staticmethod
    def check_starts(_, kept):
        """A run whose process ended does not go on by itself."""
        is_open = False
        for event in kept:
            if event["type"] == "status" and event["status"] == "running":
                if is_open:
                    raise Failed("a run went on without its end before", f"event {event['number']}")
                is_open = True
            elif event["type"] == "ended":
                is_open = False

    @staticmethod
    def check_ends(_, kept):
        ends = [event["status"] for event in kept if event["type"] == "ended"]
        if "completed" in ends[:-1]:
            raise Failed("a run went on after it was completed", ends)
        if ends[-1:] != ["completed"] or set(ends[:-1]) - {"interrupted"}:
            raise Failed("a run did not end as completed", ends)


class Kills:
    """All rounds."""

    def __init__(self, work, seed):
        self.work, self.rng = work, random.Random(seed)
        self.model = Model(random.Random(seed + 1))
        self.ledger = work / "ledger.txt"
        self.ledger.touch()
        arguments = [str(Path(__file__).resolve()), "--ledger", str(self.ledger)]
        program = {"enabled": True, "command": sys.executable, "args": arguments, "autoApprove": ["put"]}
        config = work / "mcp.json"
        config.write_text(json.dumps({"mcpServers": {"ledger": program}}))
        self.server = Server(work, self.model.address, ["--mcp-config", str(config), *MANY])
        self.server.run("warm", "--quiet")
        self.server.run("source", "approve", "ledger", "--yes", "--mcp-config", str(config))
        self.runs, self.problems = [], collections.Counter()

    def new_run(self):
        number = len(self.runs) + 1
        kind = self.rng.choice(KINDS)
        count = self.rng.randint(5, 40) if kind == "slow" else self.rng.randint(1, 8)
        run = Run(f"m{number}", kind, count)
        self.runs.append(run)
        return run

    def begin(self, this):
        """Begins the work of a round: runs that have not ended, new ones, and a look at finished ones."""
        finished = [run for run in self.runs if run.is_done and run.state]
        again = {*finished[-NEW_RUNS:], *self.rng.sample(finished, min(OLD_RUNS, len(finished)))}
        open_runs = [run for run in self.runs if not run.is_done]
        new = [(run, self.rng.uniform(0, MOST_DELAY)) for run in [self.new_run() for _ in range(NEW_RUNS)]]
        work = [*((run, 0) for run in [*open_runs, *again]), *new]
        threads = [threading.Thread(target=this.follow, args=it, daemon=True) for it in work]
        for thread in threads:
            thread.start()
        return threads

    def round(self, number):
        self.server.spawn()
        if self.rng.random() < 0.1:
            # Also while it opens its folder.
            time.sleep(self.rng.uniform(0, 0.5))
            self.server.end(signal.SIGKILL)
            print(f"round {number}: killed while it started", flush=True)
            return
        self.server.await_port()
        moment = time.monotonic() + self.rng.uniform(0.1, MOST_LIFE)
        begun = time.monotonic()
        this = Round(self.server, self.problems)
        threads = self.begin(this)
        time.sleep(max(0, moment - time.monotonic()))
        if self.server.process.poll() is not None:
            this.problem(Failed("the server ended by itself", self.server.process.returncode))
        this.is_killed = True
        self.server.end(signal.SIGKILL)
        life = time.monotonic() - begun
        for thread in threads:
            thread.join(timeout=30)
        done = sum(run.is_done for run in self.runs)
        interruptions = sum(run.interruptions for run in self.runs)
        print(f"round {number}: killed after {life:.1f} s; {len(self.runs)} runs, {done} finished, "
              f"{interruptions} times continued", flush=True)

    def last_round(self):
        """Lets all runs end, and checks them."""
        self.server.start()
        this = Round(self.server, self.problems)
        for thread in self.begin(this):
            thread.join(timeout=3 * PATIENCE)
        for run in self.runs:
            if not run.is_done:
                this.problem(Failed("a run did not end"), run)
            kept = this.check(run)
            try:
                self.check_effects(run, kept or [])
            except Failed as error:
                this.problem(error, run)
        self.check_list(this)
        for problem in self.model.problems:
            this.problem(Failed("the model saw something else", problem))
        code = self.server.end()
        if code != 0:
            this.problem(Failed("the server ended with an error", code))

    def check_effects(self, run, kept):
        """Checks that the effects of calls with a result are there, and that none is there twice."""
        lines = [line for line in self.ledger.read_text().splitlines() if line.startswith(f"{run.mark} ")]
        counts = collections.Counter(lines)
        doubled = sorted(line for line, count in counts.items() if count > 1)
        if doubled:
            raise Failed(f"an effect of the kind {run.kind} happened twice", doubled)
        made = {line.split()[2] for line in lines}
        for event in kept:
            if event["type"] != "call_result" or "may have taken effect" in event["content"]:
                continue
            if event["is_error"]:
                raise Failed(f"a call of the kind {run.kind} failed", event["content"])
            if run.kind in EFFECTS and event["model_call"] not in made:
                raise Failed(f"an effect of the kind {run.kind} did not happen", event)
            if run.kind == "documents" and f'"{run.count * 100}\\n"' not in event["content"]:
                raise Failed("a document was read differently", event)

    def check_list(self, this):
        """Checks that each run is there once."""
        listed, before = [], ""
        while True:
            status, page = send(self.server.connect(), "GET", f"/v1/runs?limit=100{before}")
            if status != 200:
                this.problem(Failed("the runs cannot be listed", f"{status} {page}"))
                return
            listed += [run["id"] for run in page["runs"]]
            if not page.get("next"):
                break
            before = f"&before={page['next']}"
        known = {run.id for run in self.runs if run.id}
        if len(listed) != len(set(listed)) or set(listed) != known:
            detail = f"unknown {set(listed) - known}, missing {known - set(listed)}"
            this.problem(Failed("a run is missing or doubled in the list", detail))

    def keep(self):
        """Writes what was seen of the runs."""
        with open(self.work / "seen.jsonl", "w") as file:
            for run in self.runs:
                seen = [event for _, event in sorted(run.seen.items())]
                line = {"mark": run.mark, "kind": run.kind, "id": run.id, "done": run.is_done, "seen": seen}
                file.write(json.dumps(line) + "\n")


def soak_kills(work, count, seed):
    """Kills the server again and again; returns what is wrong."""
    kills = Kills(work, seed)
    try:
        for number in range(1, count + 1):
            kills.round(number)
        kills.last_round()
    finally:
        kills.keep()
        process = kills.server.process
        if process and process.poll() is None:
            process.kill()
            process.wait()
    kinds = collections.Counter(run.kind for run in kills.runs)
    falls = sum(run.falls for run in kills.runs)
    unsure = sum("may have taken effect" in text for results in kills.model.results.values() for _, text in results)
    print(f"{count} kills, {len(kills.runs)} runs ({', '.join(f'{n} {kind}' for kind, n in sorted(kinds.items()))}), "
          f"{sum(run.interruptions for run in kills.runs)} times continued, "
          f"{sum(len(run.seen) for run in kills.runs)} events seen, {kills.model.calls} requests of the model, "
          f"{unsure} calls of which nobody knows whether they took effect, "
          f"{falls} kills after which a run showed less usage")
    return [f"{what} ({count} times)" for what, count in kills.problems.most_common()]


def main():
    options = argparse.ArgumentParser(description="Soaks `mitt serve`, which MITT names.")
    options.add_argument("--runs", type=int, metavar="N", help="make so many short runs")
    options.add_argument("--kill", type=int, metavar="N", help="kill the server so many times")
    options.add_argument("--seed", type=int, help="seed of the random moments")
    options.add_argument("--keep", type=Path, metavar="FOLDER", help="keep all files in this folder, which must be new")
    options.add_argument("--ledger", help=argparse.SUPPRESS)
    options = options.parse_args()
    if options.ledger:
        ledger(options.ledger)
        return
    if not (options.runs or options.kill):
        sys.exit("soak: expected --runs or --kill")
    os.environ.setdefault("MITT", str(ROOT / "target" / "debug" / "mitt"))
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)
    problems = []
    for name, soak in [("runs", lambda work: soak_runs(work, options.runs)),
                       ("kill", lambda work: soak_kills(work, options.kill, seed))]:
        if not getattr(options, name):
            continue
        print(f"== {name}" + (f", seed {seed}" if name == "kill" else ""), flush=True)
        work = options.keep / name if options.keep else Path(tempfile.mkdtemp(prefix="mitt-soak-"))
        work.mkdir(parents=True, exist_ok=not options.keep)
        try:
            found = soak(work)
        except Failed as error:
            found = [str(error)]
        finally:
            if not options.keep:
                shutil.rmtree(work, ignore_errors=True)
        for problem in found:
            print(f"soak: {name}: {problem}")
        problems += found
    if problems:
        sys.exit(1)
    print("soak: passed")


if __name__ == "__main__":
    main()
