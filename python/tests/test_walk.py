"""A random walk over the package: hostile values, several threads and forked children.

The walk is the same in each run. A failure prints the steps that lead to it. `INPUTANIM_WALK=2000` makes a longer walk of other
steps.
"""

from __future__ import annotations

import faulthandler
import inspect
import math
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import SAMPLES
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

import inputanim

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")

LONGEST_TEXT = 1000
"""The longest text of an object, in characters."""
PATIENCE = 60
"""The longest time of a step in seconds."""
MAX_BYTES = 1 << 20
"""Larger recordings are dropped, so that the walk stays fast."""

SOURCES = [inputanim.read(path).trim(0, 1.5) for path in sorted(SAMPLES.glob("*.bin"))]
SOURCES += [recording.with_layout("documented-1.0", allow_loss=True) for recording in SOURCES[:2]]
SOURCES += [inputanim.record([0]), SOURCES[0].select("head"), SOURCES[0].shift(-0.5)]

NUMBERS = [0, 1, -1, 2, 3, 0.5, -0.0, math.nan, math.inf, -math.inf, 1e-300, 5e-324, 3.4e38, 1e300, 2**31, 2**63, 2**64, -(2**63)]
"""The list has no numbers between 1,000 and 1,000,000, because some calls need much time and memory for them."""

hostile = st.one_of(
    st.sampled_from(NUMBERS),
    st.sampled_from([None, True, 10**400, 1j, b"", b"\xc6B\x9e\x0f", (), [], {}, [None], [[1]], {"a": 1}, object(), int, Path("a")]),
    st.sampled_from(["", "\ud800", "\udcff", "a\0b", "*" * 200, "Palm", "nan", "keys", "é", "../x", "[", "{a}/{a}"]),
    st.sampled_from([np.float32(1), np.int8(1), np.array(["x"]), np.array([1 + 1j]), np.zeros((2, 2, 2)), np.ma.masked, np.datetime64(1, "s")]),
)

numbers = st.sampled_from(NUMBERS[:11])
joints = st.sampled_from([["Palm"], "IndexTip", ["left.Palm", "right"], ["head"], ["right.Index*"], []])
USUAL: dict[str, st.SearchStrategy[Any]] = {
    "rate": st.sampled_from([1, 10, 29.97, 60, 90]),
    "times": st.sampled_from(["keys", [0, 0.5], [1, 0.2, math.nan], np.linspace(-1, 9, 50), 2, 3]),
    "joints": joints,
    "exclude": joints,
    "ignore": joints,
    "streams": st.sampled_from([["head"], ["left", "gaze"], "right", []]),
    "space": st.sampled_from([*inputanim.SPACES, "OpenXR"]),
    "layout": st.sampled_from(inputanim.LAYOUTS),
    "format": st.sampled_from([format.name for format in inputanim.formats() if format.can_write]),
    "shape": st.sampled_from(["wide", "tidy", "keys", "info", "findings", "events", "stats", "measures", "markers", "curves", "states", "haptics"]),
    "index": st.integers(-1, 3),
    "name": st.text(max_size=8),
    "parts": st.integers(0, 5),
    "at": st.sampled_from(["gaps", "markers"]),
    "across": st.sampled_from(["head", "world"]),
    "rotate": st.sampled_from([[0, 0, 0, 1], [1, 2, 3, 4], [0, 0, 0, 0]]),
    "move": st.sampled_from([[0, 1, 0], [math.nan, 0, 0]]),
    "method": st.sampled_from(["interpolate", "hold", "drop", "one-pass", "optimal"]),
    "side": st.sampled_from(["left", "right"]),
    "hand": st.sampled_from(["left", "right"]),
    "curve": st.sampled_from(["head.position.x", "left.tracked", "left.Palm.rotation.w"]),
    "labels": st.sampled_from([{"p": "1"}, {"time_s": ""}]),
    "panels": st.sampled_from([["timeline"], ["speed", "paths"], []]),
    "width": st.sampled_from([300, 900]),
    "parameters": st.sampled_from([{"channels.rate": 30}, {"pinches.close": 0.02}, {"targets": []}]),
    "start_time": st.sampled_from([datetime(2024, 5, 1, tzinfo=timezone.utc), datetime.max]),
    "errors": st.sampled_from(["raise", "skip", "column"]),
    "segments": st.sampled_from(["markers", "0:1", "pinch@-0.5..1", "movement@start..end", "no.csv"]),
    "points": st.integers(0, 9),
    "columns": st.sampled_from([["time_s"], ["file"], "file", []]),
    "path_pattern": st.sampled_from(["{p}.bin", "{p}/{q}"]),
    "threads": st.integers(0, 3),
    "batch_rows": st.sampled_from([1, 7, 8192]),
}

POSE = [0, 1.6, 0, 0, 0, 0, 1]
USUAL |= {"head": st.just(POSE), "gaze": st.just([0, 1.6, 0, 0, 0, 1])}
USUAL |= dict.fromkeys(["left", "right"], st.sampled_from([{"joints": {"Palm": POSE}}, {"tracked": False}]))
FLAGS = ["allow_loss", "dark", "from_zero", "ignore_unknown", "keep_times", "raw", "skip_bad", "tangents", "untracked"]
USUAL |= dict.fromkeys([*FLAGS, "markers"], st.booleans())

METHODS = [
    name
    for name, _ in inspect.getmembers(inputanim.Recording, inspect.isfunction)
    if not name.startswith(("_", "to_m", "to_py")) and name not in ("view", "play_openxr", "plot", "write", "repeat", "diff", "to_polars")
]
PROPERTIES = [name for name, _ in inspect.getmembers(inputanim.Recording, lambda item: isinstance(item, property))]


@st.composite
def options(draw: st.DrawFn, function: Callable[..., Any]) -> dict[str, Any]:
    """Returns arguments of a function: few or many, usual or hostile."""
    found: dict[str, Any] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if name == "self" or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if parameter.default is parameter.empty or draw(st.integers(0, 3)) == 0:
            usual = draw(st.integers(0, 5)) > 0
            found[name] = draw(USUAL.get(name, numbers) if usual else hostile)
    return found


Work = Callable[[], Any]


def attempt(work: Work) -> Any:
    """Calls a function, which may raise exceptions of the package and of the system, and no others."""
    try:
        return work()
    except inputanim.InputanimError as error:
        # The text is complete, can be printed, and does not show the native module.
        text = str(error)
        assert text and text.encode() is not None, repr(error)
        assert "extract" not in text and "PySource" not in text, text
    except OSError:
        pass
    return None


def examine(result: Any) -> None:
    """Looks at a result as an interactive session does."""
    if type(result).__module__.startswith("inputanim") or isinstance(result, inputanim.Recording):
        text = repr(result)
        assert len(text) < LONGEST_TEXT and text.encode() is not None
        if hasattr(result, "_repr_html_") and not isinstance(result, inputanim.Analysis):
            assert len(result._repr_html_()) < 3_000_000
    if isinstance(result, (tuple, list)):
        for part in result[:3]:
            examine(part)


def in_child(work: Work) -> None:
    """Does work in a forked process, which must end."""
    process = os.fork()
    if process == 0:
        code = 1
        try:
            examine(attempt(work))
            code = 0
        except BaseException as error:
            os.write(2, f"in the child: {error!r}\n".encode("utf-8", "replace"))
        finally:
            os._exit(code)
    deadline = time.monotonic() + PATIENCE / 2
    while time.monotonic() < deadline:
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            assert os.waitstatus_to_exitcode(status) == 0
            return
        time.sleep(0.002)
    os.kill(process, 9)
    os.waitpid(process, 0)
    pytest.fail("the child hangs")


class Walk(RuleBasedStateMachine):
    """The walk. Each step works on one of some recordings."""

    def __init__(self) -> None:
        super().__init__()
        self.recordings = list(SOURCES)
        self.recorder = inputanim.Recorder()
        self.pool = ThreadPoolExecutor(3)

    def teardown(self) -> None:
        self.pool.shutdown()

    def keep(self, result: Any) -> None:
        found = result if isinstance(result, (list, tuple)) else [result]
        for item in found[:2]:
            if isinstance(item, inputanim.Recording) and len(item.to_bytes()) < MAX_BYTES and not 60 < item.duration < 1e9:
                self.recordings = [*self.recordings[-12:], item]

    def do(self, data: st.DataObject, work: Work) -> None:
        """Does the work here, in several threads at once, or in a forked process."""
        # A step that hangs ends the process, with the stacks of all threads.
        faulthandler.dump_traceback_later(PATIENCE, exit=True)
        where = data.draw(st.sampled_from(["here"] * 4 + ["threads", "child"]), "where")
        if where == "threads":
            results = list(self.pool.map(attempt, [work] * 3))
            result = results[0]
        elif where == "child" and hasattr(os, "fork"):
            in_child(work)
            result = None
        else:
            result = attempt(work)
        examine(result)
        self.keep(result)
        faulthandler.cancel_dump_traceback_later()

    def recording(self, data: st.DataObject) -> inputanim.Recording:
        return self.recordings[data.draw(st.integers(0, len(self.recordings) - 1), "recording")]

    @rule(data=st.data(), name=st.sampled_from(METHODS))
    def call(self, data: st.DataObject, name: str) -> None:
        method = getattr(self.recording(data), name)
        given = data.draw(options(inputanim.Recording.sample if name.startswith("to_") else method), "options")
        if name == "to_bytes":
            given = data.draw(options(method), "options")
        names = given.pop("joints", ()) if name == "select" else ()
        self.do(data, lambda: method(*names, **given))

    @rule(data=st.data(), name=st.sampled_from(PROPERTIES))
    def look(self, data: st.DataObject, name: str) -> None:
        recording = self.recording(data)
        self.do(data, lambda: getattr(recording, name))

    @rule(data=st.data())
    def join(self, data: st.DataObject) -> None:
        parts = [self.recording(data), self.recording(data)]
        given = data.draw(st.fixed_dictionaries({}, optional={"gap": numbers | hostile, "blend": numbers}), "options")
        self.do(data, lambda: inputanim.concat(parts, **given))

    @rule(data=st.data())
    def compare(self, data: st.DataObject) -> None:
        recording, other = self.recording(data), self.recording(data)
        given = data.draw(options(recording.diff), "options")
        given["other"] = other
        self.do(data, lambda: recording.diff(**given))

    @rule(data=st.data())
    def damage(self, data: st.DataObject) -> None:
        content = bytearray(self.recording(data).to_bytes())
        for _ in range(data.draw(st.integers(1, 4))):
            place = data.draw(st.integers(0, min(len(content) - 1, 4000)))
            content[place] = data.draw(st.integers(0, 255))
        content = content[: data.draw(st.sampled_from([None, len(content) // 2, 40, 0]))]
        self.do(data, lambda: inputanim.read(content))
        self.do(data, lambda: inputanim.recover(bytes(content)).recording)

    @rule(data=st.data())
    def convert_back(self, data: st.DataObject) -> None:
        recording = self.recording(data)
        format = data.draw(st.sampled_from(["json", "glb", "iwer", "mcap", "parquet", "arrow", "csv", "ndjson"]))
        converted = attempt(lambda: recording.write_bytes(format))
        if converted is not None:
            content = bytearray(converted[0])
            place = data.draw(st.integers(0, len(content)))
            content[place : place + 1] = data.draw(st.binary(max_size=2))
            given = data.draw(options(inputanim.read), "options")
            given = {**given, "source": content, "format": format}
            self.do(data, lambda: inputanim.read(**given))

    @rule(data=st.data())
    def scan(self, data: st.DataObject) -> None:
        sources = [("a", self.recording(data)), ("é\udcff.bin", self.recording(data)), ("c", b"bad")]
        given = data.draw(options(inputanim.scan), "options")
        if data.draw(st.integers(0, 5)) > 0:
            given["sources"] = sources[: data.draw(st.integers(1, 3))]
        given["limit"] = data.draw(st.sampled_from([0, 1, 100]))

        def rows() -> inputanim.Scan:
            scan = inputanim.scan(**given)
            for batch in scan.batches():
                assert batch.rows <= 100
            return scan

        self.do(data, rows)

    @rule(data=st.data())
    def record(self, data: st.DataObject) -> None:
        given = data.draw(options(self.recorder.push), "options")
        self.do(data, lambda: self.recorder.push(**given))
        made = data.draw(options(inputanim.record), "options")
        self.do(data, lambda: inputanim.record(**made))
        settings_of = data.draw(options(inputanim.Recorder), "options")
        self.do(data, lambda: inputanim.Recorder(**settings_of))
        seconds = data.draw(numbers)
        self.do(data, lambda: self.recorder.snapshot(seconds))

    @rule(data=st.data())
    def sample(self, data: st.DataObject) -> None:
        recording = self.recording(data)
        given = data.draw(options(recording.sample), "options")
        samples = attempt(lambda: recording.sample(**given))
        if samples is not None:
            layout = data.draw(USUAL["layout"] | hostile)
            name = data.draw(st.sampled_from(["left", "right"]) | hostile)
            self.do(data, lambda: samples.record(layout=layout, markers=[(0, "a")]))
            self.do(data, lambda: samples.hand(name) and samples.hand(name).joint(name))
            self.do(data, lambda: (len(samples.to_dict()), samples.to_xarray().sizes))

    @rule(data=st.data())
    def analyse(self, data: st.DataObject) -> None:
        recording = self.recording(data)
        given = data.draw(options(recording.analyse), "options")
        analysis = attempt(lambda: recording.analyse(**given))
        if analysis is not None:
            name = data.draw(st.sampled_from(["measures", "events", "series", "svg", "values"]))
            method = getattr(analysis, name)
            more = data.draw(options(method), "options")
            self.do(data, lambda: method(**more))


def test_a_random_walk_raises_only_documented_exceptions() -> None:
    longer = os.environ.get("INPUTANIM_WALK")
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        Walk,
        settings=settings(
            max_examples=int(longer or 10),
            stateful_step_count=30,
            derandomize=longer is None,
            database=None,
            deadline=None,
            # Finding a shorter walk would take minutes.
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )
