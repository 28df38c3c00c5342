"""Makes XROR files from recordings and from random numbers with the software of the format, and compares the program's
recordings with the numbers that this software reads from the files."""

import json
import math
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))
from files import DEVICES, document, event, motion, padded, small, unpacked
from inputanim import OUT, frames, recordings, run

HEAD = slice(1, 8)
CONTROLLERS = {"left": slice(8, 15), "right": slice(15, 22)}
CHANNELS = [f"position.{axis}" for axis in "xyz"] + [f"rotation.{axis}" for axis in "xyzw"]


def expect(holds, what):
    if not holds:
        raise AssertionError(what)


def converted(name, data, *options):
    """Writes a file and returns the recording that the program makes of it."""
    # Files of MRTK have no controllers.
    file, recording = OUT / f"{name}.xror", OUT / f"{name}.json"
    file.write_bytes(data)
    run("convert", "--force", file, recording, *options)
    return recording


def numbers(pose):
    return pose["position"] + pose["rotation"]


def rows_of(recording):
    """Returns rows of the format from the samples of a recording, NaN for unknown poses."""
    for frame in frames(recording, "--rate", "90"):
        poses = [frame.get("head")]
        for side in ("left", "right"):
            hand = frame.get(side, {})
            poses.append(hand["joints"].get("Palm") if hand.get("tracked") else None)
        row = [frame["time"] + 0.25]
        for pose in poses:
            row += numbers(pose) if pose else [math.nan] * 7
        yield row


def is_known(numbers):
    return np.isfinite(numbers).all() and numbers[3:].any()


def compare(name, data, *options, flip=lambda pose: pose):
    """Compares the recording of a file with its rows, and returns the number of frames."""
    recording = converted(name, data, *options)
    rows, events = unpacked(data)
    rows = rows[(rows != -1).any(axis=1)]
    # Times count from the first frame, as 32-bit floats.
    times = (rows[:, 0].astype("f8") - float(rows[0, 0])).astype("f4")
    later = np.concatenate([[True], times[1:] > np.maximum.accumulate(times)[:-1]])
    rows, times = rows[later], times[later]
    found = []
    for first in range(0, len(times), 1000):
        at = ",".join(repr(float(time)) for time in times[first : first + 1000])
        found += frames(recording, "--at", at)
    expect(len(found) == len(rows), f"{name}: {len(found)} frames, not {len(rows)}")
    for index, (row, frame) in enumerate(zip(rows, found)):
        what, expected = f"{name}, frame {index}: head", row[HEAD]
        if not is_known(expected):
            continue
        ours, expected = np.array(numbers(frame["head"]), "f4"), flip(expected)
        expect((ours[:3] == expected[:3]).all(), f"{what} is at {ours[:3]}, not {expected[:3]}")
        # The sampler normalizes rotations, and q and -q are the same rotation.
        rotation = expected[3:].astype("f8")
        rotation /= np.linalg.norm(rotation)
        apart = min(np.abs(sign * ours[3:] - rotation).max() for sign in (1, -1))
        expect(apart < 1e-6, f"{what} has the rotation {ours[3:]}, not {rotation}")
    curves = {curve["curve"]: curve["keys"] for curve in json.loads(recording.read_text())["curves"]}
    for side, columns in CONTROLLERS.items():
        known = [index for index, row in enumerate(rows) if is_known(row[columns])]
        keys = [curves.get(f"{side}.controller.grip.{channel}", []) for channel in CHANNELS]
        what = f"{name}: {side} controller"
        for channel in keys:
            expect([np.float32(time) for time, _ in channel] == [times[index] for index in known], f"{what} at other times")
        for place, index in enumerate(known):
            ours = np.array([channel[place][1] for channel in keys], "f4")
            expected = flip(rows[index][columns]).astype("f4")
            expect((ours[:3] == expected[:3]).all(), f"{what} is at {ours[:3]}, not {expected[:3]}")
            # q and -q are the same rotation.
            same = (ours[3:] == expected[3:]).all() or (ours[3:] == -expected[3:]).all()
            expect(same, f"{what} has the rotation {ours[3:]}, not {expected[3:]}")
    listed = json.loads(run("markers", "list", recording, "--format", "json"))
    start = float(unpacked(data)[0][0, 0])
    expected = sorted(((np.float32(time - start), name) for time, name in events), key=lambda event: event[0])
    ours = [(np.float32(marker["time"]), marker["name"]) for marker in listed]
    expect(ours == expected, f"{name}: the markers {ours} are not {expected}")
    return len(rows)


def random_rows(random, count):
    """Returns rows with numbers of all sizes, late frames, and unknown poses."""
    rows = random.normal(0, 1, (count, 22)) * 10.0 ** random.integers(-6, 6, (count, 22))
    rows[:, 0] = np.cumsum(random.random(count)) * 0.02 - 3
    rows[random.random(count) < 0.05, 0] -= 0.05
    rows[random.random(count) < 0.1, 8:15] = math.nan
    rows[random.random(count) < 0.1, 18:22] = 0
    # The library cannot compress random numbers, so that half of each array is smooth.
    return np.vstack([rows, np.array(motion(count)) + [rows[-1, 0] + 1, *[0] * 21]])


def main():
    compared = 0
    for recording in recordings():
        rows = list(rows_of(recording))
        time = rows[len(rows) // 2][0]
        events = [event("gc", "Good Cut", ["spawnTime"], [[time, 0.5], [time + 0.1, 0.5]], [[1], [2]])]
        compared += compare(recording.stem, document(rows, events))
    random = np.random.default_rng(1)
    for index in range(20):
        count = int(random.integers(20, 200))
        times = np.sort(random.random((int(random.integers(1, 50)), 3)), axis=0)
        events = [event("m", "Miss", ["a", "b"], times), event("p", "Pause", ["duration"], times[:1, :1])]
        compared += compare(f"random-{index}", document(random_rows(random, count), events))
    compared += compare("small", small())
    compared += compare("padded", document(motion(9), [], compress=padded))
    flipped = np.array([1, 1, -1, -1, -1, 1, 1], "f4")
    compared += compare("openxr", small(), "--space", "openxr", flip=lambda pose: pose * flipped)
    # The joint of the head is optional, and devices may be in any order.
    devices = [dict(DEVICES[0]), *DEVICES[1:]]
    del devices[0]["joint"]
    compared += compare("without-joint", document(motion(30), [], devices))
    print(f"{compared} frames of {len(recordings()) + 24} files equal the frames that fpzip and BSON give")


main()
