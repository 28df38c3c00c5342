"""Reading, keys, description, errors."""

from __future__ import annotations

import pickle
import struct
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from conftest import SAMPLES, recordings

import inputanim


@pytest.mark.parametrize("path", recordings(), ids=lambda path: path.name)
def test_keys_are_views_of_the_bytes_of_the_file(path: Path) -> None:
    content = path.read_bytes()
    try:
        recording = inputanim.Recording(content)
    except inputanim.ParseError:
        pytest.skip("not well formed")
    assert recording.to_bytes() is content
    memory = np.frombuffer(content, np.uint8)
    for name, keys in recording.curves.arrays().items():
        assert not keys.flags.owndata and not keys.flags.writeable
        assert len(keys) == 0 or np.shares_memory(keys, memory), name
    assert recording.curves.arrays().keys() == set(recording.curves)


def test_an_array_keeps_the_bytes_of_its_file() -> None:
    content = bytes(bytearray((SAMPLES / "wave.bin").read_bytes()))
    before = sys.getrefcount(content)
    keys = inputanim.Recording(content).curves["right.Palm.position.y"]
    during = sys.getrefcount(content)
    assert during == before + 1
    assert id(keys.base) == id(content)
    assert keys.flags.aligned and keys.flags.c_contiguous
    with pytest.raises(ValueError, match="read-only"):
        keys["value"][0] = 1
    del keys
    after = sys.getrefcount(content)
    assert after == before


def test_an_unknown_curve_is_a_key_error(wave: inputanim.Recording) -> None:
    with pytest.raises(KeyError, match="right.Elbow"):
        wave.curves["right.Elbow.position.x"]


def parsed_by_hand(content: bytes) -> dict[int, np.ndarray]:
    """Reads a file of MRTK 1.1 with struct, curve by curve."""
    assert content[16:19] == b"\1\1\1", "all streams"
    offset = 19
    curves = {}
    for number in range(395):
        _, _, count = struct.unpack_from("<iii", content, offset)
        curves[number] = np.frombuffer(content, inputanim.SIMPLE_KEY, count, offset + 12)
        offset += 12 + 8 * count
    return curves


def test_keys_are_those_of_a_plain_parser(wave: inputanim.Recording) -> None:
    expected = parsed_by_hand(wave.to_bytes())
    assert len(wave.curves) == len(expected)
    for keys, wanted in zip(wave.curves.values(), expected.values()):
        assert keys.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("layout", inputanim.LAYOUTS)
def test_every_layout_gives_the_same_bytes_again(layout: str, two_hands: inputanim.Recording, tmp_path: Path) -> None:
    converted = two_hands.with_layout(layout, allow_loss=True)
    assert converted.layout == layout
    again = inputanim.read(converted.to_bytes())
    assert again == converted and again.to_bytes() == converted.to_bytes()
    path = tmp_path / "take.bin"
    converted.write(path)
    assert path.read_bytes() == converted.to_bytes()
    full = "simple" not in layout and layout != "mrtk-1.1"
    assert converted.curves["head.position.x"].dtype == (inputanim.FULL_KEY if full else inputanim.SIMPLE_KEY)
    # Lossless JSON keeps every bit.
    text, _ = converted.write_bytes("json")
    assert inputanim.read(text) == converted


def test_a_curve_has_its_wrap_modes(wave: inputanim.Recording) -> None:
    assert wave.wrap_modes("left.tracked") == (8, 8)
    with pytest.raises(KeyError):
        wave.wrap_modes("left.Nose")


def test_a_recording_is_described(wave: inputanim.Recording, two_hands: inputanim.Recording) -> None:
    info = wave.info
    assert info["layout"] == "mrtk-1.1" and info["duration"] == wave.duration == 4.0
    assert info["streams"][0]["recorded_curves"] == 7
    assert info["hands"]["right"]["tracked"][0] == {"start": 0, "end": 4}
    assert [marker.name for marker in wave.markers] == ["wave"]
    kinds = {event["kind"] for event in two_hands.transitions()}
    assert {"lost", "found", "pinch_down", "pinch_up"} <= kinds


def test_a_damaged_file_is_refused_with_its_place_and_recovered(wave: inputanim.Recording, tmp_path: Path) -> None:
    path = tmp_path / "cut.bin"
    path.write_bytes(wave.to_bytes()[:100_000])
    with pytest.raises(inputanim.ParseError) as caught:
        inputanim.read(path)
    error = caught.value
    assert error.curve is not None and error.curve in wave.curves
    assert error.offset is not None and error.kind and error.file == str(path)
    assert "inputanim.recover" in str(error) and str(path) in str(error)
    recovered = inputanim.recover(path)
    assert recovered.error is not None and recovered.error["offset"] == error.offset
    assert recovered.damaged[0]["part"] == error.curve
    name = "head.position.x"
    assert recovered.recording.curves[name].tobytes() == wave.curves[name].tobytes()


def test_errors_and_recordings_pass_between_processes(wave: inputanim.Recording) -> None:
    with pytest.raises(inputanim.ParseError) as caught:
        inputanim.read(wave.to_bytes()[:5000])
    copy = pickle.loads(pickle.dumps(caught.value))
    assert type(copy) is inputanim.ParseError and str(copy) == str(caught.value)
    assert (copy.curve, copy.offset, copy.kind) == (caught.value.curve, caught.value.offset, caught.value.kind)
    assert pickle.loads(pickle.dumps(wave)) == wave


def test_a_missing_file_is_an_os_error() -> None:
    with pytest.raises(FileNotFoundError):
        inputanim.read(SAMPLES / "missing.bin")


def test_equal_recordings_are_equal(wave: inputanim.Recording) -> None:
    assert wave == inputanim.read(SAMPLES / "wave.bin") and hash(wave) == hash(inputanim.read(wave.to_bytes()))
    assert wave != wave.shift(1)
    assert wave.diff(wave)["verdict"] == "equal"
    moved = wave.diff(wave.transform(move=[0.5, 0, 0]))
    assert moved["verdict"] == "different" and "head" in moved["out_of_tolerance"]


def test_threads_work_at_the_same_time(two_hands: inputanim.Recording) -> None:
    """A thread makes progress while another one is inside a long call, so the call has released the interpreter."""
    long = two_hands.repeat(64)
    inside = threading.Event()
    counted = 0

    def count() -> None:
        nonlocal counted
        inside.wait()
        while inside.is_set():
            counted += 1

    thread = threading.Thread(target=count)
    thread.start()
    inside.set()
    before = counted
    long.reduce()
    during = counted - before
    inside.clear()
    thread.join()
    assert during > 1000


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_ends_a_long_call(two_hands: inputanim.Recording) -> None:
    import _thread

    long = two_hands.repeat(256)
    timer = threading.Timer(0.2, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        # A fast machine may end a call before the signal.
        for _ in range(100):
            long.reduce(method="optimal", position=0.02, rotation=5)
    timer.join()


def test_a_notebook_shows_summary_and_figure(wave: inputanim.Recording) -> None:
    page = wave._repr_html_()
    assert "<svg" in page and "mrtk-1.1" in page and "4.000 s" in page
    named = wave.add_marker(1, "<script>")
    assert "<script>" not in named._repr_html_()


def test_a_figure_is_drawn_with_matplotlib(wave: inputanim.Recording) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    figure = wave.plot()
    states, speeds, paths = figure.axes
    assert {line.get_label() for line in speeds.lines} >= {"head", "right.Palm"}
    assert paths.lines and states.collections
