"""A study of many recordings, and sessions of Apache Spark with two executor processes."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Any

import inputanim

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "samples"
FILES = int(os.environ.get("INPUTANIM_BENCH_FILES", "1000"))
NO_JAVA = "Java is not installed: `apt-get install default-jre-headless` installs it on Debian and Ubuntu"


def make(folder: Path, count: int = FILES) -> Path:
    """Writes recordings with different starts, lengths and places into a folder for each of 40 participants."""
    samples = [inputanim.read(SAMPLES / f"{name}.bin") for name in ("two-hands", "wave")]
    for number in range(count):
        sample = samples[number % len(samples)]
        start = number % 37 / 37
        path = folder / f"p{number % 40:02}" / f"{number:05}.bin"
        path.parent.mkdir(parents=True, exist_ok=True)
        part = sample.trim(start, start + 2 + number % 5 / 5)
        part.transform(move=[number / 1000, 0, number % 7 / 7]).write(path)
    return folder


def has_java() -> bool:
    """Returns whether Java can be started."""
    home = os.environ.get("JAVA_HOME")
    return shutil.which("java") is not None or (home is not None and Path(home, "bin/java").exists())


def spark_session() -> Any:
    """Returns a session of Apache Spark that starts two executor processes with one core and 1 GiB each."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    # Without this setting, Spark looks up the name of the machine, which may have no address.
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local-cluster[2,1,1024]")
    options = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.sql.python.filterPushdown.enabled": "true",
    }
    for name, value in options.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()
