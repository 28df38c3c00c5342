"""Reads XROR files to poses in Python, as the library of the format does: PyMongo for BSON, fpzip for arrays, NumPy for
the poses. Compares the processor time with the program, which converts the same files to recordings.

    python xror.py FOLDER [--files N]

makes N files (100 by default) of two minutes at 90 Hz in FOLDER, and reads the program from INPUTANIM_PROGRAM. Both
run on one core. The start of Python and the imports do not count; the start of the program, and the recordings that it
writes, do.
"""

import argparse
import datetime
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import bson
import fpzip
import numpy as np

AXES = ["x", "y", "z", "i", "j", "k", "1"]
DEVICES = [("HMD", "HEAD"), ("CONTROLLER", "HAND_LEFT"), ("CONTROLLER", "HAND_RIGHT")]


def compressed(rows):
    return bson.binary.Binary(fpzip.compress(rows.astype("f4")))


def made(random, frames=10_800):
    """Returns a file like those of BOXRR-23: three devices that wander, and a thousand events."""
    columns = [(np.arange(frames) / 90 + random.normal(0, 1e-4, frames))[:, None]]
    for height in (1.6, 1.1, 1.1):
        columns.append(np.cumsum(random.normal(0, 0.002, (frames, 3)), axis=0) + [0, height, 0])
        rotations = np.cumsum(random.normal(0, 0.01, (frames, 4)), axis=0) + [0, 0, 0, 3]
        columns.append(rotations / np.linalg.norm(rotations, axis=1)[:, None])
    events = np.sort(random.normal(60, 20, (1000, 16)), axis=0)
    devices = [{"type": kind, "joint": joint, "axes": AXES} for kind, joint in DEVICES]
    info = {"timestamp": datetime.datetime(2023, 9, 1), "hardware": {"devices": devices}}
    cuts = {"id": "gc", "name": "Good Cut", "attr": ["spawnTime"] * 15, "floatData": compressed(events)}
    return bson.encode({"$schema": "", "info": info, "frames": compressed(np.hstack(columns)), "events": [cuts]})


def unpacked(data):
    """Returns the document as the library of the format does, with lists of numbers."""
    data = bson.decode(data)
    data["frames"] = fpzip.decompress(data["frames"])[0][0].tolist()
    for event in data["events"]:
        if "floatData" in event:
            event["floatData"] = fpzip.decompress(event["floatData"])[0][0].tolist()
    return data


def poses(data, as_lists):
    """Returns the times of frames, the poses of each device, and the times of events."""
    if as_lists:
        data = unpacked(data)
        frames = np.array(data["frames"])
        events = {event["id"]: np.array(event["floatData"])[:, 0] for event in data["events"]}
    else:
        data = bson.decode(data)
        frames = fpzip.decompress(data["frames"])[0][0]
        events = {event["id"]: fpzip.decompress(event["floatData"])[0][0][:, 0] for event in data["events"]}
    times, found, first = frames[:, 0] - frames[0, 0], {}, 1
    for device in data["info"]["hardware"]["devices"]:
        axes = device["axes"]
        order = [first + axes.index(axis) for axis in AXES]
        found[device["joint"]] = frames[:, order[:3]], frames[:, order[3:]]
        first += len(axes)
    return times, found, events


def python(files, as_lists):
    start = time.process_time()
    for file in files:
        poses(file.read_bytes(), as_lists)
    return time.process_time() - start


def program(files, folder):
    output = folder / "recordings"
    output.mkdir(exist_ok=True)
    command = [os.environ["INPUTANIM_PROGRAM"], "convert", "--force", "--to", "bin", "-o", str(output), *map(str, files)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "RAYON_NUM_THREADS": "1"})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--files", type=int, default=100)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(1)
    files = [arguments.folder / f"{index:04}.xror" for index in range(arguments.files)]
    for file in files:
        file.write_bytes(made(random))
    ours = program(files, arguments.folder)
    print(f"the program: {1e3 * ours / len(files):.2f} ms per file")
    for what, as_lists in (("the library of the format, then NumPy", True), ("fpzip and NumPy, without lists", False)):
        theirs = python(files, as_lists)
        print(f"{what}: {1e3 * theirs / len(files):.2f} ms per file, {theirs / ours:.1f} times as long")


main()
