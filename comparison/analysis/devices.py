"""Computes the measures and events of controllers and other devices from their definitions in docs/analysis.md, and compares
them with the output of the program.

    python devices.py PROGRAM

The script makes recordings with two controllers and a tracker as JSON by docs/json.md: with changes of the profile, times at which
a device is not active, and gaps of devices, poses and inputs. It uses no results of the program. For each recording, it compares
the complete recording at 60 Hz and 90 Hz, and segments of 0.5 s, of 0.337 s and with other limits. Tolerances and output are those
of definitions.py.
"""

import csv
import json
import math
import re
import sys
import tempfile
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from definitions import (
    Program,
    Range,
    Target,
    angle,
    angular_speed,
    compare,
    compared,
    derivatives,
    differences,
    first_hit,
    hull_volume,
    norm,
    ratio,
    rotate,
    runs,
    statistics,
    trials,
    turn_angle,
    unit,
)

PRESS, RELEASE, HOLD = 0.5, 0.4, 0.5
POSES = ["right.controller.grip", "left.controller.aim", "tracker.waist.grip"]
BUTTONS = ["right.controller.a.click", "left.controller.x.click"]
INPUTS = [*BUTTONS, "right.controller.trigger.value", "left.controller.trigger.value"]
STICKS = ["right.controller.thumbstick", "tracker.waist.trackpad"]
POINTERS = ["right.controller.aim", "left.controller.aim"]
PROFILES = ["/interaction_profiles/valve/index_controller", "/interaction_profiles/khr/simple_controller"]


def device_of(name):
    return ".".join(name.split(".")[:2])


def single(values):
    return np.asarray(values, "f4").astype(float)


class DeviceRecording:
    """A random recording, and its values by definition. The keys of all curves have single precision."""

    def __init__(self, seed, seconds=9.0):
        random = np.random.default_rng(seed)
        self.start, self.end = 0.0, float(np.float32(seconds))
        self.curves, self.gaps, self.devices = {}, {}, {}

        def curve(name, start, end, values):
            self.curves[name] = single(np.sort(np.append(random.uniform(start, end, len(values) - 2), [start, end]))), single(values)

        def walk(count, step, centre=0.0):
            return centre + np.cumsum(random.normal(0, step, count))

        for axis, centre in zip("xyz", [0, 1.6, 0]):
            curve(f"head.position.{axis}", 0, seconds, walk(200, 0.01, centre))
        for axis, value in zip("xyzw", [0.0, 0, 0, 1]):
            curve(f"head.rotation.{axis}", 0, seconds, [value, value])
        for device in ["left.controller", "right.controller", "tracker.waist"]:
            changes = np.sort(random.uniform(0.5, seconds, 4)) if device != "tracker.waist" else []
            profiles = [(0.0, True, PROFILES[0])] if len(changes) else []
            profiles += [(t, k != 1, [PROFILES[1], None, PROFILES[0], None][k]) for k, t in enumerate(changes)]
            pulses = [(float(t), "haptic", d, f, 0.25) for t, d, f in [(0.7, 0.125, 160.0), (2.2, None, None)]]
            self.devices[device] = {"profiles": profiles, "haptics": pulses if len(changes) else []}
            for pose in ["aim", "grip"]:
                first, last = (0, seconds) if pose == "aim" else (0.3, seconds - 0.4)
                count = 400
                for axis, centre in zip("xyz", [0.2, 1.2, 0.3]):
                    curve(f"{device}.{pose}.position.{axis}", first, last, walk(count, 0.004, centre))
                times = self.curves[f"{device}.{pose}.position.x"][0]
                turn = 0.9 * np.sin(1.3 * times + seed) / 2
                half = [0.1 * np.cos(times), np.sin(turn), 0 * times, np.cos(turn)]
                for axis, values in zip("xyzw", unit(np.stack(half, 1)).T):
                    self.curves[f"{device}.{pose}.rotation.{axis}"] = times, single(values)
                for axis in "yz":
                    name = f"{device}.{pose}.position.{axis}"
                    self.curves[name] = times, self.curves[name][1]
            for part in ["thumbstick", "trackpad"]:
                for axis in "xy":
                    curve(f"{device}.{part}.{axis}", 0, seconds, np.clip(walk(120, 0.2), -1, 1))
            curve(f"{device}.trigger.value", 0, seconds, np.clip(random.uniform(-0.5, 1.5, 60), 0, 1))
            times = single(np.sort(random.uniform(0, seconds, 24)))
            button = "x" if device == "left.controller" else "a"
            self.curves[f"{device}.{button}.click"] = times, np.arange(24) % 2
        for element in [*POSES, *INPUTS, "right.controller.thumbstick.x", "right.controller.profile", "tracker.waist.profile"]:
            starts = np.sort(random.uniform(0, seconds, 2))
            gaps = [(start, start + random.uniform(0.05, 0.4)) for start in starts]
            if gaps[0][1] > gaps[1][0]:
                gaps = gaps[:1]
            self.gaps[element] = [tuple(float(np.float32(time)) for time in gap) for gap in gaps]

    def write(self, path):
        curves = []
        for name, (times, values) in self.curves.items():
            kind = "boolean" if name.endswith("click") else "simple"
            keys = [[float(t), float(v)] for t, v in zip(times, values)]
            curves.append({"curve": name, "preWrap": 8, "postWrap": 8, "kind": kind, "keys": keys})
        devices = []
        for name, device in self.devices.items():
            profiles = [[float(np.float32(t)), active, profile] for t, active, profile in device["profiles"]]
            devices.append({"device": name, "profiles": profiles, "haptics": [list(pulse) for pulse in device["haptics"]]})
        content = {
            "format": "inputanim-json",
            "version": 3,
            "layout": "mrtk-1.1",
            "flags": {"head": 1, "hand": 0, "gaze": 0},
            "curves": curves,
            "devices": devices,
            "gaps": [{"element": name, "unknown": [list(gap) for gap in gaps]} for name, gaps in self.gaps.items()],
            "markers": [],
        }
        Path(path).write_text(json.dumps(content))

    def value(self, name, times):
        return single(np.interp(single(times), *self.curves[name]))

    def profile(self, device, time):
        """Returns whether a device is active at a time, and its profile."""
        changes = [(single(t), *rest) for t, *rest in self.devices[device]["profiles"]]
        if not changes:
            return True, None
        _, active, profile = max((change for change in changes if change[0] <= time), key=lambda c: c[0], default=(0, False, None))
        return active, profile

    def is_known(self, name, time):
        """Returns whether a part of a device is known at a time: the device is active, and neither has a gap."""
        device = device_of(name)
        elements = [f"{device}.profile", name]
        gaps = [gap for element in elements for gap in self.gaps.get(element, [])]
        return self.profile(device, time)[0] and not any(a < time < b for a, b in gaps)

    def known(self, name, times):
        return np.array([self.is_known(name, time) for time in single(times)])

    def bounds(self, device, name):
        """Returns all times at which something about a part of a device may change."""
        found = [self.start, self.end, *(float(single(t)) for t, *_ in self.devices[device]["profiles"])]
        found += [time for element in (f"{device}.profile", name) for gap in self.gaps.get(element, []) for time in gap]
        if name in self.curves:
            found += list(self.curves[name][0])
        return sorted({time for time in found if self.start <= time <= self.end})

    def intervals(self, device, name, state):
        """Returns the longest time ranges with the same state, and the state. A state of None is left out."""
        found = []
        bounds = self.bounds(device, name)
        for a, b in zip(bounds, bounds[1:]):
            now = state((a + b) / 2)
            if now is None:
                continue
            if found and found[-1][1] == a and found[-1][2] == now:
                found[-1][1] = b
            else:
                found.append([a, b, now])
        return found

    def button(self, name, time):
        times, values = self.curves[name]
        before = np.flatnonzero(times <= time)
        return bool(values[before[-1]]) if len(before) else bool(values[0])


class DeviceAnalysis:
    def __init__(self, recording, rate, targets):
        count = math.floor((recording.end - recording.start) * rate + 1e-6) + 1
        self.recording, self.rate, self.targets = recording, rate, targets
        self.times = recording.start + np.arange(count) / rate
        self.head = np.stack([recording.value(f"head.position.{axis}", self.times) for axis in "xyz"], 1)
        self.poses = {name: self.pose(name) for name in {*POSES, *POINTERS}}
        self.inputs = {name: self.input(name) for name in INPUTS}
        self.presses = {name: self.find_presses(name) for name in INPUTS}
        self.looks = {name: self.find_looks(name) for name in POINTERS}

    def pose(self, name):
        recording, times = self.recording, self.times
        keys = recording.curves[f"{name}.position.x"][0]
        curves = [recording.curves[f"{name}.position.{axis}"][0] for axis in "xyz"]
        first, last = min(keys[0] for keys in curves), max(keys[-1] for keys in curves)
        known = recording.known(name, times) & (times >= first - 1e-6) & (times <= last + 1e-6)
        parts = [recording.value(f"{name}.position.{axis}", times) for axis in "xyz"]
        turns = [recording.value(f"{name}.rotation.{axis}", times) for axis in "xyzw"]
        positions, rotations = np.stack(parts, 1), single(unit(np.stack(turns, 1)))
        positions[~known], rotations[~known] = np.nan, np.nan
        return positions, rotations

    def input(self, name):
        known = self.recording.known(name, self.times)
        if name in BUTTONS:
            values = np.array([self.recording.button(name, time) for time in single(self.times)], float)
        else:
            values = self.recording.value(name, self.times)
        return np.where(known, values, np.nan)

    def find_presses(self, name):
        """Returns the presses of an input, and the time ranges in which it is known."""
        recording, times = self.recording, self.times
        found = []
        if name in BUTTONS:
            device = device_of(name)

            def is_known(time):
                return True if recording.is_known(name, time) else None

            def state(time):
                return recording.button(name, time) if recording.is_known(name, time) else None

            known = [(a, b) for a, b, _ in recording.intervals(device, name, is_known)]
            for start, end, is_on in recording.intervals(device, name, state):
                if is_on:
                    first = any(start == a for a, _ in known)
                    last = any(end == b for _, b in known)
                    found.append({"start": start, "end": end, "cut_start": first, "cut_end": last})
            return found, known
        values, known = self.inputs[name], []
        for start, end in runs(np.isfinite(values)):
            known.append((times[start], times[end - 1]))
            pressed = None
            for index in range(start, end):
                if pressed is None and values[index] >= PRESS:
                    pressed = index
                elif pressed is not None and values[index] < RELEASE:
                    press = {"start": times[pressed], "end": times[index - 1], "cut_end": False}
                    found.append(press | {"cut_start": pressed == start})
                    pressed = None
            if pressed is not None:
                found.append({"start": times[pressed], "end": times[end - 1], "cut_start": pressed == start, "cut_end": True})
        return found, known

    def find_looks(self, name):
        positions, rotations = self.poses[name]
        directions = rotate(rotations, np.array([0.0, 0, 1]))
        known = np.isfinite(positions).all(axis=1) & np.isfinite(directions).all(axis=1)
        watched = np.full(len(self.times), -1)
        for index in np.flatnonzero(known):
            watched[index], _ = first_hit(self.targets, positions[index], directions[index], self.times[index])
        found = []
        for index, target in enumerate(self.targets):
            for start, end in runs(watched == index):
                known_after = end < len(self.times) and known[end]
                last = self.times[end] if known_after else self.times[end - 1]
                found.append({"name": target.name, "start": self.times[start], "end": last})
        return found

    def aim(self, name, time):
        """Returns the ray of a pointer at a time, interpolated between two samples."""
        positions, rotations = self.poses[name]
        directions = rotate(rotations, np.array([0.0, 0, 1]))
        place = min(max((time - self.times[0]) * self.rate, 0), len(self.times) - 1)
        if abs(place - round(place)) < 1e-3:
            place = round(place)
        before = int(place)
        share = place - before
        after = before + 1 if share else before
        origin = positions[before] + share * (positions[after] - positions[before])
        return origin, unit(directions[before] + share * (directions[after] - directions[before]))

    def aimed(self, pointer, time):
        """Returns the target that a press selects, and the selected point."""
        origin, direction = self.aim(pointer, time)
        if not np.isfinite([*origin, *direction]).all():
            return None
        index, _ = first_hit(self.targets, origin, direction, time)
        if index < 0:
            existing = [index for index, target in enumerate(self.targets) if target.exists(time)]
            if not existing:
                return None
            index = min(existing, key=lambda index: angle(self.targets[index].centre - origin, direction))
        target = self.targets[index]
        along = max(0.0, (target.centre - origin) @ direction)
        return target, origin + along * direction

    def events(self):
        rows = []

        def add(kind, device, name, start, end, **properties):
            side = device.split(".")[0] if device.endswith(".controller") else ""
            rows.append({"kind": kind, "side": side, "name": name, "start_s": start, "end_s": end} | properties)

        for name in INPUTS:
            for press in self.presses[name][0]:
                cut = 1.0 if press["cut_start"] or press["cut_end"] else np.nan
                add("press", device_of(name), name, press["start"], press["end"], cut=cut)
        for device, content in self.recording.devices.items():
            everything = f"{device}.profile"

            def active(time):
                return True if self.recording.is_known(everything, time) else None

            def profile(time):
                return self.recording.profile(device, time)[1] if active(time) else None

            for start, end, _ in self.recording.intervals(device, everything, active):
                add("connected", device, device, start, end)
            for start, end, name in self.recording.intervals(device, everything, profile):
                add("profile", device, f"{device} {name}", start, end)
            for start, output, duration, frequency, amplitude in content["haptics"]:
                numbers = {"amplitude": amplitude, "frequency_hz": frequency or np.nan}
                add("haptic", device, f"{device}.{output}", single(start), single(start) + (duration or 0), **numbers)
        return rows


class DeviceRange(Range):
    """The measures of devices in a time range."""

    def __init__(self, analysis, start, end):
        samples = SimpleNamespace(times=analysis.times, rate=analysis.rate, recording=analysis.recording)
        super().__init__(SimpleNamespace(samples=samples), start, end)
        self.all = analysis

    def measures(self):
        out = {}
        for name in POSES:
            self.pose(out, name)
        for name in INPUTS:
            self.input(out, name)
        for name in STICKS:
            self.stick(out, name)
        for target in self.all.targets:
            for name in POINTERS:
                self.pointer(out, target.name, name)
        for name in INPUTS:
            self.selections(out, name)
        return out

    def pose(self, out, name):
        positions, rotations = self.all.poses[name]
        out[f"{name}.path_length"] = self.path(norm(np.diff(positions, axis=0)))
        for key, values in zip(["speed", "acceleration", "jerk"], derivatives(positions, self.all.rate)):
            statistics(out, f"{name}.{key}", values[self.inside])
        statistics(out, f"{name}.reach", norm(positions - self.all.head)[self.inside])
        known = positions[self.inside & np.isfinite(positions).all(axis=1)]
        for axis, values in zip("xyz", known.T):
            out[f"{name}.box_{axis}"] = np.ptp(values) if len(values) else np.nan
        out[f"{name}.hull_volume"] = hull_volume(known)
        out[f"{name}.angular_path"] = self.path(turn_angle(rotations[:-1], rotations[1:]))
        is_known = np.isfinite(rotations).all(axis=1)
        speed = angular_speed(lambda a, b: turn_angle(rotations[a], rotations[b]), is_known, self.all.rate)
        statistics(out, f"{name}.angular_speed", speed[self.inside])

    def input(self, out, name):
        presses, known = self.all.presses[name]
        time = sum(max(0, min(b, self.end) - max(a, self.start)) for a, b in known)
        found = [press for press in presses if self.belongs(press)]
        is_known = time > 0 or len(found) > 0
        out[f"{name}.presses"] = len(found) if is_known else np.nan
        out[f"{name}.press_rate"] = ratio(len(found), time)
        out[f"{name}.pressed_share"] = ratio(self.overlap(presses), time)
        complete = [press for press in found if not press["cut_start"] and not press["cut_end"]]
        statistics(out, f"{name}.press.duration", [press["end"] - press["start"] for press in complete])
        intervals = [
            b["start"] - a["start"]
            for a, b in zip(found, found[1:])
            if not a["cut_start"] and not b["cut_start"] and any(k[0] <= a["start"] and b["start"] <= k[1] for k in known)
        ]
        statistics(out, f"{name}.press.interval", intervals)
        holds = [press for press in found if press["end"] - press["start"] >= HOLD]
        out[f"{name}.holds"] = len(holds) if is_known else np.nan
        statistics(out, f"{name}.value", self.all.inputs[name][self.inside])

    def stick(self, out, name):
        axes = [self.all.recording.value(f"{name}.{axis}", self.all.times) for axis in "xy"]
        for axis, values in zip("xy", axes):
            values[~self.all.recording.known(f"{name}.{axis}", self.all.times)] = np.nan
        points = np.stack(axes, 1)
        out[f"{name}.travel"] = self.path(norm(np.diff(points, axis=0)))
        statistics(out, f"{name}.deflection", norm(points)[self.inside])

    def pointer(self, out, target, name):
        positions, rotations = self.all.poses[name]
        known = self.has_any(np.isfinite(positions).all(axis=1) & np.isfinite(rotations).all(axis=1))
        every = [event for event in self.all.looks[name] if event["name"] == target]
        found = [event for event in every if self.belongs(event)]
        out[f"{target}.{name}.dwell"] = self.overlap(every) if known else np.nan
        out[f"{target}.{name}.hits"] = len(found) if known else np.nan
        first = [event["start"] - self.start for event in found]
        first += [0.0 for event in every if event["start"] < self.start < event["end"]]
        out[f"{target}.{name}.first_hit"] = min(first, default=np.nan) if known else np.nan

    def selections(self, out, name):
        pointer = next(pointer for pointer in POINTERS if device_of(pointer) == device_of(name))
        rows = []
        presses = [press for press in self.all.presses[name][0] if self.belongs(press)]
        for a, b in zip(presses, presses[1:]):
            if a["cut_end"] or b["cut_start"]:
                continue
            first, second = self.all.aimed(pointer, a["start"]), self.all.aimed(pointer, b["start"])
            if first is None or second is None or first[0] is second[0]:
                continue
            axis = unit(second[0].centre - first[0].centre)
            moved, missed = (second[1] - first[1]) @ axis, (second[1] - second[0].centre) @ axis
            rows.append((moved, missed, b["start"] - a["end"]))
        known = self.has_any(np.isfinite(self.all.poses[pointer][0]).all(axis=1))
        out[f"{name}.fitts.selections"] = len(rows) if known else np.nan
        keys = ["effective_amplitude", "effective_width", "effective_difficulty", "movement_time", "throughput"]
        out |= {f"{name}.fitts.{key}": np.nan for key in keys}
        if not known or len(rows) < 2:
            return
        amplitudes, errors, times = np.array(rows).T
        width = math.sqrt(2 * math.pi * math.e) * errors.std(ddof=1)
        if amplitudes.mean() > 0:
            difficulty = math.log2(amplitudes.mean() / width + 1)
            values = [amplitudes.mean(), width, difficulty, times.mean(), difficulty / times.mean()]
            out |= {f"{name}.fitts.{key}": value for key, value in zip(keys, values)}


COUNTS = re.compile(r"(\.presses|\.holds|\.hits|fitts\.selections)$")


def kind_of(measure):
    """Returns the kind of a measure: its name without target, part of a device and statistic."""
    name = re.sub(r"\.(mean|sd|min|median|p95|max)$", "", measure)
    names = "|".join(re.escape(name) for name in [*POSES, *INPUTS, *STICKS, *POINTERS])
    return "measure " + re.sub(rf"^((ball|panel)\.)?({names})\.", lambda m: ("{target}." if m[1] else "") + "{part}.", name)


def check(program, path, recording, rate, complete):
    targets = [
        Target("ball", "sphere", [0.6, 1.3, 1.2], 0.3),
        Target("panel", "box", [-0.3, 1.2, 1.0], [0.8, 0.8, 0.03], [0.1, 0.3, 0.2, 0.9], [(0.4, 4), (4.6, 90)]),
    ]
    analysis = DeviceAnalysis(recording, rate, targets)
    table = program.folder / "targets.csv"
    rows = [row for target in targets for row in target.rows()]
    columns = list(dict.fromkeys(column for row in rows for column in row))
    with open(table, "w", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)
    parameters = {"poses": POSES, "inputs": INPUTS, "sticks": STICKS, "pointers": POINTERS}
    options = [f"--parameter=devices.{name}={','.join(names)}" for name, names in parameters.items()]
    measured = ["--targets", table, "--measures", "devices", *options]
    ranges = [(recording.start, recording.end)]
    results = program.stats(path, rate, *measured)
    if complete:
        found = [(a, b) for a, b in trials(recording) if np.float32(a) < np.float32(b)]
        segments = program.folder / "trials.csv"
        lines = [f"{path.stem},{a!r},{b!r}" for a, b in ((float(a), float(b)) for a, b in found)]
        segments.write_text("\n".join(["recording,start,end", *lines]) + "\n")
        ranges += found
        results += program.stats(path, rate, *measured, "--segments", segments)
    name = f"{path.name} at {rate} Hz"
    for (start, end), result in zip(ranges, results, strict=True):
        expected = DeviceRange(analysis, start, end).measures()
        for measure, value in result.items():
            if measure in ("recording", "segment", "start_s", "end_s", "missing", "damage"):
                continue
            where = f"{name}, {start:.3f} s to {end:.3f} s: {measure}"
            compare(kind_of(measure), where, value, expected.get(measure, -999), bool(COUNTS.search(measure)))
    check_events(name, analysis, program.events(path, rate, *options, "--kind", "press,connected,profile,haptic"))


def check_events(name, analysis, found):
    def order(row):
        return row["kind"], row["side"], row["name"], float(row["start_s"])

    # All buttons have presses. Those of the tracker are not computed here.
    found = sorted((row for row in found if row["name"] != "tracker.waist.a.click"), key=order)
    expected = sorted(analysis.events(), key=order)
    for kind in ["press", "connected", "profile", "haptic"]:
        ours = [row for row in expected if row["kind"] == kind]
        theirs = [row for row in found if row["kind"] == kind]
        compare(f"event {kind}: number", f"{name}: {kind}", len(theirs), len(ours), True)
        for a, b in zip(theirs, ours):
            where = f"{name}: {kind} {b['name']} at {b['start_s']:.4f} s"
            same = a["side"] == b["side"] and a["name"] == b["name"]
            compare(f"event {kind}: side and name", where, float(same), 1.0, True)
            for column in ["start_s", "end_s", "cut", "amplitude", "frequency_hz"]:
                compare(f"event {kind}: {column}", f"{where}: {column}", a[column], b.get(column))


def main():
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        program = Program(sys.argv[1], folder)
        for seed in range(1, 5):
            recording = DeviceRecording(seed)
            path = program.folder / f"devices-{seed}.json"
            recording.write(path)
            check(program, path, recording, 60, True)
            check(program, path, recording, 90, False)
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
