#!/usr/bin/env python3
"""Measures `mitt serve --cluster` with a scripted model that answers after 50 ms. Standard library only, on Linux;
`tests/cluster/run --figures` calls it on an idle machine, with a release build.

    MITT=target/release/mitt MITT_CLUSTER_URL=postgres://... figures.py --engine NAME [--queued N] [--write]

Prints a table. With `--write`, the table replaces the one between `<!-- figures: cluster-NAME -->` and
`<!-- end of cluster-NAME -->` in docs/cluster.md and docs/cluster.zh-CN.md.
"""

import argparse
import datetime
import http.client
import json
import os
import queue
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from servers import ROOT, Server, Watcher, check, until

sys.path.insert(0, str(ROOT / "tests/bench"))

import pages  # noqa: E402

# Seconds that the model takes, runs that a worker makes at once, and clients that create runs.
ANSWER = 0.05
PLACES = 16
CLIENTS = 16

MODEL = """
import asyncio, json
CHUNK = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "mock"}
TEXT = {**CHUNK, "choices": [{"index": 0, "delta": {"role": "assistant", "content": "done"}, "finish_reason": None}]}
END = {**CHUNK, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}],
       "usage": {"prompt_tokens": 10, "completion_tokens": 1, "total_tokens": 11}}
BODY = "".join(f"data: {json.dumps(it)}\\n\\n" for it in [TEXT, END]) + "data: [DONE]\\n\\n"
SLOW = [f"data: {json.dumps({**CHUNK, 'choices': [{'index': 0, 'delta': {'content': f'slow {n} '}, 'finish_reason': None}]})}\\n\\n"
        for n in range(1, 1001)]
HEAD = "HTTP/1.1 200 OK\\r\\nContent-Type: text/event-stream\\r\\n"

async def serve(reader, writer):
    try:
        while True:
            head = (await reader.readuntil(b"\\r\\n\\r\\n")).decode().lower()
            length = [line for line in head.split("\\r\\n") if line.startswith("content-length:")]
            body = await reader.readexactly(int(length[0].split(":")[1])) if length else b""
            if b"[slow" in body:
                writer.write((HEAD + "Connection: close\\r\\n\\r\\n").encode())
                for piece in SLOW:
                    writer.write(piece.encode())
                    await writer.drain()
                    await asyncio.sleep(0.1)
                return
            await asyncio.sleep(ANSWER)
            writer.write((HEAD + f"Content-Length: {len(BODY)}\\r\\n\\r\\n" + BODY).encode())
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()

async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()

asyncio.run(main())
"""


class Client:
    """A connection to a server that stays open."""

    def __init__(self, server):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)

    def create(self, instruction):
        body = json.dumps({"instruction": instruction})
        self.connection.request("POST", "/v1/runs", body, {"Content-Type": "application/json"})
        response = self.connection.getresponse()
        text = response.read()
        check(response.status < 300, f"{response.status} {text}")
        return json.loads(text)["id"]


def create_all(server, count):
    """Creates runs by several clients; returns the seconds that it took."""
    numbers = queue.SimpleQueue()
    for number in range(count):
        numbers.put(number)
    failures = []

    def work():
        client = Client(server)
        try:
            while True:
                client.create(f"Number {numbers.get_nowait()}")
        except queue.Empty:
            pass
        except Exception as error:  # noqa: BLE001
            failures.append(error)

    begun = time.monotonic()
    threads = [threading.Thread(target=work) for _ in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check(not failures, f"{failures[:1]}")
    return time.monotonic() - begun


def waiting(server):
    """Returns how many runs wait, and how many work."""
    _, text = server.request("GET", "/metrics")
    number = lambda name: sum(int(float(it)) for it in re.findall(rf"^{name}(?:{{[^}}]*}})? ([0-9.e+]+)$", text, re.M))  # noqa: E731
    return number("mitt_queued_runs"), number("mitt_working_runs")


def until_idle(server, seconds=600):
    until("all runs have ended", lambda: waiting(server) == (0, 0), seconds)


def memory(server):
    """Returns the resident MiB of a process."""
    text = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", text).group(1)) // 1024


class Figures:
    """What is measured, with the servers of the moment."""

    def __init__(self, folder, model):
        self.folder, self.model, self.servers = folder, model, []

    def start(self, *options, address=None):
        server = Server(self.folder, f"server{len(self.servers)}", self.model, options, address)
        self.servers.append(server)
        return server

    def end(self):
        for server in self.servers:
            server.end()
        self.servers = []

    def throughput(self, workers):
        """Runs per second from the first request to the last end."""
        front = self.start("--role", "front")
        for _ in range(workers):
            self.start("--role", "worker", "--max-runs", str(PLACES))
        create_all(front, 50)
        until_idle(front)
        begun = time.monotonic()
        create_all(front, 600)
        until_idle(front)
        rate = 600 / (time.monotonic() - begun)
        self.end()
        return rate

    def cost(self, programs):
        """Transactions and KiB of write-ahead log that PostgreSQL has for a run."""
        ask = "select (select sum(xact_commit) from pg_stat_database), pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')"

        def counted():
            # Sessions report what they did after a second.
            time.sleep(2)
            command = [f"{programs}/psql", "--no-align", "--tuples-only", f"--command={ask}", os.environ["MITT_CLUSTER_URL"]]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            return [int(float(it)) for it in done.stdout.strip().split("|")]

        front = self.start("--role", "front")
        self.start("--role", "worker", "--max-runs", str(PLACES))
        create_all(front, 50)
        until_idle(front)
        idle, begun = counted(), time.monotonic()
        time.sleep(5)
        before = counted()
        seconds = time.monotonic() - begun
        begun = time.monotonic()
        create_all(front, 400)
        until_idle(front)
        after = counted()
        # What the servers ask while they have no work is not of the runs.
        share = (time.monotonic() - begun) / seconds
        counts = [(last - first - (first - none) * share) / 400 for none, first, last in zip(idle, before, after)]
        self.end()
        return counts[0], counts[1] / 1024

    def latency(self, *options):
        """Milliseconds that single runs take beside the model's, from the request to the last event: median and 99th percentile."""
        front = self.start(*options)
        if options:
            self.start("--role", "worker", "--max-runs", str(PLACES))
        client, times = Client(front), []
        for number in range(220):
            begun = time.monotonic()
            run = client.create(f"Number {number}")
            Watcher(front, run).all()
            times.append((time.monotonic() - begun - ANSWER) * 1000)
        self.end()
        times = sorted(times[20:])
        return statistics.median(times), times[int(len(times) * 0.99) - 1]

    def takeover(self):
        """Seconds from the kill of a worker until each of its runs has begun a turn elsewhere: the least and the most."""
        front, worker = self.start("--role", "front"), self.start("--role", "worker", "--max-runs", str(PLACES))
        runs = [front.create("[slow 600]") for _ in range(8)]
        turns = lambda run: sum(event["type"] == "turn_started" for event in front.events(run))  # noqa: E731
        until("all work", lambda: all(turns(run) for run in runs))
        self.start("--role", "worker", "--max-runs", str(PLACES))
        begun, times = time.monotonic(), {}
        worker.signal(9)
        while len(times) < len(runs):
            for run in runs:
                if run not in times and turns(run) > 1:
                    times[run] = time.monotonic() - begun
            check(time.monotonic() - begun < 120, "runs stay where they are")
            time.sleep(0.1)
        for run in runs:
            front.request("POST", f"/v1/runs/{run}/cancel")
        until_idle(front)
        self.end()
        return min(times.values()), max(times.values())

    def queued(self, count):
        """Many runs wait: creations per second, memory of the front end, milliseconds of `/metrics`, seconds until a worker that
        is started has ended 1 000 of them, and its memory."""
        front = self.start("--role", "front")
        created = count / create_all(front, count)
        begun = time.monotonic()
        check(waiting(front)[0] == count, f"{waiting(front)} wait and work")
        metrics = (time.monotonic() - begun) * 1000
        begun = time.monotonic()
        worker = self.start("--role", "worker", "--max-runs", str(PLACES))
        until("some have ended", lambda: waiting(front)[0] <= count - 1000, 600)
        took = time.monotonic() - begun
        result = created, memory(front), metrics, took, memory(worker)
        self.end()
        return result


def tables(rows, engine):
    """Returns the table in English and in Chinese."""
    version = subprocess.run([os.environ["MITT"], "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    date = datetime.date.today().isoformat()
    english, chinese = pages.machines()
    heads = [("| | |", f"Measured on {date} with Mitt {version} and {engine} on {english}, which also ran the database, the model and the clients."),
             ("| | |", f"{date} 实测：Mitt {version}，{engine}，{chinese}；数据库、模型和客户端都在同一台机器上。")]
    texts = []
    for language, (head, note) in enumerate(heads):
        lines = [head, "|---|---|", *(f"| {row[language]} | {row[2]} |" for row in rows)]
        texts.append("\n".join(lines) + f"\n\n{note}\n")
    return texts


def main():
    options = argparse.ArgumentParser(description="Measures several servers that share a database.")
    options.add_argument("--engine", required=True, choices=["postgres", "nats"])
    options.add_argument("--queued", type=int, default=100_000, help="runs that wait in the last measurement; 0 leaves it out")
    options.add_argument("--programs", help="folder with psql, for what a run costs PostgreSQL")
    options.add_argument("--write", action="store_true", help="write the table into the pages")
    options = options.parse_args()
    model = subprocess.Popen([sys.executable, "-c", MODEL.replace("ANSWER", str(ANSWER))], stdout=subprocess.PIPE, text=True)
    rows = []

    def row(english, chinese, value):
        rows.append((english, chinese, value))
        print(f"{english}: {value}")

    with tempfile.TemporaryDirectory() as folder:
        figures = Figures(folder, f"http://127.0.0.1:{int(model.stdout.readline())}/v1")
        try:
            for workers in [1, 2, 4]:
                rate = figures.throughput(workers)
                row(f"runs per second, {workers} worker{'s' if workers > 1 else ''}", f"每秒运行数，{workers} 个执行者", f"{rate:.0f}")
            median, most = figures.latency("--role", "front")
            row("a single run beside the model's 50 ms: median, 99th percentile", "单个运行除模型 50 ms 外的耗时：中位数、第 99 百分位",
                f"{median:.0f} ms, {most:.0f} ms")
            least, most = figures.takeover()
            row("a worker is killed: its runs go on elsewhere after (lease 30 s)", "执行者被杀死后，其运行在别处继续（租约 30 s）",
                f"{least:.1f} to {most:.1f} s")
            if options.programs:
                transactions, log = figures.cost(options.programs)
                row("a run costs the database", "每个运行在数据库上的开销", f"{transactions:.0f} COMMIT, {log:.0f} KiB WAL")
            if options.queued:
                created, front, metrics, took, worker = figures.queued(options.queued)
                row(f"{options.queued} runs are created: per second", f"创建 {options.queued} 个运行：每秒", f"{created:.0f}")
                row("memory of the front end then; `/metrics` takes", "此时前端的内存；`/metrics` 耗时", f"{front} MiB; {metrics:.0f} ms")
                row("a worker that is started then has ended 1 000 of them after; its memory", "此时启动的执行者完成其中 1000 个的时间；其内存",
                    f"{took:.1f} s; {worker} MiB")
        finally:
            figures.end()
            model.kill()
    if options.write:
        pages.write(f"cluster-{options.engine}", "docs/cluster", tables(rows, {"postgres": "PostgreSQL", "nats": "NATS"}[options.engine]))


if __name__ == "__main__":
    main()
