"""Validates lossless JSON against docs/inputanim.schema.json."""

import json
import sys
from pathlib import Path

import jsonschema_rs

sys.path.insert(0, str(Path(__file__).parent.parent))
from inputanim import ROOT, convert, recordings

schema = json.loads((ROOT / "docs/inputanim.schema.json").read_text())
validator = jsonschema_rs.Draft202012Validator(schema)
for recording in recordings():
    text = convert(recording, "json").read_text(encoding="utf-8")
    document = json.loads(text)
    for error in validator.iter_errors(document):
        sys.exit(f"{recording}: {error.instance_path}: {error.message}")
    # Without this, a schema that allows everything would pass.
    for wrong in [{"layout": "mrtk-1.2"}, {"flags": 1}, {"curves": [{"curve": "head"}]}]:
        if validator.is_valid({**document, **wrong}):
            sys.exit(f"the schema accepts {wrong}")
print(f"{len(recordings())} files are valid by docs/inputanim.schema.json")
