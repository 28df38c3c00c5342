"""Controllers, trackers and other devices."""

from __future__ import annotations

import json
import pickle
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import inputanim

INDEX = "/interaction_profiles/valve/index_controller"
INFINITY = "Infinity"


def _curve(name: str, kind: str, keys: list[list[object]]) -> dict[str, object]:
    return {"curve": name, "preWrap": 8, "postWrap": 8, "kind": kind, "keys": keys}


def document() -> bytes:
    """Returns a recording with a controller and a tracker in lossless JSON."""
    aim = [
        _curve(f"right.controller.aim.{channel}", "simple", [[0.0, value], [2.0, value]])
        for channel, value in [
            ("position.x", 0.1),
            ("position.y", 1.0),
            ("position.z", 0.4),
            ("rotation.x", 0.0),
            ("rotation.y", 0.0),
            ("rotation.z", 0.0),
            ("rotation.w", 1.0),
        ]
    ]
    curves = [
        *aim,
        _curve("right.controller.a.click", "boolean", [[0.0, 0.0], [0.5, 1.0]]),
        _curve("right.controller.thumbstick.x", "full", [[0.0, 0.5, INFINITY, INFINITY, 0.0, 0.0, 0]]),
        _curve("right.controller.trigger.value", "simple", [[0.0, 0.25], [2.0, 0.75]]),
    ]
    devices = [
        {
            "device": "right.controller",
            "profiles": [[0.0, True, INDEX], [1.5, False, None], [2.0, True, None]],
            "haptics": [[0.5, "haptic", None, 160.0, 0.75], [1.0, "haptic", 0.25, None, 1.0]],
        },
        {"device": "tracker.waist", "profiles": [[0.0, True, None]], "haptics": []},
    ]
    content = {
        "format": "inputanim-json",
        "version": 3,
        "layout": "mrtk-1.1",
        "flags": {"head": 0, "hand": 0, "gaze": 0},
        "curves": curves,
        "devices": devices,
        "markers": [],
        "gaps": [{"element": "right.controller.a.click", "unknown": [[0.5, INFINITY]]}],
    }
    return json.dumps(content).encode()


@pytest.fixture
def held() -> inputanim.Recording:
    return inputanim.read(document())


def test_devices_stay_with_a_recording(held: inputanim.Recording, tmp_path: Path) -> None:
    assert held.conversion.losses == []
    assert pickle.loads(pickle.dumps(held)) == held
    for name in ["a.json", "a.mcap"]:
        assert held.write(tmp_path / name).losses == [], name
        again = inputanim.read(tmp_path / name)
        assert again == held and hash(again) == hash(held), name
        assert again.write_bytes("json") == held.write_bytes("json"), name
    for other in [held.shift(1).shift(-1), held.with_gaps(held.gaps), held.with_about({"task": "pick"}).with_about({})]:
        assert other == held
    assert held.trim(0, 1) != held and held.select("head") != held
    right = "right.controller: aim, a.click, thumbstick.x, trigger.value (19 keys), 3 profile changes, 2 haptic pulses"
    hint = "a .mcap file holds controllers and other devices completely"
    with pytest.warns(inputanim.LossWarning, match=re.escape(f"lost: {right}; {hint}")):
        written = held.write(tmp_path / "a.bin")
    assert right in written.losses and any(loss.startswith("tracker.waist: ") for loss in written.losses)
    assert hint in written.notes
    with pytest.warns(inputanim.LossWarning, match=re.escape(f"lost: {right}; {hint}")):
        held.to_bytes()
    with pytest.warns(inputanim.LossWarning, match="tracker.waist"):
        held.write_bytes("glb")


def test_a_device_has_profiles_poses_inputs_and_haptic_pulses(held: inputanim.Recording, wave: inputanim.Recording) -> None:
    assert wave.devices == {} and list(held.devices) == ["right.controller", "tracker.waist"]
    right = held.devices["right.controller"]
    assert right.profiles == [
        inputanim.ProfileChange(0.0, True, INDEX),
        inputanim.ProfileChange(1.5, False, None),
        inputanim.ProfileChange(2.0, True, None),
    ]
    assert list(right.poses) == ["aim"] and list(right.poses["aim"]["position.y"]["value"]) == [1, 1]
    assert list(right.inputs) == ["a/click", "thumbstick/x", "trigger/value"] and right.buttons == {"a/click"}
    assert right.inputs["trigger/value"].tolist() == [(0, 0.25), (2, 0.75)]
    assert right.inputs["thumbstick/x"]["out_tangent"].tolist() == [float("inf")]
    assert right.haptics[0] == inputanim.Haptic(0.5, "haptic", None, 160, 0.75)
    assert held.devices["tracker.waist"].poses == {}
    assert repr(right) == "<Device right.controller: aim, a/click, thumbstick/x, trigger/value; 2 haptic pulses>"


def test_curves_include_those_of_devices(held: inputanim.Recording, wave: inputanim.Recording) -> None:
    names = list(held.curves)
    assert names[0] == "right.controller.aim.position.x" and names[-1] == "right.controller.trigger.value"
    assert held.curves["right.controller.trigger.value"]["value"].tolist() == [0.25, 0.75]
    assert pickle.loads(pickle.dumps(held.curves)) == held.curves != held.select("head").curves
    assert held.wrap_modes("right.controller.a.click") == (8, 8)
    both = inputanim.concat([wave, held])
    assert len(both.curves) == 395 + len(names) and list(both.curves)[:395] == list(wave.curves)
    assert [keys.tobytes() for keys in both.curves.arrays().values()] == [both.curves[name].tobytes() for name in both.curves]
    with pytest.raises(KeyError, match="did you mean"):
        held.curves["right.controller.trigger.valu"]


def test_samples_have_devices(held: inputanim.Recording, wave: inputanim.Recording) -> None:
    samples = held.sample(times=[0.0, 0.5, 1.0, 1.75, 2.0])
    assert samples.streams == ("right.controller", "tracker.waist")
    right = samples.devices["right.controller"]
    assert right.active.dtype == bool and right.active.tolist() == [True, True, True, False, True]
    assert right.profiles == [INDEX, INDEX, INDEX, None, None]
    assert right.poses["aim"].position.shape == (5, 3) and right.poses["aim"].rotation[0].tolist() == [0, 0, 0, 1]
    assert np.isnan(right.poses["aim"].position[3]).all()
    assert np.array_equal(right.inputs["trigger/value"], np.float32([0.25, 0.375, 0.5, np.nan, 0.75]), equal_nan=True)
    # A button is unknown in its gap.
    assert np.array_equal(right.inputs["a/click"], np.float32([0, 1, np.nan, np.nan, np.nan]), equal_nan=True)
    assert held.sample(times=[0], space="openxr").devices["right.controller"].poses["aim"].position[0].tolist() == (
        pytest.approx([0.1, 1.0, -0.4])
    )
    assert list(held.sample(streams=["right.controller"]).devices) == ["right.controller"]
    assert held.sample(streams=["head"]).devices == {} == wave.sample(streams=["left.controller"]).devices
    with pytest.raises(inputanim.InvalidArgument, match="a device such as right.controller"):
        held.sample(streams=["right.stick"])
    assert pickle.loads(pickle.dumps(samples)).devices["right.controller"].profiles == right.profiles


def test_tables_of_samples_have_columns_of_devices(held: inputanim.Recording, wave: inputanim.Recording) -> None:
    both = inputanim.concat([held, wave])
    columns = held.sample(times=[0, 1]).to_dict()
    assert list(columns)[:3] == ["time_s", "right.controller.active", "right.controller.aim.position.x"]
    assert list(columns)[-2:] == ["right.controller.trigger.value", "tracker.waist.active"]
    options = inputanim.SampleOptions(times=[0, 1])
    for frame in [held.to_pandas(**options), held.to_polars(**options), held.to_arrow(**options)]:
        assert list(frame["right.controller.trigger.value"].to_numpy()) == [0.25, 0.5]
        assert list(frame["right.controller.active"].to_numpy()) == [True, True]
    # A button is unknown from 0.5 s on.
    columns = held.sample(times=[0, 1]).to_dict()
    assert np.array_equal(columns["right.controller.a.click"], [0, np.nan], equal_nan=True)
    pandas, polars, arrow = held.to_pandas(**options), held.to_polars(**options), held.to_arrow(**options)
    name = "right.controller.a.click"
    assert pandas[name].dtype == "boolean" and pandas[name].isna().tolist() == [False, True] and not pandas[name].iloc[0]
    assert polars[name].to_list() == arrow[name].to_pylist() == [False, None]
    scanned = inputanim.scan(("held", held), columns=[name], times="keys", file_column=None).to_arrow()
    assert scanned.schema.field(name).type == arrow.schema.field(name).type
    assert list(pandas.columns) == list(columns)[1:] and polars.columns == arrow.column_names == list(columns)
    dataset = both.to_xarray(times=[0, 1])
    assert dataset["right.controller.aim.position"].dims == ("time", "space")
    assert dataset["right.controller.trigger.value"].values.tolist() == [0.25, 0.5]


def test_a_recorder_takes_devices(held: inputanim.Recording) -> None:
    recorder = inputanim.Recorder()
    pose = [0, 1, 0.5, 0, 0, 0, 1]
    right = {"profile": INDEX, "poses": {"aim": pose}, "inputs": {"trigger/value": 0.5, "a/click": True}}
    assert recorder.push(0, devices={"right.controller": right})
    assert recorder.push(1, devices={"right.controller": {"active": False}, "tracker.waist": {"poses": {"grip": pose}}})
    recorder.haptic(0.5, "right.controller", frequency=160)
    made = recorder.snapshot().devices
    assert made["right.controller"].profiles[0] == inputanim.ProfileChange(0, True, INDEX)
    assert made["right.controller"].profiles[-1] == inputanim.ProfileChange(1, False, None)
    assert made["right.controller"].buttons == {"a/click"}
    assert made["right.controller"].haptics == [inputanim.Haptic(0.5, "haptic", None, 160, 1)]
    assert list(made["tracker.waist"].poses) == ["grip"]
    for device, member in [("waist", {}), ("tracker.waist", {"pose": {}}), ("tracker.waist", {"inputs": {"trigger": 1}})]:
        with pytest.raises(inputanim.InvalidArgument):
            recorder.push(2, devices={device: member})
    with pytest.raises(inputanim.RecordError, match="finite"):
        recorder.haptic(float("nan"), "right.controller")
    # Samples become a recording again, with the same samples.
    times = [0, 0.25, 0.5, 1, 1.75, 2]
    samples = held.sample(times=times)
    again = samples.record().sample(times=times)
    ours, theirs = samples.to_dict(), again.to_dict()
    assert all(np.array_equal(ours[name], theirs[name], equal_nan=True) for name in ours)
    assert again.devices["right.controller"].buttons == {"a/click"}
    assert again.devices["right.controller"].profiles == samples.devices["right.controller"].profiles
    made_again = inputanim.record(times, devices=samples.devices, haptics=[("tracker.waist", inputanim.Haptic(1, "haptic", 0.1, None, 0.5))])
    assert made_again.devices["tracker.waist"].haptics[0].duration == pytest.approx(0.1)


def test_edits_and_comparisons_know_devices(held: inputanim.Recording) -> None:
    assert list(held.select("tracker.waist").devices) == ["tracker.waist"]
    assert list(held.select("right.controller.trigger.value").devices["right.controller"].inputs) == ["trigger/value"]
    assert list(held.mirror("world").devices) == ["left.controller", "tracker.waist"]
    other = held.retime(duration=4)
    assert other.devices["right.controller"].profiles[1].time == 3
    keys = np.arange(101)
    inputs = {"trigger/value": 0.5 + 0.01 * (keys % 2)}
    made = inputanim.record(keys / 50, devices={"right.controller": {"inputs": inputs}})
    count = [len(made.reduce(input=bound)[0].devices["right.controller"].inputs["trigger/value"]) for bound in (None, 0.02)]
    assert count[0] == 101 and count[1] < 10
    reduced = made.reduce(input=0.02)[0]
    assert made.diff(reduced)["verdict"] == "different" and made.diff(reduced, input=0.02)["verdict"] == "equivalent"
    assert made.diff(reduced)["inputs"][0]["element"] == "right.controller.trigger.value"
    for wrong in (-1, float("nan")):
        with pytest.raises(inputanim.InputanimError):
            made.reduce(input=wrong)
        with pytest.raises(inputanim.InputanimError):
            made.diff(reduced, input=wrong)


def test_measures_without_parameters_name_the_devices_that_they_leave_out(held: inputanim.Recording, wave: inputanim.Recording) -> None:
    analysis = held.analyse()
    note = "no device is measured: the parameters devices.poses=right.controller.aim and devices.inputs=right.controller.a.click"
    assert [text.startswith(note) for text in analysis.notes] == [True]
    with pytest.warns(UserWarning, match=re.escape(note)):
        analysis.measures()
    parameters: inputanim.Parameters = {"devices.inputs": ["right.controller.trigger.value"]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert held.analyse(parameters).measures()
        assert held.analyse(parameters).notes == []
        wave.measures()
        analysis.measures(measures=["head.*"])
