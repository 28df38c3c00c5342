"""Datasets of LeRobot."""

import json
from pathlib import Path

import inputanim
import pytest
from conftest import ROOT

SAMPLES = ROOT / "samples"


def info(folder: Path) -> dict:
    return json.loads((folder / "meta/info.json").read_text(encoding="utf-8"))


def test_recordings_become_episodes(tmp_path: Path) -> None:
    folder = tmp_path / "dataset"
    dataset = inputanim.write_lerobot(SAMPLES, folder, rate=10, joints=["right", "head"], frame="head")
    recordings = sorted(SAMPLES.glob("*.bin"))
    assert dataset.episodes == dataset.tasks == len(recordings)
    written = info(folder)
    assert written["fps"] == 10
    assert written["total_frames"] == dataset.frames
    names = written["features"]["observation.state"]["names"]
    assert "right.tracked" in names and not any(name.startswith("left") for name in names)
    assert dataset.notes and dataset.errors == []

    parquet = pytest.importorskip("pyarrow.parquet")
    table = parquet.read_table(folder / "data/chunk-000/file-000.parquet")
    assert table.num_rows == dataset.frames


def test_datasets_are_replaced_only_on_request(tmp_path: Path) -> None:
    folder = tmp_path / "dataset"
    sample = SAMPLES / "reach.bin"
    inputanim.write_lerobot(sample, folder, task="one")
    with pytest.raises(FileExistsError):
        inputanim.write_lerobot(sample, folder, task="two")
    again = inputanim.write_lerobot([sample, sample.parent / "wave.bin"], folder, overwrite=True, segments="markers")
    assert again.episodes == info(folder)["total_episodes"] > 2
    (folder / "notes.txt").write_text("text")
    for overwrite in (False, True):
        with pytest.raises(FileExistsError, match="its file notes.txt would be lost"):
            inputanim.write_lerobot(sample, folder, overwrite=overwrite)
    (folder / "notes.txt").unlink()
    with pytest.raises(inputanim.InvalidArgument, match="is inside of the output"):
        inputanim.write_lerobot(folder / "meta/stats.json", folder, overwrite=True)
    (folder / "meta/info.json").unlink()
    with pytest.raises(OSError, match="has content, but no file meta/info.json"):
        inputanim.write_lerobot(sample, folder, overwrite=True)
    # No temporary folder is left.
    assert [path.name for path in tmp_path.iterdir()] == ["dataset"]


def test_files_that_fail_are_skipped_on_request(tmp_path: Path) -> None:
    broken = tmp_path / "a.bin"
    broken.write_bytes(b"no recording")
    sources = [broken, SAMPLES / "reach.bin"]
    with pytest.raises(inputanim.InputanimError, match="a.bin"):
        inputanim.write_lerobot(sources, tmp_path / "all")
    assert not (tmp_path / "all").exists()
    dataset = inputanim.write_lerobot(sources, tmp_path / "some", errors="skip")
    assert dataset.episodes == 1
    assert [error.file for error in dataset.errors] == [str(broken)]


def test_warnings_count_files(tmp_path: Path) -> None:
    trials = tmp_path / "trials.csv"
    trials.write_text("recording,start,end\nreach,0,1000\nreach,1,1000\n")
    with pytest.warns(inputanim.RangeWarning, match="in 1 files"):
        inputanim.write_lerobot(SAMPLES / "reach.bin", tmp_path / "dataset", segments=str(trials))


def test_a_dataset_is_not_a_file_of_convert(tmp_path: Path) -> None:
    with pytest.raises(inputanim.InvalidArgument) as caught:
        inputanim.read(SAMPLES / "reach.bin").write_bytes("lerobot")
    assert caught.value.hint == "inputanim.write_lerobot(sources, folder)"


def test_invalid_options_are_errors(tmp_path: Path) -> None:
    sample = SAMPLES / "reach.bin"
    for options in [
        {"rate": 0},
        {"rate": 29.97},
        {"frame": "palm"},
        {"joints": ["palmm"]},
        {"task": "a", "task_pattern": "{task}.bin"},
        {"task_pattern": "{subject}.bin"},
        {"segments": "marker"},
        {"errors": "column"},
        {"exclude": ["left.tracked"]},
        {"gripper": "fist"},
        {"rotations": "euler"},
        {"keypoints": "leap"},
        {"action": "relative"},
        {"mask": "hand"},
        {"scale_hands": True},
        {"success": "trials"},
        {"success": "markers"},
        {"validation": "person"},
        {"split_pattern": "{person}.bin"},
        {"video": True},
    ]:
        with pytest.raises(inputanim.InputanimError):
            inputanim.write_lerobot(sample, tmp_path / "dataset", **options)
    assert list(tmp_path.iterdir()) == []


def test_forms_of_states_are_options(tmp_path: Path) -> None:
    folder = tmp_path / "dataset"
    dataset = inputanim.write_lerobot(
        SAMPLES,
        folder,
        joints=["right"],
        frame="wrist",
        gripper=["aperture", "geometric-pinch"],
        rotations="6d",
        action="relative",
        mask="joint",
        scale_hands=True,
        validation="sample=wave",
        split_pattern="{sample}.bin",
        modality=True,
    )
    written = info(folder)
    episodes = dataset.episodes
    assert written["splits"] == {"train": f"0:{episodes - 1}", "val": f"{episodes - 1}:{episodes}"}
    features = written["features"]
    assert {"valid", "next.valid", "hand_size"} <= set(features)
    assert features["action"]["info"]["action"] == "relative"
    names = features["action"]["names"]
    assert names[:3] == ["right.tracked", "right.geometric_pinch", "right.aperture"]
    groups = json.loads((folder / "meta/modality.json").read_text(encoding="utf-8"))["state"]
    assert groups["right_aperture"] == {"start": 2, "end": 3}

    inputanim.write_lerobot(SAMPLES, folder, keypoints="mano", joints=["right"], gripper="pinch", overwrite=True)
    names = info(folder)["features"]["action"]["names"]
    assert len(names) == 2 + 63
    assert names[-1] == "right.PinkyTip.position.z"
