"""Reads TSV with pandas and Python."""

import csv
import sys
from pathlib import Path

import pandas

sys.path.insert(0, str(Path(__file__).parent.parent))
import lines
from tables import check


def keys_by_python(file):
    with open(file, encoding="utf-8", newline="") as text:
        return lines.keys(lines.columns_of(csv.DictReader(text, delimiter="\t")))


check(
    "tsv",
    {"pandas": lambda file: lines.wide(pandas.read_csv(file, sep="\t"))},
    {"Python": keys_by_python},
)
