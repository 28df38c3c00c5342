"""Text tables, shared by the checks of CSV, TSV and NDJSON."""

import numpy as np

from tables import NAN, bits

FLOATS = ["time_s", "value", "in_tangent", "out_tangent", "in_weight", "out_weight"]
ORDER = ["curve", *FLOATS, "weighted_mode", "kind", "pre_wrap", "post_wrap", "name"]


def wide(frame):
    """Returns the columns of a data frame without the rows of markers."""
    if "marker" in frame:
        frame = frame[frame["marker"].isna()]
    columns = {}
    for name in frame:
        if name == "marker":
            continue
        state = name.endswith((".tracked", ".pinching"))
        columns[name] = frame[name].to_numpy().astype(bool if state else np.float32)
    return columns


def number(text):
    """Returns a number that is given as text, as lossless JSON has it."""
    if text in (None, ""):
        return None
    return text if text in NAN or str(text).startswith("NaN(") else float(text)


def columns_of(rows):
    """Returns the columns of rows that are dictionaries by column."""
    rows = list(rows)
    return {name: [row.get(name) for row in rows] for name in ORDER}


def keys(columns):
    """Converts columns of text by name to rows of keys. A column that is missing is empty."""
    empty = [None] * max(map(len, columns.values()), default=0)
    columns = {name: columns.get(name, empty) for name in ORDER}
    for name in FLOATS:
        columns[name] = bits(map(number, columns[name]))
    return zip(*columns.values())
