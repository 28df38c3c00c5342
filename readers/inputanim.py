"""Shared code of the checks in this folder: the program, the recordings and their sampled values.

`cargo xtask readers` sets INPUTANIM_PROGRAM (the program), INPUTANIM_OUT (a folder for what it
converts) and INPUTANIM_RECORDINGS (paths, one per line).
"""

import json
import os
import pickle
import subprocess
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

ROOT = Path(__file__).resolve().parent.parent
OUT = Path(os.environ.get("INPUTANIM_OUT", "."))


def recordings(max_bytes=None):
    """Returns the samples, and the corpus if INPUTANIM_CORPUS is set. With `max_bytes`, only files up to this size."""
    found = [Path(line) for line in os.environ["INPUTANIM_RECORDINGS"].splitlines()]
    return [path for path in found if max_bytes is None or path.stat().st_size <= max_bytes]


def is_sample(recording):
    """Returns True for a recording of samples/."""
    return recording.parent == ROOT / "samples"


def run(*arguments):
    """Runs the program and returns its output. Losses (exit code 3) are not a failure."""
    program = os.environ["INPUTANIM_PROGRAM"]
    command = [program, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    if done.returncode not in (0, 3):
        raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def once(key, compute):
    """Returns what `compute()` returns. Checks that run at the same time share the result in a file, since it takes longer
    to compute than to load. `cargo xtask readers` removes the files before the checks."""
    path = OUT.parent / "expected" / f"{key}.pickle"
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path.with_suffix(".lock"), "w") as lock:
        if fcntl:
            # The second check waits for the first one.
            fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            path.write_bytes(pickle.dumps(compute()))
    return pickle.loads(path.read_bytes())


def convert(recording, extension, *options):
    """Converts a recording, and returns the new file."""
    output = OUT / f"{recording.name}.{extension}"
    run("convert", "--force", recording, output, *options)
    return output


def frames(recording, *options):
    """Returns the frames that `inputanim sample --format ndjson` prints, without the markers between them."""
    lines = run("sample", recording, "--format", "ndjson", *options).splitlines()
    found = [json.loads(line) for line in lines]
    for frame in found:
        frame.pop("markers", None)
    return found
