"""Processes: children of fork, forkserver and spawn, pools of workers, and subinterpreters."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import SAMPLES

import inputanim

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
METHODS = multiprocessing.get_all_start_methods()

PATIENCE = 60
"""The longest time of a child in seconds. A child that hangs would never end."""


def work(content: bytes) -> list[Any]:
    """Calls everything that uses several threads."""
    recording = inputanim.Recording(content)
    samples = recording.sample(2000, joints=["Palm"])
    return [
        recording.repair()[1],
        recording.analyse().values(),
        inputanim.read_polars(recording, "tidy", joints=["Palm"]).height,
        inputanim.read_arrow([("a", recording), ("b", recording)], "stats").num_rows,
        samples.times.tobytes(),
        recording.reduce()[0].to_bytes(),
        recording.info,
        recording.findings,
    ]


def serve(tasks: Any, results: Any) -> None:
    """Works like a worker of a data loader: takes indices from a queue, and puts results into another queue."""
    for index, content in iter(tasks.get, None):
        results.put((index, work(content)))


@pytest.fixture
def long(wave: inputanim.Recording) -> bytes:
    """Returns a recording that is long enough for several threads. Sampling it has started these threads in this process."""
    content = wave.repeat(8).to_bytes()
    work(content)
    return content


def child(function: Callable[[], object]) -> None:
    """Calls a function in a forked process, which must end."""
    process = os.fork()
    if process == 0:
        try:
            function()
            os._exit(0)
        except BaseException as error:
            os.write(2, repr(error).encode())
        finally:
            os._exit(1)
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            assert os.waitstatus_to_exitcode(status) == 0
            return
        time.sleep(0.01)
    os.kill(process, 9)
    os.waitpid(process, 0)
    pytest.fail("the child hangs")


@needs_fork
def test_a_forked_child_returns(long: bytes) -> None:
    expected = work(long)

    def check() -> None:
        assert work(long) == expected

    child(check)
    # This is the child of a child.
    child(lambda: child(check))
    assert work(long) == expected


@pytest.mark.parametrize("method", METHODS)
def test_a_pool_of_workers_returns(long: bytes, method: str) -> None:
    expected = work(long)
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map_async(work, [long] * 3).get(PATIENCE) == [expected] * 3


@pytest.mark.parametrize("method", METHODS)
def test_a_data_loader_returns(long: bytes, method: str) -> None:
    expected = work(long)
    context: Any = multiprocessing.get_context(method)
    tasks, results = context.Queue(), context.Queue()
    workers = [context.Process(target=serve, args=(tasks, results), daemon=True) for _ in range(2)]
    # Two rounds, because a data loader starts its workers again for each epoch.
    for worker in workers:
        worker.start()
    try:
        for index in range(4):
            tasks.put((index, long))
        found = dict(results.get(timeout=PATIENCE) for _ in range(4))
        assert found == {index: expected for index in range(4)}
        for _ in workers:
            tasks.put(None)
        for worker in workers:
            worker.join(PATIENCE)
            assert worker.exitcode == 0
    finally:
        for worker in workers:
            worker.kill()


@needs_fork
def test_rows_that_the_parent_has_begun_are_refused_in_the_child(long: bytes) -> None:
    recording = inputanim.Recording(long)
    scan = inputanim.scan([(str(index), recording) for index in range(8)], "tidy", joints=["Palm"], batch_rows=64)
    rows = scan.batches()
    next(rows)

    def check() -> None:
        with pytest.raises(inputanim.ScanError, match="another process"):
            next(rows)
        # The scan itself may be read again.
        assert scan.head(1000).to_arrow().num_rows == 1000
        rows.close()

    child(check)
    assert next(rows).rows > 0


@needs_fork
def test_children_of_a_busy_process_return(long: bytes) -> None:
    """Forks while other threads work. These threads may hold locks."""
    recording = inputanim.Recording(long)
    sources = [("a", recording), ("b", recording)]
    is_done = threading.Event()

    def busy() -> None:
        while not is_done.is_set():
            inputanim.read_arrow(sources, "tidy", joints=["Palm"], batch_rows=16)
            recording.repair()

    def check() -> None:
        assert inputanim.read_arrow(sources, "tidy", joints=["Palm"], limit=100).num_rows == 100
        recording.repair()

    threads = [threading.Thread(target=busy) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(12):
            child(check)
    finally:
        is_done.set()
        for thread in threads:
            thread.join()


SUBINTERPRETER = """
try:
    import _interpreters as interpreters
    interpreter = interpreters.create("legacy")
except ImportError:
    import _xxsubinterpreters as interpreters
    interpreter = interpreters.create()
code = '''
import sys
sys.path[:] = PATH
try:
    import inputanim
except ImportError as error:
    print(error)
'''
import sys
found = interpreters.{run}(interpreter, code.replace("PATH", repr(sys.path)))
"""


def test_subinterpreters_are_refused(tmp_path: Path) -> None:
    run = "exec" if sys.version_info >= (3, 13) else "run_string"
    program = [sys.executable, "-c", SUBINTERPRETER.replace("{run}", run)]
    ended = subprocess.run(program, capture_output=True, text=True, timeout=PATIENCE, cwd=tmp_path)
    assert "inputanim does not support subinterpreters" in ended.stdout, ended
    assert "hint: use threads or processes" in ended.stdout
