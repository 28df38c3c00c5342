"""Scans and their clients."""

from __future__ import annotations

import csv
import functools
import io
import math
from pathlib import Path

import numpy as np
import pytest
from conftest import SAMPLES
from hypothesis import given, settings
from hypothesis import strategies as st

import inputanim

polars = pytest.importorskip("polars")
from polars.testing import assert_frame_equal  # noqa: E402

COLUMNS = ["file", "time_s", "head.position.y", "right.tracked", "right.Palm.position.x"]


def test_rows_are_those_of_each_recording(study: Path) -> None:
    frame = inputanim.scan(study, columns=COLUMNS, rate=30).to_polars()
    assert frame.columns == COLUMNS
    files = frame["file"].unique(maintain_order=True).to_list()
    assert [Path(file).relative_to(study).as_posix() for file in files] == [
        "p1/fast.bin", "p1/slow.bin", "p2/fast.bin", "p2/slow.bin",
    ]
    for file in files:
        rows = frame.filter(polars.col("file") == file)
        text, _ = inputanim.read(file).write_bytes("csv", rate=30)
        expected = list(csv.DictReader(io.StringIO(text.decode())))
        for name in COLUMNS[1:]:
            if rows[name].dtype == polars.Boolean:
                continue
            wanted = [np.float32(row[name]) if row[name] else None for row in expected]
            assert rows[name].to_list() == wanted, name


@pytest.mark.parametrize("shape", ["wide", "tidy", "keys", "info", "findings", "events", "stats", "measures", "markers", "curves", "states", "haptics"])
def test_every_shape_has_its_columns(study: Path, shape: inputanim._scan.Shape) -> None:
    scan = inputanim.scan(study, shape)
    frame = scan.to_polars()
    assert frame.columns == [column.name for column in scan.columns] == [c.name for c in inputanim.columns(shape)]
    assert all(column.meaning for column in scan.columns)
    if shape in ("info", "stats"):
        assert frame.height == 4
    if shape == "curves":
        keys = inputanim.scan(study, "keys", joints=["*"]).to_polars()
        counted = keys.group_by("file", "curve").len().select("file", polars.col("curve").cast(polars.String), "len")
        joined = frame.filter(polars.col("keys") > 0).join(counted, on=["file", "curve"])
        assert joined.height == counted.height and (joined["keys"] == joined["len"]).all()
    if shape == "states":
        assert set(frame["state"]) <= {"tracked", "pinching"} and (frame["start_s"] <= frame["end_s"]).all()
    if shape == "markers":
        assert frame["name"].to_list() == ["wave"] * frame.height and frame.height > 0


def test_all_clients_have_the_same_rows(study: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    duckdb = pytest.importorskip("duckdb")
    scan = inputanim.scan(study, columns=COLUMNS)
    frame = scan.to_polars()
    assert_frame_equal(polars.DataFrame(scan), frame)
    assert_frame_equal(polars.from_arrow(scan.to_arrow()), frame)
    assert_frame_equal(polars.from_arrow(pyarrow.table(scan)), frame)
    assert_frame_equal(polars.from_pandas(scan.to_pandas(), nan_to_null=True), frame, check_dtypes=False)
    assert_frame_equal(scan.lazy().collect(), frame)
    assert_frame_equal(scan.lazy().collect(engine="streaming"), frame)
    connection = duckdb.connect()
    scan.duckdb(connection, "rows")
    assert_frame_equal(connection.sql("SELECT * FROM rows").pl(), frame)
    lazy = scan.lazy()
    query = "SELECT file, max(time_s) AS last FROM lazy GROUP BY file ORDER BY file"
    expected = frame.group_by("file").agg(polars.col("time_s").max().alias("last")).sort("file")
    assert_frame_equal(polars.SQLContext(lazy=lazy).execute(query).collect(), expected)
    assert_frame_equal(connection.sql(query).pl(), expected)
    metadata = scan.to_arrow().schema.field("time_s").metadata
    assert metadata[b"unit"] == b"s" and metadata[b"meaning"]


@functools.cache
def all_rows() -> polars.DataFrame:
    return inputanim.scan(SAMPLES).to_polars()


@settings(max_examples=8, deadline=None)
@given(
    st.lists(st.sampled_from(COLUMNS + ["left.IndexTip.rotation.w", "gaze.origin.z"]), unique=True, min_size=1),
    st.one_of(st.none(), st.integers(0, 900)),
    st.integers(1, 700),
    st.integers(0, 3),
    st.one_of(st.none(), st.floats(-1, 12, width=32)),
)
def test_columns_limits_and_threads_do_not_change_rows(
    columns: list[str], limit: int | None, batch_rows: int, threads: int, after: float | None
) -> None:
    full = all_rows()
    scan = inputanim.scan(SAMPLES, columns=columns, limit=limit, batch_rows=batch_rows, threads=threads)
    expected = full.select(columns).head(full.height if limit is None else limit)
    assert_frame_equal(scan.to_polars(), expected)
    lazy = inputanim.scan(SAMPLES, batch_rows=batch_rows, threads=threads).lazy()
    if after is not None:
        lazy = lazy.filter(polars.col("time_s") > after)
        full = full.filter(polars.col("time_s") > after)
    expected = full.select(columns).head(full.height if limit is None else limit)
    assert_frame_equal(lazy.select(columns).head(full.height if limit is None else limit).collect(), expected)
    assert lazy.select(polars.len()).collect().item() == full.height


def test_bad_files_raise_are_skipped_or_are_rows(study: Path) -> None:
    bad = study / "p1" / "bad.bin"
    bad.write_bytes((study / "p1" / "slow.bin").read_bytes()[:50_000])
    scan = inputanim.scan(study, columns=COLUMNS)
    with pytest.raises(inputanim.ScanError) as caught:
        scan.to_polars()
    error = caught.value
    assert error.file == str(bad) and error.curve and error.offset and error.hint and "skip" in error.hint
    with pytest.raises(Exception, match="bad.bin"):
        polars.DataFrame(scan)
    skipping = inputanim.scan(study, columns=COLUMNS, errors="skip")
    assert skipping.errors == []
    assert skipping.to_polars()["file"].n_unique() == 4
    assert [skipped.file for skipped in skipping.errors] == [str(bad)]
    assert skipping.errors[0].curve == error.curve and skipping.errors[0].offset == error.offset
    column = inputanim.scan(study, "info", errors="column").to_polars()
    assert column.height == 5 and column["error"].drop_nulls().len() == 1


def test_sources_are_recordings_patterns_and_lists(study: Path, wave: inputanim.Recording) -> None:
    files = inputanim.scan(f"{study}/**/slow.bin").files
    assert [file.recording for file in files] == ["p1/slow", "p2/slow"]
    # A shell expands the pattern to a list of the same files. This list gives the same names.
    listed = inputanim.scan([file.path for file in files]).files
    assert [file.recording for file in listed] == ["p1/slow", "p2/slow"]
    assert len(inputanim.scan([study / "p1", study / "p2" / "slow.bin"]).files) == 3
    named = inputanim.scan([("a.bin", wave), ("b.bin", wave.to_bytes()), wave], "info").to_polars()
    assert named["file"].to_list() == ["a.bin", "b.bin", str(SAMPLES / "wave.bin")]
    with pytest.raises(inputanim.ScanError, match="no recordings"):
        inputanim.scan(study / "*.txt")


def test_paths_make_columns(study: Path) -> None:
    frame = inputanim.read_polars(study, "stats", path_pattern="{participant}/{condition}.bin", file_column=None)
    assert frame.columns[:2] == ["participant", "condition"]
    assert frame["condition"].to_list() == ["fast", "slow"] * 2


def test_progress_is_reported_and_columns_are_checked(study: Path) -> None:
    seen: list[int] = []
    frame = inputanim.scan(study, columns=["time_s"], batch_rows=50).to_polars(seen.append)
    assert seen[-1] == frame.height and len(seen) > 4 and seen == sorted(seen)
    with pytest.raises(inputanim.InvalidArgument) as caught:
        inputanim.scan(study, columns=["time"])
    assert "time_s" in str(caught.value)
    for bounds in [{"start": math.inf}, {"end": -math.inf}, {"start": math.nan}]:
        with pytest.raises(inputanim.InvalidArgument, match="expected a number"):
            inputanim.scan(study, **bounds)
    with pytest.raises(inputanim.InvalidArgument, match="no effect"):
        inputanim.scan(study, "info", rate=30)


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_ends_a_scan(study: Path) -> None:
    import _thread
    import threading

    slow = inputanim.read(SAMPLES / "two-hands.bin").repeat(200)
    scan = inputanim.scan([(f"{number}.bin", slow) for number in range(20)], "stats", threads=1)
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        # A fast machine may end a scan before the signal.
        for _ in range(100):
            scan.to_polars()
    timer.join()


def test_measures_of_the_trials_of_a_table(tmp_path: Path) -> None:
    table = tmp_path / "trials.csv"
    table.write_text("recording,trial,start,end,condition\nwave,1,0.5,2,near\nwave,2,2,3.5,far\n", encoding="utf-16")
    columns = ["recording", "segment", "condition", "start_s", "head.path_length"]
    found = inputanim.read_polars(SAMPLES, "stats", segments=str(table), columns=columns, recording_column="recording")
    wave = inputanim.read(SAMPLES / "wave.bin").analyse()
    expected = [wave.values(0.5, 2)["head.path_length"], wave.values(2, 3.5)["head.path_length"]]
    assert found["head.path_length"].to_list() == expected
    assert found.drop("head.path_length").rows() == [("wave", "1", "near", 0.5), ("wave", "2", "far", 2.0)]
    with pytest.raises(inputanim.InvalidArgument, match="missing.csv"):
        inputanim.scan(SAMPLES, "stats", segments="missing.csv")


def test_measures_and_events_are_chosen_by_their_names(study: Path) -> None:
    long = inputanim.read_polars(study, "measures", measures=["palm.speed.max", "duration"])
    assert long["measure"].unique(maintain_order=True).to_list() == ["duration", "left.Palm.speed.max", "right.Palm.speed.max"]
    wide = inputanim.read_polars(study, "stats", measures="duration")
    assert wide.columns == ["file", "start_s", "end_s", "duration", "missing", "damage"]
    assert wide["duration"].to_list() == long.filter(polars.col("measure") == "duration")["value"].to_list()
    events = inputanim.read_polars(study, "events", kinds=["fixation"])
    assert set(events["kind"]) == {"fixation"} and "dispersion_deg" in events.columns and "drag_m" not in events.columns
    with pytest.raises(inputanim.InvalidArgument, match='unknown measure "sped"'):
        inputanim.scan(study, "stats", measures=["sped"])
    with pytest.raises(inputanim.InvalidArgument, match='unknown kind of event "fixasion"; did you mean "fixation"'):
        inputanim.scan(study, "events", kinds=["fixasion"])


def test_a_time_range_outside_of_a_recording_is_an_error_of_its_file(study: Path) -> None:
    with pytest.raises(inputanim.ScanError, match="is outside the recording"):
        inputanim.read_polars(study, start=100)
    scan = inputanim.scan(study, "stats", ["duration"], start=100, errors="skip")
    assert scan.to_polars().height == 0 and len(scan.errors) == 4


def test_measures_and_events_are_selected_by_name(study: Path, tmp_path: Path) -> None:
    recording = inputanim.read(sorted(study.rglob("*.bin"))[0])
    assert {quantity["group"] for quantity in inputanim.quantities()} >= {"head", "gaze"}
    chosen = recording.measures(measures=["head.speed"])
    assert chosen and {measure["name"].rsplit(".", 1)[0] for measure in chosen} == {"head.speed"}
    assert [measure for measure in recording.measures() if measure in chosen] == chosen
    movements = recording.events(kinds=["movement"])
    assert movements == [event for event in recording.events() if event["kind"] == "movement"]
    with pytest.raises(inputanim.InvalidArgument, match="head.spede") as failure:
        recording.measures(measures=["head.spede"])
    assert "quantities" in failure.value.hint
    with pytest.raises(inputanim.InvalidArgument, match="pinsh"):
        recording.events(kinds=["pinsh"])
    targets = tmp_path / "targets.csv"
    targets.write_text("name,shape,x,y,z,radius\ndoor,sphere,0,1.6,2,0.3\n")
    parameters = {"targets": inputanim.read_targets(targets)}
    assert any(measure["name"].startswith("door.") for measure in recording.measures(parameters=parameters))
    with pytest.raises(inputanim.InvalidArgument, match="look") as failure:
        inputanim.scan(study, "events", kinds=["look"])
    assert "read_targets" in failure.value.hint
    targets.write_text("name,x\ndoor,here\n")
    with pytest.raises(inputanim.InvalidArgument, match="targets.csv"):
        inputanim.read_targets(targets)
    with pytest.raises(FileNotFoundError, match="none.csv"):
        inputanim.read_targets(tmp_path / "none.csv")
    with pytest.raises(inputanim.InvalidArgument, match="look"):
        recording.events(kinds=["look"])
