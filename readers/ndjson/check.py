"""Reads newline-delimited JSON with DuckDB and Python."""

import json
import sys
from pathlib import Path

import duckdb

sys.path.insert(0, str(Path(__file__).parent.parent))
import lines
from tables import check, recordings
from inputanim import convert, frames


def keys_by_python(file):
    text = Path(file).read_text(encoding="utf-8")
    return lines.keys(lines.columns_of(json.loads(line) for line in text.splitlines()))


def keys_by_duckdb(file):
    table = duckdb.sql(f"SELECT * FROM read_json('{file}', format='newline_delimited', sample_size=-1)")
    # DuckDB gives a column with numbers and texts the type JSON.
    are_json = [str(type) == "JSON" for type in table.types]
    columns = zip(*table.fetchall())
    return lines.keys(
        {
            name: [json.loads(cell) if is_json and cell is not None else cell for cell in column]
            for name, is_json, column in zip(table.columns, are_json, columns)
        }
    )


def known(value):
    """Returns an object without the members that are null or absent, which DuckDB does not distinguish."""
    if not isinstance(value, dict):
        return value
    return {name: known(member) for name, member in value.items() if member is not None}


def rows_by_duckdb(file):
    table = duckdb.sql(f"SELECT * FROM read_json('{file}', format='newline_delimited', sample_size=-1)")
    return [known(dict(zip(table.columns, row))) for row in table.fetchall()]


# The checks of CSV and Parquet read large files too.
check("ndjson", {}, {"Python": keys_by_python, "DuckDB": keys_by_duckdb}, max_bytes=1_000_000)

# A wide table has the lines that `sample` prints, and a line for each marker.
for recording in recordings(max_bytes=1_000_000):
    file = convert(recording, "wide.ndjson", "--rate", "30")
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert rows_by_duckdb(file) == [known(row) for row in rows], recording
    times = [row["time"] for row in rows]
    assert times == sorted(times), recording
    rows = [row for row in rows if set(row) != {"time", "marker"}]
    expected = frames(recording, "--rate", "30")
    for side in ("left", "right"):
        # A hand without any key has no columns in a table.
        if rows and side not in rows[0]:
            unknown = {"tracked": False, "pinching": False, "joints": {}}
            assert all(frame.pop(side, unknown) == unknown for frame in expected), recording
    assert rows == expected, recording
