"""Sampling, recording and their round trips."""

from __future__ import annotations

import csv
import io
import pickle
from collections.abc import Callable

import numpy as np
import pytest
from conftest import SAMPLES, same_bits
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import inputanim


def test_values_are_those_of_the_csv_of_the_library(wave: inputanim.Recording) -> None:
    text, _ = wave.write_bytes("csv", rate=30)
    rows = list(csv.DictReader(io.StringIO(text.decode())))
    columns = wave.sample(30, joints=inputanim.ALL_JOINTS).to_dict()
    assert len(rows) == len(columns["time_s"]) == 121
    for name in rows[0]:
        if name not in columns:
            continue
        column = columns[name]
        texts = [row[name] for row in rows]
        if column.dtype == bool:
            expected = np.array([text in ("1", "true") for text in texts])
        else:
            expected = np.array([np.float32(text) if text else np.nan for text in texts], np.float32)
        assert np.array_equal(column, expected, equal_nan=column.dtype != bool), name
    assert len(set(rows[0]) & set(columns)) > 200


@pytest.mark.parametrize("space", inputanim.SPACES)
def test_axes_are_converted_and_converted_back(two_hands: inputanim.Recording, space: str) -> None:
    samples = two_hands.sample(30, space=space)
    unity = two_hands.sample(30)
    again = samples.record().sample(times=samples.times)
    for side in ("left", "right"):
        a, b = unity.hand(side), again.hand(side)
        assert same_bits(a.position, b.position)
    x, y, z = unity.head.position.T
    expected = {"unity": (x, y, z), "openxr": (x, y, -z), "usd": (x, y, -z), "gltf": (-x, y, z), "blender": (x, z, y)}
    assert same_bits(samples.head.position, np.stack(expected[space], axis=-1))


def test_few_joints_have_the_values_of_all(two_hands: inputanim.Recording) -> None:
    # A recording without a cached sampler evaluates only the chosen curves.
    few = inputanim.read(two_hands.to_bytes()).sample(60, joints=["Palm", "IndexTip"], streams=["right"])
    every = two_hands.sample(60)
    assert few.streams == ("right",) and every.streams == ("head", "left", "right", "gaze")
    assert few.right.position.shape == (len(few), 2, 3)
    for joint in few.joints:
        assert same_bits(few.right.joint(joint).position, every.right.joint(joint).position)
        assert same_bits(few.right.joint(joint).rotation, every.right.joint(joint).rotation)
    assert same_bits(few.right.tracked, every.right.tracked)


def test_streams_that_are_not_recorded_are_unknown() -> None:
    times = np.arange(11) / 10
    pose = np.tile(np.float32([0, 1.6, 0, 0, 0, 0, 1]), (11, 1))
    recording = inputanim.record(times, head=pose)
    samples = recording.sample(10, joints=["Palm", "IndexTip"])
    # `record` makes a file with hands, which have no keys.
    assert samples.streams == ("head", "left", "right") and np.array_equal(samples.head.position, pose[:, :3])
    bare = inputanim.read((SAMPLES / "wave.bin").read_bytes()[:16] + bytes(3) + bytes(4)).sample(times=times, joints=["Palm", "IndexTip"])
    assert bare.streams == () and "of nothing" in repr(bare)
    for found in (samples, bare):
        for hand in (found.left, found.right, found.hand("left")):
            assert hand.position.shape == (11, 2, 3) and hand.rotation.shape == (11, 2, 4)
            assert np.isnan(hand.position).all() and np.isnan(hand.rotation).all()
            assert not hand.tracked.any() and not hand.pinching.any() and hand.tracked.shape == (11,)
            assert np.isnan(hand.joint("IndexTip").position).all() and hand.joints == ("Palm", "IndexTip")
            assert "tracked at 0" in repr(hand)
        assert np.isnan(found.gaze.origin).all() and found.gaze.direction.shape == (11, 3)
    assert np.isnan(bare.head.position).all() and bare.head.rotation.shape == (11, 4)
    # They have no columns, and they are not recorded again.
    assert list(bare.to_dict()) == ["time_s"] and not any(name.startswith("gaze") for name in samples.to_dict())
    assert samples.record() == recording
    again = inputanim.record(times, head=samples.head, left=samples.left, right=samples.right, gaze=samples.gaze)
    assert again == recording and again.gaps == {}
    # The arrays take no memory, so they are read-only.
    assert bare.head.position.base is not None and not bare.head.position.flags.writeable


def test_a_stream_that_was_not_sampled_is_an_error(two_hands: inputanim.Recording) -> None:
    samples = two_hands.sample(30, streams=["right", "gaze"])
    assert samples.streams == ("right", "gaze") and samples.right.tracked.any()
    accesses: list[tuple[str, Callable[[], object]]] = [
        ("head", lambda: samples.head),
        ("left", lambda: samples.left),
        ("left", lambda: samples.hand("left")),
    ]
    for stream, access in accesses:
        with pytest.raises(inputanim.StreamNotSampled) as caught:
            access()
        assert str(caught.value) == (
            f'the stream "{stream}" was not sampled; the chosen streams are: right, gaze\n'
            f"hint: sample(streams=['right', 'gaze', '{stream}']) also samples it"
        )
    assert not hasattr(samples, "head") and isinstance(caught.value, inputanim.InvalidArgument)
    assert {name.split(".")[0] for name in samples.to_dict()} == {"time_s", "right", "gaze"}
    with pytest.raises(inputanim.ConvertError, match="no head"):
        pytest.importorskip("pymovements")
        samples.to_pymovements(relative_to="head")


@pytest.mark.parametrize("chosen", [["left"], ["right", "head"], ["left", "right"], ["gaze"]])
def test_a_dataset_has_the_hands_that_were_sampled(two_hands: inputanim.Recording, chosen: list[str]) -> None:
    pytest.importorskip("xarray")
    dataset = two_hands.to_xarray(30, streams=chosen)
    hands = [side for side in ("left", "right") if side in chosen]
    assert ("position" in dataset) == bool(hands) and ("head_position" in dataset) == ("head" in chosen)
    for side in hands:
        wanted = two_hands.sample(30).hand(side)
        assert list(dataset.hand.values) == hands
        assert np.array_equal(dataset.position.sel(hand=side).values, wanted.position, equal_nan=True)
        assert np.array_equal(dataset.pinching.sel(hand=side).values, wanted.pinching)


def test_threads_give_the_values_of_single_times(two_hands: inputanim.Recording) -> None:
    times = np.linspace(0, two_hands.duration, 5000, dtype=np.float32)
    together = two_hands.sample(times=times)
    for start in range(0, 5000, 517):
        part = two_hands.sample(times=times[start : start + 100])
        assert same_bits(part.right.rotation, together.right.rotation[start : start + 100])


def test_times_of_keys_and_time_ranges(wave: inputanim.Recording) -> None:
    keys = wave.sample(times="keys")
    assert same_bits(keys.times, wave.key_times())
    assert np.all(np.diff(keys.times) > 0)
    part = wave.sample(times="keys", start=1, end=2)
    assert part.times[0] >= 1 and part.times[-1] <= 2 and 0 < len(part) < len(keys)
    assert list(wave.sample(4, start=1, end=2).times) == [1, 1.25, 1.5, 1.75, 2]
    assert wave.sample(4).rate == 4 and wave.sample().rate == 60 and keys.rate is None


def test_invalid_arguments_are_explained(wave: inputanim.Recording) -> None:
    for arguments in ({"rate": -1}, {"rate": 1e300}, {"joints": ["Nose"]}, {"streams": ["feet"]}, {"space": "maya"}):
        with pytest.raises(inputanim.InvalidArgument):
            wave.sample(**arguments)  # type: ignore[arg-type]
    with pytest.raises(inputanim.InvalidArgument, match="either a rate or times"):
        wave.sample(60, times=[0.0])
    with pytest.raises(inputanim.InvalidArgument, match="too many samples"):
        wave.retime(duration=10).sample(1e6)


def test_samples_have_a_limit_of_bytes(wave: inputanim.Recording) -> None:
    for duration in (60_000, 1e30):
        long = wave.retime(duration=duration)
        with pytest.raises(inputanim.InvalidArgument, match=r"too many samples: [\d.e]+ times with \d+ bytes") as caught:
            long.sample()
        assert "no_limits=True" in (caught.value.hint or "")
        with pytest.raises(inputanim.EditError, match="exceeds the limit"):
            long.resample(60)
        for format in ("csv", "bvh", "usda", "iwer", "mcap", "parquet", "arrow"):
            with pytest.raises(inputanim.InputanimError, match="too many samples"):
                long.write_bytes(format)
        with pytest.raises(inputanim.InputanimError, match="too many samples"):
            inputanim.scan(long).to_arrow()
    # No computer has this much memory.
    with pytest.raises(inputanim.InvalidArgument):
        long.sample(no_limits=True)
    day = wave.retime(duration=86_400)
    with pytest.raises(inputanim.InvalidArgument, match="too many samples"):
        day.sample(40)
    # Fewer joints need fewer bytes.
    assert len(day.sample(40, joints=["Palm"], streams=["head"])) == 3_456_001
    assert day.sample(25, end=60, no_limits=True) is not None
    with pytest.raises(inputanim.InvalidArgument, match="no_limits"):
        wave.sample(no_limits=1)  # type: ignore[arg-type]


def test_data_frames_have_the_same_values(wave: inputanim.Recording) -> None:
    pytest.importorskip("polars")
    pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    samples = wave.sample(30)
    columns = samples.to_dict()
    frames = {
        "pandas": {name: column.to_numpy() for name, column in samples.to_pandas().reset_index().items()},
        "polars": {column.name: column.to_numpy() for column in samples.to_polars()},
        "arrow": {name: samples.to_arrow()[name].to_numpy() for name in columns},
    }
    for library, frame in frames.items():
        assert list(frame) == list(columns), library
        for name, column in columns.items():
            assert same_bits(frame[name].astype(column.dtype), np.ascontiguousarray(column)), (library, name)


def test_a_dataset_has_named_axes(wave: inputanim.Recording) -> None:
    pytest.importorskip("xarray")
    samples = wave.sample(30)
    dataset = samples.to_xarray()
    assert dataset.position.dims == ("time", "hand", "joint", "space")
    tip = dataset.position.sel(hand="right", joint="IndexTip")
    assert same_bits(tip.values, np.ascontiguousarray(samples.right.joint("IndexTip").position))
    assert dataset.attrs["axes"] == "unity"


numbers = st.floats(-100, 100, width=32)
unit = st.floats(-1, 1, width=32)
rotations = st.tuples(unit, unit, unit, unit).filter(lambda q: sum(part * part for part in q) > 0.01)
poses = st.one_of(st.none(), st.tuples(st.tuples(numbers, numbers, numbers), rotations))


@st.composite
def takes(draw: st.DrawFn) -> dict[str, np.ndarray]:
    """Returns random arrays of a recording: any pose may be unknown."""
    count = draw(st.integers(1, 12))
    steps = draw(st.lists(st.integers(1, 200), min_size=count, max_size=count))
    times = (np.cumsum(steps) / 128).astype(np.float32)
    joints = draw(st.lists(st.sampled_from(inputanim.JOINTS), unique=True, min_size=1, max_size=3))

    def pose(known: object) -> list[float]:
        if known is None:
            return [np.nan] * 7
        position, rotation = known  # type: ignore[misc]
        rotation = np.array(rotation, np.float32)
        return [*position, *(rotation / np.linalg.norm(rotation))]

    drawn = draw(st.lists(poses, min_size=count * (1 + len(joints)), max_size=count * (1 + len(joints))))
    block = np.array([pose(known) for known in drawn], np.float32).reshape(count, 1 + len(joints), 7)
    tracked = np.array(draw(st.lists(st.booleans(), min_size=count, max_size=count)))
    pinching = np.array(draw(st.lists(st.booleans(), min_size=count, max_size=count)))
    return {
        "times": times,
        "head": block[:, 0],
        "poses": block[:, 1:],
        "tracked": tracked,
        "pinching": pinching,
        "joints": np.array(joints),
    }


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(takes(), st.sampled_from(inputanim.LAYOUTS))
def test_recorded_arrays_are_sampled_again(take: dict[str, np.ndarray], layout: str) -> None:
    joints = [str(joint) for joint in take["joints"]]
    hand = {
        "poses": take["poses"],
        "joints": joints,
        "tracked": take["tracked"],
        "pinching": take["pinching"],
    }
    recording = inputanim.record(take["times"], head=take["head"], right=hand, layout=layout)  # type: ignore[arg-type]
    assert inputanim.read(recording.write_bytes("json")[0], format="json") == recording
    assert pickle.loads(pickle.dumps(recording)) == recording
    samples = recording.sample(times=take["times"], joints=joints)
    assert np.array_equal(samples.right.tracked, take["tracked"])
    assert np.array_equal(samples.right.pinching, take["pinching"])
    for index in range(len(joints)):
        wanted = take["poses"][:, index]
        known = ~np.isnan(wanted).all(axis=1) & take["tracked"]
        check(samples.right.position[known, index], samples.right.rotation[known, index], wanted[known])
    known = ~np.isnan(take["head"]).all(axis=1)
    if known.any():
        check(samples.head.position[known], samples.head.rotation[known], take["head"][known])
        # What the arrays do not state is not made up.
        assert np.isnan(samples.head.position[~known]).all()


def check(positions: np.ndarray, rotations: np.ndarray, wanted: np.ndarray) -> None:
    """Compares poses at their keys: positions to the bit, rotations up to their sign and the rounding of their length."""
    assert np.array_equal(positions, wanted[:, :3])
    cosines = np.abs(np.sum(rotations.astype(float) * wanted[:, 3:], axis=1))
    assert np.all(np.abs(cosines - 1) < 1e-6)


def test_a_recorder_refuses_what_it_cannot_record() -> None:
    recorder = inputanim.Recorder()
    assert recorder.push(0, head=[0, 1, 2, 0, 0, 0, 1])
    with pytest.raises(inputanim.RecordError, match="after 0 s"):
        recorder.push(0, head=[0, 1, 2, 0, 0, 0, 1])
    with pytest.raises(inputanim.RecordError) as caught:
        recorder.push(1, head=[0, np.inf, 2, 0, 0, 0, 1])
    assert caught.value.curve == "head.position.y"
    with pytest.raises(inputanim.InvalidArgument, match="shape"):
        recorder.push(1, head=[0, 1, 2])
    with pytest.raises(inputanim.InvalidArgument, match="unknown member"):
        recorder.push(1, left={"trakced": True})
    assert recorder.frames == 1


def test_a_rolling_buffer_keeps_the_last_seconds() -> None:
    recorder = inputanim.Recorder(keep_last=2, from_zero=True)
    for step in range(100):
        recorder.push(step / 10, head=([step, 0, 0], [0, 0, 0, 1]), left={"joints": {"Palm": [0, 0, 0, 0, 0, 0, 1]}})
    recorder.mark(9.5, "end")
    snapshot = recorder.snapshot()
    assert snapshot.duration == pytest.approx(2, abs=0.11)
    assert snapshot.markers[0].name == "end"
    assert recorder.snapshot(0.5).duration < 0.7


def test_keypoints_are_joints_in_the_order_of_others(two_hands: inputanim.Recording) -> None:
    hand = two_hands.sample(30).left
    points = hand.keypoints("mediapipe")
    assert points.shape == (len(hand.tracked), 21, 3)
    assert same_bits(points[:, 8], np.ascontiguousarray(hand.joint("IndexTip").position))
    assert same_bits(points[:, 20], np.ascontiguousarray(hand.joint("PinkyTip").position))
    assert np.isnan(points[~hand.tracked]).all()
    # MANO has the tips last, and the little finger before the ring finger.
    mano = hand.keypoints("mano")
    assert same_bits(mano[:, 7], np.ascontiguousarray(hand.joint("PinkyKnuckle").position))
    assert same_bits(mano[:, 17], points[:, 8])
    assert hand.keypoints("openxr").shape[1] == 26
    few = two_hands.sample(30, joints=["IndexTip"]).left
    with pytest.raises(inputanim.InvalidArgument, match="Wrist was not sampled"):
        few.keypoints()
