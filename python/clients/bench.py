"""Measures a scan, Sail and Apache Spark over a thousand recordings, and projects the times to a million.

`cargo xtask clients --bench` builds the package optimised, runs this script in the environment of Apache Spark, and names the
interpreter of the environment of Sail in INPUTANIM_SAIL_PYTHON.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars
from study import FILES, NO_JAVA, has_java, make, spark_session

import inputanim

COLUMNS = ["file", "time_s", "right.tracked"] + [
    f"right.{joint}.position.{axis}" for joint in ("Palm", "IndexTip") for axis in "xyz"
] + ["head.position.y"]
MILLION = 1_000_000
LINKS = 20
# Bytes per second of a storage system that all machines share.
STORAGE = 1e9


def seconds(work: Callable[[], object], rounds: int = 5) -> float:
    """Returns the median time, after a run that is not counted."""
    work()
    taken = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def query(spark: Any, study: str, files: int, per_partition: int) -> None:
    """Computes the maximum of each column of each file, so that the engine gets all values of all rows."""
    reader = spark.read.format("inputanim").option("columns", ", ".join(COLUMNS))
    frame = reader.option("files_per_partition", per_partition).load(study)
    # Spark reads dots in names as members.
    names = [name.replace(".", "_") for name in COLUMNS]
    frame = frame.toDF(*names)
    assert len(frame.groupBy("file").agg(dict.fromkeys(names[1:], "max")).collect()) == files


def measure_engine(spark: Any, study: str, links: str) -> dict[str, float]:
    """Returns the times of a query with partitions of 250 files and of 10 files, and over `LINKS` times as many files."""
    return {
        "large": seconds(lambda: query(spark, study, FILES, 250), 3),
        "small": seconds(lambda: query(spark, study, FILES, 10), 3),
        "links": seconds(lambda: query(spark, links, FILES * LINKS, 250), 1),
    }


def sail(study: str, links: str) -> None:
    """Prints the times of Sail as JSON."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pysail.spark import SparkConnectServer
    from pyspark.sql import SparkSession

    start = time.perf_counter()
    server = SparkConnectServer()
    server.start()
    _, port = server.listening_address
    spark = SparkSession.builder.remote(f"sc://localhost:{port}").getOrCreate()
    spark.range(1).collect()
    started = time.perf_counter() - start
    print(json.dumps({**measure_engine(spark, study, links), "start": started}))
    spark.stop()
    server.stop()


def spark(study: str, links: str) -> dict[str, float]:
    """Returns the times of Apache Spark with two executor processes."""
    start = time.perf_counter()
    session = spark_session()
    session.range(1).collect()
    started = time.perf_counter() - start
    times = {**measure_engine(session, study, links), "start": started}
    session.stop()
    return times


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        study, links = make(Path(temporary, "study")), Path(temporary, "links")
        scan = inputanim.scan(study, columns=COLUMNS)
        # Links to the same files need no more space.
        for number, file in enumerate(scan.files * LINKS):
            link = links / str(number // 1000) / f"{number}.bin"
            link.parent.mkdir(parents=True, exist_ok=True)
            link.hardlink_to(file.path)
        size = sum(file.bytes for file in scan.files)
        rows = scan.to_polars()
        cores = os.cpu_count() or 1
        print(f"{FILES:,} recordings, {size / 1e6:.0f} MB, {rows.height:,} rows, {len(COLUMNS)} columns, {cores} processors")

        def report(name: str, taken: float, used: int, files: float = FILES) -> float:
            """Prints a time and rates for one core, and returns the number of files per second and core."""
            rate = files / taken / used
            print(f"  {name:<42} {taken:8.3f} s {rate:8,.0f} files/s {rate * rows.height / FILES:11,.0f} rows/s per core")
            return rate

        def report_engine(name: str, times: dict[str, float], used: int) -> float:
            print(f"{name}, started in {times['start']:.1f} s")
            report("partitions of 250 files", times["large"], used)
            report("partitions of 10 files", times["small"], used)
            tasks = -(-FILES // 10) - -(-FILES // 250)
            task = (times["small"] - times["large"]) * used / tasks
            print(f"  {'processor time of one more task':<42} {task:8.3f} s")
            # The difference excludes the time that a query takes with any number of files.
            return report(f"{FILES:,} more files, without the fixed time", (times["links"] - times["large"]) / (LINKS - 1), used)

        print("inputanim.scan")
        report("one thread", seconds(lambda: inputanim.scan(study, columns=COLUMNS, threads=1).to_polars()), 1)
        two = seconds(lambda: inputanim.scan(study, columns=COLUMNS, threads=2).to_polars())
        # The projection uses the rate of a core while other cores work too.
        rates = {"scan": report("two threads", two, 2)}
        if interpreter := os.environ.get("INPUTANIM_SAIL_PYTHON"):
            command = [interpreter, __file__, "sail", study, links]
            quiet = {**os.environ, "RUST_LOG": "error"}
            output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=quiet).stdout
            rates["Sail"] = report_engine("Sail", json.loads(output.splitlines()[-1]), cores)
        if has_java():
            rates["Apache Spark"] = report_engine("Apache Spark, two executor processes", spark(str(study), str(links)), 2)
        else:
            print(f"Apache Spark is skipped: {NO_JAVA}")

        def read() -> int:
            return sum(len(Path(file.path).read_bytes()) for file in scan.files)

        print("small files, in the file cache")
        listing = seconds(lambda: inputanim.scan(study).files)
        print(f"  find the files                      {listing / FILES * 1e6:8,.0f} µs per file")
        print(f"  open and read a file with Python    {seconds(read) / FILES * 1e6:8,.0f} µs per file")
        packed = Path(temporary, "study.parquet")
        rows.write_parquet(packed)
        parquet = seconds(lambda: polars.read_parquet(packed))
        print(f"  the rows from one Parquet file      {parquet / FILES * 1e6:8,.0f} µs per file")
        print(f"  one Parquet file                    {packed.stat().st_size / size * 100:8,.1f} % of the bytes of the recordings")

        scale = MILLION / FILES
        print(f"projection to {MILLION:,} recordings: {size * scale / 1e9:,.0f} GB, {rows.height * scale / 1e6:,.0f} million rows")
        print(f"  find the files: {listing * scale:,.0f} s; read at {STORAGE / 1e9:.0f} GB/s: {size * scale / STORAGE:,.0f} s")
        for used in (16, 64, 256):
            times = ", ".join(f"{name} {MILLION / rate / used:,.0f} s" for name, rate in rates.items())
            print(f"  {used} cores: {times}")
    sys.stdout.flush()


if __name__ == "__main__":
    if sys.argv[1:2] == ["sail"]:
        sail(*sys.argv[2:])
    else:
        main()
