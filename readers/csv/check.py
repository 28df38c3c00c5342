"""Reads CSV with pandas, DuckDB, Polars and Python."""

import csv
import sys
from pathlib import Path

import duckdb
import pandas
import polars

sys.path.insert(0, str(Path(__file__).parent.parent))
import lines
from tables import check


def by_pandas(file):
    return lines.wide(pandas.read_csv(file))


def by_duckdb(file):
    return lines.wide(duckdb.sql(f"SELECT * FROM read_csv('{file}', sample_size=-1)").df())


def by_polars(file):
    frame = polars.read_csv(file, infer_schema_length=None).to_pandas()
    return lines.wide(frame)


def keys_by_python(file):
    with open(file, encoding="utf-8", newline="") as text:
        return lines.keys(lines.columns_of(csv.DictReader(text)))


def keys_by_pandas(file):
    frame = pandas.read_csv(file, dtype=object, keep_default_na=False)
    return lines.keys(frame.to_dict("list"))


check(
    "csv",
    {"pandas": by_pandas, "DuckDB": by_duckdb, "Polars": by_polars},
    {"Python": keys_by_python, "pandas": keys_by_pandas},
)
