#!/usr/bin/env python3
"""Serves the page's files from the folders of the sources, so that a change is seen without a build.

    live.py PORT BACKEND        # BACKEND is the address of `mitt serve`, such as 127.0.0.1:6488; PORT 0 chooses a free one

It prints one line, `listening on http://127.0.0.1:PORT`, and passes everything that is no file of the page to the server.
"""

import http.client
import http.server
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "src/service/page/assets"
VIEWER = ROOT / "src/serve/viewer/assets"
TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html; charset=utf-8", ".svg": "image/svg+xml"}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
)
# Headers of one connection, and those by which the server would notice another origin.
OWN_HEADERS = {"host", "connection", "origin", "referer", "accept-encoding", "transfer-encoding"}
backend = sys.argv[2].removeprefix("http://").rstrip("/")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_any(self):
        path = self.path.split("?", 1)[0]
        if self.command == "GET" and path == "/":
            self.send_file(PAGE, "index.html")
        elif self.command == "GET" and path.startswith("/assets/live/viewer/"):
            self.send_file(VIEWER, path.removeprefix("/assets/live/viewer/"))
        elif self.command == "GET" and path.startswith("/assets/live/"):
            self.send_file(PAGE, path.removeprefix("/assets/live/"))
        else:
            self.pass_on()

    def send_file(self, folder, name):
        file = (folder / name).resolve()
        if not file.is_relative_to(folder) or not file.is_file():
            self.send_error(404)
            return
        body = file.read_bytes().replace(b"{{assets}}", b"/assets/live")
        self.send_response(200)
        self.send_header("Content-Type", TYPES.get(file.suffix, "application/octet-stream"))
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Security-Policy", POLICY)
        self.end_headers()
        self.wfile.write(body)

    def pass_on(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length) if length else None
        headers = {name: value for name, value in self.headers.items() if name.lower() not in OWN_HEADERS}
        connection = http.client.HTTPConnection(backend, timeout=3600)
        try:
            connection.request(self.command, self.path, body, {**headers, "Host": backend})
            answer = connection.getresponse()
        except OSError:
            self.send_response(502)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in OWN_HEADERS:
                self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        try:
            while piece := answer.read1(65536):
                self.wfile.write(piece)
                self.wfile.flush()
        except (OSError, http.client.HTTPException):
            # The browser has enough, or the server was killed.
            pass

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = do_any


server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
