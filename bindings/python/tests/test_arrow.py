"""Tables of polars, pyarrow and pandas."""

from __future__ import annotations

import datetime
import decimal
from typing import Any

import mitt
import pytest
from test_session import refused

pyarrow = pytest.importorskip("pyarrow")


def frame() -> Any:
    return pyarrow.table({
        "name": ["a", None, "c"],
        "count": pyarrow.array([1, 2, 3], pyarrow.int64()),
        "price": [1.5, 2.5, None],
        "when": [datetime.date(2026, 1, 1), None, datetime.date(2026, 3, 1)],
        "exact": pyarrow.array([decimal.Decimal("1.10"), None, decimal.Decimal("3.30")], pyarrow.decimal128(10, 2)),
        "flag": [True, False, None],
    })  # fmt: skip


def test_pyarrow_goes_in_and_comes_out(session: mitt.Session) -> None:
    document = session.add(frame(), "frame")
    assert document.tables[0].columns == ("name", "count", "price", "when", "exact", "flag") and document.tables[0].rows == 3
    table = session.table("frame")
    assert (table.rows, table.columns) == (3, ["name", "count", "price", "when", "exact", "flag"])
    back = pyarrow.table(table)
    assert back.column("count").to_pylist() == [1, 2, 3] and back.column("name").to_pylist() == ["a", None, "c"]
    assert back.column("when").to_pylist()[0] == datetime.date(2026, 1, 1)
    assert back.schema.names == pyarrow.schema(table).names
    # A stream can be taken once, the table as often as one likes; it outlives its session.
    session.close()
    assert pyarrow.table(table).equals(back)


def test_parts_of_a_table_count_once() -> None:
    table = pyarrow.table({"n": list(range(10_000)), "text": ["a"] * 10_000})
    limits: Any = {"session": {"documents_bytes": 1_000_000}}
    with mitt.Host(bundled=False, cache=False, limits=limits) as host, host.session() as session:
        parts = pyarrow.Table.from_batches(table.to_batches(max_chunksize=100))
        assert session.add(parts, "parts").tables[0].rows == 10_000
        with refused("limit"):
            session.add(pyarrow.concat_tables([table] * 10), "large")


def test_columns_come_out_without_a_copy(session: mitt.Session) -> None:
    session.add(pyarrow.table({"n": list(range(1000))}), "n")
    table = session.table("n")
    first, second = (pyarrow.table(table).column("n").chunk(0).buffers()[1].address for _ in range(2))
    assert first == second


def test_polars_goes_in_and_comes_out(session: mitt.Session) -> None:
    polars = pytest.importorskip("polars")
    given = polars.DataFrame({"name": ["b", "a"], "count": [2, 1]})
    result = session.call(
        "table_tool__sort", data=given, keys=[{"column": "count"}], options=mitt.CallOptions(tables={"cells": 0, "first_rows": 0})
    )
    assert result.table is not None and "arrow-1" in session.tables
    back = polars.DataFrame(session.table(result.table))
    assert back.to_dict(as_series=False) == {"name": ["a", "b"], "count": [1, 2]}
    assert polars.DataFrame(session.table("arrow-1")).equals(given)


def test_pandas_goes_in(session: mitt.Session) -> None:
    pandas = pytest.importorskip("pandas", minversion="2.2")
    document = session.add(pandas.DataFrame({"a": [1, 2], "b": ["x", "y"]}), "p")
    assert document.tables[0].columns == ("a", "b")


def test_a_million_cells(session: mitt.Session) -> None:
    polars = pytest.importorskip("polars")
    given = polars.DataFrame({f"c{n}": range(100_000) for n in range(10)})
    session.add(given, "large")
    assert polars.DataFrame(session.table("large")).equals(given)


def test_streams_that_are_refused(session: mitt.Session) -> None:
    with refused("input") as it:
        session.add(pyarrow.table({"a": [[1, 2], [3]]}), "lists")
    assert "a" in it.error.text
    with refused("arguments", "name"):
        session.add(frame())

    class Taken:
        def __init__(self) -> None:
            self.stream = frame().__arrow_c_stream__()

        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return self.stream

    taken = Taken()
    session.add(taken, "once")
    with refused("input", "stream"):
        session.add(taken, "twice")

    class Wrong:
        def __arrow_c_stream__(self) -> object:
            return frame().__arrow_c_schema__() if hasattr(frame(), "__arrow_c_schema__") else frame().schema.__arrow_c_schema__()

    with pytest.raises(ValueError):
        session.add(Wrong(), "wrong")

    def batches() -> Any:
        yield pyarrow.record_batch({"a": [1]})
        raise RuntimeError("the producer broke")

    reader = pyarrow.RecordBatchReader.from_batches(pyarrow.schema({"a": pyarrow.int64()}), batches())
    with refused("input") as it:
        session.add(reader, "broken")
    assert "the producer broke" in it.error.text


def test_a_table_has_a_limit() -> None:
    with mitt.Host(bundled=False, cache=False, limits={"session": {"documents_bytes": 1000}}) as host, refused("limit"):
        host.session().add(pyarrow.table({"a": list(range(10_000))}), "a")
