"""Reads Arrow IPC files with PyArrow, Polars and pandas (which calls them Feather)."""

import sys
from pathlib import Path

import pandas
import polars
import pyarrow.feather
import pyarrow.ipc

sys.path.insert(0, str(Path(__file__).parent.parent))
import columns
from tables import check


def by_pyarrow(file):
    table = pyarrow.ipc.open_file(file).read_all()
    table.validate(full=True)
    columns.check_types(table)
    return columns.wide(table)


def by_polars(file):
    frame = polars.read_ipc(file)
    assert set(frame.dtypes) <= {polars.Float32, polars.Boolean}, frame.dtypes
    return columns.wide(frame.to_arrow())


def by_pandas(file):
    frame = pandas.read_feather(file)
    return {name: frame[name].to_numpy() for name in frame}


check(
    "feather",
    {"PyArrow": by_pyarrow, "Polars": by_polars, "pandas": by_pandas},
    {
        "PyArrow": lambda file: columns.keys(pyarrow.feather.read_table(file)),
        "Polars": lambda file: columns.keys(polars.read_ipc(file).to_arrow()),
    },
)
