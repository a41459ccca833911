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


SHANGHAI = "its times stand as local times of the zone `Asia/Shanghai`, which the table does not keep"


def test_what_pandas_frames_lose_is_named(session: mitt.Session) -> None:
    pandas = pytest.importorskip("pandas", minversion="2.2")
    times = pandas.to_datetime(["2024-01-01T00:00:00Z", None]).tz_convert("Asia/Shanghai")
    frame = pandas.DataFrame({
        "time": times,
        "nothing": [None, None],
        "size": pandas.Categorical(["small", "large"], categories=["small", "large"], ordered=True),
        "year": pandas.Categorical([2024, 2023]),
        "month": pandas.period_range("2024-01", periods=2, freq="M"),
    })  # fmt: skip
    document = session.add(frame, "frame")
    assert document.tables[0].columns == ("time", "nothing", "size", "year", "month")
    assert document.warnings == (
        f"column `time` (index 0): {SHANGHAI}",
        "column `size` (index 2): the order of its categories is not kept",
        "column `month` (index 4): its extension type `pandas.period` is not kept; its values stand as they are stored, as integer",
    )
    back = pyarrow.table(session.table("frame"))
    # What pandas shows: the clock on the wall.
    assert back.column("time").to_pylist() == [times[0].tz_localize(None).to_pydatetime(), None]
    assert back.column("nothing").to_pylist() == [None, None] and back.column("year").to_pylist() == [2024, 2023]
    assert back.column("size").to_pylist() == ["small", "large"]
    nanoseconds = pandas.DataFrame({"t": pandas.array([1_000, 1_001]).astype("datetime64[ns]")})
    assert session.add(nanoseconds, "ns").warnings == ("column `t` (index 0): times are cut to whole microseconds (1 cell)",)
    with refused("input") as it:
        session.add(pandas.DataFrame({"n": [1], "took": pandas.to_timedelta(["1s"])}), "durations")
    assert "column `took` (index 1, Arrow's type Duration" in it.error.text and "make it a number" in it.error.text


def test_what_polars_frames_lose_is_named(session: mitt.Session) -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({
        "nan": [1.5, float("nan"), None],
        "kind": polars.Series(["a", "b", None], dtype=polars.Enum(["b", "a"])),
        "group": polars.Series(["x", "x", None], dtype=polars.Categorical),
        "none": polars.Series([None, None, None], dtype=polars.Null),
        "clock": [datetime.time(8, 30), datetime.time(0), None],
        "exact": [decimal.Decimal("1.10"), decimal.Decimal("-2.25"), None],
        "when": polars.Series([datetime.datetime(2024, 10, 27, 0, 30), None, datetime.datetime(2024, 10, 27, 1, 30)])
        .dt.replace_time_zone("UTC").dt.convert_time_zone("Europe/Berlin"),
    })  # fmt: skip
    document = session.add(frame, "frame")
    zone = SHANGHAI.replace("Asia/Shanghai", "Europe/Berlin")
    assert document.warnings == (
        "column `nan` (index 0): numbers that are NaN or infinite count as empty (1 cell)",
        "column `kind` (index 1): the order of its categories is not kept",
        f"column `when` (index 6): {zone}",
        "column `when` (index 6): times in an hour that the clocks repeat are ambiguous (2 cells)",
    )
    back = polars.DataFrame(session.table("frame"))
    assert back["nan"].is_nan().to_list() == [False, True, None]
    for name in ("kind", "group", "none", "exact"):
        assert back[name].cast(polars.String).to_list() == frame[name].cast(polars.String).to_list(), name
    assert back["clock"].to_list() == frame["clock"].to_list()
    assert back["when"].to_list() == frame["when"].dt.replace_time_zone(None).to_list()
    with refused("input") as it:
        session.add(polars.DataFrame({"n": [1], "big": polars.Series([1], dtype=polars.Int128)}), "big")
    # In a child process, pyarrow reads the frame first and does not know the type.
    assert "column `big` (index 1, format `_pli128`)" in it.error.text or "_pli128" in it.error.text
    with refused("input") as it:
        session.add(frame["nan"], "series")


def test_warnings_of_a_frame_that_is_an_argument(session: mitt.Session) -> None:
    session.add(pyarrow.table({"n": [7]}), "arrow-1")
    times = pyarrow.array([datetime.datetime(2024, 1, 1)], pyarrow.timestamp("us", "Asia/Shanghai"))
    given = pyarrow.table({"t": pyarrow.chunked_array([times] * 5_000)})
    result = session.call("table_tool__sort", data=given, keys=[{"column": "t"}])
    # The name of another table is not taken for the argument.
    assert result.warnings == (f"arrow-2: column `t` (index 0): {SHANGHAI}",)
    assert session.table("arrow-1").columns == ["n"] and session.table("arrow-2").columns == ["t"]


def test_cells_of_several_types_come_out_as_texts(session: mitt.Session) -> None:
    session.add(b'[{"a": 12, "b": 1}, {"a": "x", "b": 2}]', "mixed.json")
    table = session.table("mixed.json")
    assert table.warnings == ["column `a` (index 0): its cells of several types are texts"]
    assert pyarrow.table(table).column("a").to_pylist() == ["12", "x"]


def test_names_and_types_are_refused_by_place(session: mitt.Session) -> None:
    number = pyarrow.array([1])
    for names, message in ((["a", "a"], "the column at index 0 has the same name"), (["a", ""], "a column name is empty")):
        with refused("input") as it:
            session.add(pyarrow.table([number, number], names=names), "names")
        assert f"column `{names[1]}` (index 1, Arrow's type Int64): {message}" in it.error.text
    types = {"l": [[1]], "s": [{"x": 1}], "b": [b"x"]}
    for name, values in types.items():
        with refused("input") as it:
            session.add(pyarrow.table({"n": [1], name: values}), "types")
        assert f"column `{name}` (index 1, Arrow's type " in it.error.text and "no table holds this type" in it.error.text


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
