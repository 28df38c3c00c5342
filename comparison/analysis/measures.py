"""Computes measures of a folder of recordings with NumPy, SciPy and pymovements, as a researcher might: head,
palms and index tips, fingers, pinches and gaze. It computes most of the measures of `inputanim stats`, by the
same methods, without targets and segments.

    python measures.py FOLDER OUT.csv [--frombuffer]

Keys are unpacked one by one, as the specification describes them. With --frombuffer, NumPy reads all keys
of a curve at once.
"""

import csv
import sys
import warnings
from pathlib import Path

import numpy as np
from pymovements.events import idt, ivt
from scipy.signal import find_peaks, savgol_filter
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

sys.path.insert(0, str(Path(__file__).parent.parent / "tables"))
from straightforward import FINGERS, JOINTS, Reader, at, state_at

RATE = 60
WINDOW, ORDER = 11, 3


def runs(known):
    """Returns the start and the end of each run of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], known.astype(int), [0]])))
    return edges.reshape(-1, 2)


def statistics(row, name, values):
    """Adds the statistics of the known values."""
    values = np.asarray(values, float)
    values = values[np.isfinite(values)]
    if len(values) < 2:
        return
    median, p95 = np.quantile(values, [0.5, 0.95])
    row[f"{name}.mean"], row[f"{name}.sd"] = values.mean(), values.std(ddof=1)
    row[f"{name}.min"], row[f"{name}.max"] = values.min(), values.max()
    row[f"{name}.median"], row[f"{name}.p95"] = median, p95


def kinematics(positions):
    """Returns speed, acceleration and jerk; unknown where a run is shorter than the window."""
    found = np.full((3, len(positions)), np.nan)
    for start, end in runs(np.isfinite(positions).all(axis=1)):
        if end - start < WINDOW:
            continue
        for derivative in (1, 2, 3):
            part = savgol_filter(positions[start:end], WINDOW, ORDER, derivative, 1 / RATE, axis=0, mode="interp")
            found[derivative - 1, start:end] = np.linalg.norm(part, axis=1)
    return found


def path_length(positions):
    steps = np.linalg.norm(np.diff(positions, axis=0), axis=1)
    return np.nansum(steps)


def angle(a, b):
    """Returns the angle between two arrays of directions in degrees."""
    cross = np.linalg.norm(np.cross(a, b), axis=1)
    return np.degrees(np.arctan2(cross, np.sum(a * b, axis=1)))


def smoothness(speed):
    """Returns SPARC and the logarithm of the dimensionless jerk (Balasubramanian et al. 2015)."""
    size = 2 ** (int(np.ceil(np.log2(len(speed)))) + 4)
    frequency = np.arange(size) * RATE / size
    spectrum = abs(np.fft.fft(speed, size))
    spectrum = (spectrum / spectrum.max())[frequency <= 10]
    first, *_, last = np.flatnonzero(spectrum >= 0.05)
    part = np.diff(spectrum[first : last + 1])
    sparc = -np.sum(np.hypot(1 / max(last - first, 1), part))
    jerk = np.diff(speed, 2) * RATE**2
    duration = len(speed) / RATE
    dimensionless = np.sum(jerk**2) / RATE * duration**3 / speed.max() ** 2
    return sparc, -np.log(max(dimensionless, 1e-300))


def movements(row, side, positions, speed):
    """Adds the measures of movements: runs above 0.05 m/s that reach 0.1 m/s and last 0.1 s."""
    found = [
        (start, end)
        for start, end in runs(speed >= 0.05)
        if speed[start:end].max() >= 0.1 and end - 1 - start >= 0.1 * RATE
    ]
    row[f"{side}.movements"] = len(found)
    measures = {name: [] for name in ["duration", "amplitude", "peak_speed", "time_to_peak", "straightness", "submovements", "sparc", "ldlj"]}
    for start, end in found:
        part = speed[start:end]
        amplitude = np.linalg.norm(positions[end - 1] - positions[start])
        peaks, _ = find_peaks(part, prominence=0.05 * part.max())
        sparc, ldlj = smoothness(part)
        values = [(end - 1 - start) / RATE, amplitude, part.max(), part.argmax() / RATE]
        values += [amplitude / path_length(positions[start:end]), max(len(peaks), 1), sparc, ldlj]
        for name, value in zip(measures, values):
            measures[name].append(value)
    for name, values in measures.items():
        statistics(row, f"{side}.movement.{name}", values)


def hand(row, side, tracked, joints, head):
    """Adds the measures of the paths and of the fingers of one hand."""
    for joint in ["Palm", "IndexTip"]:
        positions = joints[joint]
        speed, acceleration, jerk = kinematics(positions)
        name = f"{side}.{joint}"
        row[f"{name}.path_length"] = path_length(positions)
        statistics(row, f"{name}.speed", speed)
        statistics(row, f"{name}.acceleration", acceleration)
        statistics(row, f"{name}.jerk", jerk)
        if head is not None:
            statistics(row, f"{name}.reach", np.linalg.norm(positions - head, axis=1))
        known = positions[np.isfinite(positions).all(axis=1)]
        if len(known) > 3:
            row[f"{name}.box"] = np.ptp(known, axis=0)
            row[f"{name}.hull_volume"] = ConvexHull(known).volume
        if joint == "Palm":
            movements(row, side, positions, speed)
    for finger in FINGERS:
        chain = [finger + joint for joint in ["Metacarpal", "Knuckle", "MiddleJoint", "DistalJoint", "Tip"]]
        bones = [joints[b] - joints[a] for a, b in zip(chain, chain[1:])]
        lengths = [np.linalg.norm(bone, axis=1) for bone in bones]
        for a, b, joint in zip(bones, bones[1:], chain[1:]):
            statistics(row, f"{side}.{joint}.flexion", angle(a, b))
        across = np.cross(joints["IndexKnuckle"] - joints["Wrist"], joints["PinkyKnuckle"] - joints["Wrist"])
        across /= np.linalg.norm(across, axis=1, keepdims=True)
        statistics(row, f"{side}.{chain[1]}.abduction", 90 - angle(bones[1], np.cross(across, bones[0])))
        for length, joint in zip(lengths, chain[1:]):
            statistics(row, f"{side}.{joint}.bone_length", length)
        reach = np.linalg.norm(joints[chain[-1]] - joints[chain[1]], axis=1)
        statistics(row, f"{side}.{finger}.curl", 1 - reach / sum(lengths[1:]))
    tips = [joint for joint in JOINTS if joint.endswith("Tip")]
    openness = np.mean([np.linalg.norm(joints[tip] - joints["Palm"], axis=1) for tip in tips], axis=0)
    statistics(row, f"{side}.openness", openness)
    aperture = np.linalg.norm(joints["ThumbTip"] - joints["IndexTip"], axis=1)
    statistics(row, f"{side}.aperture", aperture)
    return aperture


def pinches(row, side, source, state, between):
    """Adds the measures of pinches, given the state at each sample."""
    found = runs(state)
    name = f"{side}.{source}"
    row[f"{name}.count"] = len(found)
    statistics(row, f"{name}.duration", [(end - start) / RATE for start, end in found])
    statistics(row, f"{name}.drag", [path_length(between[start:end]) for start, end in found])
    statistics(row, f"{name}.interval", np.diff([start for start, _ in found]) / RATE)
    gaps = [(b[0] - a[1]) / RATE for a, b in zip(found, found[1:])]
    statistics(row, f"{name}.movement_time", gaps)


def hysteresis(aperture):
    state, on = np.zeros(len(aperture), bool), False
    for index, distance in enumerate(aperture):
        on = distance <= (0.04 if on else 0.03)
        state[index] = on
    return state


def gaze(row, direction, view):
    direction = direction / np.linalg.norm(direction, axis=1, keepdims=True)
    velocity = np.zeros(len(direction))
    velocity[1:-1] = angle(direction[:-2], direction[2:]) * RATE / 2
    yaw = np.degrees(np.unwrap(np.arctan2(direction[:, 0], direction[:, 2])))
    planar = np.stack([yaw, np.degrees(np.arcsin(direction[:, 1]))], axis=1)
    pairs = np.stack([velocity, np.zeros_like(velocity)], axis=1)
    by_dispersion = idt(planar, minimum_duration=round(0.25 * RATE), dispersion_threshold=1.0).frame
    by_velocity = ivt(pairs, minimum_duration=round(0.1 * RATE), velocity_threshold=20.0).frame
    for method, frame in [("idt", by_dispersion), ("ivt", by_velocity)]:
        onsets, offsets = frame["onset"].to_numpy(), frame["offset"].to_numpy()
        row[f"gaze.{method}.count"] = len(onsets)
        statistics(row, f"gaze.{method}.duration", (offsets - onsets) / RATE)
        areas, spreads, means = [], [], []
        for onset, offset in zip(onsets, offsets):
            part = planar[onset : offset + 1]
            if len(part) > 2:
                areas.append(2 * np.pi * 1.1457 * np.sqrt(max(np.linalg.det(np.cov(part.T)), 0)))
            mean = direction[onset : offset + 1].mean(axis=0)
            means.append(mean / np.linalg.norm(mean))
            spreads.append(np.ptp(part, axis=0).sum())
        statistics(row, f"gaze.{method}.dispersion", spreads)
        statistics(row, f"gaze.{method}.bcea", areas)
        if len(means) > 1:
            row[f"gaze.{method}.scan_path"] = angle(np.array(means[:-1]), np.array(means[1:])).sum()
    saccades = runs(velocity >= 30)
    row["gaze.saccades"] = len(saccades)
    amplitudes = [angle(direction[[start]], direction[[end - 1]])[0] for start, end in saccades]
    peaks = [velocity[start:end].max() for start, end in saccades]
    statistics(row, "gaze.saccade.amplitude", amplitudes)
    statistics(row, "gaze.saccade.peak_velocity", peaks)
    if view is not None:
        statistics(row, "gaze.head_offset", angle(direction, view))


def measure(path, at_once):
    """Returns the measures of one recording by name."""
    reader = Reader(path.read_bytes(), at_once)
    reader.take("qii")
    has_head, has_hands, has_gaze = reader.take("???")
    curves_of_head = reader.pose() if has_head else []
    states = [reader.curve() for _ in range(4)] if has_hands else []
    poses = [[reader.pose() for _ in JOINTS] for _ in range(2)] if has_hands else []
    rays = [reader.curve() for _ in range(6)] if has_gaze else []
    curves = curves_of_head + states + [curve for joints in poses for pose in joints for curve in pose] + rays
    duration = max((keys[-1] for keys, _ in curves if len(keys)), default=0)
    times = (np.arange(int(np.floor(duration * RATE)) + 1) / RATE).astype("f4")
    row = {"recording": path.stem, "duration": duration}
    head = view = None
    if curves_of_head and len(curves_of_head[0][0]):
        head = np.stack([at(curve, times) for curve in curves_of_head[:3]], axis=1).astype(float)
        turns = Rotation.from_quat(np.stack([at(curve, times) for curve in curves_of_head[3:]], axis=1))
        view = turns.apply([0, 0, 1])
        row["head.path_length"] = path_length(head)
        statistics(row, "head.speed", kinematics(head)[0])
        statistics(row, "head.angular_speed", np.degrees((turns[:-2].inv() * turns[2:]).magnitude()) * RATE / 2)
        row["head.angular_path"] = np.degrees((turns[:-1].inv() * turns[1:]).magnitude()).sum()
        for name, angles in zip(["yaw", "pitch", "roll"], turns.as_euler("YXZ").T):
            row[f"head.{name}_range"] = np.degrees(np.ptp(np.unwrap(angles)))
    palms = []
    for index, joints in enumerate(poses):
        side = ["left", "right"][index]
        tracked = state_at(states[index], times)
        row[f"{side}.tracked_share"] = tracked.mean()
        positions = {}
        for joint, pose in zip(JOINTS, joints):
            if len(pose[0][0]):
                values = np.stack([at(curve, times) for curve in pose[:3]], axis=1).astype(float)
                values[~tracked] = np.nan
                positions[joint] = values
        if "Palm" not in positions:
            continue
        aperture = hand(row, side, tracked, positions, head)
        between = (positions["ThumbTip"] + positions["IndexTip"]) / 2
        recorded, geometric = state_at(states[2 + index], times), hysteresis(aperture)
        pinches(row, side, "pinch", recorded, between)
        pinches(row, side, "geometric_pinch", geometric, between)
        agreement = np.mean(recorded[tracked] == geometric[tracked]) if tracked.any() else np.nan
        row[f"{side}.pinch_agreement"] = agreement
        palms.append(positions["Palm"])
    if len(palms) == 2:
        statistics(row, "hands.Palm.distance", np.linalg.norm(palms[0] - palms[1], axis=1))
        speeds = np.stack([kinematics(palm)[0] for palm in palms])
        known = np.isfinite(speeds).all(axis=0)
        if known.sum() > 2:
            row["hands.Palm.speed_correlation"] = np.corrcoef(speeds[:, known])[0, 1]
    if rays and len(rays[0][0]):
        gaze(row, np.stack([at(curve, times) for curve in rays[3:]], axis=1).astype(float), view)
    return row


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    at_once = "--frombuffer" in sys.argv
    rows = [measure(path, at_once) for path in sorted(Path(sys.argv[1]).rglob("*.bin"))]
    names = list(dict.fromkeys(name for row in rows for name in row))
    with open(sys.argv[2], "w", newline="") as file:
        table = csv.DictWriter(file, names)
        table.writeheader()
        table.writerows(rows)
    print(len(rows), "recordings,", len(names), "columns")
