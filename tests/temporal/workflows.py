#!/usr/bin/env python3
"""Workflows of `examples/temporal` against `mitt serve` and a Temporal server; `run` installs both packages.

The environment names the program (`MITT`); `temporal` is found in `PATH`.
"""

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from http.server import ThreadingHTTPServer
from pathlib import Path

from temporalio.client import Client, WorkflowFailureError

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "temporal" / "mitt_activity.py"
sys.path += [str(ROOT / "tests" / "service"), str(EXAMPLE.parent)]

import mock_model  # noqa: E402
from mitt_activity import TASK_QUEUE, Job, Report  # noqa: E402

PATIENCE = 90


def check(condition, message):
    if not condition:
        raise SystemExit(f"temporal: FAILED: {message}")


async def until(what, wanted):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            if value := wanted():
                return value
        except OSError:
            pass
        await asyncio.sleep(0.1)
    check(False, f"{what}: not within {PATIENCE} s")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Programs:
    """Processes that end with the test."""

    def __init__(self, folder):
        self.folder, self.processes = Path(folder), []

    def start(self, name, *arguments, **environment):
        log = self.folder / f"{name}.log"
        with open(log, "w") as output:
            process = subprocess.Popen(arguments, stdout=output, stderr=output, env={**os.environ, **environment})
        self.processes.append(process)
        return process, log

    def end(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.wait()


async def stories(programs, model):
    mitt, log = programs.start(
        "mitt", os.environ["MITT"], "serve", "--listen", "127.0.0.1:0", "--model", f"mock={model}#mock", "--no-watch",
        "--cache-dir", str(ROOT / "target" / "mitt-cache"), "--state", str(programs.folder / "state"), OPENAI_API_KEY="mock",
    )
    pattern = r"listening; .*?127\.0\.0\.1:(\d+)\D"
    port = (await until("mitt listens", lambda: re.search(pattern, log.read_text()))).group(1)
    os.environ["MITT_URL"] = url = f"http://127.0.0.1:{port}"
    grpc = free_port()
    os.environ["TEMPORAL_ADDRESS"] = address = f"127.0.0.1:{grpc}"
    programs.start("temporal", "temporal", "server", "start-dev", "--headless", "--port", str(grpc))

    async def connected():
        try:
            return await Client.connect(address)
        except RuntimeError:
            return None

    client, end = None, time.monotonic() + PATIENCE
    while client is None and time.monotonic() < end:
        client = await connected()
        await asyncio.sleep(0.1)
    check(client, "Temporal does not answer")

    def get(path):
        with urllib.request.urlopen(url + path, timeout=PATIENCE) as response:
            return json.load(response)

    def runs():
        return get("/v1/runs?limit=100")["runs"]

    def worker(name):
        return programs.start(name, sys.executable, str(EXAMPLE))

    # The job: a document in, a file out.
    document = programs.folder / "a.csv"
    document.write_text("month,revenue\n1,2\n2,9\n")
    first, _ = worker("first")
    code = "import report\nwanted = sum(r['revenue'] for r in documents['a.csv'].tables[0])\n"
    code += "report.deliver(markdown=f'Sum: {wanted}', filename='sum.md')"
    job = Job(f"[python] {code}[/python]", [str(document)])
    outcome = await client.execute_workflow(Report.run, job, id="job", task_queue=TASK_QUEUE)
    check(list(outcome.files) == ["sum.md"], outcome)
    with urllib.request.urlopen(outcome.files["sum.md"], timeout=PATIENCE) as response:
        text = response.read().decode()
    check(text.strip() == "Sum: 11", text)

    # The worker is killed while the run works; another one takes over.
    handle = await client.start_workflow(Report.run, Job("[slow 80]"), id="killed", task_queue=TASK_QUEUE)
    await until("the run works", lambda: runs()[0]["status"] == "running")
    first.send_signal(signal.SIGKILL)
    worker("second")
    outcome = await asyncio.wait_for(handle.result(), PATIENCE)
    check(outcome.text.endswith("slow 80"), outcome.text)
    check(len(runs()) == 2, f"the second attempt made a run: {runs()}")
    attempts = [
        event.activity_task_started_event_attributes.attempt
        async for event in handle.fetch_history_events()
        if event.HasField("activity_task_started_event_attributes")
    ]
    check(attempts == [2], f"attempts: {attempts}")

    # A cancelled workflow cancels its run.
    handle = await client.start_workflow(Report.run, Job("[slow 600]"), id="cancelled", task_queue=TASK_QUEUE)
    run = (await until("the run works", lambda: runs()[0]["status"] == "running" and runs()))[0]["id"]
    await handle.cancel()
    try:
        await asyncio.wait_for(handle.result(), PATIENCE)
        check(False, "the workflow was not cancelled")
    except WorkflowFailureError:
        pass
    await until("the run is cancelled", lambda: get(f"/v1/runs/{run}")["status"] == "cancelled")

    # What cannot succeed is not tried again.
    try:
        await client.execute_workflow(Report.run, Job(""), id="wrong", task_queue=TASK_QUEUE)
        check(False, "a wrong request was accepted")
    except WorkflowFailureError as error:
        check("instruction" in str(error.cause.cause), repr(error.cause.cause))
    check(mitt.poll() is None, "mitt ended")
    print("temporal: passed")


def main():
    model = ThreadingHTTPServer(("127.0.0.1", 0), mock_model.Handler)
    model.daemon_threads = True
    threading.Thread(target=model.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        programs = Programs(folder)
        try:
            asyncio.run(stories(programs, f"http://127.0.0.1:{model.server_port}/v1"))
        except BaseException:
            for log in sorted(Path(folder).glob("*.log")):
                print(f"-- {log.stem}:")
                print("\n".join(log.read_text(errors="replace").splitlines()[-20:]))
            raise
        finally:
            programs.end()


if __name__ == "__main__":
    main()
