"""The data source of Spark, on Sail, which needs no Java."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

import inputanim

pytest.importorskip("pyspark")
pyarrow = pytest.importorskip("pyarrow")
polars = pytest.importorskip("polars")
sail = pytest.importorskip("pysail.spark")
from polars.testing import assert_frame_equal  # noqa: E402

from pyspark.sql import datasource  # noqa: E402

from inputanim.spark import FilteringReader, InputanimDataSource, InputanimReader, _partitions  # noqa: E402

COLUMNS = ["file", "time_s", "right.tracked", "right.Palm.position.x"]


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    server = sail.SparkConnectServer()
    server.start()
    _, port = server.listening_address
    session = SparkSession.builder.remote(f"sc://localhost:{port}").getOrCreate()
    yield session
    # An open session calls the server again at the end of Python, and waits ten minutes for its answer.
    session.stop()
    server.stop()


def rows(frame: Any) -> Any:
    return polars.from_arrow(frame.toArrow()).sort(frame.columns[:2])


def test_rows_are_those_of_the_scan(session: Any, study: Path) -> None:
    expected = inputanim.scan(study, columns=COLUMNS, rate=30).to_polars()
    source = session.read.format("inputanim").option("rate", 30).option("files_per_partition", 1)
    frame = source.option("columns", ", ".join(COLUMNS)).load(str(study))
    assert_frame_equal(rows(frame), expected)
    # A given schema selects columns.
    schema = "file STRING, time_s FLOAT"
    chosen = source.schema(schema).load(str(study))
    assert_frame_equal(rows(chosen), expected.select("file", "time_s"))


def test_paths_are_those_of_the_scan(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(study.parent)
    options = {"path": study.name, "rate": "5", "recording_column": "name"}
    expected = inputanim.scan(study.name, columns=["name", "time_s", "file"], rate=5, recording_column="name").to_polars()
    for columns in ["file", "time_s"], ["name", "time_s", "file"], ["time_s", "name"]:
        reader = InputanimReader(options, columns)
        (partition,) = reader.partitions()
        # A process of the engine may have another working directory.
        monkeypatch.chdir("/")
        found = polars.from_arrow(pyarrow.Table.from_batches(reader.read(partition)))
        assert_frame_equal(found, expected.select(columns))
        monkeypatch.chdir(study.parent)


@pytest.mark.parametrize("columns", [["name", "time_s"], ["time_s", "name", "file"], ["name"]])
def test_names_of_recordings_are_relative_to_the_searched_folder(session: Any, study: Path, columns: list[str]) -> None:
    expected = inputanim.scan(study, columns=columns, rate=5, recording_column="name").to_polars()
    assert expected["name"].unique().sort().to_list() == ["p1/fast", "p1/slow", "p2/fast", "p2/slow"]
    source = session.read.format("inputanim").option("rate", 5).option("recording_column", "name")
    frame = source.option("columns", ", ".join(columns)).load(str(study))
    assert_frame_equal(polars.from_arrow(frame.toArrow()).select(columns), expected, check_row_order=False)


def test_a_view_in_sql(session: Any, study: Path) -> None:
    session.sql(f"CREATE OR REPLACE TEMPORARY VIEW f USING inputanim OPTIONS (path '{study}', shape 'stats', columns 'file, duration')")
    found = rows(session.sql("SELECT file, duration FROM f WHERE duration > 1"))
    expected = inputanim.read_polars(study, "stats", columns=["file", "duration"])
    assert_frame_equal(found, expected.filter(polars.col("duration") > 1))


def test_a_bad_file_ends_the_job_or_is_skipped(session: Any, study: Path) -> None:
    (study / "p1" / "bad.bin").write_bytes(b"no recording")
    source = session.read.format("inputanim").option("columns", "file, time_s")
    with pytest.raises(Exception, match="bad.bin"):
        source.load(str(study)).count()
    expected = inputanim.scan(study, columns=["time_s"], errors="skip").to_polars().height
    assert source.option("errors", "skip").load(str(study)).count() == expected


PATTERN = "{participant}/{condition}.bin"
CONDITIONS = [
    "participant = 'p1'",
    "participant <> 'p2'",
    "condition IN ('slow', 'other', 'b', 'c', 'd') AND time_s > 0.5",
    "condition NOT IN ('fast', 'other', 'b', 'c', 'd')",
    "name = 'p1/slow'",
    "'p1/fast' <=> name AND participant = 'p1'",
]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_filter_on_the_path_selects_the_files_that_are_opened(session: Any, study: Path, condition: str) -> None:
    # Without pushdown, a file that is not a recording is opened, and its error ends the job.
    (study / "p2" / "fast.bin").write_bytes(b"no recording")
    source = session.read.format("inputanim").option("path_pattern", PATTERN)
    source = source.option("recording_column", "name").option("columns", "file, time_s, participant, condition, name")
    with pytest.raises(Exception, match="fast.bin"):
        source.load(str(study)).where(condition).toArrow()
    found = rows(source.option("pushdown", "true").load(str(study)).where(condition))
    expected = rows(source.option("pushdown", "false").option("errors", "skip").load(str(study)).where(condition))
    assert found.height > 0
    assert_frame_equal(found, expected)


def test_results_are_equal_with_and_without_pushdown(session: Any, study: Path) -> None:
    source = session.read.format("inputanim").option("path_pattern", PATTERN).option("rate", 30)
    source = source.option("recording_column", "name").option("columns", "time_s, file, participant, condition, name")
    like = ["condition LIKE 'sl%'", "condition NOT LIKE 'sl%'", "condition ILIKE 'SL%'", "file LIKE '%p1/%'"]
    others = ["condition IN ('slow', 'other')", "time_s >= 0.51", "participant = 'p3'", "participant = 'p1' OR time_s < 0.2"]
    conditions = [*CONDITIONS, *like, *others, "condition IS NOT NULL"]
    for condition in conditions:
        with_pushdown = rows(source.option("pushdown", "true").load(str(study)).where(condition))
        without = rows(source.option("pushdown", "false").load(str(study)).where(condition))
        assert_frame_equal(with_pushdown, without)
        assert (without.height == 0) == (condition == "participant = 'p3'")


def test_every_filter_is_left_to_the_engine(study: Path) -> None:
    reader = FilteringReader({"path": str(study), "path_pattern": PATTERN, "recording_column": "name"}, None)
    filters = [
        datasource.In(("condition",), ("slow",)),
        datasource.Not(datasource.EqualTo(("participant",), "p1")),
        datasource.GreaterThan(("time_s",), 0.5),
        # Filters on columns with numbers are ignored.
        datasource.EqualTo(("time_s",), 0.5),
        datasource.IsNotNull(("file",)),
    ]
    assert list(reader.pushFilters(filters)) == filters
    (partition,) = reader.partitions()
    assert [Path(file.path) for file in partition.files] == [study / "p2" / "slow.bin"]


def test_names_of_the_pattern_may_be_those_of_other_shapes(study: Path) -> None:
    # The shape `info` has a `layout` and an `end_s`.
    reader = FilteringReader({"path": str(study), "path_pattern": "{layout}/{end_s}.bin", "file_column": ""}, None)
    list(reader.pushFilters([datasource.EqualTo(("layout",), "p1"), datasource.EqualTo(("end_s",), "slow")]))
    (partition,) = reader.partitions()
    assert [Path(file.path) for file in partition.files] == [study / "p1" / "slow.bin"]


def test_a_file_outside_of_the_pattern_is_an_error_with_pushdown_too(study: Path) -> None:
    reader = FilteringReader({"path": str(study), "path_pattern": "p1/{condition}.bin"}, None)
    list(reader.pushFilters([datasource.EqualTo(("condition",), "none")]))
    (partition,) = reader.partitions()
    # The files of p1 are excluded. Those of p2 do not match the pattern.
    assert len(partition.files) == 2
    with pytest.raises(inputanim.ScanError, match="p2"):
        list(reader.read(partition))


def test_the_examples_of_the_page_run_on_sail(study: Path) -> None:
    page = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    wanted = [block for block in blocks if "pysail" in block or 'spark.read.format("inputanim")' in block]
    assert len(wanted) == 4
    # The examples run as a program to check that it ends, because an open session could wait for the server.
    code = "".join([*wanted, 'print("rows:", frame.where("participant = \'p1\'").count())\n'])
    (study.parent / "example.py").write_text(code, encoding="utf-8")
    result = subprocess.run([sys.executable, "example.py"], cwd=study.parent, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    expected = inputanim.scan(study / "p1", columns=["time_s"]).to_polars().height
    assert f"rows: {expected}" in result.stdout
    written = polars.read_parquet(study.parent / "study.parquet" / "*.parquet")
    assert written.height == inputanim.scan(study, columns=["time_s"], rate=30).to_polars().height


def test_trials_are_those_of_the_scan(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The two recordings named slow are told apart by all names, which a partition does not have.
    trials = "recording,start,end,condition\np1/slow,0.5,1,near\np2/slow,0.25,0.5,far\np2/fast,0,0.25,far\n"
    (study.parent / "trials.csv").write_text(trials)
    monkeypatch.chdir(study.parent)
    for shape in ("wide", "tidy", "keys", "stats", "states"):
        options = {"path": "study", "shape": shape, "segments": "trials.csv", "files_per_partition": "1", "recording_column": "take"}
        reader = InputanimReader(options, None)
        parts = list(reader.partitions())
        assert len(parts) == 4
        monkeypatch.chdir("/")
        found = pyarrow.Table.from_batches([batch for part in parts for batch in reader.read(part)])
        monkeypatch.chdir(study.parent)
        expected = inputanim.scan(study, shape, segments="trials.csv", recording_column="take").to_arrow()
        assert found.num_rows == expected.num_rows > 0
        names = [name for name in expected.schema.names if name != "file"]
        assert found.select(names).to_pylist() == expected.select(names).to_pylist(), shape


def test_points_and_windows_are_options(study: Path) -> None:
    for options in ({"segments": "tracked@start..end", "points": "11"}, {"segments": "marker@-0.1..0.1", "rate": "90"}):
        reader = InputanimReader({"path": str(study), **options}, None)
        found = [batch for part in reader.partitions() for batch in reader.read(part)]
        given: dict[str, Any] = {name: int(text) if text.isdigit() else text for name, text in options.items()}
        expected = inputanim.scan(study, **given).to_arrow()
        assert sum(batch.num_rows for batch in found) == expected.num_rows > 0


def test_partitions_have_about_equal_sizes() -> None:
    files = [inputanim.ScanFile(f"{number}.bin", 1000 if number < 10 else 10, "") for number in range(1000)]
    parts = _partitions(files, 100)
    assert sum(parts, []) == files
    totals = [sum(file.bytes for file in part) for part in parts]
    assert 9 <= len(parts) <= 10 and max(totals) < 2 * sum(totals) / len(totals)
    a, b = (inputanim.ScanFile(name, 0, "") for name in "ab")
    assert _partitions([a, b], 1) == [[a], [b]]


def test_unknown_options_are_refused(study: Path) -> None:
    with pytest.raises(inputanim.InvalidArgument, match='unknown option "rte"; did you mean "rate"'):
        InputanimReader({"path": str(study), "rte": "30"}, None)
    with pytest.raises(inputanim.InvalidArgument, match="missing option"):
        InputanimReader({}, None)
    with pytest.raises(inputanim.InvalidArgument, match="points"):
        InputanimReader({"path": str(study), "points": "many"}, None)
    source = InputanimDataSource({"path": str(study), "pushdown": "yes"})
    with pytest.raises(inputanim.InvalidArgument, match='option "pushdown": expected true or false, found "yes"'):
        source.reader(pyarrow.schema([]))
    assert InputanimDataSource.name() == "inputanim"


def test_a_catalogue_gives_the_same_rows(study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    inputanim.catalog(study, "c.parquet")
    expected = inputanim.scan(study, "info").to_polars()
    names = [column.name for column in inputanim.columns("info", catalog="c.parquet")]
    reader = InputanimReader({"path": str(study), "shape": "info", "catalog": "c.parquet"}, names)
    (partition,) = reader.partitions()
    # A process of the engine may have another working directory.
    monkeypatch.chdir("/")
    found = polars.from_arrow(pyarrow.Table.from_batches(reader.read(partition)))
    assert_frame_equal(found, expected)


def test_a_catalogue_of_another_folder_is_noticed_once(study: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(study, other)
    options = {"path": str(study), "shape": "info", "catalog": inputanim.catalog(other).path}
    reader = InputanimReader(options, ["duration_s"])
    with pytest.warns(inputanim.RangeWarning, match="no recording is in the catalogue"):
        (partition,) = reader.partitions()
    # The files of a partition may be none of the catalogue, although other files are.
    with warnings.catch_warnings():
        warnings.simplefilter("error", inputanim.RangeWarning)
        assert list(reader.read(partition))


def test_without_a_schema_the_columns_are_those_of_the_devices_of_all_files(session: Any, tmp_path: Path) -> None:
    times = [0.0, 0.5, 1.0]
    for name, click in [("a", [False, True, False]), ("b", [0.25, 0.5, 0.75])]:
        inputs = {"trigger/value": times, "a/click": click}
        inputanim.record(times, devices={"right.controller": {"inputs": inputs}}).write(tmp_path / f"{name}.mcap")
    inputanim.record(times, devices={"tracker.waist": {"inputs": {"menu/click": [True, False, True]}}}).write(tmp_path / "c.mcap")
    expected = inputanim.scan(tmp_path, format="mcap", rate=2).to_polars()
    # An input that is on or off in one file and a number in another one is a number.
    assert expected.schema["right.controller.a.click"] == polars.Float32
    assert expected.schema["tracker.waist.menu.click"] == polars.Boolean
    source = session.read.format("inputanim").option("rate", 2).option("format", "mcap").option("files_per_partition", 1)
    found = rows(source.load(str(tmp_path)))
    assert_frame_equal(found, expected.with_columns(polars.col("file").cast(polars.String)), check_row_order=False, check_dtypes=False)
    assert found.schema["right.controller.a.click"] == polars.Float32
    assert found["right.controller.a.click"].drop_nulls().sort().to_list() == [0, 0, 0.25, 0.5, 0.75, 1]
    # Keys have the columns of haptic pulses if a file has devices.
    inputanim.record(times, head=[[0, 1, 0, 0, 0, 0, 1]] * 3).write(tmp_path / "d.mcap")
    source = session.read.format("inputanim").option("shape", "keys").option("format", "mcap").option("files_per_partition", 1)
    keys = source.load(str(tmp_path))
    expected = inputanim.scan(tmp_path, "keys", format="mcap").to_polars()
    assert keys.columns == expected.columns
    assert polars.from_arrow(keys.toArrow()).height == expected.height
