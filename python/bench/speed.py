"""Measures the package against careful scripts: `cargo xtask python --bench` builds it optimised, and prints ratios."""

from __future__ import annotations

import io
import os
import statistics
import struct
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars

import inputanim

FILES = int(os.environ.get("INPUTANIM_BENCH_FILES", "1000"))
SAMPLES = Path(__file__).resolve().parents[2] / "samples"
KEY = np.dtype([("time", "<f4"), ("value", "<f4")])
COLUMNS = ["file", "time_s", "right.tracked"] + [
    f"right.{joint}.position.{axis}" for joint in ("Palm", "IndexTip") for axis in "xyz"
] + ["head.position.y"]


def numpy_keys(content: bytes) -> dict[int, np.ndarray]:
    """Reads the keys of a file of MRTK 1.1 with one np.frombuffer for each curve."""
    unpack = struct.Struct("<iii").unpack_from
    head, hand, gaze = content[16:19]
    count = 7 * head + 382 * hand + 6 * gaze
    offset = 19
    curves = {}
    for number in range(count):
        keys = unpack(content, offset)[2]
        offset += 12
        curves[number] = np.frombuffer(content, KEY, keys, offset)
        offset += 8 * keys
    return curves


def simple_keys(content: bytes) -> dict[int, np.ndarray]:
    """Reads the keys of a file one by one, as short scripts do."""
    file = io.BytesIO(content)
    file.seek(16)
    head, hand, gaze = file.read(3)
    curves = {}
    for number in range(7 * head + 382 * hand + 6 * gaze):
        _, _, count = struct.unpack("<iii", file.read(12))
        curves[number] = np.array([struct.unpack("<ff", file.read(8)) for _ in range(count)], np.float32).ravel().view(KEY)
    return curves


def numpy_table(path: Path, read: Callable[[bytes], dict[int, np.ndarray]]) -> dict[str, np.ndarray]:
    """Samples the ten columns with np.interp, as scripts do."""
    content = path.read_bytes()
    curves = read(content)
    names = list(inputanim.Recording(content).curves)
    end = max((keys["time"].max() for keys in curves.values() if len(keys)), default=0)
    times = np.arange(0, end + 1e-6, 1 / 60, dtype=np.float32)
    tracked = curves[names.index("right.tracked")]
    state = tracked["value"][np.clip(np.searchsorted(tracked["time"], times, "right") - 1, 0, None)] > 0.5
    table: dict[str, np.ndarray] = {"time_s": times, "right.tracked": state}
    for name in COLUMNS[3:]:
        keys = curves[names.index(name)]
        values = np.interp(times, keys["time"], keys["value"]).astype(np.float32)
        table[name] = np.where(state, values, np.nan) if name.startswith("right") else values
    return table


def seconds(work: Callable[[], object], rounds: int) -> float:
    """Returns the median time."""
    taken = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def main() -> None:
    content = (SAMPLES / "two-hands.bin").read_bytes()

    def many(work: Callable[[], object]) -> Callable[[], None]:
        def repeated() -> None:
            for _ in range(50):
                work()

        return repeated

    plain = seconds(many(lambda: numpy_keys(content)), 15) / 50
    every = seconds(many(lambda: inputanim.Recording(content).curves.arrays()), 15) / 50
    one = seconds(many(lambda: inputanim.Recording(content).curves["right.Palm.position.y"]), 15) / 50
    print("keys of a file with two hands, all of its curves")
    print(f"  np.frombuffer per curve   {plain * 1e6:8.0f} µs")
    print(f"  curves.arrays()           {every * 1e6:8.0f} µs  {plain / every:5.1f} times as fast")
    print(f"  one curve                 {one * 1e6:8.0f} µs  {plain / one:5.1f} times as fast")

    with tempfile.TemporaryDirectory() as temporary:
        study, parquet = Path(temporary, "study"), Path(temporary, "parquet")
        study.mkdir()
        parquet.mkdir()
        base = inputanim.read(SAMPLES / "two-hands.bin")
        for number in range(FILES):
            base.trim(0, 4 + number % 5).write(study / f"{number:05}.bin")
        scan = inputanim.scan(study, columns=COLUMNS)
        for file in scan.files:
            part = inputanim.scan(file.path).to_polars()
            part.write_parquet(parquet / f"{Path(file.path).stem}.parquet")
        rows = scan.to_polars()

        def numpy_study(read: Callable[[bytes], dict[int, np.ndarray]]) -> polars.DataFrame:
            frames = [polars.DataFrame(numpy_table(path, read)) for path in sorted(study.glob("*.bin"))]
            return polars.concat(frames)

        def polars_parquet() -> polars.DataFrame:
            return polars.scan_parquet(parquet / "*.parquet").select(COLUMNS).collect()

        assert polars_parquet().height == rows.height
        one_thread = inputanim.scan(study, columns=COLUMNS, threads=1)
        two_threads = inputanim.scan(study, columns=COLUMNS, threads=2)
        ways = {
            "inputanim, two threads": (lambda: two_threads.to_polars(), 5),
            "inputanim, one thread": (lambda: one_thread.to_polars(), 5),
            "Polars over Parquet": (polars_parquet, 5),
            "NumPy script, by curve": (lambda: numpy_study(numpy_keys), 3),
            "NumPy script, by key": (lambda: numpy_study(simple_keys), 1),
        }
        times = {name: seconds(work, rounds) for name, (work, rounds) in ways.items()}
        ours = times["inputanim, two threads"]
        size = sum(file.bytes for file in scan.files) / 1e6
        print(f"scan of {FILES} recordings, {size:.0f} MB, {rows.height:,} rows, {len(COLUMNS)} columns")
        for name, taken in times.items():
            print(f"  {name:<25} {taken:8.3f} s  {taken / ours:6.2f} relative to two threads")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
