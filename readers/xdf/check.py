"""Reads XDF with pyxdf, and checks labels, units, values, times and footers of what is written, recordings that are
added to files of laboratories, and files of laboratories that are read by mappings, also damaged ones."""

import csv
import json
import logging
import random
import re
import struct
import sys
from pathlib import Path

import numpy as np
import pyxdf

sys.path.insert(0, str(Path(__file__).parent.parent))
from files import BOUNDARY, Stream, chunk, file
from inputanim import OUT, convert, recordings, run
from tables import plays, sampled

logging.getLogger("pyxdf").setLevel(logging.CRITICAL)
# The fits of times end at shorter gaps than by default.
BREAKS = {"jitter_break_threshold_seconds": 0.5, "jitter_break_threshold_samples": 10}
TYPES = {
    "position.x": ("PositionX", "meters"),
    "position.y": ("PositionY", "meters"),
    "position.z": ("PositionZ", "meters"),
    "rotation.x": ("OrientationB", "quaternion"),
    "rotation.y": ("OrientationC", "quaternion"),
    "rotation.z": ("OrientationD", "quaternion"),
    "rotation.w": ("OrientationA", "quaternion"),
    "origin.x": ("PositionX", "meters"),
    "origin.y": ("PositionY", "meters"),
    "origin.z": ("PositionZ", "meters"),
    "direction.x": ("DirectionX", "normalized"),
    "direction.y": ("DirectionY", "normalized"),
    "direction.z": ("DirectionZ", "normalized"),
    "tracked": ("State", "boolean"),
    "pinching": ("State", "boolean"),
}
KINDS = {"head": "MoCap", "left": "MoCap", "right": "MoCap", "gaze": "Gaze", "states": "States"}


def expect(holds, what):
    if not holds:
        raise AssertionError(what)


def load(path):
    """Returns the streams by name, and the header of the file."""
    streams, head = pyxdf.load_xdf(path, **BREAKS)
    return {stream["info"]["name"][0]: stream for stream in streams}, head


def labels(stream):
    """Returns the labels of the channels, after checking their types and units."""
    channels = stream["info"]["desc"][0]["channels"][0]["channel"]
    expect(len(channels) == int(stream["info"]["channel_count"][0]), "channel count")
    found = []
    for channel in channels:
        label = channel["label"][0]
        part = label.split(".", 1)[1] if label.count(".") < 3 else label.split(".", 2)[2]
        expect((channel["type"][0], channel["unit"][0]) == TYPES[part], f"type and unit of {label}")
        found.append(label)
    return found


def footer(stream, what):
    info = stream["footer"]["info"]
    times = stream["time_stamps"]
    expect(int(info["sample_count"][0]) == len(times), f"{what}: sample count")
    if len(times):
        expect(abs(float(info["first_timestamp"][0]) - times[0]) < 1e-9, f"{what}: first time")
        expect(abs(float(info["last_timestamp"][0]) - times[-1]) < 1e-9, f"{what}: last time")
    expect(all(value == 0 for value in stream["clock_values"]), f"{what}: clock offsets")
    expect(len(stream["clock_times"]) == (1 if len(times) else 0), f"{what}: a clock offset")


def state_at(stream, label, times):
    """Returns the state at each time; it holds from its sample on."""
    column = stream["time_series"][:, labels(stream).index(label)]
    index = np.searchsorted(stream["time_stamps"], times + 1e-9, side="right") - 1
    return column[np.maximum(index, 0)].astype(bool)


def check_streams(streams, zero, rate, expected, markers, what):
    """Compares streams with sampled columns. `zero` is the time stamp of t = 0."""
    times = expected.pop("time_s").astype(float)
    if rate:
        # The file has the exact times of the rate, and samples have the nearest 32-bit floats.
        exact = np.arange(len(times)) / rate
        expect((exact.astype(np.float32) == times.astype(np.float32)).all(), f"{what}: times of the rate")
        times = exact
    seen = set()
    for name, kind in KINDS.items():
        stream = streams.get(f"inputanim-{name}")
        if stream is None:
            continue
        info = stream["info"]
        footer(stream, f"{what}: {name}")
        expect(info["type"] == [kind], f"{what}: type of {name}")
        expect(float(info["nominal_srate"][0]) == (rate if kind != "States" else 0), f"{what}: rate")
        names = labels(stream)
        if name == "states":
            for label in names:
                if label in expected:
                    found = state_at(stream, label, times + zero)
                    expect((found == expected[label].astype(bool)).all(), f"{what}: {label}")
            seen.update(names)
            continue
        expect(len(stream["time_stamps"]) == len(times), f"{what}: samples of {name}")
        largest = np.abs(stream["time_stamps"] - zero - times).max(initial=0)
        expect(largest < 1e-9, f"{what}: times of {name}: {largest}")
        expect(stream["time_series"].dtype == np.float32, f"{what}: format of {name}")
        for index, label in enumerate(names):
            found = np.ascontiguousarray(stream["time_series"][:, index])
            column = expected.get(label, np.full(len(times), np.nan, np.float32))
            # Values that are not finite are printed as missing.
            unknown = ~np.isfinite(found) & np.isnan(column)
            same = (found == column) | unknown
            expect(same.all(), f"{what}: {label} at {np.argmin(same)}")
        seen.update(names)
    for name in set(expected) - seen:
        column = expected[name]
        has_value = column.any() if column.dtype == bool else not np.isnan(column).all()
        expect(not has_value, f"{what}: {name} has no channel")
    stream = streams.get("inputanim-markers")
    found = []
    if stream:
        footer(stream, f"{what}: markers")
        found = [(time - zero, text) for time, (text,) in zip(stream["time_stamps"], stream["time_series"])]
    expect([text for _, text in found] == [text for _, text in markers], f"{what}: markers")
    for (time, _), (expected_time, _) in zip(found, markers):
        expect(abs(time - expected_time) < 1e-9, f"{what}: time of a marker")


def markers_of(recording):
    listed = json.loads(run("markers", "list", recording, "--format", "json"))
    found = [(float(np.float32(marker["time"])), marker["name"]) for marker in listed]
    return sorted(found, key=lambda marker: marker[0])


def check_written(recording):
    """Checks the files of a recording, and returns the number of compared samples."""
    compared = 0
    markers = markers_of(recording)
    for rate, space in ((60, "unity"), (90, "openxr"), (0, "unity")):
        sampling = ["--rate", str(rate)] if rate else ["--at-keys"]
        path = convert(recording, "xdf", *sampling, "--space", space, "--start-time", "2024-05-01T10:00:00Z")
        streams, head = load(path)
        what = f"{recording.name} {rate} {space}"
        expect(head["info"]["version"] == ["1.0"], what)
        expect(head["info"]["datetime"] == ["2024-05-01T10:00:00+0000"], what)
        # Without the axes that are the default, the checks of tables share the columns.
        axes = ["--space", space] if space != "unity" else []
        expected = sampled(recording, *sampling, *axes)
        if not rate:
            # Playback begins at 0.
            keep = expected["time_s"] >= 0
            expected = {name: column[keep] for name, column in expected.items()}
        compared += len(expected["time_s"])
        check_streams(streams, 0.0, rate, expected, markers, what)
    return compared


def lab(seed, kind="float32"):
    """Returns a file with an EEG, a tracker and markers, whose clocks differ."""
    rng = random.Random(seed)
    eeg = Stream(rng, 1, labels=["Fz", "Cz"], form="float32", kind="EEG", rate=250)
    tracker = Stream(rng, 2, labels=["px", "py", "pz"], form=kind, kind="MoCap", rate=rng.choice([0, 60]))
    stim = Stream(rng, 3, labels=["text"], form="string", kind="Markers", rate=0)
    stim.rows = [(stamp, [f"trial {number}"]) for number, (stamp, _) in enumerate(stim.rows[:5])]
    stim.count = len(stim.rows)
    return [eeg, tracker, stim], rng


def same(a, b, what):
    expect(np.array_equal(a["time_stamps"], b["time_stamps"]), f"{what}: times")
    expect(np.array_equal(np.asarray(a["time_series"]), np.asarray(b["time_series"])), f"{what}: values")


def check_appended(recording, seed):
    """Checks a recording that is added to a file of a laboratory."""
    streams, rng = lab(seed)
    existing = OUT / "lab.xdf"
    existing.write_bytes(file(streams, rng))
    before, _ = load(existing)
    first = min(stream["time_stamps"].min() for stream in before.values() if len(stream["time_stamps"]))
    stim = before["stream 3"]
    columns = sampled(recording, "--rate", "60")
    # Samples have states that were never recorded, too.
    is_empty = all(name == "time_s" or values.dtype == bool for name, values in columns.items())
    markers = markers_of(recording)
    order = np.argsort(stim["time_stamps"], kind="stable")
    places = [("2.5", first + 2.5), ("lsl:1234.5", 1234.5)]
    if len(order):
        places.append((stim["time_series"][order[-1]][0], stim["time_stamps"][order[-1]]))
    for place, zero in places:
        output = OUT / "both.xdf"
        run("convert", "--force", recording, output, "--append-to", existing, "--at", place, "--rate", "60")
        expect(output.read_bytes().startswith(existing.read_bytes()), "the bytes of the laboratory")
        after, _ = load(output)
        ids = [stream["info"]["stream_id"] for stream in after.values()]
        expect(len(set(ids)) == len(ids), f"{seed}: equal ids of streams")
        expect((len(ids) == len(before)) == is_empty, f"{seed}: streams of {recording.name}")
        uids = [stream["info"]["uid"][0] for stream in after.values() if "uid" in stream["info"]]
        expect(len(set(uids)) == len(uids), "unique ids")
        for name, stream in before.items():
            same(stream, after[name], f"{seed}: {name}")
        # Large times have fewer digits.
        check_streams(after, zero, 60, dict(columns), markers, f"{seed}: at {place}")


def check_mapped(seed, damaged=False):
    """Compares a tracker that is read by mappings with pyxdf."""
    kind = random.Random(seed).choice(["float32", "double64", "int16", "int64"])
    streams, rng = lab(seed, kind)
    data = file(streams, rng, footers=rng.random() < 0.7)
    if damaged:
        # The chunks from here to the next boundary are lost.
        boundary = re.escape(chunk(5, BOUNDARY))
        places = [found.end() for found in re.finditer(boundary, data)] or [len(data)]
        place = rng.choice(places)
        data = data[:place] + rng.choice([b"\x07", b"\x00", b"\x02garbage"]) + data[place:]
    path = OUT / "tracker.xdf"
    path.write_bytes(data)
    stream = load(path)[0]["stream 2"]
    mappings = [f"--map=head.position.{axis}=stream 2/p{axis}*0.001" for axis in "xyz"]
    if not len(stream["time_stamps"]):
        return 0
    table = OUT / "tracker.csv"
    run("convert", "--force", path, table, *mappings, "--at-keys")
    times = (stream["time_stamps"] - stream["time_stamps"][0]).astype(np.float32)
    keep, last = [], -np.inf
    for index, time in enumerate(times):
        if time > last:
            keep.append(index)
            last = time
    times, values = times[keep], stream["time_series"][keep]
    with open(table, newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    expect(len(rows) == len(times), f"{seed}: {len(rows)} rows, not {len(times)}")
    found = np.array([float(row["time_s"]) for row in rows], np.float32)
    near = np.abs(found - times) <= 1e-9 + np.spacing(np.abs(times))
    expect(near.all(), f"{seed}: times: {found[~near]} {times[~near]}")
    for index, axis in enumerate("xyz"):
        column = np.array([float(row[f"head.position.{axis}"]) for row in rows], np.float32)
        expected = (values[:, index].astype(float) * 0.001).astype(np.float32)
        expect((column == expected).all(), f"{seed}: {axis}")
    return len(rows)


def check_devices():
    """Checks the stream of a controller: labels, types, units, values, and the times of a button."""
    curve = '{{"curve":"right.controller.{}","preWrap":8,"postWrap":8,"kind":"{}","keys":{}}}'
    curves = [
        curve.format("a.click", "boolean", "[[0.0,0.0],[0.33,1.0],[1.0,1.0]]"),
        curve.format("trigger.value", "simple", "[[0.0,0.0],[1.0,1.0]]"),
    ]
    profile = "/interaction_profiles/valve/index_controller"
    text = f"""{{"format":"inputanim-json","version":3,"layout":"mrtk-1.1","flags":{{"head":0,"hand":0,"gaze":0}},
"curves":[{",".join(curves)}],
"devices":[{{"device":"right.controller","profiles":[[0.0,true,"{profile}"]],"haptics":[]}}],"markers":[]}}"""
    source, path = OUT / "controller.json", OUT / "controller.xdf"
    source.write_text(text, encoding="utf-8")
    run("convert", "--force", source, path, "--rate", "10")
    streams, _ = load(path)
    stream = streams["inputanim-right.controller"]
    expect(stream["info"]["type"][0] == "Controller", "type of a controller")
    channels = stream["info"]["desc"][0]["channels"][0]["channel"]
    found = [(channel["label"][0], channel["unit"][0]) for channel in channels]
    names = ["active", "profile", "a.click", "trigger.value"]
    units = ["boolean", "index", "boolean", "normalized"]
    expect(found == [(f"right.controller.{name}", unit) for name, unit in zip(names, units)], f"channels: {found}")
    written = stream["info"]["desc"][0]["inputanim"][0]["device"][0]
    expect((written["name"], written["profile"]) == (["right.controller"], [profile]), "facts about a controller")
    times, values = stream["time_stamps"], np.array(stream["time_series"])
    expect(np.isclose(times, np.float32(0.33)).sum() == 1, "the time of a button")
    expect((values[:, 0] == 1).all() and (values[:, 1] == 0).all(), "state and profile")
    expect((values[:, 2] == (times >= np.float32(0.33))).all(), "button")
    expect(np.allclose(values[:, 3], times, atol=1e-6), "trigger")
    footer(stream, "controller")


check_devices()
playable = [recording for recording in recordings() if plays(recording)]
samples = sum(check_written(recording) for recording in playable)
for seed in range(10):
    check_appended(playable[seed % len(playable)], seed)
mapped = sum(check_mapped(seed, damaged=seed % 3 == 2) for seed in range(30))
print(f"{samples} samples of {len(playable)} files and {mapped} samples of trackers are equal in pyxdf")
