#!/usr/bin/env python3
"""Measures cold starts of `mitt lambda` as a function: a Runtime API on this machine, the small program with compiled skills, memory and
processor bounded by control groups, with and without files in the system's cache.

    MITT=target/release/mitt MITT_EDGE=target/edge/mitt tests/bench/lambda/figures.py [--write]

`MITT_EDGE` is a build of profile `edge` with the features `lambda,serve,xlsx`, `MITT` one with the compiler. Beside it a function in Python that writes
the same workbook with openpyxl, if the interpreter has it. Needs root on Linux with control groups (v1); without them the rows of a full
machine alone are measured. `--write` writes the table into docs/edge.md and docs/edge.zh-CN.md.
"""

import argparse
import contextlib
import datetime
import http.client
import http.server
import importlib.util
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/bench"))

import pages  # noqa: E402

RUNS = int(os.environ.get("MITT_BENCH_RUNS", "5"))
SKILLS = ["document-tool", "excel-tool", "python", "python-lite"]

ROWS = [{"month": f"2025-{n:02}", "dau": 1000 + 7 * n, "revenue": 12.5 * n} for n in range(1, 13)]
EVENTS = {
    "excel": {"call": {"tool": "excel_tool__create_excel", "arguments": {"data": ROWS, "filename": "r.xlsx"}}},
    "lite": {"script": {"code": "sum(n * n for n in range(100))", "language": "python-lite"}},
    "python": {"script": {"code": "sum(n * n for n in range(100))", "language": "python"}},
}

PEER = """
import json, os, urllib.request
api = f"http://{os.environ['AWS_LAMBDA_RUNTIME_API']}/2018-06-01/runtime/invocation"
import base64, io, openpyxl
while True:
    with urllib.request.urlopen(f"{api}/next") as response:
        request, event = response.headers["Lambda-Runtime-Aws-Request-Id"], json.load(response)
    rows = event["call"]["arguments"]["data"]
    book = openpyxl.Workbook()
    book.active.append(list(rows[0]))
    for row in rows:
        book.active.append(list(row.values()))
    out = io.BytesIO()
    book.save(out)
    body = json.dumps({"files": [{"name": "r.xlsx", "base64": base64.b64encode(out.getvalue()).decode()}]}).encode()
    urllib.request.urlopen(urllib.request.Request(f"{api}/{request}/response", body, method="POST")).close()
"""


class Listener(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        """A function that was ended is no error."""


class Api:
    """A Runtime API that hands out events and takes the time of what happens."""

    def __init__(self):
        self.events, self.answers, self.changed = [], [], threading.Condition()
        self.asked = None
        api = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                with api.changed:
                    if api.asked is None:
                        api.asked = time.monotonic()
                    api.changed.notify_all()
                    api.changed.wait_for(lambda: api.events, 60)
                    if not api.events:
                        return
                    body = json.dumps(api.events.pop(0)).encode()
                deadline = int(time.time() * 1000) + 60_000
                self.send_response(200)
                for name, value in [("Lambda-Runtime-Aws-Request-Id", "r1"), ("Lambda-Runtime-Deadline-Ms", str(deadline)),
                                    ("Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:local:0:function:mitt"),
                                    ("Content-Type", "application/json"), ("Content-Length", str(len(body)))]:
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0)) if "chunked" not in self.headers.get(
                    "Transfer-Encoding", "") else self._chunks()
                with api.changed:
                    api.answers.append((time.monotonic(), self.path, body))
                    api.changed.notify_all()
                self.send_response(202)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def _chunks(self):
                parts = []
                while length := int(self.rfile.readline().split(b";")[0], 16):
                    parts.append(self.rfile.read(length))
                    self.rfile.readline()
                self.rfile.readline()
                return b"".join(parts)

            def log_message(self, *_):
                pass

        self.server = Listener(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def invoke(self, event):
        """Returns the seconds until the answer."""
        with self.changed:
            begun, count = time.monotonic(), len(self.answers)
            self.events.append(event)
            self.changed.notify_all()
            if not self.changed.wait_for(lambda: len(self.answers) > count, 60):
                raise SystemExit("no answer within 60 s")
            ended, path, body = self.answers[-1]
        answer = json.loads(body)
        if not path.endswith("/response") or not (answer.get("files") or "result" in answer):
            raise SystemExit(f"{path}: {body[:500]}")
        return ended - begun


class Groups:
    """Control groups that bound a process."""

    def __init__(self, mib, percent):
        self.paths = []
        if mib:
            self.memory = self._group("memory", {"memory.limit_in_bytes": mib << 20})
        if percent < 100:
            self._group("cpu", {"cpu.cfs_period_us": 100_000, "cpu.cfs_quota_us": 1000 * percent})

    def _group(self, kind, values):
        path = Path("/sys/fs/cgroup") / kind / f"mitt-bench-{os.getpid()}-{id(self)}"
        path.mkdir()
        for name, value in values.items():
            (path / name).write_text(str(value))
        self.paths.append(path)
        return path

    def enter(self):
        for path in self.paths:
            (path / "cgroup.procs").write_text(str(os.getpid()))

    def end(self):
        for path in self.paths:
            for _ in range(100):
                with contextlib.suppress(OSError):
                    path.rmdir()
                    break
                time.sleep(0.02)


def drop_caches():
    os.sync()
    Path("/proc/sys/vm/drop_caches").write_text("3")


class Function:
    def __init__(self, command, mib, percent, is_cold):
        self.api = Api()
        self.groups = Groups(mib, percent)
        environment = {"AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{self.api.server.server_port}", "PATH": os.environ["PATH"],
                       "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(mib or 1024), "AWS_LAMBDA_FUNCTION_NAME": "mitt"}
        if is_cold:
            drop_caches()
        begun = time.monotonic()
        self.process = subprocess.Popen(command, env=environment, preexec_fn=self.groups.enter, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE)
        with self.api.changed:
            if not self.api.changed.wait_for(lambda: self.api.asked, 60):
                raise SystemExit(f"the function asks nothing: {self.process.stderr.read()}")
        self.init = self.api.asked - begun

    def memory(self):
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", text).group(1)) // 1024

    def end(self):
        self.process.kill()
        self.process.wait()
        self.api.server.shutdown()
        self.groups.end()


def measured(command, event, mib, percent, is_cold):
    """Returns medians in milliseconds: until the function asks for work, its first answer, its second; and its memory in MiB."""
    rows = []
    for _ in range(RUNS):
        function = Function(command, mib, percent, is_cold)
        try:
            first, second = function.api.invoke(event), function.api.invoke(event)
            rows.append((function.init * 1000, first * 1000, second * 1000, function.memory()))
        finally:
            function.end()
    return [statistics.median(column) for column in zip(*rows, strict=True)]


def milliseconds(value):
    return f"{value:.0f} ms" if value >= 10 else f"{value:.1f} ms"


def write(rows, size, peer):
    version = subprocess.run([os.environ["MITT_EDGE"], "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    date, (english, chinese) = datetime.date.today().isoformat(), pages.machines()
    heads = ["| function | bounds | start until it asks for work | first answer | next answer | most memory |",
             "| 函数 | 限制 | 启动到请求任务 | 首次应答 | 再次应答 | 内存峰值 |"]
    notes = [f"The zip has {size[0]:.1f} MB, without the skill `python` (CPython) {size[1]:.1f} MB. Measured on {date} with Mitt {version} on {english}{', beside ' + peer if peer else ''}.",
             f"zip 为 {size[0]:.1f} MB，不含技能 `python`（CPython）时为 {size[1]:.1f} MB。{date} 实测：Mitt {version}，{chinese}{'；对照：' + peer if peer else ''}。"]
    texts = []
    for language in range(2):
        lines = []
        for who, bounds, init, first, second, memory in rows:
            cells = [who[language], bounds[language], milliseconds(init), milliseconds(first), milliseconds(second), f"{memory:.0f} MiB"]
            lines.append(f"| {' | '.join(cells)} |")
        texts.append(pages.table(heads[language], lines, notes[language]))
    pages.write("lambda", "docs/edge", texts)


def main():
    options = argparse.ArgumentParser(description="Measures cold starts of `mitt lambda`.")
    options.add_argument("--write", action="store_true", help="write the table into the pages")
    options = options.parse_args()
    folder = Path(tempfile.mkdtemp(dir=ROOT / "target"))
    try:
        program, mitt = folder / "mitt", os.environ["MITT"]
        shutil.copy(os.environ["MITT_EDGE"], program)
        subprocess.run([mitt, "compile", "--new-key", folder / "key"], check=True, capture_output=True)
        subprocess.run([mitt, "compile", "-o", folder / "precompiled", "--sign-key", folder / "key", *SKILLS], check=True, capture_output=True)
        subprocess.run(["chmod", "-R", "go-w", folder], check=True)
        size = packed(folder, "python")
        command = [program, "lambda", "--skills", folder / "precompiled", "--precompiled-key", folder / "key.pub", "--trust-skills",
                   "--trust-precompiled", folder / "precompiled", "--no-cache"]
        bounds = [(("none, files in the cache", "无，文件在缓存中"), 0, 100, False)]
        if os.geteuid() == 0 and Path("/sys/fs/cgroup/memory/memory.limit_in_bytes").exists():
            bounds += [
                (("none, files not in the cache", "无，文件不在缓存中"), 0, 100, True),
                (("512 MiB, half a core, files not in the cache", "512 MiB，半个核心，文件不在缓存中"), 512, 50, True),
                (("256 MiB, a tenth of a core, files not in the cache", "256 MiB，十分之一核心，文件不在缓存中"), 256, 10, True),
            ]
        else:
            print("skipped: bounds need root and control groups")
        functions = [
            (("Mitt: `create-excel`", "Mitt：`create-excel`"), command, EVENTS["excel"]),
            (("Mitt: script, `python-lite`", "Mitt：脚本，`python-lite`"), command, EVENTS["lite"]),
            (("Mitt: script, CPython", "Mitt：脚本，CPython"), command, EVENTS["python"]),
        ]
        peer = None
        if importlib.util.find_spec("openpyxl"):
            import openpyxl

            peer = f"CPython {platform.python_version()}, openpyxl {openpyxl.__version__}"
            interpreter = os.path.realpath(sys.executable) if sys.prefix == sys.base_prefix else sys.executable
            functions.append((("Python with openpyxl", "Python 与 openpyxl"), [interpreter, "-c", PEER], EVENTS["excel"]))
        rows = []
        for name, mib, percent, is_cold in bounds:
            for who, program, event in functions:
                row = (who, name, *measured(program, event, mib, percent, is_cold))
                rows.append(row)
                print(who[0], "|", name[0], "|", *(f"{value:.1f}" for value in row[2:]), flush=True)
        print(f"zip: {size[0]:.1f} MB, without `python` {size[1]:.1f} MB")
        if options.write:
            write(rows, size, peer)
    finally:
        shutil.rmtree(folder)


def packed(folder, skill):
    """Returns the size of the function's zip in MB, with all skills and without one."""
    path = folder / "function.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        for item in [folder / "mitt", folder / "key.pub", *sorted((folder / "precompiled").rglob("*"))]:
            if item.is_file():
                file.write(item, item.relative_to(folder))
        of_skill = sum(it.compress_size for it in file.infolist() if skill in Path(it.filename).parts)
    size = path.stat().st_size
    path.unlink()
    return size / 1e6, (size - of_skill) / 1e6


if __name__ == "__main__":
    main()
