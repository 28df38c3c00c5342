"""Damaged recordings: warnings, the column `damage`, and corrections."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import inputanim
import numpy as np
import pyarrow
import pyarrow.compute
import pytest

ROOT = Path(__file__).resolve().parents[2]
WAVE = ROOT / "samples/wave.bin"


def test_results_of_a_damaged_recording_give_a_warning_once(lost: Path) -> None:
    for use in [
        lambda recording: recording.sample(30),
        lambda recording: recording.to_pandas(30),
        lambda recording: recording.write_bytes("glb"),
        lambda recording: recording.measures(),
        lambda recording: recording.svg(),
    ]:
        recording = inputanim.read(lost)
        with pytest.warns(inputanim.DamageWarning, match=r"lost\.bin: D1: .*repair\(\) corrects it") as caught:
            use(recording)
        # The warning names the line that led to it.
        assert [warning.filename for warning in caught] == [__file__]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            use(recording)
            use(recording.repair()[0])
            use(inputanim.read(WAVE))


def test_what_keeps_the_damage_gives_no_warning(lost: Path, tmp_path: Path) -> None:
    recording = inputanim.read(lost)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        recording.write(tmp_path / "copy.bin")
        recording.write_bytes("json")
        recording.write_bytes("csv", shape="keys")
        assert "D1" in recording._repr_html_()
        assert recording.findings[0]["code"] == "D1"


def test_a_scan_of_damaged_recordings_gives_one_warning(lost: Path) -> None:
    sources = [WAVE, lost]
    columns = ["file", "right.Palm.rotation.x", "damage"]
    scan = inputanim.scan(sources, columns=columns)
    with pytest.warns(inputanim.DamageWarning, match=r"1 of 2 files .*\(D1 in 1\)") as caught:
        table = scan.to_arrow()
    assert [warning.filename for warning in caught] == [__file__]
    assert [(Path(file.file), file.damage) for file in scan.damaged] == [(lost, "D1")]
    assert set(table["damage"].to_pylist()) == {None, "D1"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Positions are correct.
        inputanim.scan(sources, columns=["right.Palm.position.x"]).to_arrow()
        repaired = inputanim.scan(sources, columns=columns, repair=True).to_arrow()
    assert set(repaired["damage"].to_pylist()) == {None}
    expected = inputanim.read(lost).repair()[0].sample(60).right.rotation[:, inputanim.JOINTS.index("Palm"), 0]
    found = repaired.filter(pyarrow.compute.equal(repaired["file"], str(lost)))["right.Palm.rotation.x"]
    np.testing.assert_array_equal(found.to_numpy(), expected)


def test_a_range_that_exceeds_recordings_gives_one_warning() -> None:
    scan = inputanim.scan(WAVE, "tidy", end=100.0)
    with pytest.warns(inputanim.RangeWarning, match="the time range exceeds the recording in 1 of 1 files"):
        scan.to_arrow()
    (notice,) = scan.notices
    assert (Path(notice.file), notice.kind, notice.is_note) == (WAVE, "the time range exceeds the recording", False)
    assert notice.detail == "used 0.000 s to 4.000 s"


def test_damage_of_joints_that_are_not_sampled_gives_no_warning(lost: Path) -> None:
    recording = inputanim.read(lost)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        recording.sample(60, streams=["gaze"])
    with pytest.warns(inputanim.DamageWarning, match="D1"):
        recording.sample(60, joints=["Palm"])


def test_a_scan_recovers_files_that_are_not_well_formed(tmp_path: Path) -> None:
    cut = tmp_path / "cut.bin"
    cut.write_bytes(WAVE.read_bytes()[:-20_000])
    with pytest.raises(inputanim.InputanimError, match=r"cut\.bin"):
        inputanim.scan(cut).to_arrow()
    scan = inputanim.scan(cut, columns=["time_s", "damage"], recover=True)
    with pytest.warns(inputanim.DamageWarning, match="recovered in 1"):
        table = scan.to_arrow()
    assert set(table["damage"].to_pylist()) == {"recovered"} and table.num_rows > 100
    with pytest.raises(inputanim.InvalidArgument, match="expected True or False"):
        inputanim.scan(cut, repair="yes")  # type: ignore[arg-type]


def test_measures_that_are_missing_have_a_reason() -> None:
    recording = inputanim.read(WAVE).select("left", "head")
    table = inputanim.scan(("a", recording.to_bytes()), "stats", ["missing", "right.movements"]).to_arrow()
    reasons = json.loads(table["missing"][0].as_py())
    assert reasons["right.movements"] == "not recorded" and table["right.movements"][0].as_py() is None


def test_one_joint_is_a_list_of_one(lost: Path) -> None:
    with pytest.warns(inputanim.DamageWarning):
        samples = inputanim.read(lost).sample(rate=30, joints="Palm", streams="right")
    assert samples.right.position.shape[1] == 1
