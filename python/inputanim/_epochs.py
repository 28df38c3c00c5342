"""Epochs: samples around events, or in other segments of recordings, as one array."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ._arguments import checked, checked_methods, extra, listed, names, number, text, whole
from ._display import table
from ._errors import ConvertError, InvalidArgument, RangeWarning, warn
from ._scan import Scan, SkippedFile, Source, columns as columns_of, scan
from ._types import BoolArray, Float64Array, Parameters, Space

if TYPE_CHECKING:
    import mne
    import pandas
    import xarray

_REASONS = ("unknown", "damage")
_HINT = 'events="pinch" gives windows of equal length, and points=101 gives each segment 101 rows'


@checked_methods
@dataclass(frozen=True, eq=False)
class Epochs:
    """Samples around events, or in other segments of recordings. `epochs` makes them.

    Attributes:
        data: Numbers, shape (event, time, column), float64; NaN where a value is unknown. States are 0 or 1. All events are in it,
            also those that are rejected.
        times: Times in seconds after the start of the event or segment, shape (time,), float64; with ``points``, percentages of the
            segment from 0 to 100.
        columns: Names of the columns, such as ``right.IndexTip.position.x``.
        units: Unit of each column: ``m``, ``1``, or an empty text for a state.
        metadata: A data frame of pandas with one row for each event: ``file``, other columns from its path, ``segment`` (its name),
            ``side`` or the columns of a trial table, ``segment_index``, ``segment_zero_s`` (time 0 as a time of the recording),
            ``segment_damage`` (codes of the damage in it), ``unknown`` (the share of its values that are unknown, from 0 to 1), and
            ``rejected``: the reasons for which it is rejected, or None.
        rate: Samples per second; None for points.
        baseline: The start and the end of the baseline in seconds, or None.
        space: The axes of positions.
        skipped: The files that were skipped, with ``errors="skip"``.
    """

    data: Float64Array
    times: Float64Array
    columns: tuple[str, ...]
    units: tuple[str, ...]
    metadata: pandas.DataFrame
    rate: float | None
    baseline: tuple[float | None, float | None] | None
    space: str
    skipped: tuple[SkippedFile, ...] = ()

    def __len__(self) -> int:
        return len(self.data)

    def __repr__(self) -> str:
        events, times, count = self.data.shape
        return f"<Epochs: {events} events ({np.count_nonzero(~self.kept)} rejected), {times} times, {count} columns>"

    def _repr_html_(self) -> str:
        frame = self.metadata
        rows = table([str(name) for name in frame.columns], frame.itertuples(index=False, name=None), len(frame))
        return f"<div><strong>Epochs</strong>: {len(self)} events, {len(self.times)} times, {len(self.columns)} columns{rows}</div>"

    @property
    def kept(self) -> BoolArray:
        """True for the events that are not rejected, shape (event,), bool."""
        kept: BoolArray = self.metadata["rejected"].isna().to_numpy(bool)
        return kept

    def average(self) -> Float64Array:
        """Returns the mean of the events that are not rejected, shape (time, column), float64.

        A value is the mean of the known values; NaN if none is known.

        Raises:
            ConvertError: A column is a component of a rotation, of which no mean can be computed component by component.
        """
        if rotations := [name for name in self.columns if _is_rotation(name)]:
            raise ConvertError(
                f"the mean of components of quaternions is not a rotation: {rotations[0]}",
                hint="leave out rotations, or compute angles from Epochs.data first",
            )
        data = self.data[self.kept]
        known = np.isfinite(data)
        count = known.sum(axis=0)
        total = np.where(known, data, 0.0).sum(axis=0)
        mean: Float64Array = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
        return mean

    def to_xarray(self) -> xarray.DataArray:
        """Returns an array of xarray with the named axes event, time (or percent) and column. The columns of `metadata` are coordinates
        of the events."""
        with extra("xarray"):
            import xarray

        axis = "percent" if self.rate is None else "time"
        coordinates: dict[str, Any] = {axis: (axis, self.times, {"units": "%" if self.rate is None else "s"})}
        coordinates["column"] = list(self.columns)
        coordinates["unit"] = ("column", list(self.units))
        for name in self.metadata.columns:
            label = f"event_{name}" if name in coordinates else name
            coordinates[label] = ("event", self.metadata[name].to_numpy())
        return xarray.DataArray(self.data, coordinates, ("event", axis, "column"), attrs={"axes": self.space})

    def to_mne(self) -> mne.EpochsArray:
        """Returns the events that are not rejected as an `EpochsArray` of the package `mne`, with the metadata.

        Channels have the type ``misc`` and keep their units: metres, components of vectors, and 0 or 1 for states. The names of
        segments are the kinds of events (``event_id``). The sample numbers of the events count the samples before them in the array,
        because the events come from several files.

        Raises:
            ConvertError: There are no events, or the rows are points.
        """
        with extra("mne"):
            from mne import EpochsArray, create_info

        if self.rate is None:
            raise ConvertError("mne needs samples at a constant rate, found points", hint="leave out points")
        kept = self.kept
        if not kept.any():
            raise ConvertError("mne needs at least one event, found none that is not rejected")
        metadata = self.metadata[kept].reset_index(drop=True)
        labels = [str(name) or "segment" for name in metadata["segment"].fillna("segment")]
        kinds = {name: index + 1 for index, name in enumerate(dict.fromkeys(labels))}
        events = np.zeros((len(labels), 3), np.int64)
        events[:, 0] = np.arange(len(labels)) * len(self.times)
        events[:, 2] = [kinds[name] for name in labels]
        return EpochsArray(
            self.data[kept].transpose(0, 2, 1),
            create_info(list(self.columns), self.rate, "misc"),
            events,
            tmin=float(self.times[0]),
            event_id=kinds,
            metadata=metadata,
            verbose="error",
        )


def _is_rotation(name: str) -> bool:
    return name.split(".")[-2:-1] == ["rotation"]


def _segments(events: str | None, segments: str | None, before: float | None, after: float | None, points: int | None) -> str:
    """Returns segments as `scan` takes them."""
    if (events is None) == (segments is None):
        found = "none" if events is None else "both"
        raise InvalidArgument(f"expected either events or segments, found {found}", hint='events="pinch"')
    is_window = segments is None and points is None
    first, last = 0.5 if before is None else before, 1.0 if after is None else after
    if is_window and -first > last:
        raise InvalidArgument(
            f"before={first} and after={last}: the epochs would end before they start",
            hint="before=0.5 begins 0.5 s before the event, and before=-0.5 begins 0.5 s after it",
        )
    if not is_window and (before is not None or after is not None):
        raise InvalidArgument("before and after have no effect on segments and with points", hint='segments="pinch@-0.5..1"')
    if segments is not None:
        return segments
    if points is not None:
        return f"{events}@start..end"
    return f"{events}@{-first!r}..{last!r}"


def _checked_baseline(baseline: Any) -> tuple[float | None, float | None] | None:
    if baseline is None:
        return None
    bounds = listed("baseline", baseline, "the start and the end in seconds")
    if len(bounds) != 2:
        raise InvalidArgument(f"baseline: expected the start and the end in seconds, found {baseline!r}")
    return number("baseline", bounds[0]), number("baseline", bounds[1])


@checked
def epochs(
    sources: Source | Iterable[Source],
    *,
    events: str | None = None,
    segments: str | None = None,
    before: float | None = None,
    after: float | None = None,
    rate: float | None = None,
    points: int | None = None,
    columns: Sequence[str] | None = None,
    joints: Sequence[str] = (),
    exclude: Sequence[str] = (),
    space: Space | None = None,
    baseline: tuple[float | None, float | None] | None = None,
    reject: Sequence[Literal["unknown", "damage"]] = (),
    parameters: Parameters | None = None,
    path_pattern: str | None = None,
    recording_column: str | None = None,
    format: str | None = None,
    errors: Literal["raise", "skip"] = "raise",
    recover: bool = False,
    repair: bool = False,
    forget_zeros: bool = False,
    pauses: float | Literal["none"] | None = None,
    no_limits: bool = False,
    threads: int = 0,
) -> Epochs:
    """Returns samples around events, or in other segments, of many recordings as one array. It needs pandas and pyarrow.

    The values are those of ``scan(sources, "wide", segments=...)``, with which the program and SQL give equal rows. Times outside of a
    recording have unknown values. docs/tables.md states how times are computed.

    Args:
        sources: Recordings, as for `scan`.
        events: Kind of events, such as ``pinch``, ``movement`` or ``marker``: from `before` to `after` around the start of each, or with
            `points`, from its start to its end.
        segments: Other segments, as for `scan`, such as ``pinch@end-0.2..end+1``. Without `points`, all of them need the same times.
        before: Seconds before the start of the event; 0.5 by default.
        after: Seconds after the start of the event; 1 by default.
        rate: Samples per second; 60 by default.
        points: Number of points from the start to the end of each segment, such as 101, instead of a rate.
        columns: Names of columns of wide tables. By default, all recorded columns except components of rotations, and with `baseline`
            only those in metres. Without events, these are all columns that a recording can have.
        joints: Names of streams and joints; all by default.
        exclude: Names of streams and joints that are not used.
        space: Axes; Unity's by default.
        baseline: Start and end in seconds, both included: the mean of the known values between them is subtracted from each column of each
            event. None stands for the first or the last time. For columns in metres: components of rotations, directions and states cannot
            be subtracted, and are an error. If a column has no known value between them, it is unknown in this event.
        reject: Reasons to reject an event: ``unknown`` if one of its values is unknown, ``damage`` if it contains damage. Rejected events
            stay in `Epochs.data`, and have no part in `Epochs.average` and `Epochs.to_mne`.
        parameters: Parameters of the events, as for `scan`.
        path_pattern: Makes columns of the metadata from paths.
        recording_column: Name of a column of the metadata with the name of the recording.
        format: Format of the files.
        errors: A file that cannot be read raises an exception, or is skipped and listed in `Epochs.skipped`.
        recover: Reads the intact parts of files that are not well formed.
        repair: Repairs the recordings.
        forget_zeros: Makes poses and gaze of zeros unknown.
        pauses: Time in seconds without frames from which everything is unknown, as for `scan`.
        no_limits: Lifts the limits of files, samples and analyses.
        threads: Number of threads; 0 for one on each processor.

    Raises:
        ScanError: No recordings were found, or a file cannot be read.
        InvalidArgument: An option is invalid, or segments have different times.

    Warns:
        RangeWarning: There are no events, so that the array has times and columns, and no events.

    >>> found = epochs("samples", events="pinch", before=0.25, after=0.5, columns=["right.IndexTip.position.y"])
    >>> found.data.shape
    (3, 46, 1)
    >>> found.metadata["side"].value_counts().to_dict()
    {'right': 2, 'left': 1}
    """
    with extra("pandas"):
        import pandas
        import pyarrow

    chosen_points = None if points is None else whole("points", points)
    wanted_segments = _segments(
        text("events", events), text("segments", segments), number("before", before), number("after", after), chosen_points
    )
    subtracted = _checked_baseline(baseline)
    reasons = names("reject", reject)
    if errors not in ("raise", "skip"):
        raise InvalidArgument(
            f'errors: expected "raise" or "skip", found {errors!r}',
            hint='errors="skip" lists the files that cannot be read in Epochs.skipped',
        )
    for reason in reasons:
        if reason not in _REASONS:
            raise InvalidArgument(f'reject: unknown reason "{reason}"; expected unknown or damage')
    if subtracted is not None and chosen_points is not None:
        raise InvalidArgument("baseline has no effect with points, which have no times")
    values = [
        column
        for column in columns_of("wide", file_column=None, joints=joints, exclude=exclude)
        if column.name not in ("time_s", "damage")
    ]
    units = {column.name: column.unit for column in values}
    if columns is None:
        chosen = [name for name in units if not _is_rotation(name) and (subtracted is None or units[name] == "m")]
    else:
        chosen = names("columns", columns)
        for name in chosen:
            if subtracted is not None and units.get(name, "m") != "m":
                raise InvalidArgument(
                    f"baseline cannot be subtracted from {name}: only numbers in metres can be subtracted",
                    hint="leave out rotations, directions and states, or baseline",
                )
    all_rows = scan(
        sources,
        "wide",
        segments=wanted_segments,
        rate=rate,
        points=chosen_points,
        joints=joints,
        exclude=exclude,
        space=space,
        parameters=parameters,
        path_pattern=path_pattern,
        recording_column=recording_column,
        format=format,
        errors=errors,
        recover=recover,
        repair=repair,
        forget_zeros=forget_zeros,
        pauses=pauses,
        no_limits=no_limits,
        threads=threads,
    )
    axis = "segment_time_s" if chosen_points is None else "segment_percent"
    is_other = {*units, "time_s", "damage", axis}
    labels = [column.name for column in all_rows.columns if column.name not in is_other]
    selected = all_rows.select([*labels, axis, *chosen])
    rows: pyarrow.Table = selected.to_arrow()
    first, times = _times(rows, axis)
    if not len(first):
        # An array without events has the times that all events would have.
        times = np.array(selected._native.segment_times() or [], np.float64)
        _warn_without_segments(selected)
    shape = (len(first), len(times))
    if columns is None and len(first):
        # A recording has only some of the columns that a table can have.
        chosen = [name for name in chosen if rows[name].null_count < rows.num_rows]
    data = np.full((*shape, len(chosen)), np.nan)
    for index, name in enumerate(chosen):
        data[:, :, index] = rows[name].cast(pyarrow.float64()).to_numpy().reshape(shape)
    metadata: pandas.DataFrame = rows.select(labels).take(first).to_pandas()
    unknown = np.isnan(data)
    metadata["unknown"] = unknown.mean(axis=(1, 2)) if unknown.size else np.zeros(len(first))
    is_rejected = {"unknown": unknown.any(axis=(1, 2)), "damage": metadata["segment_damage"].notna().to_numpy()}
    found = [", ".join(reason for reason in _REASONS if reason in reasons and is_rejected[reason][event]) for event in range(len(first))]
    metadata["rejected"] = pandas.Series([reason or None for reason in found], dtype=object)
    if subtracted is not None:
        _subtract(data, times, subtracted)
        lost = (np.isnan(data) & ~unknown).any(axis=(1, 2)).sum()
        if lost:
            warn(f"{lost} of {len(first)} events have no known value in the baseline: their values are unknown", RangeWarning)
    actual_rate = None if chosen_points is not None else 60.0 if rate is None else float(rate)
    return Epochs(
        data,
        times,
        tuple(chosen),
        tuple(units.get(name, "") for name in chosen),
        metadata,
        actual_rate,
        subtracted,
        space or "unity",
        tuple(selected.errors),
    )


def _warn_without_segments(selected: Scan) -> None:
    """Warns that there are no events, and why. The texts are those of the notices."""
    found = {f"{notice.kind}: {notice.detail}": None for notice in selected.notices if notice.kind == "no segments"}
    warn("; ".join(found) or "no segments: no file was read", RangeWarning)


def _times(rows: Any, axis: str) -> tuple[Any, Float64Array]:
    """Returns the index of the first row of each segment, and the times of the segments, which must be the same."""
    times: Float64Array = rows[axis].to_numpy()
    # Files follow each other, and the segments of a file have the indices 0, 1 and so on.
    indices = rows["segment_index"].to_numpy()
    files = rows["file"].combine_chunks().to_numpy(zero_copy_only=False)
    is_first = np.ones(len(times), np.bool_)
    # Two recordings in memory may have one name. The times of a segment rise.
    is_first[1:] = (indices[1:] != indices[:-1]) | (files[1:] != files[:-1]) | (times[1:] <= times[:-1])
    first = np.flatnonzero(is_first)
    if not len(first):
        return first, times
    length = len(times) // len(first)
    of_first: Float64Array = times[:length]
    if length * len(first) != len(times) or (times.reshape(-1, length) != of_first).any():
        raise InvalidArgument("the segments have different times", hint=_HINT)
    return first, of_first


def _subtract(data: Float64Array, times: Float64Array, baseline: tuple[float | None, float | None]) -> None:
    """Subtracts the mean of the known values of a baseline from each column of each event."""
    start, end = baseline
    inside = (times >= (-np.inf if start is None else start)) & (times <= (np.inf if end is None else end))
    if len(times) and not inside.any():
        raise InvalidArgument(f"baseline: no time is from {start} s to {end} s", hint=f"times are {times[0]} s to {times[-1]} s")
    values = data[:, inside]
    known = np.isfinite(values)
    count = known.sum(axis=1, keepdims=True)
    total = np.where(known, values, 0.0).sum(axis=1, keepdims=True)
    data -= np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
