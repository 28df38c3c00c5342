"""Recordings: the content of one file."""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from . import _native
from ._arguments import array, check_members, checked, checked_methods, did_you_mean, listed, mapping, microseconds, names, names as checked_names, number, numbers, ordered, text, truth, vector, whole
from ._display import escaped, printable, table
from ._errors import InputanimError, InvalidArgument, LossWarning, RangeWarning, warn
from ._json import loads
from ._samples import Samples, sample
from ._types import (
    AlignReport,
    Anchor,
    DamagedPart,
    Difference,
    Event,
    FillReport,
    Finding,
    Float32Array,
    Info,
    KeyArray,
    Layout,
    Measure,
    NamedTriggers,
    Parameters,
    PathLike,
    RepairReport,
    Side,
    SkippedVector,
    Space,
    Transition,
    ZeroRun,
)

if TYPE_CHECKING:
    import matplotlib.figure
    import mne
    import pandas
    import polars
    import pyarrow
    import pymovements
    import xarray
    from typing_extensions import Unpack

    from ._analysis import Analysis
    from ._openxr import Played
    from ._epochs import Epochs
    from ._options import EpochOptions, PlayOptions, PlotOptions, SampleOptions, WriteOptions
    from ._view import View

SIMPLE_KEY = np.dtype([("time", "<f4"), ("value", "<f4")])
"""A simple key, 8 bytes: time in seconds and value."""

BOOLEAN_KEY = SIMPLE_KEY
"""A key of a state, 8 bytes: time in seconds and value. The state is on where the value is above 0.5."""

FULL_KEY = np.dtype(
    [
        ("time", "<f4"),
        ("value", "<f4"),
        ("in_tangent", "<f4"),
        ("out_tangent", "<f4"),
        ("in_weight", "<f4"),
        ("out_weight", "<f4"),
        ("weighted_mode", "<i4"),
    ]
)
"""A full key, 28 bytes: time in seconds, value, tangents in value per second, weights, weighted mode."""

_KEYS = (SIMPLE_KEY, FULL_KEY)



@dataclass(frozen=True)
class Marker:
    """A named instant.

    Attributes:
        time: Time in seconds.
        name: Name.
    """

    time: float
    name: str


def _trigger(trigger: Any) -> str:
    """Returns a trigger as text. EEG software has triggers as numbers."""
    return trigger if isinstance(trigger, str) else str(operator.index(trigger))


def _clock_marker(item: Any) -> tuple[float, str]:
    """Returns the time and the name of a marker, or of a pair."""
    try:
        time, name = (item.time, item.name) if isinstance(item, Marker) else item
        return float(time + 0.0), _trigger(name)
    except (TypeError, ValueError):
        raise InvalidArgument(f"markers: expected a time in seconds and a name, found {item!r}") from None


@lru_cache(maxsize=8)
def _names(head: bool, hand: bool, gaze: bool) -> dict[str, int]:
    return {name: index for index, name in enumerate(_native.curve_names(head, hand, gaze))}


class _UnknownCurve(InvalidArgument, KeyError):
    # Mappings must raise KeyError.
    pass


def _place(places: dict[str, int], name: str) -> int:
    place = places.get(name)
    if place is None:
        similar = did_you_mean(str(name), list(places))
        raise _UnknownCurve(f'unknown curve "{name}"{similar}', hint="list(recording.curves) has the names of the curves")
    return place


@dataclass(frozen=True)
class ProfileChange:
    """A change of the interaction profile of a device.

    Attributes:
        time: Time of the change in seconds.
        active: True if the device is active from this time on.
        profile: The profile, such as ``"/interaction_profiles/valve/index_controller"``; None if it is not known, or the device is
            not active.
    """

    time: float
    active: bool
    profile: str | None


@dataclass(frozen=True)
class Haptic:
    """A haptic pulse that the application asked for: a vibration of a device.

    Attributes:
        time: Time in seconds.
        output: The part of the device that vibrates, such as ``"haptic"``.
        duration: Duration in seconds; None for the shortest that the device has.
        frequency: Frequency in Hz; None if the device chooses it.
        amplitude: Amplitude, 0 to 1; 0 stops a vibration.
    """

    time: float
    output: str
    duration: float | None
    frequency: float | None
    amplitude: float


@dataclass(frozen=True, eq=False)
class Device:
    """A controller, tracker or other device.

    The keys are structured arrays, as in `Recording.curves`. A key of a button is on where its value is above 0.5.

    Attributes:
        name: ``"left.controller"``, ``"right.controller"``, or a name such as ``"tracker.waist"`` or ``"device.gamepad"``.
        profiles: The changes of the interaction profile, in order of time. A device without changes is active at all times, and its
            profile is not known. Otherwise it is not active before the first change.
        poses: The keys of the poses, by the names of poses and channels: ``poses["aim"]["position.x"]``.
        inputs: The keys of the inputs by their names in OpenXR: ``inputs["trigger/value"]``, ``inputs["a/click"]``.
        buttons: The names of the inputs that are on or off.
        haptics: The haptic pulses, in order of time.
    """

    name: str
    profiles: list[ProfileChange]
    poses: dict[str, dict[str, KeyArray]]
    inputs: dict[str, KeyArray]
    buttons: frozenset[str]
    haptics: list[Haptic]

    def __repr__(self) -> str:
        parts = [*self.poses, *self.inputs]
        return f"<Device {self.name}: {', '.join(parts) or 'no poses and inputs'}; {len(self.haptics)} haptic pulses>"


class Curves(Mapping[str, KeyArray]):
    """The curves of a recording by name, in file order, as structured arrays over the bytes of the file. Those of devices follow.

    An array has the fields ``time`` and ``value``, and with full keys also tangents, weights and the weighted mode. It is a
    read-only view: no key is copied.
    """

    __slots__ = ("_native", "_places")

    def __init__(self, native: _native.Recording) -> None:
        _, head, hand, gaze = native.header()
        self._native = native
        self._places = _names(head, hand, gaze)
        devices = native.device_curves()
        if devices:
            self._places = {name: index for index, name in enumerate([*self._places, *devices])}

    def __getitem__(self, name: str) -> KeyArray:
        return self._native.keys(_place(self._places, name), _KEYS)

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def arrays(self) -> dict[str, KeyArray]:
        """Returns all curves at once, which is faster than one by one."""
        return dict(zip(self._places, self._native.all_keys(_KEYS)))

    def __eq__(self, other: object) -> bool:
        """Returns whether other curves have the same names, and keys of the same bytes."""
        if not isinstance(other, Curves):
            return NotImplemented
        if self._native.bytes == other._native.bytes and self._native.device_bytes() == other._native.device_bytes():
            return True
        ours, theirs = self.arrays(), other.arrays()
        return list(ours) == list(theirs) and all(
            keys.dtype == theirs[name].dtype and keys.tobytes() == theirs[name].tobytes() for name, keys in ours.items()
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restored_curves, (self._native.bytes, self._native.device_bytes()))

    def __copy__(self) -> Curves:
        return self

    def __deepcopy__(self, memo: object) -> Curves:
        return self

    def __repr__(self) -> str:
        return f"<Curves: {len(self)}>"


@dataclass(frozen=True)
class Written:
    """The result of a conversion to or from another format.

    Attributes:
        losses: Content that the format cannot represent.
        notes: Other properties of the conversion.
    """

    losses: list[str]
    notes: list[str]


def _parts(native: _native.Recording) -> tuple[list[tuple[str, list[tuple[float, float]]]], dict[str, str], bytes]:
    """Returns the parts of a recording that the bytes of a file cannot hold."""
    return native.gaps(), native.about(), native.device_bytes()


def _restored(
    content: bytes,
    gaps: list[tuple[str, list[tuple[float, float]]]],
    about: dict[str, str],
    path: str | None,
    conversion: Written,
    devices: bytes = b"",
) -> Recording:
    """Returns a recording that was pickled."""
    recording = Recording(content, no_limits=True)
    if gaps:
        recording = recording.with_gaps(dict(gaps))
    if about:
        recording = recording.with_about(about)
    if devices:
        recording = Recording._of(recording._native.with_devices(devices))
    recording._path = path
    recording._conversion = conversion
    return recording


def _restored_curves(content: bytes, devices: bytes = b"") -> Curves:
    """Returns curves that were pickled."""
    return Curves(_native.Recording(content, True).with_devices(devices))


@checked_methods
class Recording:
    """A recording of XR input: head, two hands of 27 joints, pinches, gaze and markers.

    Recordings never change: an edit returns another recording. `read` opens a file, and `Recorder` and `record` make recordings
    from frames and arrays. Two recordings are equal if their files, gaps, texts and devices are equal.

    Args:
        content: The bytes of a file. They are not copied.

    Raises:
        ParseError: The bytes are not a well-formed recording.
    """

    __slots__ = ("_conversion", "_curves", "_native", "_path", "_warned")

    def __init__(self, content: bytes, *, no_limits: bool = False) -> None:
        self._native = _native.Recording(bytes(content), truth("no_limits", no_limits))
        self._curves: Curves | None = None
        self._path: str | None = None
        self._warned: set[str] = set()
        self._conversion = Written([], [])

    @classmethod
    def _of(cls, native: _native.Recording) -> Recording:
        recording = cls.__new__(cls)
        recording._native = native
        recording._curves = None
        recording._path = None
        recording._warned = set()
        recording._conversion = Written([], [])
        return recording

    def _warn_of(self, damage: Iterable[tuple[str, str, bool]]) -> None:
        """Warns of kinds of damage. Each kind gives one warning."""
        for code, meaning, is_repaired in damage:
            if code not in self._warned:
                self._warned.add(code)
                name = "the recording" if self._path is None else printable(self._path)
                hint = "; repair() corrects it" if is_repaired else ""
                warn(f"{name}: {code}: {meaning}{hint}")

    # The content.

    @property
    def conversion(self) -> Written:
        """Losses and notes of the conversion, if the recording was read from a file of another format."""
        return self._conversion

    def to_bytes(self) -> bytes:
        """Returns the bytes of a file of MRTK, without a copy.

        Such a file cannot hold `gaps`: the last values are held there, and a `LossWarning` names the times. It cannot hold
        `devices`: a `LossWarning` for each of them names the lost content. It cannot hold `about` either.
        """
        content, (_, _, warnings) = self._native.mrtk_bytes()
        for loss in warnings:
            warn(loss, LossWarning)
        return content

    def __bytes__(self) -> bytes:
        return self.to_bytes()

    @property
    def gaps(self) -> dict[str, list[tuple[float, float]]]:
        """The times at which values are unknown, as (start, end) in seconds, by the name of their element.

        A name is ``"head"``, ``"gaze"``, a joint such as ``"left.Palm"``, or ``"left.tracked"`` for everything about a hand. Devices have
        ``"right.controller.aim"``, ``"right.controller.trigger.value"``, and ``"right.controller.profile"`` for
        everything about the device. A gap is the time between two known samples. It starts at ``-inf`` if the value is unknown from the start, and ends at ``inf`` if
        it is unknown until the end.
        """
        return dict(self._native.gaps())

    def with_gaps(self, gaps: Mapping[str, Iterable[tuple[float, float]]]) -> Recording:
        """Returns the recording with other gaps, in the form of `gaps`.

        Raises:
            InvalidArgument: A name is unknown, or a gap does not end after its start.
        """
        listed = [(name, list(ranges)) for name, ranges in mapping("gaps", gaps).items()]
        return Recording._of(self._native.with_gaps(listed))

    @property
    def about(self) -> dict[str, str]:
        """Texts about the recording by their names.

        The names ``"task"``, ``"device"``, ``"system"`` (the tracking system), ``"program"`` and ``"format"`` have a fixed meaning.
        Sources may state others, such as ``"user.id"``. A text that the source does not state is absent.
        """
        return self._native.about()

    def with_about(self, about: Mapping[str, str]) -> Recording:
        """Returns the recording with other texts, in the form of `about`. Empty texts are left out."""
        texts = {str(text("name", name)): str(text("text", value) or "") for name, value in mapping("about", about).items()}
        return Recording._of(self._native.with_about(texts))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Recording):
            return False
        ours, theirs = self._native, other._native
        return ours.bytes == theirs.bytes and _parts(ours) == _parts(theirs)

    def __hash__(self) -> int:
        return hash(self._native.bytes)

    def __reduce__(self) -> tuple[Any, ...]:
        native = self._native
        gaps, about, devices = _parts(native)
        return (_restored, (native.bytes, gaps, about, self._path, self._conversion, devices))

    def __copy__(self) -> Recording:
        # A recording never changes.
        return self

    def __deepcopy__(self, memo: object) -> Recording:
        return self

    def __repr__(self) -> str:
        name = "" if self._path is None else f" {printable(self._path)}"
        return f"<Recording{name}: {self.duration:.3f} s, {self.layout}, {len(self._native.bytes)} bytes>"

    @property
    def path(self) -> str | None:
        """The path of the file that was read; None for a recording from memory or from an edit."""
        return self._path

    @property
    def layout(self) -> str:
        """The layout, such as ``"mrtk-1.1"``."""
        return self._native.header()[0]

    @property
    def streams(self) -> tuple[str, ...]:
        """The streams of the file: ``head``, ``hands``, ``gaze``. They may have no keys."""
        _, *has = self._native.header()
        return tuple(name for name, is_there in zip(("head", "hands", "gaze"), has) if is_there)

    @property
    def duration(self) -> float:
        """The end in seconds: the latest key time, or the end of a haptic pulse if it is later. MRTK plays a file, which has no
        devices, until this time."""
        return self._native.duration()

    @property
    def time_range(self) -> tuple[float, float]:
        """The first and the last key time in seconds; (0, 0) without keys. Files of MRTK 1.0 can begin before 0."""
        return self._native.range()

    @property
    def markers(self) -> list[Marker]:
        """The markers in the order of the file."""
        return [Marker(time, name) for time, name in self._native.markers()]

    @property
    def curves(self) -> Curves:
        """The curves by name, as zero-copy structured arrays: ``recording.curves["head.position.y"]["value"]``."""
        if self._curves is None:
            self._curves = Curves(self._native)
        return self._curves

    @property
    def devices(self) -> dict[str, Device]:
        """The controllers, trackers and other devices by their names.

        ``recording.devices["right.controller"].inputs["trigger/value"]`` has the keys of a trigger, and
        ``recording.devices.get("right.controller")`` is None if the recording does not have this controller. A file of MRTK cannot
        hold devices.
        """
        curves = self.curves

        def device(
            name: str,
            profiles: list[tuple[float, bool, str | None]],
            poses: list[str],
            inputs: list[tuple[str, bool]],
            haptics: list[tuple[float, str, float | None, float | None, float]],
        ) -> Device:
            def pose(pose: str) -> dict[str, KeyArray]:
                channels = [f"position.{axis}" for axis in "xyz"] + [f"rotation.{axis}" for axis in "xyzw"]
                return {channel: curves[f"{name}.{pose}.{channel}"] for channel in channels}

            return Device(
                name,
                [ProfileChange(*change) for change in profiles],
                {name: pose(name) for name in poses},
                {input: curves[f"{name}.{input.replace('/', '.')}"] for input, _ in inputs},
                frozenset(input for input, is_button in inputs if is_button),
                [Haptic(*pulse) for pulse in haptics],
            )

        return {found[0]: device(*found) for found in self._native.devices()}

    def wrap_modes(self, curve: str) -> tuple[int, int]:
        """Returns the numbers of the wrap modes before the first and after the last key: 1 Once, 2 Loop, 4 PingPong, 8
        ClampForever."""
        return self._native.wrap(_place(self.curves._places, curve))

    def key_times(self) -> Float32Array:
        """Returns the times of all keys of all curves in seconds, sorted, without duplicates."""
        return np.frombuffer(self._native.key_times(), np.float32)

    # Description.

    @property
    def info(self) -> Info:
        """Statistics: layout, duration, streams, rates, gaps and states."""
        info: Info = loads(self._native.info())
        return info

    @property
    def findings(self) -> list[Finding]:
        """Damage and unusual content with explanations, the most severe first. docs/findings.md lists the codes."""
        findings: list[Finding] = loads(self._native.findings())
        return findings

    def transitions(self) -> list[Transition]:
        """Returns the events that a player reports: hands found and lost, pinches, markers, and changes of devices."""
        transitions: list[Transition] = loads(self._native.transitions())
        return transitions

    def shared_end(self) -> float | None:
        """Returns the time in seconds up to which all streams have keys, if some streams end earlier than others.

        ``recording.trim(end=recording.shared_end())`` removes the frozen end that MRTK 1.1 writes.
        """
        return self._native.shared_end()

    # Sampling.

    def sample(
        self,
        rate: float | None = None,
        *,
        times: npt.ArrayLike | Literal["keys"] | None = None,
        start: float | None = None,
        end: float | None = None,
        joints: Sequence[str] | None = None,
        streams: Sequence[str] | None = None,
        space: Space | str = "unity",
        raw: bool = False,
        untracked: bool = False,
        no_limits: bool = False,
    ) -> Samples:
        """Evaluates the recording at a rate or at given times.

        Args:
            rate: Samples per second; 60 by default.
            times: Times in seconds instead of a rate, or ``"keys"`` for all times at which a curve has a key.
            start: First time in seconds; 0 by default. Bounds beyond the recording are limited to it.
            end: Last time in seconds; the duration by default.
            joints: Names of joints, the axis ``joint`` of the result; `JOINTS` by default. Few joints are faster.
            streams: Any of ``head``, ``left``, ``right``, ``gaze`` and names of devices, such as ``right.controller``; all by default.
            space: Axes: ``unity``, ``openxr``, ``webxr``, ``gltf``, ``blender`` or ``usd``.
            raw: Rotations as MRTK evaluates them: by component, without normalising.
            untracked: Returns joints even while their hand is not tracked.
            no_limits: Lifts the limit of 4 GiB of samples. A damaged file may have a duration of years.

        Returns:
            Arrays of shape (time, joint, 3 or 4). Values are equal to the values of the program, to the last bit.

        Raises:
            PlaybackError: The time of a key is NaN.
            InvalidArgument: A name is unknown, or the time range ends before it starts or is outside the recording, or
                there would be more than 4 GiB of samples.
        """
        no_limits = truth("no_limits", no_limits)
        if rate is not None and times is not None:
            raise InvalidArgument("expected either a rate or times, found both")
        if times is None:
            # The native module refuses NaN, because it knows the limits of the rate for its message.
            given = 60.0 if rate is None else rate
            rate = float(given) if isinstance(given, float) and math.isnan(given) else number("rate", given)
            instants = np.frombuffer(self._native.times_at(start, end, 60.0 if rate is None else rate, no_limits), np.float32)
        else:
            # Only a string is compared with "keys", because comparing an array would be slow and ambiguous.
            if isinstance(times, str):
                if times != "keys":
                    raise InvalidArgument(f'unknown times "{times}"; expected numbers or "keys"')
                instants = self.key_times()
            else:
                instants = array("times", times).reshape(-1)
            if start is not None or end is not None:
                first, last = ordered(start, end)
                instants = instants[(instants >= first) & (instants <= last)]
        named = _native.space_name(text("space", space) or "unity")
        samples = sample(self._native, instants, joints, streams, named, raw, untracked, rate, no_limits)
        chosen = [None if given is None else names(name, given) for name, given in (("streams", streams), ("joints", joints))]
        self._warn_of(self._native.damage(*chosen))
        return samples

    def to_pandas(self, rate: float | None = None, **options: Unpack[SampleOptions]) -> pandas.DataFrame:
        """Returns samples as a wide data frame of pandas. It has the options of `sample`."""
        return self.sample(rate, **options).to_pandas()

    def to_polars(self, rate: float | None = None, **options: Unpack[SampleOptions]) -> polars.DataFrame:
        """Returns samples as a wide data frame of Polars. It has the options of `sample`."""
        return self.sample(rate, **options).to_polars()

    def to_arrow(self, rate: float | None = None, **options: Unpack[SampleOptions]) -> pyarrow.Table:
        """Returns samples as a wide table of pyarrow. It has the options of `sample`."""
        return self.sample(rate, **options).to_arrow()

    def to_xarray(self, rate: float | None = None, **options: Unpack[SampleOptions]) -> xarray.Dataset:
        """Returns samples as a dataset of xarray. It has the options of `sample`."""
        return self.sample(rate, **options).to_xarray()

    def to_movement(self, rate: float | None = None, **options: Unpack[SampleOptions]) -> xarray.Dataset:
        """Returns the joints of the hands as a dataset of poses for the package `movement`; see `Samples.to_movement`. The
        options are those of `sample`."""
        options.setdefault("streams", ["left", "right"])
        dataset = self.sample(rate, **options).to_movement()
        return dataset if self._path is None else dataset.assign_attrs(source_file=self._path)

    def to_pymovements(
        self,
        rate: float = 100,
        *,
        relative_to: Literal["world", "head"] = "world",
        start: float | None = None,
        end: float | None = None,
    ) -> pymovements.Gaze:
        """Returns the gaze as a `Gaze` of the package `pymovements`; see `Samples.to_pymovements`.

        Args:
            rate: Samples per second; 100 by default. The detector I-DT of `pymovements` needs a whole number of milliseconds
                between samples, which 60 Hz does not have.
            relative_to: ``"world"`` includes movements of the head, ``"head"`` is the direction of the eyes in the head.
            start: First time in seconds; 0 by default.
            end: Last time in seconds; the duration by default.

        Raises:
            ConvertError: The recording has no gaze, or no head for ``relative_to="head"``.
        """
        samples = self.sample(rate, start=start, end=end, streams=["head", "gaze"])
        return samples.to_pymovements(relative_to=relative_to, markers=self.markers)

    def to_mne(
        self,
        rate: float | None = None,
        *,
        like: mne.io.BaseRaw | None = None,
        annotate_unknown: bool = False,
        parameters: Parameters | None = None,
        **options: Unpack[SampleOptions],
    ) -> mne.io.RawArray:
        """Returns samples as a `RawArray` of the package `mne`, with the events as annotations; see `Samples.to_mne`.

        With `like`, which is an EEG, the result has the samples of the EEG: ``like.add_channels([result], force_update_info=True)`` joins both.
        Its first sample and date are those of the EEG. Samples before and after the recording are NaN.

        Args:
            rate: Samples per second; 60 by default.
            like: The EEG whose sample times, first sample and date the result gets. The times in the recording of its samples are ``like.times``,
                so that t = 0 is its first sample, or the option ``times``, if the samples of the EEG have other times: one for each of them, in order.
            annotate_unknown: Adds annotations such as ``BAD_unknown/right`` where values are unknown.
            parameters: Parameters of the events by the names in docs/analysis.md.
            **options: The options of `sample`.
        """
        events = self.events(parameters)
        if like is None:
            return self.sample(rate, **options).to_mne(events, annotate_unknown=annotate_unknown)
        if rate is not None or options.get("start") is not None or options.get("end") is not None:
            raise InvalidArgument("the samples of `like` have a rate and a time range; expected no others")
        given = options.get("times")
        times = np.asarray(like.times if given is None else given, np.float64)
        if times.shape != (like.n_times,) or not (np.diff(times) > 0).all():
            raise InvalidArgument(f"times: expected {like.n_times} increasing times, one for each sample of `like`, found {given!r}")
        options["times"] = times
        samples = self.sample(**options)
        keys = self.key_times()
        known = (float(keys[0]), float(keys[-1])) if len(keys) else (math.inf, -math.inf)
        return samples._to_mne(like.info["sfreq"], times, events, annotate_unknown, like, known)

    # Comparison and analysis.

    def diff(
        self,
        other: Recording,
        *,
        position: float | None = None,
        rotation: float | None = None,
        timing: float | None = None,
        duration: float | None = None,
        input: float | None = None,
        start: float | None = None,
        end: float | None = None,
        between_keys: int = 1,
        joints: Sequence[str] = (),
        exclude: Sequence[str] = (),
        markers: Sequence[str] = (),
        exclude_markers: Sequence[str] = (),
    ) -> Difference:
        """Compares the playback of two recordings.

        Args:
            other: The other recording.
            position: Largest distance in metres that counts as the same; 0.001 by default.
            rotation: Largest angle in degrees that counts as the same; 0.2 by default.
            timing: Largest difference in seconds of changes of states and of markers that counts as the same; 0.001 by
                default.
            duration: Largest difference in seconds of the durations that counts as the same; by default as `timing`.
            input: Largest difference of inputs with numbers that counts as the same, such as triggers (0 to 1); 0.001 by default.
            start: Start of the compared time range in seconds.
            end: End of the compared time range in seconds.
            between_keys: Number of compared instants between two key times.
            joints: Names of streams and joints; all by default.
            exclude: Names of streams and joints that are not compared.
            markers: Names of markers that are compared; all by default. ``*`` stands for any characters, and ``?`` for one.
            exclude_markers: Names of markers that are not compared; ``"*"`` is all.

        Raises:
            PlaybackError: A recording cannot be played.
        """
        found: Difference = loads(
            self._native.diff(
                _native_of(other),
                position=position,
                rotation=rotation,
                timing=timing,
                duration=duration,
                input=input,
                start=start,
                end=end,
                between_keys=between_keys,
                joints=names("joints", joints),
                exclude=names("exclude", exclude),
                markers=names("markers", markers),
                exclude_markers=names("exclude_markers", exclude_markers),
            )
        )
        return found

    def analyse(self, parameters: Parameters | None = None) -> Analysis:
        """Analyses the recording: measures of any time range, events, series and figures.

        Args:
            parameters: Parameters by the names in docs/analysis.md, such as ``{"movements.start_speed": 0.2}``.
        """
        from ._analysis import Analysis

        return Analysis(self, parameters)

    def measures(
        self,
        *,
        start: float | None = None,
        end: float | None = None,
        measures: Sequence[str] = (),
        parameters: Parameters | None = None,
    ) -> list[Measure]:
        """Returns measures of a time range in seconds, or of the complete recording; see `Analysis.measures`.

        The measures of segments are the rows of ``scan(recording, "measures", segments="markers")``.
        """
        return self.analyse(parameters).measures(start, end, measures=measures)

    def events(self, parameters: Parameters | None = None, *, kinds: Sequence[str] = ()) -> list[Event]:
        """Returns events: markers, tracking, movements, pinches, fixations, saccades and damage; all kinds by default."""
        return self.analyse(parameters).events(kinds=kinds)

    def epochs(self, **options: Unpack[EpochOptions]) -> Epochs:
        """Returns samples around events, or in other segments, as one array; it has the options of the function `epochs`."""
        from ._epochs import epochs

        return epochs(self, **options)

    # Edits.

    def repair(self) -> tuple[Recording, RepairReport]:
        """Repairs damage by MRTK, and keys that prevent playback. Undamaged curves keep their bytes.

        Returns:
            The repaired recording, and a report of the changes and of the remaining findings.
        """
        native, report = self._native.repair()
        changes: RepairReport = loads(report)
        return Recording._of(native), changes

    def forget_zeros(self) -> tuple[Recording, list[ZeroRun]]:
        """Makes poses and gaze of zeros unknown: some trackers write them while they have lost an object.

        A pose of zeros has the position (0, 0, 0), and the identity or four zeros as rotation; a gaze has the direction (0, 0, 0).
        It becomes unknown from the sample before to the sample after, see `gaps`. A stream that has only zeros stays as it is.

        Returns:
            The recording, and the runs of zeros.
        """
        native, report = self._native.forget_zeros()
        runs: list[ZeroRun] = loads(report)
        return Recording._of(native), runs

    def trim(self, start: float | None = None, end: float | None = None, *, keep_times: bool = False) -> Recording:
        """Keeps a time range in seconds. Its start becomes 0 unless `keep_times` is true."""
        return Recording._of(self._native.trim(start, end, keep_times))

    def split(
        self,
        times: Sequence[float] | None = None,
        *,
        parts: int | None = None,
        at: Literal["gaps", "markers"] | None = None,
        hand: Side | None = None,
    ) -> list[Recording]:
        """Divides at times in seconds, into equal parts, in the middle of gaps of tracking, or at markers; into at most 10,000
        parts. The start of each part becomes 0.

        Args:
            times: Times in seconds.
            parts: Number of parts of equal length.
            at: ``"gaps"`` or ``"markers"``.
            hand: The hand whose gaps are used; by default, the gaps in which neither hand is tracked.
        """
        if [times is not None, parts is not None, at is not None].count(True) != 1:
            raise InvalidArgument("expected exactly one of times, parts and at")
        if parts is not None:
            times = self._native.equal_times(whole("parts", parts, most=2**32 - 1))
        elif at == "gaps":
            times = self._native.gap_times(hand)
        elif at == "markers":
            times = [marker.time for marker in self.markers if math.isfinite(marker.time)]
        elif at is not None:
            raise InvalidArgument(f'unknown at="{at}"; expected gaps or markers')
        hint = None
        if isinstance(times, int) and times > 0:
            hint = f"split(parts={times}) divides into {times} equal parts"
        elif isinstance(times, float):
            hint = f"split([{times}]) divides at one time"
        found = numbers("times", [] if times is None else times, hint)
        return [Recording._of(part) for part in self._native.split(found)]

    def repeat(self, times: int, *, gap: float | None = None, blend: float | None = None) -> Recording:
        """Repeats the recording at most 10,000 times, with a gap or a blend of some seconds between repetitions; see `concat`.

        Raises:
            InvalidArgument: The number is out of range, or the result would have more than 4 GiB.
        """
        return Recording._of(self._native.repeat(whole("times", times, most=2**32 - 1), gap=gap, blend=blend))

    def shift(self, seconds: float) -> Recording:
        """Moves all keys and markers by seconds."""
        return Recording._of(self._native.shift(seconds))

    def retime(self, speed: float | None = None, *, duration: float | None = None) -> Recording:
        """Changes the speed by a factor, or so that the recording lasts `duration` seconds."""
        return Recording._of(self._native.retime(speed, duration))

    def align(
        self,
        markers: Recording | Iterable[Marker | tuple[float, str]],
        *,
        names: Sequence[str] = (),
        zero: float = 0.0,
        tolerance: float | None = None,
        max_drift: float | None = None,
        offset: tuple[float, float] | None = None,
        offset_only: bool = False,
    ) -> tuple[Recording, AlignReport]:
        """Changes all times to those of another clock, by markers that both have.

        A marker of the recording and a marker of the other clock with the same name are the same event. Offset and drift of the
        clocks are fitted to these events by least squares. Markers are matched by name, and so that the intervals between them agree, so
        a missing marker does not shift the matches after it.

        Args:
            markers: Markers on the other clock: another recording, or times in seconds with names, such as
                ``zip(raw.annotations.onset, raw.annotations.description)`` of MNE.
            names: Names of the markers that are compared; all common names by default. ``*`` stands for any characters, and ``?`` for one.
            zero: Time in seconds on the other clock that becomes t = 0.
            tolerance: Largest distance of two equal markers after the alignment in seconds; 0.05 by default.
            max_drift: Largest drift of the clocks in parts per million; 1000 by default.
            offset: Smallest and largest time in seconds on the other clock at t = 0 of the recording, if it is known approximately.
            offset_only: Corrects only the offset of the clocks and no drift.

        Returns:
            The recording, and a report of the fit.

        Raises:
            EditError: No marker is common, several alignments are possible, or the drift is too large.
        """
        given = markers.markers if isinstance(markers, Recording) else markers
        native, report = self._native.align(
            [_clock_marker(item) for item in listed("markers", given, "markers, or pairs of a time and a name")],
            names=checked_names("names", names),
            zero=zero,
            tolerance=tolerance,
            max_drift=max_drift,
            offset=offset,
            offset_only=offset_only,
        )
        fit: AlignReport = loads(report)
        return Recording._of(native), fit

    def mirror(self, across: Literal["head", "world"] = "head") -> Recording:
        """Reflects everything, so that left becomes right: across the vertical plane through the head at t = 0, or across
        x = 0 (``"world"``). Controllers, and trackers, inputs and outputs with the words left and right in their names, are
        exchanged, and the x axes of thumbsticks change their sign. The buttons a and b of a right controller become x and y of a
        left one if its profile has them."""
        return Recording._of(self._native.mirror(across))

    def smooth(
        self,
        *,
        min_cutoff: float | None = None,
        beta: float | None = None,
        rotation_beta: float | None = None,
        derivative_cutoff: float | None = None,
        joints: Sequence[str] = (),
        exclude: Sequence[str] = (),
    ) -> Recording:
        """Smooths poses with a One Euro filter. docs/smoothing.md describes the parameters.

        The recorded velocities of a device do not belong to its smoothed poses. They are removed, with a `LossWarning`.

        Args:
            min_cutoff: Cutoff at rest in Hz; 1 by default.
            beta: Increase of the cutoff in Hz per metre per second; 80 by default.
            rotation_beta: Increase of the cutoff in Hz per radian per second; 8 by default.
            derivative_cutoff: Cutoff of the speed in Hz; 1 by default.
            joints: Names of streams and joints; all by default.
            exclude: Names of streams and joints that are not smoothed.
        """
        smoothed, losses = self._native.smooth(
            min_cutoff=min_cutoff,
            beta=beta,
            rotation_beta=rotation_beta,
            derivative_cutoff=derivative_cutoff,
            joints=names("joints", joints),
            exclude=names("exclude", exclude),
        )
        for loss in losses:
            warn(loss, LossWarning)
        return Recording._of(smoothed)

    def transform(
        self,
        *,
        origin: Literal["head", "floor", "pose"] | None = None,
        scale: float | None = None,
        yaw: float | None = None,
        rotate: Sequence[float] | None = None,
        move: Sequence[float] | None = None,
        anchor: Anchor | None = None,
        inverse: bool = False,
    ) -> Recording:
        """Scales, rotates and moves everything. The steps are applied in the order of the arguments.

        Args:
            origin: Moves the head at t = 0 to the origin: its position and heading (``"head"``), the point on the floor below it
                (``"floor"``), or its complete pose (``"pose"``).
            scale: Factor.
            yaw: Degrees about the vertical axis, clockwise seen from above.
            rotate: Quaternion x, y, z, w about the origin.
            move: Metres along x, y, z.
            anchor: Pose of the anchor to whose space the recording is relative; the result is in the space of the world.
            inverse: Applies the inverse of all steps.
        """
        native = self._native.transform(
            origin=origin,
            scale=scale,
            yaw=yaw,
            rotate=None if rotate is None else vector("rotate", rotate, 4),
            move_by=None if move is None else vector("move", move, 3),
            anchor=None if anchor is None else _anchor(anchor),
            inverse=truth("inverse", inverse),
        )
        return Recording._of(native)

    def select(
        self,
        *joints: str,
        exclude: Sequence[str] = (),
        markers: Sequence[str] = (),
        exclude_markers: Sequence[str] = (),
    ) -> Recording:
        """Keeps streams, joints and markers, and removes the others: ``recording.select("head", "right.Index*")``.

        Names are ``head``, ``gaze``, ``left``, ``right``, ``left.Palm``, ``Palm`` for both hands, and patterns.

        Args:
            *joints: Names to keep; all by default.
            exclude: Names to remove.
            markers: Names of markers to keep; all by default. ``*`` stands for any characters, and ``?`` for one.
            exclude_markers: Names of markers to remove, such as ``"FPS"``; ``"*"`` is all.

        Warns:
            RangeWarning: No marker has one of the names.
        """
        selected, unmatched = self._native.select(
            joints=names("joints", joints),
            exclude=names("exclude", exclude),
            markers=names("markers", markers),
            exclude_markers=names("exclude_markers", exclude_markers),
        )
        for name in unmatched:
            warn(f"no marker matches {name!r}", RangeWarning)
        return Recording._of(selected)

    def resample(self, rate: float, *, no_limits: bool = False) -> Recording:
        """Replaces the keys of all poses by keys at a constant rate in Hz.

        Args:
            rate: Keys per second.
            no_limits: Lifts the limit of 4 GiB of keys. A damaged file may have a duration of years.
        """
        return Recording._of(self._native.resample(rate, truth("no_limits", no_limits)))

    def fill(
        self,
        method: Literal["interpolate", "hold", "drop"] = "interpolate",
        *,
        max_length: float | None = None,
        hand: Side | None = None,
    ) -> tuple[Recording, FillReport]:
        """Fills the gaps in which a hand is not tracked.

        Args:
            method: Interpolates, holds the last pose, or holds it while the hand stays untracked (``"drop"``).
            max_length: Longest gap to fill in seconds; 0.5 by default, and any length for ``"drop"``.
            hand: Only this hand.

        Returns:
            The recording, and a report of all gaps.
        """
        native, report = self._native.fill(method, max_length, hand)
        gaps: FillReport = loads(report)
        return Recording._of(native), gaps

    def reduce(
        self,
        *,
        position: float | None = None,
        rotation: float | None = None,
        head_position: float | None = None,
        head_rotation: float | None = None,
        gaze_origin: float | None = None,
        gaze_direction: float | None = None,
        point: float | None = None,
        input: float | None = None,
        method: Literal["one-pass", "optimal", "mrtk"] = "one-pass",
        partition: int | None = None,
        tangents: bool = False,
    ) -> tuple[Recording, list[SkippedVector]]:
        """Removes keys that interpolation can reproduce within error bounds. A recording that would not become smaller stays as
        it is.

        Args:
            position: Largest error of positions in metres; by default 0.001 for joints, 0.002 for head and gaze.
            rotation: Largest error of rotations in degrees; 0.2 by default.
            head_position: Largest error of the position of the head; by default as `position`.
            head_rotation: Largest error of the rotation of the head; by default as `rotation`.
            gaze_origin: Largest error of the origin of the gaze; by default as `position`.
            gaze_direction: Largest error of the direction of the gaze; by default as `rotation`.
            point: Largest error in metres of points 3 cm from a joint, which move and turn with it; no bound by default.
            input: Largest error of inputs with numbers, such as triggers (0 to 1) and axes (-1 to 1); 0.001 by default.
            method: One pass, the smallest number of keys, which takes several times as long, or the method of MRTK.
            partition: Samples in a partition of the method of MRTK; 32 by default.
            tangents: Allows cubic curves, in layouts with full keys.

        Returns:
            The recording, and the vectors that were skipped.
        """
        native, report = self._native.reduce(
            position=position,
            rotation=rotation,
            head_position=head_position,
            head_rotation=head_rotation,
            gaze_origin=gaze_origin,
            gaze_direction=gaze_direction,
            point=point,
            input=input,
            method=method,
            partition=partition,
            tangents=tangents,
        )
        skipped: list[SkippedVector] = loads(report)
        return Recording._of(native), skipped

    def add_marker(self, time: float, name: str) -> Recording:
        """Adds a marker at a time in seconds."""
        return Recording._of(self._native.add_marker(time, name))

    def remove_marker(self, index: int) -> Recording:
        """Removes the marker at an index of `markers`."""
        return Recording._of(self._native.remove_marker(index))

    def rename_marker(self, index: int, name: str) -> Recording:
        """Renames the marker at an index of `markers`."""
        return Recording._of(self._native.rename_marker(index, name))

    def name_triggers(self, names: Mapping[str | int, str]) -> tuple[Recording, NamedTriggers]:
        """Renames the markers that are triggers, such as those of an EEG.

        Args:
            names: Names by triggers: ``{11: "start", "S  2": "stop"}``.

        Returns:
            The recording, and the triggers without a name, which keep their number.
        """
        pairs: dict[str, str] = {}
        for trigger, name in mapping("names", names).items():
            try:
                pairs[_trigger(trigger)] = _trigger(name)
            except TypeError:
                raise InvalidArgument(f"names: expected a trigger with its name, found {trigger!r}: {name!r}") from None
        native, report = self._native.name_triggers(pairs)
        named: NamedTriggers = loads(report)
        return Recording._of(native), named

    def move_marker(self, index: int, time: float) -> Recording:
        """Moves the marker at an index of `markers` to a time in seconds."""
        return Recording._of(self._native.move_marker(index, time))

    def with_layout(self, layout: Layout, *, allow_loss: bool = False) -> Recording:
        """Returns the recording in another layout.

        Args:
            layout: The layout.
            allow_loss: Drops what the layout cannot represent.

        Raises:
            WriteError: The layout cannot represent the recording.
            EditError: The layout would hide damage: repair the recording first.
        """
        return Recording._of(self._native.with_layout(layout, allow_loss)[0])

    # Writing.

    def write_bytes(
        self,
        format: str,
        *,
        layout: Layout | None = None,
        allow_loss: bool = False,
        rate: float | None = None,
        times: Literal["keys"] | None = None,
        space: Space | None = None,
        shape: Literal["wide", "tidy", "keys"] | None = None,
        markers: bool = False,
        start: float | None = None,
        end: float | None = None,
        labels: Mapping[str, str] | None = None,
        source: str | None = None,
        clip_name: str | None = None,
        hand: Side | None = None,
        scale: float | None = None,
        start_time: datetime | None = None,
        no_limits: bool = False,
    ) -> tuple[bytes, Written]:
        """Returns the bytes of a file in another format; `formats` lists the formats, and docs/convert.md describes them.

        An option that has no effect on the format is an error. Losses give a `LossWarning`, unless `allow_loss` is true.

        Args:
            format: Name, such as ``"glb"``.
            layout: Layout of bin and json, and of the keys of glTF.
            allow_loss: Drops what the layout cannot represent.
            rate: Samples per second, for formats of samples; 60 by default.
            times: ``"keys"`` for the times of keys instead of a rate.
            space: Axes of tables and of XDF.
            shape: Shape of tables.
            markers: Writes markers as rows of wide text tables.
            start: First time in seconds.
            end: Last time in seconds.
            labels: Columns with the same text in every row of a table.
            source: Name of the recording in tables.
            clip_name: Name of the clip or capture of Unity.
            hand: Hand of BVH.
            scale: Units per metre of BVH; 100 by default.
            start_time: Time of t = 0 in MCAP, Isaac Capture and XDF, with a time zone; 1970-01-01T00:00:00Z by default.
            no_limits: Lifts the limit of 4 GiB of samples and of output. A damaged file may have a duration of years.
        """
        if times not in (None, "keys"):
            raise InvalidArgument(f'unknown times "{times}"; expected "keys"')
        content, (losses, notes, warnings), damage = _native.export(
            self._native,
            text("format", format) or "",
            layout=layout,
            allow_loss=allow_loss,
            rate=rate,
            keys=times == "keys",
            space=space,
            shape=shape,
            markers=markers,
            start=start,
            end=end,
            labels=[] if labels is None else list(mapping("labels", labels).items()),
            source=None if source is None else printable(text("source", source) or ""),
            clip_name=clip_name,
            hand=hand,
            scale=scale,
            start_time=None if start_time is None else microseconds("start_time", start_time),
            no_limits=truth("no_limits", no_limits),
        )
        self._warn_of(damage)
        # Losses that the caller allows need no warning.
        for loss in [] if allow_loss else warnings:
            warn(loss, LossWarning)
        return content, Written(losses, notes)

    def write(self, path: PathLike, format: str | None = None, **options: Unpack[WriteOptions]) -> Written:
        """Writes a file. The extension decides the format unless `format` is given. The other options are as in `convert`.

        The file is written completely or stays unchanged. A symbolic link, hard links, the mode and the owner of a file are
        kept, and a device or a FIFO gets the content. Losses give a `LossWarning`, unless `allow_loss` is true.

        Raises:
            WriteError: The layout cannot represent the recording.
            ConvertError: The format cannot represent the recording.
            OSError: The file cannot be written.
        """
        target = Path(path)
        name = format or _format_of(target)
        if name == "bin" and not options:
            content, (losses, notes, warnings) = self._native.mrtk_bytes()
            written = Written(losses, notes)
            for loss in warnings:
                warn(loss, LossWarning)
        else:
            content, written = self.write_bytes(name, **options)
        _native.write_file(target, content)
        return written

    # Pictures.

    def svg(
        self,
        *,
        width: float | None = None,
        panels: Sequence[Literal["timeline", "speed", "aperture", "gaze", "inputs", "paths"]] | None = None,
        devices: Sequence[str] = (),
        dark: bool = False,
        title: str | None = None,
        start: float | None = None,
        end: float | None = None,
        parameters: Parameters | None = None,
    ) -> str:
        """Returns a figure as SVG: timeline, speeds, aperture, gaze, inputs of devices and paths; see `Analysis.svg`. The same
        parameters give the same events in `events` and in the figure."""
        analysis = self.analyse(parameters)
        return analysis.svg(
            width=width, panels=panels, devices=devices, dark=dark, title=title, start=start, end=end
        )

    def plot(self, *, parameters: Parameters | None = None, **options: Unpack[PlotOptions]) -> matplotlib.figure.Figure:
        """Draws states, speeds, aperture and paths with matplotlib, in the current style; see `Analysis.plot`."""
        return self.analyse(parameters).plot(**options)

    def view(self, *, height: int = 640, name: str | None = None) -> View:
        """Returns the viewer with this recording. A notebook shows it; ``view().open()`` opens it in a browser.

        The page contains the viewer, 1.6 MB, and the recording. A notebook that is saved contains both.

        Args:
            height: Height in a notebook, in pixels.
            name: Name of the recording; the name of the file by default.

        Raises:
            ViewError: The package was built without the viewer.
        """
        from ._view import View

        own = "recording.bin" if self._path is None else Path(self._path).name
        return View([(printable(own if name is None else name), self)], height)

    def play_openxr(
        self,
        command: Sequence[str | os.PathLike[str]],
        *,
        record: bool = False,
        program: str | os.PathLike[str] = "inputanim",
        **options: Unpack[PlayOptions],
    ) -> Played:
        """Plays the recording into an OpenXR application instead of a headset, and waits until the application ends.

        It runs the command ``inputanim openxr play`` of the program, which must be installed. The options are those of the
        command: ``clock="keys"``, ``rate=90``, ``end="hold"``, ``screenshots=folder``, ``every=60``, ``size="512x512"``,
        ``timeout="60"``, ``over_runtime=True``, ``profile="khr/simple_controller"``. The standard input of the application is empty.

        >>> recording.play_openxr(["./app"], clock="keys", record=True)  # doctest: +SKIP
        Played(output='', messages='note: ./app played 121 frames\\n', pictures=[], recording=<Recording: 4.000 s, ...>)

        Args:
            command: The application and its arguments.
            record: Also record what the application gets, with the layer of ``inputanim openxr record``.
            program: The program, if it is not in ``PATH``.
            **options: Options of ``inputanim openxr play``, with ``_`` for ``-``.

        Raises:
            OpenXrError: The program is not installed, the application failed, it never began a session, or it asked for input and
                never got any (unless ``allow_inactive=True``).
        """
        from ._openxr import play

        return play(self, command, options, record=record, program=program)

    def _repr_html_(self) -> str:
        info = self.info
        rows = [
            ("layout", info["layout"]),
            # In `info`, a number that is not finite is None.
            ("duration", f"{self.duration:.3f} s"),
            ("keys", f"{info['keys']:,}"),
            ("size", f"{info['bytes']:,} bytes"),
            ("markers", str(len(self.markers))),
        ]
        rows += [(finding["severity"], f"{finding['code']} {finding['title']}: {finding['detail']}") for finding in self.findings]
        title = escaped(self._path or "Recording")
        try:
            # The table above shows the findings, so there is no warning.
            analysis = _native.Analysis(self._native, "null")
            figure = analysis.plot(width=None, panels=None, devices=[], dark=False, title=None, start=None, end=None)
        except InputanimError as error:
            figure = f"<pre>{escaped(error)}</pre>"
        return f"<div><strong>{title}</strong>{table((), rows, len(rows))}{figure}</div>"


def _anchor(anchor: Anchor) -> tuple[list[float], list[float], float]:
    given = mapping("anchor", anchor)
    check_members("anchor", given, ["position", "rotation", "scale"])
    position = vector("anchor position", given.get("position", (0, 0, 0)), 3)
    rotation = vector("anchor rotation", given.get("rotation", (0, 0, 0, 1)), 4)
    return position, rotation, number("anchor scale", given.get("scale", 1)) or 0.0


def _native_of(recording: object) -> _native.Recording:
    if not isinstance(recording, Recording):
        raise InvalidArgument(f"expected a recording, found {recording!r}", hint="inputanim.read(path) reads one")
    return recording._native


def _format_of(path: Path) -> str:
    format = _native.format_of_name(path.name)
    if format is not None:
        # A conversion refuses formats that the package does not write.
        return format
    known = ", ".join(format for format, *_ in _native.formats())
    raise InvalidArgument(
        f'cannot infer a format from "{path.name}"; supported: {known}', hint="name it: format=\"csv\""
    )


@dataclass(frozen=True)
class Recovered:
    """The intact parts of a file.

    Attributes:
        recording: Every intact curve and marker; a damaged curve has no keys.
        error: The error of the strict reader as a dictionary; None if the file is well formed.
        damaged: The damaged parts.
        findings: Damage and unusual content, also of the file itself.
    """

    recording: Recording
    error: dict[str, Any] | None
    damaged: list[DamagedPart]
    findings: list[Finding]

    def __repr__(self) -> str:
        parts = f"{len(self.damaged)} damaged parts, {len(self.findings)} findings"
        return f"<Recovered: {parts}; {self.recording!r}>"


def _content(source: PathLike | bytes | bytearray | memoryview) -> tuple[bytes, str | None]:
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source), None
    try:
        path = os.fsdecode(source)
    except TypeError:
        raise InvalidArgument(f"source: expected a path or bytes, found {source!r}") from None
    packed = _native.read_packed(path)
    if packed is not None:
        return packed, path
    with open(path, "rb") as file:
        return file.read(), path


@checked
def read(
    source: PathLike | bytes | bytearray | memoryview,
    format: str | None = None,
    *,
    layout: Layout | None = None,
    space: Space | None = None,
    from_zero: bool = False,
    pauses: float | Literal["none"] | None = None,
    ignore_unknown: bool = False,
    skip_bad: bool = False,
    recording: str | None = None,
    mappings: Sequence[str] = (),
    side: Literal["left", "right"] | None = None,
    min_confidence: float | None = None,
    keep_jitter: bool = False,
    palms_from_controllers: bool = False,
    no_limits: bool = False,
) -> Recording:
    """Reads a recording from a path or from bytes.

    Files of other formats are converted; `formats` lists the formats. The attribute `conversion` of the recording has the losses
    and notes of the conversion, and losses give a `LossWarning`.

    Args:
        source: Path, or the bytes of a file. Bytes are not copied.
        format: Name of the format; detected by default.
        layout: Layout of the recording, for tables.
        space: Axes of the file, for tables, glTF, XDF and XROR. An option that has no effect on the format is an error.
        from_zero: Counts times from the first row of a table.
        pauses: Time in seconds without frames or samples from which everything is unknown, or ``"none"``. 0.5 s by default,
            and at least 10 times the median interval.
        ignore_unknown: Ignores unknown columns of a table.
        skip_bad: Skips rows of a table that cannot be read.
        recording: Name of the recording, for a table or an XDF file of several recordings.
        mappings: Other names of columns of tables, or of channels of XDF: ``"time_s=Timestamp*1e-6"``,
            ``"head.position.x=Tracker/X*0.001"``, ``"head.position=px,py,pz"``. For glTF, joints and their nodes:
            ``"right.IndexTip=bone_12"``.
        side: Hand of all joints of glTF, ``"left"`` or ``"right"``. By default, the hand in the names of nodes or of the file.
        min_confidence: Confidence from 0 to 1 below which a hand of EgoDex counts as untracked, and below which a joint of EgoDex and what has a
            mapped confidence is unknown; 0.5 by default.
        keep_jitter: True keeps the times of samples in XDF, which are otherwise made regular, as by pyxdf.
        palms_from_controllers: True computes palm, wrist and pinch of a hand from its controller while the hand is not tracked.
            For formats with controllers, such as Isaac, IWER, XROR and MCAP.
        no_limits: Lifts the limits of 4 GiB, 512 Mi keys and 1 Mi markers.

    Raises:
        ParseError: The file is not a well-formed recording. `recover` returns its intact parts.
        ConvertError: A file of another format cannot be read.
        OSError: The file cannot be opened.
    """
    content, path = _content(source)
    try:
        detected = format or _native.detect_format(content, path)
        options: dict[str, object] = {
            "layout": layout,
            "space": space,
            "from_zero": from_zero,
            "pauses": pauses,
            "ignore_unknown": ignore_unknown,
            "skip_bad": skip_bad,
            "recording": recording,
            "mappings": names("mappings", mappings) or None,
            "side": side,
            "min_confidence": number("min_confidence", min_confidence),
            "keep_jitter": truth("keep_jitter", keep_jitter),
            "palms_from_controllers": truth("palms_from_controllers", palms_from_controllers),
        }
        given = [name for name, value in options.items() if value is not None and value is not False]
        _native.check_read_options(detected, given)
        if detected == "bin":
            read = Recording(content, no_limits=no_limits)
        else:
            native, (losses, notes) = _native.import_(
                content,
                detected,
                layout=layout,
                space=space,
                from_zero=from_zero,
                pauses=None if pauses is None else str(pauses),
                ignore_unknown=ignore_unknown,
                skip_bad=skip_bad,
                recording=recording,
                mappings=names("mappings", mappings),
                side=side,
                min_confidence=number("min_confidence", min_confidence),
                keep_jitter=truth("keep_jitter", keep_jitter),
                palms_from_controllers=truth("palms_from_controllers", palms_from_controllers),
                folder=None if path is None else os.path.dirname(path),
                file_name=None if path is None else os.path.splitext(os.path.basename(path))[0],
                no_limits=truth("no_limits", no_limits),
            )
            read = Recording._of(native)
            read._conversion = Written(losses, notes)
    except InputanimError as error:
        error.file = path
        raise
    read._path = path
    for loss in read._conversion.losses:
        name = "the recording" if path is None else printable(path)
        warn(f"{name}: lost: {loss}", LossWarning)
    return read


@checked
def recover(source: PathLike | bytes, *, no_limits: bool = False) -> Recovered:
    """Reads the intact parts of a file that may be damaged.

    Args:
        source: Path, or the bytes of a file.
        no_limits: Lifts the limits of 4 GiB, 512 Mi keys and 1 Mi markers.

    Raises:
        ParseError: Nothing of the file is intact.
        OSError: The file cannot be opened.
    """
    content, path = _content(source)
    try:
        _native.detect_format(content, path)
        native, text = _native.recover(content, truth("no_limits", no_limits))
    except InputanimError as error:
        error.file = path
        raise
    damage = loads(text)
    recording = Recording._of(native)
    recording._path = path
    return Recovered(recording, damage["error"], damage["damaged"], damage["findings"])


@checked
def concat(recordings: Sequence[Recording], *, gap: float | None = None, blend: float | None = None) -> Recording:
    """Joins recordings end to end.

    Args:
        recordings: Recordings in order.
        gap: Seconds between two recordings, in which poses are held and hands are not tracked.
        blend: Seconds of linear interpolation between two recordings.

    Warns:
        LossWarning: The pinches of a hand are unknown in some recordings and known in others. The result has no pinches there.

    Raises:
        EditError: A recording must be repaired first, or the result would have too many keys.
        InvalidArgument: There are no recordings, or the result would have more than 4 GiB.
    """
    parts = [_native_of(part) for part in listed("recordings", recordings, "recordings")]
    joined, losses = _native.concat(parts, gap=gap, blend=blend)
    for loss in losses:
        warn(f"lost: {loss}", LossWarning)
    return Recording._of(joined)
