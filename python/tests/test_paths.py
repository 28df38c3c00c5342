"""Paths that are not UTF-8, as `os.fsdecode` represents them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

import inputanim

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="names that are not UTF-8 exist only on Linux")

NAME = os.fsdecode(b"take-\xff.bin")


@pytest.fixture
def folder(wave: inputanim.Recording, tmp_path: Path) -> Path:
    folder = tmp_path / os.fsdecode(b"study-\xe9")
    folder.mkdir()
    wave.write(folder / NAME)
    return folder


def test_a_recording_is_read_and_written(wave: inputanim.Recording, folder: Path) -> None:
    for path in (folder / NAME, str(folder / NAME)):
        recording = inputanim.read(path)
        assert recording == wave and recording.path == str(folder / NAME)
    assert sorted(os.listdir(folder)) == [NAME]
    assert inputanim.recover(folder / NAME).recording == wave
    # Messages can be printed.
    for text in (repr(recording), recording._repr_html_(), repr(inputanim.recover(folder / NAME))):
        assert "take-\ufffd.bin" in text and text.encode()
    recording.plot().savefig(folder / "figure.png")
    recording.write_bytes("csv", source=recording.path)
    assert recording.view(name=NAME).html.encode() if _has_viewer() else True


def _has_viewer() -> bool:
    try:
        inputanim.record([0]).view()
    except inputanim.ViewError:
        return False
    return True


def test_a_scan_finds_it_in_a_folder_and_by_a_pattern(wave: inputanim.Recording, folder: Path) -> None:
    plain = folder / "plain.bin"
    wave.write(plain)
    both = [str(plain), str(folder / NAME)]
    patterns = ["*.bin", "take-?.bin", "take-*.bin", os.fsdecode(b"take-\xff.b*"), os.fsdecode(b"t[a]ke-\xff.bin"), "**/*.bin"]
    for pattern in patterns:
        found = [file.path for file in inputanim.scan(folder / pattern).files]
        assert found == (both if pattern in ("*.bin", "**/*.bin") else both[1:]), pattern
    for sources in (folder, folder / NAME, [str(folder / NAME)]):
        scan = inputanim.scan(sources, columns=["file", "time_s"], rate=10)
        file = scan.files[-1]
        assert file.path == str(folder / NAME) and inputanim.read(file.path) == wave
        # Texts of Arrow are UTF-8.
        assert scan.to_polars()["file"].to_list()[-1].endswith("take-\ufffd.bin")
        assert scan._repr_html_().encode()
    recording = inputanim.read(folder / NAME)
    assert inputanim.scan(recording).to_polars().height == inputanim.scan([(NAME, wave)]).to_polars().height
    assert inputanim.scan(folder, "info", recording_column="name", path_pattern="{p}/{name2}.bin").to_polars().height == 2


def test_two_names_that_look_the_same_are_two_files(wave: inputanim.Recording, folder: Path) -> None:
    other = os.fsdecode(b"take-\xfe.bin")
    wave.trim(0, 1).write(folder / other)
    paths = [file.path for file in inputanim.scan(folder).files]
    assert paths == [str(folder / other), str(folder / NAME)]
    assert [inputanim.read(path).duration for path in paths] == [1, 4]


def test_errors_name_the_file_and_can_be_printed(folder: Path) -> None:
    bad = folder / os.fsdecode(b"bad-\xff.bin")
    bad.write_bytes(b"not a recording")
    with pytest.raises(inputanim.ParseError) as parse:
        inputanim.read(bad)
    assert parse.value.file == str(bad)
    with pytest.raises(inputanim.ScanError) as scan_error:
        inputanim.scan(folder).to_polars()
    assert scan_error.value.file == str(bad)
    scan = inputanim.scan(folder, errors="skip")
    scan.to_polars()
    assert [error.file for error in scan.errors] == [str(bad)]
    with pytest.raises(FileNotFoundError) as missing:
        inputanim.record([0]).write(folder / os.fsdecode(b"no\xff") / "take.bin")
    for error in (parse.value, scan_error.value, missing.value):
        assert "\ufffd" in str(error) and str(error).encode()
        assert "Traceback" not in str(error) and "PySource" not in str(error)
    with pytest.raises(inputanim.ScanError, match="no recordings found"):
        inputanim.scan(folder / os.fsdecode(b"no-\xff*.bin"))
    with pytest.raises(inputanim.InvalidArgument, match="trial"):
        inputanim.scan(folder, "stats", segments=os.fsdecode(b"trials-\xff.csv"))
