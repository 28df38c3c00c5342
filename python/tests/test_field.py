"""Recordings in the packages movement, pymovements and mne. `cargo xtask python --field` installs these and runs the tests."""

from __future__ import annotations

import re
import struct
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT, SAMPLES, recordings, same_bits

import inputanim

movement = pytest.importorskip("movement")
pymovements = pytest.importorskip("pymovements")
mne = pytest.importorskip("mne")

from movement.filtering import filter_by_confidence  # noqa: E402
from movement.io import load_poses, save_poses  # noqa: E402
from movement.kinematics import compute_path_length, compute_speed, compute_velocity  # noqa: E402
from movement.validators.datasets import ValidPosesInputs  # noqa: E402

ALL_SAMPLES = ["pinch-drag", "reach", "two-hands", "wave"]


def without_hands(recording: inputanim.Recording) -> inputanim.Recording:
    """Returns a recording without its hands."""
    return recording.select(exclude=["left", "right"])


def test_the_example_of_the_documentation_works(two_hands: inputanim.Recording) -> None:
    page = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    (code,) = [code for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "to_movement" in code]
    variables = {"recording": two_hands}
    exec(code, variables)
    assert variables["velocity"].shape == (541, 3, 2, 2)  # type: ignore[attr-defined]
    assert variables["fixations"].height > 5  # type: ignore[attr-defined]
    assert variables["raw"].n_times == 541  # type: ignore[attr-defined]


# movement


@pytest.mark.parametrize("name", ALL_SAMPLES)
@pytest.mark.parametrize("rate", [30, 60, 90.5])
def test_movement_accepts_the_dataset(name: str, rate: float) -> None:
    recording = inputanim.read(SAMPLES / f"{name}.bin")
    dataset = recording.to_movement(rate)
    ValidPosesInputs.validate(dataset)
    samples = recording.sample(rate)
    assert dataset.position.dims == ("time", "space", "keypoints", "individuals")
    assert list(dataset.individuals.values) == ["left", "right"]
    assert tuple(dataset.keypoints.values) == inputanim.JOINTS
    assert dataset.time_unit == "seconds" and dataset.fps == rate and dataset.length_unit == "m"
    assert np.abs(dataset.time.values - samples.times).max() < 1e-6
    for side in ("left", "right"):
        hand = samples.hand(side)
        position = dataset.position.sel(individuals=side, keypoints="IndexTip").values
        assert same_bits(np.ascontiguousarray(position), np.ascontiguousarray(hand.joint("IndexTip").position))
        confidence = dataset.confidence.sel(individuals=side, keypoints="IndexTip").values
        assert np.array_equal(confidence == 1, hand.tracked)
        assert np.array_equal(np.isnan(position).any(axis=1), confidence == 0)


def test_movement_measures_the_same_path_as_the_library(wave: inputanim.Recording) -> None:
    palm = wave.to_movement(60, joints=["Palm"]).position.sel(individuals="right")
    measures = wave.analyse({"channels.rate": 60}).values()
    path = float(compute_path_length(palm).squeeze())
    assert path == pytest.approx(measures["right.Palm.path_length"], rel=1e-5)
    velocity = compute_velocity(palm)
    differences = np.gradient(palm.values[..., 0], 1 / 60, axis=0)
    assert velocity.dims == palm.dims[:3] and np.allclose(velocity.values[..., 0], differences, atol=1e-4)
    assert float(compute_speed(palm).max()) == pytest.approx(measures["right.Palm.speed.max"], rel=0.1)


def test_movement_filters_joints_of_untracked_hands_by_confidence(two_hands: inputanim.Recording) -> None:
    shown = two_hands.to_movement(60, untracked=True)
    hidden = two_hands.to_movement(60)
    assert int(shown.position.isnull().sum()) < int(hidden.position.isnull().sum())
    filtered = filter_by_confidence(shown.position, shown.confidence, threshold=0.6)
    assert filtered.equals(hidden.position)


def test_movement_saves_and_loads_the_dataset(two_hands: inputanim.Recording, tmp_path: Path) -> None:
    dataset = two_hands.to_movement(30, joints=["Wrist", "IndexTip"])
    assert dataset.source_file == two_hands.path
    save_poses.to_dlc_file(dataset, tmp_path / "poses.csv")
    again = load_poses.from_dlc_file(tmp_path / "poses.csv", fps=30)
    assert np.allclose(again.position.values, dataset.position.values, atol=1e-6, equal_nan=True)
    assert list(again.individuals.values) == ["left", "right"]
    dataset.to_netcdf(tmp_path / "poses.nc")
    assert (tmp_path / "poses.nc").stat().st_size > 10_000


def test_movement_gets_chosen_hands_axes_and_times(two_hands: inputanim.Recording) -> None:
    dataset = two_hands.to_movement(50, streams=["right"], joints=["Palm"], start=1, end=2, space="openxr")
    assert dataset.sizes == {"time": 51, "space": 3, "keypoints": 1, "individuals": 1}
    assert dataset.time.values[0] == 1 and dataset.time.values[-1] == 2 and dataset.axes == "openxr"
    unity = two_hands.to_movement(50, streams=["right"], joints=["Palm"], start=1, end=2)
    assert np.array_equal(unity.position.sel(space="z"), -dataset.position.sel(space="z"), equal_nan=True)
    with pytest.raises(inputanim.ConvertError, match="constant rate"):
        two_hands.sample(times="keys").to_movement()
    with pytest.raises(inputanim.ConvertError, match="no hands"):
        without_hands(two_hands).sample(60, streams=["head"]).to_movement()


# pymovements


@pytest.mark.parametrize("space", inputanim.SPACES)
@pytest.mark.parametrize("relative_to", ["world", "head"])
def test_angles_do_not_depend_on_the_axes(two_hands: inputanim.Recording, space: str, relative_to: str) -> None:
    expected = two_hands.to_pymovements(relative_to=relative_to).samples  # type: ignore[arg-type]
    found = two_hands.sample(100, space=space).to_pymovements(relative_to=relative_to).samples  # type: ignore[arg-type]
    angles = [np.array(frame["position"].to_list()) for frame in (expected, found)]
    assert np.abs(angles[0] - angles[1]).max() < 1e-4


def looking(*directions: list[float], turn: float = 0) -> inputanim.Recording:
    """Returns a recording of a head that is turned to the right by degrees, with a direction of the gaze every 10 ms."""
    count = len(directions)
    half = np.radians(turn) / 2
    head = np.tile([0, 1.6, 0, 0, np.sin(half), 0, np.cos(half)], (count, 1))
    gaze = np.hstack([np.tile([0, 1.6, 0], (count, 1)), directions])
    return inputanim.record(np.arange(count) / 100, head=head, gaze=gaze)


def test_angles_are_positive_to_the_right_and_upward() -> None:
    recording = looking([0, 0, 1], [1, 0, 1], [0, 1, 1], [-1, -1, 0], turn=30)
    world = np.array(recording.to_pymovements().samples["position"].to_list())
    assert np.allclose(world, [[0, 0], [45, 0], [0, 45], [-90, -45]], atol=1e-4)
    head = np.array(recording.to_pymovements(relative_to="head").samples["position"].to_list())
    assert np.allclose(head[:2], [[-30, 0], [15, 0]], atol=1e-4)


def test_yaw_has_no_jump_and_unknown_directions_are_null() -> None:
    angles = np.radians(np.arange(150, 211, 10))
    directions = [[float(np.sin(angle)), 0.0, float(np.cos(angle))] for angle in angles]
    directions[3] = [0.0, 0.0, 0.0]
    gaze = looking(*directions).to_pymovements()
    position = gaze.samples["position"].to_list()
    assert position[3] == [None, None] and gaze.samples["time"].to_list() == [0, 10, 20, 30, 40, 50, 60]
    assert np.allclose([pair[0] for pair in position if pair[0] is not None], [150, 160, 170, 190, 200, 210], atol=1e-3)


def in_fixations(ranges: list[tuple[float, float]], duration: float) -> np.ndarray:
    """Returns whether the instants of a recording, 5 ms apart, are in fixations."""
    times = np.arange(0, duration, 0.005)
    return np.any([(times >= start) & (times <= end) for start, end in ranges], axis=0)


@pytest.mark.parametrize("name", ALL_SAMPLES)
def test_fixations_agree_with_those_of_the_library(name: str) -> None:
    recording = inputanim.read(SAMPLES / f"{name}.bin")
    analysis = recording.analyse({"channels.rate": 100, "gaze.idt.dispersion": 1, "gaze.idt.duration": 0.25})
    own = [event for event in analysis.events() if event["kind"] == "fixation"]
    own_ranges = [(event["start"], event["start"] + event["duration"]) for event in own]
    gaze = recording.to_pymovements(100)
    gaze.pos2vel(method="neighbors")
    gaze.detect("idt", dispersion_threshold=1.0, minimum_duration=250, name="idt")
    gaze.detect("ivt", velocity_threshold=20.0, minimum_duration=100, name="ivt")
    ranges = {
        method: [(start / 1000, end / 1000) for name, start, end, _ in gaze.events.frame.rows() if name == method]
        for method in ("idt", "ivt")
    }
    assert abs(len(ranges["ivt"]) - (analysis.values()["gaze.ivt.count"] or 0)) <= 1
    # pymovements adds the extents of yaw and pitch. The library uses the largest angle, so it divides long fixations
    # less often. Both find the same time in fixations.
    for method, found in ranges.items():
        agreeing = in_fixations(own_ranges, recording.duration) == in_fixations(found, recording.duration)
        assert agreeing.mean() > 0.85, method


def test_a_gaze_has_rate_messages_and_no_screen(two_hands: inputanim.Recording, tmp_path: Path) -> None:
    gaze = two_hands.to_pymovements(start=1, end=3)
    assert gaze.experiment.sampling_rate == 100 and gaze.experiment.screen.width_px is None
    assert gaze.messages["content"].to_list() == [marker.name for marker in two_hands.markers]
    assert gaze.messages["time"][0] == pytest.approx(1000 * two_hands.markers[0].time)
    assert gaze.samples["time"][0] == 1000 and gaze.samples["time"][-1] == 3000
    assert all(check.severity == "pass" for check in gaze.validate())
    gaze.save(tmp_path)
    assert (tmp_path / "samples.feather").exists()


def test_a_recording_without_gaze_is_an_error(two_hands: inputanim.Recording) -> None:
    with pytest.raises(inputanim.ConvertError, match="no gaze"):
        two_hands.select(exclude=["gaze"]).to_pymovements()
    with pytest.raises(inputanim.ConvertError, match="no direction is known"):
        looking([0, 0, 0], [0, 0, 0]).to_pymovements()
    with pytest.raises(inputanim.ConvertError, match="no head"):
        two_hands.sample(100, streams=["gaze"]).to_pymovements(relative_to="head")
    with pytest.raises(inputanim.ConvertError, match="constant rate"):
        two_hands.sample(times="keys").to_pymovements()
    with pytest.raises(inputanim.InvalidArgument, match="expected world or head"):
        two_hands.to_pymovements(relative_to="feet")  # type: ignore[arg-type]


@pytest.mark.parametrize("path", recordings(), ids=lambda path: path.name)
def test_each_recording_is_converted_or_refused(path: Path) -> None:
    try:
        recording = inputanim.Recording(path.read_bytes())
    except inputanim.ParseError:
        pytest.skip("not well formed")
    for convert in (recording.to_movement, recording.to_pymovements):
        try:
            convert()
        except inputanim.InputanimError as error:
            assert isinstance(error, (inputanim.ConvertError, inputanim.PlaybackError, inputanim.InvalidArgument)), error


# mne


def test_mne_gets_channels_and_annotations(two_hands: inputanim.Recording, tmp_path: Path) -> None:
    raw = two_hands.to_mne(60, joints=["Palm"], start=1, end=4)
    samples = two_hands.sample(60, joints=["Palm"], start=1, end=4)
    assert raw.info["sfreq"] == 60 and raw.n_times == len(samples) and set(raw.get_channel_types()) == {"misc"}
    heights = raw.get_data(["right.Palm.position.y"])[0]
    assert np.array_equal(heights, samples.right.joint("Palm").position[:, 1], equal_nan=True)
    found = {(text, round(float(onset), 4)) for text, onset in zip(raw.annotations.description, raw.annotations.onset)}
    inside = [marker for marker in two_hands.markers if 1 <= marker.time <= 4]
    assert inside and {(f"marker/{marker.name}", round(marker.time - 1, 4)) for marker in inside} <= found
    assert any(text.startswith("pinch/") for text, _ in found)
    events, names = mne.events_from_annotations(raw, verbose="error")
    assert len(events) == len(raw.annotations) and "marker/reach" in names or "marker/wave" in names
    raw.save(tmp_path / "take_raw.fif", verbose="error")
    again = mne.io.read_raw_fif(tmp_path / "take_raw.fif", verbose="error")
    assert np.allclose(again.get_data(), raw.get_data(), equal_nan=True) and len(again.annotations) == len(raw.annotations)


def xdf_chunk(tag: int, content: bytes) -> bytes:
    """Returns a chunk of an XDF file: https://github.com/sccn/xdf/wiki/Specifications."""
    return b"\x04" + struct.pack("<IH", len(content) + 2, tag) + content


def xdf_stream(number: int, info: str, samples: list[tuple[float, bytes]], offsets: list[tuple[float, float]]) -> bytes:
    """Returns the chunks of a stream with its samples and clock offsets, as pairs of a time in seconds and a value."""
    head = struct.pack("<I", number)
    content = b"".join(b"\x08" + struct.pack("<d", time) + value for time, value in samples)
    chunks = [xdf_chunk(2, head + f'<?xml version="1.0"?><info>{info}</info>'.encode())]
    chunks += [xdf_chunk(4, head + struct.pack("<dd", time, value)) for time, value in offsets]
    chunks.append(xdf_chunk(3, head + b"\x04" + struct.pack("<I", len(samples)) + content))
    chunks.append(xdf_chunk(6, head + b'<?xml version="1.0"?><info></info>'))
    return b"".join(chunks)


def write_session(path: Path, recording: inputanim.Recording) -> None:
    """Writes an XDF file with a recording, and an EEG and markers on other clocks. The clock of the headset runs 60 ppm too slow."""
    motion, _ = recording.write_bytes("xdf", rate=90)
    rng = np.random.default_rng(3)
    count = 8000
    # The clock of the EEG is 0.25 s ahead and runs 40 ppm too fast, which the clock offsets state.
    times = 2 + np.arange(count) / 100
    microvolts = rng.normal(0, 20, (count, 4)).astype("<f4")
    samples = [(float(time + 0.25 + 40e-6 * time), row.tobytes()) for time, row in zip(times, microvolts)]
    offsets = [(float(time), -(0.25 + 40e-6 * time)) for time in range(0, 90, 5)]
    labels = "".join(f"<channel><label>{label}</label></channel>" for label in ("Fz", "Cz", "Pz", "Oz"))
    info = "<name>Amplifier</name><type>EEG</type><channel_count>4</channel_count><nominal_srate>100</nominal_srate>"
    info += f"<channel_format>float32</channel_format><desc><channels>{labels}</channels></desc>"
    events = []
    for marker in recording.markers:
        name = marker.name.encode()
        events.append((4.5 + marker.time * (1 + 60e-6) + rng.normal(0, 0.001), b"\x01" + bytes([len(name)]) + name))
    texts = "<name>Experiment</name><type>Markers</type><channel_count>1</channel_count><nominal_srate>0</nominal_srate>"
    texts += "<channel_format>string</channel_format>"
    own = [(float(time), 0.0) for time in range(0, 90, 5)]
    path.write_bytes(motion + xdf_stream(101, info, samples, offsets) + xdf_stream(102, texts, events, own))


def test_an_eeg_and_hands_become_one_raw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyxdf")
    recording = inputanim.read(SAMPLES / "pinch-drag.bin").repeat(14)
    write_session(tmp_path / "session.xdf", recording)
    page = (ROOT / "docs/recipes.md").read_text(encoding="utf-8")
    (code,) = [code for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "to_mne" in code]
    monkeypatch.chdir(tmp_path)
    found: dict[str, Any] = {}
    exec(code, found)
    raw, epochs, hands, fit, times = (found[name] for name in ("raw", "epochs", "hands", "fit", "times"))
    assert len(fit["matches"]) == len(recording.markers) and fit["drift"] == pytest.approx(60, abs=15)
    assert fit["offset"] == pytest.approx(4.5, abs=0.002) and fit["largest_residual"] < 0.006
    # EEG and palms are in one Raw, with the values of the recording at the times of the samples.
    assert raw.get_channel_types()[:4] == ["eeg"] * 4 and raw.n_times == 8000 == len(times)
    assert times[-1] == pytest.approx(79.99, abs=0.001)
    palm = raw.get_data(["right.Palm.position.x"])[0]
    inside = (times >= hands.key_times()[0]) & (times <= hands.duration)
    expected = hands.sample(times=times, joints=["Palm"]).right.joint("Palm").position[:, 0]
    assert np.array_equal(palm[inside], expected[inside], equal_nan=True) and np.isfinite(palm[inside]).mean() > 0.5
    assert np.isnan(palm[~inside]).all() and (~inside).sum() > 400
    assert raw.info["chs"][raw.ch_names.index("right.Palm.position.x")]["unit"] == mne.io.constants.FIFF.FIFF_UNIT_M
    assert raw.info["chs"][raw.ch_names.index("right.tracked")]["unit"] == mne.io.constants.FIFF.FIFF_UNIT_NONE
    # Epochs of MNE are at the pinches of the recording.
    pinches = [event for event in hands.events(kinds=["pinch"]) if event["side"] == "right"]
    assert len(pinches) >= 14 and len(epochs) == len(pinches)
    samples = np.round(100 * np.interp([event["start"] for event in pinches], times, np.arange(8000) / 100)).astype(int)
    assert np.abs(epochs.events[:, 0] - samples).max() <= 1
    values = epochs.get_data(picks=["Cz", "right.Palm.position.x"])
    for row, sample in zip(values, epochs.events[:, 0]):
        part = slice(sample - 50, sample + 101)
        assert np.array_equal(row[0], raw.get_data(["Cz"])[0, part])
        assert np.array_equal(row[1], palm[part], equal_nan=True)
    # The mean over epochs is the mean of the samples of the recording.
    mean = np.mean([expected[sample - 50 : sample + 101].astype(float) for sample in epochs.events[:, 0]], axis=0)
    assert np.allclose(epochs.average(picks="all").get_data(["right.Palm.position.x"])[0], mean, atol=1e-6, equal_nan=True)


def test_mne_gets_the_samples_and_unknown_ranges_of_an_eeg(two_hands: inputanim.Recording) -> None:
    info = mne.create_info(["Fz"], 250.0, "eeg")
    raw = mne.io.RawArray(np.zeros((1, 3000)), info, first_samp=700, verbose="error")
    raw.set_meas_date(datetime(2024, 5, 1, 10, tzinfo=timezone.utc))
    motion = two_hands.to_mne(like=raw, joints=["Palm"], streams=["right"], annotate_unknown=True)
    assert motion.first_samp == 700 and motion.n_times == 3000 and motion.info["meas_date"] == raw.info["meas_date"]
    joined = raw.copy().add_channels([motion], force_update_info=True)
    joined.set_annotations(motion.annotations)
    palm = joined.get_data(["right.Palm.position.x"])[0]
    unknown = np.zeros(3000, bool)
    for note in joined.annotations:
        if note["description"] == "BAD_unknown/right":
            # Onsets count from the start of the measurement.
            start = round(250 * (note["onset"].timestamp() - raw.info["meas_date"].timestamp() if isinstance(note["onset"], datetime) else note["onset"])) - 700
            unknown[start : start + round(250 * note["duration"])] = True
            assert note["ch_names"] == tuple(motion.ch_names)
    assert unknown[2251:].all() and np.array_equal(np.isnan(palm), unknown)
    reach = [note for note in motion.annotations if note["description"] == "marker/reach"][0]
    first = next(marker for marker in two_hands.markers if marker.name == "reach")
    assert float(reach["onset"]) - 700 / 250 == pytest.approx(first.time, abs=1e-5)
    with pytest.raises(inputanim.InvalidArgument, match="3000 increasing times"):
        two_hands.to_mne(like=raw, times=[0, 1])
    with pytest.raises(inputanim.InvalidArgument, match="expected no others"):
        two_hands.to_mne(60, like=raw)


def test_mne_needs_a_constant_rate(wave: inputanim.Recording) -> None:
    with pytest.raises(inputanim.ConvertError, match="constant rate"):
        wave.sample(times="keys").to_mne()


def test_mne_averages_epochs_as_it_averages_its_own() -> None:
    name = "right.IndexTip.position.y"
    recording = inputanim.read(SAMPLES / "pinch-drag.bin")
    found = recording.epochs(events="pinch", before=0.5, after=0.5, rate=60, columns=[name], baseline=(-0.5, 0))
    epochs = found.to_mne()
    assert epochs.ch_names == [name] and epochs.get_channel_types() == ["misc"] and epochs.info["sfreq"] == 60
    assert np.allclose(epochs.times, found.times) and list(epochs.event_id) == ["pinch"]
    assert epochs.metadata["side"].tolist() == ["right", "right"]
    average = epochs.average(picks="misc").data.T
    assert np.allclose(average, found.average(), rtol=0, atol=1e-15)
    # The onsets of this recording are samples at 60 Hz. MNE subtracts no baseline from channels of the type misc.
    raw = recording.to_mne(60, joints=["IndexTip"])
    onsets = [event["start"] for event in recording.events(kinds=["pinch"])]
    events = np.array([[round(onset * 60), 0, 1] for onset in onsets])
    own = mne.Epochs(raw, events, tmin=-0.5, tmax=0.5, baseline=None, picks=[name], preload=True, verbose="error")
    expected = own.average(picks="misc").data[0]
    plain = recording.epochs(events="pinch", before=0.5, after=0.5, rate=60, columns=[name])
    assert np.allclose(plain.average()[:, 0], expected, rtol=0, atol=1e-7)
    assert np.allclose(plain.to_mne().average(picks="misc").data[0], expected, rtol=0, atol=1e-7)
    before = plain.times <= 0
    assert np.allclose(average[:, 0], expected - expected[before].mean(), rtol=0, atol=1e-7)
    with pytest.raises(inputanim.ConvertError, match="points"):
        recording.epochs(events="movement", points=11, columns=[name]).to_mne()
