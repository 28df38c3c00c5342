"""Public names, their types, and misspelt options. mypy and pyright check `user_script.py` and `type_errors.py`."""

from __future__ import annotations

import ast
import inspect
import os
import pickle
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT, SAMPLES

import inputanim

PUBLIC = {name: getattr(inputanim, name) for name in inputanim.__all__}
CLASSES = {name: value for name, value in PUBLIC.items() if inspect.isclass(value) and value.__module__.startswith("inputanim")}


def defined() -> set[str]:
    """Returns the names of the classes and types that the modules of the package define."""
    names = set()
    for path in Path(inputanim.__file__).parent.glob("_*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                names.add(node.name)
            elif isinstance(node, ast.Assign):
                names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return {name for name in names if name[0].isupper() and not name.isupper()}


def functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Returns all public functions, and the public methods and properties of the public classes."""
    for name, value in PUBLIC.items():
        if inspect.isfunction(value):
            yield name, value
    for name, value in CLASSES.items():
        for member, method in vars(value).items():
            found = method.fget if isinstance(method, property) else getattr(method, "__func__", method)
            if inspect.isfunction(found) and (not member.startswith("_") or member == "__init__"):
                yield f"{name}.{member}", inspect.unwrap(found)


def annotations() -> Iterator[tuple[str, str]]:
    """Returns the annotations of public functions, and of the fields of public classes."""
    for name, function in functions():
        for given in inspect.get_annotations(function).values():
            yield name, str(given)
    for name, value in CLASSES.items():
        for field, given in inspect.get_annotations(value).items():
            if not field.startswith("_"):
                yield f"{name}.{field}", getattr(given, "__forward_arg__", str(given))


def test_every_type_of_a_signature_is_public() -> None:
    ours, found = defined(), set()
    for where, annotation in annotations():
        if where == "Scan.__init__":
            # `scan` makes scans.
            continue
        for name in set(re.findall(r"\w+", annotation)) & (ours | {"Batch"}):
            assert name in PUBLIC, f"{where}: {name} is not in inputanim.__all__"
            found.add(name)
    assert found >= {"Info", "Event", "Samples", "Written", "SampleOptions", "Layout", "Parameters", "FileNotice", "Batch"}


def test_every_name_that_the_documentation_uses_is_public() -> None:
    ours = defined()
    texts = [(where, inspect.getdoc(value) or "") for where, value in [*functions(), *CLASSES.items()]]
    texts += [(page, (ROOT / page).read_text(encoding="utf-8")) for page in ("README.md", "python/README.md", "docs/python.md")]
    names = {(where, name) for where, text in texts for name in set(re.findall(r"\w+", text)) & ours}
    assert not [(where, name) for where, name in names if name not in PUBLIC]
    assert {name for _, name in names} >= {"DamageWarning", "LossWarning", "RangeWarning", "ScanError", "UnknownOption"}
    called = {name for page, text in texts[-2:] for name in re.findall(r"inputanim\.(\w+)(?=[(,)\]]|$)", text, re.MULTILINE)}
    assert "scan" in called and called - set(PUBLIC) == set()
    assert len(inputanim.__all__) == len(PUBLIC)


@pytest.mark.parametrize(
    ("options", "function", "without"),
    [
        (inputanim.SampleOptions, inputanim.Recording.sample, 2),
        (inputanim.WriteOptions, inputanim.Recording.write_bytes, 2),
        (inputanim.PlotOptions, inputanim.Analysis.plot, 1),
        (inputanim.ScanOptions, inputanim.scan, 2),
        (inputanim.EpochOptions, inputanim.epochs, 1),
    ],
)
def test_options_are_those_of_the_function_that_takes_them(options: Any, function: Callable[..., Any], without: int) -> None:
    parameters = list(inspect.signature(function).parameters.values())[without:]
    expected = {parameter.name: parameter.annotation for parameter in parameters}
    assert {name: given.__forward_arg__ for name, given in inspect.get_annotations(options).items()} == expected


@pytest.mark.skipif("INPUTANIM_PROGRAM" not in os.environ, reason="INPUTANIM_PROGRAM is not set")
def test_options_of_playback_are_those_of_the_program() -> None:
    command = [os.environ["INPUTANIM_PROGRAM"], "openxr", "play", "--help"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    options = re.findall(r"^ +(?:-\w, )?--([\w-]+)", text, re.MULTILINE)
    assert {name.replace("-", "_") for name in options} - {"help", "version"} == set(inspect.get_annotations(inputanim.PlayOptions))


def test_a_misspelt_option_is_named_with_the_right_one(wave: inputanim.Recording, tmp_path: Path) -> None:
    calls: list[tuple[Callable[..., object], str, str]] = [
        (wave.sample, "rat", "rate"),
        (wave.to_pandas, "rat", "rate"),
        (wave.to_polars, "joint", "joints"),
        (wave.to_movement, "stream", "streams"),
        (wave.plot, "titel", "title"),
        (wave.analyse().plot, "titel", "title"),
        (wave.view, "heigt", "height"),
        (wave.trim, "strat", "start"),
        (lambda **options: wave.write(tmp_path / "take.csv", **options), "lables", "labels"),
        (lambda **options: inputanim.scan(SAMPLES, **options), "colums", "columns"),
        (lambda **options: inputanim.scan(SAMPLES).to_arrow(**options), "progres", "progress"),
        (lambda **options: inputanim.read_polars(SAMPLES, **options), "colums", "columns"),
        (lambda **options: inputanim.read_arrow(SAMPLES, "stats", **options), "segment", "segments"),
        (lambda **options: inputanim.concat([wave, wave], **options), "blnd", "blend"),
        (inputanim.columns, "colums", "columns"),
        (inputanim.Recorder, "layot", "layout"),
    ]
    for call, wrong, right in calls:
        with pytest.raises(inputanim.UnknownOption) as caught:
            call(**{wrong: None})
        assert str(caught.value) == f'unknown option "{wrong}"; did you mean "{right}"?'
        assert isinstance(caught.value, TypeError) and isinstance(caught.value, inputanim.InvalidArgument)
        assert caught.value.__suppress_context__ and type(pickle.loads(pickle.dumps(caught.value))) is inputanim.UnknownOption
    with pytest.raises(TypeError, match='^unknown option "wings"; expected one of start, end, keep_times$'):
        wave.trim(wings=2)  # type: ignore[call-arg]
    # Other errors of a call are those of Python.
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        wave.shift()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="multiple values"):
        wave.trim(1, start=2)  # type: ignore[misc]
    assert list(tmp_path.iterdir()) == []


def test_the_script_of_a_user_runs(lost: Path, study: Path, tmp_path: Path, wave: inputanim.Recording) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    import user_script

    (study / "p1" / "broken.bin").write_bytes(b"not a recording")
    result = user_script.main(lost, study, tmp_path)
    right = wave.sample(60, joints=["IndexTip"]).right
    steps = np.diff(right.position[right.tracked, 0], axis=0)
    assert result.length == pytest.approx(np.linalg.norm(steps, axis=1).sum(), rel=1e-6) and result.length > 0.1
    assert result.codes == ["D1"] and result.warned == [inputanim.DamageWarning] and result.peak > 0.1
    assert result.rows == 91 and (tmp_path / "part.csv").read_text().count("far") == 91
    assert result.table.columns == ["file", "time_s", "right.Palm.position.y"] and result.table["file"].n_unique() == 4
