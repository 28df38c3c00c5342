"""Shared code of the checks of MCAP: sampled values at the times of a file, in its axes."""

import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
from inputanim import frames


def expect(holds, what):
    if not holds:
        raise AssertionError(what)


def f32(number):
    """Returns the nearest 32-bit float."""
    return struct.unpack("<f", struct.pack("<f", number))[0]


def near(a, b, tolerance):
    return all(abs(x - y) <= tolerance * max(1, abs(y)) for x, y in zip(a, b, strict=True))


def finite(numbers):
    return all(abs(number) < float("inf") for number in numbers)


def playing(recording, nanoseconds):
    """Returns the sampled frames at these times, in the axes of the file."""
    times = [f32(time / 1e9) for time in nanoseconds]
    for first in range(0, len(times), 2000):
        at = ",".join(map(repr, times[first : first + 2000]))
        yield from frames(recording, "--at", at, "--space", "blender")


def joints(frame, side):
    """Returns the joints of a hand by name, without the unused joint None."""
    poses = frame.get(side, {}).get("joints", {})
    return {name: pose for name, pose in poses.items() if name != "None"}


def places(frame, side):
    """Returns the positions, sorted, as 32-bit floats."""
    found = [pose["position"] for pose in joints(frame, side).values() if finite(pose["position"])]
    return sorted(tuple(map(f32, place)) for place in found)
