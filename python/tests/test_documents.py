"""The examples of README and docs."""

from __future__ import annotations

import doctest
import os
import re
from pathlib import Path

import pytest
from conftest import ROOT


@pytest.mark.parametrize("page", ["docs/python.md"])
def test_examples_have_these_results(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("polars")
    monkeypatch.chdir(ROOT)
    result = doctest.testfile(str(ROOT / page), module_relative=False)
    assert result.attempted > 3 and result.failed == 0


@pytest.mark.parametrize("page", ["docs/researchers.md", "docs/analysts.md", "docs/engineers.md"])
def test_the_first_lines_for_a_reader_work(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("polars")
    pytest.importorskip("duckdb")
    os.symlink(ROOT / "samples", tmp_path / "samples", target_is_directory=True)
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
    assert code.count("\n") <= 10
    exec(code, {})


@pytest.mark.parametrize("page", ["README.md"])
def test_the_lines_of_the_readme_work(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("polars")
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    os.symlink(ROOT / "samples", tmp_path / "samples", target_is_directory=True)
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
    variables: dict[str, object] = {}
    exec(code, variables)
    assert (tmp_path / "wave.png").stat().st_size > 10_000
    assert variables["tip"].shape == (241, 3)  # type: ignore[attr-defined]
    assert variables["frame"].columns == ["file", "time_s", "right.IndexTip.position.y"]  # type: ignore[attr-defined]
