"""Samples of recordings as arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Union

import numpy as np

from . import _native
from ._arguments import checked_methods, did_you_mean, extra, names as checked_names, text
from ._display import table
from ._errors import InvalidArgument, StreamNotSampled
from ._types import BoolArray, Event, Float32Array, Float64Array, KeypointOrder, Layout

if TYPE_CHECKING:
    import mne
    import pandas
    import polars
    import pyarrow
    import pymovements
    import xarray

    from ._recording import Marker, Recording

ALL_JOINTS: tuple[str, ...] = tuple(_native.joint_names())
"""The 27 joints of a hand in file order, with ``"None"``, which devices do not record."""

JOINTS: tuple[str, ...] = tuple(joint for joint in ALL_JOINTS if joint != "None")
"""The 26 joints of a hand in file order, without ``"None"``."""

_XYZ = ("x", "y", "z")
_XYZW = ("x", "y", "z", "w")
_STREAMS = ("head", "left", "right", "gaze")
_Column = Union[Float32Array, BoolArray]


@dataclass(frozen=True, eq=False)
class PoseSamples:
    """The poses of the head.

    Attributes:
        position: Positions x, y, z in metres, shape (time, 3), float32.
        rotation: Quaternions x, y, z, w of length 1, shape (time, 4), float32.
    """

    position: Float32Array
    rotation: Float32Array

    def __repr__(self) -> str:
        return f"<PoseSamples: {len(self.position)} times>"


@dataclass(frozen=True, eq=False)
class RaySamples:
    """The gaze of the eyes.

    Attributes:
        origin: Origins x, y, z in metres, shape (time, 3), float32.
        direction: Directions x, y, z, shape (time, 3), float32.
    """

    origin: Float32Array
    direction: Float32Array

    def __repr__(self) -> str:
        return f"<RaySamples: {len(self.origin)} times>"


@checked_methods
@dataclass(frozen=True, eq=False)
class HandSamples:
    """The states and joints of a hand. Joints are NaN while the hand is not tracked, and where they are not recorded.

    Attributes:
        tracked: True while the device tracks the hand, shape (time,), bool.
        pinching: True while thumb and index finger touch, shape (time,), bool.
        position: Positions x, y, z in metres, shape (time, joint, 3), float32.
        rotation: Quaternions x, y, z, w of length 1, shape (time, joint, 4), float32.
        joints: Names of the joints, in the order of the axis ``joint``.
    """

    tracked: BoolArray
    pinching: BoolArray
    position: Float32Array
    rotation: Float32Array
    joints: tuple[str, ...]

    def __repr__(self) -> str:
        states = f"tracked at {np.count_nonzero(self.tracked)}, pinching at {np.count_nonzero(self.pinching)}"
        return f"<HandSamples: {len(self.tracked)} times, {len(self.joints)} joints; {states}>"

    def joint(self, name: str) -> PoseSamples:
        """Returns the poses of one joint: views of shape (time, 3) and (time, 4)."""
        if name not in self.joints:
            raise InvalidArgument(f'unknown joint "{name}"{did_you_mean(str(name), self.joints)}')
        index = self.joints.index(name)
        return PoseSamples(self.position[:, index], self.rotation[:, index])

    def keypoints(self, order: KeypointOrder = "mediapipe") -> Float32Array:
        """Returns the positions of the joints in the order of other programs, such as the 21 landmarks of MediaPipe.

        >>> import inputanim
        >>> hand = inputanim.read("samples/reach.bin").sample(30).right
        >>> hand.keypoints("mano").shape[1:]
        (21, 3)

        Args:
            order: ``mediapipe``, ``openpose`` or ``mano`` with 21 joints, ``openxr`` with 26 or ``webxr`` with 25.

        Returns:
            Positions x, y, z in metres in the axes of the samples, shape (time, keypoint, 3), float32; a copy. NaN while the hand is
            not tracked, and where a joint is not recorded.

        Raises:
            InvalidArgument: The order is unknown, or a joint was not sampled because of the option ``joints``.
        """
        chosen = _native.keypoint_joints(text("order", order) or "")
        missing = [joint for joint in chosen if joint not in self.joints]
        if missing:
            raise InvalidArgument(f"{missing[0]} was not sampled", hint=f'add "{missing[0]}" to the option joints')
        return self.position[:, [self.joints.index(joint) for joint in chosen]]


@dataclass(frozen=True, eq=False)
class DeviceSamples:
    """A controller, tracker or other device.

    Poses and inputs are NaN where they are unknown, and while the device is not active.

    Attributes:
        active: True while the device is known to be active, shape (time,), bool.
        profiles: The interaction profile at each time; None while it is not known or the device is not active.
        poses: The poses by their names: ``poses["aim"].position``.
        inputs: The inputs by their names in OpenXR, such as ``inputs["trigger/value"]``, shape (time,), float32. A button is 1, 0 or
            NaN, because truth values of NumPy cannot be unknown. Data frames and scans have truth values or nothing instead.
        buttons: The names of the inputs that are on or off.
    """

    active: BoolArray
    profiles: list[str | None]
    poses: dict[str, PoseSamples]
    inputs: dict[str, Float32Array]
    buttons: frozenset[str]

    def __repr__(self) -> str:
        parts = ", ".join([*self.poses, *self.inputs]) or "no poses and inputs"
        return f"<DeviceSamples: {len(self.active)} times, active at {np.count_nonzero(self.active)}; {parts}>"


def _unknown(*shape: int) -> Float32Array:
    """Returns a read-only array of NaN, which has the memory of one number."""
    return np.broadcast_to(np.float32(np.nan), shape)


@checked_methods
@dataclass(frozen=True, eq=False)
class Samples:
    """A recording at chosen times.

    The properties `head`, `left`, `right` and `gaze` have the values of the streams. A stream that is not recorded is unknown: its
    numbers are NaN, in read-only arrays, and its hand is not tracked. `devices` has the controllers, trackers and other devices.
    `streams` names the streams that are recorded.

    Attributes:
        times: Times in seconds, shape (time,), float32.
        joints: Names of the joints, in the order of the axis ``joint``.
        space: Axes, such as ``"unity"``: left-handed, +X right, +Y up, +Z forward.
        rate: Samples per second; None if the times were given instead.
    """

    times: Float32Array
    joints: tuple[str, ...]
    space: str
    rate: float | None
    # The streams that are recorded and were chosen, and the names of all chosen streams.
    _recorded: dict[str, PoseSamples | HandSamples | RaySamples | DeviceSamples]
    _chosen: tuple[str, ...]

    @property
    def streams(self) -> tuple[str, ...]:
        """The sampled streams that are recorded: ``head``, ``left``, ``right``, ``gaze``, and the names of devices. A file with
        hands has both."""
        return tuple(self._recorded)

    def _part(self, stream: str) -> Any:
        """Returns the values of a stream; None if it is not recorded.

        Raises:
            StreamNotSampled: The stream was not sampled, so that it is not known whether it is recorded.
        """
        if stream not in self._chosen:
            names = ", ".join(self._chosen) or "none"
            message = f'the stream "{stream}" was not sampled; the chosen streams are: {names}'
            raise StreamNotSampled(message, hint=f"sample(streams={[*self._chosen, stream]!r}) also samples it")
        return self._recorded.get(stream)

    @property
    def head(self) -> PoseSamples:
        """Poses of the head; NaN if it is not recorded.

        Raises:
            StreamNotSampled: The option ``streams`` did not choose it.
        """
        found: PoseSamples | None = self._part("head")
        return PoseSamples(_unknown(len(self), 3), _unknown(len(self), 4)) if found is None else found

    @property
    def left(self) -> HandSamples:
        """The left hand; not tracked, with poses of NaN, if the file has no hands.

        Raises:
            StreamNotSampled: The option ``streams`` did not choose it.
        """
        return self.hand("left")

    @property
    def right(self) -> HandSamples:
        """The right hand; not tracked, with poses of NaN, if the file has no hands.

        Raises:
            StreamNotSampled: The option ``streams`` did not choose it.
        """
        return self.hand("right")

    @property
    def gaze(self) -> RaySamples:
        """Gaze of the eyes; NaN if it is not recorded.

        Raises:
            StreamNotSampled: The option ``streams`` did not choose it.
        """
        found: RaySamples | None = self._part("gaze")
        return RaySamples(_unknown(len(self), 3), _unknown(len(self), 3)) if found is None else found

    @property
    def devices(self) -> dict[str, DeviceSamples]:
        """The sampled devices that are recorded, by their names, such as ``right.controller``."""
        return {name: part for name, part in self._recorded.items() if isinstance(part, DeviceSamples)}

    def __len__(self) -> int:
        return len(self.times)

    def __repr__(self) -> str:
        parts = ", ".join(self.streams) or "nothing"
        return f"<Samples: {len(self)} times of {parts}; {len(self.joints)} joints, {self.space}>"

    def _repr_html_(self) -> str:
        times = f"{len(self)} times"
        if len(self):
            times += f" from {self.times[0]:.3f} s to {self.times[-1]:.3f} s"
        rows: list[tuple[str, str]] = [
            ("times", times),
            ("rate", "given times" if self.rate is None else f"{self.rate:g} Hz"),
            ("space", self.space),
            ("joints", ", ".join(self.joints[:30])),
        ]
        if "head" in self.streams:
            rows.append(("head", f"position {self.head.position.shape}, rotation {self.head.rotation.shape}"))
        for side, hand in self._hands():
            states = f"tracked at {np.count_nonzero(hand.tracked)}, pinching at {np.count_nonzero(hand.pinching)}"
            rows.append((side, f"position {hand.position.shape}, rotation {hand.rotation.shape}; {states}"))
        if "gaze" in self.streams:
            rows.append(("gaze", f"origin {self.gaze.origin.shape}, direction {self.gaze.direction.shape}"))
        rows += [(name, repr(device).strip("<>")) for name, device in self.devices.items()]
        return f"<div><strong>Samples</strong>{table((), rows, len(rows))}</div>"

    def hand(self, side: str) -> HandSamples:
        """Returns the hand of a side: ``"left"`` or ``"right"``.

        Raises:
            StreamNotSampled: The option ``streams`` did not choose it.
        """
        if side not in ("left", "right"):
            raise InvalidArgument(f'unknown side "{side}"; expected left or right')
        found: HandSamples | None = self._part(side)
        if found is not None:
            return found
        is_on: BoolArray = np.broadcast_to(np.bool_(False), (len(self),))
        shape = (len(self), len(self.joints))
        return HandSamples(is_on, is_on, _unknown(*shape, 3), _unknown(*shape, 4), self.joints)

    def _hands(self) -> list[tuple[str, HandSamples]]:
        """Returns the recorded hands with their sides."""
        return [(side, self.hand(side)) for side in ("left", "right") if side in self.streams]

    def _columns(self) -> Iterator[tuple[str, _Column]]:
        def vectors(name: str, array: Float32Array, axes: Sequence[str]) -> Iterator[tuple[str, _Column]]:
            for index, axis in enumerate(axes):
                yield f"{name}.{axis}", array[:, index]

        yield "time_s", self.times
        if "head" in self.streams:
            yield from vectors("head.position", self.head.position, _XYZ)
            yield from vectors("head.rotation", self.head.rotation, _XYZW)
        for side, hand in self._hands():
            yield f"{side}.tracked", hand.tracked
            yield f"{side}.pinching", hand.pinching
            for index, joint in enumerate(hand.joints):
                yield from vectors(f"{side}.{joint}.position", hand.position[:, index], _XYZ)
                yield from vectors(f"{side}.{joint}.rotation", hand.rotation[:, index], _XYZW)
        if "gaze" in self.streams:
            yield from vectors("gaze.origin", self.gaze.origin, _XYZ)
            yield from vectors("gaze.direction", self.gaze.direction, _XYZ)
        for name, device in self.devices.items():
            yield f"{name}.active", device.active
            for pose, poses in device.poses.items():
                yield from vectors(f"{name}.{pose}.position", poses.position, _XYZ)
                yield from vectors(f"{name}.{pose}.rotation", poses.rotation, _XYZW)
            for input, values in device.inputs.items():
                yield f"{name}.{input.replace('/', '.')}", values

    def to_dict(self) -> dict[str, _Column]:
        """Returns the columns of a wide table: ``time_s``, ``head.position.x`` and so on, each of shape (time,).

        Names are the same as in tables of `inputanim convert`: ``right.controller.trigger.value``. Missing numbers are NaN. Buttons
        are 1, 0 or NaN, because truth values of NumPy cannot be unknown. The profiles of devices have no column.
        """
        return dict(self._columns())

    def _buttons(self) -> set[str]:
        """Returns the names of the columns of buttons, which have truth values or nothing in data frames."""
        return {f"{name}.{input.replace('/', '.')}" for name, device in self.devices.items() for input in device.buttons}

    def to_pandas(self) -> pandas.DataFrame:
        """Returns a wide data frame of pandas. Its index is the time in seconds. Buttons have the type ``boolean``, and are missing
        while they are unknown."""
        with extra("pandas"):
            import pandas

        columns = self.to_dict()
        index = pandas.Index(columns.pop("time_s"), name="time_s")
        buttons: dict[str, Any] = {}
        for name in self._buttons():
            values = columns[name]
            buttons[name] = pandas.arrays.BooleanArray(values == 1, np.isnan(values))
        return pandas.DataFrame({**columns, **buttons}, index=index)

    def to_polars(self) -> polars.DataFrame:
        """Returns a wide data frame of Polars. Missing numbers are NaN. Buttons have truth values, and are null while they are
        unknown."""
        with extra("polars"):
            import polars

        frame = polars.DataFrame({name: np.ascontiguousarray(column) for name, column in self._columns()})
        buttons = [polars.col(name).fill_nan(None).cast(polars.Boolean) for name in sorted(self._buttons())]
        return frame.with_columns(buttons)

    def to_arrow(self) -> pyarrow.Table:
        """Returns a wide table of pyarrow. Missing numbers are NaN. Buttons have truth values, and are null while they are unknown."""
        with extra("pandas"):
            import pyarrow

        buttons = self._buttons()

        def array(name: str, column: _Column) -> Any:
            if name in buttons:
                return pyarrow.array(column == 1, mask=np.isnan(column))
            return pyarrow.array(column)

        return pyarrow.table({name: array(name, column) for name, column in self._columns()})

    def to_xarray(self) -> xarray.Dataset:
        """Returns a dataset of xarray with the named axes time, hand, joint, space and quaternion.

        Its variables are ``position`` (time, hand, joint, space), ``rotation`` (time, hand, joint, quaternion), ``tracked``
        and ``pinching`` (time, hand), ``head_position``, ``head_rotation``, ``gaze_origin`` and ``gaze_direction``, as
        far as they are recorded. The variables of devices have the names of `to_dict`: ``right.controller.trigger.value`` (time),
        ``right.controller.aim.position`` (time, space) and ``right.controller.aim.rotation`` (time, quaternion).
        """
        with extra("xarray"):
            import xarray

        variables: dict[str, Any] = {}
        coordinates: dict[str, Any] = {"time": ("time", self.times, {"units": "s"}), "space": list(_XYZ)}
        metres = {"units": "m"}
        if self._hands():
            sides, hands = zip(*self._hands())
            coordinates |= {"hand": list(sides), "joint": list(self.joints), "quaternion": list(_XYZW)}
            position = np.stack([hand.position for hand in hands], axis=1)
            rotation = np.stack([hand.rotation for hand in hands], axis=1)
            variables["position"] = (("time", "hand", "joint", "space"), position, metres)
            variables["rotation"] = (("time", "hand", "joint", "quaternion"), rotation)
            variables["tracked"] = (("time", "hand"), np.stack([hand.tracked for hand in hands], axis=1))
            variables["pinching"] = (("time", "hand"), np.stack([hand.pinching for hand in hands], axis=1))
        if "head" in self.streams:
            coordinates["quaternion"] = list(_XYZW)
            variables["head_position"] = (("time", "space"), self.head.position, metres)
            variables["head_rotation"] = (("time", "quaternion"), self.head.rotation)
        if "gaze" in self.streams:
            variables["gaze_origin"] = (("time", "space"), self.gaze.origin, metres)
            variables["gaze_direction"] = (("time", "space"), self.gaze.direction)
        for name, device in self.devices.items():
            variables[f"{name}.active"] = (("time",), device.active)
            for pose, poses in device.poses.items():
                coordinates["quaternion"] = list(_XYZW)
                variables[f"{name}.{pose}.position"] = (("time", "space"), poses.position, metres)
                variables[f"{name}.{pose}.rotation"] = (("time", "quaternion"), poses.rotation)
            for input, values in device.inputs.items():
                variables[f"{name}.{input.replace('/', '.')}"] = (("time",), values)
        return xarray.Dataset(variables, coordinates, {"axes": self.space})

    def _even_times(self, library: str) -> tuple[float, Float64Array]:
        """Returns the rate and the times in seconds. They are not rounded to single precision, so that they are evenly spaced."""
        from ._errors import ConvertError

        if self.rate is None:
            hint = "recording.sample(rate=60) samples at a constant rate"
            raise ConvertError(f"{library} needs samples at a constant rate, found samples at given times", hint=hint)
        start = round(float(self.times[0]), 6) if len(self) else 0.0
        return self.rate, start + np.arange(len(self)) / self.rate

    def to_movement(self) -> xarray.Dataset:
        """Returns the joints of the hands as a dataset of poses for the package `movement`, made by its own loader.

        The axes are ``time`` in seconds, ``space`` (x, y, z), ``keypoints`` (the joints) and ``individuals`` (``left`` and
        ``right``). The variables are ``position`` in metres, NaN where it is not known, and ``confidence``: 1 while the
        hand is tracked, otherwise 0. The attributes name the ``axes``, the ``length_unit``, the ``fps`` and the
        ``time_unit``. `movement` does not use the axes. Unity's axes are left-handed with +Y up, and
        ``space="openxr"`` gives right-handed axes.

        Raises:
            ConvertError: The samples have no hands, or no constant rate.
        """
        with extra("movement"):
            from movement.io import load_poses

        from ._errors import ConvertError

        hands = dict(self._hands())
        if not hands:
            hint = "recording.streams lists the streams of a recording"
            raise ConvertError("the samples have no hands; expected hands, which become the individuals of movement", hint=hint)
        rate, times = self._even_times("movement")
        known = [hand.tracked[:, None] & np.isfinite(hand.position).all(axis=2) for hand in hands.values()]
        dataset: xarray.Dataset = load_poses.from_numpy(
            position_array=np.stack([hand.position.transpose(0, 2, 1) for hand in hands.values()], axis=-1),
            confidence_array=np.stack(known, axis=-1).astype(np.float32),
            individual_names=list(hands),
            keypoint_names=list(self.joints),
            fps=rate,
            source_software="MRTK",
        )
        # The loader of movement begins at 0.
        dataset = dataset.assign_coords(time=times)
        return dataset.assign_attrs(axes=self.space, length_unit="m")

    def to_pymovements(
        self, *, relative_to: Literal["world", "head"] = "world", markers: Sequence[Marker] = ()
    ) -> pymovements.Gaze:
        """Returns the gaze as a `Gaze` of the package `pymovements`, with positions in degrees and times in milliseconds.

        Its column ``position`` has two components. The first is yaw, positive to the right; the second is pitch, positive
        upward. Both are 0 straight ahead: along the forward axis of the world, or of the head. Yaw has no jump at 180°, so
        it can be larger. Directions that are zero or not recorded are null. The experiment has the sampling rate and
        no screen, because an XR device has no fixed screen. Functions that need pixels do not work.

        Args:
            relative_to: ``"world"`` includes movements of the head, ``"head"`` is the direction of the eyes in the head.
            markers: Markers, which become messages. `Recording.to_pymovements` passes the markers of the recording.

        Raises:
            ConvertError: The samples have no gaze, no constant rate, or no head for ``relative_to="head"``.
        """
        with extra("pymovements"):
            import polars
            from pymovements import Experiment, Gaze

        from ._errors import ConvertError

        if relative_to not in ("world", "head"):
            raise InvalidArgument(f'unknown relative_to="{relative_to}"; expected world or head')
        if "gaze" not in self.streams:
            hint = "recording.streams lists the streams of a recording"
            raise ConvertError("the samples have no gaze", hint=hint)
        directions = self.gaze.direction.astype(np.float64)
        if relative_to == "head":
            if "head" not in self.streams:
                raise ConvertError("the samples have no head, to which the gaze is relative", hint='use relative_to="world"')
            directions = _rotated_back(directions, self.head.rotation.astype(np.float64))
        right, up, forward = _unity_axes(directions, self.space)
        with np.errstate(invalid="ignore"):
            known = np.isfinite(directions).all(axis=1) & (directions != 0).any(axis=1)
        if not known.any():
            raise ConvertError("the samples have no gaze: no direction is known", hint="recording.findings describes the gaze")
        yaw = np.full(len(self), np.nan)
        pitch = np.full(len(self), np.nan)
        yaw[known] = np.degrees(np.unwrap(np.arctan2(right[known], forward[known])))
        pitch[known] = np.degrees(np.arctan2(up[known], np.hypot(right[known], forward[known])))
        rate, times = self._even_times("pymovements")
        messages = {"time": [1000 * marker.time for marker in markers], "content": [marker.name for marker in markers]}
        schema: Any = {"time": polars.Float64, "content": polars.String}
        return Gaze(
            # Times are rounded to nanoseconds, so that whole milliseconds stay whole numbers, which I-DT needs.
            polars.DataFrame({"time": np.round(1000 * times, 6), "yaw": yaw, "pitch": pitch}),
            Experiment(sampling_rate=rate),
            time_column="time",
            time_unit="ms",
            position_columns=["yaw", "pitch"],
            messages=polars.DataFrame(messages, schema),
            metadata={"relative_to": relative_to},
        )

    def to_mne(self, events: Sequence[Event] = (), *, annotate_unknown: bool = False) -> mne.io.RawArray:
        """Returns the columns of `to_dict` as channels of a `RawArray` of the package `mne`, of the type ``misc``.

        Channels have the unit metre, or no unit: components of quaternions, and 0 or 1 for states. Joints are NaN while their hand
        is not tracked. The first sample is at 0 s.

        Args:
            events: Events, such as the result of `Recording.events`. They become annotations. Their descriptions are kind, side
                and name: ``marker/reach``, ``pinch/right``, ``movement/right/Palm``.
            annotate_unknown: Adds annotations such as ``BAD_unknown/right`` where channels of a stream are NaN, except those that are always
                NaN. MNE drops epochs in annotations that begin with ``BAD_``.

        Raises:
            ConvertError: The samples have no constant rate.
        """
        rate, times = self._even_times("mne")
        return self._to_mne(rate, times, events, annotate_unknown)

    def _to_mne(
        self,
        rate: float,
        times: Float64Array,
        events: Sequence[Event],
        annotate_unknown: bool,
        like: mne.io.BaseRaw | None = None,
        known: tuple[float, float] = (-np.inf, np.inf),
    ) -> mne.io.RawArray:
        """Returns a `RawArray` at a rate. Sample n has the time ``times[n]`` of the recording, which has values in the range `known`. `like`
        gives the first sample and the date."""
        with extra("mne"):
            from mne import Annotations, create_info
            from mne.io import RawArray
            from mne.io.constants import FIFF

        columns = self.to_dict()
        del columns["time_s"]
        channels = np.array(list(columns.values()), np.float64).reshape(len(columns), len(self))
        # Playback holds the first and the last value. They are no measurements.
        channels[:, (times < known[0]) | (times > known[1])] = np.nan
        info = create_info(list(columns), rate, "misc")
        for channel in info["chs"]:
            is_length = ".position." in channel["ch_name"] or ".origin." in channel["ch_name"]
            channel["unit"] = FIFF.FIFF_UNIT_M if is_length else FIFF.FIFF_UNIT_NONE
        raw = RawArray(channels, info, first_samp=0 if like is None else like.first_samp, verbose="error")
        if like is not None:
            raw.set_meas_date(like.info["meas_date"])
        first, last = (times[0], times[-1]) if len(times) else (0.0, -1.0)
        # Events that begin earlier or end later are shortened, because mne warns of such annotations.
        inside = [event for event in events if event["start"] <= last and event["start"] + event["duration"] >= first]
        starts = [max(event["start"], first) for event in inside]
        ends = [min(event["start"] + event["duration"], last) for event in inside]
        names = ["/".join(part for part in (event["kind"], event["side"], event["name"]) if part) for event in inside]
        ranges = [np.interp(bounds, times, np.arange(len(times)) / rate) for bounds in zip(starts, ends)]
        found: list[tuple[float, float, str, tuple[str, ...]]]
        found = [(onset, end - onset, name, ()) for (onset, end), name in zip(ranges, names)]
        if annotate_unknown:
            found += _unknown_ranges(list(columns), channels, rate, tuple(self.devices))
        # mne needs lists of equal lengths.
        onsets, durations, texts, places = zip(*found) if found else ((), (), (), ())
        raw.set_annotations(Annotations(onsets, durations, texts, ch_names=places if found else None), verbose="error")
        return raw

    def record(self, *, layout: Layout = "mrtk-1.1", markers: Sequence[tuple[float, str]] = ()) -> Recording:
        """Returns a recording with a key for each sample: the inverse of `Recording.sample`."""
        from ._recorder import record

        return record(
            self.times,
            head=self.head if "head" in self.streams else None,
            left=self.left if "left" in self.streams else None,
            right=self.right if "right" in self.streams else None,
            gaze=self.gaze if "gaze" in self.streams else None,
            devices=self.devices,
            space=self.space,
            markers=markers,
            layout=layout,
        )


def _unknown_ranges(
    names: Sequence[str], channels: Float64Array, rate: float, devices: tuple[str, ...]
) -> list[tuple[float, float, str, tuple[str, ...]]]:
    """Returns the time ranges in which channels of a stream are NaN, as onset, duration, description and names of channels."""
    found = []
    # The name of the controller begins with that of the hand.
    of_devices = tuple(f"{device}." for device in devices)
    for stream in (*_STREAMS, *devices):
        others = () if stream in devices else of_devices
        named = [row for row, name in enumerate(names) if name.startswith(f"{stream}.") and not name.startswith(others)]
        rows = [row for row in named if np.isfinite(channels[row]).any()]
        if not rows:
            continue
        is_unknown = np.isnan(channels[rows]).any(axis=0)
        edges = np.flatnonzero(np.diff(np.concatenate(([False], is_unknown, [False]))))
        places = tuple(names[row] for row in rows)
        found += [
            (start / rate, (end - start) / rate, f"BAD_unknown/{stream}", places) for start, end in edges.reshape(-1, 2).tolist()
        ]
    return found


def _rotated_back(vectors: Float64Array, rotations: Float64Array) -> Float64Array:
    """Rotates vectors of shape (time, 3) by the inverses of quaternions x, y, z, w of shape (time, 4)."""
    axes, w = -rotations[:, :3], rotations[:, 3:]
    turned = 2 * np.cross(axes, vectors)
    return vectors + w * turned + np.cross(axes, turned)


def _unity_axes(vectors: Float64Array, space: str) -> tuple[Float64Array, Float64Array, Float64Array]:
    """Returns the components of vectors to the right, upward and forward."""
    x, y, z = vectors.T
    if space == "unity":
        return x, y, z
    if space == "gltf":
        return -x, y, z
    if space == "blender":
        return x, z, y
    # OpenXR, WebXR and USD look along -Z.
    return x, y, -z


def joint_indices(names: Sequence[str] | None) -> tuple[tuple[str, ...], list[int]]:
    """Returns names of joints and their indices in a file; all joints except ``"None"`` by default."""
    chosen = JOINTS if names is None else tuple(checked_names("joints", names))
    try:
        return chosen, [ALL_JOINTS.index(name) for name in chosen]
    except ValueError:
        unknown = next(name for name in chosen if name not in ALL_JOINTS)
        # Arrays have the joints of both hands, so that a name has no hand.
        has_hand = str(unknown).lower().startswith(("left", "right"))
        hint = 'streams=["left"] selects a hand, and joints=["Palm"] its joints' if has_hand else "inputanim.JOINTS lists the names"
        raise InvalidArgument(f'unknown joint "{unknown}"{did_you_mean(str(unknown), JOINTS)}', hint=hint) from None


def sample(
    native: _native.Recording,
    times: Float32Array,
    joints: Sequence[str] | None,
    streams: Sequence[str] | None,
    space: str,
    raw: bool,
    untracked: bool,
    rate: float | None,
    no_limits: bool,
) -> Samples:
    """Samples a recording into one block of memory, and returns views of it."""
    names, indices = joint_indices(joints)
    if streams is not None:
        streams = checked_names("streams", streams)
    for stream in streams or ():
        if stream not in _STREAMS and not _native.is_device_name(stream):
            raise InvalidArgument(f'unknown stream "{stream}"; expected head, left, right, gaze, or a device such as right.controller')
    recorded = [device for device, *_ in native.devices()]
    devices = [device for device in recorded if streams is None or device in streams]
    chosen = [stream for stream in _STREAMS if streams is None or stream in streams]
    is_chosen = [stream in chosen for stream in _STREAMS]
    block, (has_head, has_hands, has_gaze) = native.sample(
        times.tobytes(), indices, is_chosen, space=space, raw=raw, untracked=untracked, no_limits=no_limits
    )
    count = len(times)
    offset = 0

    def floats(*shape: int) -> Float32Array:
        nonlocal offset
        size = int(np.prod(shape, dtype=np.int64))
        array = np.frombuffer(block, np.float32, size, offset).reshape(shape)
        offset += 4 * size
        return array

    def states() -> BoolArray:
        nonlocal offset
        array = np.frombuffer(block, np.bool_, count, offset)
        offset += count
        return array

    found: dict[str, PoseSamples | HandSamples | RaySamples | DeviceSamples] = {}
    if has_head:
        found["head"] = PoseSamples(floats(count, 3), floats(count, 4))
    shape = (count, len(names))
    # The block has both hands, and the states after all numbers.
    poses = [(floats(*shape, 3), floats(*shape, 4)) for _ in range(2)] if has_hands else []
    gaze = RaySamples(floats(count, 3), floats(count, 3)) if has_gaze else None
    for side, (position, rotation) in zip(("left", "right"), poses):
        hand = HandSamples(states(), states(), position, rotation, names)
        if side in chosen:
            found[side] = hand
    if gaze is not None:
        found["gaze"] = gaze
    if devices:
        found |= _devices(native, times, devices, space, raw, no_limits)
    others = recorded if streams is None else [stream for stream in streams if stream not in _STREAMS]
    return Samples(times, names, space, rate, found, (*chosen, *others))


def _devices(
    native: _native.Recording, times: Float32Array, names: Sequence[str], space: str, raw: bool, no_limits: bool
) -> dict[str, DeviceSamples]:
    """Returns the samples of devices by their names."""

    def floats(block: bytearray, *shape: int) -> Float32Array:
        return np.frombuffer(block, np.float32).reshape(len(times), *shape)

    sampled = native.sample_devices(times.tobytes(), names, space=space, raw=raw, no_limits=no_limits)
    return {
        name: DeviceSamples(
            np.frombuffer(active, np.bool_),
            profiles,
            {pose: PoseSamples(floats(position, 3), floats(rotation, 4)) for pose, position, rotation in poses},
            {input: floats(values) for input, _, values in inputs},
            frozenset(input for input, is_button, _ in inputs if is_button),
        )
        for name, active, profiles, poses, inputs in sampled
    }
