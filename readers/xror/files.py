"""Makes XROR files as the library of the format does (MetaGuard/xror): BSON by PyMongo, arrays by fpzip.

    python files.py

writes the inputs of the tests of the library to crates/inputanim-convert/tests/golden.
"""

import datetime
import math
import struct
from pathlib import Path

import bson
import fpzip
import numpy as np

SCHEMA = "https://metaguard.github.io/xror/schema/v1.0.0/schema.json"
POSE = ["x", "y", "z", "i", "j", "k", "1"]
DEVICES = [
    {"name": "Oculus Quest 2", "type": "HMD", "joint": "HEAD", "axes": POSE},
    {"name": "Touch Left", "type": "CONTROLLER", "joint": "HAND_LEFT", "axes": POSE},
    {"name": "Touch Right", "type": "CONTROLLER", "joint": "HAND_RIGHT", "axes": POSE},
]


def compressed(rows):
    return bson.binary.Binary(fpzip.compress(np.array(rows, np.float32)))


def padded(rows):
    """Compresses an array that fpzip cannot make smaller, as the library does: with rows of -1, in 64 bits."""
    rows = np.array(rows, np.float32)
    padding = np.full(rows.shape, -1)
    return bson.binary.Binary(fpzip.compress(np.vstack([rows, padding, padding])))


def event(identifier, name, attributes, rows, others=None, compress=compressed):
    """Makes a type of events, with its occurrences."""
    made = {"id": identifier, "name": name, "attr": attributes}
    if len(rows):
        made["floatData"] = compress(rows)
    if others is not None:
        made["otherData"] = others
    return made


def document(frames, events, devices=DEVICES, compress=compressed):
    return bson.encode(
        {
            "$schema": SCHEMA,
            "info": {
                "timestamp": datetime.datetime(2023, 9, 1, 12, 30, tzinfo=datetime.timezone.utc),
                "hardware": {"devices": devices},
                "software": {"app": {"id": "620980", "name": "Beat Saber"}, "runtime": "oculus"},
                "user": {"id": "user"},
            },
            "frames": compress(frames),
            "events": events,
        }
    )


def unpacked(data):
    """Returns the frames, and the events as times with names, as the library of the format reads them."""
    data = bson.decode(data)
    frames = fpzip.decompress(data["frames"])[0][0]
    events = []
    for event in data["events"]:
        if "floatData" in event:
            times = fpzip.decompress(event["floatData"])[0][0][:, 0]
            events += [(float(time), event["name"]) for time in times if time != -1]
    return frames, events


def motion(count, rate=90):
    """Returns frames of a head and two controllers that move, in Unity's axes."""
    frames = []
    for step in range(count):
        time = step / rate
        row = [0.5 + time]
        for x, y, speed in ((0, 1.6, 0.3), (-0.3, 1.1, 2), (0.3, 1.2, 3)):
            angle = speed * time
            row += [x + 0.1 * math.sin(angle), y + 0.05 * math.cos(angle), 0.2 * math.sin(angle / 2)]
            row += [0, math.sin(angle / 2), 0, math.cos(angle / 2)]
        frames.append(row)
    return frames


def small():
    """Returns a file of 12 frames in which the right controller is unknown for a while, with events."""
    frames = motion(12)
    for row in frames[4:7]:
        row[15:] = [math.nan] * 7
    events = [
        event("m", "Miss", ["spawnTime", "noteID"], [[0.52, 0.1], [0.58, 0.2]], [[1023], [2001]]),
        event("p", "Pause", ["duration"], [[0.55]], [[12]]),
        event("b", "Bomb Cut", ["spawnTime", "noteID"], []),
    ]
    return document(frames, events)


def arrays():
    """Yields small arrays of all types and precisions."""
    random = np.random.default_rng(7)
    walk = np.cumsum(random.normal(0, 0.01, (13, 5)), axis=0)
    bits = random.integers(0, 2**32, (6, 4), dtype=np.uint32).view(np.float32)
    special = walk[:12].astype(np.float32)
    special[2, 1], special[5, 2], special[7, 0], special[8, 3] = math.nan, math.inf, -math.inf, -0.0
    special.view(np.uint32)[9, 2] = 0xFFC12345
    # A constant part makes the array smaller, because fpzip writes beyond its memory if an array becomes larger.
    constant = np.full((30, 4), -1, np.float32)
    yield walk.astype(np.float32), 0
    yield walk, 0
    yield special, 0
    yield special.astype(np.float64), 0
    yield np.vstack([bits, constant]), 0
    yield np.zeros((3, 22), np.float32), 0
    yield np.full((1, 1), 1.5, np.float32), 0
    yield (walk[:, 0] * 1e-39).astype(np.float32), 0
    for precision in (2, 8, 9, 16, 24):
        yield walk.astype(np.float32), precision
        yield walk, 2 * precision


def golden_arrays():
    """Returns arrays: the size of the compressed array, the compressed array, and the decompressed numbers as doubles
    after their count. Integers have 32 bits, little-endian."""
    data = b""
    for array, precision in arrays():
        packed = fpzip.compress(array, precision=precision)
        numbers = fpzip.decompress(packed).reshape(-1)
        numbers = numbers.astype("<f8")
        data += struct.pack("<I", len(packed)) + packed + struct.pack("<I", numbers.size) + numbers.tobytes()
    return data


if __name__ == "__main__":
    folder = Path(__file__).resolve().parents[2] / "crates/inputanim-convert/tests/golden"
    (folder / "small.xror").write_bytes(small())
    (folder / "arrays.fpzip").write_bytes(golden_arrays())
