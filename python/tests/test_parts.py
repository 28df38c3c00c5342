"""What files of MRTK cannot hold: times at which values are unknown, texts about a recording, and devices."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

import inputanim


def test_texts_about_a_recording_stay_with_it(wave: inputanim.Recording, tmp_path: Path) -> None:
    assert wave.about == {}
    described = wave.with_about({"task": "wave", "device": " Quest 3 ", "user": ""})
    assert described.about == {"device": "Quest 3", "task": "wave"}
    assert described != wave and described.with_about({}) == wave
    assert pickle.loads(pickle.dumps(described)) == described and copy.copy(described) == described
    assert described.trim(1, 2).about == described.about
    assert inputanim.concat([described, wave.with_about({"task": "rest"})]).about["task"] == "wave; rest"
    for name in ["a.json", "a.mcap", "a.parquet", "a.glb", "a.xdf"]:
        described.write(tmp_path / name)
        assert inputanim.read(tmp_path / name).about == described.about, name
    assert described.info["about"] == described.about and "about" not in wave.info
    for wrong in [["task"], {"task": 3}]:
        with pytest.raises(inputanim.InvalidArgument):
            wave.with_about(wrong)  # type: ignore[arg-type]


def test_a_file_of_mrtk_names_the_texts_that_it_does_not_hold(wave: inputanim.Recording, tmp_path: Path) -> None:
    described = wave.with_about({"task": "wave", "device": "Quest 3"})
    assert described.to_bytes() == wave.to_bytes()
    written = described.write(tmp_path / "a.bin")
    assert written.losses == [] and written.notes == ["2 texts about the recording not written: device, task"]
    assert inputanim.read(tmp_path / "a.bin") == wave


def test_a_table_of_recordings_has_their_texts(wave: inputanim.Recording) -> None:
    described = wave.with_about({"task": "wave", "device": "Quest 3"})
    table = inputanim.scan([("a", described), ("b", wave)], shape="info").to_pandas()
    assert list(table["about_task"].fillna("")) == ["wave", ""]
    assert list(table["about_device"].fillna("")) == ["Quest 3", ""]


def test_gaps_are_unknown_in_samples_and_files(wave: inputanim.Recording, tmp_path: Path) -> None:
    gapped = wave.with_gaps({"head": [(1, 2)], "left.tracked": [(3, float("inf"))]})
    assert gapped.gaps == {"head": [(1, 2)], "left.tracked": [(3, float("inf"))]}
    samples = gapped.sample(times=[0.5, 1.5, 2.5, 3.5])
    assert list(np.isnan(samples.head.position[:, 0])) == [False, True, False, False]
    assert pickle.loads(pickle.dumps(gapped)) == gapped != wave
    for name in ["a.json", "a.mcap"]:
        gapped.write(tmp_path / name)
        assert inputanim.read(tmp_path / name).gaps == gapped.gaps, name
    written = gapped.write(tmp_path / "a.bin")
    assert written.losses == ["the head is unknown for 1 s from 1 s on; the last value is held there"]
    assert written.notes == ["the left hand is unknown for 1 s from 3 s on; it is not tracked there"]
    with pytest.warns(inputanim.LossWarning, match="the head is unknown for 1 s"):
        gapped.to_bytes()
    for wrong in [{"nose": [(1, 2)]}, {"head": [(2, 1)]}]:
        with pytest.raises(inputanim.InvalidArgument):
            wave.with_gaps(wrong)
