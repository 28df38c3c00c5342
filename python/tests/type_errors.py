"""Calls that the type checkers must report. They report a comment below that has no error, and nothing runs this file."""

# pyright: strict, reportUnnecessaryTypeIgnoreComment=true

from __future__ import annotations

import inputanim


def misspelt(recording: inputanim.Recording, analysis: inputanim.Analysis, scan: inputanim.Scan) -> None:
    """Options with misspelt names."""
    recording.sample(rat=30)  # type: ignore[call-arg]
    recording.to_pandas(rat=30)  # type: ignore[call-arg]
    recording.to_polars(joint=["Palm"])  # type: ignore[call-arg]
    recording.to_movement(stream=["left"])  # type: ignore[call-arg]
    recording.to_mne(60, spaces="unity")  # type: ignore[call-arg]
    recording.write("take.glb", layuot="mrtk-1.1")  # type: ignore[call-arg]
    recording.plot(titel="wave")  # type: ignore[call-arg]
    recording.play_openxr(["app"], clok="keys")  # type: ignore[call-arg]
    analysis.plot(titel="wave")  # type: ignore[call-arg]
    scan.to_polars(progres=print)  # type: ignore[call-arg]
    inputanim.scan("study", colums=["file"])  # type: ignore[call-arg]
    inputanim.columns("wide", colums=["file"])  # type: ignore[call-arg]
    inputanim.read_polars("study", rat=30)  # type: ignore[call-arg]
    inputanim.read_pandas("study", colums=["file"])  # type: ignore[call-arg]
    inputanim.read_arrow("study", segment="markers")  # type: ignore[call-arg]
    inputanim.epochs("study", event="pinch")  # type: ignore[call-arg]
    recording.epochs(event="pinch")  # type: ignore[call-arg]


def of_a_wrong_type(recording: inputanim.Recording) -> None:
    """Options with values of a wrong type."""
    recording.to_polars(joints=5)  # type: ignore[arg-type]
    recording.write("take.glb", layout="mrtk-2")  # type: ignore[arg-type]
    inputanim.read_polars("study", errors="ignore")  # type: ignore[arg-type]
    inputanim.epochs("study", events="pinch", reject=["noise"])  # type: ignore[list-item]
