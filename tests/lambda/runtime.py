"""A Runtime API of AWS Lambda on this machine, for tests that run `mitt lambda`."""

import contextlib
import json
import queue
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PATIENCE = 300  # Skills may have to be compiled first, and an emulator is slow.


class Runtime:
    """A Runtime API: hands out events, collects answers."""

    def __init__(self):
        self.events, self.answers = queue.Queue(), queue.Queue()
        # The function, if its end is to be noticed while an answer is awaited.
        self.process = None
        runtime = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                name, event, seconds = runtime.events.get()
                body = json.dumps(event).encode()
                self.send_response(200)
                self.send_header("Lambda-Runtime-Aws-Request-Id", name)
                self.send_header("Lambda-Runtime-Deadline-Ms", str(int((time.time() + seconds) * 1000)))
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                with contextlib.suppress(OSError):
                    self.wfile.write(body)

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                runtime.answers.put((self.path.rsplit("/", 2)[1:], body))
                self.send_response(202)
                self.send_header("Content-Length", "0")
                self.end_headers()

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, name, event, seconds=PATIENCE):
        self.events.put((name, event, seconds))
        (answered, kind), body = self.next_answer()
        assert answered == name, (answered, body)
        return kind, body

    def next_answer(self):
        end = time.monotonic() + PATIENCE
        while True:
            has_ended = self.process is not None and self.process.poll() is not None
            try:
                return self.answers.get(timeout=0.2)
            except queue.Empty:
                assert not has_ended, f"the function has ended with {self.process.returncode}"
                assert time.monotonic() < end, f"no answer within {PATIENCE} s"

    def response(self, name, event):
        kind, body = self.answer(name, event)
        assert kind == "response", body
        return body

    def error(self, name, event):
        kind, body = self.answer(name, event)
        assert kind == "error", body
        return body["errorMessage"]
