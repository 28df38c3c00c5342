"""Text and HTML of objects, and figures."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from conftest import SAMPLES

import inputanim

LONGEST = 500
"""The longest text of an object, in characters."""


def endless() -> inputanim.Recording:
    """Returns a recording whose last key is at infinity."""
    content = inputanim.record([0, 1], head=np.tile([0, 1.6, 0, 0, 0, 0, 1], (2, 1))).to_bytes()
    return inputanim.Recording(content.replace(np.float32(1).tobytes() + np.float32(1.6).tobytes(), np.float32(np.inf).tobytes() + np.float32(1.6).tobytes()))


def test_a_recording_with_an_infinite_duration_is_shown() -> None:
    recording = endless()
    assert recording.duration == np.inf
    assert "inf s" in repr(recording)
    html = recording._repr_html_()
    assert ">inf s</td>" in html and "</div>" in html


def test_the_text_of_objects_is_short(wave: inputanim.Recording) -> None:
    samples = wave.sample(30)
    recovered = inputanim.recover(wave.to_bytes()[:99_000])
    analysis = wave.analyse()
    scan = inputanim.scan(SAMPLES)
    batch = next(scan.batches())
    objects = [wave, wave.curves, samples, samples.head, samples.left, samples.gaze, recovered, analysis, scan, batch]
    objects += [samples.right.joint("Palm"), inputanim.Recorder(), wave.write_bytes("csv")[1], wave._native]
    texts = [repr(item) for item in objects]
    assert max(map(len, texts)) < LONGEST, texts
    assert repr(samples.head) == "<PoseSamples: 121 times>"
    assert repr(samples.gaze) == "<RaySamples: 121 times>"
    assert repr(samples.left) == "<HandSamples: 121 times, 26 joints; tracked at 14, pinching at 0>"
    assert repr(recovered).startswith(f"<Recovered: {len(recovered.damaged)} damaged parts, ")


def test_scans_and_samples_are_shown_in_notebooks(wave: inputanim.Recording, study: Path) -> None:
    samples = wave.sample(30, joints=["Palm"])._repr_html_()
    for text in ("121 times", "0.000 s to 4.000 s", "30 Hz", "head", "(121, 1, 3)", "unity", "Palm"):
        assert text in samples, text
    assert "given times" in wave.sample(times="keys")._repr_html_()
    assert "0 times" in wave.sample(times=[])._repr_html_()
    scan = inputanim.scan(study, columns=["file", "time_s", "right.Palm.position.y"])
    html = scan._repr_html_()
    for text in ("4 files", "wide", "right.Palm.position.y", "float32", ">m</td>", "slow.bin"):
        assert text in html, text
    # All columns and files of a large study would fill the notebook.
    many = inputanim.scan([(f"{index}.bin", wave) for index in range(300)], "stats")._repr_html_()
    assert len(many) < 20_000 and "and 280 more" in many
    # Text from files is not markup.
    assert "<b>" not in inputanim.scan([("<b>", wave)])._repr_html_()


def test_figures_are_not_left_open(wave: inputanim.Recording, tmp_path: Path) -> None:
    from matplotlib import pyplot

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figures = [wave.plot() for _ in range(25)]
    assert pyplot.get_fignums() == []
    own = pyplot.figure()
    assert wave.plot(figure=own) is own and len(own.axes) == 3
    pyplot.close(own)
    figures[0].savefig(tmp_path / "figure.png")
    assert len(figures[0].axes) == 3


def test_the_package_has_a_version() -> None:
    from importlib.metadata import version

    assert inputanim.__version__ == version("inputanim")
