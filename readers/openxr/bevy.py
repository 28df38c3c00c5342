"""Compares the frames that an application with Bevy got with the recording that was played.

    bevy.py PROGRAM RECORDING FRAMES

FRAMES is the output of the application: a line of JSON for each frame (see bevy/src/main.rs). Every pose must have the bits of
the recording, apart from the sign of the rotation.
"""

import csv
import io
import json
import struct
import subprocess
import sys
from pathlib import Path

PROGRAM, RECORDING, FRAMES = sys.argv[1:]

# In the order of OpenXR.
JOINTS = ["Palm", "Wrist"]
JOINTS += [f"Thumb{joint}" for joint in ["MetacarpalJoint", "ProximalJoint", "DistalJoint", "Tip"]]
JOINTS += [
    f"{finger}{joint}"
    for finger in ["Index", "Middle", "Ring", "Pinky"]
    for joint in ["Metacarpal", "Knuckle", "MiddleJoint", "DistalJoint", "Tip"]
]


def sampled(times):
    """Returns the values of the recording at times in nanoseconds: a list of dictionaries of columns."""
    options = ["--space", "openxr", "--format", "csv", "--clamp", "--at"]
    seconds = ",".join(f"{time / 1e9:.9f}" for time in times)
    command = [PROGRAM, "sample", RECORDING, *options, seconds]
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return list(csv.DictReader(io.StringIO(text)))


def bits(numbers):
    """Returns the bits of numbers with 32 bits."""
    return struct.pack(f"{len(numbers)}f", *numbers)


def compare(found, row, name):
    """Fails unless a pose has the bits of a recorded stream."""
    texts = [row[f"{name}.position.{axis}"] for axis in "xyz"] + [row[f"{name}.rotation.{axis}"] for axis in "xyzw"]
    assert found and "" not in texts, f"{name} at {row['time_s']} s: found {found}, recorded {texts}"
    expected = [float(text) for text in texts]
    opposite = expected[:3] + [-number for number in expected[3:]]
    message = f"{name} at {row['time_s']} s: found {found}, expected {expected}"
    assert bits(found) in (bits(expected), bits(opposite)), message


frames = [json.loads(line) for line in Path(FRAMES).read_text().splitlines() if line.startswith("{")]
assert len(frames) > 10, f"{len(frames)} frames"
# Playback begins with the first frame of a session that has the input.
rows = sampled([frame["time"] - frames[0]["time"] for frame in frames])
assert len(rows) == len(frames), f"{len(frames)} frames, {len(rows)} samples"
joints, pinches = 0, 0
for frame, row in zip(frames, rows):
    compare(frame["head"], row, "head")
    for side in ["left", "right"]:
        found, pinch = frame[side], frame[f"{side}_pinch"]
        is_tracked = row[f"{side}.tracked"] == "1"
        assert (found is not None) == is_tracked, f"{side} hand at {row['time_s']} s: tracked in one of both"
        is_pinching = is_tracked and row[f"{side}.pinching"] == "1"
        assert bool(pinch) == is_pinching, f"{side} pinch at {row['time_s']} s: found {pinch}, expected {is_pinching}"
        pinches += is_pinching
        if is_tracked:
            assert len(found) == len(JOINTS), f"{len(found)} joints"
            for name, pose in zip(JOINTS, found):
                compare(pose, row, f"{side}.{name}")
            joints += len(JOINTS)
print(f"{Path(RECORDING).name}: {len(frames)} poses of the head, {joints} poses of joints and {pinches} pinches are equal")
