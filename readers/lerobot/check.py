"""Reads datasets of LeRobot with PyArrow, pandas and Polars, and compares them with the sampler and with NumPy."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))
from dataset import Dataset, expect
from inputanim import OUT, is_sample, recordings, run
from tables import plays, wide

STUDY = OUT / "study"


def study():
    """Copies all recordings into a folder, and returns them."""
    shutil.rmtree(STUDY, ignore_errors=True)
    found = []
    for number, recording in enumerate(path for path in recordings() if plays(path)):
        path = STUDY / f"p{number % 3}" / f"task-{number % 2}_{number}.bin"
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(recording, path)
        found.append(path)
    return sorted(found)


def convert(name, *options):
    """Converts the study, and returns the dataset with the number of recordings that are not part of it."""
    folder = OUT / name
    shutil.rmtree(folder, ignore_errors=True)
    command = [os.environ["INPUTANIM_PROGRAM"], "convert", "-r", STUDY, "--to", "lerobot", "-o", folder, *options]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, encoding="utf-8")
    expect(done.returncode in (0, 1, 3), f"{command}: exit code {done.returncode}\n{done.stderr}")
    failed = re.search(r"converted, (\d+) failed", done.stderr)
    return folder, int(failed[1]) if failed else 0


def is_complete(path, names, frame):
    """Returns True if a recording has the head and the gaze that the states contain or depend on."""
    columns = wide(path, "--at", "0")
    needs_head = frame == "head" or "head.position.x" in names
    has_gaze = "gaze.origin.x" in columns or "gaze.origin.x" not in names
    return has_gaze and ("head.position.x" in columns or not needs_head)


def ranges(path, *options):
    """Returns the time ranges that `stats` analyses."""
    rows = json.loads(run("stats", path, "--format", "json", "--measures", "duration", *options))
    return [(row["start_s"], row["end_s"]) for row in rows]


def held(columns):
    """Repeats the last known row, and the first known row before it."""
    known = np.isfinite(columns).all(axis=1)
    if not known.any():
        return None
    rows = np.where(known, np.arange(len(columns)), -1)
    rows = np.maximum.accumulate(rows)
    return columns[np.where(rows < 0, np.argmax(known), rows)]


def continuous(rotations, found):
    """Makes the signs of rotations continuous. After half a turn, both signs are: it is the sign of `found`."""
    rotations = rotations.copy()
    for row in range(len(rotations)):
        before = rotations[row - 1] if row else np.array([0, 0, 0, 1.0])
        cosine = (rotations[row] * before).sum()
        if abs(cosine) < 1e-6:
            cosine = (rotations[row] * found[row]).sum()
        if cosine < 0:
            rotations[row] = -rotations[row]
    return rotations


def turn(rotations, vectors, back=False):
    """Rotates vectors by quaternions, or back."""
    axis = rotations[:, :3] * (-1 if back else 1)
    once = np.cross(axis, vectors)
    return vectors + 2 * (rotations[:, 3:] * once + np.cross(axis, once))


def product(a, b):
    vector = a[:, 3:] * b[:, :3] + b[:, 3:] * a[:, :3] + np.cross(a[:, :3], b[:, :3])
    return np.hstack([vector, a[:, 3:] * b[:, 3:] - (a[:, :3] * b[:, :3]).sum(axis=1, keepdims=True)])


def expected(names, path, times, frame, space, found):
    """Returns the states of an episode, computed from the sampled frames with NumPy. `found` has the states of the
    dataset."""
    columns = wide(path, "--space", space, "--at", ",".join(repr(float(time)) for time in times))

    def pose(stem):
        parts = [f"position.{axis}" for axis in "xyz"] + [f"rotation.{axis}" for axis in "xyzw"]
        missing = np.full(len(times), np.nan)
        values = np.stack([columns.get(f"{stem}.{part}", missing) for part in parts], axis=1)
        return values.astype(np.float64)

    def base(stem):
        side, _, joint = stem.partition(".")
        if frame == "head" and stem != "head":
            return pose("head")
        return pose(f"{side}.Wrist") if frame == "wrist" and joint not in ("", "Wrist") else None

    states = np.zeros((len(times), len(names)))
    column = 0
    while column < len(names):
        name = names[column]
        if name.endswith((".tracked", ".pinching")):
            states[:, column] = columns.get(name, np.zeros(len(times)))
            column += 1
            continue
        stem = name.rsplit(".", 2)[0]
        if stem == "gaze":
            parts = [f"gaze.{part}.{axis}" for part in ("origin", "direction") for axis in "xyz"]
            values = np.stack([columns[part] for part in parts], axis=1).astype(np.float64)
            origin, direction, reference = values[:, :3], values[:, 3:], base(stem)
            if reference is not None and frame == "head":
                origin = turn(reference[:, 3:], origin - reference[:, :3], back=True)
                direction = turn(reference[:, 3:], direction, back=True)
            values = held(np.hstack([origin, direction]))
        else:
            values, reference = pose(stem), base(stem)
            if reference is not None:
                inverse = reference[:, 3:] * [-1, -1, -1, 1]
                position = turn(reference[:, 3:], values[:, :3] - reference[:, :3], back=True)
                values = np.hstack([position, product(inverse, values[:, 3:])])
            values = held(values)
            if values is None:
                values = np.tile([0, 0, 0, 0, 0, 0, 1.0], (len(times), 1))
            values[:, 3:] = continuous(values[:, 3:], found[:, column + 3 : column + 7])
        states[:, column : column + values.shape[1]] = values
        column += values.shape[1]
    return states


def validity(dataset, path, times, frame):
    """Returns for each frame and part 1 if all of its values are known, from the sampled frames with NumPy."""
    columns = wide(path, "--at", ",".join(repr(float(time)) for time in times))
    missing = np.full(len(times), np.nan)

    def known(names):
        values = [columns.get(name, missing) for name in names if not name.endswith((".tracked", ".pinching"))]
        rotations = {name[:-2] for name in names if ".rotation." in name}
        for stem in rotations:
            lengths = sum(columns.get(f"{stem}.{axis}", missing).astype(float) ** 2 for axis in "xyzw")
            values.append(np.where(lengths > 0, lengths, np.nan))
        return np.all(np.isfinite([*values, np.zeros(len(times))]), axis=0)

    result = []
    for part in dataset.parts:
        names = [name for name in dataset.names if name.startswith(f"{part}.")]
        bases = {"head": "head", "wrist": f"{part}.Wrist"}
        is_relative = any(not name.endswith((".tracked", ".pinching")) for name in names)
        if frame in bases and is_relative and (part in ("left", "right") or (frame, part) == ("head", "gaze")):
            base = bases[frame]
            names += [f"{base}.position.{axis}" for axis in "xyz"] + [f"{base}.rotation.{axis}" for axis in "xyzw"]
        result.append(known(names))
    return np.stack(result, axis=1).astype(np.float32)


def check(name, *options, frame="world", space="unity", rate=30, segments=()):
    """Converts the study, checks the dataset, and compares all states with the sampler."""
    folder, failed = convert(name, *options, *segments)
    dataset = Dataset(folder)
    expect(dataset.info["fps"] == rate, dataset.info["fps"])
    episodes = iter(dataset.rows(["dataset_from_index", "dataset_to_index"]))
    parts = []
    for path in sorted(STUDY.rglob("*.bin")):
        if not is_complete(path, dataset.names, frame):
            failed -= 1
            continue
        for start, end in ranges(path, *segments):
            first, last = next(episodes)
            times = np.float32(start) + np.arange(last - first) / rate
            times = times.astype(np.float32)
            expect(times[-1] <= np.float32(end) and times[-1] + 1.01 / rate > end, f"{path}: {times[-1]}, {end}")
            states = dataset.frames["observation.state"][first:last]
            wanted = expected(dataset.names, path, times, frame, space, states)
            difference = np.abs(states - wanted)
            worst = np.unravel_index(np.argmax(difference), difference.shape)
            # Single precision, also for recordings with poses that are far away.
            allowed = 2e-6 * max(1, np.abs(wanted).max()) if frame != "world" else 0
            expect(difference.max() <= allowed, f"{path}: {dataset.names[worst[1]]}, frame {worst[0]}: {states[worst]}, not {wanted[worst]}")
            valid = dataset.frames["valid"][first:last]
            wanted = validity(dataset, path, times, frame)
            expect((valid == wanted).all(), f"{path}: validity")
            parts.append(path)
    expect(failed == 0, f"{name}: number of refused recordings")
    expect(next(episodes, None) is None and len(parts) == dataset.info["total_episodes"], f"{name}: number of episodes")
    return dataset, parts


def main():
    paths = study()
    dataset, converted = check("world")
    names = [str(path.relative_to(STUDY).with_suffix("")) for path in converted]
    expect(sorted(dataset.tasks.index) == sorted(names), "tasks")
    check("head", "--frame", "head", "--space", "openxr", "--rate", "10", frame="head", space="openxr", rate=10)
    check("wrist", "--frame", "wrist", "--joints", "right.*Tip,right.Wrist", frame="wrist")
    dataset, _ = check("tasks", "--task-pattern", "{task}_{*}.bin", "--joints", "hands")
    expect(set(dataset.tasks.index) <= {"task-0", "task-1"}, dataset.tasks)
    # All samples have markers, and other recordings may have none.
    if all(is_sample(path) for path in recordings()):
        dataset, _ = check("segments", segments=("--segments", "markers"))
        expect(dataset.info["total_episodes"] > len(paths), "segments")

    first, again = OUT / "world", OUT / "again"
    convert("again", "--jobs", "1")
    files = [path.relative_to(first) for path in first.rglob("*") if path.is_file()]
    expect(all((first / file).read_bytes() == (again / file).read_bytes() for file in files), "two runs differ")
    print(f"{len(converted)} recordings in 4 datasets equal the sampler")


main()
