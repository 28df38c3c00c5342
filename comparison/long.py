"""Time of reading some columns of a long recording, against the same columns in Parquet.

Usage: python comparison/long.py RECORDING

The recording is a .bin file, such as one of `inputanim generate two-hands --seconds 7200`. Its wide table is written to a
temporary Parquet file with Zstandard. Both files are then in the page cache. inputanim evaluates the columns from the keys of
their curves, and pyarrow reads the evaluated values. Both use one thread. The last rows have the least work of inputanim: NumPy copies
as many bytes as the keys have, and writes as many as the values have, both into new memory.
"""

import os
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path

import inputanim
import numpy as np
import pyarrow.parquet as parquet

ROUNDS = 5
KEY_BYTES = {"simple": 8, "full": 32}


def measure(read):
    """Returns the medians of the time and of the processor time of a function, in seconds, in rounds that follow each other."""
    times, processor = [], []
    for _ in range(ROUNDS):
        before, start = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
        read()
        times.append(time.perf_counter() - start)
        after = resource.getrusage(resource.RUSAGE_SELF)
        processor.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(times), statistics.median(processor)


def bytes_of_columns(file, names):
    """Returns the compressed bytes of some columns of a Parquet file."""
    groups = [file.metadata.row_group(group) for group in range(file.metadata.num_row_groups)]
    chunks = [group.column(index) for group in groups for index in range(group.num_columns)]
    return sum(chunk.total_compressed_size for chunk in chunks if chunk.path_in_schema in names)


def bytes_of_keys(path, names):
    """Returns the bytes of the keys of the curves with these names."""
    curves = inputanim.scan(path, "curves", columns=["curve", "kind", "keys"], file_column=None).to_arrow().to_pylist()
    return sum(KEY_BYTES[curve["kind"]] * curve["keys"] for curve in curves if curve["curve"] in names)


def main(path):
    names = [column.name for column in inputanim.columns("wide", file_column=None)]
    choices = {
        "one position": ["time_s", "right.IndexTip.position.x"],
        "all positions": ["time_s", *(name for name in names if ".position." in name)],
    }

    def scan(columns):
        return inputanim.scan(path, columns=columns, file_column=None, threads=1).to_arrow()

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "wide.parquet")
        parquet.write_table(scan(names), file, compression="zstd")
        opened = parquet.ParquetFile(file)
        print(f"{os.path.getsize(path) / 1e6:.0f} MB, Parquet {os.path.getsize(file) / 1e6:.0f} MB; medians of {ROUNDS} rounds")
        for name, columns in choices.items():
            values = scan(columns).nbytes
            keys = bytes_of_keys(path, columns)
            packed = bytes_of_columns(opened, columns)
            content = np.ones(keys, np.uint8)
            rows = {
                "inputanim": lambda: scan(columns),
                "pyarrow": lambda: parquet.read_table(file, columns=columns, use_threads=False),
                "copy the keys": content.copy,
                "write the values": lambda: np.full(values, 1, np.uint8),
            }
            times = {row: measure(work) for row, work in rows.items()}
            sizes = f"{keys / 1e6:.0f} MB of keys, {values / 1e6:.0f} MB of values, {packed / 1e6:.0f} MB in Parquet"
            print(f"\n{name}: {sizes}")
            print(f"  {'':<18} {'time':>8} {'processor':>10}   times pyarrow")
            for row, (seconds, processor) in times.items():
                ratio = processor / times["pyarrow"][1]
                print(f"  {row:<18} {seconds:>6.3f} s {processor:>8.3f} s   {ratio:.2f}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
