"""Reads TSV with pandas, Polars and Python."""

import csv
import sys
from pathlib import Path

import pandas
import polars

sys.path.insert(0, str(Path(__file__).parent.parent))
import lines
from tables import check


def keys_by_python(file):
    with open(file, encoding="utf-8", newline="") as text:
        return lines.keys(lines.columns_of(csv.DictReader(text, delimiter="\t")))


def keys_by_pandas(file):
    frame = pandas.read_csv(file, sep="\t", dtype=object, keep_default_na=False)
    return lines.keys(frame.to_dict("list"))


def by_polars(file):
    return lines.wide(polars.read_csv(file, separator="\t", infer_schema_length=None).to_pandas())


check(
    "tsv",
    {"pandas": lambda file: lines.wide(pandas.read_csv(file, sep="\t")), "Polars": by_polars},
    {"Python": keys_by_python, "pandas": keys_by_pandas},
    # CSV has the same writer, and its check reads large files too.
    max_bytes=1_000_000,
)
