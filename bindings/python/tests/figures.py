"""Measures what the binding costs: its import, calls, scripts, a table of a million cells, beside other packages that run code for
models or plug-ins.

    figures.py            # prints the table
    figures.py --write    # also writes it into docs/python.md and docs/python.zh-CN.md; for a release library on an idle machine

pydantic-monty, wasmtime and extism are measured if they are installed.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import importlib.metadata
import platform
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import mitt

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests/bench"))

import pages  # noqa: E402

# A host lets 256 calls wait; the others would be refused as `busy`.
LIMITS = {"session": {"tool_calls": 1_000_000}, "concurrency": {"queue": 1_000, "wait_ms": 60_000}}
THREADS, TASKS = 32, 1000

# A component with a function that does nothing, as Mitt's own benches have it, and a plug-in of Extism likewise.
EMPTY = """(component
    (core module $m (func (export "run")))
    (core instance $i (instantiate $m))
    (func (export "run") (canon lift (core func $i "run"))))"""
PLUG_IN = '(module (memory (export "memory") 1) (func (export "run") (result i32) i32.const 0))'


def median_us(work: Callable[[], object], times: int) -> float:
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        taken.append((time.perf_counter() - started) * 1e6)
    return statistics.median(taken)


def process_ms(code: str) -> float:
    """Returns the median that a new interpreter prints."""
    run = lambda: float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)  # noqa: E731
    return statistics.median(run() for _ in range(7))


class Table:
    """Rows in both languages."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, str, str]] = []
        self.peers: list[str] = []

    def row(self, english: str, chinese: str, value: str) -> None:
        self.rows.append((english, chinese, value))
        print(f"{english}: {value}", flush=True)

    def peer(self, package: str) -> None:
        self.peers.append(f"{package} {importlib.metadata.version(package)}")

    def texts(self) -> list[str]:
        english, chinese = pages.machines()
        date, python = datetime.date.today().isoformat(), f"CPython {platform.python_version()}"
        notes = [
            f"Measured on {date} with Mitt {mitt.__version__} and {python} on {english}, beside {', '.join(self.peers)}.",
            f"{date} 实测：Mitt {mitt.__version__}，{python}，{chinese}；对照：{'、'.join(self.peers)}。",
        ]
        heads = ["| what | median |", "| 项目 | 中位数 |"]
        texts = []
        for language in range(2):
            lines = [heads[language], "|---|---|", *(f"| {row[language]} | {row[2]} |" for row in self.rows)]
            texts.append("\n".join(lines) + f"\n\n{notes[language]}\n")
        return texts


def us(value: float) -> str:
    return f"{value:.0f} µs" if value < 1000 else f"{value / 1000:.1f} ms"


def starts(table: Table) -> None:
    code = "import time; t = time.perf_counter(); import mitt; print((time.perf_counter() - t) * 1e3)"
    table.row("`import mitt`", "`import mitt`", f"{process_ms(code):.0f} ms")
    code = (
        "import time, mitt; t = time.perf_counter(); h = mitt.Host(); s = h.session(); "
        "s.call('document_tool__list_documents'); print((time.perf_counter() - t) * 1e3)"
    )
    table.row("host, session and first call of a bundled tool, with a warm cache", "主机、会话与内置工具的首次调用，缓存已就绪",
              f"{process_ms(code):.0f} ms")


def calls(table: Table, host: mitt.Host) -> None:
    session = host.session()
    session.tool(name="my__nothing")(lambda: None)
    session.call("my__nothing")
    table.row("call of an empty Python function as a tool", "调用作为工具的空 Python 函数", us(median_us(lambda: session.call("my__nothing"), 2000)))
    with mitt.Host(mode="process", bundled=False, cache=False, limits=LIMITS) as other:
        far = other.session()
        far.tool(name="my__nothing")(lambda: None)
        far.call("my__nothing")
        table.row("the same with `mode=\"process\"`", "同上，`mode=\"process\"`", us(median_us(lambda: far.call("my__nothing"), 500)))
        far.close()
    table.row("state of a session, without a call", "读取会话状态，不含调用", us(median_us(lambda: session.tables, 2000)))
    session.call("document_tool__list_documents")
    table.row("call of a bundled tool, in a fresh sandbox", "调用内置工具，每次全新沙箱",
              us(median_us(lambda: session.call("document_tool__list_documents"), 500)))
    with contextlib.suppress(ImportError):
        import wasmtime
        import wasmtime.component

        engine = wasmtime.Engine()
        component = wasmtime.component.Component(engine, EMPTY)
        linker = wasmtime.component.Linker(engine)

        def instance() -> None:
            store = wasmtime.Store(engine)
            run = linker.instantiate(store, component).get_func(store, "run")
            assert run is not None
            run(store)

        table.peer("wasmtime")
        table.row("an empty component by wasmtime, in a fresh instance, without WASI, limits and checks",
                  "wasmtime 执行空组件，全新实例，无 WASI、限制和检查", us(median_us(instance, 1000)))
    with contextlib.suppress(ImportError):
        import extism
        from extism.extism import CompiledPlugin

        compiled = CompiledPlugin({"wasm": [{"data": bytes(wasmtime.wat2wasm(PLUG_IN))}]}, wasi=False)

        def plug_in() -> None:
            with extism.Plugin(compiled) as plugin:
                plugin.call("run", b"")

        table.peer("extism")
        table.row("an empty plug-in by extism, compiled before, in a fresh instance", "extism 执行空插件，预先编译，全新实例",
                  us(median_us(plug_in, 500)))


def scripts(table: Table, host: mitt.Host) -> None:
    session = host.session()
    session.tool(name="my__nothing")(lambda: None)
    for language, source in [
        ("python", "import my\nfor n in range(100):\n    my.nothing()\n1 + 1"),
        ("python-lite", "import my\nfor n in range(100):\n    my.nothing()\n1 + 1"),
        ("javascript", "for (let n = 0; n < 100; n++) await tools.my.nothing();\n1 + 1"),
    ]:
        session.script("1 + 1", language=language)
        table.row(f"script `1 + 1`, `{language}`", f"脚本 `1 + 1`，`{language}`",
                  us(median_us(lambda: session.script("1 + 1", language=language), 100)))
        table.row(f"script with 100 calls of a Python function, `{language}`", f"脚本调用 Python 函数 100 次，`{language}`",
                  us(median_us(lambda: session.script(source, language=language), 20)))
    with contextlib.suppress(ImportError):
        import pydantic_monty

        def monty(code: str) -> None:
            with pool.checkout() as fresh:
                fresh.feed_run(code, external_lookup={"nothing": lambda: None})

        with pydantic_monty.Monty() as pool:
            monty("1 + 1")
            table.peer("pydantic-monty")
            table.row("script `1 + 1`, pydantic-monty, in a process that waits", "脚本 `1 + 1`，pydantic-monty，使用等待中的进程",
                      us(median_us(lambda: monty("1 + 1"), 100)))
            table.row("script with 100 calls of a Python function, pydantic-monty", "脚本调用 Python 函数 100 次，pydantic-monty",
                      us(median_us(lambda: monty("for n in range(100):\n    nothing()\n1 + 1"), 20)))


def together(table: Table, host: mitt.Host) -> None:
    session = host.session()
    session.tool(name="my__nothing")(lambda: None)
    session.call("my__nothing")
    each = 200

    def work() -> None:
        for _ in range(each):
            session.call("my__nothing")

    threads = [threading.Thread(target=work) for _ in range(THREADS)]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    table.row(f"calls per second of {THREADS} threads", f"{THREADS} 个线程每秒调用数", f"{THREADS * each / (time.perf_counter() - started):.0f}")

    async def tasks() -> float:
        started = time.perf_counter()
        await asyncio.gather(*(session.acall("my__nothing") for _ in range(TASKS)))
        return time.perf_counter() - started

    table.row(f"{TASKS} tasks of asyncio at once, one call each", f"asyncio {TASKS} 个任务同时各调用一次", f"{asyncio.run(tasks()) * 1000:.0f} ms")


def large(table: Table, host: mitt.Host) -> None:
    try:
        import polars
    except ImportError:
        print("table: skipped: polars is not there")
        return
    session = host.session()
    frame = polars.DataFrame({f"c{n}": range(100_000) for n in range(10)})
    table.peer("polars")
    took: list[list[float]] = []
    for number in range(7):
        started = time.perf_counter()
        session.add(frame, f"large-{number}")
        added = time.perf_counter()
        got = session.table(f"large-{number}")
        taken = time.perf_counter()
        assert polars.DataFrame(got).shape == frame.shape
        took.append([added - started, taken - added, time.perf_counter() - taken])
    in_, out, to_polars = (statistics.median(times) * 1e3 for times in zip(*took, strict=True))
    table.row("a million cells of polars: into a session; out of it; to polars", "polars 的一百万个单元格：进入会话；取出；转为 polars",
              f"{in_:.1f} ms; {out:.1f} ms; {to_polars:.1f} ms")


def main() -> None:
    table = Table()
    starts(table)
    with mitt.Host(limits=LIMITS) as host:
        calls(table, host)
        scripts(table, host)
        together(table, host)
        large(table, host)
    if "--write" in sys.argv[1:]:
        pages.write("python", "docs/python", table.texts())


if __name__ == "__main__":
    main()
