"""Compares the measures and events of inputanim-analysis with those of SciPy, NumPy, pymovements and
movement. `cargo xtask analysis` runs it.

    reference RECORDING… | python check.py

The standard input has one JSON object a line, as the example `reference` prints it. Fails at the first
difference that is not explained in docs/analysis.md, and prints the explained ones.
"""

import json
import sys
import warnings

import numpy as np
import xarray as xr
from movement.kinematics import compute_path_length, compute_speed
from pymovements.events import idt, ivt
from scipy.signal import find_peaks, savgol_filter
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

WINDOW, ORDER = 11, 3
compared = {}


def same(name, found, expected, tolerance):
    """Fails unless two arrays are equal within a tolerance, NaN included."""
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    if found.shape != expected.shape or not np.allclose(found, expected, tolerance, tolerance, equal_nan=True):
        difference = np.nanmax(abs(found - expected)) if found.shape == expected.shape else "shapes"
        sys.exit(f"{name}: {difference}\n  found {found}\n  expected {expected}")
    key = name.split(": ")[1]
    compared[key] = compared.get(key, 0) + found.size


def array(values):
    """Returns an array of floats; null is NaN."""
    return np.array(values, dtype=float)


def runs(known):
    """Returns the start and the end of each run of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], known.astype(int), [0]])))
    return edges.reshape(-1, 2)


def kinematics(name, positions, found, rate):
    known = np.isfinite(positions).all(axis=1)
    for derivative, key in enumerate(["speed", "acceleration", "jerk"], 1):
        expected = np.full(len(positions), np.nan)
        for start, end in runs(known):
            if end - start >= WINDOW:
                part = savgol_filter(
                    positions[start:end], WINDOW, ORDER, derivative, 1 / rate, axis=0, mode="interp"
                )
                expected[start:end] = np.linalg.norm(part, axis=1)
        same(f"{name}: Savitzky-Golay {key} (scipy)", array(found[key]), expected, 1e-6)


def in_movement(positions, rate):
    """Returns positions as the package movement expects them."""
    return xr.DataArray(
        positions[:, :, None, None],
        dims=["time", "space", "keypoints", "individuals"],
        coords={
            "time": np.arange(len(positions)) / rate,
            "space": ["x", "y", "z"],
            "keypoints": ["point"],
            "individuals": ["hand"],
        },
    )


def path_length(positions, rate):
    """Returns the path length of the runs; movement would join them across gaps."""
    known = runs(np.isfinite(positions).all(axis=1))
    parts = [in_movement(positions[start:end], rate) for start, end in known if end - start > 1]
    return sum(float(compute_path_length(part).squeeze()) for part in parts)


def statistics(name, values, measures):
    values = values[~np.isnan(values)]
    if len(values) < 2:
        return
    expected = [
        np.mean(values),
        np.std(values, ddof=1),
        np.min(values),
        np.median(values),
        np.quantile(values, 0.95),
        np.max(values),
    ]
    found = [measures[f"{name}.{key}"] for key in ["mean", "sd", "min", "median", "p95", "max"]]
    same(f"{name}: statistics (numpy)", found, expected, 1e-9)


def sparc(speed, rate):
    """The formula of Balasubramanian et al. (2015), with NumPy's transform."""
    size = 2 ** (int(np.ceil(np.log2(len(speed)))) + 4)
    frequency = np.arange(size) * rate / size
    spectrum = abs(np.fft.fft(speed, size))
    spectrum = (spectrum / spectrum.max())[frequency <= 10]
    first, *_, last = np.flatnonzero(spectrum >= 0.05)
    part = np.diff(spectrum[first : last + 1])
    return -np.sum(np.hypot(1 / (last - first), part))


def joint(name, data, measures, rate):
    positions = array(data["positions"])
    kinematics(name, positions, data["kinematics"], rate)
    known = positions[np.isfinite(positions).all(axis=1)]
    if len(known) == 0:
        return
    same(f"{name}: path length (movement)", measures[f"{name}.path_length"], path_length(positions, rate), 1e-9)
    if measures[f"{name}.hull_volume"] > 1e-9:
        volume = ConvexHull(known).volume
        same(f"{name}: convex hull (scipy)", measures[f"{name}.hull_volume"], volume, 1e-5)
    speed = array(data["kinematics"]["speed"])
    statistics(f"{name}.speed", speed, measures)
    for movement in data["movements"]:
        start, end = movement["samples"]
        part = speed[start:end]
        peaks, _ = find_peaks(part, prominence=0.05 * part.max())
        same(f"{name}: submovements (scipy)", movement["submovements"], max(len(peaks), 1), 0)
        same(f"{name}: SPARC (numpy)", movement["sparc"], sparc(part, rate), 1e-9)


def head(data, measures, rate):
    rotations = array(data["rotations"])
    angles = {key: array(values) for key, values in data["angles"].items()}
    for start, end in runs(np.isfinite(rotations).all(axis=1)):
        turns = Rotation.from_quat(rotations[start:end])
        inner = slice(start + 1, end - 1)
        if end - start > 2:
            speed = np.degrees((turns[:-2].inv() * turns[2:]).magnitude()) * rate / 2
            # Small angles of single-precision rotations are uncertain by about 0.02°.
            same("head: angular speed (scipy)", angles["speed"][inner], speed, 2e-2)
        yaw, pitch, roll = turns.as_euler("YXZ").T
        # Full turns are counted from the first sample of the recording.
        turned = np.degrees(np.unwrap(yaw))
        turned += 360 * np.round((angles["yaw"][start] - turned[0]) / 360)
        same("head: yaw (scipy)", angles["yaw"][start:end], turned, 1e-4)
        same("head: pitch (scipy)", angles["pitch"][start:end], -np.degrees(pitch), 1e-4)
        same("head: roll (scipy)", angles["roll"][start:end], np.degrees(roll), 1e-4)
    path = path_length(array(data["positions"]), rate)
    same("head: path length (movement)", measures["head.path_length"], path, 1e-9)


def gaze(name, data, rate):
    planar, velocity = array(data["planar"]), array(data["velocity"])
    size = int(np.ceil(0.25 * rate - 1e-9)) + 1
    known = np.isfinite(planar).all(axis=1)
    for start, end in runs(known):
        # pymovements counts the first sample that exceeds the dispersion as the last of the fixation, and
        # searches on after it. So each fixation is compared on its own: from the end of the one before.
        before = start
        for onset, offset in [pair for pair in data["idtPlanar"] if start <= pair[0] < end]:
            window = planar[before : min(offset + 1, end)]
            found = idt(window, minimum_duration=size, dispersion_threshold=1.0).frame
            first = [found["onset"][0] + before, min(found["offset"][0] + before, end - 1)]
            same(f"{name}: I-DT onset and offset (pymovements)", [onset, min(offset, end - 1)], first, 0)
            before = offset
        rest = planar[before:end]
        if len(rest) >= size:
            found = idt(rest, minimum_duration=size, dispersion_threshold=1.0).frame
            same(f"{name}: I-DT, no further fixation (pymovements)", len(found), 0, 0)
    pairs = np.stack([velocity, np.zeros_like(velocity)], axis=1)
    found = ivt(pairs, minimum_duration=round(0.1 * rate), velocity_threshold=20.0).frame
    expected = np.stack([found["onset"], found["offset"] + 1], axis=1)
    same(f"{name}: I-VT onset and offset (pymovements)", np.reshape(data["ivt"], (-1, 2)), expected, 0)
    return len(data["idtPlanar"]), len(data["idt"])


def main():
    warnings.simplefilter("ignore")
    totals, ratios = np.zeros(2, int), []
    for line in sys.stdin:
        data = json.loads(line)
        name, rate, measures = data["recording"], data["rate"], data["measures"]
        print(name)
        for point, channel in data["joints"].items():
            joint(point, channel, measures, rate)
            positions = array(channel["positions"])
            for start, end in runs(np.isfinite(positions).all(axis=1)):
                if end - start >= WINDOW:
                    plain = compute_speed(in_movement(positions[start:end], rate)).values.squeeze()
                    ours = array(channel["kinematics"]["speed"])[start:end]
                    ratios.extend(ours[plain > 0.05] / plain[plain > 0.05])
        if data["head"]["positions"]:
            head(data["head"], measures, rate)
        for side in data["aperture"]:
            if side["aperture"]:
                thumb, index = map(array, side["tips"])
                expected = np.linalg.norm(thumb - index, axis=1)
                same("hand: aperture (numpy)", array(side["aperture"]), expected, 1e-9)
        if data["gaze"]:
            totals += gaze(name, data["gaze"], rate)
    print("\nequal values:")
    for key, count in sorted(compared.items()):
        print(f"  {key:<55} {count:>9}")
    print("\nexplained differences:")
    print(f"  fixations by I-DT: {totals[0]} in planar angles, {totals[1]} in space (largest angle)")
    print(
        "  speed with the filter, divided by that of movement, which has none: "
        f"median {np.median(ratios):.4f}, 5 % to 95 %: "
        f"{np.quantile(ratios, 0.05):.3f} to {np.quantile(ratios, 0.95):.3f}"
    )


main()
