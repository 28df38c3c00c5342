"""Times of queries of a catalogue of a million recordings in DuckDB, with two threads.

Usage: python comparison/catalog.py CATALOG

CATALOG is any catalogue. Its columns get a million rows of random facts, which compress worst, in a temporary file of 200 MB.
"""

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import duckdb

ROUNDS = 7


def random_values(name, type):
    """Returns an expression in SQL: random facts, or the value of the first row of the catalogue."""
    if name == "path":
        return "printf('p%04d/t%03d.bin', i // 1000, i % 1000) AS path"
    if name == "findings":
        return "['', 'D1', 'L20 D4', 'L2'][1 + i % 4] AS findings"
    value = {"FLOAT": "random() * 100", "BIGINT": "random() * 1e6"}.get(type)
    return f'({value})::{type} AS "{name}"' if value else f'one."{name}"'


def seconds(query):
    """Returns the median time of a query, each time on a new connection."""
    times = []
    for _ in range(ROUNDS):
        connection = duckdb.connect(config={"threads": 2})
        start = time.perf_counter()
        connection.execute(query).fetchall()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main(catalog):
    columns = [(name, type) for name, type, *_ in duckdb.sql(f"DESCRIBE FROM '{catalog}'").fetchall()]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "million.parquet")
        values = ", ".join(random_values(*column) for column in columns)
        rows = f"SELECT {values} FROM range(1000000) t(i), (FROM '{catalog}' LIMIT 1) one"
        duckdb.sql(f"COPY ({rows}) TO '{file}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 131072)")
        print(f"{os.path.getsize(file) / 1e6:.0f} MB, {len(columns)} columns; medians of {ROUNDS} runs")
        all_columns = ", ".join(f'max("{name}")' for name, _ in columns)
        aggregates = "layout, count(*), avg(duration_s), sum(keys), max(head_position_y_max), min(left_joints_gap_s)"
        queries = {
            "count(*), duration_s > 10": f"SELECT count(*) FROM '{file}' WHERE duration_s > 10",
            "path, duration_s > 99 and D1": f"SELECT path, duration_s FROM '{file}' WHERE duration_s > 99 AND findings LIKE '%D1%'",
            "five aggregates by layout": f"SELECT {aggregates} FROM '{file}' GROUP BY layout",
            "the maximum of all columns": f"SELECT {all_columns} FROM '{file}'",
        }
        for name, query in queries.items():
            print(f"  {name:<30} {seconds(query):.3f} s")


main(sys.argv[1])
