"""Reads Parquet with PyArrow, DuckDB, Polars and pandas."""

import sys
from pathlib import Path

import duckdb
import pandas
import polars
import pyarrow.parquet

sys.path.insert(0, str(Path(__file__).parent.parent))
import columns
from tables import check


def by_pyarrow(file):
    table = pyarrow.parquet.read_table(file)
    columns.check_types(table)
    assert table.num_rows == pyarrow.parquet.read_metadata(file).num_rows
    return columns.wide(table)


def by_duckdb(file):
    types = duckdb.sql(f"DESCRIBE SELECT * FROM '{file}'").fetchall()
    assert {type for _, type, *_ in types} <= {"FLOAT", "BOOLEAN"}, types
    assert duckdb.sql(f"SELECT count(*) FROM '{file}' WHERE time_s IS NULL").fetchall() == [(0,)]
    return columns.wide(duckdb.sql(f"SELECT * FROM '{file}'").to_arrow_table())


def by_polars(file):
    frame = polars.read_parquet(file)
    assert set(frame.dtypes) <= {polars.Float32, polars.Boolean}, frame.dtypes
    return columns.wide(frame.to_arrow())


def by_pandas(file):
    frame = pandas.read_parquet(file)
    return {name: frame[name].to_numpy() for name in frame}


def keys_by_duckdb(file):
    return columns.keys(duckdb.sql(f"SELECT * FROM '{file}'").to_arrow_table())


check(
    "parquet",
    {"PyArrow": by_pyarrow, "DuckDB": by_duckdb, "Polars": by_polars, "pandas": by_pandas},
    {
        "PyArrow": lambda file: columns.keys(pyarrow.parquet.read_table(file)),
        "DuckDB": keys_by_duckdb,
        "Polars": lambda file: columns.keys(polars.read_parquet(file).to_arrow()),
    },
)
