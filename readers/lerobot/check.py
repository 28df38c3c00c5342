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


def place(dataset, name):
    """Returns the columns of the numbers whose names begin with `name`."""
    return [index for index, other in enumerate(dataset.names) if other == name or other.startswith(f"{name}.")]


def columns_of_matrices(rotations):
    """Returns the first two columns of the rotation matrices of quaternions."""
    x, y, z, w = rotations.astype(np.float64).T
    first = [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)]
    second = [2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)]
    return np.stack([*first, *second], axis=1)


def later(values):
    """Returns the row of the next frame for each frame, and the last row once more."""
    return np.vstack([values[1:], values[-1:]])


def movement(base):
    """Returns the next pose of a base, relative to its pose in the frame."""
    base = base.astype(np.float64)
    base[:, 3:] /= np.linalg.norm(base[:, 3:], axis=1, keepdims=True)
    following = later(base)
    position = turn(base[:, 3:], following[:, :3] - base[:, :3], back=True)
    return np.hstack([position, product(base[:, 3:] * [-1, -1, -1, 1], following[:, 3:])])


def actions(plain, form, world, base, stem, rows):
    """Returns the poses or rays of a form of actions for the frames `rows` from the states of datasets with plain forms."""
    states = plain.frames["observation.state"][rows][:, place(plain, stem)].astype(np.float64)
    following = later(states)
    if form == "delta":
        if stem == "gaze":
            return following - states
        turned = product(states[:, 3:] * [-1, -1, -1, 1], following[:, 3:])
        return np.hstack([following[:, :3] - states[:, :3], turned])
    if base is None:
        return following
    moved = movement(world.frames["observation.state"][rows][:, place(world, base)])
    if stem == base:
        return moved
    if stem == "gaze":
        origin = moved[:, :3] + turn(moved[:, 3:], following[:, :3])
        return np.hstack([origin, turn(moved[:, 3:], following[:, 3:])])
    position = moved[:, :3] + turn(moved[:, 3:], following[:, :3])
    return np.hstack([position, product(moved[:, 3:], following[:, 3:])])


def close(found, wanted, what):
    allowed = 4e-6 * np.maximum(1, np.abs(wanted).max(initial=0))
    difference = np.abs(found - wanted).max(initial=0)
    expect(difference <= allowed, f"{what}: differs by {difference}")


def same_rotations(found, wanted, what):
    """Compares quaternions of either sign."""
    cosine = (found.astype(np.float64) * wanted).sum(axis=1, keepdims=True)
    close(found, wanted * np.sign(cosine), what)


def check_forms(frame, rotation, form, scale, joints, grippers):
    """Compares a dataset in other forms with NumPy, given datasets of the same recordings with plain forms."""
    options = ["--joints", joints]
    extra = ["--action", form, "--rotations", rotation, "--mask", "joint", *(["--scale-hands"] if scale else [])]
    extra += ["--gripper", grippers] if grippers else []
    folder, _ = convert("forms", *options, "--frame", frame, *extra)
    dataset = Dataset(folder)
    plain = Dataset(convert("plain", *options, "--frame", frame)[0])
    world = Dataset(convert("plain-world", "--joints", f"{joints},head" if frame == "head" else joints, "--mask", "joint")[0])
    what = f"{frame}, {rotation}, {form}"
    starts = [dataset.rows(["dataset_from_index", "dataset_to_index"]) for dataset in (dataset, plain, world)]
    expect(starts[0] == starts[1] == starts[2], f"{what}: episodes")
    stems = dict.fromkeys(re.split(r"\.(?:position|rotation|origin|direction)\.", name)[0] for name in dataset.names)
    for episode, (start, end) in enumerate(starts[0]):
        rows = slice(start, end)
        state, action = (dataset.frames[name][rows] for name in ("observation.state", "action"))
        of_world = world.frames["observation.state"][rows]
        known = world.frames["valid"][rows] == 1
        sizes = {}
        for side, stated in zip(dataset.info["features"].get("hand_size", {}).get("names", []), dataset.frames.get("hand_size", np.zeros((1, 0)))[start:].T):
            wrist, knuckle = f"{side}.Wrist", f"{side}.MiddleKnuckle"
            both = known[:, world.parts.index(wrist)] & known[:, world.parts.index(knuckle)]
            ends = [of_world[:, place(world, joint)[:3]].astype(np.float64)[both] for joint in (wrist, knuckle)]
            sizes[side] = np.median(np.linalg.norm(ends[0] - ends[1], axis=1)) if both.any() else 1.0
            wanted = sizes[side] if both.any() else 0.0
            expect(np.abs(stated[: end - start] - wanted).max() < 1e-6, f"{what}, episode {episode}: size {stated[0]}, not {wanted}")
        for stem in stems:
            name = f"{what}, episode {episode}: {stem}"
            columns = place(dataset, stem)
            side, _, joint = stem.partition(".")
            if stem.endswith((".aperture", ".geometric_pinch")):
                tips = [f"{side}.{tip}" for tip in ("ThumbTip", "IndexTip")]
                both = known[:, world.parts.index(tips[0])] & known[:, world.parts.index(tips[1])]
                ends = [of_world[:, place(world, tip)[:3]].astype(np.float64) for tip in tips]
                distances = np.linalg.norm(ends[0] - ends[1], axis=1)
                wanted, is_closed = [], False
                for distance, is_known in zip(distances, both):
                    is_closed = is_known and (distance <= 0.03 or (is_closed and distance <= 0.04))
                    wanted.append(distance if joint == "aperture" else float(is_closed))
                found = state[:, columns[0]]
                expect(np.abs(found - wanted)[both].max(initial=0) < 1e-6, name)
                # An unknown number repeats the last known one.
                held_rows = [row for row in range(1, len(both)) if not both[row]]
                expect(all(found[row] == found[row - 1] for row in held_rows), name)
                mask = dataset.frames["valid"][rows][:, dataset.parts.index(stem)]
                expect(np.array_equal(mask == 1, both), f"{name}: validity")
                expect(np.array_equal(action[:, columns[0]], later(found[:, None])[:, 0]), f"{name}: action")
                continue
            of_plain = plain.frames["observation.state"][rows][:, place(plain, stem)].astype(np.float64)
            if stem.endswith((".tracked", ".pinching")):
                expect(np.array_equal(state[:, columns], of_plain), name)
                expect(np.array_equal(action[:, columns], later(of_plain)), f"{name}: action")
                continue
            base = {"head": "head", "wrist": f"{side}.Wrist" if joint else None}.get(frame)
            wanted = of_plain if form == "next" else actions(plain, form, world, base, stem, rows)
            wanted = later(of_plain) if form == "next" else wanted
            size = sizes.get(side, 1.0) if joint not in ("", "Wrist") else 1.0
            for found, wanted, kind in [(state, of_plain, "state"), (action, wanted, "action")]:
                wanted = wanted.copy()
                wanted[:, :3] /= size
                found = found[:, columns].astype(np.float64)
                close(found[:, :3], wanted[:, :3], f"{name}: {kind}")
                if stem == "gaze":
                    close(found[:, 3:], wanted[:, 3:], f"{name}: {kind}")
                elif rotation == "6d":
                    close(found[:, 3:], columns_of_matrices(wanted[:, 3:]), f"{name}: {kind}")
                elif rotation == "quaternion":
                    same_rotations(found[:, 3:], wanted[:, 3:], f"{name}: {kind}")
                else:
                    expect(found.shape[1] == 3, name)
    return len(starts[0])


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

    tips = "right.*Tip,right.Wrist,right.MiddleKnuckle"
    for frame, rotation, form, scale, joints, grippers in [
        ("wrist", "6d", "relative", True, tips, "aperture,geometric-pinch"),
        ("head", "quaternion", "relative", False, "right", ""),
        ("world", "6d", "delta", False, tips, "aperture"),
        ("wrist", "none", "next", False, tips, ""),
    ]:
        expect(check_forms(frame, rotation, form, scale, joints, grippers) > 0, "forms: no episodes")
    keypoints = Dataset(convert("keypoints", "--keypoints", "mediapipe", "--joints", "right", "--modality")[0])
    expect(len(keypoints.names) in (64, 65) and keypoints.names[-1] == "right.PinkyTip.position.z", keypoints.names)
    groups = json.loads((OUT / "keypoints/meta/modality.json").read_text(encoding="utf-8"))["state"]
    covered = [column for group in groups.values() for column in range(group["start"], group["end"])]
    expect(covered == list(range(len(keypoints.names))), "groups of numbers")

    first, again = OUT / "world", OUT / "again"
    convert("again", "--jobs", "1")
    files = [path.relative_to(first) for path in first.rglob("*") if path.is_file()]
    expect(all((first / file).read_bytes() == (again / file).read_bytes() for file in files), "two runs differ")
    print(f"{len(converted)} recordings in 9 datasets equal the sampler")


main()
