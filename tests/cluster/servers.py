#!/usr/bin/env python3
"""Drives several `mitt serve --cluster` that share a database, or NATS. Standard library only, on Linux; `tests/cluster/run` calls it.

    MITT=target/debug/mitt MITT_CLUSTER_URL=postgres://... servers.py --restart COMMAND --password TEXT [--programs FOLDER]
        [--disk FOLDER] [--only NAME]

`COMMAND fast` and `COMMAND immediate` restart the database or the server of NATS. Each story starts servers of its own:

- `shared`: runs that one server accepts are done by others, and watchers of all servers see the same events;
- `cancel`: a cancel at another server stops a model and a script within a second;
- `killed`: the worker of a run is killed, and the run goes on with another one when its lease has ended;
- `proxied`: the way to the database delays what passes, and all connections are cut again and again;
- `restored`: a dump of a database in use is restored into another one, where runs that worked go on;
- `zombie`: a worker stands still beyond its lease, another one ends the run, and the first one wakes up and writes nothing;
- `drained`: a worker that is ended hands its run over at once;
- `restarted`: the database, or the server of NATS, is restarted twice during work;
- `affine`: a further instruction goes to the worker that had the run, and to another one if that worker is gone;
- `full`: the disk of the database, or of NATS, is full during work, and has room again later.
"""

import argparse
import contextlib
import http.client
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from http.server import ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests" / "service"))

import mock_model  # noqa: E402

# Seconds: the lease of a run is 30 s, and a debug build is slow.
PATIENCE = 120
MOST_CANCEL = 1.0


class Failed(Exception):
    """Something is not as it should be."""


def check(condition, text):
    if not condition:
        raise Failed(text)


def until(what, wanted, seconds=PATIENCE):
    """Returns the first true result of `wanted`."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if result := wanted():
            return result
        time.sleep(0.02)
    raise Failed(f"not within {seconds} s: {what}")


class Server:
    """A `mitt serve` in a folder of its own."""

    def __init__(self, folder, name, model, options, address=None):
        self.name = name
        self.log = Path(folder) / f"{name}.log"
        arguments = [os.environ["MITT"], "serve", "--listen", "127.0.0.1:0", "--model", f"mock={model}#mock"]
        arguments += ["--cache-dir", str(ROOT / "target" / "mitt-cache"), "--no-watch", *options]
        environment = {**os.environ, "OPENAI_API_KEY": "mock"}
        if address:
            environment["MITT_CLUSTER_URL"] = address
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(arguments, stdout=log, stderr=log, env=environment)
        self.port = int(until(f"{name} listens", self._port))

    def _port(self):
        check(self.process.poll() is None, f"{self.name} ended:\n{self.log.read_text()}")
        found = re.search(r"listening; .*?127\.0\.0\.1:(\d+)\D", self.log.read_text())
        return found and found.group(1)

    def request(self, method, path, body=None, accept="application/json"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        headers = {"Content-Type": "application/json", "Accept": accept}
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        return response.status, text

    def json(self, method, path, body=None):
        status, text = self.request(method, path, body)
        check(status < 300, f"{self.name}: {method} {path}: {status} {text}")
        return json.loads(text)

    def file(self, state):
        """Returns the content of the only file of a run."""
        [file] = state["files"]
        link = file["url"].split("/", 3)[3]
        status, text = self.request("GET", "/" + link)
        check(status == 200, f"{self.name}: {file}: {status} {text}")
        return text

    def create(self, instruction, **more):
        return self.json("POST", "/v1/runs", {"instruction": instruction, **more})["id"]

    def state(self, run):
        return self.json("GET", f"/v1/runs/{run}")

    def events(self, run):
        events, after = [], 0
        while True:
            page = self.json("GET", f"/v1/runs/{run}/events?follow=false&after={after}&limit=1000")["events"]
            if not page:
                return events
            events += page
            after = events[-1]["number"]

    def until_status(self, run, *statuses):
        def wanted():
            state = self.state(run)
            return state if state["status"] in statuses else None

        return until(f"{run} is {statuses} at {self.name}", wanted)

    def signal(self, number):
        self.process.send_signal(number)

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


class Watcher(threading.Thread):
    """Follows the events of a run at a server; connects again where it was."""

    def __init__(self, server, run):
        super().__init__(daemon=True)
        self.server, self.run_id, self.events, self.done = server, run, [], False
        self.start()

    def run(self):
        while not self.done:
            after = self.events[-1]["number"] if self.events else 0
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)
                headers = {"Accept": "text/event-stream", "Last-Event-ID": str(after)}
                connection.request("GET", f"/v1/runs/{self.run_id}/events", headers=headers)
                response = connection.getresponse()
                if response.status == 204:
                    return
                for line in response:
                    if line.startswith(b"data: "):
                        event = json.loads(line[6:])
                        if "number" in event:
                            self.events.append(event)
                            self.done = event["type"] == "ended"
            except OSError:
                time.sleep(0.1)

    def all(self):
        self.join(PATIENCE)
        check(not self.is_alive(), f"the watcher of {self.run_id} at {self.server.name} sees no end")
        return self.events


class Proxy:
    """A way to the database that delays what passes, and is cut again and again."""

    def __init__(self, port, delay):
        self.port_behind, self.delay, self.pairs, self.count = port, delay, [], 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
                far = socket.create_connection(("127.0.0.1", self.port_behind))
            except OSError:
                return
            self.pairs.append((near, far))
            for source, sink in [(near, far), (far, near)]:
                threading.Thread(target=self._copy, args=(source, sink), daemon=True).start()

    def _copy(self, source, sink):
        try:
            while data := source.recv(65536):
                time.sleep(random.uniform(0, self.delay))
                sink.sendall(data)
        except OSError:
            pass
        for end in [source, sink]:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def cut(self):
        """Ends all connections, some of them in the middle of something."""
        pairs, self.pairs = self.pairs, []
        self.count += len(pairs)
        for near, far in pairs:
            for end in [near, far]:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)


def check_numbers(events, run):
    numbers = [event["number"] for event in events]
    check(numbers == list(range(1, len(numbers) + 1)), f"{run}: events have the numbers {numbers}")


def without_links(events):
    """Links are signed when they are shown."""
    text = json.dumps(events, sort_keys=True)
    return re.sub(r'"url": "[^"]*"', '"url": ""', text)


def slow(words):
    return " ".join(f"slow {number}" for number in range(1, words + 1))


def texts(server, run):
    return [event for event in server.events(run) if event["type"] == "text"]


def shared(place):
    front, one, two = place.start("--role", "front"), place.start("--role", "worker"), place.start()
    status, _ = one.request("GET", "/v1/runs")
    check(status == 404, f"a worker answers requests: {status}")
    documents = [{"name": "a.csv", "text": "month,revenue\n1,2\n2,9\n"}]
    runs = [front.create(f"[say Number {number}]", documents=documents) for number in range(12)]
    runs.append(front.create("[slow 20]"))
    runs.append(two.create("[python] print(6 * 7)[/python]"))
    watchers = [(Watcher(front, run), Watcher(two, run)) for run in runs]
    for run, (first, second) in zip(runs, watchers):
        check_numbers(first.all(), run)
        check(without_links(first.events) == without_links(second.all()), f"{run}: two watchers saw different events")
        state = front.until_status(run, "completed")
        check(state == two.state(run), f"{run} differs between servers")
    check("42" in front.state(runs[-1])["text"], front.state(runs[-1])["text"])
    ids = {run["id"] for run in two.json("GET", "/v1/runs?limit=100")["runs"]}
    check(set(runs) <= ids, "a run is missing in the list of another server")
    command = Path(f"/proc/{front.process.pid}/cmdline").read_bytes().decode()
    check(place.password not in command and quote(place.password, safe="") not in command, "the password can be seen")


def cancel(place):
    front, _worker = place.start("--role", "front"), place.start("--role", "worker")
    for instruction, ready in [
        ("[slow 600]", "text"),
        ("[python] print('on', flush=True)\nwhile True: pass[/python]", "call_started"),
    ]:
        run = front.create(instruction)
        until("it works", lambda: any(event["type"] == ready for event in front.events(run)))
        time.sleep(0.5)
        begun = time.monotonic()
        state = front.json("POST", f"/v1/runs/{run}/cancel")
        seconds = time.monotonic() - begun
        check(state["status"] == "cancelled", f"it is {state['status']} after {seconds:.2f} s")
        check(seconds < MOST_CANCEL, f"the cancel took {seconds:.2f} s")
        print(f"cancel: {ready}: {seconds * 1000:.0f} ms")


def killed(place):
    front, worker = place.start("--role", "front"), place.start("--role", "worker")
    run = front.create("[slow 120]")
    watcher = Watcher(front, run)
    until("it works", lambda: len(texts(front, run)) > 5)
    waiting = [front.create(f"[say later {number}]") for number in range(20)]
    other = place.start("--role", "worker")
    worker.signal(signal.SIGKILL)
    begun = time.monotonic()
    before = len(front.events(run))
    until("it goes on", lambda: any(event["type"] == "turn_started" for event in front.events(run)[before:]))
    print(f"killed: goes on {time.monotonic() - begun:.1f} s after kill -9 (the lease is 30 s)")
    state = front.until_status(run, "completed", "failed", "interrupted")
    check((state["status"], state["text"]) == ("completed", slow(120)), f"{state}")
    events = watcher.all()
    check_numbers(events, run)
    check(sum(event["type"] == "ended" for event in events) == 1, "it ended more than once")
    check(without_links(events) == without_links(front.events(run)), "the watcher saw other events than are stored")
    for run in waiting:
        check(front.until_status(run, "completed")["text"].startswith("later"), run)
    check(other.process.poll() is None, "the other worker ended")


def zombie(place):
    front, worker = place.start("--role", "front"), place.start("--role", "worker")
    run = front.create("[slow 200]")
    until("it works", lambda: len(texts(front, run)) > 5)
    worker.signal(signal.SIGSTOP)
    check(front.state(run)["status"] == "running", "the worker was stopped too late")
    other = place.start("--role", "worker")
    state = front.until_status(run, "completed", "failed", "interrupted")
    check((state["status"], state["text"]) == ("completed", slow(200)), f"{state}")
    events = front.events(run)
    check_numbers(events, run)
    worker.signal(signal.SIGCONT)
    until("it notices", lambda: "another worker has the run" in worker.log.read_text())
    time.sleep(3)
    check(front.events(run) == events, "the worker that woke up wrote events")
    check(front.state(run) == state, "the worker that woke up changed the run")
    # It works on like any other.
    other.signal(signal.SIGKILL)
    again = front.create("[say again]")
    check(front.until_status(again, "completed")["text"] == "again", "it works on")


def proxied(place):
    address = os.environ["MITT_CLUSTER_URL"]
    port = int(re.search(r":(\d+)/", address).group(1))
    proxy = Proxy(port, 0.02)
    through = address.replace(f":{port}/", f":{proxy.port}/")
    front = place.start("--role", "front", address=through)
    for _ in range(2):
        place.start("--role", "worker", address=through)
    runs = [front.create(f"[slow {80 + number}]") for number in range(6)]
    watchers = [Watcher(front, run) for run in runs]
    until("all work", lambda: all(len(texts(front, run)) > 3 for run in runs))
    for number in range(12):
        time.sleep(random.uniform(0.2, 1.2))
        proxy.cut()
        runs.append(front.create(f"[say {number}]"))
        watchers.append(Watcher(front, runs[-1]))
    for number, (run, watcher) in enumerate(zip(runs, watchers)):
        state = front.until_status(run, "completed", "failed", "interrupted")
        expected = slow(80 + number) if number < 6 else str(number - 6)
        check((state["status"], state["text"]) == ("completed", expected), f"{state}")
        events = front.events(run)
        check_numbers(events, run)
        text = "".join(event["text"] for event in events if event["type"] == "text")
        check(text.strip() == expected, f"{run}: pieces of text are {text!r}")
        check(without_links(watcher.all()) == without_links(events), f"{run}: the watcher saw other events")
    print(f"proxied: {proxy.count} connections were cut")


def restored(place):
    front, worker = place.start("--role", "front"), place.start("--role", "worker")
    done = front.create("[python] import report\nreport.deliver(markdown='数据 ' * 200_000, filename='kept.md')[/python]")
    state = front.until_status(done, "completed")
    events = front.events(done)
    content = front.file(state)
    run = front.create("[slow 60]")
    until("it works", lambda: len(texts(front, run)) > 5)
    before = front.events(run)
    dump, address = f"{place.folder}/mitt.dump", os.environ["MITT_CLUSTER_URL"]
    place.program("pg_dump", "--schema=mitt", "--format=custom", f"--file={dump}", address)
    front.until_status(run, "completed")
    status, _ = front.request("DELETE", f"/v1/runs/{done}")
    check(status == 204, f"the run is not deleted: {status}")
    for server in [front, worker]:
        server.end()
    elsewhere = address.rsplit("/", 1)[0] + "/restored"
    place.program("psql", "--quiet", "--command=create database restored", address)
    place.program("pg_restore", f"--dbname={elsewhere}", dump)
    other = place.start(address=elsewhere)
    check(without_links(other.events(done)) == without_links(events), "events of the run that had ended differ")
    check(other.file(other.state(done)) == content, "the delivered file differs")
    state = other.until_status(run, "completed", "failed", "interrupted")
    check((state["status"], state["text"]) == ("completed", slow(60)), f"{state}")
    check_numbers(other.events(run), run)
    check(other.events(run)[: len(before)] == before, "events of the run that worked differ")


def drained(place):
    front, worker = place.start("--role", "front"), place.start("--role", "worker", "--grace", "1s")
    run = front.create("[slow 100]")
    until("it works", lambda: len(texts(front, run)) > 5)
    place.start("--role", "worker")
    worker.signal(signal.SIGTERM)
    check(worker.process.wait(PATIENCE) is not None, "it does not end")
    begun = time.monotonic()
    until("it goes on", lambda: sum(event["type"] == "turn_started" for event in front.events(run)) > 1, 10)
    print(f"drained: goes on {time.monotonic() - begun:.1f} s after the end of its worker")
    state = front.until_status(run, "completed", "failed", "interrupted")
    check((state["status"], state["text"]) == ("completed", slow(100)), f"{state}")
    check_numbers(front.events(run), run)


def restarted(place):
    front, _worker, _other = place.start("--role", "front"), place.start("--role", "worker"), place.start("--role", "worker")
    runs = [front.create(f"[slow {100 + number}]") for number in range(6)]
    watchers = [Watcher(front, run) for run in runs]
    until("all work", lambda: all(len(texts(front, run)) > 3 for run in runs))
    for way in ["fast", "immediate"]:
        subprocess.run([place.restart, way], check=True)
        runs.append(front.create("[say after a restart]"))
        watchers.append(Watcher(front, runs[-1]))
        time.sleep(2)
    for number, (run, watcher) in enumerate(zip(runs, watchers)):
        state = front.until_status(run, "completed", "failed", "interrupted")
        expected = slow(100 + number) if number < 6 else "after a restart"
        check((state["status"], state["text"]) == ("completed", expected), f"{state}")
        events = front.events(run)
        check_numbers(events, run)
        text = "".join(event["text"] for event in events if event["type"] == "text")
        check(text.strip() == expected, f"{run}: pieces of text are {text!r}")
        check(without_links(watcher.all()) == without_links(events), f"{run}: the watcher saw other events")


def affine(place):
    front = place.start("--role", "front")
    workers = [place.start("--role", "worker") for _ in range(3)]
    runs = [front.create(f"[say {number}]") for number in range(12)]
    for run in runs:
        front.until_status(run, "completed")
    turns = 3
    for turn in range(turns):
        for number, run in enumerate(runs):
            front.json("POST", f"/v1/runs/{run}/messages", {"instruction": f"[say {turn} {number}]"})
        for number, run in enumerate(runs):
            until("it is answered", lambda: answered(front, run, f"{turn} {number}"))
    ends = {run: until("all ends are logged", lambda: ends_at(workers, run, turns + 1)) for run in runs}
    moved = [run for run, ends in ends.items() if turns + 1 not in ends]
    check(not moved, f"{len(moved)} of {len(runs)} runs went to another worker: {ends}")
    check(sum(any(ends[run][at] for run in runs) for at in range(3)) > 1, f"one worker made all runs: {ends}")
    # A preference and no need: the runs of a worker that is gone go on elsewhere.
    workers[0].signal(signal.SIGKILL)
    for run in runs:
        front.json("POST", f"/v1/runs/{run}/messages", {"instruction": "[say on]"})
    for run in runs:
        until("it goes on", lambda: answered(front, run, "on"))


def answered(server, run, text):
    state = server.state(run)
    return (state["status"], state.get("text")) == ("completed", text)


def ends_at(workers, run, count):
    """Returns how often each worker ended a run, when all ends are logged."""
    logs = [worker.log.read_text().splitlines() for worker in workers]
    ends = [sum("a run ended" in line and run in line for line in log) for log in logs]
    return ends if sum(ends) == count else None


def full(place):
    front, worker = place.start("--role", "front"), place.start("--role", "worker")
    runs = [front.create("[slow 60]")]
    until("it works", lambda: len(texts(front, runs[0])) > 5)
    ballast = Path(place.disk) / "ballast"
    with open(ballast, "wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(b"\1" * 65536)
    documents = [{"name": "a.txt", "text": random.randbytes(300_000).hex()}]
    refusals = []
    for number in range(12):
        status, text = front.request("POST", "/v1/runs", {"instruction": f"[say {number}]", "documents": documents})
        if status < 300:
            runs.append(json.loads(text)["id"])
        else:
            refusals.append((status, text))
        # Each is tried for 20 s where NATS does not answer at all.
        if len(refusals) == 2:
            break
    check(refusals, "a full disk refuses nothing")
    for status, text in refusals:
        check((status, json.loads(text)["code"]) == (503, "unavailable") and place.password not in text, f"{status} {text}")
    check(all(server.process.poll() is None for server in [front, worker]), "a server ended")
    ballast.unlink()
    # NATS turns JetStream off when its disk is full, and PostgreSQL may have ended, if it could not write its log.
    subprocess.run([place.restart, "immediate"], check=True)
    runs.append(front.create("[say after]"))
    for run in runs:
        state = front.until_status(run, "completed", "failed", "interrupted")
        check(state["status"] == "completed", f"{state}")
        check_numbers(front.events(run), run)


class Place:
    """Where a story plays: its servers and their logs."""

    def __init__(self, folder, model, options):
        self.folder, self.model = folder, model
        self.restart, self.password, self.programs = options.restart, options.password, options.programs
        self.disk = options.disk
        self.servers = []

    def program(self, name, *arguments):
        """Runs a program of PostgreSQL."""
        done = subprocess.run([f"{self.programs}/{name}", *arguments], capture_output=True, text=True)
        check(done.returncode == 0, f"{name}: {done.stderr}")

    def start(self, *options, address=None):
        server = Server(self.folder, f"server{len(self.servers)}", self.model, options, address)
        self.servers.append(server)
        return server

    def end(self):
        for server in self.servers:
            server.end()


STORIES = [shared, cancel, affine, drained, restarted, proxied, restored, full, killed, zombie]


def main():
    options = argparse.ArgumentParser(description="Drives several servers that share a database.")
    options.add_argument("--restart", required=True, help="command that restarts the database or the server of NATS")
    options.add_argument("--password", required=True, help="password that no process may show")
    options.add_argument("--programs", help="folder of the programs of PostgreSQL; without it, stories that need them are skipped")
    options.add_argument("--disk", help="small file system of the database or of NATS; without it, `full` is skipped")
    options.add_argument("--only", help="name of one story")
    options = options.parse_args()
    model = ThreadingHTTPServer(("127.0.0.1", 0), mock_model.Handler)
    model.daemon_threads = True
    threading.Thread(target=model.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{model.server_port}/v1"
    failed = []
    for story in STORIES:
        if options.only not in (None, story.__name__):
            continue
        if story is restored and not options.programs:
            print("restored: skipped: a dump is one of PostgreSQL")
            continue
        if story is full and not options.disk:
            print("full: skipped: a small file system cannot be mounted here")
            continue
        begun = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            place = Place(folder, address, options)
            try:
                story(place)
                for server in place.servers:
                    check(options.password not in server.log.read_text(), f"{server.name} logged the password")
                print(f"{story.__name__}: passed ({time.monotonic() - begun:.1f} s)")
            except Failed as error:
                failed.append(story.__name__)
                print(f"{story.__name__}: FAILED: {error}")
                for server in place.servers:
                    print(f"-- {server.name}:")
                    print("\n".join(server.log.read_text().splitlines()[-30:]))
            finally:
                place.end()
    if failed:
        print(f"cluster: failed: {', '.join(failed)}")
        sys.exit(1)


if __name__ == "__main__":
    main()
