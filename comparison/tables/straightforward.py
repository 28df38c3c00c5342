"""Converts a folder of recordings to wide Parquet tables at 60 Hz, as a script written from the
specification in an afternoon: struct for the file, NumPy for the evaluation, pyarrow for Parquet. It
reads files of MRTK 2.6 to 2.8 only.

    python straightforward.py IN OUT [--frombuffer]

Keys are unpacked one by one, as the specification describes them. With --frombuffer, NumPy reads all keys
of a curve at once.
"""

import struct
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

RATE = 60
FINGERS = ["Index", "Middle", "Ring", "Pinky"]
JOINTS = ["None", "Wrist", "Palm", "ThumbMetacarpalJoint", "ThumbProximalJoint", "ThumbDistalJoint", "ThumbTip"]
JOINTS += [
    finger + joint
    for finger in FINGERS
    for joint in ["Metacarpal", "Knuckle", "MiddleJoint", "DistalJoint", "Tip"]
]


class Reader:
    def __init__(self, data, at_once):
        self.data, self.at, self.at_once = data, 0, at_once

    def take(self, form):
        values = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return values

    def curve(self):
        _, _, count = self.take("iii")
        if self.at_once:
            keys = np.frombuffer(self.data, "<f4", 2 * count, self.at).reshape(-1, 2)
            self.at += 8 * count
        else:
            keys = np.array([self.take("ff") for _ in range(count)], "f4").reshape(-1, 2)
        return keys[:, 0], keys[:, 1]

    def pose(self):
        return [self.curve() for _ in range(7)]


def at(curve, times):
    """Evaluates a curve of simple keys: linear interpolation, with both ends held."""
    return np.interp(times, *curve).astype("f4")


def state_at(curve, times):
    """Evaluates a boolean curve, whose values hold until the next key."""
    keys, values = curve
    index = np.searchsorted(keys, times, side="right") - 1
    return (index >= 0) & (values[np.maximum(index, 0)] > 0.5) if len(keys) else np.zeros(len(times), bool)


def columns_of_pose(columns, name, pose, times, unknown):
    if not any(len(keys) for keys, _ in pose):
        return
    position = [at(curve, times) if len(curve[0]) else np.zeros(len(times), "f4") for curve in pose[:3]]
    rotation = [at(curve, times) if len(curve[0]) else np.zeros(len(times), "f4") for curve in pose[3:]]
    length = np.sqrt(sum(part.astype("f8") ** 2 for part in rotation))
    rotation = [(part / length).astype("f4") for part in rotation]
    for axis, part in zip("xyz", position):
        columns[f"{name}.position.{axis}"] = pa.array(part, mask=unknown)
    for axis, part in zip("xyzw", rotation):
        columns[f"{name}.rotation.{axis}"] = pa.array(part, mask=unknown)


def convert(source, target, at_once):
    reader = Reader(source.read_bytes(), at_once)
    magic, major, minor = reader.take("qii")
    if (magic, major, minor) != (0x6A8FAF6E0F9E42C6, 1, 1):
        raise ValueError(f"{source}: not a file of version 1.1")
    has_head, has_hands, has_gaze = reader.take("???")
    curves = []
    head = reader.pose() if has_head else []
    curves += head
    hands = {}
    if has_hands:
        states = [reader.curve() for _ in range(4)]
        curves += states
        for side, tracked, pinching in zip(["left", "right"], states[:2], states[2:]):
            joints = [reader.pose() for _ in JOINTS]
            curves += [curve for pose in joints for curve in pose]
            hands[side] = (tracked, pinching, joints)
    gaze = [reader.curve() for _ in range(6)] if has_gaze else []
    curves += gaze
    duration = max((keys[-1] for keys, _ in curves if len(keys)), default=0)
    # Key times are 32-bit floats. Times in double precision would fall on the other side of some of them.
    times = (np.arange(int(np.floor(duration * RATE)) + 1) / RATE).astype("f4")

    columns = {"time_s": pa.array(times)}
    columns_of_pose(columns, "head", head, times, None)
    for side, (tracked, pinching, joints) in hands.items():
        is_tracked = state_at(tracked, times)
        columns[f"{side}.tracked"] = pa.array(is_tracked)
        columns[f"{side}.pinching"] = pa.array(state_at(pinching, times))
        for joint, pose in zip(JOINTS, joints):
            columns_of_pose(columns, f"{side}.{joint}", pose, times, ~is_tracked)
    for name, curve in zip([f"{part}.{axis}" for part in ["origin", "direction"] for axis in "xyz"], gaze):
        columns[f"gaze.{name}"] = pa.array(at(curve, times))
    target.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), target, compression="zstd")


if __name__ == "__main__":
    inputs, outputs = map(Path, sys.argv[1:3])
    for recording in sorted(inputs.rglob("*.bin")):
        relative = recording.relative_to(inputs).with_suffix(".parquet")
        convert(recording, outputs / relative, "--frombuffer" in sys.argv)
