"""Epochs: compared with samples of single recordings, and with the means that NumPy computes."""

from __future__ import annotations

import os
import pickle
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import SAMPLES, recordings

import inputanim

pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

COLUMNS = ["head.position.x", "right.IndexTip.position.y", "right.IndexTip.rotation.w", "right.tracked", "left.pinching"]


def steps(before: float, after: float, rate: float) -> np.ndarray:
    """Returns the times of a window: all multiples of 1 / rate in it, in double precision."""
    numbers = np.arange(-int(before * rate) - 2, int(after * rate) + 3)
    times = numbers / rate
    return times[(times >= -before) & (times <= after)]


def sampled(recording: inputanim.Recording, times: np.ndarray) -> np.ndarray:
    """Returns the values of `COLUMNS` from the sampler of a recording, NaN outside of its keys."""
    found = recording.sample(times=times.astype(np.float32), joints=["IndexTip"]).to_dict()
    unknown = np.full(len(times), np.nan)
    values = np.stack([np.asarray(found.get(name, unknown), np.float64) for name in COLUMNS], axis=1)
    known = recording.info["time_range"]
    assert known is not None
    times = times.astype(np.float32)
    values[(times < np.float32(known["start"])) | (times > np.float32(known["end"]))] = np.nan
    return values


def onsets(recording: inputanim.Recording, kind: str) -> list[np.float32]:
    return [np.float32(event["start"]) for event in recording.events(kinds=[kind])]


@pytest.mark.parametrize("path", recordings(), ids=lambda path: path.name)
@pytest.mark.parametrize(("kind", "rate"), [("pinch", 90), ("marker", 59.94), ("tracked", 60)])
def test_epochs_have_the_values_of_the_sampler(path: Path, kind: str, rate: float) -> None:
    recording = inputanim.read(path)
    found = recording.epochs(events=kind, before=0.7, after=0.35, rate=rate, columns=COLUMNS)
    zeros = onsets(recording, kind)
    assert len(found) == len(zeros) and found.columns == tuple(COLUMNS)
    times = steps(0.7, 0.35, rate)
    # Also without events.
    assert np.array_equal(found.times, times)
    if not zeros:
        return
    assert (found.metadata["segment_zero_s"].to_numpy() == np.array(zeros)).all()
    for index, zero in enumerate(zeros):
        expected = sampled(recording, np.float64(zero) + times)
        assert np.array_equal(found.data[index], expected, equal_nan=True), (path, index)
    assert np.allclose(found.metadata["unknown"], np.isnan(found.data).mean(axis=(1, 2)))


def test_gaps_and_the_ends_of_recordings_are_unknown(wave: inputanim.Recording) -> None:
    recording = wave.with_gaps({"head": [(0.5, 1.0)]})
    found = recording.epochs(segments="tracked@-0.5..5", rate=60, columns=["head.position.x"], reject=["unknown"])
    times = found.metadata["segment_zero_s"].to_numpy()[0] + found.times
    unknown = np.isnan(found.data[0, :, 0])
    inside = (times > 0.51) & (times < 0.99)
    assert unknown[inside].all() and unknown[times < -0.001].all() and unknown[times > recording.duration + 0.001].all()
    assert not unknown[(times > 0.01) & (times < 0.49)].any()
    assert set(found.metadata["rejected"]) == {"unknown"} and not found.kept.any()
    assert np.isnan(found.average()).all()


def test_the_average_is_that_of_known_values() -> None:
    found = inputanim.epochs(SAMPLES, events="pinch", rate=120, joints=["right", "head"])
    assert not any("rotation" in name for name in found.columns) and "right.tracked" in found.columns
    assert found.average().shape == found.data.shape[1:]
    with np.errstate(invalid="ignore"), pytest.warns(RuntimeWarning) if np.isnan(found.data).all(axis=0).any() else _nothing():
        expected = np.nanmean(found.data, axis=0)
    assert np.allclose(found.average(), expected, rtol=1e-12, equal_nan=True)
    assert len(found) == len(found.metadata) == 3
    with pytest.raises(inputanim.ConvertError, match="rotation"):
        inputanim.epochs(SAMPLES, events="pinch", columns=["head.rotation.x"]).average()


class _nothing:
    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


@pytest.mark.skipif("INPUTANIM_PROGRAM" not in os.environ, reason="INPUTANIM_PROGRAM is not set")
def test_rows_of_the_program_are_those_of_the_scan(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    for segments, options, given in [
        ("pinch@-0.5..1", {"rate": 90.0}, ["--rate", "90"]),
        ("marker@-0.5..1", {"rate": 59.94}, ["--rate", "59.94"]),
        ("movement@start..end", {"points": 7}, ["--points", "7"]),
    ]:
        table = tmp_path / "rows.csv"
        command = [os.environ["INPUTANIM_PROGRAM"], "convert", "-r", SAMPLES, "-o", table, "-f", "--segments", segments, *given]
        subprocess.run(command, check=True, capture_output=True)
        written = pandas.read_csv(table)
        call: Callable[..., pandas.DataFrame] = inputanim.read_pandas
        found = call(SAMPLES, segments=segments, file_column=None, recording_column="recording", **options)
        assert len(found) == len(written) > 0
        for name in written.columns:
            if found[name].dtype == np.float32:
                assert np.array_equal(written[name].to_numpy(np.float32), found[name].to_numpy(), equal_nan=True), name
            elif found[name].dtype == np.float64:
                assert np.array_equal(written[name].to_numpy(), found[name].to_numpy(), equal_nan=True), name
            else:
                assert written[name].astype(object).fillna("").astype(str).tolist() == found[name].astype(object).fillna("").astype(str).tolist(), name


def test_a_baseline_without_a_known_value_is_reported() -> None:
    # The first pinch begins less than 1.5 s after the start of the recording.
    options = {"events": "pinch", "before": 2, "after": 1, "rate": 10, "columns": ["head.position.x"]}
    with pytest.warns(inputanim.RangeWarning, match="1 of 2 events have no known value in the baseline"):
        found = inputanim.epochs(SAMPLES / "pinch-drag.bin", baseline=(-2, -1.5), **options)  # type: ignore[arg-type]
    assert np.isnan(found.data[0]).all() and not np.isnan(found.data[1]).any()


def test_a_baseline_is_the_mean_of_known_values() -> None:
    plain = inputanim.epochs(SAMPLES, events="pinch", joints=["right.IndexTip", "head"])
    found = inputanim.epochs(SAMPLES, events="pinch", joints=["right.IndexTip", "head"], baseline=(-0.2, 0))
    assert set(found.units) == {"m"} and set(found.columns) < set(plain.columns)
    chosen = [plain.columns.index(name) for name in found.columns]
    inside = (plain.times >= -0.2) & (plain.times <= 0)
    data = plain.data[:, :, chosen]
    assert np.allclose(found.data, data - data[:, inside].mean(axis=1, keepdims=True), equal_nan=True)
    assert np.allclose(found.data[:, inside].mean(axis=1), 0, atol=1e-12)


def test_points_are_from_the_start_to_the_end_of_events() -> None:
    recording = inputanim.read(SAMPLES / "pinch-drag.bin")
    found = recording.epochs(events="movement", points=101, columns=COLUMNS)
    assert (found.times == np.arange(101)).all() and found.rate is None
    for index, event in enumerate(recording.events(kinds=["movement"])):
        start, end = np.float64(np.float32(event["start"])), np.float64(np.float32(event["start"] + event["duration"]))
        times = start + (end - start) * (np.arange(101) / 100)
        times[-1] = end
        assert np.array_equal(found.data[index], sampled(recording, times), equal_nan=True)


def test_events_with_damage_are_rejected(lost: Path) -> None:
    options: inputanim.EpochOptions = {"events": "marker", "before": 0.1, "after": 0.1, "columns": ["head.position.x"]}
    with pytest.warns(inputanim.DamageWarning):
        found = inputanim.epochs([SAMPLES / "wave.bin", lost], **options, reject=["damage"])
    assert found.metadata["rejected"].tolist() == [None, "damage"] and found.kept.tolist() == [True, False]
    assert (found.average() == found.data[0]).all()
    with pytest.warns(inputanim.DamageWarning):
        found = inputanim.epochs([SAMPLES / "wave.bin", lost], **options)
    assert found.kept.all() and found.metadata["segment_damage"].isna().tolist() == [True, False]


def test_trials_have_their_columns(tmp_path: Path) -> None:
    trials = tmp_path / "trials.csv"
    trials.write_text("recording,start,end,trial,condition\nwave,1,2,a,near\nwave,2,3,b,far\nreach,1,2,c,near\n")
    found = inputanim.epochs(SAMPLES, segments=str(trials), rate=30, columns=["head.position.x"])
    frame = found.metadata
    assert frame["condition"].tolist() == ["near", "near", "far"] and frame["segment"].tolist() == ["c", "a", "b"]
    assert found.data.shape == (3, 31, 1)
    again = pickle.loads(pickle.dumps(found))
    assert np.array_equal(again.data, found.data) and again.metadata.equals(frame) and repr(again) == repr(found)
    assert "Epochs" in found._repr_html_()
    pytest.importorskip("xarray")
    array = found.to_xarray()
    assert array.sel(time=0.5, column="head.position.x").values.tolist() == found.data[:, 15, 0].tolist()
    assert array.condition.values.tolist() == ["near", "near", "far"]


def test_two_recordings_of_one_name_are_two_recordings(two_hands: inputanim.Recording) -> None:
    found = inputanim.epochs([("a", two_hands), ("a", two_hands)], events="pinch", columns=["head.position.x"])
    assert len(found) == 2 and (found.data[0] == found.data[1]).all()


def test_skipped_files_are_listed(tmp_path: Path) -> None:
    bad = tmp_path / "bad.bin"
    bad.write_bytes((SAMPLES / "wave.bin").read_bytes()[:1000])
    with pytest.raises(inputanim.ScanError, match="bad.bin"):
        inputanim.epochs([bad, SAMPLES / "wave.bin"], events="marker")
    found = inputanim.epochs([bad, SAMPLES / "wave.bin"], events="marker", errors="skip")
    assert len(found) == 1 and [Path(skipped.file).name for skipped in found.skipped] == ["bad.bin"]


def test_without_events_the_array_has_times_and_columns() -> None:
    path = SAMPLES / "reach.bin"
    options: dict[str, Any] = {"events": "pinch", "before": 0.25, "after": 0.5}
    expected = inputanim.epochs(SAMPLES / "pinch-drag.bin", **options)
    with pytest.warns(inputanim.RangeWarning, match="no segments: no events of the kind pinch"):
        found = inputanim.epochs(path, **options)
    assert np.array_equal(found.times, expected.times) and len(found.metadata) == 0
    assert set(found.columns) > set(expected.columns) and found.data.shape == (0, 46, len(found.columns))
    assert np.isnan(found.average()).all() and len(found.units) == len(found.columns)
    with pytest.warns(inputanim.RangeWarning, match="no segments"):
        percent = inputanim.epochs(path, events="pinch", points=5, columns=["head.position.x"])
    assert percent.times.tolist() == [0, 25, 50, 75, 100] and percent.data.shape == (0, 5, 1)
    with pytest.warns(inputanim.RangeWarning, match="would end before they start"):
        lengths = inputanim.epochs(path, segments="movement@start+5..end", columns=["head.position.x"])
    assert lengths.data.shape == (0, 0, 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "expected either events or segments, found none"),
        ({"events": "pinch", "segments": "markers"}, "found both"),
        ({"segments": "markers"}, "the segments have different times"),
        ({"segments": "markers", "before": 1}, "before and after have no effect"),
        ({"events": "pinch", "points": 5, "after": 1}, "before and after have no effect"),
        ({"events": "pinch", "points": 5, "baseline": (0, 1)}, "baseline has no effect"),
        ({"events": "pinch", "points": 5, "rate": 30}, "found both"),
        ({"events": "pinch", "points": 1}, "at least 2"),
        ({"events": "pinch", "baseline": (5, 6)}, "no time is from 5.0 s to 6.0 s"),
        ({"events": "pinch", "baseline": (0, 0.1), "columns": ["head.rotation.x"]}, "head.rotation.x"),
        ({"events": "pinch", "reject": ["noise"]}, 'unknown reason "noise"'),
        ({"events": "pinch", "errors": "column"}, 'errors: expected "raise" or "skip", found \'column\''),
        ({"events": "pinch", "before": -2}, "before=-2.0 and after=1.0: the epochs would end before they start"),
        ({"segments": "pinch@end..start"}, "ends before it starts"),
        ({"events": "pinsh"}, "did you mean"),
        ({"events": "pinch", "columns": ["head.position.q"]}, "head.position.q"),
        ({"events": "look"}, "targets"),
    ],
)
def test_options_that_are_wrong_are_errors(options: dict[str, Any], message: str) -> None:
    call: Callable[..., object] = inputanim.epochs
    with pytest.raises(inputanim.InputanimError, match=message):
        call(SAMPLES, **options)
