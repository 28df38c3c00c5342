"""Computes the measures and events of `inputanim stats` and `inputanim events` from their definitions in
docs/analysis.md, and compares them with the output of the program.

    python definitions.py PROGRAM FILE...

The script reads recordings of the layouts mrtk-1.0 and mrtk-1.1 by docs/format.md, and evaluates their curves by
docs/evaluation.md. It uses no results of the program. For each recording, it compares the complete recording at
60 Hz and 90 Hz, and segments at 60 Hz: of 0.5 s, of 0.337 s, and with other limits. Three targets lie where the gaze
or a pinch meets them. The script also makes recordings of its own: generated ones, one whose states begin before
t = 0, one with a pause, one with a frozen gaze, and one with noise, a turning head and a hand that is lost during a
pinch.

A value agrees if it differs by at most 0.1 % or 10⁻⁶ (10⁻⁴ for angles of the head and areas in square degrees).
Counts are exact, and a value must be missing in both or in none. The script prints one line for each kind of value.
It fails if values differ, and lists up to 20 differences of each kind.
"""

import csv
import functools
import json
import math
import re
import struct
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
from scipy.signal import find_peaks
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

RELATIVE, ABSOLUTE = 1e-3, 1e-6
# Rotations and directions have single precision, so the angle between two of them is uncertain by about 10⁻⁵ °,
# and the area (BCEA) of directions on one line by this angle times their extent.
ABSOLUTE_ANGLE = 1e-4

SIDES = ["left", "right"]
FINGERS = {
    "Thumb": ["ThumbMetacarpalJoint", "ThumbProximalJoint", "ThumbDistalJoint", "ThumbTip"],
    **{
        finger: [finger + part for part in ["Metacarpal", "Knuckle", "MiddleJoint", "DistalJoint", "Tip"]]
        for finger in ["Index", "Middle", "Ring", "Pinky"]
    },
}
JOINTS = ["None", "Wrist", "Palm"] + [joint for chain in FINGERS.values() for joint in chain]
PARENTS = {"Palm": "Wrist"} | {
    joint: parent for chain in FINGERS.values() for parent, joint in zip(["Wrist"] + chain, chain)
}
MEASURED = ["Palm", "IndexTip"]
POSE = [f"position.{axis}" for axis in "xyz"] + [f"rotation.{axis}" for axis in "xyzw"]
RAY = [f"origin.{axis}" for axis in "xyz"] + [f"direction.{axis}" for axis in "xyz"]
STATES = ["left.tracked", "right.tracked", "left.pinching", "right.pinching"]


# Recordings: docs/format.md


class Recording:
    """The curves of a recording: name -> times and values of the keys, in single precision."""

    def __init__(self, path):
        data = self.data = Path(path).read_bytes()
        self.version = struct.unpack_from("<ii", data, 8)[1]
        flags, self.at = ((1, 1, 0), 16) if self.version == 0 else (data[16:19], 19)
        self.curves = {}
        self.known_instants = {}
        full = self.version == 0  # mrtk-1.0 has full keys and mrtk-1.1 simple keys.
        poses = [f"head.{part}" for part in POSE] if flags[0] else []
        states = STATES if flags[1] else []
        hands = [f"{side}.{joint}.{part}" for side in SIDES for joint in JOINTS for part in POSE] if flags[1] else []
        rays = [f"gaze.{part}" for part in RAY] if flags[2] else []
        for name in poses + states + hands + rays:
            fields = 7 if full and name not in STATES else 2
            count = struct.unpack_from("<i", data, self.at + 8)[0]
            keys = np.frombuffer(data, "<f4", fields * count, self.at + 12).reshape(-1, fields)
            self.curves[name] = keys[:, 0], keys[:, 1]
            self.at += 12 + 4 * fields * count
        self.markers = []
        for _ in range(self.number("<i")):
            time, length = self.number("<f"), 0
            for shift in range(0, 35, 7):
                byte = self.number("<B")
                length |= (byte & 127) << shift
                if byte < 128:
                    break
            self.markers.append((time, data[self.at : self.at + length].decode()))
            self.at += length
        times = np.concatenate([times for times, _ in self.curves.values()])
        self.end = float(times.max())
        self.start = float(times.min())

    def number(self, kind):
        """Reads the next number."""
        value = struct.unpack_from(kind, self.data, self.at)[0]
        self.at += struct.calcsize(kind)
        return value

    def keys(self, name):
        return self.curves.get(name, (np.zeros(0, "f4"), np.zeros(0, "f4")))

    def value(self, name, times):
        """Evaluates a float curve whose segments are linear, in single precision."""
        t, v = self.keys(name)
        if len(t) == 0:
            return np.zeros(len(times), "f4")
        if len(t) == 1:
            return np.full(len(times), v[0])
        times = np.clip(times.astype("f4"), t[0], t[-1])
        right = np.clip(np.searchsorted(t, times, "right"), 1, len(t) - 1)
        left = right - 1
        x = (times - t[left]) / (t[right] - t[left])
        return np.where(x == 0, v[left], v[left] + (v[right] - v[left]) * x)

    def vectors(self, name, parts, times):
        return np.stack([self.value(f"{name}.{part}", times) for part in parts], axis=1).astype(float)

    def on(self, name, times):
        """Evaluates a state: it holds until the next key."""
        t, v = self.keys(name)
        if len(t) == 0:
            return np.zeros(len(times), bool)
        index = np.clip(np.searchsorted(t, times.astype("f4"), "right") - 1, 0, None)
        return v[index] > 0.5

    def ranges(self, name):
        """Returns the time ranges in which a state is on. The value before the first key is its value."""
        t, v = self.keys(name)
        found, begin = [], None
        for index, (time, value) in enumerate(zip(t.tolist(), v.tolist())):
            if value > 0.5 and begin is None:
                begin = self.start if index == 0 else time
            elif value <= 0.5 and begin is not None:
                found.append((begin, time))
                begin = None
        if begin is not None:
            found.append((begin, self.end))
        return found

    def instants(self, names):
        """Returns the times at which any of the curves has a key."""
        names = tuple(names)
        if names not in self.known_instants:
            times = np.concatenate([self.keys(name)[0] for name in names] or [[]])
            self.known_instants[names] = np.unique(times.astype(float))
        return self.known_instants[names]

    def stream(self, stream):
        if stream == "head":
            return [f"head.{part}" for part in POSE]
        if stream == "gaze":
            return [f"gaze.{part}" for part in RAY]
        return [f"{stream}.{joint}.{part}" for joint in JOINTS for part in POSE]


def write(recording, path):
    """Writes a recording as mrtk-1.0 or mrtk-1.1."""
    full = recording.version == 0
    out = bytearray(struct.pack("<qii", 0x6A8FAF6E0F9E42C6, 1, recording.version))
    names = recording.stream("head") + STATES + recording.stream("left") + recording.stream("right")
    if not full:
        out += bytes([1, 1, 1])
        names += recording.stream("gaze")
    for name in names:
        times, values = recording.keys(name)
        out += struct.pack("<iii", 8, 8, len(times))
        for time, value in zip(times, values):
            out += struct.pack("<ff", time, value)
            if full and name not in STATES:
                out += struct.pack("<ffffi", 0, 0, 0, 0, 3)
    out += struct.pack("<i", 0)
    Path(path).write_bytes(out)


# Samples and derivatives


def runs(known):
    """Returns the first index and the index after the last one of each run of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], np.asarray(known).astype(int), [0]])))
    return edges.reshape(-1, 2)


def norm(vectors):
    return np.linalg.norm(vectors, axis=-1)


def unit(vectors):
    with np.errstate(invalid="ignore", divide="ignore"):
        return vectors / norm(vectors)[..., None]


def angle(a, b):
    """Returns the angle between directions in degrees, exact for small angles too."""
    return np.degrees(np.arctan2(norm(np.cross(a, b)), np.sum(a * b, axis=-1)))


def rotate(q, v):
    xyz, w = q[..., :3], q[..., 3:]
    cross = np.cross(xyz, np.broadcast_to(v, xyz.shape))
    return v + 2 * (w * cross + np.cross(xyz, cross))


def filter_weights(rate, window=0.1833, order=3):
    """Returns the half width of the filter in samples, and the weight of each sample."""
    n = window * rate
    if abs(n - round(n)) <= 0.005:
        n = round(n)
    n = max(n, order + 2)
    half = math.ceil((n + 1) / 2) - 1
    weights = np.ones(2 * half + 1)
    weights[0] = weights[-1] = min(1, (n + 1) / 2 - half)
    return half, weights


def derivatives(positions, rate, order=3):
    """Returns the magnitudes of speed, acceleration and jerk by weighted polynomials."""
    half, weights = filter_weights(rate)
    offsets = np.arange(-half, half + 1)
    powers = offsets[:, None] ** np.arange(order + 1)
    # The coefficients of the polynomial that fits a window by weighted least squares.
    solve = np.linalg.pinv(np.sqrt(weights)[:, None] * powers) * np.sqrt(weights)
    found = np.full((3, len(positions)), np.nan)
    for start, end in runs(np.isfinite(positions).all(axis=1)):
        if end - start < 2 * half + 1:
            continue
        for index in range(start, end):
            centre = min(max(index, start + half), end - 1 - half)
            part = solve @ positions[centre - half : centre + half + 1]
            u = index - centre
            for k in (1, 2, 3):
                value = sum(math.perm(p, k) * u ** (p - k) * part[p] for p in range(k, order + 1))
                found[k - 1, index] = norm(value) * rate**k
    return found


def angular_speed(between, known, rate):
    """Returns the angle from the sample before to the sample after, per second."""
    found = np.full(len(known), np.nan)
    for start, end in runs(known):
        if end - start < 2:
            continue
        index = np.arange(start, end)
        before, after = np.maximum(index - 1, start), np.minimum(index + 1, end - 1)
        found[index] = between(before, after) / (after - before) * rate
    return found


class Samples:
    """All channels of a recording, sampled at a rate."""

    def __init__(self, recording, rate):
        self.recording, self.rate = recording, rate
        length = recording.end - recording.start
        count = math.floor(length * rate + 1e-3) + 1
        self.times = recording.start + np.arange(count) / rate
        self.single = self.times.astype("f4")  # Keys, states and time ranges have times in single precision.
        self.pauses = pauses(recording)
        head = self.known(recording.stream("head"))
        self.head = self.masked(recording.vectors("head", POSE[:3], self.times), head)
        rotation = recording.vectors("head", POSE[3:], self.times)
        keys = [recording.keys(f"head.rotation.{axis}") for axis in "xyzw"]
        self.rotation = self.masked(unit(rotation), head & (lost_w(recording, keys) is None))
        self.hands, self.tracked, self.pinching, self.derivatives = {}, {}, {}, {}
        for side in SIDES:
            self.tracked[side] = recording.on(f"{side}.tracked", self.times)
            self.pinching[side] = recording.on(f"{side}.pinching", self.times)
            for joint in JOINTS[1:]:
                name = f"{side}.{joint}"
                known = self.known([f"{name}.{part}" for part in POSE]) & self.tracked[side]
                self.hands[name] = self.masked(recording.vectors(name, POSE[:3], self.times), known)
            for joint in MEASURED:
                self.derivatives[f"{side}.{joint}"] = derivatives(self.hands[f"{side}.{joint}"], rate)
        self.head_derivatives = derivatives(self.head, rate)
        gaze = self.known(recording.stream("gaze"))
        direction = recording.vectors("gaze", RAY[3:], self.times)
        gaze &= norm(direction) > 0
        self.origin = self.masked(recording.vectors("gaze", RAY[:3], self.times), gaze)
        self.direction = self.masked(unit(direction), gaze)
        self.gaze = gaze
        self.frozen = self.find_frozen(direction)
        self.live = gaze & ~self.frozen
        self.velocity = angular_speed(lambda a, b: angle(self.direction[a], self.direction[b]), self.live, rate)

    def known(self, names):
        """Returns at which samples a pose was recorded: from its first to its last key, without pauses."""
        instants = self.recording.instants(names)
        if len(instants) == 0:
            return np.zeros(len(self.times), bool)
        known = (self.single >= instants[0]) & (self.single <= instants[-1])
        for start, end in self.pauses:
            known &= (self.single <= start) | (self.single >= end)
        return known

    def masked(self, values, known):
        return np.where(known[:, None], values, np.nan)

    def find_frozen(self, direction):
        """Returns which samples belong to a run of at least 0.25 s with one direction."""
        frozen = np.zeros(len(self.times), bool)
        same = (direction[1:] == direction[:-1]).all(axis=1) & self.gaze[1:] & self.gaze[:-1]
        for start, end in runs(same):
            if (end - start) / self.rate >= 0.25 - 1e-9:
                frozen[start : end + 1] = True
        return frozen


def pauses(recording):
    """Returns the pauses (L22): more than 0.1 s and four typical intervals, in which no stream has a key.

    They are known only if no sample was dropped: each curve has a key at each instant, for hands while tracked.
    """
    streams = {stream: recording.instants(recording.stream(stream)) for stream in ["head", *SIDES, "gaze"]}
    every = recording.instants([name for stream in streams for name in recording.stream(stream)])
    for stream, instants in streams.items():
        due = every[recording.on(f"{stream}.tracked", every)] if stream in SIDES else every
        for name in recording.stream(stream):
            times = recording.keys(name)[0].astype(float)
            if len(instants) and len(times) and not np.isin(due, times).all():
                return []
    intervals = np.diff(every)
    if len(intervals) < 30:
        return []
    limit = max(0.1, 4 * np.median(intervals))
    return [(a, b) for a, b in zip(every, every[1:]) if b - a > limit]


# Events


def movements(samples, name):
    """Returns the movements of a joint."""
    rate, times = samples.rate, samples.times
    speed, positions = samples.derivatives[name][0], samples.hands[name]
    found = []
    for first, after in runs(np.isfinite(speed)):
        for a, b in runs(speed[first:after] >= 0.05):
            start, end = first + a, first + b
            part = speed[start:end]
            if part.max() < 0.1 or (end - 1 - start) / rate < 0.1 - 1e-9:
                continue
            points = positions[start:end]
            amplitude, path = norm(points[-1] - points[0]), norm(np.diff(points, axis=0)).sum()
            peaks, _ = find_peaks(part, prominence=0.05 * part.max())
            sparc, ldlj = smoothness(part, rate)
            found.append(
                {
                    "start": times[start],
                    "end": times[end - 1],
                    "cut": start == first or end == after,
                    "position": points[0],
                    "duration": (end - 1 - start) / rate,
                    "amplitude": amplitude,
                    "path_length": path,
                    "straightness": amplitude / path,
                    "peak_speed": part.max(),
                    "time_to_peak": part.argmax() / rate,
                    "submovements": max(1, len(peaks)),
                    "sparc": sparc,
                    "ldlj": ldlj,
                }
            )
    return found


def smoothness(speed, rate):
    """Returns SPARC and LDLJ as the reference implementation of Balasubramanian et al. (2015) computes them."""
    size = 2 ** (math.ceil(math.log2(len(speed))) + 4)
    frequencies = np.arange(size) * rate / size
    spectrum = abs(np.fft.fft(speed, size))
    inside = frequencies <= min(10, rate / 2)
    spectrum, frequencies = (spectrum / spectrum.max())[inside], frequencies[inside]
    above = np.flatnonzero(spectrum >= 0.05)
    part = slice(above[0], above[-1] + 1)
    f, m = frequencies[part], spectrum[part]
    sparc = -np.sum(np.hypot(np.diff(f) / (f[-1] - f[0]), np.diff(m))) if len(f) > 1 else np.nan
    jerk = np.sum((np.diff(speed, 2) * rate**2) ** 2) / rate
    duration = len(speed) / rate
    return sparc, -np.log(duration**3 / speed.max() ** 2 * jerk) if jerk > 0 else np.nan


def midpoint(samples, side):
    return (samples.hands[f"{side}.ThumbTip"] + samples.hands[f"{side}.IndexTip"]) / 2


def aperture(samples, side):
    return norm(samples.hands[f"{side}.ThumbTip"] - samples.hands[f"{side}.IndexTip"])


def point_at(samples, points, time):
    """Interpolates a point between two samples. If only one of them is known, returns this one."""
    times = samples.times
    index = min(max(int(np.searchsorted(times, time, "right")) - 1, 0), len(times) - 1)
    after = min(index + 1, len(times) - 1)
    known = [np.isfinite(points[at]).all() for at in (index, after)]
    if index == after or not all(known):
        return points[after] if known[1] else points[index]
    share = (time - times[index]) / (times[after] - times[index])
    return points[index] * (1 - share) + points[after] * share


def drag(samples, points, start, end):
    """Returns the length of the path of a point, and whether the point is known from the start to the end."""
    inside = (samples.times > start) & (samples.times < end)
    path = np.concatenate([[point_at(samples, points, start)], points[inside], [point_at(samples, points, end)]])
    lengths = norm(np.diff(path, axis=0))
    length = np.nansum(lengths) if np.isfinite(lengths).any() else np.nan
    return length, np.isfinite(path[1:-1]).all()


def recorded_pinches(samples, side):
    recording, points = samples.recording, midpoint(samples, side)
    tracked = recording.ranges(f"{side}.tracked")
    found = []
    for start, end in recording.ranges(f"{side}.pinching"):
        # The onset is known if the hand is tracked before and after it, and so is the end.
        cut_start = not any(a < start < b for a, b in tracked)
        cut_end = not any(a < end < b for a, b in tracked)
        cut = cut_start or cut_end or not any(a < start and end < b for a, b in tracked)
        length, known = drag(samples, points, start, end)
        found.append(
            {
                "start": start,
                "end": end,
                "cut_start": cut_start,
                "cut_end": cut_end,
                "cut": cut,
                "position": point_at(samples, points, start),
                # The drag of a cut pinch is that of its known part.
                "drag": length if known or cut else np.nan,
            }
        )
    return found


def detector(distances):
    """Returns at which samples the geometric detector is closed, for known distances."""
    state, closed = np.zeros(len(distances), bool), False
    for index, distance in enumerate(distances):
        closed = not np.isnan(distance) and (distance <= 0.04 if closed else distance <= 0.03)
        state[index] = closed
    return state


def geometric_pinches(samples, side):
    distances, points, times = aperture(samples, side), midpoint(samples, side), samples.times
    known = np.isfinite(distances)
    found = []
    for first, after in runs(known):
        for a, b in runs(detector(distances[first:after])):
            start, last = first + a, first + b - 1
            if (last - start) / samples.rate < 0.05 - 1e-9:
                continue
            found.append(
                {
                    "start": times[start],
                    "end": times[last],
                    "cut_start": a == 0,
                    "cut_end": first + b == after,
                    "cut": a == 0 or first + b == after,
                    "position": points[start],
                    "drag": norm(np.diff(points[start : last + 1], axis=0)).sum(),
                }
            )
    return found


def largest_angle(directions):
    """Returns the largest angle of all pairs of directions."""
    a, b = np.triu_indices(len(directions))
    return angle(directions[a], directions[b]).max()


def bcea(directions):
    """Returns the area of the ellipse that contains 68.2 % of the directions, in square degrees."""
    if len(directions) < 3:
        return np.nan
    mean = unit(directions.sum(axis=0))
    across = unit(np.cross([0, 1, 0], mean))
    up = np.cross(mean, across)
    plane = np.stack([directions @ across, directions @ up])
    # The distance from the centre of the projection is the angle to the mean direction.
    plane *= angle(directions, mean) / np.maximum(norm(plane.T), 1e-300)
    return 2 * math.pi * -math.log(1 - 0.682) * math.sqrt(max(0, np.linalg.det(np.cov(plane))))


def fixation(samples, start, end):
    part = samples.direction[start:end]
    return {
        "start": samples.times[start],
        "end": samples.times[end - 1],
        "samples": (start, end),
        "duration": (end - 1 - start) / samples.rate,
        "direction": unit(part.sum(axis=0)),
        "dispersion": largest_angle(part),
        "bcea": bcea(part),
    }


def fixations_idt(samples):
    """Windows of at least 0.25 s whose largest angle is at most 1°."""
    size = math.ceil(0.25 * samples.rate - 1e-9) + 1
    found = []
    for first, after in runs(samples.live):
        directions = samples.direction[first:after]
        angles = np.stack([angle(directions, direction) for direction in directions])
        start = 0
        while start + size <= len(directions):
            end = start + size
            if angles[start:end, start:end].max() > 1:
                start += 1
                continue
            while end < len(directions) and angles[end, start:end].max() <= 1:
                end += 1
            found.append(fixation(samples, first + start, first + end))
            start = end
    return found


def fixations_ivt(samples):
    """Runs of at least 0.1 s with less than 20 °/s."""
    slow = samples.live & (samples.velocity < 20)
    return [
        fixation(samples, start, end) for start, end in runs(slow) if (end - 1 - start) / samples.rate >= 0.1 - 1e-9
    ]


def saccades(samples):
    fast = samples.live & (samples.velocity >= 30)
    found = []
    for start, end in runs(fast):
        amplitude = angle(samples.direction[start], samples.direction[end - 1])
        if amplitude >= 1:
            found.append(
                {
                    "start": samples.times[start],
                    "end": samples.times[end - 1],
                    "duration": (end - 1 - start) / samples.rate,
                    "amplitude": amplitude,
                    "peak_velocity": samples.velocity[start:end].max(),
                }
            )
    return found


# Targets


class Target:
    def __init__(self, name, shape, centre, size=None, rotation=None, times=()):
        self.name, self.shape, self.centre = name, shape, np.array(centre, float)
        self.size, self.rotation, self.times = size, rotation, times

    def exists(self, time):
        return not self.times or any(np.float32(a) <= np.float32(time) <= np.float32(b) for a, b in self.times)

    def local(self, points):
        """Returns vectors in the axes of the box."""
        q = unit(np.array(self.rotation, float)) * [-1, -1, -1, 1]
        return rotate(np.broadcast_to(q, (*points.shape[:-1], 4)), points)

    def hit(self, origin, direction):
        """Returns the distance at which a ray hits the target, or infinity."""
        if self.shape == "plane":
            down = direction @ np.array(self.size)
            along = (self.centre - origin) @ np.array(self.size) / down if down else -1
            return along if along >= 0 else np.inf
        if self.shape == "sphere":
            to = self.centre - origin
            if norm(to) <= self.size:
                return 0.0
            middle = to @ direction
            root = self.size**2 - (to @ to - middle**2)
            return middle - math.sqrt(root) if root >= 0 and middle >= 0 else np.inf
        start, along = self.local(origin - self.centre), self.local(direction)
        near, far = 0.0, np.inf
        for o, d, half in zip(start, along, np.array(self.size) / 2):
            if d == 0:
                if abs(o) > half:
                    return np.inf
                continue
            a, b = sorted([(-half - o) / d, (half - o) / d])
            near, far = max(near, a), min(far, b)
        return near if near <= far else np.inf

    def distance(self, points):
        """Returns the distance of points from the surface; 0 inside."""
        if self.shape == "plane":
            return abs((points - self.centre) @ unit(np.array(self.size, float)))
        if self.shape == "sphere":
            return np.maximum(0, norm(points - self.centre) - self.size)
        outside = np.maximum(0, abs(self.local(points - self.centre)) - np.array(self.size) / 2)
        return norm(outside)

    def rows(self):
        row = {"name": self.name, "shape": self.shape} | dict(zip("xyz", self.centre))
        if self.shape == "sphere":
            row["radius"] = self.size
        else:
            prefix = "size" if self.shape == "box" else "normal"
            row |= {f"{prefix}_{axis}": value for axis, value in zip("xyz", self.size)}
        if self.rotation is not None:
            row |= {f"rotation_{axis}": value for axis, value in zip("xyzw", self.rotation)}
        return [row | {"start": a, "end": b} for a, b in self.times] or [row]


def make_targets(samples):
    """Places a sphere, a box and a plane where the gaze or a hand meets them, the box at a pinch if there are many."""
    known = np.flatnonzero(samples.gaze)
    if len(known):
        a, b = known[len(known) // 3], known[2 * len(known) // 3]
        first = samples.origin[a] + 0.6 * samples.direction[a]
        second = samples.origin[b] + 0.8 * samples.direction[b]
        floor = samples.origin[a] - [0, 0.9, 0]
    else:
        tips = np.concatenate([samples.hands["left.IndexTip"], [[0, 1, 0.5]]])
        tips = tips[np.isfinite(tips).all(axis=1)]
        first, second = tips[len(tips) // 3], tips[-1] + [0.05, 0, 0.1]
        floor = tips.min(axis=0) - [0, 0.2, 0]
    pinches = recorded_pinches(samples, "right")
    if len(pinches) > 3:
        second = pinches[1]["position"]
    first, second, floor = (np.round(point, 3) for point in (first, second, floor))
    middle = (samples.recording.start + samples.recording.end) / 2
    return [
        Target("ball", "sphere", first, 0.07),
        Target("panel", "box", second, [0.2, 0.1, 0.03], [0.1, 0.3, 0.2, 0.9], [(0.4, middle), (middle + 0.3, 90)]),
        Target("floor", "plane", floor, [0.1, 1, 0.05]),
    ]


def gaze_targets(samples, targets):
    """Returns the index of the target that the gaze looks at, for each sample; -1 for none."""
    found = np.full(len(samples.times), -1)
    for index in np.flatnonzero(samples.gaze):
        found[index] = first_hit(targets, samples.origin[index], samples.direction[index], samples.times[index])[0]
    return found


def first_hit(targets, origin, direction, time):
    hits = [target.hit(origin, direction) if target.exists(time) else np.inf for target in targets]
    nearest = int(np.argmin(hits))
    return (nearest, hits[nearest]) if np.isfinite(hits[nearest]) else (-1, np.inf)


def looks(samples, targets):
    watched, times = gaze_targets(samples, targets), samples.times
    found = []
    for index, target in enumerate(targets):
        for start, end in runs(watched == index):
            known_after = end < len(times) and samples.gaze[end]
            _, distance = first_hit(targets, samples.origin[start], samples.direction[start], times[start])
            found.append(
                {
                    "name": target.name,
                    "start": times[start],
                    "end": times[end] if known_after else times[end - 1],
                    "position": samples.origin[start] + distance * samples.direction[start],
                }
            )
    return found


# Measures of a time range


def statistics(out, name, values):
    values = np.asarray(values, float)
    values = values[np.isfinite(values)]
    for key in ["mean", "sd", "min", "median", "p95", "max"]:
        out[f"{name}.{key}"] = np.nan
    if len(values):
        out[f"{name}.mean"], out[f"{name}.min"], out[f"{name}.max"] = values.mean(), values.min(), values.max()
        out[f"{name}.median"], out[f"{name}.p95"] = np.quantile(values, [0.5, 0.95])
    if len(values) > 1:
        out[f"{name}.sd"] = values.std(ddof=1)


def ratio(a, b):
    return a / b if b > 0 else np.nan


class Range:
    """The measures of a time range of a recording."""

    def __init__(self, analysis, start, end):
        self.samples, self.analysis = analysis.samples, analysis
        # Time ranges have single precision, like the times of keys.
        self.start, self.end = start, end = float(np.float32(start)), float(np.float32(end))
        self.times = self.samples.times
        # A limit within a thousandth of an interval of a sample counts as equal to it.
        tolerance = 1e-3 / self.samples.rate
        self.inside = (self.times >= start - tolerance) & (self.times <= end + tolerance)
        steps = np.minimum(self.times[1:], end) - np.maximum(self.times[:-1], start)
        self.steps = np.maximum(0, steps)
        whole = np.diff(self.times)
        self.shares = self.steps / whole

    def time(self, known):
        """Returns the time in which a condition holds at both neighbouring samples."""
        return self.steps[known[1:] & known[:-1]].sum()

    def path(self, lengths):
        """Adds the steps between known samples, in proportion at the ends."""
        known = np.isfinite(lengths) & (self.shares > 0)
        return np.sum(self.shares[known] * lengths[known]) if known.any() else np.nan

    def has_joints(self, side, joints):
        """Returns whether joints are recorded, and their hand is tracked in a part of the time range."""
        recording = self.samples.recording
        curves = [[f"{side}.{joint}.{part}" for part in POSE] for joint in joints]
        tracked = recording.ranges(f"{side}.tracked")
        first, last = np.float32(self.start), np.float32(self.end)
        common = [(max(a, first), min(b, last), a == b or first == last) for a, b in tracked]
        tracks = any(a < b or (a == b and instant) for a, b, instant in common)
        return tracks and all(len(recording.instants(names)) for names in curves)

    def has_any(self, known):
        """Returns whether a known sample or interval is in the time range."""
        return self.time(known) > 0 or (known & self.inside).any()

    def belongs(self, event):
        start, first, last = (np.float32(time) for time in (event["start"], self.start, self.end))
        return first <= start < last or start == last == np.float32(self.samples.recording.end)

    def overlap(self, events):
        return sum(max(0, min(event["end"], self.end) - max(event["start"], self.start)) for event in events)

    def measures(self):
        out = {}
        self.quality(out)
        self.head(out)
        self.hands(out)
        self.movements(out)
        self.fingers(out)
        self.pinches(out)
        self.gaze(out)
        if self.analysis.targets:
            self.targets(out)
            self.fitts(out)
        return out

    def quality(self, out):
        samples, recording = self.samples, self.samples.recording
        out["duration"] = self.end - self.start
        out["damaged"] = union_length([times for _, *times in damage(recording)], self.start, self.end)
        for stream in ["head", *SIDES, "gaze"]:
            instants = recording.instants(recording.stream(stream))
            tracked = recording.ranges(f"{stream}.tracked") if stream in SIDES else [(recording.start, recording.end)]
            parts, tail = [], 0.0
            for a, b in tracked:
                part = instants[(instants >= max(a, self.start)) & (instants <= min(b, self.end))]
                parts.append(np.diff(part))
                if len(instants):
                    tail += max(0, min(b, self.end) - max(a, instants[-1], self.start))
            intervals = np.concatenate([*parts, []])
            known = len(instants) > 0
            out[f"{stream}.sampling_rate"] = ratio(len(intervals), intervals.sum())
            out[f"{stream}.sampling_jitter"] = intervals.std(ddof=1) * 1e3 if len(intervals) > 1 else np.nan
            out[f"{stream}.longest_gap"] = intervals.max() if len(intervals) else np.nan
            out[f"{stream}.frozen_tail"] = tail if known else np.nan
        for side in SIDES:
            tracked = recording.ranges(f"{side}.tracked")
            length = min(self.end, recording.end) - max(self.start, recording.start)
            time = sum(max(0, min(b, self.end) - max(a, self.start)) for a, b in tracked)
            recorded = len(recording.instants([f"{side}.tracked"])) > 0
            out[f"{side}.tracked_share"] = ratio(time, length) if recorded else np.nan
            lost = [event for event in self.analysis.dropouts[side] if self.belongs(event)]
            out[f"{side}.dropouts"] = len(lost) if tracked else np.nan
            statistics(out, f"{side}.dropout", [event["end"] - event["start"] for event in lost])
        recorded = len(recording.instants(recording.stream("gaze"))) > 0
        sampled = self.steps.sum()
        out["gaze.valid_share"] = ratio(self.time(samples.gaze), sampled) if recorded else np.nan
        out["gaze.frozen_share"] = ratio(self.time(samples.frozen), sampled) if recorded else np.nan

    def head(self, out):
        samples = self.samples
        out["head.path_length"] = self.path(norm(np.diff(samples.head, axis=0)))
        statistics(out, "head.speed", samples.head_derivatives[0][self.inside])
        turns = turn_angle(samples.rotation[:-1], samples.rotation[1:])
        out["head.angular_path"] = self.path(turns)
        statistics(out, "head.angular_speed", self.analysis.head_speed[self.inside])
        yaw, pitch, roll = self.analysis.head_angles
        for name, values in ("yaw", yaw), ("pitch", pitch), ("roll", roll):
            values = values[self.inside & np.isfinite(values)]
            out[f"head.{name}_range"] = np.ptp(values) if len(values) else np.nan

    def hands(self, out):
        samples = self.samples
        for joint in MEASURED:
            lengths, speeds = {}, {}
            for side in SIDES:
                name = f"{side}.{joint}"
                positions = samples.hands[name]
                known = np.isfinite(positions).all(axis=1)
                lengths[side] = self.path(norm(np.diff(positions, axis=0)))
                out[f"{name}.path_length"] = lengths[side]
                for index, key in enumerate(["speed", "acceleration", "jerk"]):
                    statistics(out, f"{name}.{key}", samples.derivatives[name][index][self.inside])
                speeds[side] = np.where(self.inside, samples.derivatives[name][0], np.nan)
                statistics(out, f"{name}.reach", norm(positions - samples.head)[self.inside])
                points = positions[known & self.inside]
                for axis, key in enumerate("xyz"):
                    out[f"{name}.box_{key}"] = np.ptp(points[:, axis]) if len(points) else np.nan
                out[f"{name}.hull_volume"] = hull_volume(points)
            both = samples.hands[f"left.{joint}"] - samples.hands[f"right.{joint}"]
            statistics(out, f"hands.{joint}.distance", norm(both)[self.inside])
            pair = np.isfinite(speeds["left"]) & np.isfinite(speeds["right"])
            correlation = np.nan
            if pair.sum() > 2:
                correlation = np.corrcoef(speeds["left"][pair], speeds["right"][pair])[0, 1]
            out[f"hands.{joint}.speed_correlation"] = correlation
            total = lengths["left"] + lengths["right"]
            out[f"hands.{joint}.laterality"] = ratio(lengths["right"] - lengths["left"], total)

    def movements(self, out):
        for side in SIDES:
            every = self.analysis.movements[side]
            known = np.isfinite(self.samples.derivatives[f"{side}.Palm"][0])
            found = [event for event in every if self.belongs(event)]
            out[f"{side}.movements"] = len(found) if self.has_any(known) or found else np.nan
            out[f"{side}.moving_share"] = ratio(self.overlap(every), self.time(known))
            complete = [event for event in found if not event["cut"]]
            for key in "duration amplitude peak_speed time_to_peak straightness submovements sparc ldlj".split():
                statistics(out, f"{side}.movement.{key}", [event[key] for event in complete])

    def fingers(self, out):
        for name, values in self.analysis.fingers.items():
            statistics(out, name, values[self.inside])

    def pinches(self, out):
        samples = self.samples
        for side in SIDES:
            distances = aperture(samples, side)
            for source, every in self.analysis.pinches[side].items():
                found = [event for event in every if self.belongs(event)]
                name = f"{side}.{source}"
                recorded = self.has_joints(side, [])
                recorded &= len(samples.recording.instants(samples.recording.stream(side))) > 0
                if source == "geometric_pinch":
                    recorded = self.has_any(np.isfinite(distances))
                out[f"{name}.count"] = len(found) if recorded or found else np.nan
                complete = [event for event in found if not event["cut"]]
                statistics(out, f"{name}.duration", [event["end"] - event["start"] for event in complete])
                statistics(out, f"{name}.drag", [event["drag"] for event in complete])
                pairs = [(a, b) for a, b in zip(found, found[1:]) if not b["cut_start"]]
                intervals = [b["start"] - a["start"] for a, b in pairs if not a["cut_start"]]
                statistics(out, f"{name}.interval", intervals)
                gaps = [b["start"] - a["end"] for a, b in pairs if not a["cut_end"]]
                statistics(out, f"{name}.movement_time", gaps)
            known = self.inside & np.isfinite(distances)
            state = np.zeros(len(distances), bool)
            for start, end in runs(np.isfinite(distances)):
                state[start:end] = detector(distances[start:end])
            out[f"{side}.pinch_agreement"] = kappa(samples.pinching[side][known], state[known])

    def gaze(self, out):
        samples = self.samples
        active = self.time(samples.live)
        known = self.has_any(samples.live)
        for method, every in self.analysis.fixations.items():
            found = [event for event in every if self.belongs(event)]
            name = f"gaze.{method}"
            out[f"{name}.count"] = len(found) if known else np.nan
            out[f"{name}.rate"] = ratio(len(found), active)
            out[f"{name}.share"] = ratio(self.overlap(every), active)
            for key in ["duration", "dispersion", "bcea"]:
                statistics(out, f"{name}.{key}", [event[key] for event in found])
            pairs = zip(found, found[1:])
            path = sum(angle(a["direction"], b["direction"]) for a, b in pairs)
            out[f"{name}.scan_path"] = path if known else np.nan
        found = [event for event in self.analysis.saccades if self.belongs(event)]
        out["gaze.saccades"] = len(found) if known else np.nan
        for key in ["amplitude", "peak_velocity", "duration"]:
            statistics(out, f"gaze.saccade.{key}", [event[key] for event in found])
        out["gaze.main_sequence_exponent"] = out["gaze.main_sequence_coefficient"] = np.nan
        if len(found) >= 3:
            logarithms = np.log([[event["amplitude"], event["peak_velocity"]] for event in found])
            exponent, constant = np.polyfit(*logarithms.T, 1)
            out["gaze.main_sequence_exponent"] = exponent
            out["gaze.main_sequence_coefficient"] = np.exp(constant)
        directions = samples.direction[self.inside & samples.live]
        out["gaze.bcea"] = bcea(directions)
        out["gaze.dispersion"] = np.nan
        if len(directions):
            mean = unit(directions.sum(axis=0))
            out["gaze.dispersion"] = math.sqrt(np.mean(angle(directions, mean) ** 2))
        view = rotate(samples.rotation, np.array([0.0, 0, 1]))
        statistics(out, "gaze.head_offset", angle(samples.direction, view)[self.inside & samples.live])

    def targets(self, out):
        samples, analysis = self.samples, self.analysis
        recorded, live = self.has_any(samples.gaze), self.has_any(samples.live)
        for index, target in enumerate(analysis.targets):
            name = target.name
            every = [event for event in analysis.looks if event["name"] == name]
            found = [event for event in every if self.belongs(event)]
            out[f"{name}.dwell"] = self.overlap(every) if recorded else np.nan
            out[f"{name}.looks"] = len(found) if recorded else np.nan
            first = [event["start"] - self.start for event in found]
            first += [0.0 for event in every if event["start"] < self.start < event["end"]]
            out[f"{name}.first_look"] = min(first, default=np.nan) if recorded else np.nan
            fixations = [event for event in analysis.fixations["idt"] if self.belongs(event)]
            out[f"{name}.fixations"] = sum(event["target"] == index for event in fixations) if live else np.nan
            exists = np.array([target.exists(time) for time in samples.times])
            for side in SIDES:
                tips, knuckles = samples.hands[f"{side}.IndexTip"], samples.hands[f"{side}.IndexKnuckle"]
                known = np.isfinite(tips).all(axis=1)
                distances = target.distance(tips[known & exists & self.inside])
                out[f"{name}.{side}.nearest"] = distances.min(initial=np.inf) if len(distances) else np.nan
                entries = [event for event in analysis.entries[side][index] if self.belongs(event)]
                known_ray = self.has_any(known & np.isfinite(knuckles).all(axis=1))
                out[f"{name}.{side}.ray_hits"] = len(entries) if known_ray or entries else np.nan

    def fitts(self, out):
        targets = self.analysis.targets
        for side in SIDES:
            rows = []
            every = self.analysis.pinches[side]["pinch"]
            for a, b in zip(every, every[1:]):
                if not (self.belongs(a) and self.belongs(b)):
                    continue
                first, second = (nearest_target(targets, event) for event in (a, b))
                if first is None or second is None or first is second:
                    continue
                axis = unit(second.centre - first.centre)
                moved, missed = (b["position"] - a["position"]) @ axis, (b["position"] - second.centre) @ axis
                rows.append((moved, missed, b["start"] - a["end"]))
            name = f"{side}.fitts"
            recorded = self.has_joints(side, ["ThumbTip", "IndexTip"])
            out[f"{name}.selections"] = len(rows) if recorded else np.nan
            amplitudes, errors, times = np.array(rows).reshape(-1, 3).T
            amplitude, time = (values.mean() if len(rows) > 1 else np.nan for values in (amplitudes, times))
            width = math.sqrt(2 * math.pi * math.e) * errors.std(ddof=1) if len(rows) > 1 else np.nan
            difficulty = math.log2(amplitude / width + 1) if len(rows) > 1 and amplitude > 0 else np.nan
            out[f"{name}.effective_amplitude"], out[f"{name}.effective_width"] = amplitude, width
            out[f"{name}.effective_difficulty"], out[f"{name}.movement_time"] = difficulty, time
            out[f"{name}.throughput"] = difficulty / time


def nearest_target(targets, event):
    """Returns the target whose surface is nearest to the position of a pinch."""
    targets = [target for target in targets if target.exists(event["start"])]
    if not targets or np.isnan(event["position"]).any():
        return None
    return min(targets, key=lambda target: target.distance(event["position"][None])[0])


def union_length(ranges, start, end):
    total, reached = 0.0, start
    for a, b in sorted(ranges):
        a, b = max(a, reached), min(b, end)
        if b > a:
            total, reached = total + b - a, b
    return total


def damage(recording):
    """Returns the time ranges of lost w curves (D1, D2), lost ends (D3), sign flips (D4) and lost starts (D5)."""
    found = []
    for name in recording.curves:
        if name.endswith("rotation.x"):
            keys = [recording.keys(name[:-1] + axis) for axis in "xyzw"]
            code = lost_w(recording, keys)
            if code:
                found.append((code, float(keys[0][0][0]), recording.end))
            elif len(keys[0][0]) < 2 or any(not np.array_equal(times, keys[0][0]) for times, _ in keys):
                continue
            else:
                q = np.stack([values for _, values in keys], axis=1)
                flips = np.flatnonzero(np.sum(q[1:] * q[:-1], axis=1) < 0)
                found += [("D4", float(keys[0][0][index]), float(keys[0][0][index + 1])) for index in flips]
    for stream in ["head", *SIDES, "gaze"]:
        instants = recording.instants(recording.stream(stream))
        tracked = recording.ranges(f"{stream}.tracked") if stream in SIDES else [(recording.start, recording.end)]
        ends = tracked and tracked[-1][1] == recording.end
        if recording.version == 1 and len(instants) and ends and instants[-1] < recording.end:
            found.append(("D3", instants[-1], recording.end))
    states = recording.instants(STATES)
    poses = recording.instants([name for name in recording.curves if name not in STATES])
    if recording.version == 0 and len(states) and len(poses) and states[0] < 0 <= poses[0]:
        found.append(("D5", states[0], poses[0]))
    return sorted(set(found))


def lost_w(recording, keys):
    """Returns the code of the damage if the w curve of a rotation was not saved."""
    x, y, z, w = keys
    if recording.version == 0 or len(x[0]) < 2 or not (np.array_equal(x[0], y[0]) and np.array_equal(x[0], z[0])):
        return None
    if len(w[0]) == 1:
        # A rotation that w and the other curves agree on never needed another key.
        lengths = norm(np.stack([x[1], y[1], z[1], np.full(len(x[0]), w[1][0])], axis=1))
        return "D1" if abs(lengths - 1).max() > 1e-3 else None
    copied = len(w[0]) == 2 and w[0][1] == z[0][-1] and w[1][1] == z[1][-1]
    return "D2" if copied else None


def hull_volume(points):
    if len(points) < 4:
        return np.nan
    if np.linalg.matrix_rank(points - points[0], 1e-7) < 3:
        return 0.0
    return ConvexHull(points).volume


def turn_angle(a, b):
    """Returns the angle of the rotation from one quaternion to another."""
    a, b = unit(a), unit(b)
    b = np.where(np.sum(a * b, axis=-1)[..., None] < 0, -b, b)
    return np.degrees(4 * np.arctan2(norm(a - b), norm(a + b)))


def kappa(a, b):
    if len(a) == 0:
        return np.nan
    observed = np.mean(a == b)
    expected = a.mean() * b.mean() + (1 - a.mean()) * (1 - b.mean())
    return (observed - expected) / (1 - expected) if expected < 1 else np.nan


def finger_angles(samples, side):
    """Returns the channels of the fingers of one hand."""
    at = lambda joint: samples.hands[f"{side}.{joint}"]
    bone = lambda joint: at(joint) - at(PARENTS[joint])
    found = {}
    # This normal points out of the palm of the left hand, and out of the back of the right hand.
    normal = np.cross(at("IndexKnuckle") - at("Wrist"), at("PinkyKnuckle") - at("Wrist"))
    palmar = unit(normal) * (1 if side == "left" else -1)
    for finger, chain in FINGERS.items():
        # Angles need all joints from the base of the finger to its tip. The base is the knuckle.
        knuckle = 0 if finger == "Thumb" else 1
        complete = np.where(np.isfinite(sum(at(joint) for joint in chain[knuckle:])).all(axis=1), 0.0, np.nan)
        for before, joint, after in zip(chain, chain[1:], chain[2:]):
            if finger != "Thumb" and joint == chain[1]:
                metacarpal, first = unit(bone(joint)), unit(bone(after))
                across = unit(np.cross(metacarpal, normal))  # Toward the thumb in both hands.
                down = palmar - np.sum(palmar * metacarpal, axis=1)[:, None] * metacarpal
                down = unit(down)
                flexion = np.arctan2(np.sum(first * down, axis=1), np.sum(first * metacarpal, axis=1))
                abduction = np.arcsin(np.clip(np.sum(first * across, axis=1), -1, 1))
                found[f"{side}.{joint}.flexion"] = np.degrees(flexion) + complete
                found[f"{side}.{joint}.abduction"] = np.degrees(abduction) + complete
            else:
                found[f"{side}.{joint}.flexion"] = angle(bone(joint), bone(after)) + complete
        if finger == "Thumb":
            found[f"{side}.{chain[0]}.abduction"] = angle(bone("ThumbProximalJoint"), bone("IndexKnuckle")) + complete
        lengths = [norm(bone(joint)) for joint in chain[knuckle + 1 :]]
        found[f"{side}.{finger}.curl"] = 1 - norm(at(chain[-1]) - at(chain[knuckle])) / sum(lengths)
    found[f"{side}.aperture"] = aperture(samples, side)
    found[f"{side}.openness"] = np.mean([norm(at(f"{finger}Tip") - at("Palm")) for finger in FINGERS], axis=0)
    for joint in PARENTS:
        found[f"{side}.{joint}.bone_length"] = norm(bone(joint))
    return found


class Analysis:
    """All events and channels of a recording."""

    def __init__(self, recording, rate, targets=()):
        self.recording, self.targets = recording, targets
        samples = self.samples = Samples(recording, rate)
        known = np.isfinite(samples.rotation).all(axis=1)
        q = samples.rotation
        self.head_speed = angular_speed(lambda a, b: turn_angle(q[a], q[b]), known, rate)
        forward, right, up = (rotate(q, np.array(axis, float)) for axis in ([0, 0, 1], [1, 0, 0], [0, 1, 0]))
        yaw = np.arctan2(forward[:, 0], forward[:, 2])
        yaw[known] = np.unwrap(yaw[known])
        pitch = np.arctan2(forward[:, 1], np.hypot(forward[:, 0], forward[:, 2]))
        roll = np.arctan2(right[:, 1], up[:, 1])
        self.head_angles = np.degrees(yaw), np.degrees(pitch), np.degrees(roll)
        self.movements = {side: movements(samples, f"{side}.Palm") for side in SIDES}
        self.dropouts, self.pinches, self.fingers = {}, {}, {}
        for side in SIDES:
            tracked = recording.ranges(f"{side}.tracked")
            self.dropouts[side] = [{"start": a[1], "end": b[0]} for a, b in zip(tracked, tracked[1:])]
            self.pinches[side] = {
                "pinch": recorded_pinches(samples, side),
                "geometric_pinch": geometric_pinches(samples, side),
            }
            self.fingers |= finger_angles(samples, side)
        self.fixations = {"idt": fixations_idt(samples), "ivt": fixations_ivt(samples)}
        self.saccades = saccades(samples)
        self.set_targets(targets)

    def set_targets(self, targets):
        self.targets = targets
        if not targets:
            return
        samples = self.samples
        self.watched = gaze_targets(samples, targets)
        self.looks = looks(samples, targets)
        for event in self.fixations["idt"]:
            # The ray of a fixation has its mean direction, and starts where the gaze starts at its middle sample.
            start, end = event["samples"]
            middle = (start + end - 1) // 2
            hit = first_hit(targets, samples.origin[middle], event["direction"], samples.times[middle])
            event["target"] = hit[0]
        self.entries = {}
        for side in SIDES:
            tips, knuckles = samples.hands[f"{side}.IndexTip"], samples.hands[f"{side}.IndexKnuckle"]
            rays = unit(tips - knuckles)
            known = np.flatnonzero(np.isfinite(rays).all(axis=1))
            self.entries[side] = []
            for target in targets:
                hits = np.zeros(len(tips), bool)
                for index in known:
                    exists = target.exists(samples.times[index])
                    hits[index] = exists and np.isfinite(target.hit(tips[index], rays[index]))
                self.entries[side].append([{"start": samples.times[start]} for start, _ in runs(hits)])

    def events(self):
        """Returns all events as rows of the table of events."""
        samples, rows = self.samples, []

        def add(kind, event, side="", name="", **properties):
            row = {"kind": kind, "start_s": event["start"], "end_s": event["end"], "side": side, "name": name}
            for key, prefix in ("position", "position"), ("direction", "direction"):
                if key in event:
                    row |= {f"{prefix}_{axis}": value for axis, value in zip("xyz", event[key])}
            rows.append(row | properties)

        for side in SIDES:
            for start, end in self.recording.ranges(f"{side}.tracked"):
                add("tracked", {"start": start, "end": end}, side)
            for event in self.dropouts[side]:
                add("dropout", event, side)
            for event in self.movements[side]:
                keys = {"amplitude_m": "amplitude", "path_length_m": "path_length", "peak_speed_m_s": "peak_speed"}
                keys |= {"time_to_peak_s": "time_to_peak"} | {key: key for key in ["submovements", "sparc", "ldlj"]}
                properties = {column: event[key] for column, key in keys.items()}
                add("movement", event, side, "Palm", cut=event["cut"] or np.nan, **properties)
            for source, every in self.pinches[side].items():
                for event in every:
                    add(source, event, side, drag_m=event["drag"], cut=event["cut"] or np.nan)
        for event in self.fixations["idt"]:
            add("fixation", event, dispersion_deg=event["dispersion"], bcea_deg2=event["bcea"])
        for event in self.saccades:
            add("saccade", event, amplitude_deg=event["amplitude"], peak_velocity_deg_s=event["peak_velocity"])
        if self.targets:
            for event in self.looks:
                add("look", event, name=event["name"])
        for name, start, end in damage(self.recording):
            add("damage", {"start": start, "end": end}, name=name)
        for time, name in self.recording.markers:
            add("marker", {"start": time, "end": time}, name=name)
        return rows


# Comparison

compared, differences = {}, {}


def agrees(found, expected, exact, absolute):
    if math.isnan(found) or math.isnan(expected):
        return math.isnan(found) and math.isnan(expected)
    difference = abs(found - expected)
    return difference == 0 if exact else difference <= max(absolute, RELATIVE * abs(expected))


COUNTS = re.compile(
    r"(\.count|dropouts|\.movements|submovements\.(min|max)|gaze\.saccades|fitts\.selections"
    r"|\.looks|\.fixations|\.ray_hits)$"
)

ANGLES = re.compile(r"head\.(angular_|yaw|pitch|roll)|bcea")


def compare(kind, where, found, expected, exact=False):
    found = np.nan if found is None or found == "" else float(found)
    expected = np.nan if expected is None else float(expected)
    if kind.startswith("event") and np.isnan(found) and np.isnan(expected):
        return  # The table of events has one column for each property of any event.
    count, present = compared.get(kind, (0, 0))
    compared[kind] = count + 1, present + (not np.isnan(expected))
    absolute = ABSOLUTE_ANGLE if ANGLES.search(kind) else ABSOLUTE
    if not agrees(found, expected, exact, absolute):
        differences.setdefault(kind, []).append((where, found, expected))


@functools.cache
def kind_of(measure):
    """Returns the kind of a measure: its name without side, joint and statistic."""
    name = re.sub(r"\.(mean|sd|min|median|p95|max)$", "", measure)
    name = re.sub(r"^(left|right)\.", "{side}.", name)
    name = re.sub(r"^(ball|panel|floor)\.((left|right)\.)?", lambda m: "{target}." + ("{side}." if m[2] else ""), name)
    if name.endswith((".flexion", ".abduction", ".bone_length", ".curl")):
        name = re.sub(r"\.\w+\.", ".*.", name)
    name = re.sub(r"\.(Palm|IndexTip)\.", ".{joint}.", name)
    return "measure " + re.sub(r"\.(pinch|geometric_pinch)\.", ".{source}.", name)


class Program:
    def __init__(self, program, folder):
        self.program, self.folder = program, Path(folder)

    def run(self, *arguments):
        done = subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True)
        if done.returncode not in (0, 3):
            sys.exit(f"{self.program} {arguments}: {done.stderr}")
        return done.stdout

    def stats(self, path, rate, *options):
        return json.loads(self.run("stats", path, "--rate", rate, "--format", "json", *options))

    def events(self, path, rate, *options):
        text = self.run("events", path, "--rate", rate, "--format", "csv", *options)
        return list(csv.DictReader(text.splitlines()))


def trials(recording):
    """Returns segments: they cover the recording, have limits between samples, and reach beyond the ends."""
    start, end = recording.start, recording.end
    found = []
    for width in (0.5, 0.337):
        limits = [*np.round(np.arange(start, end, width), 6), end]
        found += list(zip(limits, limits[1:]))
    found += [(start + 0.1234, end - 0.4321), (start + 0.1, start + 0.102), (start + 1, start + 1)]
    found += [(start + a, start + b) for a, b in [(0.1, 0.7), (0.7, 0.9), (0.9, 1.9), (2.45, 2.55)]]
    return [(a, b) for a, b in found]


def check(program, path, rate, complete):
    recording = Recording(path)
    name = f"{path.name} at {rate} Hz"
    analysis = Analysis(recording, rate)
    targets = make_targets(analysis.samples)
    analysis.set_targets(targets)
    table = program.folder / "targets.csv"
    rows = [row for target in targets for row in target.rows()]
    columns = list(dict.fromkeys(column for row in rows for column in row))
    with open(table, "w", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)
    options = ["--targets", table, "--measures", "quality,head,hands,movements,fingers,pinches,gaze,targets,fitts"]
    ranges = [(recording.start, recording.end)]
    results = program.stats(path, rate, *options)
    if complete:
        segments = program.folder / "trials.csv"
        found = trials(recording)
        lines = [f"{path.stem},{a!r},{b!r}" for a, b in ((float(a), float(b)) for a, b in found)]
        segments.write_text("\n".join(["recording,start,end", *lines]) + "\n")
        ranges += found
        results += program.stats(path, rate, *options, "--segments", segments)
    for (start, end), result in zip(ranges, results, strict=True):
        expected = Range(analysis, start, end).measures()
        for measure, found in result.items():
            if measure in ("recording", "segment", "start_s", "end_s", "missing", "damage"):
                continue
            where = f"{name}, {start:.3f} s to {end:.3f} s: {measure}"
            compare(kind_of(measure), where, found, expected.get(measure, -999), bool(COUNTS.search(measure)))
    check_events(name, analysis, program.events(path, rate, "--targets", table))


def check_events(name, analysis, found):
    def order(row):
        return row["kind"], row["side"], row["name"], float(row["start_s"]), float(row["end_s"])

    found = sorted(found, key=order)
    expected = sorted(analysis.events(), key=order)
    for kind in sorted({row["kind"] for row in found + expected}):
        ours = [row for row in expected if row["kind"] == kind]
        theirs = [row for row in found if row["kind"] == kind]
        compare(f"event {kind}: number", f"{name}: {kind}", len(theirs), len(ours), True)
        if len(ours) != len(theirs):
            continue
        for a, b in zip(theirs, ours):
            where = f"{name}: {kind} {b['side']} {b['name']} at {b['start_s']:.4f} s"
            same = a["side"] == b["side"] and a["name"] == b["name"]
            compare(f"event {kind}: side and name", where, float(same), 1.0, True)
            for column, value in a.items():
                if column in ("recording", "kind", "side", "name"):
                    continue
                wanted = b["end_s"] - b["start_s"] if column == "duration_s" else b.get(column)
                compare(f"event {kind}: {column}", f"{where}: {column}", value, wanted, column == "submovements")


def without_start(source, path):
    """Makes a recording whose states begin before t = 0 and whose poses begin at t = 0 (D5)."""
    recording = Recording(source)
    recording.version = 0
    cut = np.float32(1.25)
    for name, (times, values) in recording.curves.items():
        if name not in STATES and len(times):
            first = recording.value(name, np.array([cut]))
            times, values = np.append(cut, times[times > cut]), np.append(first, values[times > cut])
        recording.curves[name] = times - cut, values
    write(recording, path)


def with_pause(source, path):
    """Makes a recording in which no stream has a key between 1.5 s and 2.1 s (L22)."""
    recording = Recording(source)
    for name, (times, values) in recording.curves.items():
        keep = (times < 1.5) | (times > 2.1) | (name in STATES)
        recording.curves[name] = times[keep], values[keep]
    write(recording, path)


def with_frozen_gaze(source, path):
    """Makes a recording whose gaze does not change for some time, and is zero for some time."""
    recording = Recording(source)
    for name, (times, values) in recording.curves.items():
        if name.startswith("gaze.direction"):
            values = values.copy()
            still = (times > 1.2) & (times < 1.9)
            values[still] = values[still][0]
            values[(times > 2.4) & (times < 2.6)] = 0
            recording.curves[name] = times, values
    write(recording, path)


def with_noise(source, path):
    """Makes a recording with noise, a head that turns around, a sign flip, and a hand that is lost during a pinch."""
    recording = Recording(source)
    random = np.random.default_rng(1)
    for name, (times, values) in recording.curves.items():
        noise = 0.001 if "position" in name or "origin" in name else 0.002 if "direction" in name else 0
        if name not in STATES and len(times):
            recording.curves[name] = times, (values + random.normal(0, noise, len(values))).astype("f4")
    times = recording.keys("head.rotation.x")[0].astype(float)
    angles = [2.1 * times + 0.3 * np.sin(5 * times), 1.2 * np.sin(3 * times), 0.8 * np.sin(2 * times)]
    rotations = Rotation.from_euler("YXZ", np.stack(angles, axis=1)).as_quat()
    for index in range(1, len(rotations)):
        if rotations[index] @ rotations[index - 1] < 0:
            rotations[index] *= -1
    for axis, values in zip("xyzw", rotations.T):
        recording.curves[f"head.rotation.{axis}"] = times.astype("f4"), values.astype("f4")
        times_of_joint, values = recording.keys(f"right.IndexTip.rotation.{axis}")
        flipped = np.where(times_of_joint > 2.5, -values, values)
        recording.curves[f"right.IndexTip.rotation.{axis}"] = times_of_joint, flipped
    for name, *keys in [
        ("right.tracked", (0, 1), (2.3, 0), (2.6, 1)),
        ("right.pinching", (0, 1), (0.2, 0), (0.35, 1), (0.8, 0), (1.2, 1), (1.5, 0), (2, 1), (3, 0), (5, 1)),
        ("left.pinching", (0, 0), (0.5, 1), (0.9, 0), (1, 1), (1.004, 0), (1.4, 1), (2.1, 0), (3.5, 1), (4, 0)),
    ]:
        times, values = np.array(keys, "f4").T
        recording.curves[name] = times, values
    write(recording, path)


def main():
    warnings.simplefilter("ignore")
    files = [Path(file) for file in sys.argv[2:]]
    with tempfile.TemporaryDirectory() as folder:
        program = Program(sys.argv[1], folder)
        made = []
        for scene, seed, options in [
            ("two-hands", 5, ["--rate", "60", "--seconds", "6"]),
            ("reach", 9, ["--rate", "45", "--seconds", "5"]),
            ("pinch-drag", 3, ["--rate", "72", "--seconds", "20"]),
        ]:
            made.append(program.folder / f"{scene}-{seed}.bin")
            program.run("generate", scene, "--seed", seed, *options, "-o", made[-1])
        makers = [("start", without_start), ("pause", with_pause), ("frozen", with_frozen_gaze), ("noise", with_noise)]
        for name, make in makers:
            made.append(program.folder / f"{name}.bin")
            make(made[0], made[-1])
        for path in files + made:
            check(program, path, 60, True)
            check(program, path, 90, False)
    for kind, (count, present) in sorted(compared.items()):
        wrong = len(differences.get(kind, []))
        result = f", {wrong} differ" if wrong else ""
        print(f"{kind:<48} {count:>7} compared, {count - present:>6} of them missing{result}")
    for kind, wrong in sorted(differences.items()):
        print(f"\n{kind}: {len(wrong)} of {compared[kind][0]} values differ")
        for where, found, expected in wrong[:20]:
            print(f"  {where}: found {found:.9g}, expected {expected:.9g}")
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
