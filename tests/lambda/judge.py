"""Stories of a function with objects of S3. `run` says what it needs."""

import contextlib
import hashlib
import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import boto3
from botocore.exceptions import ClientError
from runtime import PATIENCE, Runtime

SECRET = "s3cret/+=key"


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Store:
    """ministack, and a client of it with the key of the operator."""

    def __init__(self, program, folder):
        self.url = f"http://127.0.0.1:{free_port()}"
        variables = {
            **os.environ, "SERVICES": "s3,sts", "GATEWAY_PORT": self.url.rsplit(":", 1)[1], "BIND_HOST": "127.0.0.1",
            "TMPDIR": folder, "HOME": folder, "AWS_ACCESS_KEY_ID": "operator", "AWS_SECRET_ACCESS_KEY": SECRET,
        }
        self.log = open(pathlib.Path(folder, "ministack.log"), "w")
        self.process = subprocess.Popen([program], cwd=folder, env=variables, stdout=self.log, stderr=self.log)
        self.s3 = self.client("s3")
        if not self.starts():
            self.end()
            lines = pathlib.Path(self.log.name).read_text(errors="replace").splitlines()
            print("\n".join(lines[-20:]), file=sys.stderr)
            print("lambda: skipped: ministack does not start here")
            sys.exit(0)
        try:
            self.s3.create_bucket(Bucket="out-box")
            role = self.client("sts").assume_role(RoleArn="arn:aws:iam::000000000000:role/f", RoleSessionName="function")
            # As in a function: a key that ends.
            self.key = role["Credentials"]
        except BaseException:
            self.end()
            raise

    def starts(self):
        for _ in range(600):
            try:
                self.s3.create_bucket(Bucket="in-box")
                return True
            except Exception:
                if self.process.poll() is not None:
                    return False
                time.sleep(0.1)
        return False

    def end(self):
        self.process.kill()
        self.process.wait()
        self.log.close()

    def client(self, service):
        return boto3.client(
            service, endpoint_url=self.url, region_name="us-east-1", aws_access_key_id="operator", aws_secret_access_key=SECRET,
        )

    def put(self, key, content):
        self.s3.put_object(Bucket="in-box", Key=key, Body=content)

    def get(self, key, bucket="out-box"):
        return self.s3.get_object(Bucket=bucket, Key=key)["Body"].read()

    def keys(self, bucket="out-box"):
        return sorted(it["Key"] for it in self.s3.list_objects_v2(Bucket=bucket).get("Contents", []))

    def clear(self):
        for bucket in ["in-box", "out-box"]:
            for key in self.keys(bucket):
                self.s3.delete_object(Bucket=bucket, Key=key)

    def uploads(self):
        return self.s3.list_multipart_uploads(Bucket="out-box").get("Uploads", [])


class SwallowingProxy:
    """Stands before the store, and never passes on the second part of an upload."""

    def __init__(self, store):
        self.requests, self.swallowed = [], threading.Semaphore(0)
        released = self.released = threading.Event()
        target = store.url.removeprefix("http://")
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def passed_on(self):
                self.close_connection = True
                proxy.requests.append(f"{self.command} {self.path}")
                content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                if "partNumber=2&" in self.path:
                    proxy.swallowed.release()
                    released.wait(PATIENCE)
                    return
                connection = http.client.HTTPConnection(target, timeout=PATIENCE)
                # The host is signed, so it stays that of this proxy.
                connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
                for name, value in self.headers.items():
                    connection.putheader(name, value)
                connection.endheaders(content)
                response = connection.getresponse()
                body = response.read()
                self.send_response_only(response.status)
                for name, value in response.getheaders():
                    if name.lower() not in ("connection", "content-length", "transfer-encoding"):
                        self.send_header(name, value)
                self.send_header("Connection", "close")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                with contextlib.suppress(OSError):
                    self.wfile.write(body)
                connection.close()

            do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = passed_on

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def count(self, method):
        """Returns how many uploads were begun (POST) or deleted (DELETE)."""
        marks = {"POST": "uploads", "DELETE": "uploadId="}
        return sum(it.startswith(method) and marks[method] in it for it in self.requests)

    def end(self):
        self.released.set()
        self.server.shutdown()


class Model:
    """A model over HTTP that says the same each time."""

    def __init__(self):
        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                message = {"role": "assistant", "content": "The total is 3."}
                body = json.dumps({
                    "id": "1", "object": "chat.completion", "model": "mock",
                    "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
                    "usage": {"prompt_tokens": 11, "completion_tokens": 5, "total_tokens": 16},
                }).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.name = f"http://127.0.0.1:{self.server.server_port}/v1#mock"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


class Function:
    def __init__(self, store, folder, *options, **variables):
        self.runtime = Runtime()
        self.log = pathlib.Path(folder, "function.log")
        environment = {
            **os.environ, "AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{self.runtime.server.server_port}",
            "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "1024", "AWS_ACCESS_KEY_ID": store.key["AccessKeyId"],
            "AWS_SECRET_ACCESS_KEY": store.key["SecretAccessKey"], "AWS_SESSION_TOKEN": store.key["SessionToken"],
            "AWS_REGION": "us-east-1", "AWS_ENDPOINT_URL": store.url, "MITT_CONFIG": "",
            "MITT_CACHE_DIR": str(pathlib.Path("target/mitt-cache").absolute()), **variables,
        }
        program = str(pathlib.Path(os.environ["MITT"]).absolute())
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                [program, "lambda", *options], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stderr=log,
            )
        self.runtime.process = self.process

    def __enter__(self):
        return self.runtime

    def __exit__(self, failure, *_):
        self.process.kill()
        self.process.wait()
        self.runtime.server.shutdown()
        if failure is None:
            # One object of JSON for each line, whatever happened.
            for line in self.log.read_text().splitlines():
                assert isinstance(json.loads(line), dict), line


def script(code, *documents):
    event = {"script": {"code": code, "language": "python-lite"}}
    return {**event, "documents": list(documents)} if documents else event


def documents_by_address(store, folder):
    store.put("a/月 报+(1).csv", "月,n\n1,3\n2,4\n".encode())
    store.put("b/secret.csv", b"n\n7\n")
    with Function(store, folder, "--s3", "s3://in-box/a") as runtime:
        address = {"url": "s3://in-box/a/月 报+(1).csv"}
        answer = runtime.response("read", script("list(documents)", address))
        assert answer["result"]["result"] == ["月 报+(1).csv"], answer
        renamed = script("list(documents)", {**address, "name": "b.csv"})
        assert runtime.response("named", renamed)["result"]["result"] == ["b.csv"]
        for key, expected in [("b/secret.csv", "--s3"), ("a/none.csv", "no such object"), ("a/../b/secret.csv", "cannot be used")]:
            message = runtime.error("refused", script("1", {"url": f"s3://in-box/{key}"}))
            assert key in message and expected in message and "documents[0]" in message, message
    with Function(store, folder, "--s3", "s3://in-box", AWS_SECRET_ACCESS_KEY="wrong") as runtime:
        message = runtime.error("signed", script("1", {"url": "s3://in-box/b/secret.csv"}))
        assert "SignatureDoesNotMatch" in message and "s3://in-box/b/secret.csv" in message, message
        assert "AWS_SECRET_ACCESS_KEY" in message and "wrong" not in message.replace("is wrong", ""), message


def results_with_links(store, folder):
    with Function(store, folder, "--results", "s3://out-box/r", "--link-life", "5m") as runtime:
        small = runtime.response("small", script("open('a.txt', 'w').write('x' * 100)"))
        assert "base64" in small["files"][0] and store.keys() == [], small
        for size in [5_000_000, 20_000_000]:
            answer = runtime.response("large", script(f"open('报告.txt', 'w').write('x' * {size})"))
            file = answer["files"][0]
            assert file["s3"] == "s3://out-box/r/large/files/报告.txt" and "base64" not in file, answer
            content = urllib.request.urlopen(file["url"]).read()
            assert (len(content), hashlib.sha256(content).hexdigest()) == (file["size"], file["sha256"]), answer
            assert store.get("r/large/files/报告.txt") == content
            head = store.s3.head_object(Bucket="out-box", Key="r/large/files/报告.txt")
            assert head["ContentType"].startswith("text/plain"), head
        try:
            urllib.request.urlopen(file["url"].replace("X-Amz-Expires=300", "X-Amz-Expires=3000"))
            raise AssertionError("a link with a changed end is good")
        except urllib.error.HTTPError as error:
            assert error.code == 403, error
        long = runtime.response("long", script("'x' * 7_000_000"))
        stored = json.loads(urllib.request.urlopen(long["result_file"]["url"]).read())
        assert len(stored["result"]) == 7_000_000, stored.keys()
        message = {"messageId": "m1", "body": json.dumps(script("open('m.txt', 'w').write('x')")), "eventSource": "aws:sqs"}
        assert runtime.response("batch", {"Records": [message]}) == {"batchItemFailures": []}
        assert store.get("r/batch/m1/files/m.txt") == b"x"
    assert store.uploads() == []
    with Function(store, folder) as runtime:
        message = runtime.error("large", script("open('l.txt', 'w').write('x' * 5_000_000)"))
        assert "--results" in message and "l.txt" in message, message
    with Function(store, folder, "--results", "s3://none-box") as runtime:
        message = runtime.error("large", script("open('l.txt', 'w').write('x' * 5_000_000)"))
        assert "NoSuchBucket" in message and "s3://none-box/" in message, message


def created(*keys):
    def record(key):
        return {
            "eventSource": "aws:s3", "eventName": "ObjectCreated:Put",
            "s3": {"bucket": {"name": "in-box"}, "object": {"key": urllib.parse.quote_plus(key, safe="/")}},
        }

    return {"Records": [record(key) for key in keys]}


RULES = """\
schema: 1
rules:
  - from: s3://in-box/reports/**/*.csv
    do: tables
    to: s3://out-box/{folder}/{name}-{table}.csv
  - from: s3://in-box/reports/**
    do: text
    to: s3://out-box/{folder}/{name}.{ext}.md
  - from: s3://in-box/notes/*.md
    do: render
    options: { language: zh-CN }
    to: s3://out-box/notes/{name}.pdf
"""


def objects_by_rules(store, folder):
    pathlib.Path(folder, "rules.yaml").write_text(RULES)
    store.put("reports/2025/月 报.csv", "月,n\n1,3\n".encode())
    store.put("reports/empty.txt", b"")
    store.put("notes/会议.md", "# 会议\n\n一、二。\n".encode())
    with Function(store, folder, "--rules", "rules.yaml") as runtime:
        report = runtime.response("csv", created("reports/2025/月 报.csv", "notes/会议.md", "other.bin"))
        assert store.get("2025/月 报-1.csv") == "月,n\n1,3\n".encode(), report
        assert "| 月" in store.get("2025/月 报.csv.md").decode(), report
        assert store.get("notes/会议.pdf").startswith(b"%PDF"), report
        head = store.s3.head_object(Bucket="out-box", Key="notes/会议.pdf")
        assert head["ContentType"] == "application/pdf", head
        assert report["objects"][2] == {"object": "s3://in-box/other.bin", "skipped": "no rule has it"}, report
        bridge = {
            "version": "0", "source": "aws.s3", "detail-type": "Object Created",
            "detail": {"bucket": {"name": "in-box"}, "object": {"key": "notes/会议.md", "size": 9}},
        }
        store.s3.delete_object(Bucket="out-box", Key="notes/会议.pdf")
        runtime.response("bridge", bridge)
        assert store.get("notes/会议.pdf").startswith(b"%PDF")
        kind, body = runtime.answer("half", created("reports/none.txt", "reports/empty.txt", "notes/会议.md"))
        assert kind == "error" and "s3://in-box/reports/none.txt" in body["errorMessage"], body
        assert body["answer"]["objects"][2]["outputs"], body
        # As a message of a queue that the bucket notifies.
        message = {"messageId": "m1", "body": json.dumps(created("reports/none.txt")), "eventSource": "aws:sqs"}
        assert runtime.response("queued", {"Records": [message]}) == {"batchItemFailures": [{"itemIdentifier": "m1"}]}
    # One that would start itself does not start.
    own = RULES.replace("s3://out-box/{folder}/{name}.{ext}.md", "s3://in-box/reports/{name}.{ext}.md")
    pathlib.Path(folder, "rules.yaml").write_text(own)
    function = Function(store, folder, "--rules", "rules.yaml")
    (_, kind), body = function.runtime.answers.get(timeout=PATIENCE)
    assert kind == "error" and body["errorMessage"].startswith("rules.yaml:8: rules[1].to: "), body
    assert function.process.wait(PATIENCE) == 3


def an_ended_function_leaves_nothing(store, folder):
    """A deadline, and a signal, while the second part of a file is sent. The first part is in the store."""
    proxy = SwallowingProxy(store)
    function = Function(store, folder, "--results", "s3://out-box", AWS_ENDPOINT_URL=proxy.url)
    event = script("open('l.txt', 'w').write('x' * 9_000_000)")
    try:
        with function as runtime:
            kind, body = runtime.answer("late", event, seconds=20)
            assert kind == "error" and body["errorType"] == "Mitt.limit", body
            assert "l.txt" in body["errorMessage"], body
            assert proxy.swallowed.acquire(timeout=1), proxy.requests
            assert store.uploads() == [] and proxy.count("POST") == 1 and proxy.count("DELETE") == 1, proxy.requests
            runtime.events.put(("ended", event, PATIENCE))
            assert proxy.swallowed.acquire(timeout=PATIENCE), proxy.requests
            # What a function without time for it would leave.
            assert len(store.uploads()) == 1
            function.process.send_signal(signal.SIGTERM)
            (name, kind), body = runtime.answers.get(timeout=PATIENCE)
            assert (name, kind, body["errorType"]) == ("ended", "error", "Mitt.cancelled"), body
            assert function.process.wait(PATIENCE) == 0
            assert store.uploads() == [] and proxy.count("DELETE") == 2, proxy.requests
    finally:
        proxy.end()
    assert store.keys() == []


def a_model_with_agents_works_with_objects(store, folder):
    """The log has one object of JSON for each line; `Function` checks that."""
    store.put("a.csv", b"n\n1\n2\n")
    model = Model()
    with Function(store, folder, "--s3", "s3://in-box", "--agents", "built-in", "--model", model.name) as runtime:
        for name in ["first", "second"]:
            event = {"run": {"instruction": "Add up n."}, "documents": [{"url": "s3://in-box/a.csv"}]}
            answer = runtime.response(name, event)
            assert answer["result"]["text"] == "The total is 3.", answer
        # SQS delivers a message again whose run lacks a file.
        event = {"run": {"instruction": "Make an Excel file of n."}}
        message = {"messageId": "m1", "body": json.dumps(event), "eventSource": "aws:sqs"}
        assert runtime.response("batch", {"Records": [message]}) == {"batchItemFailures": [{"itemIdentifier": "m1"}]}
    model.server.shutdown()


STORIES = [
    documents_by_address, results_with_links, objects_by_rules, an_ended_function_leaves_nothing,
    a_model_with_agents_works_with_objects,
]

with tempfile.TemporaryDirectory() as folder:
    store = Store(sys.argv[1], folder)
    try:
        for story in STORIES:
            begun = time.time()
            try:
                story(store, folder)
            except (Exception, ClientError):
                log = pathlib.Path(folder, "function.log")
                print(log.read_text() if log.exists() else "", file=sys.stderr)
                raise
            store.clear()
            print(f"lambda: {story.__name__}: passed ({time.time() - begun:.1f} s)")
    finally:
        store.end()
