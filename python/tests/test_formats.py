"""Files of other formats: reading, scanning, losses and notes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import inputanim
from conftest import SAMPLES

READABLE = [format.name for format in inputanim.formats() if format.can_read and format.can_write and format.name != "bin"]


@pytest.mark.parametrize("name", READABLE)
def test_scans_read_files_of_other_formats(name: str, wave: inputanim.Recording, tmp_path: Path) -> None:
    path = tmp_path / f"take.{name}"
    path.write_bytes(wave.write_bytes(name)[0])
    read = inputanim.read(path)
    pairs = [(read, "wide"), (read, "events")]
    for recording, shape in pairs:
        expected = inputanim.scan(recording, shape, file_column=None).to_arrow()
        assert inputanim.scan(path, shape, file_column=None).to_arrow().equals(expected), shape
    info = inputanim.scan(path, "info", ["format", "layout"]).to_arrow().to_pylist()
    assert [row["format"] for row in info] == [name]


def test_suggested_mappings_work_and_state_what_they_assume(tmp_path: Path) -> None:
    path = tmp_path / "tracker.csv"
    path.write_text("frame,x,y,z\n0,0,1,0\n30,0,1,0\n")
    with pytest.raises(inputanim.ConvertError) as caught:
        inputanim.read(path)
    mappings, _, remarks = (caught.value.hint or "").partition(" reads the columns as their names suggest; ")
    assert "30 frames per second are assumed" in remarks and "the right hand is assumed" in remarks
    recording = inputanim.read(path, mappings=json.loads(mappings.removeprefix("mappings=")))
    assert recording.duration == 1.0


def test_a_file_of_no_format_that_is_read_has_a_kind(tmp_path: Path) -> None:
    path = tmp_path / "article.pdf"
    path.write_bytes(b"%PDF-1.7\n")
    with pytest.raises(inputanim.ParseError) as caught:
        inputanim.read(path)
    assert caught.value.kind == "not-input-animation"


def test_a_folder_is_searched_for_the_files_of_a_format(wave: inputanim.Recording, tmp_path: Path) -> None:
    wave.write(tmp_path / "a.bin")
    wave.write(tmp_path / "b.json")
    names = [file.recording for file in inputanim.scan(tmp_path, "info", format="json").files]
    assert names == ["b"]
    with pytest.raises(inputanim.InvalidArgument, match='unknown format "gif"'):
        inputanim.scan(tmp_path, "info", format="gif")


def test_a_file_of_another_format_with_the_same_extension_is_noted(wave: inputanim.Recording, tmp_path: Path) -> None:
    for name, format in [("a", "isaac"), ("b", "mcap")]:
        (tmp_path / f"{name}.mcap").write_bytes(wave.write_bytes(format)[0])
    scan = inputanim.scan(tmp_path, "info", format="isaac")
    assert [file.recording for file in scan.files] == ["a"]
    (notice,) = scan.notices
    assert (Path(notice.file), notice.kind) == (tmp_path / "b.mcap", "skipped, another format")
    assert (notice.detail, notice.is_note) == ("mcap, not isaac", True)


def test_losses_and_notes_of_a_file_that_is_read(wave: inputanim.Recording) -> None:
    assert inputanim.read(SAMPLES / "wave.bin").conversion == inputanim.Written([], [])
    content = json.loads(wave.write_bytes("iwer")[0])
    # The second frame is at the time of the first, so that it cannot be recorded.
    content["frames"][1][0] = content["frames"][0][0]
    with pytest.warns(inputanim.LossWarning, match="the recording: lost: 1 frame"):
        recording = inputanim.read(json.dumps(content).encode())
    assert len(recording.conversion.losses) == 1


def test_losses_and_notes_of_files_that_a_scan_reads(wave: inputanim.Recording, tmp_path: Path) -> None:
    content = json.loads(wave.write_bytes("iwer")[0])
    content["frames"][1][0] = content["frames"][0][0]
    lost = tmp_path / "lost.iwer.json"
    lost.write_text(json.dumps(content))
    scan = inputanim.scan(tmp_path, "tidy", format="iwer")
    with pytest.warns(inputanim.LossWarning, match="lost in 1 of 1 files") as caught:
        scan.to_arrow()
    assert [warning.filename for warning in caught] == [__file__]
    notices = scan.notices
    (loss,) = (notice for notice in notices if notice.kind == "lost")
    assert Path(loss.file) == lost and loss.detail.startswith("1 frame") and not loss.is_note
    assert all(notice.is_note for notice in notices if notice is not loss)


def test_files_that_the_search_of_a_folder_skips(wave: inputanim.Recording, tmp_path: Path) -> None:
    for format in ["mcap", "isaac"]:
        wave.write(tmp_path / f"{format}.mcap", format)
    scan = inputanim.scan(tmp_path, "tidy", format="mcap")
    assert scan.to_arrow().num_rows > 0
    skipped = scan.notices[0]
    assert Path(skipped.file) == tmp_path / "isaac.mcap"
    assert (skipped.kind, skipped.detail, skipped.is_note) == ("skipped, another format", "isaac, not mcap", True)
