"""Times a scan of many small recordings as files and as packs, from the file cache and from the disk.

    python comparison/packs.py target/release/inputanim [--recordings 20000]

The rows from the disk need the permission to empty the cache of the system, which only root has on Linux.
"""

import argparse
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

RUNS = 5


def run(*arguments):
    subprocess.run(list(map(str, arguments)), check=True, capture_output=True)


def forget(folder):
    """Removes the files of a folder from the file cache."""
    for path in folder.rglob("*"):
        if path.is_file():
            file = os.open(path, os.O_RDONLY)
            os.fdatasync(file)
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(file)
    # The names and properties of files.
    Path("/proc/sys/vm/drop_caches").write_text("2")


def seconds(work, before=lambda: None):
    times = []
    for _ in range(RUNS):
        before()
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def read(folder):
    """Reads all bytes of a folder, and does nothing else: the least time that a scan needs."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            with path.open("rb", buffering=0) as file:
                while file.read(1 << 20):
                    pass


parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("--recordings", type=int, default=20_000)
args = parser.parse_args()
with tempfile.TemporaryDirectory() as folder:
    files, packs, one = (Path(folder) / name for name in ("files", "packs", "one.bin"))
    run(args.program, "generate", "two-hands", "--seconds", "0.1", "--rate", "30", "-o", one)
    content = one.read_bytes()
    for index in range(args.recordings):
        path = files / f"p{index // 200:04}" / f"t{index % 200:03}.bin"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    start = time.perf_counter()
    run(args.program, "pack", files, "-o", packs)
    print(f"pack: {time.perf_counter() - start:.2f} s")
    for name, of in (("files", files), ("packs", packs)):
        size = sum(path.stat().st_size for path in of.rglob("*") if path.is_file())
        scan = lambda of=of: run(args.program, "cat", "-r", of, "--show", "markers", "--format", "csv")
        print(f"{name}: {size:,} bytes")
        print(f"{name}: scan from the file cache {seconds(scan):.2f} s")
        print(f"{name}: all bytes from the file cache {seconds(lambda of=of: read(of)):.2f} s")
        try:
            print(f"{name}: scan from the disk {seconds(scan, lambda of=of: forget(of)):.2f} s", flush=True)
        except PermissionError:
            print(f"{name}: the cache cannot be emptied")
