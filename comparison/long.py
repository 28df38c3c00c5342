"""Time of reading some columns of a long recording, against the same columns in Parquet.

Usage: python comparison/long.py RECORDING

The recording is a .bin file, such as one of `inputanim generate two-hands --seconds 7200`. Its wide table is written to a
temporary Parquet file with Zstandard. Both files are then in the page cache. inputanim evaluates the columns from the keys of
their curves, and pyarrow reads the evaluated values.
"""

import os
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path

import inputanim
import pyarrow.parquet as parquet

ROUNDS = 5


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


def main(path):
    names = [column.name for column in inputanim.columns("wide")]
    positions = [name for name in names if ".position." in name]
    choices = {
        "a position": ["time_s", "right.IndexTip.position.x"],
        "all positions": ["time_s", *positions],
        "all columns": [name for name in names if name != "file"],
    }

    def scan(columns):
        return inputanim.scan(path, columns=columns, file_column=None).to_arrow()

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "wide.parquet")
        parquet.write_table(scan(choices["all columns"]), file, compression="zstd")
        opened = parquet.ParquetFile(file)
        print(f"{os.path.getsize(path) / 1e6:.0f} MB, Parquet {os.path.getsize(file) / 1e6:.0f} MB; medians of {ROUNDS} rounds")
        for name, columns in choices.items():
            table = scan(columns)
            times = [
                measure(lambda: scan(columns)),
                measure(lambda: parquet.read_table(file, columns=columns)),
            ]
            print(f"{name}: {table.nbytes / 1e6:.0f} MB of values, {bytes_of_columns(opened, columns) / 1e6:.0f} MB in Parquet")
            for reader, (seconds, processor) in zip(["inputanim", "pyarrow"], times):
                print(f"  {reader:<10} {seconds:.3f} s, processor {processor:.3f} s, {seconds / times[1][0]:.2f} times that of pyarrow")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
