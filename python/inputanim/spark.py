"""A data source of Apache Spark, Databricks and Sail: ``spark.read.format("inputanim").load("study")``.

Sail and Spark find the data source without registering it; ``inputanim.spark.register(spark)`` registers it in other engines.
docs/scale.md describes its use.

Options, all texts: those of `inputanim.scan` (``shape``, ``columns``, ``rate``, ``times``, ``start``, ``end``, ``joints``, ``exclude``,
``space``, ``segments``, ``path_pattern``, ``file_column``, ``recording_column``, ``errors``), and

- ``path``: files, folders or patterns, separated by commas. Every executor must see them.
- ``files_per_partition``: number of files of a partition; 500 by default.

Lists are separated by commas. A schema that is given (``.schema("file STRING, time_s FLOAT")``) selects columns by their names.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from ._errors import InvalidArgument
from ._scan import Column, Scan, columns, scan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LISTS = ("columns", "joints", "exclude")
_NUMBERS = ("rate", "start", "end")
_TEXTS = ("shape", "times", "space", "segments", "path_pattern", "file_column", "recording_column", "errors")
_OWN = ("path", "paths", "files_per_partition")

FILES_PER_PARTITION = 500
"""Number of files of a partition. Starting a task takes as long as reading some dozens of files."""


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _paths(options: dict[str, str]) -> list[str]:
    # Spark passes several paths of `load` as JSON.
    if text := options.get("paths", options.get("__paths__")):
        paths: list[str] = json.loads(text)
        return paths
    if text := options.get("path"):
        return [text] if os.path.exists(text) else _parts(text)
    raise InvalidArgument('missing option "path"', hint='spark.read.format("inputanim").load("study")')


def _scan_options(options: dict[str, str]) -> dict[str, Any]:
    """Converts the options of Spark, whose names are lower case and whose values are text."""
    found: dict[str, Any] = {}
    for name, text in options.items():
        # Options with underscores at the ends are Spark's own.
        if name in _OWN or name.startswith("__"):
            continue
        if name in _LISTS:
            found[name] = _parts(text)
        elif name in _NUMBERS:
            try:
                found[name] = float(text)
            except ValueError:
                raise InvalidArgument(f'option "{name}": expected a number, found "{text}"') from None
        elif name in _TEXTS:
            found[name] = text or None
        else:
            known = ", ".join(sorted((*_LISTS, *_NUMBERS, *_TEXTS, "path", "files_per_partition")))
            raise InvalidArgument(f'unknown option "{name}"; expected one of {known}')
    return found


_TYPES = {
    "float32": ("FLOAT", pyarrow.float32()),
    "float64": ("DOUBLE", pyarrow.float64()),
    "int32": ("INT", pyarrow.int32()),
    "int64": ("BIGINT", pyarrow.int64()),
    "bool": ("BOOLEAN", pyarrow.bool_()),
    # Engines do not take the dictionaries of Arrow from a Python data source.
    "category": ("STRING", pyarrow.string()),
    "string": ("STRING", pyarrow.string()),
}


def _schema(found: Sequence[Column]) -> pyarrow.Schema:
    return pyarrow.schema([pyarrow.field(column.name, _TYPES[column.type][1]) for column in found])


class FilesPartition(InputPartition):
    """Some files of a scan."""

    def __init__(self, files: list[str]) -> None:
        super().__init__(len(files))
        self.files = files


def _partitions(files: Sequence[tuple[str, int]], per_partition: int) -> list[list[str]]:
    """Divides files into partitions of about equal size in bytes, in order."""
    count = max(1, -(-len(files) // per_partition))
    total = sum(size for _, size in files)
    partitions: list[list[str]] = [[] for _ in range(count)]
    before = 0
    for number, (file, size) in enumerate(files):
        # The middle of the file decides. Files without a size are divided by their number.
        place = (before + size / 2) / total if total else number / len(files)
        partitions[min(int(place * count), count - 1)].append(file)
        before += size
    return [partition for partition in partitions if partition]


class InputanimReader(DataSourceReader):
    """Reads the rows of recordings in parallel."""

    def __init__(self, options: dict[str, str], columns: list[str] | None) -> None:
        self.paths = _paths(options)
        self.options = _scan_options(options)
        if columns is not None:
            self.options["columns"] = columns
        try:
            self.files_per_partition = max(1, int(options.get("files_per_partition", FILES_PER_PARTITION)))
        except ValueError:
            raise InvalidArgument('option "files_per_partition": expected a number of files') from None

    def _scan(self, sources: Sequence[str], **changes: Any) -> Scan:
        return scan(sources, **{**self.options, **changes})

    def partitions(self) -> Sequence[InputPartition]:
        """Returns groups of files."""
        files = [(os.path.abspath(file.path), file.bytes) for file in self._scan(self.paths).files]
        return [FilesPartition(part) for part in _partitions(files, self.files_per_partition)]

    def read(self, partition: InputPartition) -> Iterator[pyarrow.RecordBatch]:
        """Returns the rows of a group of files. A task of the engine has one processor, so one thread is used."""
        assert isinstance(partition, FilesPartition)
        rows = self._scan(partition.files, threads=1)
        schema = _schema(rows.columns)
        for batch in rows.batches():
            yield from pyarrow.table(batch).cast(schema).to_batches()


class InputanimDataSource(DataSource):
    """The data source ``inputanim``."""

    @classmethod
    def name(cls) -> str:
        """Returns the name of the format."""
        return "inputanim"

    def schema(self) -> str:
        """Returns the columns as DDL."""
        found = columns(**_scan_options(dict(self.options)))
        return ", ".join(f"`{column.name}` {_TYPES[column.type][0]}" for column in found)

    def reader(self, schema: Any) -> InputanimReader:
        """Returns a reader of the columns of a schema: Spark passes its own type, and Sail one of pyarrow."""
        names = list(schema.names)
        return InputanimReader(dict(self.options), names)


def register(spark: SparkSession) -> None:
    """Registers the data source in a session."""
    spark.dataSource.register(InputanimDataSource)
