"""Newline-delimited JSON in DuckDB and Python."""

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
    return lines.keys(json.loads(line) for line in text.splitlines())


def keys_by_duckdb(file):
    table = duckdb.sql(f"SELECT * FROM read_json('{file}', format='newline_delimited', sample_size=-1)")
    names = table.columns
    rows = (dict(zip(names, row)) for row in table.fetchall())
    return lines.keys(rows)


check("ndjson", {}, {"Python": keys_by_python, "DuckDB": keys_by_duckdb})

# A wide table is what `sample` prints, and a line for each marker.
for recording in recordings():
    file = convert(recording, "wide.ndjson", "--rate", "30")
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    times = [row["time"] for row in rows]
    assert times == sorted(times), recording
    rows = [row for row in rows if set(row) != {"time", "marker"}]
    assert rows == frames(recording, "--rate", "30"), recording
