"""Shared code of the checks of tables: the expected content of a table as NumPy columns.

A wide table is compared with `inputanim sample`, to the last bit; a table of keys with lossless JSON.
"""

import json
import subprocess
import os

import numpy as np

from inputanim import OUT, convert, frames, once, recordings

NAN = {"Infinity": np.inf, "-Infinity": -np.inf, "NaN": np.nan}
CHANNELS = [f"{part}.{axis}" for part in ("position", "rotation") for axis in "xyzw"]
CHANNELS.remove("position.w")
RAY = [f"{part}.{axis}" for part in ("origin", "direction") for axis in "xyz"]


def plays(recording):
    """Returns True if the recording can be sampled. If not, checks that `convert` refuses it too."""
    program = os.environ["INPUTANIM_PROGRAM"]
    sample = subprocess.run([program, "sample", recording, "--at", "0.0"], capture_output=True)
    # Exit code 3: the recording is damaged, and was sampled as it is.
    if sample.returncode in (0, 3):
        return True
    output = OUT / "refused.parquet"
    refused = subprocess.run([program, "convert", "--force", recording, output], capture_output=True)
    assert refused.returncode == 1 and b"error:" in refused.stderr, refused.stderr
    return False


def refuses_no_rows(recording, name, *options):
    """Checks that `convert` writes no table if it would have no rows."""
    command = [os.environ["INPUTANIM_PROGRAM"], "convert", "--force", recording, OUT / name, *options]
    refused = subprocess.run(command, capture_output=True)
    assert refused.returncode == 1 and b"no rows" in refused.stderr, refused.stderr


def wide(recording, *options):
    """Returns the sampled columns by name: numbers as float32 with NaN for missing values, states as
    booleans. A stream without any value may have no column."""
    rows = frames(recording, *options)
    columns = {"time_s": np.array([row["time"] for row in rows], np.float32)}

    def numbers(name, values):
        values = [np.nan if value is None else value for value in values]
        columns[name] = np.array(values, np.float32)

    def parts(name, objects, channels):
        if any(objects):
            for channel in channels:
                part, axis = channel.split(".")
                axis = "xyzw".index(axis)
                numbers(f"{name}.{channel}", [o[part][axis] if o else None for o in objects])

    parts("head", [row.get("head") for row in rows], CHANNELS)
    parts("gaze", [row.get("gaze") for row in rows], RAY)
    for side in ("left", "right"):
        hands = [row.get(side) for row in rows]
        if rows and hands[0]:
            for state in ("tracked", "pinching"):
                columns[f"{side}.{state}"] = np.array([hand[state] for hand in hands], bool)
            joints = {joint for hand in hands for joint in hand["joints"]}
            for joint in joints:
                parts(f"{side}.{joint}", [hand["joints"].get(joint) for hand in hands], CHANNELS)
    return columns


def sampled(recording, *options):
    """Returns the columns of `wide`, which checks that run at the same time share."""
    key = "".join([recording.parent.name, "-", recording.name, *options])
    return once(key, lambda: wide(recording, *options))


def same_wide(found, expected, what):
    """Compares columns with the sampled ones; `found` has NaN for missing values."""
    for name, column in expected.items():
        # A hand without any key has no columns.
        if name not in found and column.dtype == bool and not column.any():
            continue
        there = np.asarray(found[name])
        assert len(there) == len(column), f"{what}: {name}: {len(there)} rows, not {len(column)}"
        if column.dtype == bool:
            there = there.astype(bool)
            equal = there == column
        else:
            there = there.astype(np.float32)
            # Values that are not finite are printed as empty.
            nothing = ~np.isfinite(there) & np.isnan(column)
            equal = (there.view(np.uint32) == column.view(np.uint32)) | nothing
        row = int(np.argmin(equal)) if len(equal) else 0
        assert equal.all(), f"{what}: {name}, row {row}: {there[row]}, not {column[row]}"
    # A joint that is never tracked has a column without values.
    for name in set(found) - set(expected) - {"marker"}:
        assert np.isnan(np.asarray(found[name], float)).all(), f"{what}: {name} should have no values"


def bits(numbers):
    """Returns numbers of lossless JSON as the bits of 32-bit floats, and `None` for `None`."""
    found, exact = [], {}
    for place, number in enumerate(numbers):
        if number is None or (isinstance(number, str) and number.startswith("NaN(")):
            exact[place] = number and int(number[4:-1], 16)
            number = 0
        found.append(NAN[number] if isinstance(number, str) else number)
    with np.errstate(over="ignore"):
        found = np.array(found, np.float64).astype(np.float32).view(np.uint32).tolist()
    for place, value in exact.items():
        found[place] = value
    return found


def document(recording):
    """Returns layout, flags, curves with their keys as bits, and markers from lossless JSON."""
    text = convert(recording, "json").read_text(encoding="utf-8")
    whole = json.loads(text)
    curves = {}
    for curve in whole["curves"]:
        # The numbers of a simple key, or the numbers and the weighted mode of a full key.
        columns = [*zip(*curve["keys"])]
        keys = [*zip(*map(bits, columns[:6]), *columns[6:])]
        kind, wrap = curve["kind"], (curve["preWrap"], curve["postWrap"])
        curves[curve["curve"]] = (kind, wrap, keys)
    markers = whole.get("markers", [])
    markers = [*zip(bits(m["time"] for m in markers), (m["name"] for m in markers))]
    return whole["layout"], whole.get("flags"), curves, markers


def rebuilt(rows):
    """Returns the same from a table of keys. A row has curve, the bits of time, value, tangents and
    weights, weighted mode, kind, wrap modes and name, with None for empty cells."""
    layout, flags, curves, markers = None, {}, {}, []
    for curve, *numbers, mode, kind, pre, post, name in rows:
        if kind == "layout":
            layout = name
        elif kind == "flag":
            flags[name] = int(np.uint32(numbers[1]).view(np.float32))
        elif kind == "marker":
            markers.append((numbers[0], name or ""))
        else:
            _, _, keys = curves.setdefault(curve, (kind, (int(pre), int(post)), []))
            if numbers[0] is not None:
                count = 6 if kind == "full" else 2
                keys.append(tuple(numbers[:count]) + ((int(mode),) if kind == "full" else ()))
    return layout, flags or None, curves, markers


def same_keys(rows, recording, what):
    key = f"{recording.parent.name}-{recording.name}-keys"
    layout, flags, curves, markers = once(key, lambda: document(recording))
    found = rebuilt(rows)
    assert found[0] == layout and found[1] == flags, f"{what}: {found[:2]}, not {layout} {flags}"
    assert found[3] == markers, f"{what}: {found[3]}, not {markers}"
    kinds = {"simple" if layout in ("mrtk-1.1", "mixed-1.1-simple-no-markers") else "full", "boolean"}
    for name, curve in curves.items():
        # A curve without keys has a row only if its wrap modes or kind are not the defaults.
        usual = not curve[2] and curve[0] in kinds and curve[1] == (8, 8)
        if usual and name not in found[2]:
            continue
        assert found[2].get(name) == curve, f"{what}: {name} differs"
    extra = set(found[2]) - set(curves)
    assert not extra, f"{what}: {extra}"


def check(extension, readers_of_wide, readers_of_keys, max_bytes=None):
    """Runs readers on all recordings, or on files up to a size. Each reader returns columns or rows of keys."""
    count = 0
    for recording in recordings(max_bytes):
        file = convert(recording, f"keys.{extension}", "--shape", "keys")
        for name, read in readers_of_keys.items():
            same_keys(read(file), recording, f"{recording}: {name}")
        if not plays(recording):
            continue
        for options in (["--rate", "60"], ["--at-keys"]):
            expected = sampled(recording, *options)
            if not len(expected["time_s"]):
                refuses_no_rows(recording, f"refused.{extension}", *options)
                continue
            file = convert(recording, f"wide.{extension}", *options)
            for name, read in readers_of_wide.items():
                same_wide(read(file), expected, f"{recording}: {name} {options}")
        count += 1
    names = ", ".join(dict.fromkeys([*readers_of_wide, *readers_of_keys]))
    print(f"{count} recordings in {names} are bit-identical to the sampler; all keys are intact")
