"""Recordings of the tests."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import inputanim

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "samples"
CORPUS = os.environ.get("INPUTANIM_CORPUS")


def recordings() -> list[Path]:
    """Returns the samples, and the recordings of the corpus if there is one."""
    folders = [SAMPLES, *([Path(CORPUS)] if CORPUS else [])]
    return sorted(path for folder in folders for path in folder.rglob("*.bin"))


@pytest.fixture
def wave() -> inputanim.Recording:
    return inputanim.read(SAMPLES / "wave.bin")


@pytest.fixture
def two_hands() -> inputanim.Recording:
    return inputanim.read(SAMPLES / "two-hands.bin")


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Lets Ctrl-C raise an exception. Programs that run in the background ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def lost(tmp_path: Path) -> Path:
    """A recording that lost w, as MRTK 2.6.0 to 2.7.2 save it: only the first key of each w is in the file."""
    content, _ = inputanim.read(SAMPLES / "wave.bin").write_bytes("json")
    objects = json.loads(content)
    for curve in objects["curves"]:
        if curve["curve"].endswith("rotation.w"):
            del curve["keys"][1:]
    path = tmp_path / "lost.bin"
    path.write_bytes(inputanim.read(json.dumps(objects).encode(), format="json").to_bytes())
    return path


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Returns a folder with two recordings of two participants each."""
    wave = inputanim.read(SAMPLES / "wave.bin")
    for participant in (1, 2):
        for condition in ("slow", "fast"):
            folder = tmp_path / "study" / f"p{participant}"
            folder.mkdir(parents=True, exist_ok=True)
            speed = 2.0 if condition == "fast" else 1.0
            wave.trim(0, 1.5 + participant / 2).retime(speed).write(folder / f"{condition}.bin")
    return tmp_path / "study"


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    """Returns whether arrays have the same bits, so that NaN equals itself."""
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
