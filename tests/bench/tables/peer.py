"""The same work as `tables.rs` by the libraries that people use instead: `peer.py LIBRARY WORK FOLDER`.

Prints the seconds that the work took, imports left out. What it writes is thrown away.
"""

import sys
import time
from pathlib import Path

library, work, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
small, large, cities = folder / "small.csv", folder / "large.csv", folder / "cities.csv"
book, out = folder / "book.xlsx", folder / f"{library}.xlsx"


def pandas_work():
    import pandas as pd

    start = time.perf_counter()
    if work == "group":
        rows = pd.read_csv(small)
        rows.groupby(["region", "city"], as_index=False).agg({"quantity": "sum", "price": "mean"}).to_excel(out, index=False)
    elif work == "report":
        rows = pd.read_csv(large).merge(pd.read_csv(cities), on="city")
        grouped = rows.groupby(["manager", "region"], as_index=False).agg({"quantity": "sum", "price": "sum", "discount": "mean"})
        pivoted = rows.pivot_table(index="product", columns="channel", values="quantity", aggfunc="sum").reset_index()
        top = rows.sort_values(["price", "id"], ascending=[False, True]).head(10)
        with pd.ExcelWriter(out) as writer:
            for name, table in [("grouped", grouped), ("pivoted", pivoted), ("top", top)]:
                table.to_excel(writer, sheet_name=name, index=False)
    elif work == "read":
        assert len(pd.read_excel(book)) == 100_000
    elif work == "write":
        pd.read_csv(small).to_excel(out, index=False)
    return start


def polars_work():
    import polars as pl

    start = time.perf_counter()
    if work == "group":
        rows = pl.read_csv(small)
        rows.group_by("region", "city").agg(pl.sum("quantity"), pl.mean("price")).write_excel(out)
    elif work == "report":
        import xlsxwriter

        rows = pl.read_csv(large).join(pl.read_csv(cities), on="city")
        grouped = rows.group_by("manager", "region").agg(pl.sum("quantity"), pl.sum("price"), pl.mean("discount"))
        pivoted = rows.pivot("channel", index="product", values="quantity", aggregate_function="sum")
        top = rows.sort("price", "id", descending=[True, False]).head(10)
        with xlsxwriter.Workbook(out) as workbook:
            for name, table in [("grouped", grouped), ("pivoted", pivoted), ("top", top)]:
                table.write_excel(workbook, name)
    elif work == "write":
        pl.read_csv(small).write_excel(out)
    else:
        sys.exit("polars reads workbooks by calamine, which is measured natively")
    return start


def duckdb_work():
    import duckdb
    import pandas  # For the workbook: DuckDB's own writer is an extension that is fetched.

    start = time.perf_counter()
    if work == "group":
        duckdb.sql(f"SELECT region, city, sum(quantity), avg(price) FROM '{small}' GROUP BY ALL").df().to_excel(out, index=False)
    elif work == "report":
        duckdb.sql(f"CREATE TABLE rows AS FROM '{large}' JOIN '{cities}' USING (city)")
        grouped = duckdb.sql("SELECT manager, region, sum(quantity), sum(price), avg(discount) FROM rows GROUP BY ALL")
        pivoted = duckdb.sql("PIVOT rows ON channel USING sum(quantity) GROUP BY product")
        top = duckdb.sql("FROM rows ORDER BY price DESC, id LIMIT 10")
        with pandas.ExcelWriter(out) as writer:
            for name, table in [("grouped", grouped), ("pivoted", pivoted), ("top", top)]:
                table.df().to_excel(writer, sheet_name=name, index=False)
    else:
        sys.exit("DuckDB has no part in this")
    return start


def python_work():
    import csv

    with open(small, newline="") as file:
        reader = csv.reader(file)
        next(reader)
        rows = [(int(a), b, c, d, e, f, int(g), float(h), float(i), j) for a, b, c, d, e, f, g, h, i, j in reader]
    start = time.perf_counter()
    total = 0
    for row in rows:
        total += row[6]
    assert total > 0
    return start


start = {"pandas": pandas_work, "polars": polars_work, "duckdb": duckdb_work, "python": python_work}[library]()
print(time.perf_counter() - start)
