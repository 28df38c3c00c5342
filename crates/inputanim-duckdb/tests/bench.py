"""Measures the extension against Parquet files with the same content, and against converting first.

`cargo xtask duckdb --bench` runs it. Times are medians of rounds in which every query runs once, because the speed of a
shared machine changes. The conversion takes a minute, so it runs in the first round only.
"""

import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

import duckdb

sys.path.insert(0, str(Path(__file__).parent))
sys.argv = [sys.argv[0], "no test"]
from check import EXTENSION, OUT, PROGRAM

FILES = 4000
ROUNDS = 5
COLUMNS = ["time_s"] + [f"{side}.{joint}.position.{axis}" for side, joint in (("left", "Palm"), ("right", "Palm"), ("right", "IndexTip")) for axis in "xyz"]


def prepare():
    """Makes a study of short recordings, the same as Parquet, and a recording of ten hours."""
    study = OUT / "bench/study"
    if not (study / f"{FILES - 1:04}.bin").exists():
        study.mkdir(parents=True, exist_ok=True)
        takes = []
        for seed in range(40):
            take = study / f"seed{seed}.bin"
            run("generate", "two-hands", "--seconds", 3 + seed % 4, "--seed", seed, "--force", "-o", take)
            takes.append(take.read_bytes())
            take.unlink()
        for number in range(FILES):
            (study / f"{number:04}.bin").write_bytes(takes[number % 40])
    each, packed = OUT / "bench/each", OUT / "bench/packed.parquet"
    if not each.exists():
        run("convert", "--to", "parquet", "-r", study, "-o", each, "--force")
    if not packed.exists():
        run("convert", "--to", "parquet", "-r", study, "-o", packed, "--force")
    long = OUT / "bench/ten-hours.bin"
    if not long.exists():
        run("generate", "two-hands", "--seconds", 36000, "--rate", 10, "--no-limits", "-o", long)
    long_parquet = OUT / "bench/ten-hours.parquet"
    if not long_parquet.exists():
        run("convert", "--to", "parquet", "--rate", 10, long, long_parquet, "--no-limits")
    return study, each, packed, long, long_parquet


def run(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode in (0, 3), done.stderr


def read(path):
    """Reads a file into a small buffer: the shortest time in which one thread can find the last key."""
    buffer = bytearray(1 << 18)
    with open(path, "rb", buffering=0) as file:
        while file.readinto(buffer):
            pass


def connect(threads):
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": threads})
    connection.execute(f"LOAD '{EXTENSION}'")
    return connection


def measure(name, baseline, ways, slow=()):
    """Prints the median time of each way, and its ratio to the baseline. Slow ways run in the first round only."""
    times = {way: [] for way in ways}
    for number in range(ROUNDS):
        for way, work in ways.items():
            if way in slow and number > 0:
                continue
            start = time.perf_counter()
            work()
            times[way].append(time.perf_counter() - start)
    medians = {way: statistics.median(values) for way, values in times.items()}
    print(f"\n{name}")
    for way, seconds in medians.items():
        print(f"  {way:<34} {seconds:>7.3f} s {seconds / medians[baseline]:>7.2f} times that of {baseline}")


def main():
    study, each, packed, long, long_parquet = prepare()
    connections = {threads: connect(threads) for threads in (1, 2)}
    columns = ", ".join(f'avg("{column}")' for column in COLUMNS)

    def query(source, threads, select=columns):
        return lambda: connections[threads].execute(f"SELECT {select}, count(*) FROM {source}").fetchall()

    print(f"{FILES} recordings, {sum(f.stat().st_size for f in study.glob('*.bin')) / 1e6:.0f} MB; medians of {ROUNDS} rounds")
    ours = f"read_inputanim('{study}/*.bin')"

    def converted():
        out = OUT / "bench/converted.parquet"
        run("convert", "--to", "parquet", "-r", study, "-o", out, "--force")
        query(f"read_parquet('{out}')", 2)()

    baseline, conversion = "extension, two threads", "convert to Parquet, then the query"
    measure("ten columns of 4,000 recordings", baseline, {
        baseline: query(ours, 2),
        "extension, one thread": query(ours, 1),
        "Parquet, one file per recording": query(f"read_parquet('{each}/**/*.parquet')", 2),
        "Parquet, one packed file": query(f"read_parquet('{packed}')", 2),
        conversion: converted,
    }, slow=[conversion])
    measure("information on 4,000 recordings", baseline, {
        baseline: query(f"inputanim_info('{study}/*.bin')", 2, "avg(duration_s)"),
        "Parquet, one file per recording": lambda: connections[2].execute(
            f"SELECT avg(d) FROM (SELECT filename, max(time_s) AS d FROM read_parquet('{each}/**/*.parquet', filename = true) GROUP BY 1)").fetchall(),
    })
    measure("ten columns of one recording of ten hours", baseline, {
        baseline: query(f"read_inputanim('{long}', rate := 10)", 2),
        "extension, one thread": query(f"read_inputanim('{long}', rate := 10)", 1),
        "extension, one thread, only times": query(f"read_inputanim('{long}', rate := 10)", 1, "max(time_s)"),
        "read the file in one thread": lambda: read(long),
        "Parquet, one file": query(f"read_parquet('{long_parquet}')", 2),
    })


if __name__ == "__main__":
    main()
