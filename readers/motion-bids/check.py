"""Checks datasets of Motion-BIDS with the current BIDS validator, and reads them with pandas. check.mjs runs
version 1 of the validator."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pandas

sys.path.insert(0, str(Path(__file__).parent.parent))
from inputanim import OUT, ROOT, recordings, run
from tables import plays, same_wide, wide

# Fields that only the authors of a study know. The validator recommends them.
TO_COMPLETE = {
    "SIDECAR_KEY_RECOMMENDED": {
        "DeviceSerialNumber",
        "InstitutionAddress",
        "InstitutionName",
        "InstitutionalDepartmentName",
        "Instructions",
        "Manufacturer",
        "ManufacturersModelName",
        "StimulusPresentation",
        "SubjectArtefactDescription",
        "TaskDescription",
    },
    "JSON_KEY_RECOMMENDED": {"HEDVersion", "License", "SourceDatasets"},
    "NO_AUTHORS": {"Authors"},
    "TOO_FEW_AUTHORS": {None},
}


def is_to_complete(issue):
    return issue.get("subCode") in TO_COMPLETE.get(issue["code"], ())


def validate(dataset, recordings, subjects):
    """Checks that the validator finds all recordings and no errors, and only recommends fields to complete."""
    program = Path(sysconfig.get_path("scripts")) / "bids-validator-deno"
    command = [program, dataset, "--max-rows=-1", "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    report = json.loads(done.stdout)
    issues = [issue for issue in report["issues"]["issues"] if not is_to_complete(issue)]
    assert not issues and done.returncode == 0, issues or done.stderr
    assert len(report["summary"]["subjects"]) == subjects, report["summary"]
    scans = [line for table in dataset.rglob("*_scans.tsv") for line in table.read_text().splitlines()[1:]]
    assert len(scans) == recordings, scans


def read(motion):
    """Returns the columns of a motion file by the names of its channels."""
    channels = Path(str(motion).replace("_motion.tsv", "_channels.tsv"))
    channels = pandas.read_csv(channels, sep="\t", keep_default_na=False)
    return pandas.read_csv(motion, sep="\t", names=channels["name"], na_values="n/a")


def describe(motion):
    """Returns the description of a motion file."""
    return json.loads(Path(str(motion).replace("_motion.tsv", "_motion.json")).read_text())


def analysed_range(source):
    """Returns the first and the last time in the recording that `stats` analyses, in seconds."""
    (analysis,) = json.loads(run("stats", source, "--format", "json", "--measures", "duration"))
    return analysis["start_s"], analysis["end_s"]


def check_times(motion, source):
    """Checks that events begin and end at the same times as the events of the analysis."""
    start, end = analysed_range(source)
    assert abs(describe(motion)["RecordingDuration"] - (end - start)) < 1e-5, motion
    kinds = {"marker", "pinch", "tracked"}
    expected = [event for event in json.loads(run("events", source, "--format", "json")) if event["kind"] in kinds]
    found = pandas.read_csv(str(motion).replace("_motion.tsv", "_events.tsv"), sep="\t")
    assert sorted(found.trial_type) == sorted(event["kind"] for event in expected), motion
    for column, key in (("onset", "start_s"), ("duration", "duration_s")):
        origin = start if column == "onset" else 0
        times = sorted(event[key] - origin for event in expected)
        assert np.allclose(sorted(found[column]), times, rtol=0, atol=1e-5), (motion, column)


def check_events(motion, rows):
    """Checks that pinches are those of the samples."""
    events = pandas.read_csv(str(motion).replace("_motion.tsv", "_events.tsv"), sep="\t")
    rate = describe(motion)["SamplingFrequency"]
    for hand in ("left", "right"):
        pinches = events[(events.trial_type == "pinch") & (events.hand == hand)]
        state = rows.get(f"{hand}.pinching")
        if state is None:
            assert pinches.empty
            continue
        onsets = int((state.diff() > 0).sum() + (state.iloc[0] == 1))
        assert onsets <= len(pinches), (motion, hand, onsets, pinches)
        for pinch in pinches.itertuples():
            middle = round((pinch.onset + pinch.duration / 2) * rate)
            if pinch.duration > 2 / rate:
                assert state[middle] == 1, (motion, pinch)


def check(motion, source):
    """Checks the samples and the events of a recording."""
    start, end = analysed_range(source)
    rows = read(motion)
    expected = wide(source, "--time", f"@{start}..@{end}")
    del expected["time_s"]
    same_wide(rows, expected, str(source))
    check_events(motion, rows)
    check_times(motion, source)


def check_recordings():
    """Converts every recording, each as a subject of one dataset. Returns the number of recordings."""
    dataset = OUT / "dataset"
    shutil.rmtree(dataset, ignore_errors=True)
    subjects = 0
    for index, recording in enumerate(recordings()):
        if not plays(recording):
            continue
        columns = wide(recording)
        if len(columns) == 1 or not any(c.any() for c in columns.values()):
            continue
        source = OUT / "recordings" / f"p{index}" / f"take{recording.suffix}"
        source.parent.mkdir(parents=True, exist_ok=True)
        source.unlink(missing_ok=True)
        os.link(recording, source) if os.name != "nt" else source.write_bytes(recording.read_bytes())
        pattern = ["--path-pattern", "{sub}/{task}.bin"]
        run("convert", source, "--to", "motion-bids", "-o", dataset, *pattern)
        name = f"sub-p{index}_task-take_tracksys-unknown_motion.tsv"
        check(dataset / f"sub-p{index}" / "motion" / name, source)
        subjects += 1
    assert subjects, "no recordings"
    validate(dataset, subjects, subjects)
    return subjects


def check_study():
    """Converts the folder that study.json describes, like a user. Returns the number of recordings."""
    study, dataset = OUT / "study", OUT / "study-dataset"
    for folder in (study, dataset):
        shutil.rmtree(folder, ignore_errors=True)
    parts = json.loads((Path(__file__).parent / "study.json").read_text())
    for part in parts:
        source = study / part["path"]
        source.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / "samples" / part["sample"], source)
        for edit in part["edits"]:
            run(*edit, source, "-o", source, "--force")
    convert = ["convert", "-r", study, "--to", "motion-bids", "-o", dataset]
    run(*convert)
    # A second run adds no rows to tables.
    run(*convert, "--force")
    subjects = {part["path"].split("/")[0] for part in parts}
    validate(dataset, len(parts), len(subjects))
    for part in parts:
        check(dataset / part["motion"], study / part["path"])
    return len(parts)


def check_devices():
    """Converts a recording that has only a controller, and compares its channels and events with it."""
    name, profile = "right.controller", "/interaction_profiles/valve/index_controller"
    times = [index / 4 for index in range(9)]

    def curve(part, kind, values):
        keys = [list(key) for key in zip(times, values)]
        return {"curve": f"{name}.{part}", "preWrap": 8, "postWrap": 8, "kind": kind, "keys": keys}

    numbers = {f"grip.position.{axis}": [index / 4 + place for index in range(9)] for place, axis in enumerate("xyz")}
    numbers |= {f"grip.rotation.{axis}": [float(axis == "w")] * 9 for axis in "xyzw"}
    numbers["trigger.value"] = [index / 8 for index in range(9)]
    click = [float(index % 2) for index in range(9)]
    poses = [curve(part, "simple", values) for part, values in numbers.items() if part.startswith("grip")]
    inputs = [curve("a.click", "boolean", click), curve("trigger.value", "simple", numbers["trigger.value"])]
    device = {
        "device": name,
        "profiles": [[0.5, True, profile], [1.5, False, None]],
        "haptics": [[0.75, "haptic", 0.125, None, 0.5], [1.0, "haptic", None, 160.0, 1.0]],
    }
    document = {
        "format": "inputanim-json",
        "version": 3,
        "layout": "mrtk-1.1",
        "flags": {"head": 0, "hand": 0, "gaze": 0},
        "curves": poses + inputs,
        "devices": [device],
        "markers": [],
    }
    source, dataset = OUT / "device" / "grasp.json", OUT / "device-dataset"
    shutil.rmtree(dataset, ignore_errors=True)
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(json.dumps(document))
    pattern = ["--path-pattern", "{sub}/{task}.json"]
    run("convert", source, "--to", "motion-bids", "-o", dataset, "--rate", "4", *pattern)
    validate(dataset, 1, 1)
    motion = dataset / "sub-device" / "motion" / "sub-device_task-grasp_tracksys-unknown_motion.tsv"
    rows = read(motion)
    # Nothing is stated while the controller is not active.
    active = np.array([0.5 <= time < 1.5 for time in times])
    assert list(rows[f"{name}.active"]) == list(active.astype(int))
    for part, values in (numbers | {"a.click": click}).items():
        expected = np.where(active, np.array(values, np.float32), np.nan)
        assert np.array_equal(rows[f"{name}.{part}"], expected, equal_nan=True), part
    events = pandas.read_csv(str(motion).replace("_motion.tsv", "_events.tsv"), sep="\t", keep_default_na=False)
    found = events[["onset", "duration", "trial_type", "device", "profile", "output", "amplitude", "frequency"]]
    none = "n/a"
    expected = [
        ["0.5", "1.0", "active", name, profile, none, none, none],
        ["0.75", "0.125", "haptic", name, none, "haptic", "0.5", none],
        ["1.0", none, "haptic", name, none, "haptic", "1.0", "160.0"],
    ]
    assert found.astype(str).values.tolist() == expected, found


def main():
    recorded, study = check_recordings(), check_study()
    check_devices()
    print(f"{recorded} recordings: valid, and equal to the samples; a study of {study} recordings: valid; devices")


main()
