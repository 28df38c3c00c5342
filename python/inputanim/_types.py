"""The plain dictionaries that functions return. Times are seconds. A number that is not finite is None."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Literal, TypedDict, Union

import numpy as np
import numpy.typing as npt

Layout = Literal[
    "mrtk-1.0",
    "mrtk-1.1",
    "documented-1.0",
    "documented-1.1",
    "mixed-1.1-simple-no-markers",
    "mixed-1.1-full-with-markers",
]
Space = Literal["unity", "openxr", "webxr", "gltf", "blender", "usd"]
Side = Literal["left", "right"]
Shape = Literal["wide", "tidy", "keys", "info", "findings", "events", "stats", "measures", "markers", "curves", "states", "haptics"]
Gripper = Literal["pinch", "geometric-pinch", "aperture", "trigger"]
KeypointOrder = Literal["mediapipe", "openpose", "mano", "openxr", "webxr"]
PathLike = Union[str, "os.PathLike[str]"]

Float32Array = npt.NDArray[np.float32]
Float64Array = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
KeyArray = npt.NDArray[np.void]


class TimeRange(TypedDict):
    """A time range in seconds."""

    start: float
    end: float


class StreamInfo(TypedDict):
    """Statistics of one stream."""

    stream: str
    curves: int
    recorded_curves: int
    recorded_joints: int
    keys: int
    bytes: int
    time_range: TimeRange | None
    instants: int
    rate: float | None
    longest_gap: TimeRange | None


class HandInfo(TypedDict):
    """The time ranges in which a hand was tracked and pinched."""

    tracked: list[TimeRange]
    pinching: list[TimeRange]


class HandsInfo(TypedDict):
    """Both hands."""

    left: HandInfo
    right: HandInfo


class Flags(TypedDict):
    """The streams that a file announces."""

    head: bool
    hand: bool
    gaze: bool


class _UnknownElement(TypedDict, total=False):
    #: The unknown element of a device: ``right.controller.aim``, or ``right.controller.profile`` for everything about the device.
    #: Absent if several elements are unknown, and for streams that are not devices.
    element: str


class UnknownTime(_UnknownElement):
    """The time in which values of a stream are unknown."""

    stream: str
    elements: int
    gaps: int
    milliseconds: int
    start_milliseconds: int


class DeviceInfo(TypedDict):
    """The content of a controller, tracker or other device."""

    #: The name, such as ``right.controller``.
    device: str
    #: All interaction profiles that the device has in the recording.
    profiles: list[str]
    #: The poses, such as ``aim``.
    poses: list[str]
    #: The inputs that are on or off, such as ``a.click``.
    buttons: list[str]
    #: The inputs with numbers, such as ``trigger.value``.
    axes: list[str]
    #: The number of haptic pulses.
    haptics: int
    #: The time ranges in which it is known to be active, in order.
    active: list[TimeRange]


class _Optional(TypedDict, total=False):
    unknown: list[UnknownTime]
    about: dict[str, str]
    devices: list[DeviceInfo]


class Info(_Optional):
    """Statistics of a recording. `unknown`, `about` and `devices` are absent if they would be empty."""

    layout: str
    flags: Flags
    bytes: int
    keys: int
    duration: float
    time_range: TimeRange | None
    streams: list[StreamInfo]
    hands: HandsInfo


class BriefFinding(TypedDict):
    """Damage or unusual content. docs/findings.md lists the codes."""

    code: str
    severity: Literal["note", "warning", "damage"]
    title: str
    detail: str
    count: int
    range: TimeRange | None
    ranges: list[TimeRange]
    curves: list[str]
    streams: list[str]


class Finding(BriefFinding):
    """A finding with its explanation. `changes_values` is True if evaluated values differ from what was recorded, or are unknown."""

    changes_values: bool
    cause: str
    meaning: str
    remedy: str
    advice: str


class CurveRepair(TypedDict):
    """The repair of one kind of finding in one curve."""

    code: str
    curve: str | None
    keys: int
    uncertain_keys: int
    uncertain: list[TimeRange]


class RepairReport(TypedDict):
    """The repaired curves, and the findings that remain."""

    repaired: list[CurveRepair]
    remaining: list[BriefFinding]


class OpenRange(TypedDict):
    """A time range in seconds. A bound is None if the range is open there."""

    start: float | None
    end: float | None


class ZeroRun(TypedDict):
    """Neighbouring samples of an element that are all zero, and the gap that they become."""

    element: str
    samples: TimeRange
    count: int
    gap: OpenRange


class Gap(TypedDict):
    """A gap in which a hand is not tracked."""

    side: Side
    range: TimeRange


class FillReport(TypedDict):
    """The gaps that were filled, and the gaps that are too long."""

    filled: list[Gap]
    too_long: list[Gap]


class MatchedMarker(TypedDict):
    """A marker of a recording with its partner on another clock. Times are in seconds.

    `residual` is the time on the other clock minus the time of the fit.
    """

    name: str
    time: float
    clock_time: float
    residual: float


class AlignReport(TypedDict):
    """The fit of `Recording.align`. Times are in seconds, and drifts in parts per million.

    `offset` is the time of the other clock at t = 0 of the recording before, and `zero` at t = 0 of the result. `drift` is None if
    only the offset was fitted, and `drift_error`, its standard error, also for two markers. `unmatched` and `clock_unmatched` are the
    indices of the markers without a partner. `largest_rounding` is the largest error of the new times, which have single precision.
    """

    zero: float
    offset: float
    drift: float | None
    drift_error: float | None
    largest_residual: float
    rms_residual: float
    largest_rounding: float
    matches: list[MatchedMarker]
    unmatched: list[int]
    clock_unmatched: list[int]


class UnnamedTrigger(TypedDict):
    """A trigger without a name, with the number of its markers."""

    trigger: str
    count: int


class NamedTriggers(TypedDict):
    """The number of markers that `Recording.name_triggers` renamed, the triggers that have no name, and the triggers that have a name,
    but no marker."""

    renamed: int
    unnamed: list[UnnamedTrigger]
    unused: list[str]


class Anchor(TypedDict, total=False):
    """The pose of an anchor in the world; what is missing changes nothing."""

    position: Sequence[float]
    rotation: Sequence[float]
    scale: float


class SkippedVector(TypedDict):
    """A vector whose keys `reduce` leaves as they are."""

    curve: str
    reason: str


class DamagedPart(TypedDict):
    """A part of a file that could not be recovered as it was."""

    part: str
    message: str


class _DeviceDifference(TypedDict, total=False):
    #: The profiles and inputs of devices that differ, if there are any.
    inputs: list[dict[str, Any]]
    #: The devices whose haptic pulses differ, if there are any.
    haptics: list[dict[str, Any]]


class Difference(_DeviceDifference):
    """The difference of two recordings. docs/json.md describes it in detail."""

    verdict: Literal["equal", "equivalent", "different"]
    out_of_tolerance: list[str]
    range: TimeRange
    instants: int
    streams: list[dict[str, Any]]
    only_in: list[list[str]]
    uncompared: list[dict[str, Any]]
    ignored: list[str]
    states: list[dict[str, Any]]
    about: list[dict[str, Any]]
    markers: dict[str, Any]
    durations: list[float]
    encoding: dict[str, Any]


class Measure(TypedDict):
    """A measure, or the reason why it has no value."""

    name: str
    value: float | None
    unit: str
    reason: str | None
    damage: list[str]


class EventProperty(TypedDict):
    """A property of an event."""

    name: str
    value: float
    unit: str


class Event(TypedDict):
    """An event of a recording. `start` is its onset, `duration` is 0 for an instant."""

    kind: str
    start: float
    duration: float
    side: Side | None
    name: str | None
    position: list[float] | None
    properties: list[EventProperty]


class _Pulse(TypedDict, total=False):
    #: In seconds, if it is known.
    duration: float
    #: In Hz, if it is known.
    frequency: float
    #: 0 to 1.
    amplitude: float


class Transition(_Pulse):
    """A change during playback. Only haptic pulses have ``duration``, ``frequency`` and ``amplitude``."""

    time: float
    kind: Literal[
        "found",
        "lost",
        "pinch_down",
        "pinch_up",
        "marker",
        "connected",
        "disconnected",
        "profile",
        "press_down",
        "press_up",
        "haptic",
    ]
    side: Side | None
    #: The marker, the device or its input, or the device, a space and its profile.
    name: str | None


class Quantity(TypedDict):
    """The definition of a measure. Its name has placeholders, such as ``{side}.{joint}.speed``; with a distribution, the names of
    measures end with a statistic, such as ``.median``."""

    group: str
    name: str
    unit: str
    has_distribution: bool
    definition: str


Parameters = dict[str, Union[float, bool, str, list[Any], dict[str, Any]]]
"""Parameters of an analysis, by the names in docs/analysis.md: ``{"gaze.idt.dispersion": 1.5}``."""
