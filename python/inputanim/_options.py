"""The options that a function passes to another one, as the types of ``**options``: type checkers report a misspelt name.

A test compares them with the parameters of the functions that take them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Literal, TypedDict, Union

import numpy.typing as npt

from ._types import Layout, Parameters, PathLike, Side, Space

if TYPE_CHECKING:
    import matplotlib.figure


class SampleOptions(TypedDict, total=False):
    """The options of `Recording.sample`, except the rate."""

    times: npt.ArrayLike | Literal["keys"] | None
    start: float | None
    end: float | None
    joints: Sequence[str] | None
    streams: Sequence[str] | None
    space: Space | str
    raw: bool
    untracked: bool
    no_limits: bool


class WriteOptions(TypedDict, total=False):
    """The options of `Recording.write_bytes`, except the format."""

    layout: Layout | None
    allow_loss: bool
    rate: float | None
    times: Literal["keys"] | None
    space: Space | None
    shape: Literal["wide", "tidy", "keys"] | None
    markers: bool
    start: float | None
    end: float | None
    labels: Mapping[str, str] | None
    source: str | None
    clip_name: str | None
    hand: Side | None
    scale: float | None
    start_time: datetime | None
    no_limits: bool


class PlotOptions(TypedDict, total=False):
    """The options of `Analysis.plot`."""

    start: float | None
    end: float | None
    title: str | None
    figure: matplotlib.figure.Figure | None


class _CommonOptions(TypedDict, total=False):
    """The options that `scan` and `epochs` have in common."""

    columns: Sequence[str] | None
    format: str | None
    rate: float | None
    joints: Sequence[str]
    exclude: Sequence[str]
    space: Space | None
    segments: str | None
    points: int | None
    parameters: Parameters | None
    path_pattern: str | None
    recording_column: str | None
    recover: bool
    repair: bool
    forget_zeros: bool
    pauses: float | Literal["none"] | None
    no_limits: bool
    threads: int


class ScanOptions(_CommonOptions, total=False):
    """The options of `scan`, except the sources and the shape."""

    times: Literal["keys"] | None
    start: float | None
    end: float | None
    measures: Sequence[str]
    kinds: Sequence[str]
    file_column: str | None
    limit: int | None
    errors: Literal["raise", "skip", "column"]
    batch_rows: int
    catalog: PathLike | None


class EpochOptions(_CommonOptions, total=False):
    """The options of `epochs`, except the sources."""

    events: str | None
    before: float | None
    after: float | None
    baseline: tuple[float | None, float | None] | None
    reject: Sequence[Literal["unknown", "damage"]]
    errors: Literal["raise", "skip"]


ProgramOption = Union[str, int, float, "os.PathLike[str]", None]
"""The value of an option of the program."""


class PlayOptions(TypedDict, total=False):
    """The options of ``inputanim openxr play``, with ``_`` for ``-``. True is an option without a value; None and False leave it
    out."""

    clock: Literal["step", "keys", "real"] | None
    rate: ProgramOption
    end: Literal["stop", "hold", "loop"] | None
    screenshots: str | os.PathLike[str] | None
    every: ProgramOption
    eye_distance: ProgramOption
    size: str | None
    over_runtime: bool | None
    floor: ProgramOption
    profile: str | None
    pinch_squeezes: bool | None
    allow_inactive: bool | None
    libraries: str | os.PathLike[str] | None
    repair: bool | None
    recover: bool | None
    forget_zeros: bool | None
    timeout: ProgramOption
    color: Literal["auto", "always", "never"] | None
    no_limits: bool | None
