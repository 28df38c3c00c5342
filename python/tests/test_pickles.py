"""Objects that pass between processes and through copies."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import SAMPLES

import inputanim

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
PATIENCE = 60


def results(item: Any) -> Any:
    """Returns everything that an object states, in a form that can be compared."""
    if isinstance(item, inputanim.Recording):
        columns = {name: column.tobytes() for name, column in item.sample(30).to_dict().items()}
        return item, item.path, item.gaps, item.about, item.conversion, repr(item), columns
    if isinstance(item, inputanim.Curves):
        return list(item), {name: keys.tobytes() for name, keys in item.items()}, [keys.dtype.names for keys in item.values()]
    if isinstance(item, inputanim.Analysis):
        series = {name: values.tobytes() for name, values in item.series().items()}
        return item.recording, item.recording.path, item.measures(), item.events(), series, item.time_range, item.svg()
    assert isinstance(item, inputanim.Scan)
    return item.files, item.columns, repr(item), item.to_arrow().to_pylist(), item.errors, item.damaged, item.notices


def returned(item: Any) -> tuple[Any, Any]:
    """Returns an object from another process, with its results there."""
    return item, results(item)


@pytest.fixture
def items(study: Path, wave: inputanim.Recording, tmp_path: Path) -> list[Any]:
    """Returns objects of all classes whose results take work."""
    pytest.importorskip("pyarrow")
    take = inputanim.read(SAMPLES / "wave.bin")
    path = tmp_path / "take.csv"
    path.write_bytes(take.trim(0, 3).write_bytes("csv", rate=30, labels={"mood": "calm"})[0])
    table = inputanim.read(path, ignore_unknown=True)
    described = wave.with_about({"task": "wave"}).with_gaps({"head": [(1, 2)], "left.tracked": [(3, float("inf"))]})
    (study / "p1" / "broken.bin").write_bytes(b"not a recording")
    rows = inputanim.scan(study, "stats", path_pattern="{participant}/{condition}.bin", errors="column", measures=["head.speed"])
    sources: list[Any] = [("a", described), take, study / "p2" / "slow.bin"]
    some = inputanim.scan(sources, columns=["file", "time_s", "head.position.x", "right.tracked"], rate=30, start=0.5)
    return [
        take,
        table,
        described,
        described.trim(0, 2),
        take.curves,
        take.with_layout("mrtk-1.0", allow_loss=True).curves,
        take.analyse(),
        described.analyse({"channels.rate": 30, "pinches.close": 0.025}),
        rows,
        rows.select(["participant", "condition", "error"]),
        some,
        some.select(["time_s", "head.position.x"]).head(200).head(90),
        some.head(5).select(["file"]).head(50),
    ]


def test_a_pickle_has_equal_results(items: list[Any]) -> None:
    for item in items:
        again = pickle.loads(pickle.dumps(item))
        assert type(again) is type(item) and again is not item
        assert results(again) == results(item)
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            assert results(pickle.loads(pickle.dumps(item, protocol))) == results(item)
    assert items[1].conversion != items[0].conversion and pickle.loads(pickle.dumps(items[1])).conversion == items[1].conversion
    assert pickle.loads(pickle.dumps(items[-1])).to_arrow().num_rows == 5
    # The pickle of a pickle is the same.
    assert pickle.dumps(pickle.loads(pickle.dumps(items[0]))) == pickle.dumps(items[0])


def test_a_copy_has_equal_results(items: list[Any]) -> None:
    for item in items:
        assert results(copy.copy(item)) == results(copy.deepcopy(item)) == results(item)
    together = copy.deepcopy({"recording": items[0], "scans": items[-2:]})
    assert together["recording"] == items[0]


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_processes_return_equal_results(items: list[Any], method: str) -> None:
    with multiprocessing.get_context(method).Pool(2) as pool:
        found = pool.map_async(returned, items).get(PATIENCE)
    for item, (again, there) in zip(items, found, strict=True):
        assert there == results(item) == results(again)


def test_curves_are_equal_if_their_keys_are(wave: inputanim.Recording, two_hands: inputanim.Recording) -> None:
    assert wave.curves == inputanim.read(wave.to_bytes()).curves == wave.add_marker(1, "other").curves
    assert wave.curves != two_hands.curves and wave.curves != wave.shift(1).curves
    assert wave.curves != wave.with_layout("documented-1.1", allow_loss=True).curves and wave.curves != {}


def test_a_pickled_scan_searches_again_and_has_not_been_read(study: Path) -> None:
    (study / "p1" / "broken.bin").write_bytes(b"not a recording")
    scan = inputanim.scan(study, "info", errors="skip")
    content = pickle.dumps(scan)
    scan.to_arrow()
    assert len(scan.errors) == 1 and pickle.loads(pickle.dumps(scan)).errors == []
    # A copy in the same process is the scan itself.
    assert len(copy.deepcopy(scan).errors) == 1
    (study / "p2" / "slow.bin").rename(study / "p2" / "slower.bin")
    names = [Path(file.path).name for file in pickle.loads(content).files]
    assert names == ["broken.bin", "fast.bin", "slow.bin", "fast.bin", "slower.bin"]
    for path in study.rglob("*.bin"):
        path.unlink()
    with pytest.raises(inputanim.ScanError, match="no recordings"):
        pickle.loads(content)


def test_a_pickle_in_memory_has_no_path_and_a_damaged_one_warns_again(lost: Path, wave: inputanim.Recording) -> None:
    assert pickle.loads(pickle.dumps(wave.trim(0, 1))).path is None
    damaged = inputanim.read(lost)
    with pytest.warns(inputanim.DamageWarning, match="lost.bin"):
        analysis = damaged.analyse()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = pickle.loads(pickle.dumps(analysis))
    with pytest.warns(inputanim.DamageWarning, match="lost.bin"):
        again.recording.sample(30)


def test_samples_that_are_not_recorded_take_no_space_in_a_pickle(wave: inputanim.Recording) -> None:
    samples = wave.select("head").sample(1000)
    again = pickle.loads(pickle.dumps(samples))
    assert np.array_equal(again.head.position, samples.head.position) and np.isnan(again.gaze.origin).all()
    assert len(pickle.dumps(samples)) < 4 * len(samples) * (1 + 7 + 1) + 2**20


_UNPICKLED: list[Callable[[], object]] = [
    lambda: inputanim.Recorder(),
    lambda: next(inputanim.scan(SAMPLES).batches()),
]


def test_other_classes_refuse_to_be_pickled() -> None:
    for make in _UNPICKLED:
        with pytest.raises(TypeError, match="cannot pickle"):
            pickle.dumps(make())
