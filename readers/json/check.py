"""Validates lossless JSON against docs/inputanim.schema.json, and reads it with Python and DuckDB."""

import json
import sys
from pathlib import Path

import duckdb
import jsonschema_rs

sys.path.insert(0, str(Path(__file__).parent.parent))
from inputanim import ROOT, convert, recordings


def by_duckdb(file):
    """Returns layout, curves and markers as DuckDB reads them, with keys as Python reads the numbers that DuckDB prints."""
    members = ["layout", "flags", "curves", "markers"]
    paths = ", ".join(f"json -> '$.{member}'" for member in members)
    options = "format='unstructured', maximum_object_size=1000000000"
    (row,) = duckdb.sql(f"SELECT {paths} FROM read_json_objects('{file}', {options})").fetchall()
    return {member: json.loads(text) for member, text in zip(members, row) if text is not None}


schema = json.loads((ROOT / "docs/inputanim.schema.json").read_text())
validator = jsonschema_rs.Draft202012Validator(schema)
for recording in recordings():
    file = convert(recording, "json")
    document = json.loads(file.read_text(encoding="utf-8"))
    for member, value in by_duckdb(file).items():
        if document[member] != value:
            sys.exit(f"{recording}: Python and DuckDB read different {member}")
    for error in validator.iter_errors(document):
        sys.exit(f"{recording}: {error.instance_path}: {error.message}")
    # Without this, a schema that allows everything would pass.
    for wrong in [{"layout": "mrtk-1.2"}, {"flags": 1}, {"curves": [{"curve": "head"}]}]:
        if validator.is_valid({**document, **wrong}):
            sys.exit(f"the schema accepts {wrong}")
print(f"{len(recordings())} files are valid by docs/inputanim.schema.json, and equal in Python and DuckDB")
