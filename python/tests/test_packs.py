"""Packs: the files in them are read as files on disk are, and are unpacked byte for byte."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

import inputanim

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Returns a folder with three recordings and a note."""
    for name in ("p1/wave.bin", "p1/reach.bin", "p2/wave.bin"):
        path = tmp_path / "study" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / "samples" / path.name, path)
    (tmp_path / "study/note.txt").write_text("a note")
    return tmp_path / "study"


def test_packs_are_read_as_folders(study: Path) -> None:
    packs = study.parent / "packs"
    packed = inputanim.pack(study, packs, files=3)
    assert (packed.packs, packed.files, packed.left_out) == (2, 4, [])
    first = packs / "0001.pack.mcap"
    assert inputanim.read(first / "p1/wave.bin").to_bytes() == (study / "p1/wave.bin").read_bytes()
    for shape in ("wide", "info", "keys"):
        of_files = inputanim.scan(study, shape, file_column=None).to_arrow()
        assert inputanim.scan(packs, shape, file_column=None).to_arrow() == of_files
    files = [file.path for file in inputanim.scan(packs).files]
    assert files[0] == str(first / "p1/reach.bin")
    assert inputanim.scan(files, "info").to_arrow().num_rows == 3
    pattern = inputanim.scan(packs / "*.pack.mcap" / "p2" / "*.bin", "info").to_arrow()
    assert pattern.num_rows == 1


def test_unpack_writes_the_same_files(study: Path) -> None:
    packs, again = study.parent / "packs", study.parent / "again"
    inputanim.pack(study, packs)
    assert inputanim.unpack(packs, again).files == 4
    for path in study.rglob("*"):
        if path.is_file():
            copy = again / path.relative_to(study)
            assert copy.read_bytes() == path.read_bytes()
            assert copy.stat().st_mtime_ns == path.stat().st_mtime_ns
    with pytest.raises(OSError, match="would be lost"):
        inputanim.unpack(packs, again)
    with pytest.raises(FileExistsError):
        inputanim.pack(study, packs)
    inputanim.pack(study, packs, overwrite=True)


def test_a_damaged_file_in_a_pack_is_an_error_of_this_file(study: Path) -> None:
    packs = study.parent / "packs"
    inputanim.pack(study, packs)
    path = packs / "0001.pack.mcap"
    content = bytearray(path.read_bytes())
    content[content.index(b"a note")] ^= 1
    path.write_bytes(content)
    with pytest.warns(inputanim.DamageWarning, match="checksum"):
        unpacked = inputanim.unpack(path, study.parent / "again")
    assert (unpacked.files, len(unpacked.errors), unpacked.damaged) == (3, 1, [])
    with pytest.warns(inputanim.DamageWarning, match="note.txt: the file is damaged: its checksum"):
        recovered = inputanim.unpack(path, study.parent / "recovered", recover=True)
    assert (recovered.files, recovered.errors) == (4, [])
    ((damaged, _),) = recovered.damaged
    assert damaged == str(path / "note.txt")
    assert (study.parent / "recovered/note.txt").read_bytes() == (study / "note.txt").read_bytes().replace(b"a note", b"` note")
    with pytest.raises(OSError, match="checksum"):
        inputanim.read(path / "note.txt")
    with pytest.raises(FileNotFoundError, match="no file"):
        inputanim.read(path / "missing.bin")
    with pytest.raises(IsADirectoryError):
        inputanim.read(path)


@pytest.mark.skipif(os.name != "posix", reason="needs names that Windows cannot have")
def test_names_that_windows_cannot_have_are_listed(study: Path) -> None:
    (study / "nul.txt").write_text("text")
    packed = inputanim.pack(study, study.parent / "packs")
    assert (packed.files, packed.not_on_windows) == (5, [str(study / "nul.txt")])


def test_the_catalogue_of_a_pack_is_outside_of_it(study: Path) -> None:
    inputanim.pack(study, study.parent / "packs")
    pack = study.parent / "packs/0001.pack.mcap"
    with pytest.raises(inputanim.InvalidArgument, match="would be in a pack") as refused:
        inputanim.catalog(pack)
    assert "path" in str(refused.value.hint)
    path = study.parent / "c.parquet"
    assert inputanim.catalog(pack, path).recordings == 3
    rows = inputanim.scan(pack, "info", catalog=path)
    assert rows.to_arrow() == inputanim.scan(pack, "info").to_arrow()


def test_wrong_arguments_are_refused(study: Path) -> None:
    with pytest.raises(inputanim.InvalidArgument, match="from 1 to 100,000"):
        inputanim.pack(study, study.parent / "packs", files=0)
    with pytest.raises(inputanim.InvalidArgument, match="inside of"):
        inputanim.pack(study, study / "packs")
    with pytest.raises(inputanim.InvalidArgument, match="not a pack"):
        inputanim.unpack(study, study.parent / "again")
