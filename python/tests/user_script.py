"""A script as users write it. `test_types.py` runs it, and mypy and pyright check it in their strict modes."""

# pyright: strict

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

import numpy as np
import pandas
import polars

import inputanim


@dataclass
class Result:
    """What the script found."""

    length: float
    peak: float
    codes: list[str]
    pinches: list[inputanim.Event]
    table: polars.DataFrame
    rows: int
    warned: Sequence[type[Warning]]


def describe(recording: inputanim.Recording) -> str:
    """Returns the layout and the rates of a recording."""
    info: inputanim.Info = recording.info
    rates = {stream["stream"]: stream["rate"] for stream in info["streams"]}
    return f"{recording.path}: {info['layout']}, {info['duration']:.1f} s, {rates}"


def path_length(hand: inputanim.HandSamples, joint: str = "IndexTip") -> float:
    """Returns the length of the path of a joint in metres, where it is known."""
    steps = np.diff(hand.joint(joint).position[hand.tracked], axis=0)
    return float(np.nansum(np.linalg.norm(steps, axis=1)))


def cleaned(recording: inputanim.Recording) -> tuple[inputanim.Recording, list[str]]:
    """Repairs a recording, keeps the right hand and the head, and returns the codes of the repairs."""
    repaired, report = recording.repair()
    part = repaired.trim(0.5, 3.5).select("head", "right", exclude_markers=["FPS"]).add_marker(1, "start")
    return part, sorted({repair["code"] for repair in report["repaired"]})


def palms(folder: Path, **options: Unpack[inputanim.ScanOptions]) -> polars.DataFrame:
    """Returns the rows of the palms."""
    options["joints"] = ["Palm"]
    return inputanim.read_polars(folder, "tidy", **options)


def heights(study: Path, **options: Unpack[inputanim.EpochOptions]) -> tuple[inputanim.Float64Array, list[str]]:
    """Returns the mean height of the index finger around the starts of tracking, and the files of the events."""
    options["columns"] = ["right.IndexTip.position.y"]
    options["baseline"] = (None, 0)
    found: inputanim.Epochs = inputanim.epochs(study, **options)
    files: list[str] = found.metadata["file"].astype(str).tolist()
    print(found.data.shape, found.times[0], found.columns, found.units, found.rate, np.count_nonzero(found.kept))
    return found.average(), files


def progress(rows: int) -> None:
    """Prints the number of rows of a scan."""
    print(rows, file=sys.stderr)


def main(source: Path, study: Path, target: Path) -> Result:
    """Analyses a recording and a folder."""
    recording = inputanim.read(source)
    print(describe(recording))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        samples = recording.sample(rate=60, joints=["Palm", "IndexTip"], space="openxr")
        scan = inputanim.scan(study, columns=["file", "time_s", "right.Palm.position.y"], rate=30, errors="skip")
        table = scan.to_polars(progress=progress)
    shown = (inputanim.DamageWarning, inputanim.LossWarning, inputanim.RangeWarning)
    warned = [warning.category for warning in caught if issubclass(warning.category, shown)]
    damaged: list[inputanim.DamagedFile] = scan.damaged
    notices: list[inputanim.FileNotice] = scan.notices
    print(samples.streams, samples.head.position.shape, samples.gaze.direction[0], damaged, notices)

    part, codes = cleaned(recording)
    difference = recording.diff(part, joints=["head"], position=0.01)
    print(difference["verdict"], part.curves["head.position.y"]["time"][-1])
    frame: pandas.DataFrame = part.to_pandas(rate=30, joints=["Palm"], streams=["right"])
    analysis = part.analyse({"channels.rate": 90})
    peak = analysis.values()["right.Palm.speed.max"]
    written: inputanim.Written = part.write(target / "part.csv", rate=30, labels={"condition": "far"})
    tip = part.sample(rate=60).right.joint("IndexTip").position
    print(tip.shape, palms(study, rate=1, errors="skip").height, written.losses, inputanim.read_pandas(part, "stats", measures=["head.speed"]).shape)
    try:
        inputanim.read(b"not a recording")
    except inputanim.ParseError as error:
        print(error.kind, error.hint)
    mean, files = heights(study, events="tracked", before=0.1, after=0.2, errors="skip", reject=["damage"])
    print(mean.shape, len(files), len(recording.epochs(events="tracked", points=11)))
    pinches = analysis.events(kinds=["pinch"])
    return Result(path_length(samples.right), peak or 0.0, codes, pinches, table, len(frame), warned)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]))
