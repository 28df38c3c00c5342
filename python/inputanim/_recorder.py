"""Recordings from frames and arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from . import _native
from ._arguments import array as float32, check_members, checked, checked_methods, mapping
from ._errors import InvalidArgument
from ._recording import Haptic, Recording
from ._samples import DeviceSamples, HandSamples, PoseSamples, RaySamples, joint_indices
from ._types import Float32Array, Layout

HandInput = Union[HandSamples, Mapping[str, Any]]
DeviceInput = Union[DeviceSamples, Mapping[str, Any]]
PoseInput = Union[PoseSamples, "tuple[npt.ArrayLike, npt.ArrayLike]", npt.ArrayLike]
RayInput = Union[RaySamples, "tuple[npt.ArrayLike, npt.ArrayLike]", npt.ArrayLike]


def _shaped(name: str, array: npt.ArrayLike, shape: tuple[int, ...]) -> Float32Array:
    """Returns an array of the given shape. A single frame may omit the axis of time."""
    numbers = float32(name, array)
    if numbers.shape == shape[1:] and shape[0] == 1:
        numbers = numbers[None]
    if numbers.shape != shape:
        raise InvalidArgument(f"{name}: expected an array of shape {shape}, found {numbers.shape}")
    return numbers


def _joined(name: str, parts: tuple[npt.ArrayLike, npt.ArrayLike], shape: tuple[int, ...], sizes: tuple[int, int]) -> bytes:
    first, second = (_shaped(name, part, (*shape, size)) for part, size in zip(parts, sizes))
    return np.concatenate([first, second], axis=-1).tobytes()


def _pose(name: str, pose: Any, shape: tuple[int, ...]) -> bytes:
    if isinstance(pose, PoseSamples):
        pose = (pose.position, pose.rotation)
    if isinstance(pose, tuple) and len(pose) == 2:
        return _joined(name, pose, shape, (3, 4))
    return _shaped(name, pose, (*shape, 7)).tobytes()


def _hand(name: str, hand: HandInput | None, count: int) -> tuple[bytes, bytes, list[int], bytes] | None:
    if hand is None:
        return None
    if isinstance(hand, HandSamples):
        hand = vars(hand)
    hand = mapping(name, hand)
    check_members(name, hand, ["joints", "pinching", "poses", "position", "rotation", "tracked"])

    def states(member: str, default: bool) -> bytes:
        given = hand.get(member)
        values = np.full(count, default) if given is None else np.asarray(given).astype(bool)
        return np.broadcast_to(values, (count,)).tobytes()

    joints = hand.get("joints")
    if isinstance(joints, Mapping):
        # A single frame: poses by the names of joints.
        _, indices = joint_indices(tuple(joints))
        poses = [np.frombuffer(_pose(f"{name}.{joint}", pose, (count,)), np.float32) for joint, pose in joints.items()]
        block = np.stack(poses, axis=0).reshape(len(indices), count, 7).swapaxes(0, 1) if poses else np.empty(0, np.float32)
        return states("tracked", True), states("pinching", False), indices, block.astype(np.float32).tobytes()
    _, indices = joint_indices(joints)
    if hand.get("poses") is not None:
        poses_bytes = _pose(name, hand["poses"], (count, len(indices)))
    elif hand.get("position") is not None and hand.get("rotation") is not None:
        poses_bytes = _joined(name, (hand["position"], hand["rotation"]), (count, len(indices)), (3, 4))
    else:
        indices, poses_bytes = [], b""
    return states("tracked", True), states("pinching", False), indices, poses_bytes


_DeviceBytes = tuple[str, bytes, list["str | None"], list[tuple[str, bytes]], list[tuple[str, bool, bytes]]]


def _device(name: str, device: DeviceInput, count: int) -> _DeviceBytes:
    buttons: frozenset[str] = frozenset()
    if isinstance(device, DeviceSamples):
        buttons = device.buttons
        device = {"active": device.active, "profile": device.profiles, "poses": device.poses, "inputs": device.inputs}
    device = mapping(name, device)
    check_members(name, device, ["active", "inputs", "poses", "profile"])
    profile = device.get("profile")
    profiles = [profile] if profile is None or isinstance(profile, str) else list(profile)
    poses = mapping(f"{name}: poses", device.get("poses") or {})
    inputs = []
    for input, given in mapping(f"{name}: inputs", device.get("inputs") or {}).items():
        is_button = input in buttons or np.asarray(given).dtype == np.bool_
        values = np.broadcast_to(float32(f"{name}: {input}", given), (count,))
        inputs.append((input, is_button, values.tobytes()))
    return (
        name,
        np.broadcast_to(np.asarray(device.get("active", True)).astype(bool), (count,)).tobytes(),
        profiles,
        [(pose, _pose(f"{name}.{pose}", given, (count,))) for pose, given in poses.items()],
        inputs,
    )


@checked_methods
class Recorder:
    """Makes a recording from frames as they arrive.

    Args:
        layout: Layout of the recording; ``"mrtk-1.1"`` is what MRTK writes.
        keep_last: Keeps only the last seconds.
        max_rate: Drops frames above this rate in Hz, except frames in which a state changes.
        from_zero: Counts times from the first frame.

    >>> recorder = Recorder()
    >>> recorder.push(0.0, head=[0, 1.6, 0, 0, 0, 0, 1])
    True
    >>> recorder.push(0.5, head=[0, 1.7, 0, 0, 0, 0, 1], left={"joints": {"Palm": [0, 1, 0.4, 0, 0, 0, 1]}})
    True
    >>> recorder.mark(0.25, "start")
    >>> recorder.snapshot().duration
    0.5
    """

    def __init__(
        self,
        layout: Layout = "mrtk-1.1",
        *,
        keep_last: float | None = None,
        max_rate: float | None = None,
        from_zero: bool = False,
    ) -> None:
        self._native = _native.Recorder(
            layout, keep_last=keep_last, max_rate=max_rate, from_zero=from_zero
        )

    def push(
        self,
        time: float,
        *,
        head: PoseInput | None = None,
        left: HandInput | None = None,
        right: HandInput | None = None,
        gaze: RayInput | None = None,
        devices: Mapping[str, DeviceInput] | None = None,
        space: str = "unity",
    ) -> bool:
        """Records one frame.

        Args:
            time: Time in seconds. It must be later than the time of the last frame.
            head: Position x, y, z in metres and quaternion x, y, z, w: seven numbers, or a tuple of both.
            left: The left hand: ``{"tracked": True, "pinching": False, "joints": {"Palm": pose, …}}``. It is tracked
                unless ``tracked`` is False.
            right: The right hand.
            gaze: Origin and direction: six numbers, or a tuple of both.
            devices: Controllers and other devices by their names: ``{"right.controller": {"profile":
                "/interaction_profiles/valve/index_controller", "poses": {"aim": pose}, "inputs": {"trigger/value": 0.5, "a/click":
                True}}}``. A device is active unless ``active`` is False. Nothing is known about devices that are not in the
                dictionary. An input with the value True or False is a button. A number that is NaN is unknown.
            space: Axes of the numbers.

        Returns:
            False if the frame is dropped: in a pause, or above the maximum rate.

        Raises:
            RecordError: The time is not later than the last one, a number is not finite, or a rotation is 0.
        """
        return self.extend([time], head=head, left=left, right=right, gaze=gaze, devices=devices, space=space) > 0

    def extend(
        self,
        times: npt.ArrayLike,
        *,
        head: PoseInput | None = None,
        left: HandInput | None = None,
        right: HandInput | None = None,
        gaze: RayInput | None = None,
        devices: Mapping[str, DeviceInput] | None = None,
        space: str = "unity",
    ) -> int:
        """Records many frames from arrays; see `record`. Returns the number of frames that are not dropped."""
        seconds = np.atleast_1d(float32("times", times))
        count = len(seconds)
        if isinstance(gaze, RaySamples):
            gaze = (gaze.origin, gaze.direction)
        gaze_bytes = None
        if isinstance(gaze, tuple) and len(gaze) == 2:
            gaze_bytes = _joined("gaze", gaze, (count,), (3, 3))
        elif gaze is not None:
            gaze_bytes = _shaped("gaze", gaze, (count, 6)).tobytes()
        return self._native.push(
            seconds.tobytes(),
            head=None if head is None else _pose("head", head, (count,)),
            left=_hand("left", left, count),
            right=_hand("right", right, count),
            gaze=gaze_bytes,
            devices=[_device(name, device, count) for name, device in mapping("devices", devices or {}).items()],
            space=space,
        )

    def mark(self, time: float, name: str) -> None:
        """Adds a marker at a time in seconds of the frames' clock."""
        self._native.mark(time, name)

    def haptic(
        self,
        time: float,
        device: str,
        *,
        output: str = "haptic",
        duration: float | None = None,
        frequency: float | None = None,
        amplitude: float = 1.0,
    ) -> None:
        """Adds a haptic pulse that the application asked for.

        Args:
            time: Time in seconds of the frames' clock.
            device: The device, such as ``"right.controller"``.
            output: The part of the device that vibrates.
            duration: Duration in seconds; None for the shortest that the device has.
            frequency: Frequency in Hz; None if the device chooses it.
            amplitude: Amplitude, 0 to 1; 0 stops a vibration.

        Raises:
            RecordError: A number is not finite, the duration or the frequency is negative, or the amplitude is not from 0
                to 1.
        """
        self._native.haptic(device, time, output, duration, frequency, amplitude)

    def pause(self) -> None:
        """Drops frames until `resume`, and removes the time until then from the recording."""
        self._native.pause()

    def resume(self) -> None:
        """Ends a pause."""
        self._native.resume()

    @property
    def is_paused(self) -> bool:
        """True in a pause."""
        return self._native.is_paused

    @property
    def frames(self) -> int:
        """The number of frames."""
        return self._native.frames

    @property
    def seconds(self) -> float:
        """The time from the first to the last frame, in seconds."""
        return self._native.seconds

    def snapshot(self, seconds: float | None = None) -> Recording:
        """Returns the recording of all frames until now, or of the last seconds. Recording can continue."""
        return Recording._of(self._native.snapshot(seconds))


@checked
def record(
    times: npt.ArrayLike,
    *,
    head: PoseInput | None = None,
    left: HandInput | None = None,
    right: HandInput | None = None,
    gaze: RayInput | None = None,
    devices: Mapping[str, DeviceInput] | None = None,
    haptics: Sequence[tuple[str, Haptic]] = (),
    markers: Sequence[tuple[float, str]] = (),
    space: str = "unity",
    layout: Layout = "mrtk-1.1",
) -> Recording:
    """Makes a recording from arrays: the inverse of `Recording.sample`. Poses and rays that are NaN are not recorded.

    Args:
        times: Increasing times in seconds, shape (time,).
        head: Poses of shape (time, 7), a tuple of positions (time, 3) and quaternions (time, 4), or `Samples.head`.
        left: The left hand: `Samples.left`, or a dictionary with ``position`` (time, joint, 3) and ``rotation`` (time, joint,
            4) or ``poses`` (time, joint, 7); ``joints``, the names of that axis (`JOINTS` by default); ``tracked`` and
            ``pinching`` (time,).
        right: The right hand.
        gaze: Rays of shape (time, 6), a tuple of origins and directions (time, 3), or `Samples.gaze`.
        devices: Controllers and other devices by their names: `Samples.devices`, or dictionaries as in `Recorder.push` with arrays:
            ``poses`` of shape (time, 7), ``inputs``, ``active`` and ``profile`` (time,).
        haptics: Names of devices and their haptic pulses.
        markers: Times in seconds and names.
        space: Axes of the numbers.
        layout: Layout of the recording.

    Raises:
        RecordError: Times do not increase, a number is infinite, or a rotation is 0.

    >>> import numpy as np
    >>> times = np.arange(61) / 60
    >>> poses = np.zeros((61, 7)); poses[:, 1] = 1.6; poses[:, 6] = 1
    >>> record(times, head=poses).sample(10).head.position[3]
    array([0. , 1.6, 0. ], dtype=float32)
    """
    recorder = Recorder(layout)
    recorder.extend(times, head=head, left=left, right=right, gaze=gaze, devices=devices, space=space)
    for device, pulse in haptics:
        recorder.haptic(
            pulse.time,
            device,
            output=pulse.output,
            duration=pulse.duration,
            frequency=pulse.frequency,
            amplitude=pulse.amplitude,
        )
    for time, name in markers:
        recorder.mark(time, name)
    return recorder.snapshot()
