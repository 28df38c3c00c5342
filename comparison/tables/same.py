"""Compares two folders of wide tables: names, nulls and numbers."""

import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

ours, theirs = map(Path, sys.argv[1:3])
names = sorted(path.relative_to(ours) for path in ours.rglob("*.parquet"))
if not names or names != sorted(path.relative_to(theirs) for path in theirs.rglob("*.parquet")):
    sys.exit("the folders differ")
numbers, largest = 0, 0.0
for name in names:
    a, b = pq.read_table(ours / name), pq.read_table(theirs / name)
    if a.column_names != b.column_names or a.num_rows != b.num_rows:
        sys.exit(f"{name}: {a.num_rows} rows of {a.column_names}\nand {b.num_rows} of {b.column_names}")
    for column in a.column_names:
        a_null, b_null = (table[column].is_null().to_numpy() for table in (a, b))
        if (a_null != b_null).any():
            sys.exit(f"{name}: {column}: {a_null.sum()} and {b_null.sum()} nulls")
        a_known, b_known = (table[column].drop_null().to_numpy().astype("f8") for table in (a, b))
        numbers += len(a_known)
        largest = max(largest, np.abs(a_known - b_known).max(initial=0))
# Metres and quaternion components are 32-bit floats of a few units at most, so rounding stays below this.
if not largest < 1e-5:
    sys.exit(f"up to {largest} apart")
print(f"{numbers:,} numbers of {len(names)} tables are the same, but for {largest:.1e} at the most")
