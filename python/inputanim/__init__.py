"""Reads, samples, edits, analyses and scans MRTK input animation recordings: head, hands, pinches, gaze and markers.

>>> import inputanim
>>> recording = inputanim.read("samples/wave.bin")
>>> recording
<Recording samples/wave.bin: 4.000 s, mrtk-1.1, 213956 bytes>
>>> recording.curves["head.position.y"]["time"][:2]
array([0.        , 0.03333334], dtype=float32)
>>> samples = recording.sample(rate=30, joints=["Palm", "IndexTip"])
>>> samples.right.position.shape
(121, 2, 3)

Times are seconds, positions are metres, rotations are quaternions x, y, z, w, in Unity's world space: left-handed, +X right, +Y
up, +Z forward. `read` opens one file, `scan` a folder.
"""

from __future__ import annotations

from typing import NamedTuple

from . import _interpreter as _interpreter  # isort: skip  # the first, because the others do not load in a subinterpreter
from . import _native
from ._analysis import Analysis, default_parameters, quantities, read_targets
from ._catalog import Catalog, FailedRecording, catalog
from ._epochs import Epochs, epochs
from ._errors import (
    AnalysisError,
    ConvertError,
    DamageWarning,
    EditError,
    InputanimError,
    InvalidArgument,
    LossWarning,
    OpenXrError,
    ParseError,
    PlaybackError,
    RangeWarning,
    RecordError,
    ScanError,
    StreamNotSampled,
    UnknownOption,
    ViewError,
    WriteError,
)
from ._lerobot import LeRobotDataset, write_lerobot
from ._native import Batch
from ._openxr import Played
from ._options import EpochOptions, PlayOptions, PlotOptions, ProgramOption, SampleOptions, ScanOptions, WriteOptions
from ._packs import Packed, Unpacked, pack, unpack
from ._recorder import DeviceInput, HandInput, PoseInput, RayInput, Recorder, record
from ._recording import (
    BOOLEAN_KEY,
    FULL_KEY,
    SIMPLE_KEY,
    Curves,
    Device,
    Haptic,
    Marker,
    ProfileChange,
    Recording,
    Recovered,
    Written,
    concat,
    read,
    recover,
)
from ._samples import ALL_JOINTS, JOINTS, DeviceSamples, HandSamples, PoseSamples, RaySamples, Samples
from ._scan import (
    Column,
    DamagedFile,
    FileNotice,
    Progress,
    Scan,
    ScanFile,
    SkippedFile,
    Source,
    columns,
    read_arrow,
    read_pandas,
    read_polars,
    scan,
)
from ._types import (
    AlignReport,
    Anchor,
    BoolArray,
    BriefFinding,
    CurveRepair,
    DamagedPart,
    DeviceInfo,
    Difference,
    Event,
    EventProperty,
    FillReport,
    Finding,
    Flags,
    Float32Array,
    Float64Array,
    Gap,
    Gripper,
    HandInfo,
    HandsInfo,
    Info,
    KeyArray,
    KeypointOrder,
    Layout,
    MatchedMarker,
    Measure,
    NamedTriggers,
    OpenRange,
    Parameters,
    PathLike,
    Quantity,
    RepairReport,
    Shape,
    Side,
    SkippedVector,
    Space,
    StreamInfo,
    TimeRange,
    Transition,
    UnknownTime,
    UnnamedTrigger,
    ZeroRun,
)
from ._view import View, save_page

__version__: str = _native.__version__
"""The version of this package."""

LAYOUTS: tuple[str, ...] = tuple(_native.layouts())
"""The names of all layouts."""

SPACES: tuple[str, ...] = tuple(_native.spaces())
"""The names of all spaces."""


class Format(NamedTuple):
    """A format: its name, its extensions, and whether `read` reads it and `Recording.write` writes it."""

    name: str
    extensions: list[str]
    can_read: bool
    can_write: bool


def formats() -> list[Format]:
    """Returns the formats that recordings are converted to or from.

    >>> [format.name for format in formats() if "glb" in format.extensions]
    ['glb']
    """
    return [Format(*format) for format in _native.formats()]


__all__ = [
    "ALL_JOINTS",
    "BOOLEAN_KEY",
    "FULL_KEY",
    "JOINTS",
    "LAYOUTS",
    "SIMPLE_KEY",
    "SPACES",
    "AlignReport",
    "Analysis",
    "AnalysisError",
    "Anchor",
    "Batch",
    "BoolArray",
    "BriefFinding",
    "Catalog",
    "Column",
    "ConvertError",
    "CurveRepair",
    "Curves",
    "DamageWarning",
    "DamagedFile",
    "DamagedPart",
    "DeviceInfo",
    "Device",
    "DeviceInput",
    "DeviceSamples",
    "Difference",
    "EditError",
    "EpochOptions",
    "Epochs",
    "Event",
    "EventProperty",
    "FailedRecording",
    "FileNotice",
    "FillReport",
    "Finding",
    "Flags",
    "Float32Array",
    "Float64Array",
    "Format",
    "Gap",
    "Gripper",
    "HandInfo",
    "HandInput",
    "HandSamples",
    "HandsInfo",
    "Haptic",
    "Info",
    "InputanimError",
    "InvalidArgument",
    "KeyArray",
    "KeypointOrder",
    "Layout",
    "LeRobotDataset",
    "LossWarning",
    "Marker",
    "MatchedMarker",
    "Measure",
    "NamedTriggers",
    "OpenRange",
    "OpenXrError",
    "Packed",
    "Parameters",
    "ParseError",
    "PathLike",
    "PlayOptions",
    "PlaybackError",
    "Played",
    "PlotOptions",
    "PoseInput",
    "PoseSamples",
    "ProfileChange",
    "ProgramOption",
    "Progress",
    "Quantity",
    "RangeWarning",
    "RayInput",
    "RaySamples",
    "RecordError",
    "Recorder",
    "Recording",
    "Recovered",
    "RepairReport",
    "SampleOptions",
    "Samples",
    "Scan",
    "ScanError",
    "ScanFile",
    "ScanOptions",
    "Shape",
    "Side",
    "SkippedFile",
    "SkippedVector",
    "Source",
    "Space",
    "StreamInfo",
    "StreamNotSampled",
    "TimeRange",
    "Transition",
    "UnknownOption",
    "UnknownTime",
    "UnnamedTrigger",
    "Unpacked",
    "View",
    "ViewError",
    "WriteError",
    "WriteOptions",
    "Written",
    "ZeroRun",
    "catalog",
    "columns",
    "concat",
    "default_parameters",
    "epochs",
    "formats",
    "pack",
    "quantities",
    "read",
    "read_arrow",
    "read_pandas",
    "read_polars",
    "read_targets",
    "record",
    "recover",
    "save_page",
    "scan",
    "unpack",
    "write_lerobot",
]
