"""Checks a dataset of Motion-BIDS with the BIDS validator, and reads it with pandas."""

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pandas

sys.path.insert(0, str(Path(__file__).parent.parent))
from inputanim import OUT, recordings, run
from tables import plays, same_wide, wide

# Fields that only the authors of a study know. The validator recommends them.
TO_COMPLETE = {"SIDECAR_KEY_RECOMMENDED", "JSON_KEY_RECOMMENDED", "NO_AUTHORS", "TOO_FEW_AUTHORS"}


def validate(dataset):
    """Checks that the validator has no errors, and only recommends fields to complete."""
    program = Path(sysconfig.get_path("scripts")) / "bids-validator-deno"
    command = [program, dataset, "--max-rows=-1", "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    report = json.loads(done.stdout)
    issues = [issue for issue in report["issues"]["issues"] if issue["code"] not in TO_COMPLETE]
    assert not issues and done.returncode == 0, issues or done.stderr
    return report["summary"]


def read(motion):
    """Returns the columns of a motion file by the names of its channels."""
    channels = Path(str(motion).replace("_motion.tsv", "_channels.tsv"))
    channels = pandas.read_csv(channels, sep="\t", keep_default_na=False)
    return pandas.read_csv(motion, sep="\t", names=channels["name"], na_values="n/a")


def check_events(motion, rows):
    """Checks that pinches are those of the samples."""
    events = pandas.read_csv(str(motion).replace("_motion.tsv", "_events.tsv"), sep="\t")
    description = json.loads(Path(str(motion).replace("_motion.tsv", "_motion.json")).read_text())
    rate = description["SamplingFrequency"]
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


def main():
    dataset = OUT / "dataset"
    subjects = 0
    for index, recording in enumerate(recordings()):
        if not plays(recording):
            continue
        source = OUT / "recordings" / f"p{index}" / f"take{recording.suffix}"
        source.parent.mkdir(parents=True, exist_ok=True)
        source.unlink(missing_ok=True)
        os.link(recording, source) if os.name != "nt" else source.write_bytes(recording.read_bytes())
        columns = wide(recording)
        if len(columns) == 1 or not any(c.any() for c in columns.values()):
            continue
        pattern = ["--path-pattern", "{sub}/{task}.bin"]
        run("convert", "--force", source, "--to", "motion-bids", "-o", dataset, *pattern)
        name = f"sub-p{index}_task-take_tracksys-mrtk_motion.tsv"
        motion = dataset / f"sub-p{index}" / "motion" / name
        rows = read(motion)
        del columns["time_s"]
        same_wide(rows, columns, str(recording))
        check_events(motion, rows)
        subjects += 1
    assert subjects, "no recordings"
    summary = validate(dataset)
    assert len(summary["subjectMetadata"]) == subjects or len(summary["subjects"]) == subjects
    print(f"{subjects} recordings: valid, and equal to the samples")


main()
