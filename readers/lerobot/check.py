"""Reads datasets of LeRobot with PyArrow and pandas, and compares them with the sampler and with NumPy."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))
from dataset import Dataset, expect
from inputanim import OUT, ROOT, recordings, run
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
    """Converts the study, and returns the dataset with the recordings that are not part of it."""
    folder = OUT / name
    shutil.rmtree(folder, ignore_errors=True)
    command = [os.environ["INPUTANIM_PROGRAM"], "convert", "-r", STUDY, "--to", "lerobot", "-o", folder, *options]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, encoding="utf-8")
    expect(done.returncode in (0, 1, 3), f"{command}: exit code {done.returncode}\n{done.stderr}")
    return folder, done.stderr


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


def continuous(rotations):
    """Makes the signs of rotations continuous."""
    rotations = rotations.copy()
    for row in range(len(rotations)):
        before = rotations[row - 1] if row else np.array([0, 0, 0, 1.0])
        if (rotations[row] * before).sum() < 0:
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


def expected(names, path, times, frame, space):
    """Returns the states of an episode, computed from the sampled frames with NumPy."""
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
            values[:, 3:] = continuous(values[:, 3:])
        states[:, column : column + values.shape[1]] = values
        column += values.shape[1]
    return states


def check(name, *options, frame="world", space="unity", rate=30, segments=()):
    """Converts the study, checks the dataset, and compares all states with the sampler."""
    folder, messages = convert(name, *options, *segments)
    dataset = Dataset(folder)
    expect(dataset.info["fps"] == rate, dataset.info["fps"])
    episodes = iter(dataset.rows(["dataset_from_index", "dataset_to_index"]))
    parts = 0
    for path in sorted(STUDY.rglob("*.bin")):
        if str(path) in messages and "error" in messages:
            continue
        for start, end in ranges(path, *segments):
            first, last = next(episodes)
            times = np.float32(start) + np.arange(last - first) / rate
            times = times.astype(np.float32)
            expect(times[-1] <= np.float32(end) and times[-1] + 1.01 / rate > end, f"{path}: {times[-1]}, {end}")
            states = dataset.frames["observation.state"][first:last]
            wanted = expected(dataset.names, path, times, frame, space)
            difference = np.abs(states - wanted)
            worst = np.unravel_index(np.argmax(difference), difference.shape)
            allowed = 2e-6 if frame != "world" else 0
            expect(difference.max() <= allowed, f"{path}: {dataset.names[worst[1]]}, frame {worst[0]}: {states[worst]}, not {wanted[worst]}")
            parts += 1
    expect(next(episodes, None) is None and parts == dataset.info["total_episodes"], f"{name}: number of episodes")
    return dataset


def main():
    paths = study()
    dataset = check("world")
    expect(sorted(dataset.tasks.index) == sorted(str(path.relative_to(STUDY).with_suffix("")) for path in paths), "tasks")
    check("head", "--frame", "head", "--space", "openxr", "--rate", "10", frame="head", space="openxr", rate=10)
    check("wrist", "--frame", "wrist", "--joints", "right.*Tip,right.Wrist", frame="wrist")
    tasks = check("tasks", "--task-pattern", "{task}_{*}.bin", "--joints", "hands").tasks
    expect(set(tasks.index) <= {"task-0", "task-1"}, tasks)
    # All samples have markers, and other recordings may have none.
    samples = {path.name for path in (ROOT / "samples").glob("*.bin")}
    if {path.name for path in recordings()} <= samples:
        dataset = check("segments", segments=("--segments", "markers"))
        expect(dataset.info["total_episodes"] > len(paths), "segments")

    first, again = OUT / "world", OUT / "again"
    convert("again", "--jobs", "1")
    files = [path.relative_to(first) for path in first.rglob("*") if path.is_file()]
    expect(all((first / file).read_bytes() == (again / file).read_bytes() for file in files), "two runs differ")


main()
