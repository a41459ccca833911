"""A Temporal activity that has Mitt do a job, and a workflow that uses it.

The activity creates a run of `mitt serve` with an idempotency key, and then only watches it. When its worker dies, Temporal starts
the activity again elsewhere; the new attempt sends the same key, so Mitt returns the run that works already. The history of the
workflow keeps the identifier of the run, its answer and links, not its files.

    pip install temporalio
    MITT_URL=http://127.0.0.1:6488 python3 mitt_activity.py            # a worker
    python3 mitt_activity.py start 'Compare DAU and revenue. ...' 2024.xlsx 2025.docx

`TEMPORAL_ADDRESS` is the address of the Temporal server (default 127.0.0.1:7233), `MITT_TOKEN` a token of `mitt serve`.
"""

import asyncio
import base64
import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from temporalio import activity, workflow
from temporalio.client import Client
from temporalio.common import RetryPolicy
from temporalio.exceptions import ApplicationError
from temporalio.worker import Worker

TASK_QUEUE = "mitt"
LOOK_SECONDS = 1.0
# Statuses of a run from which it goes on with `continue`.
STOPPED = ("interrupted",)


@dataclass
class Job:
    """What Mitt shall do. Paths are read by the worker."""

    instruction: str
    documents: list[str] = field(default_factory=list)


@dataclass
class Outcome:
    """What a run delivered."""

    run: str
    text: str
    # Names and links of the delivered files. A link is good for an hour by default.
    files: dict[str, str]


def request(method, path, body=None, **headers):
    """Sends a request to Mitt and returns the JSON of the response."""
    url = os.environ.get("MITT_URL", "http://127.0.0.1:6488") + path
    headers |= {"Content-Type": "application/json"}
    if token := os.environ.get("MITT_TOKEN"):
        headers["Authorization"] = f"Bearer {token}"
    data = None if body is None else json.dumps(body, sort_keys=True).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, headers, method=method), timeout=60) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        # Another attempt cannot make a wrong request right. A server that is busy or starts again can be asked again.
        is_final = error.code < 500 and error.code != 429
        raise ApplicationError(f"{error.code}: {error.read().decode()}", non_retryable=is_final) from error


@activity.defn
def mitt_run(job: Job) -> Outcome:
    """Creates a run, or finds the one of an earlier attempt, and waits for its end."""
    info = activity.info()
    documents = [
        {"name": Path(path).name, "content": base64.b64encode(Path(path).read_bytes()).decode()} for path in job.documents
    ]
    # The same for all attempts of this activity, and for no other one.
    key = f"temporal/{info.workflow_id}/{info.workflow_run_id}/{info.activity_id}"
    body = {"instruction": job.instruction, "documents": documents}
    state = request("POST", "/v1/runs", body, **{"Idempotency-Key": key})
    run = state["id"]
    while state["status"] in ("queued", "running", *STOPPED):
        if state["status"] in STOPPED:
            request("POST", f"/v1/runs/{run}/continue", {})
        # Temporal starts the activity again when heartbeats do not come. They also bring the wish to cancel, as an exception.
        try:
            activity.heartbeat(run)
            time.sleep(LOOK_SECONDS)
            state = request("GET", f"/v1/runs/{run}")
        except BaseException:
            if activity.is_cancelled():
                request("POST", f"/v1/runs/{run}/cancel", {})
            raise
    if state["status"] != "completed":
        # With its reason: a run that failed, or that waits for an answer that this workflow has not.
        raise ApplicationError(json.dumps(state, ensure_ascii=False)[:2000], type=state["status"], non_retryable=True)
    return Outcome(run, state["text"], {file["name"]: file["url"] for file in state["files"]})


@workflow.defn
class Report:
    """A workflow with one job of Mitt."""

    @workflow.run
    async def run(self, job: Job) -> Outcome:
        return await workflow.execute_activity(
            mitt_run,
            job,
            start_to_close_timeout=timedelta(hours=1),
            heartbeat_timeout=timedelta(seconds=10),
            retry_policy=RetryPolicy(initial_interval=timedelta(seconds=1), maximum_interval=timedelta(minutes=1)),
        )


async def main():
    client = await Client.connect(os.environ.get("TEMPORAL_ADDRESS", "127.0.0.1:7233"))
    if sys.argv[1:2] == ["start"]:
        job = Job(sys.argv[2], sys.argv[3:])
        outcome = await client.execute_workflow(Report.run, job, id=f"report-{uuid.uuid4()}", task_queue=TASK_QUEUE)
        print(json.dumps(outcome.__dict__, ensure_ascii=False))
        return
    with ThreadPoolExecutor(8) as threads:
        worker = Worker(
            client, task_queue=TASK_QUEUE, workflows=[Report], activities=[mitt_run], activity_executor=threads
        )
        await worker.run()


if __name__ == "__main__":
    asyncio.run(main())
