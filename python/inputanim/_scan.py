"""Scans: rows of many recordings through one stream of Arrow."""

from __future__ import annotations

import inspect
import json
import math
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Union

from . import _native
from ._arguments import check_options, checked, checked_methods, extra, listed, names, number, text, truth, whole
from ._display import folded, printable, table
from ._errors import InvalidArgument, LossWarning, RangeWarning, warn
from ._json import parameters as native_parameters
from ._recording import Recording, read
from ._types import Parameters, PathLike, Shape, Space

if TYPE_CHECKING:
    import duckdb
    import pandas
    import polars
    import pyarrow
    from typing_extensions import Unpack

    from ._options import ScanOptions

Source = Union[PathLike, Recording, "tuple[str, bytes | Recording]"]
Progress = Callable[[int], object]


@dataclass(frozen=True)
class Column:
    """A column of a scan.

    Attributes:
        name: Name, such as ``right.IndexTip.position.x``.
        type: ``float32``, ``float64``, ``int32``, ``int64``, ``bool``, ``string`` or ``category``.
        unit: Unit, such as ``m``; ``1`` for a number without a dimension, empty for values without a unit.
        meaning: Description in one sentence.
    """

    name: str
    type: str
    unit: str
    meaning: str


class ScanFile(NamedTuple):
    """A file of a scan: its path, its size in bytes, and the name of the recording: the path below the searched folder, without
    the extension, and with more folders if two names are equal."""

    path: str
    bytes: int
    recording: str


@dataclass(frozen=True)
class SkippedFile:
    """A file that was skipped.

    Attributes:
        file: Path.
        message: What failed, what was expected and what was found.
        curve: Name of the curve with the error, or None.
        offset: Position of the error in bytes, or None.
    """

    file: str
    message: str
    curve: str | None
    offset: int | None


def _restored(sources: list[str | tuple[str, Recording]], options: dict[str, Any], segments: str | None) -> Scan:
    """Returns a scan that was pickled. Its sources are searched again."""
    return _Definition(sources, options, segments).scan()


def _native_sources(sources: Iterable[str | tuple[str, Recording]]) -> list[str | tuple[str, _native.Recording]]:
    return [source if isinstance(source, str) else (source[0], source[1]._native) for source in sources]


def _sources(sources: Source | Iterable[Source]) -> list[str | tuple[str, Recording]]:
    given: Any = sources
    is_pair = isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], str) and not isinstance(given[1], str)
    if isinstance(given, (str, os.PathLike, Recording)) or (is_pair and not isinstance(given[1], os.PathLike)):
        given = [given]
    found: list[str | tuple[str, Recording]] = []
    expected = "a path, a recording or a list of them"
    for number, source in enumerate(listed("sources", given, expected)):
        name: str | None = None
        if isinstance(source, tuple):
            name, source = source
        if isinstance(source, bytes):
            source = read(source)
        if isinstance(source, Recording):
            found.append((name or source.path or f"recording-{number + 1}", source))
        elif isinstance(source, (str, os.PathLike)):
            found.append(os.fspath(source))
        else:
            expected = "a path, a recording or a pair of a name and bytes"
            raise InvalidArgument(f"sources: expected {expected}, found {source!r}")
    return found


def warn_of_notices(notices: Iterable[FileNotice], rest: str) -> None:
    """Warns once of each kind of notice, with the number of files."""
    kinds = Counter(kind for kind, _ in {(notice.kind, notice.file) for notice in notices if not notice.is_note})
    for kind, count in sorted(kinds.items()):
        warn(f"{kind} in {count}{rest}", LossWarning if kind == "lost" else RangeWarning)


@dataclass(frozen=True)
class DamagedFile:
    """A file with damage that changes the columns of a scan.

    Attributes:
        file: Path.
        damage: Codes of the damage, such as ``D1 D4``, and ``recovered`` if parts of the file are missing.
    """

    file: str
    damage: str


@dataclass(frozen=True)
class FileNotice:
    """A notice about a file, which is not an error.

    Attributes:
        file: Path.
        kind: Kind of notice, which is the same for all files, such as ``the time range exceeds the recording``.
        detail: Details for the file.
        is_note: Whether it is only a note. Other notices are about rows that differ from what was requested.
    """

    file: str
    kind: str
    detail: str
    is_note: bool


class _Definition(NamedTuple):
    """Everything that a scan is made from.

    Attributes:
        sources: Paths, and recordings with their names.
        options: The options by the names of the native module.
        segments: Segments, or the path of a trial table.
    """

    sources: list[str | tuple[str, Recording]]
    options: dict[str, Any]
    segments: str | None

    def scan(self) -> Scan:
        return Scan(_native.Scan(_native_sources(self.sources), json.dumps(self.options), self.segments), self)


@checked_methods
class Scan:
    """The rows of many recordings. Nothing is read until rows are requested.

    `scan` makes a scan. It is a stream of Arrow (``__arrow_c_stream__``), which Polars, pyarrow, pandas, DuckDB and others read
    without a copy. Several threads read and sample in Rust; memory does not grow with the number of files.
    """

    def __init__(self, native: _native.Scan, definition: _Definition) -> None:
        self._native = native
        self._definition = definition

    @property
    def _shape(self) -> str:
        shape: str = self._definition.options["shape"]
        return shape

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restored, tuple(self._definition))

    def __copy__(self) -> Scan:
        # A scan never changes.
        return self

    def __deepcopy__(self, memo: object) -> Scan:
        return self

    def __repr__(self) -> str:
        return f"<Scan: {len(self.files)} files, {self._shape}, {len(self.columns)} columns>"

    def _repr_html_(self) -> str:
        files, columns = self.files, self.columns
        of_files = table(("path", "bytes"), ((file.path, f"{file.bytes:,}") for file in files), len(files))
        of_columns = table(
            ("name", "type", "unit", "meaning"),
            ((column.name, column.type, column.unit, column.meaning) for column in columns),
            len(columns),
        )
        return (
            f"<div><strong>Scan</strong> of {len(files)} files, {self._shape}"
            f"{folded(f'{len(files)} files', of_files)}{folded(f'{len(columns)} columns', of_columns)}</div>"
        )

    @property
    def files(self) -> list[ScanFile]:
        """The files in the order of their rows."""
        return [ScanFile(*file) for file in self._native.files()]

    @property
    def columns(self) -> list[Column]:
        """The columns with their types, units and meanings."""
        return [Column(*field) for field in self._native.fields()]

    @property
    def errors(self) -> list[SkippedFile]:
        """The files that were skipped until now, with ``errors="skip"``: by this scan and by the scans of `select`, `head` and
        `lazy`, which read the same files."""
        return [SkippedFile(*error) for error in self._native.errors()]

    @property
    def damaged(self) -> list[DamagedFile]:
        """The files that were read until now and have damage that changes the columns. The end of the rows gives a
        `DamageWarning` that counts them, except for other programs that read the stream of Arrow."""
        return [DamagedFile(*file) for file in self._native.damaged()]

    @property
    def notices(self) -> list[FileNotice]:
        """The notices about the files that were read until now, and about files of other formats that the search of folders
        skipped, about recordings without segments around events, and about a catalogue that describes none of the files. If a time
        range or trials exceed recordings, the end of the rows gives a `RangeWarning` that counts them, except for other programs
        that read the stream of Arrow."""
        return [FileNotice(*notice) for notice in self._native.notices()]

    def select(self, columns: Sequence[str]) -> Scan:
        """Returns the scan of these columns. Only the curves that they need are evaluated."""
        chosen = names("columns", columns)
        return Scan(self._native.with_columns(chosen), self._changed(columns=chosen))

    def head(self, rows: int) -> Scan:
        """Returns the scan of the first rows, which ends early."""
        limit, before = whole("rows", rows), self._definition.options["limit"]
        return Scan(self._native.with_limit(limit), self._changed(limit=limit if before is None else min(limit, before)))

    def _with_files(self, files: Sequence[int]) -> Scan:
        """Returns the scan of the files with these indices. The names of the recordings and their trials stay."""
        return Scan(self._native.with_files(files), self._definition)

    def _changed(self, **options: object) -> _Definition:
        return self._definition._replace(options={**self._definition.options, **options})

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._native.stream()

    def __arrow_c_schema__(self) -> object:
        return self._native.schema()

    def batches(self, progress: Progress | None = None) -> Iterator[_native.Batch]:
        """Returns the rows batch by batch, each with ``__arrow_c_stream__``. Ctrl-C ends it.

        Args:
            progress: Is called with the number of rows until now, after each batch.
        """
        batches = self._native.batches()
        rows = 0
        while True:
            try:
                batch = batches.next()
            except StopIteration:
                self._warn()
                return
            rows += batch.rows
            if progress is not None:
                progress(rows)
            yield batch

    def _warn(self) -> None:
        """Warns of damage, of losses, and of ranges that exceed recordings, once for all files."""
        warn_of_notices(self.notices, f" of {len(self.files)} files; the attribute notices of the scan lists them")
        damaged = self.damaged
        if damaged:
            counts = Counter(code for file in damaged for code in file.damage.split())
            listed = ", ".join(f"{code} in {count}" for code, count in sorted(counts.items()))
            message = f"{len(damaged)} of {len(self.files)} files have damage that changes the columns ({listed})"
            warn(f"{message}; the attribute damaged of the scan lists them, and repair=True repairs what can be repaired")

    def to_polars(self, progress: Progress | None = None) -> polars.DataFrame:
        """Returns a data frame of Polars."""
        with extra("polars"):
            import polars

        frames = [polars.DataFrame(batch) for batch in self.batches(progress)]
        frame: polars.DataFrame = polars.concat(frames, rechunk=False) if frames else self._empty()
        return frame

    def _empty(self) -> polars.DataFrame:
        with extra("polars"):
            import polars

        return polars.DataFrame(self.head(0))

    def to_arrow(self, progress: Progress | None = None) -> pyarrow.Table:
        """Returns a table of pyarrow. The metadata of its fields have the units and meanings."""
        with extra("pandas"):
            import pyarrow

        schema = pyarrow.schema(self)
        tables = [pyarrow.table(batch) for batch in self.batches(progress)]
        return pyarrow.concat_tables(tables) if tables else schema.empty_table()

    def to_pandas(self, progress: Progress | None = None) -> pandas.DataFrame:
        """Returns a data frame of pandas, which needs pyarrow."""
        frame: pandas.DataFrame = self.to_arrow(progress).to_pandas()
        return frame

    def lazy(self) -> polars.LazyFrame:
        """Returns a lazy frame of Polars. It reads only the columns and rows that a query needs.

        Column selections and row limits reach the files. Conditions on rows are applied to each batch. Works with the streaming
        engine and with SQL.
        """
        with extra("polars"):
            import polars
            from polars.io.plugins import register_io_source

        schema = self._empty().schema

        def source(
            columns: list[str] | None,
            predicate: polars.Expr | None,
            limit: int | None,
            batch_rows: int | None,
        ) -> Iterator[polars.DataFrame]:
            wanted = list(schema) if columns is None else columns
            # A frame without columns has no rows, so one column is read to count them.
            scan = self.select(wanted or list(schema)[:1])
            # The limit counts rows that fulfil the condition, so the scan cannot apply it before the condition.
            if limit is not None and predicate is None:
                scan = scan.head(limit)
            remaining = limit
            for batch in scan.batches():
                frame = polars.DataFrame(batch)
                if predicate is not None:
                    frame = frame.filter(predicate)
                if remaining is not None:
                    frame = frame.head(remaining)
                    remaining -= frame.height
                yield frame
                if remaining == 0:
                    return

        return register_io_source(source, schema=schema)

    def duckdb(self, connection: duckdb.DuckDBPyConnection | None = None, name: str | None = None) -> duckdb.DuckDBPyRelation:
        """Returns a relation of DuckDB over the stream. With a name, it also creates a view.

        The stream is read again for each query, and always completely: select columns first. The frame of
        `lazy` evaluates only the curves of the selected columns, and applies conditions to each batch. DuckDB reads it too.

        Args:
            connection: Connection; the default connection if None.
            name: Name of a view for SQL.
        """
        with extra("duckdb"):
            import duckdb

        active: Any = duckdb.default_connection() if connection is None else connection
        if name is not None:
            active.register(name, self)
        relation: duckdb.DuckDBPyRelation = active.from_arrow(self)
        return relation


def _options(shape: Shape, given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns all `ScanOptions` except the segments by their names in the native module."""
    columns, points, limit, catalog = given["columns"], given["points"], given["limit"], given["catalog"]
    if given["times"] not in (None, "keys"):
        raise InvalidArgument(f'unknown times "{given["times"]}"; expected "keys"')
    return {
        "shape": text("shape", shape) or "",
        "format": text("format", given["format"]),
        "columns": None if columns is None else names("columns", columns),
        "file_column": text("file_column", given["file_column"]),
        "recording_column": text("recording_column", given["recording_column"]),
        "path_pattern": text("path_pattern", given["path_pattern"]),
        "rate": number("rate", given["rate"]),
        "keys": given["times"] == "keys",
        "start": number("start", given["start"], missing=-math.inf),
        "end": number("end", given["end"], missing=math.inf),
        "joints": names("joints", given["joints"]),
        "exclude": names("exclude", given["exclude"]),
        "space": text("space", given["space"]),
        "points": None if points is None else whole("points", points),
        "measures": names("measures", given["measures"]),
        "kinds": names("kinds", given["kinds"]),
        "parameters": native_parameters(given["parameters"]),
        "limit": None if limit is None else whole("limit", limit),
        "errors": text("errors", given["errors"]) or "",
        "recover": truth("recover", given["recover"]),
        "repair": truth("repair", given["repair"]),
        "forget_zeros": truth("forget_zeros", given["forget_zeros"]),
        "pauses": "usual" if given["pauses"] is None else str(given["pauses"]),
        "no_limits": truth("no_limits", given["no_limits"]),
        "threads": whole("threads", given["threads"]),
        "batch_rows": whole("batch_rows", given["batch_rows"], least=1),
        "catalog": None if catalog is None else os.fspath(catalog),
    }


@checked
def scan(
    sources: Source | Iterable[Source],
    shape: Shape = "wide",
    columns: Sequence[str] | None = None,
    *,
    format: str | None = None,
    rate: float | None = None,
    times: Literal["keys"] | None = None,
    start: float | None = None,
    end: float | None = None,
    joints: Sequence[str] = (),
    exclude: Sequence[str] = (),
    space: Space | None = None,
    segments: str | None = None,
    points: int | None = None,
    measures: Sequence[str] = (),
    kinds: Sequence[str] = (),
    parameters: Parameters | None = None,
    path_pattern: str | None = None,
    file_column: str | None = "file",
    recording_column: str | None = None,
    limit: int | None = None,
    errors: Literal["raise", "skip", "column"] = "raise",
    recover: bool = False,
    repair: bool = False,
    forget_zeros: bool = False,
    pauses: float | Literal["none"] | None = None,
    no_limits: bool = False,
    threads: int = 0,
    batch_rows: int = 8192,
    catalog: PathLike | None = None,
) -> Scan:
    """Scans recordings: files, folders, patterns such as ``"study/**/*.bin"``, recordings, or pairs of a name and bytes.

    An option that has no effect on the shape is an error.

    Args:
        sources: One source or many.
        shape: The meaning of a row: an instant (``wide``), a joint at an instant (``tidy``), a key (``keys``), a recording
            (``info``), a finding, an event, a recording or segment with its measures (``stats``), one of these measures with its
            unit and the reason if it has no value (``measures``), a marker, a curve, or a time range in which a hand is tracked or
            pinches (``states``).
        columns: Names of the columns, or one name; all by default. Few columns are several times faster. `columns` lists them.
        format: Format of the files. By default it is detected from their content, and folders are searched for ``.bin`` files.
        rate: Rows per second, for wide and tidy, and the rate of the analysis, for events, stats and measures; 60 by
            default.
        times: ``"keys"`` for rows at all key times instead of a rate.
        start: Start of the time range in seconds. A file whose recording has no time of the range is an error.
        end: End of the time range in seconds.
        joints: Names of streams and joints, for wide, tidy, keys, curves and states; all by default. For the last three, names
            may have components, such as ``head.position``.
        exclude: Names of streams and joints that are not used.
        space: Axes, for wide and tidy; Unity's by default.
        segments: Parts for which measures are computed, or whose rows are listed: ``recording``, ``markers``, ``markers=NAME``, ``START:STOP``,
            ``KIND@A..B`` such as ``pinch@-0.5..1`` or ``movement@start..end``, or the path of a trial table (``.csv``), whose other columns
            are copied. A recording without the markers is an error. Rows have columns for their segment, and rows of several segments are
            listed for each; for all shapes except info and findings. `epochs` returns them as an array.
        points: Number of instants of each segment, or of the recording or the time range, from its start to its end, for wide and tidy.
        measures: Names, groups and patterns of the measures that are computed, such as ``head.speed`` or ``*.Palm.speed``, for stats
            and measures; all by default.
        kinds: Kinds of the events that are listed, such as ``pinch``; all by default.
        parameters: Parameters of events, stats and measures, and of the events of segments.
        path_pattern: Makes columns from paths: ``"{participant}/{condition}.bin"``.
        file_column: Name of the column with the path; none if None.
        recording_column: Name of a column with the name of the recording: the path below the searched folder, without the extension,
            and with more folders if two names are equal.
        limit: Maximum number of rows.
        errors: A file that cannot be read raises an exception, is skipped and listed in `Scan.errors`, or has a row with its
            message in the column ``error``.
        recover: Reads the intact parts of files that are not well formed, as `inputanim.recover` does.
        repair: Repairs the recordings, as `Recording.repair` does. The rows are computed from the repaired recordings.
        forget_zeros: Makes poses and gaze of zeros unknown, as `Recording.forget_zeros` does.
        pauses: Time in seconds without frames or samples from which everything is unknown, or ``"none"``. 0.5 s by default,
            and at least 10 times the median interval.
        no_limits: Lifts the limits of files (4 GiB), samples (4 GiB for one recording) and analyses (`max_samples`).
        threads: Number of threads; 0 for one on each processor.
        batch_rows: Number of rows of a batch.
        catalog: Path of a catalogue that `catalog` has written, for info and findings. Files whose size and modification time are
            those of the catalogue are not opened. The rows are the same without it.

    Raises:
        ScanError: No recordings were found. Errors of files are raised when rows are read.
        InvalidArgument: An option is invalid, or has no effect.

    Warns:
        RangeWarning: The catalogue describes none of the files, so that all of them are opened.
    """
    given: ScanOptions = {
        "columns": columns,
        "format": format,
        "rate": rate,
        "times": times,
        "start": start,
        "end": end,
        "joints": joints,
        "exclude": exclude,
        "space": space,
        "points": points,
        "measures": measures,
        "kinds": kinds,
        "parameters": parameters,
        "path_pattern": path_pattern,
        "file_column": file_column,
        "recording_column": recording_column,
        "limit": limit,
        "errors": errors,
        "recover": recover,
        "repair": repair,
        "forget_zeros": forget_zeros,
        "pauses": pauses,
        "no_limits": no_limits,
        "threads": threads,
        "batch_rows": batch_rows,
        "catalog": catalog,
    }
    options = _options(shape, given)
    found = _sources(sources)
    if not found:
        raise InvalidArgument("expected at least one source, found an empty list")
    made = _Definition(found, options, text("segments", segments)).scan()
    # Nothing has been read yet, so these are notices about the catalogue and about files that the search skipped.
    described = None if catalog is None else os.fspath(catalog)
    for notice in made.notices:
        if notice.file == described:
            warn(f"{printable(notice.file)}: {notice.kind}: {notice.detail}", RangeWarning)
    return made


@checked
def columns(shape: Shape = "wide", **options: Unpack[ScanOptions]) -> list[Column]:
    """Returns the columns of a scan with their types, units and meanings, without reading a file. It has the options of
    `scan`.

    Columns of controllers, trackers and other devices depend on the files, so that ``scan(sources, shape).columns`` has them. Here, only
    those are listed that the option ``columns`` names, such as ``columns=["right.controller.trigger.value"]``.

    >>> [column.name for column in columns("markers")]
    ['file', 'index', 'time_s', 'name', 'damage']
    >>> columns("wide")[1].unit
    's'
    """
    parameters = inspect.signature(scan).parameters
    defaults: dict[str, Any] = {name: parameters[name].default for name in list(parameters)[2:]}
    check_options(options, list(defaults))
    given: Any = {**defaults, **options}
    fields = _native.scan_fields(json.dumps(_options(shape, given)), text("segments", given["segments"]))
    return [Column(*field) for field in fields]


def read_polars(sources: Source | Iterable[Source], shape: Shape = "wide", **options: Unpack[ScanOptions]) -> polars.DataFrame:
    """Returns the rows of many recordings as a data frame of Polars. It has the options of `scan`."""
    return scan(sources, shape, **options).to_polars()


def read_pandas(sources: Source | Iterable[Source], shape: Shape = "wide", **options: Unpack[ScanOptions]) -> pandas.DataFrame:
    """Returns the rows of many recordings as a data frame of pandas. It has the options of `scan`."""
    return scan(sources, shape, **options).to_pandas()


def read_arrow(sources: Source | Iterable[Source], shape: Shape = "wide", **options: Unpack[ScanOptions]) -> pyarrow.Table:
    """Returns the rows of many recordings as a table of pyarrow. It has the options of `scan`."""
    return scan(sources, shape, **options).to_arrow()
