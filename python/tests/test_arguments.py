"""Arguments that are refused: names, values and ranges."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import SAMPLES

import inputanim

Invalid = inputanim.InvalidArgument


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"channels.rat": 90}, 'unknown parameter "channels.rat"; did you mean "channels.rate"?'),
        ({"channels": {"rat": 90}}, 'did you mean "channels.rate"?'),
        ({"foo": 1}, 'unknown parameter "foo"'),
        ({"min_duration": 1}, 'ambiguous parameter "min_duration": it is the end of movements.min_duration and of pinches.min_duration'),
        ({"channels.window": 0}, "channels.window: expected a number of seconds above 0 and at most 2, found 0"),
        ({"channels.order": 30}, "channels.order: expected a whole number from 3 to 8, found 30"),
        ({"movements.start_speed": -1}, "movements.start_speed: expected a number of at least 0, found -1"),
        ({"idt.dispersion": math.nan}, 'gaze.idt.dispersion: expected a number of at least 0, found "nan"'),
        ({"rate": 0}, "channels.rate: expected a number above 0"),
        ({"joints": ["Plam"]}, 'did you mean "Palm"?'),
        ({"rate": object()}, "expected a number, a string or a list"),
        (5, "expected a dictionary"),
    ],
)
def test_parameters_are_checked(wave: inputanim.Recording, parameters: Any, message: str) -> None:
    for call in (
        lambda: wave.analyse(parameters),
        lambda: wave.measures(parameters=parameters),
        lambda: inputanim.scan(SAMPLES, "events", parameters=parameters),
    ):
        with pytest.raises(Invalid, match=re.escape(message)):
            call()


def test_short_names_and_numbers_of_numpy_are_parameters(wave: inputanim.Recording) -> None:
    complete = wave.measures(parameters={"channels.window": 0.25, "gaze.idt.dispersion": 0.5})
    assert wave.measures(parameters={"window": np.float64(0.25), "idt.dispersion": np.float32(0.5)}) == complete != wave.measures()
    assert wave.measures(parameters={"joints": ("wrist",)}) == wave.measures(parameters={"joints": ["Wrist"]})
    assert {measure["name"].split(".")[0] for measure in wave.measures(parameters={"groups": ["head"]})} == {"head"}


def test_a_result_that_needs_too_much_memory_is_refused_before_it_is_made(wave: inputanim.Recording) -> None:
    calls: list[tuple[Callable[[], object], str]] = [
        (lambda: wave.repeat(10**6), "invalid number of copies: 1000000 (must be from 1 to 10000)"),
        (lambda: wave.repeat(0), "invalid number of copies: 0 (must be from 1 to 10000)"),
        (lambda: inputanim.read(SAMPLES / "two-hands.bin").repeat(10_000), "the result would have about"),
        (lambda: wave.split(parts=100_000), "invalid number of parts: 100000 (must be from 1 to 10000)"),
        (lambda: wave.split(parts=0), "invalid number of parts: 0 (must be from 1 to 10000)"),
        (lambda: wave.split(np.linspace(0, 4, 20_000).tolist()), "invalid number of parts: 20001 (must be from 1 to 10000)"),
        (lambda: inputanim.concat([wave] * 100_000), "the result would have about"),
        (lambda: inputanim.concat([]), "expected at least one recording, found none"),
    ]
    for call, message in calls:
        with pytest.raises(Invalid, match=re.escape(message)):
            call()


def test_derived_scans_share_files_and_errors(study: Path) -> None:
    bad = study / "p1" / "bad.bin"
    bad.write_bytes(b"not a recording")
    derived: list[Callable[[inputanim.Scan], object]] = [
        lambda scan: scan.lazy().collect(),
        lambda scan: scan.select(["time_s"]).to_arrow(),
        lambda scan: scan.head(1000).to_arrow(),
        lambda scan: scan.head(1000).select(["time_s"]).to_polars(),
    ]
    for read in derived:
        scan = inputanim.scan(study, errors="skip")
        read(scan)
        assert [Path(error.file).name for error in scan.errors] == ["bad.bin"]
    bad.unlink()
    scan = inputanim.scan(study)
    assert scan.head(5).head(9).to_polars().height == 5
    lazy = scan.lazy()
    (study / "p1" / "slow.bin").unlink()
    with pytest.raises(Exception, match=r"slow\.bin"):
        lazy.collect()


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_ends_sampling(wave: inputanim.Recording) -> None:
    import _thread
    import threading
    import time

    recording = wave.repeat(100)
    timer = threading.Timer(0.2, _thread.interrupt_main)
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        # A fast machine may end a call before the signal.
        for _ in range(100):
            recording.sample(2000, joints=["Palm", "IndexTip"])
    assert time.monotonic() - start < 2
    timer.join()


def test_a_time_range_is_within_the_recording(wave: inputanim.Recording) -> None:
    analysis = wave.analyse()
    calls: list[Callable[[float, float], object]] = [
        analysis.values,
        lambda start, end: wave.measures(start=start, end=end),
        lambda start, end: wave.sample(start=start, end=end),
        lambda start, end: wave.svg(start=start, end=end),
        lambda start, end: wave.plot(start=start, end=end),
        lambda start, end: wave.write_bytes("csv", start=start, end=end),
        lambda start, end: wave.diff(wave, start=start, end=end),
        lambda start, end: wave.trim(start, end),
    ]
    for call in calls:
        with pytest.raises(Invalid, match="ends before it starts"):
            call(3, 1)
        with pytest.raises(Invalid, match=re.escape("is outside the recording (0 s to 4 s)")):
            call(100, 200)
        with pytest.raises(Invalid, match="invalid time range"):
            call(math.nan, 1)
    with pytest.raises(Invalid, match="ends before it starts"):
        wave.sample(times=[1, 2], start=3, end=1)
    assert analysis.values(3, 100)["duration"] == 1
    assert wave.sample(10, start=3, end=100).times.tolist() == wave.sample(10, start=3).times.tolist()
    assert wave.sample(10, start=-5, end=1).times.tolist() == wave.sample(10, end=1).times.tolist()


def test_numbers_and_options_without_effect_are_refused(wave: inputanim.Recording, tmp_path: Path) -> None:
    path = tmp_path / "take.bin"
    wave.write(path)
    calls: list[tuple[Callable[[], object], str]] = [
        (lambda: wave.add_marker(math.nan, "x"), "invalid time of a marker: NaN"),
        (lambda: wave.add_marker(1, "x").move_marker(0, math.inf), "invalid time of a marker: inf"),
        (lambda: wave.diff(wave, position=-1), "invalid position: -1"),
        (lambda: wave.diff(wave, timing=math.nan), "invalid timing: NaN"),
        (lambda: wave.svg(width=5), "invalid width: 5 (must be from 300 to 10000)"),
        (lambda: inputanim.read(path, layout="mrtk-1.1"), "the option layout has no effect on the format bin"),
        (lambda: inputanim.read(path, space="openxr"), "the option space has no effect on the format bin"),
        (lambda: inputanim.read(wave.write_bytes("json")[0], skip_bad=True), "the option skip_bad has no effect on the format json"),
    ]
    for call, message in calls:
        with pytest.raises(Invalid, match=re.escape(message)):
            call()


def test_messages_name_the_argument_and_what_helps(wave: inputanim.Recording, tmp_path: Path) -> None:
    anything: Any = None
    number: Any = 5
    samples = wave.sample(10)
    right = samples.right
    calls: list[tuple[Callable[[], object], str]] = [
        (lambda: inputanim.scan(SAMPLES, rate=math.nan), "rate: expected a number, found nan"),
        (lambda: inputanim.scan(SAMPLES, limit=-1), "limit: expected a whole number of at least 0, found -1"),
        (lambda: inputanim.scan(SAMPLES, batch_rows=0), "batch_rows: expected a whole number of at least 1, found 0"),
        (lambda: inputanim.scan(SAMPLES).head(-1), "rows: expected a whole number of at least 0, found -1"),
        (lambda: inputanim.scan(SAMPLES, start=3, end=1), "the time range 3 s to 1 s ends before it starts"),
        (lambda: inputanim.scan(SAMPLES, errors=anything), "errors"),
        (lambda: inputanim.scan(SAMPLES, file_column=number), "file_column: expected a string, found 5"),
        (lambda: wave.sample(end=-1), "the time range until -1 s is outside the recording (0 s to 4 s)"),
        (lambda: inputanim.scan([]), "expected at least one source"),
        (lambda: inputanim.scan(SAMPLES, parameters={"rate": 30}), "the option parameters has no effect on the shape wide"),
        (lambda: inputanim.scan(SAMPLES, "info", rate=30), "the option rate or times has no effect on the shape info"),
        (lambda: right.joint("Plam"), 'unknown joint "Plam"; did you mean "Palm"?'),
        (lambda: right.keypoints(number), "order: expected a string, found 5"),
        (lambda: inputanim.concat([wave, anything]), "expected a recording, found None"),
        (lambda: wave.diff(anything), "expected a recording, found None"),
        (lambda: wave.curves["camra.position.x"], 'unknown curve "camra.position.x"; did you mean "head.position.x"?'),
        (lambda: wave.wrap_modes("camra.position.x"), 'did you mean "head.position.x"?'),
        (lambda: wave.write_bytes("motion-bids"), "write it with the program: inputanim convert IN OUT"),
    ]
    for call, message in calls:
        with pytest.raises(Invalid, match=re.escape(message)):
            call()
    with pytest.raises(KeyError):
        wave.curves["neck.position.x"]
    assert "neck.position.x" not in wave.curves and wave.curves.get("neck.position.x") is None
    assert [column.name for column in inputanim.scan(SAMPLES, columns="time_s").columns] == ["time_s"]
    assert list(tmp_path.iterdir()) == []


def test_values_of_a_wrong_type_are_refused_with_their_argument(wave: inputanim.Recording, tmp_path: Path) -> None:
    anything: Any = "x"
    number: Any = 3
    calls: list[tuple[Callable[[], object], str]] = [
        (lambda: wave.split(number), "times: expected numbers, found 3\nhint: split(parts=3) divides into 3 equal parts"),
        (lambda: wave.split(2.5), "times: expected numbers, found 2.5\nhint: split([2.5])"),  # type: ignore[arg-type]
        (lambda: wave.split([0, anything]), "times: expected numbers"),
        (lambda: wave.trim(anything), "start: must be real number, not str"),
        (lambda: wave.shift(anything), "seconds: must be real number, not str"),
        (lambda: wave.transform(rotate=[1, 2]), "rotate: expected 4 numbers, found 2"),
        (lambda: wave.transform(move=number), "move: expected numbers, found 3"),
        (lambda: wave.transform(anchor={"postion": [1, 0, 0]}), 'anchor: unknown member "postion"; did you mean "position"?'),  # type: ignore[typeddict-unknown-key]
        (lambda: inputanim.record([0], left={"trakced": [True]}), 'left: unknown member "trakced"; did you mean "tracked"?'),
        (lambda: inputanim.record([0], left={"x": 1}), 'left: unknown member "x"; expected one of joints, pinching, poses'),
        (lambda: wave.sample(joints=number), "joints: expected names, found 3"),
        (lambda: wave.sample(streams=number), "streams: expected names, found 3"),
        (lambda: wave.sample(times=[anything]), "times: expected numbers, found str"),
        (lambda: wave.sample(rate=anything), "rate: expected a number, found 'x'"),
        (lambda: wave.select(number), "joints: expected names, found 3"),
        (lambda: wave.diff(wave, between_keys=-1), "between_keys: "),
        (lambda: wave.add_marker(1, "\ud800"), "name: "),
        (lambda: wave.write_bytes(number), "format: expected a string, found 3"),
        (lambda: inputanim.read(number), "source: expected a path or bytes, found 3"),
        (lambda: inputanim.concat(number), "recordings: expected recordings, found 3"),
        (lambda: inputanim.record([0], head=number), "head: expected an array of shape (1, 7), found ()"),
        (lambda: inputanim.record([0], left=number), "left: expected a dictionary, found 3"),
        (lambda: inputanim.record([1j]), "times: expected numbers, found complex128"),
        (lambda: wave.write_bytes("csv", labels=number), "labels: expected a dictionary, found 3"),
        (lambda: inputanim.scan(number), "sources: expected a path, a recording or a list of them, found 3"),
        (lambda: inputanim.scan([number]), "sources: expected a path, a recording or a pair of a name and bytes, found 3"),
    ]
    for call, message in calls:
        with pytest.raises(Invalid) as caught:
            call()
        assert message in str(caught.value), (message, str(caught.value))


def test_the_name_of_a_space_is_kept_in_its_usual_form(wave: inputanim.Recording) -> None:
    samples = wave.sample(10, space="openXR")
    assert samples.space == "openxr"
    assert samples.record().diff(wave.sample(10).record())["verdict"] != "different"
    assert samples.to_xarray().attrs["axes"] == "openxr"
    with pytest.raises(Invalid, match="unknown space"):
        wave.sample(space="openxrr")


def test_the_rate_of_events_and_stats_is_that_of_the_analysis(wave: inputanim.Recording) -> None:
    by_rate = inputanim.read_polars(wave, "stats", rate=30)
    assert by_rate.equals(inputanim.read_polars(wave, "stats", parameters={"channels.rate": 30}))
    assert not by_rate.equals(inputanim.read_polars(wave, "stats"))
    with pytest.raises(Invalid, match="expected either rate or the parameter"):
        inputanim.scan(wave, "events", rate=30, parameters={"rate": 90})
    with pytest.raises(Invalid, match="invalid rate: -1 Hz"):
        inputanim.scan(wave, "events", rate=-1)


def test_a_missing_package_is_named_with_its_extra(wave: inputanim.Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "xarray", None)
    # The message names the packages of the extra, because this package is not on PyPI.
    message = 'the package xarray is not installed: pip install "xarray>=2024.1"'
    with pytest.raises(ModuleNotFoundError, match=f"^{re.escape(message)}$"):
        wave.to_xarray(10)
