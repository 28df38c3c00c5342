"""A data source of Apache Spark, Databricks and Sail: ``spark.read.format("inputanim").load("study")``.

Sail and Spark find the data source without registering it; ``inputanim.spark.register(spark)`` registers it in other engines.
docs/scale.md describes its use.

Options, all as texts: the options of `inputanim.scan` (``shape``, ``format``, ``columns``, ``rate``, ``times``, ``start``, ``end``,
``joints``, ``exclude``, ``space``, ``segments``, ``points``, ``measures``, ``kinds``, ``path_pattern``, ``file_column``, ``recording_column``,
``catalog``, ``errors``, ``recover``, ``repair``, ``forget_zeros``, ``pauses``, ``no_limits``), and

- ``path``: files, folders or patterns, separated by commas. Every executor must see them.
- ``files_per_partition``: number of files of a partition; 500 by default.
- ``pushdown``: ``true`` uses filters of a query on the path of a file, on the name of the recording and on the columns of
  ``path_pattern``, so that files without matching rows are not opened. Apache Spark needs its setting
  ``spark.sql.python.filterPushdown.enabled`` for it.

Lists are separated by commas. A schema that is given (``.schema("file STRING, time_s FLOAT")``) selects columns by their names.
Without a schema, the shapes ``wide`` and ``keys`` have the columns of the controllers, trackers and other devices of all files, as
`inputanim.scan` has: to find them, the driver opens the files of formats that hold devices, and no ``.bin`` files.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow
import pyarrow.compute
from pyspark.sql import datasource
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from ._arguments import check_options
from ._errors import InvalidArgument, RangeWarning
from ._recording import Recording
from ._scan import Column, Scan, ScanFile, columns, scan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LISTS = ("columns", "joints", "exclude", "measures", "kinds")
_NUMBERS = ("rate", "start", "end")
_WHOLE = ("points",)
_TRUTHS = ("recover", "repair", "forget_zeros", "no_limits")
_TEXTS = ("shape", "format", "times", "space", "segments", "path_pattern", "file_column", "recording_column", "catalog", "errors", "pauses")
_OWN = ("path", "paths", "files_per_partition", "pushdown")

FILES_PER_PARTITION = 500
"""Number of files of a partition. In the time that Apache Spark needs for a task, a scan reads about a thousand files."""


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
        elif name in _WHOLE:
            try:
                found[name] = int(text)
            except ValueError:
                raise InvalidArgument(f'option "{name}": expected a whole number, found "{text}"') from None
        elif name in _TRUTHS:
            if text.lower() not in ("true", "false"):
                raise InvalidArgument(f'option "{name}": expected true or false, found "{text}"')
            found[name] = text.lower() == "true"
        elif name in _TEXTS:
            found[name] = text or None
        else:
            check_options([name], sorted((*_LISTS, *_NUMBERS, *_WHOLE, *_TRUTHS, *_TEXTS, "path", "files_per_partition", "pushdown")))
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


def _schema(found: Sequence[Column], declared: Mapping[str, pyarrow.DataType] | None = None) -> pyarrow.Schema:
    """Returns the columns with their types, or with the declared ones: an input of a device may be a boolean in the files of this
    partition, and a number in others."""
    declared = declared or {}

    def type_of(column: Column) -> pyarrow.DataType:
        own = _TYPES[column.type][1]
        wanted = declared.get(column.name, own)
        return wanted if pyarrow.types.is_boolean(own) and pyarrow.types.is_floating(wanted) else own

    return pyarrow.schema([pyarrow.field(column.name, type_of(column)) for column in found])


def _declared(schema: Any) -> dict[str, pyarrow.DataType]:
    """Returns the types of a schema by the names of its columns: of pyarrow, or of Spark as far as it has them."""
    if isinstance(schema, pyarrow.Schema):
        return {field.name: field.type for field in schema}
    types = {ddl.lower(): arrow for ddl, arrow in _TYPES.values()}
    found = {field.name: types.get(field.dataType.simpleString()) for field in schema.fields}
    return {name: arrow for name, arrow in found.items() if arrow is not None}


class FilesPartition(InputPartition):
    """Some files of a scan, and the folder that contains their paths if they are relative."""

    def __init__(self, files: list[ScanFile]) -> None:
        super().__init__(len(files))
        self.files = files
        self.folder = os.getcwd()


def _partitions(files: Sequence[ScanFile], per_partition: int) -> list[list[ScanFile]]:
    """Divides files into partitions of about equal size in bytes, in order."""
    count = max(1, -(-len(files) // per_partition))
    total = sum(file.bytes for file in files)
    partitions: list[list[ScanFile]] = [[] for _ in range(count)]
    before = 0
    for number, file in enumerate(files):
        # The middle of the file decides. Files without a size are divided by their number.
        place = (before + file.bytes / 2) / total if total else number / len(files)
        partitions[min(int(place * count), count - 1)].append(file)
        before += file.bytes
    return [partition for partition in partitions if partition]


class InputanimReader(DataSourceReader):
    """Reads the rows of recordings in parallel."""

    def __init__(
        self, options: dict[str, str], columns: list[str] | None, declared: Mapping[str, pyarrow.DataType] | None = None
    ) -> None:
        self.paths = _paths(options)
        self.options = _scan_options(options)
        self.declared = declared
        if columns is not None:
            self.options["columns"] = columns
        segments = self.options.get("segments") or ""
        self.has_trials = segments.lower().endswith((".csv", ".tsv")) or os.path.isfile(segments)
        if self.has_trials:
            # Executors may have another working directory.
            self.options["segments"] = os.path.abspath(segments)
        if catalog := self.options.get("catalog"):
            self.options["catalog"] = os.path.abspath(catalog)
        files = options.get("files_per_partition", FILES_PER_PARTITION)
        try:
            self.files_per_partition = max(1, int(files))
        except ValueError:
            raise InvalidArgument(f'option "files_per_partition": expected a number of files, found "{files}"') from None

    def _scan(self, sources: Sequence[str], **changes: Any) -> Scan:
        return scan(sources, **{**self.options, **changes})

    def columns(self) -> list[Column]:
        """Returns the columns of the rows of all files."""
        return self._scan(self.paths).columns

    def _files(self) -> list[ScanFile]:
        """Returns all files."""
        return list(self._scan(self.paths).files)

    def partitions(self) -> Sequence[InputPartition]:
        """Returns groups of files."""
        # Spark would replace an empty list by a partition that this reader does not know, so there is always one group.
        return [FilesPartition(part) for part in _partitions(self._files(), self.files_per_partition) or [[]]]

    def read(self, partition: InputPartition) -> Iterator[pyarrow.RecordBatch]:
        """Returns the rows of a group of files. A task of the engine has one processor, so one thread is used."""
        assert isinstance(partition, FilesPartition)
        if not partition.files:
            return
        # Executors may have another working directory.
        paths = [os.path.join(partition.folder, file.path) for file in partition.files]

        def part(**changes: Any) -> Scan:
            if not self.has_trials:
                # `partitions` warns of a catalogue of other files. A part of the files may have none in the right catalogue.
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", RangeWarning)
                    return self._scan(paths, threads=1, **changes)
            # The trials of a recording depend on the names of all recordings.
            whole = self._scan([os.path.join(partition.folder, path) for path in self.paths], threads=1, **changes)
            indices = {file.path: index for index, file in enumerate(whole.files)}
            return whole._with_files([indices[path] for path in paths])

        schema = _schema(part().columns, self.declared)
        # The path as it was found and the name of a recording depend on all files of the scan. So they are looked up by the path
        # that is read.
        labels = {
            self.options.get("file_column", "file"): [file.path.replace("\\", "/") for file in partition.files],
            self.options.get("recording_column"): [file.recording for file in partition.files],
        }
        labels = {name: texts for name, texts in labels.items() if name in schema.names}
        if not labels:
            for batch in part().batches():
                yield from pyarrow.table(batch).cast(schema).to_batches()
            return
        path_column = next(iter(labels))
        names = [name for name in schema.names if name == path_column or name not in labels]
        changes: dict[str, Any] = {"file_column": path_column, "recording_column": None, "columns": names}
        keys = pyarrow.array([path.replace("\\", "/") for path in paths])
        values = {name: pyarrow.array(texts) for name, texts in labels.items()}
        for batch in part(**changes).batches():
            table = pyarrow.table(batch)
            options = pyarrow.compute.SetLookupOptions(value_set=keys)
            indices = pyarrow.compute.call_function("index_in", [table[path_column]], options).combine_chunks()
            arrays = [values[name].take(indices) if name in values else table[name] for name in schema.names]
            yield from pyarrow.table(arrays, names=schema.names).cast(schema).to_batches()


# A recording of version 1.1 without streams and markers.
_EMPTY = b"\xc6\x42\x9e\x0f\x6e\xaf\x8f\x6a" + bytes([1, 0, 0, 0, 1, 0, 0, 0]) + bytes(7)

# Sail passes `NOT LIKE 'a%'` as StringStartsWith, without the negation, so that filters of LIKE cannot be used.
_TESTS: dict[str, Callable[[str, Any], bool]] = {
    "EqualTo": lambda text, value: text == value,
    "EqualNullSafe": lambda text, value: text == value,
    "In": lambda text, values: text in values,
}


class FilteringReader(InputanimReader):
    """A reader that does not open files which a filter on their paths excludes.

    It is a separate class, because Apache Spark refuses every reader with `pushFilters` while
    ``spark.sql.python.filterPushdown.enabled`` is off, which is its default.
    """

    def __init__(
        self, options: dict[str, str], columns: list[str] | None, declared: Mapping[str, pyarrow.DataType] | None = None
    ) -> None:
        super().__init__(options, columns, declared)
        self.filters: list[Any] = []

    def pushFilters(self, filters: list[Any]) -> Iterable[Any]:
        """Keeps the filters that `partitions` uses, and returns all of them, so that the engine applies them to the rows too.

        Filters on ``time_s`` are not used: rows at a rate begin at the start of the time range, so a range would have rows at
        other times.
        """
        self.filters = list(filters)
        return filters

    def _files(self) -> list[ScanFile]:
        files = super()._files()
        labels = self._labels(files)
        filters = [found for found in map(_test, self.filters) if found and found[0] in labels]

        def is_possible(row: int) -> bool:
            # A path that does not match the pattern has no label. Its file stays, because it is an error.
            found = ((labels[name][row], test) for name, test in filters)
            return all(label is None or test(label) for label, test in found)

        return [file for row, file in enumerate(files) if is_possible(row)]

    def _labels(self, files: list[ScanFile]) -> dict[str, list[str | None]]:
        """Returns the values of the columns that depend only on the paths of files, for each file."""
        paths = [file.path.replace("\\", "/") for file in files]
        labels: dict[str, list[str | None]] = {}
        if pattern := self.options.get("path_pattern"):
            found = columns("wide", file_column=None, path_pattern=pattern)
            names = {column.name for column in found} - {column.name for column in columns("wide", file_column=None)}
            # A scan of an empty recording with the path of each file gives the same values, and no file is opened.
            empty = Recording(_EMPTY)
            sources = [(path, empty) for path in paths]
            rows = scan(sources, "wide", sorted(names), file_column=None, path_pattern=pattern, errors="column")
            labels.update(rows.to_arrow().to_pydict())
        if file_column := self.options.get("file_column", "file"):
            labels[file_column] = list(paths)
        if recording_column := self.options.get("recording_column"):
            labels[recording_column] = [file.recording for file in files]
        return labels


def _test(found: Any) -> tuple[str, Callable[[str], bool]] | None:
    """Returns the column of a filter and a test of its texts, or None for an unknown filter."""
    if isinstance(found, datasource.Not):
        inner = _test(found.child)
        if inner is None:
            return None
        name, test = inner
        return name, lambda text: not test(text)
    if (compare := _TESTS.get(type(found).__name__)) is None:
        return None
    return ".".join(found.attribute), lambda text: compare(text, found.value)


class InputanimDataSource(DataSource):
    """The data source ``inputanim``."""

    @classmethod
    def name(cls) -> str:
        """Returns the name of the format."""
        return "inputanim"

    def schema(self) -> str:
        """Returns the columns as DDL. If they depend on the devices of the files, these are searched."""
        options = _scan_options(dict(self.options))
        if options.get("shape", "wide") in ("wide", "keys"):
            found = InputanimReader(dict(self.options), None).columns()
        else:
            found = columns(**options)
        return ", ".join(f"`{column.name}` {_TYPES[column.type][0]}" for column in found)

    def reader(self, schema: Any) -> InputanimReader:
        """Returns a reader of the columns of a schema: Spark passes its own type, and Sail one of pyarrow."""
        names = list(schema.names)
        options = dict(self.options)
        pushdown = options.get("pushdown", "false").lower()
        if pushdown not in ("true", "false"):
            raise InvalidArgument(f'option "pushdown": expected true or false, found "{pushdown}"')
        reader = FilteringReader if pushdown == "true" else InputanimReader
        return reader(options, names, _declared(schema))


def register(spark: SparkSession) -> None:
    """Registers the data source in a session."""
    spark.dataSource.register(InputanimDataSource)
