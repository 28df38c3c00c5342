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
    """Returns the bits of a number that is given as text."""
    if text in (None, ""):
        return None
    text = str(text)
    return bits(text if text in NAN or text.startswith("NaN(") else float(text))


def keys(rows):
    """Converts rows of text, as dictionaries by column, to rows of keys."""
    for row in rows:
        row = {name: row.get(name) for name in ORDER}
        for name in FLOATS:
            row[name] = number(row[name])
        yield tuple(row[name] for name in ORDER)
