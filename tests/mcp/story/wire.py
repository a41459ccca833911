"""Records the messages between a client and Mitt.

    python wire.py LOG.jsonl SECONDS COMMAND ARGUMENT…   # between a client and a server over standard input and output
    wire.serve(address, log, seconds)                    # between a client and a server over HTTP

The log has a line for each message: `from` is `client` or `mitt`, `message` the message;
the first one is the folder in which the client starts servers. The answers of
`python__run` are delayed by SECONDS, to learn when a client gives up.
"""

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler

from model import Server

SLOW = b"python__run"


class Log:
    def __init__(self, path):
        self.file, self.lock = open(path, "a", encoding="utf-8"), threading.Lock()

    def write(self, side, data, **more):
        try:
            more["message"] = json.loads(data)
        except ValueError:
            more["text"] = data.decode("utf-8", "replace")
        with self.lock:
            self.file.write(json.dumps({"time": round(time.time(), 3), "from": side, **more}, ensure_ascii=False) + "\n")
            self.file.flush()


def stdio(log, delay, command):
    log = Log(log)
    log.write("folder", os.getcwd().encode())
    mitt = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    called, lock = set(), threading.Lock()

    def send(line):
        try:
            with lock:
                sys.stdout.buffer.write(line)
                sys.stdout.flush()
        except OSError:
            log.write("client", b"gone")

    def client():
        for line in sys.stdin.buffer:
            log.write("client", line)
            if delay and b'"tools/call"' in line and SLOW in line:
                called.add(json.loads(line)["id"])
            mitt.stdin.write(line)
            mitt.stdin.flush()
        log.write("client", b"end of input")
        mitt.stdin.close()

    def errors():
        for line in mitt.stderr:
            log.write("mitt's log", line)
            sys.stderr.buffer.write(line)
            sys.stderr.flush()

    for task in (client, errors):
        threading.Thread(target=task, daemon=True).start()
    signal.signal(signal.SIGTERM, lambda *_: (log.write("client", b"SIGTERM"), mitt.terminate()))
    for line in mitt.stdout:
        log.write("mitt", line)
        if called and json.loads(line).get("id") in called:
            timer = threading.Timer(delay, send, [line])
            timer.daemon = True
            timer.start()
        else:
            send(line)
    # Not `sys.exit`, which would wait for the reading thread.
    os._exit(mitt.wait())


def serve(address, path, delay=0):
    """Starts a proxy for `address` (`host:port`). It keeps the client's `Host`, so that links lead through it too."""
    log = Log(path)

    class Proxy(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def forward(self):
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if "chunked" in self.headers.get("Transfer-Encoding", ""):
                while length := int(self.rfile.readline().split(b";")[0], 16):
                    body += self.rfile.read(length)
                    self.rfile.readline()
                self.rfile.readline()
            headers = {name: value for name, value in self.headers.items()
                       if name.lower() not in ("transfer-encoding", "connection", "content-length")}
            log.write("client", body, http=f"{self.command} {self.path}",
                      headers={name: headers[name] for name in headers if name.lower().startswith(("mcp-", "last-event"))})
            upstream = http.client.HTTPConnection(address)
            try:
                upstream.request(self.command, self.path, body or None, {**headers, "Content-Length": str(len(body))})
                answer = upstream.getresponse()
                if delay and b'"tools/call"' in body and SLOW in body:
                    time.sleep(delay)
                self.send_response(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in ("transfer-encoding", "connection", "content-length", "date", "server"):
                        self.send_header(name, value)
                empty = self.command == "HEAD" or answer.status in (204, 304)
                if not empty:
                    self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                whole = b""
                while not empty and (part := answer.read1(65536)):
                    whole = (whole + part)[:1_000_000]
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
                    self.wfile.flush()
                if not empty:
                    self.wfile.write(b"0\r\n\r\n")
                shown = whole if "/files/" not in self.path else whole[:20]
                kind = answer.getheader("Content-Type", "")
                parts = [shown]
                if "event-stream" in kind:
                    parts = [line[5:].strip() for line in shown.split(b"\n") if line.startswith(b"data:")] or [b""]
                for part in parts:
                    log.write("mitt", part, http=answer.status)
            except OSError:
                self.close_connection = True
            finally:
                upstream.close()

        do_GET = do_POST = do_DELETE = do_HEAD = do_OPTIONS = do_PUT = forward

    return Server(Proxy)


if __name__ == "__main__":
    stdio(sys.argv[1], float(sys.argv[2]), sys.argv[3:])
