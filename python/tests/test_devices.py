"""Controllers, trackers and other devices."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

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
    losses = ["the right controller (1 pose, 3 inputs, 19 keys, 2 haptic pulses)", "the device tracker.waist (0 poses, 0 inputs, 0 keys)"]
    assert held.write(tmp_path / "a.bin").losses[: len(losses)] == losses
    with pytest.warns(inputanim.LossWarning, match="the right controller"):
        held.to_bytes()
