"""Measures what the binding costs: its import, an empty call, a table of a million cells."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import mitt


def median_us(work: Callable[[], object], times: int) -> float:
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        taken.append((time.perf_counter() - started) * 1e6)
    return statistics.median(taken)


def main() -> None:
    code = "import time; t = time.perf_counter(); import mitt; print((time.perf_counter() - t) * 1e3)"
    imports = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout) for _ in range(7)]
    print(f"import: {statistics.median(imports):.0f} ms (median of {len(imports)})")
    with mitt.Host(bundled=False, cache=False, limits={"session": {"tool_calls": 1_000_000}}) as host:
        session = host.session()
        session.tool(name="my__nothing")(lambda: None)
        session.call("my__nothing")
        print(f"empty call of a Python function: {median_us(lambda: session.call('my__nothing'), 2000):.0f} us")
        with mitt.Host(mode="process", bundled=False, cache=False, limits={"session": {"tool_calls": 1_000_000}}) as other:
            far = other.session()
            far.tool(name="my__nothing")(lambda: None)
            far.call("my__nothing")
            print(f"the same in a child process: {median_us(lambda: far.call('my__nothing'), 500):.0f} us")
            far.close()
        print(f"state of the session: {median_us(lambda: session.tables, 2000):.0f} us")
        try:
            import polars
        except ImportError:
            print("table: skipped: polars is not there")
            return
        frame = polars.DataFrame({f"c{n}": range(100_000) for n in range(10)})
        started = time.perf_counter()
        session.add(frame, "large")
        added = time.perf_counter()
        table = session.table("large")
        got = time.perf_counter()
        assert polars.DataFrame(table).shape == frame.shape
        ended = time.perf_counter()
        in_, out, taken = (got_at * 1e3 for got_at in (added - started, got - added, ended - got))
        print(f"a million cells: in {in_:.0f} ms, out {out:.0f} ms, to polars {taken:.1f} ms")


if __name__ == "__main__":
    main()
