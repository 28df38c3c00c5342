"""Catalogues: the facts of many recordings as one Parquet file."""

from __future__ import annotations

import os
import shutil
import threading
import time
import warnings
from pathlib import Path

import duckdb
import polars
import pytest

import inputanim

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Returns a folder with three recordings that did not change in the last two seconds."""
    for name in ("p1/wave.bin", "p1/reach.bin", "p2/wave.bin"):
        path = tmp_path / "study" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "samples" / path.name, path)
    time.sleep(2.1)
    return tmp_path / "study"


def test_a_scan_with_a_catalogue_has_the_rows_of_a_scan_without_it(study: Path) -> None:
    made = inputanim.catalog(study)
    assert (made.recordings, made.opened, made.removed, made.errors, made.reason) == (3, 3, 0, [], None)
    assert Path(made.path) == study / "inputanim-catalog.parquet"
    for shape in ("info", "findings"):
        rows = inputanim.scan(study, shape).to_arrow()
        assert inputanim.scan(study, shape, catalog=made.path).to_arrow() == rows
    (study / "p2/wave.bin").unlink()
    shutil.copy(study / "p1/reach.bin", study / "p1/new.bin")
    expected = inputanim.scan(study, "info").to_arrow()
    assert inputanim.scan(study, "info", catalog=made.path).to_arrow() == expected
    again = inputanim.catalog(study)
    assert (again.recordings, again.opened, again.removed) == (3, 1, 1)


def test_engines_query_a_catalogue_and_a_scan_reads_what_they_find(study: Path) -> None:
    path = inputanim.catalog(study).path
    longest = duckdb.sql(f"SELECT path FROM '{path}' WHERE duration_s > 1 AND path LIKE 'p1/%' ORDER BY path").fetchall()
    files = [study / name for (name,) in longest]
    assert [file.name for file in files] == ["reach.bin", "wave.bin"]
    rows = inputanim.scan(files, columns=["file", "time_s"]).to_polars()
    assert rows["file"].n_unique() == 2
    frame = polars.read_parquet(path)
    head = inputanim.scan(study / "p2", "keys", joints="head.position.y").to_polars()["value"]
    row = frame.row(by_predicate=polars.col("path") == "p2/wave.bin", named=True)
    assert (row["head_position_y_min"], row["head_position_y_max"]) == (head.min(), head.max())


def test_a_catalogue_that_cannot_be_used_is_an_error(study: Path) -> None:
    path = inputanim.catalog(study).path
    for bad in (study / "none.parquet", study / "p1/wave.bin"):
        with pytest.raises(inputanim.ScanError, match="catalogue"):
            inputanim.scan(study, "info", catalog=bad)
        if bad.exists():
            with pytest.raises(inputanim.InvalidArgument, match="expected the extension .parquet"):
                inputanim.catalog(study, bad)
    with pytest.raises(inputanim.ScanError, match="describes"):
        inputanim.catalog(study, format="bin")
    assert inputanim.catalog(study, format="bin", rebuild=True).opened == 3
    with pytest.raises(inputanim.InvalidArgument, match="catalog has no effect"):
        inputanim.scan(study, catalog=path)
    with pytest.raises(inputanim.InvalidArgument, match="corrections"):
        inputanim.scan(study, "info", catalog=path, repair=True)
    content = Path(path).read_bytes()
    Path(path).write_bytes(content[:1000])
    made = inputanim.catalog(study, rebuild=False)
    assert made.opened == 3 and made.reason is not None and "is not a catalogue" in made.reason


def test_errors_name_the_files(study: Path) -> None:
    content = (study / "p1/wave.bin").read_bytes()
    (study / "cut.bin").write_bytes(content[: len(content) // 2])
    errors = inputanim.catalog(study).errors
    assert [Path(error.file).name for error in errors] == ["cut.bin"]
    assert errors[0].message


def test_the_folder_must_exist(tmp_path: Path) -> None:
    with pytest.raises(inputanim.ScanError, match="nosuch is not a folder"):
        inputanim.catalog(tmp_path / "nosuch")


def test_a_catalogue_of_another_folder_is_noticed(study: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(study, other)
    path = inputanim.catalog(other).path
    with pytest.warns(inputanim.RangeWarning, match="no recording is in the catalogue, all are opened") as warned:
        scan = inputanim.scan(study, "info", catalog=path)
    (warning,) = warned
    assert str(warning.message).startswith(f"{path}: ") and str(warning.message).endswith(f"it describes {other.resolve()}")
    assert warning.filename == __file__
    (notice,) = scan.notices
    assert (notice.kind, notice.is_note) == ("no recording is in the catalogue, all are opened", True)
    assert notice.detail == f"it describes {other.resolve()}"


def test_a_catalogue_of_the_folder_gives_no_warning(study: Path) -> None:
    path = inputanim.catalog(study).path
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert inputanim.scan(study, "info", catalog=path).notices == []


def test_two_writers_leave_one_complete_catalogue(study: Path) -> None:
    threads = [threading.Thread(target=inputanim.catalog, args=[study], kwargs={"rebuild": True}) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert inputanim.catalog(study).opened == 0
    assert [path.name for path in study.iterdir() if path.is_file()] == ["inputanim-catalog.parquet"]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs permissions")
def test_a_read_only_folder_has_its_catalogue_elsewhere(study: Path, tmp_path: Path) -> None:
    study.chmod(0o555)
    try:
        with pytest.raises(PermissionError):
            inputanim.catalog(study)
        assert inputanim.catalog(study, tmp_path / "study.parquet").recordings == 3
    finally:
        study.chmod(0o755)
