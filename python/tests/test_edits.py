"""Edits, conversion and analysis."""

from __future__ import annotations

import warnings
from datetime import datetime, timezone
from pathlib import Path

import numpy as np
import pytest
from conftest import CORPUS

import inputanim


def height(recording: inputanim.Recording, time: float) -> float:
    head = recording.sample(times=[time]).head
    return float(head.position[0, 1])


def test_edits_of_time(wave: inputanim.Recording) -> None:
    trimmed = wave.trim(1, 3)
    assert trimmed.duration == 2 and height(trimmed, 0.5) == pytest.approx(height(wave, 1.5), abs=1e-6)
    assert wave.trim(1, 3, keep_times=True).duration == 3
    assert wave.trim(end=2).duration == 2
    assert wave.retime(2).duration == 2 and wave.retime(duration=8).duration == 8
    assert wave.shift(1).duration == 5
    assert [round(part.duration, 3) for part in wave.split(parts=4)] == [1, 1, 1, 1]
    assert [round(part.duration, 3) for part in wave.split([1.5])] == [1.5, 2.5]
    assert len(wave.split(at="markers")) == 2
    assert inputanim.concat([wave, wave], gap=0.5).duration == pytest.approx(8.5)
    assert wave.repeat(3).duration == pytest.approx(12)
    with pytest.raises(inputanim.InvalidArgument):
        wave.split()
    with pytest.raises(inputanim.EditError):
        wave.retime(0)


def test_an_alignment_is_the_line_of_numpy(wave: inputanim.Recording) -> None:
    rng = np.random.default_rng(5)
    recording = wave.select(exclude_markers=["*"])
    times = np.cumsum(rng.uniform(1, 3, 200)).astype(np.float32)
    names = rng.choice(["left", "right"], len(times))
    clock = 98_765.25 + times.astype(np.float64) * (1 - 87e-6) + rng.normal(0, 0.004, len(times))
    for time, name in zip(times, names):
        recording = recording.add_marker(float(time), str(name))
    # Markers are missing on both clocks, and the EEG has triggers of its own.
    kept = rng.random(len(times)) > 0.1
    events = [(time, name) for time, name, is_kept in zip(clock, names, kept) if is_kept]
    aligned, fit = recording.align([*events, (98_765.0, 99)], zero=98_765)
    slope, offset = np.polyfit(times[kept].astype(np.float64), clock[kept] - 98_765, 1)
    residuals = clock[kept] - 98_765 - (offset + slope * times[kept].astype(np.float64))
    assert len(fit["matches"]) == kept.sum() and fit["clock_unmatched"] == [len(events)]
    assert fit["unmatched"] == list(np.flatnonzero(~kept))
    assert fit["drift"] == pytest.approx((slope - 1) * 1e6, abs=1e-4)
    assert fit["offset"] == pytest.approx(98_765 + offset, abs=1e-8)
    assert fit["largest_residual"] == pytest.approx(np.abs(residuals).max(), abs=1e-8)
    assert fit["rms_residual"] == pytest.approx(np.sqrt(np.mean(residuals**2)), abs=1e-8)
    _, covariance = np.polyfit(times[kept].astype(np.float64), clock[kept], 1, cov=True)
    assert fit["drift_error"] == pytest.approx(1e6 * np.sqrt(covariance[0, 0]), rel=1e-3)
    new = np.array([marker.time for marker in aligned.markers])
    exact = offset + slope * times.astype(np.float64)
    assert np.abs(new - exact).max() <= fit["largest_rounding"] + 1e-9 < 1e-4
    assert height(aligned, offset + slope * 2) == pytest.approx(height(recording, 2), abs=1e-5)
    with pytest.raises(inputanim.EditError, match="no marker has the same name"):
        recording.align([(0, "other")])
    with pytest.raises(inputanim.InvalidArgument, match="a time in seconds and a name"):
        recording.align([5])  # type: ignore[list-item]
    same, fit = recording.align(recording)
    assert same == recording and fit["offset"] == 0


def test_triggers_get_names(wave: inputanim.Recording) -> None:
    recording = wave.add_marker(1, "11").add_marker(2, "S  2").add_marker(3, "12")
    named, report = recording.name_triggers({11: "start", "S  2": "stop", 99: "never"})
    assert [marker.name for marker in named.markers][:2] == ["start", "wave"]
    assert report == {"renamed": 2, "unnamed": [{"trigger": "12", "count": 1}], "unused": ["99"]}
    with pytest.raises(inputanim.InvalidArgument, match="two names"):
        recording.name_triggers({11: "start", "11.0": "stop"})
    with pytest.raises(inputanim.InvalidArgument, match="a trigger with its name"):
        recording.name_triggers({11: 1.5})  # type: ignore[dict-item]


def test_edits_of_space(wave: inputanim.Recording) -> None:
    assert height(wave.transform(move=[0, 1, 0]), 1) == pytest.approx(height(wave, 1) + 1, abs=1e-5)
    assert height(wave.transform(scale=2), 1) == pytest.approx(2 * height(wave, 1), abs=1e-5)
    mirrored = wave.mirror("world").sample(30)
    samples = wave.sample(30)
    a = mirrored.left.joint("Palm").position
    b = samples.right.joint("Palm").position * np.array([-1, 1, 1], np.float32)
    assert np.allclose(a, b, equal_nan=True, atol=1e-6)
    with pytest.raises(inputanim.InvalidArgument):
        wave.mirror("floor")  # type: ignore[arg-type]


def test_streams_are_selected_by_name(wave: inputanim.Recording) -> None:
    palm = wave.select("right.Palm")
    recorded = {name.rsplit(".", 2)[0] for name, keys in palm.curves.items() if len(keys)}
    assert recorded <= {"right.Palm", "right.tracked", "right.pinching", "right", "head"}
    assert len(palm.curves["right.Palm.position.x"]) and not len(palm.curves["right.Wrist.position.x"])
    assert "gaze" not in wave.select(exclude=["gaze"]).streams
    with pytest.raises(inputanim.InvalidArgument) as caught:
        wave.select("right.Plam")
    assert "right.Palm" in str(caught.value)
    with pytest.raises(inputanim.InvalidArgument, match="cannot remove left.tracked"):
        wave.select(exclude=["left.tracked"])


def test_joined_recordings_without_pinches_are_reported(wave: inputanim.Recording, tmp_path: Path) -> None:
    table = "time_s,right.tracked,right.Palm.position.x,right.Palm.position.y,right.Palm.position.z\n0,1,0,1,0\n1,1,0,1,0\n"
    path = tmp_path / "table.csv"
    path.write_text(table, encoding="utf-8")
    unknown = inputanim.read(path)
    with pytest.warns(inputanim.LossWarning, match="right hand are unknown in 1 recording"):
        inputanim.concat([wave, unknown])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        inputanim.concat([unknown, unknown])


def test_markers_are_selected_by_name(wave: inputanim.Recording) -> None:
    for time, name in [(0.5, "FPS"), (1.0, "FPS"), (1.5, "trial 1")]:
        wave = wave.add_marker(time, name)
    every = {marker.name for marker in wave.markers}
    names = [marker.name for marker in wave.select(markers="trial *").markers]
    assert names == ["trial 1"]
    quiet = wave.select(exclude_markers=["FPS"])
    assert {marker.name for marker in quiet.markers} == every - {"FPS"}
    assert quiet.streams == wave.streams
    assert wave.select(exclude_markers="*").markers == []
    with pytest.warns(inputanim.RangeWarning, match="no marker matches 'tial"):
        assert wave.select(markers=["tial *", "trial *"]).markers == wave.select(markers="trial *").markers
    assert wave.diff(quiet)["verdict"] == "different"
    assert wave.diff(quiet, exclude_markers="F?S")["verdict"] != "different"
    with pytest.raises(inputanim.InvalidArgument, match="markers: expected names"):
        wave.select(markers=False)  # type: ignore[arg-type]


def test_smoothing_resampling_and_reduction(wave: inputanim.Recording) -> None:
    assert wave.smooth(joints=["right"]) != wave
    assert wave.smooth(exclude=["left", "right", "head", "gaze"]) == wave
    resampled = wave.resample(20)
    assert len(resampled.curves["head.position.x"]) == 81
    reduced, skipped = wave.reduce(position=0.005, rotation=1)
    assert skipped == [] and len(reduced.to_bytes()) < len(wave.to_bytes())
    assert wave.diff(reduced, position=0.0051, rotation=1.01)["verdict"] == "equivalent"


def test_gaps_are_filled(two_hands: inputanim.Recording) -> None:
    filled, report = two_hands.fill("interpolate", max_length=10)
    assert report["filled"] and not report["too_long"]
    gap = report["filled"][0]
    middle = (gap["range"]["start"] + gap["range"]["end"]) / 2
    for recording, is_tracked in [(two_hands, False), (filled, True)]:
        hand = recording.sample(times=[middle]).hand(gap["side"])
        assert bool(hand.tracked[0]) is is_tracked


def test_markers(wave: inputanim.Recording) -> None:
    marked = wave.add_marker(1.5, "grab").add_marker(0.5, "start")
    assert [marker.name for marker in marked.markers] == ["start", "wave", "grab"] or len(marked.markers) == 3
    index = [marker.name for marker in marked.markers].index("grab")
    assert marked.rename_marker(index, "take").markers[index].name == "take"
    moved = marked.move_marker(index, 3.5).markers
    assert (moved[-1].time, moved[-1].name) == (3.5, "grab")
    assert len(marked.remove_marker(0).markers) == 2
    with pytest.raises(inputanim.InvalidArgument):
        wave.remove_marker(7)
    with pytest.raises(inputanim.WriteError) as caught:
        wave.with_layout("documented-1.1")
    assert caught.value.hint is not None and "allow_loss" in caught.value.hint


@pytest.mark.skipif(CORPUS is None, reason="needs INPUTANIM_CORPUS")
def test_lost_rotations_are_repaired() -> None:
    assert CORPUS is not None
    path = min(Path(CORPUS).glob("mrtk/*w-lost*.bin"))
    broken = inputanim.read(path)
    assert broken.findings[0]["severity"] == "damage" and broken.findings[0]["advice"]
    with pytest.raises(inputanim.EditError) as caught:
        broken.mirror("world")
    assert caught.value.curve is not None and caught.value.hint is not None and "repair" in caught.value.hint
    repaired, report = broken.repair()
    assert report["repaired"] and not any("w was" in finding["title"] for finding in report["remaining"])
    assert repaired.mirror("world").duration == broken.duration


@pytest.mark.parametrize("format", [format for format in inputanim.formats() if format.can_write and format.name != "bin"])
def test_every_format_is_written_and_read(wave: inputanim.Recording, format: inputanim.Format, tmp_path: Path) -> None:
    path = tmp_path / f"take.{format.extensions[0]}"
    written = wave.write(path)
    assert path.stat().st_size > 0 and isinstance(written.notes, list)
    assert [item.name for item in tmp_path.iterdir()] == [path.name]
    if format.can_read:
        again = inputanim.read(path)
        assert again.duration == pytest.approx(wave.duration, abs=0.02)


def test_options_without_effect_and_unknown_formats_are_errors(wave: inputanim.Recording, tmp_path: Path) -> None:
    with pytest.raises(inputanim.InvalidArgument, match="no effect"):
        wave.write_bytes("json", rate=30)
    with pytest.raises(inputanim.InvalidArgument, match="supported"):
        wave.write(tmp_path / "take.xyz")
    with pytest.raises(inputanim.InvalidArgument, match="with the program"):
        wave.write_bytes("motion-bids")
    with pytest.raises(inputanim.InvalidArgument, match="with a time zone"):
        wave.write_bytes("mcap", start_time=datetime(2024, 5, 1))


@pytest.mark.parametrize("name", ["take.parquet", "take.arrow", "take.feather"])
def test_tables_are_written_with_the_values_of_samples(wave: inputanim.Recording, tmp_path: Path, name: str) -> None:
    import pyarrow.feather
    import pyarrow.parquet

    path = tmp_path / name
    wave.write(path, rate=30, labels={"participant": "p1"})
    read = pyarrow.parquet.read_table if path.suffix == ".parquet" else pyarrow.feather.read_table
    table = read(path)
    expected = wave.to_arrow(30)
    assert table["participant"].unique().to_pylist() == ["p1"]
    for column in ("time_s", "right.Palm.position.y", "gaze.direction.z"):
        assert table[column].to_pylist() == expected[column].to_pylist()


def test_mcap_contains_the_recording(wave: inputanim.Recording, tmp_path: Path) -> None:
    path = tmp_path / "take.mcap"
    wave.write(path, start_time=datetime(2024, 5, 1, tzinfo=timezone.utc))
    assert inputanim.read(path) == wave
    start = 1714521600 * 10**9
    assert start.to_bytes(8, "little") in path.read_bytes()


def test_measures_events_and_series(wave: inputanim.Recording) -> None:
    analysis = wave.analyse()
    values = analysis.values()
    assert values["duration"] == 4.0 and values["right.Palm.path_length"] > 0.1  # type: ignore[operator]
    assert {measure["name"] for measure in wave.measures()} == set(values)
    half = analysis.values(0, 2)
    assert half["duration"] == pytest.approx(2) and set(half) == set(values)
    assert {"marker", "movement"} <= {event["kind"] for event in wave.events()}
    series = analysis.series()
    assert series["time_s"].shape == series["right.Palm.speed"].shape
    assert {quantity["name"] for quantity in inputanim.quantities()} and inputanim.default_parameters()["channels"]["rate"]
    assert analysis.svg(dark=True, width=400).startswith("<svg")
    with pytest.raises(inputanim.InvalidArgument, match="panel"):
        analysis.svg(panels=["legs"])  # type: ignore[list-item]
    # No fixation lasts 100 s.
    assert ">fixation<" in wave.svg()
    assert ">fixation<" not in wave.svg(parameters={"gaze.idt.duration": 100.0})


def test_parameters_have_names_with_dots_or_nested(wave: inputanim.Recording) -> None:
    dotted = wave.measures(parameters={"channels.rate": 30.0})
    nested = wave.measures(parameters={"channels": {"rate": 30.0}})
    assert dotted == nested != wave.measures()
    with pytest.raises(inputanim.InvalidArgument):
        wave.measures(parameters={"channels.rate": -1.0})
