"""Engines for several machines: Apache Spark with two executor processes, and the recipes of docs/scale.md."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import polars
import psutil
import pyarrow
import pytest
from study import FILES, NO_JAVA, ROOT, has_java, make, spark_session

import inputanim

COLUMNS = ["file", "time_s", "right.tracked", "head.position.y", "right.Palm.position.x", "right.IndexTip.rotation.w"]
PATTERN = "{participant}/{number}.bin"
EXECUTOR = "org.apache.spark.executor.CoarseGrainedExecutorBackend"


@pytest.fixture(scope="session", autouse=True)
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Makes the study in the working directory, which Spark's processes inherit."""
    folder = tmp_path_factory.mktemp("clients")
    before = Path.cwd()
    os.chdir(folder)
    make(folder / "study")
    yield folder
    os.chdir(before)
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def study(workplace: Path) -> Path:
    return workplace / "study"


@pytest.fixture(scope="session")
def spark(workplace: Path) -> Iterator[Any]:
    if not has_java():
        pytest.skip(NO_JAVA)
    session = spark_session()
    yield session
    session.stop()


@pytest.fixture(scope="session")
def expected(study: Path) -> polars.DataFrame:
    rows = inputanim.scan(study, columns=COLUMNS, rate=30).to_polars()
    assert rows["file"].n_unique() == FILES
    return rows


def bits(series: polars.Series) -> list[Any]:
    """Returns numbers as the integers with the same bits, so that NaN equals itself, and -0 does not equal 0."""
    integers = {polars.Float32: np.uint32, polars.Float64: np.uint64}.get(series.dtype)
    if integers is None:
        return series.to_list()
    numbers = series.fill_null(0).to_numpy().view(integers)
    return list(zip(series.is_null().to_list(), numbers.tolist()))


def assert_same_rows(table: pyarrow.Table | polars.DataFrame, expected: polars.DataFrame) -> None:
    """Compares rows to the bit. Engines return them in any order."""
    found = polars.DataFrame(polars.from_arrow(table)) if isinstance(table, pyarrow.Table) else table
    assert found.columns == expected.columns
    assert found.dtypes == expected.dtypes
    assert found.height == expected.height
    keys = [name for name in ("file", "recording", "time_s") if name in expected.columns]
    found, expected = found.sort(keys), expected.sort(keys)
    for name in expected.columns:
        assert bits(found[name]) == bits(expected[name]), name


def source(spark: Any, **options: Any) -> Any:
    """Returns the reader of Spark, which finds the data source by its name."""
    reader = spark.read.format("inputanim").option("columns", ", ".join(COLUMNS)).option("rate", 30)
    for name, value in {"files_per_partition": 100, **options}.items():
        reader = reader.option(name, str(value))
    return reader


def executors() -> list[psutil.Process]:
    """Returns the executor processes of this process."""
    found = []
    for process in psutil.Process().children(recursive=True):
        try:
            if EXECUTOR in process.cmdline() and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.NoSuchProcess:
            pass
    return found


def wait_for(condition: Callable[[], bool], what: str) -> None:
    """Waits for up to two minutes."""
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end, f"waited two minutes for {what}"
        time.sleep(0.02)


def test_spark_has_the_rows_of_the_scan(spark: Any, study: Path, expected: polars.DataFrame) -> None:
    frame = source(spark).load(str(study))
    assert_same_rows(frame.toArrow(), expected)
    wait_for(lambda: len(executors()) == 2, "two executor processes")
    # Both executor processes have read files.
    tasks = frame.rdd.mapPartitions(lambda _: [os.getppid()]).collect()
    assert len(tasks) == FILES // 100 and len(set(tasks)) == 2


def test_spark_has_the_rows_of_the_program(spark: Any, study: Path, tmp_path: Path) -> None:
    text = tmp_path / "study.csv"
    program = os.environ["INPUTANIM_PROGRAM"]
    subprocess.run([program, "convert", "--quiet", "-r", study, "-o", text, "--rate", "2"], check=True)
    wanted = polars.read_csv(text, infer_schema=False)
    reader = spark.read.format("inputanim").option("rate", "2").option("files_per_partition", "250")
    frame = reader.option("file_column", "").option("recording_column", "recording").load(str(study))
    found = polars.DataFrame(polars.from_arrow(frame.toArrow()))
    # The file of the program contains only columns with values.
    assert wanted.width > 300
    assert all(found[name].null_count() == found.height for name in set(found.columns) - set(wanted.columns))

    def parsed(name: str) -> polars.Expr:
        if found.schema[name] == polars.Boolean:
            return polars.col(name) == "1"
        return polars.col(name).cast(found.schema[name])

    wanted = wanted.select(parsed(name).alias(name) for name in wanted.columns)
    assert_same_rows(found.select(wanted.columns), wanted)


def test_a_schema_and_a_view_select_columns(spark: Any, study: Path, expected: polars.DataFrame) -> None:
    reader = spark.read.format("inputanim").option("rate", "30").schema("time_s FLOAT, file STRING")
    assert_same_rows(reader.load(str(study)).toArrow(), expected.select("time_s", "file"))
    columns = ", ".join(COLUMNS)
    spark.sql(f"CREATE TEMPORARY VIEW rows USING inputanim OPTIONS (path '{study}', rate '30', columns '{columns}')")
    found = spark.sql("SELECT file, max(time_s) AS time_s FROM rows WHERE `right.tracked` GROUP BY file").toArrow()
    assert_same_rows(found, expected.filter("right.tracked").group_by("file").agg(polars.col("time_s").max()))


@pytest.fixture
def damaged(study: Path, tmp_path: Path) -> Path:
    """Returns a folder with intact recordings of two participants, and a bad file of each of them."""
    for name in ("p00", "p01"):
        shutil.copytree(study / name, tmp_path / "damaged" / name)
        (tmp_path / "damaged" / name / "bad.bin").write_bytes(b"no recording")
    return tmp_path / "damaged"


def test_a_bad_file_ends_the_job_or_is_skipped(spark: Any, damaged: Path) -> None:
    with pytest.raises(Exception, match=r"p0[01]/bad.bin: not an input animation file"):
        source(spark).load(str(damaged)).toArrow()
    scan = inputanim.scan(damaged, columns=COLUMNS, rate=30, errors="skip")
    rows = scan.to_polars()
    assert len(scan.errors) == 2
    assert_same_rows(source(spark, errors="skip").load(str(damaged)).toArrow(), rows)


CONDITIONS = [
    "participant = 'p00'",
    "participant IN ('p00', 'p02')",
    "participant <> 'p01' AND time_s > 1",
    "participant LIKE '%0'",
    "participant NOT LIKE '%1'",
    "participant = 'p02'",
]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_pushdown_opens_fewer_files_and_changes_no_row(spark: Any, damaged: Path, condition: str) -> None:
    columns = ", ".join([*COLUMNS, "participant", "number"])
    options = {"columns": columns, "path_pattern": PATTERN}
    pushed = source(spark, **options, pushdown="true")
    without = source(spark, **options, errors="skip").load(str(damaged)).where(condition).toArrow()
    rows = polars.DataFrame(polars.from_arrow(without))
    assert_same_rows(pushed.option("errors", "skip").load(str(damaged)).where(condition).toArrow(), rows)
    # The bad file of p01 is opened only if the condition does not exclude it. LIKE excludes no file.
    (damaged / "p00" / "bad.bin").unlink()
    found = pushed.option("errors", "raise").load(str(damaged)).where(condition)
    if "LIKE" in condition:
        with pytest.raises(Exception, match="p01/bad.bin"):
            found.toArrow()
    else:
        assert_same_rows(found.toArrow(), rows)


def test_pushdown_needs_the_setting_of_spark(spark: Any, study: Path) -> None:
    setting = "spark.sql.python.filterPushdown.enabled"
    spark.conf.set(setting, "false")
    try:
        with pytest.raises(Exception, match=setting):
            source(spark, pushdown="true").load(str(study)).where("file = 'a'").toArrow()
        assert source(spark).load(str(study)).where("file = 'a'").count() == 0
    finally:
        spark.conf.set(setting, "true")


@pytest.mark.parametrize("action", ["collect", "write"])
def test_a_killed_executor_loses_and_doubles_no_row(
    spark: Any, study: Path, expected: polars.DataFrame, tmp_path: Path, action: str
) -> None:
    def slowly(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        import time

        for batch in batches:
            time.sleep(0.2)
            yield batch

    frame = source(spark, files_per_partition=10).load(str(study))
    # Spark's mapInArrow takes no names with dots.
    frame = frame.toDF(*(name.replace(".", "_") for name in COLUMNS))
    frame = frame.mapInArrow(slowly, frame.schema)
    out = tmp_path / "rows.parquet"

    def job() -> Any:
        if action == "collect":
            return frame.toArrow()
        frame.write.parquet(str(out))
        return polars.read_parquet(out / "*.parquet")

    tracker = spark.sparkContext.statusTracker()

    def stage() -> Any:
        stages = [tracker.getStageInfo(number) for number in tracker.getActiveStageIds()]
        return next((stage for stage in stages if stage and stage.numTasks == FILES // 10), None)

    wait_for(lambda: len(executors()) == 2, "two executor processes")
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(job)
        wait_for(lambda: running.done() or ((now := stage()) is not None and now.numCompletedTasks >= 20), "the first tasks")
        before = executors()
        victim = before[0]
        now = stage()
        assert now is not None and 20 <= now.numCompletedTasks < now.numTasks - 20 and not running.done()
        assert victim.is_running()
        victim.send_signal(signal.SIGKILL)
        wait_for(lambda: victim not in executors(), "the end of the process")
        assert not running.done()
        failed = 0

        def has_failed_tasks() -> bool:
            nonlocal failed
            failed = max(failed, getattr(stage(), "numFailedTasks", 0))
            return failed > 0 or running.done()

        wait_for(has_failed_tasks, "the loss of a task")
        assert failed > 0
        rows = running.result(timeout=300)
    assert_same_rows(rows, expected.rename(lambda name: name.replace(".", "_")))
    # Spark replaces the process.
    wait_for(lambda: len(executors()) == 2, "a new executor process")
    assert {process.pid for process in executors()} != {process.pid for process in before}


def blocks(page: str) -> list[str]:
    """Returns the examples in Python of a page."""
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)


def test_the_lines_of_the_readme_have_equal_results_in_spark(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import matplotlib

    matplotlib.use("agg")
    shutil.copytree(ROOT / "samples", tmp_path / "samples")
    monkeypatch.chdir(tmp_path)
    code = next(block for block in blocks("README.md") if "inputanim.scan(" in block)
    variables: dict[str, Any] = {}
    exec(code, variables)
    rows = variables["frame"]
    # Paths are those that the reader was given.
    rows = rows.with_columns((polars.lit(f"{tmp_path}/") + polars.col("file")).alias("file"))
    reader = source(spark, columns=", ".join(rows.columns), rate=60, files_per_partition=1)
    frame = reader.load(str(tmp_path / "samples"))
    assert frame.rdd.getNumPartitions() == 4
    assert_same_rows(frame.toArrow(), rows)


def recipe(name: str) -> dict[str, Any]:
    """Runs the examples of docs/scale.md that prepare and use an engine, and returns their variables."""
    examples = blocks("docs/scale.md")
    wanted = [block for block in examples if "groups =" in block or f"import {name}" in block]
    assert len(wanted) == 2
    variables: dict[str, Any] = {"__name__": "__main__"}
    for block in wanted:
        exec(block, variables)
    return variables


@pytest.fixture(scope="session")
def palm(workplace: Path) -> polars.DataFrame:
    return inputanim.scan("study", columns=["file", "time_s", "right.Palm.position.y"]).to_polars()


def longest(rows: polars.DataFrame) -> polars.DataFrame:
    return rows.group_by("file").agg(polars.col("time_s").max())


def test_the_example_of_spark_runs(spark: Any, workplace: Path) -> None:
    # The example gets the existing session.
    variables: dict[str, Any] = {}
    for code in blocks("docs/scale.md"):
        if "SparkSession.builder.getOrCreate()" in code or 'spark.read.format("inputanim")' in code:
            exec(code, variables)
    assert variables["frame"].columns == ["participant", "trial", "time_s"]
    rows = inputanim.scan("study", columns=["time_s", "right.Palm.position.y"], rate=30).to_polars()
    written = polars.read_parquet(workplace / "study.parquet" / "*.parquet")
    assert_same_rows(written.drop("file"), rows)
    assert written["file"].n_unique() == FILES


def test_the_recipe_of_dask_has_equal_results(palm: polars.DataFrame) -> None:
    found = recipe("dask.dataframe")
    assert found["frame"].npartitions == len(found["groups"]) > 1
    # pandas has NaN for missing numbers.
    rows = polars.from_pandas(found["frame"].compute())
    assert_same_rows(rows, palm)
    assert_same_rows(polars.from_pandas(found["longest"].reset_index()), longest(palm))


def test_the_recipe_of_ray_has_equal_results(palm: polars.DataFrame) -> None:
    import ray

    # The dashboard is not needed, and would start some more processes.
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    # The default of 200 tasks for a group-by takes a minute on two processors.
    ray.data.DataContext.get_current().default_hash_shuffle_parallelism = 4
    try:
        found = recipe("ray")
        assert found["frame"].materialize().num_blocks() == len(found["groups"]) > 1
        tables = ray.get(found["frame"].to_arrow_refs())
        assert_same_rows(pyarrow.concat_tables(tables), palm)
        assert_same_rows(polars.from_pandas(found["longest"].to_pandas()).rename({"max(time_s)": "time_s"}), longest(palm))
    finally:
        ray.shutdown()


def test_the_recipe_of_daft_has_equal_results(palm: polars.DataFrame) -> None:
    found = recipe("daft")
    import daft

    assert_same_rows(found["frame"].to_arrow(), palm)
    assert_same_rows(found["longest"].to_arrow(), longest(palm))
    # Daft asks for columns in another order.
    names = ["right.Palm.position.y", "time_s"]
    assert found["frame"].select(*names).to_arrow().column_names == names
    rows = found["frame"].where(daft.col("time_s") > 1).select("right.Palm.position.y", "file", "time_s").to_arrow()
    assert_same_rows(rows, palm.filter(polars.col("time_s") > 1).select("right.Palm.position.y", "file", "time_s"))
