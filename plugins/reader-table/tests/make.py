#!/usr/bin/env python3
"""Make the files that the tests read: `pip install pyarrow==26.0.1 polars==2.1.0 duckdb==2.0.0 pandas==3.1.1`, then `tests/make.py`.

Each is written by the library whose files people have. The values are those that `tests/files.rs` expects.
"""

import base64
import datetime as dt
from decimal import Decimal
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.ipc as ipc
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as pe

here = Path(__file__).parent / "files"
here.mkdir(exist_ok=True)


def three(ty, *values):
    return pa.array([*values, None], ty)


types = pa.table({
    "boolean": three(pa.bool_(), True, False),
    "int8": three(pa.int8(), -128, 127),
    "uint32": three(pa.uint32(), 0, 4294967295),
    "int64": three(pa.int64(), -9223372036854775808, 9223372036854775807),
    "uint64": three(pa.uint64(), 1, 18446744073709551615),
    "float32": three(pa.float32(), 0.5, -1.25),
    "float64": three(pa.float64(), 0.1, float("nan")),
    "decimal": three(pa.decimal128(12, 2), Decimal("1234567890.12"), Decimal("-0.10")),
    "wide": three(pa.decimal128(38, 10), Decimal("1234567890123456789012345678.0123456789"), Decimal("1")),
    "huge": three(pa.decimal256(50, 1), Decimal("1234567890123456789012345678901234567890123456789.5"), Decimal("2.5")),
    "text": three(pa.string(), "北京\n\"x\"", ""),
    "large text": three(pa.large_string(), "a", "b"),
    "date": three(pa.date32(), dt.date(2024, 2, 29), dt.date(1, 1, 1)),
    "time": three(pa.time64("us"), dt.time(8, 30), dt.time(23, 59, 59, 999999)),
    "moment": three(pa.timestamp("us"), dt.datetime(2024, 12, 31, 8, 30), dt.datetime(1969, 12, 31, 23, 59, 59, 500000)),
    "zoned": three(pa.timestamp("ms", "Asia/Shanghai"), dt.datetime(2025, 1, 1, 0, 0), dt.datetime(2025, 1, 2, 3, 4)),
    "utc": three(pa.timestamp("us", "UTC"), dt.datetime(2025, 1, 1), dt.datetime(2025, 1, 2)),
    "nanos": three(pa.timestamp("ns"), 1735689600000000001, 1735689600000001000),
    "bytes": three(pa.binary(), b"plain", b"\xff\x00"),
    "fixed": three(pa.binary(4), b"\x00\x01\x02\x03", b"\xde\xad\xbe\xef"),
    "list": three(pa.list_(pa.int32()), [1, None, 3], []),
    "struct": three(pa.struct([("城市", pa.string()), ("n", pa.decimal128(5, 2))]),
                    {"城市": "上海", "n": Decimal("1.50")}, {"城市": None, "n": None}),
    "map": three(pa.map_(pa.string(), pa.bool_()), [("a", True), ("b", None)], []),
    "category": three(pa.dictionary(pa.int8(), pa.string()), "x", "y"),
    "nothing": pa.nulls(3),
})
pq.write_table(types, here / "types.parquet", store_schema=True)
# Only Arrow's own files have these.
more = types.append_column("duration", three(pa.duration("ms"), 5400500, -1))
more = more.append_column("half", three(pa.float16(), 0.5, 2))
more = more.append_column("view", three(pa.string_view(), "short", "a text that is longer than a view holds"))
more = more.append_column("time32", three(pa.time32("s"), 30600, 1))
more = more.append_column("date64", three(pa.date64(), dt.date(2024, 2, 29), dt.date(2024, 3, 1)))
more = more.append_column("interval", three(pa.month_day_nano_interval(), (14, 3, 1500000000), (0, 0, 0)))
more = more.append_column("runs", pa.RunEndEncodedArray.from_arrays([2, 3], ["r", None]))
feather.write_feather(more, here / "types.feather", compression="lz4")
with ipc.new_stream(here / "types.arrows", more.schema, options=ipc.IpcWriteOptions(compression="zstd")) as out:
    out.write_table(more, max_chunksize=2)
feather.write_feather(pa.table({"a": [1]}), here / "old.feather", version=1)

rows = 1_000
# Microseconds since 1970-01-01T00:00:00Z, before and after Berlin's clocks went back, and the last hour of the year 9999.
zoned = pa.table({
    "berlin": pa.array([1729987199999999, 1729987200000000, 1729994400000000], pa.timestamp("us", "Europe/Berlin")),
    "offset": pa.array([0, 1704067200, None], pa.timestamp("s", "+05:30")),
    "unknown": pa.array([0, 1704067200000, None], pa.timestamp("ms", "Mars/Olympus")),
    "late": pa.array([0, 253402297200000000, None], pa.timestamp("us", "Asia/Shanghai")),
    "nested": pa.array([{"at": 0}, {"at": None}, None], pa.struct([("at", pa.timestamp("us", "America/New_York"))])),
    "none": pa.array([None, None, None], pa.timestamp("ns", "Asia/Tokyo")),
})
pq.write_table(zoned, here / "zones.parquet")
feather.write_feather(zoned, here / "zones.feather")
pd.DataFrame({"at": pd.to_datetime(["2024-07-01 12:00", None]).tz_localize("Asia/Shanghai")}).to_parquet(here / "zones-pandas.parquet")
pl.DataFrame({"at": [dt.datetime(2024, 7, 1, 4), None]}, schema={"at": pl.Datetime("ns", "Asia/Shanghai")}).write_ipc(here / "zones-polars.arrow")
plain = pa.table({
    "id": pa.array(range(rows)),
    "region": pa.array(["华东", "华南", "华北"][n % 3] for n in range(rows)),
    "amount": pa.array((Decimal(n * 7 % 1000) / 100 for n in range(rows)), pa.decimal128(9, 2)),
    "day": pa.array(dt.date(2024, 1, 1) + dt.timedelta(n % 366) for n in range(rows)),
})
for codec in ["none", "snappy", "gzip", "brotli", "lz4", "zstd"]:
    pq.write_table(plain, here / f"codec-{codec}.parquet", compression=codec, row_group_size=400)
delta = {"id": "DELTA_BINARY_PACKED", "region": "DELTA_LENGTH_BYTE_ARRAY", "amount": "BYTE_STREAM_SPLIT"}
pq.write_table(plain, here / "pages-2.parquet", data_page_version="2.0", use_dictionary=False, column_encoding=delta,
               data_page_size=4_000, write_page_index=True)
pl.from_arrow(plain).write_parquet(here / "polars.parquet")
pl.from_arrow(plain).write_ipc(here / "polars.arrow", compression="zstd")
duckdb.sql("COPY (SELECT * FROM plain) TO '%s' (FORMAT parquet)" % (here / "duckdb.parquet"))
moments = pa.table({"at": pa.array([dt.datetime(2024, 5, 1, 12), dt.datetime(9999, 12, 31)], pa.timestamp("us"))})
# Spark and Impala wrote these; "never" is beyond the range of nanoseconds.
pq.write_table(moments, here / "int96.parquet", use_deprecated_int96_timestamps=True)
pd.DataFrame({"额": [1.5, None], "类": pd.Categorical(["x", "y"])}, index=["i", "j"]).to_parquet(here / "pandas.parquet")
pq.write_table(plain.slice(0, 0), here / "no-rows.parquet")
pq.write_table(pa.table([[1], [2], [3]], names=["a", "", "a"]), here / "names.parquet")


class Keys(pe.KmsClient):
    def wrap_key(self, key, _):
        return base64.b64encode(key)

    def unwrap_key(self, key, _):
        return base64.b64decode(key)


factory = pe.CryptoFactory(lambda _: Keys())
settings = pe.EncryptionConfiguration(footer_key="footer", uniform_encryption=True)
properties = factory.file_encryption_properties(pe.KmsConnectionConfig(), settings)
with pq.ParquetWriter(here / "encrypted.parquet", plain.schema, encryption_properties=properties) as out:
    out.write_table(plain.slice(0, 10))
