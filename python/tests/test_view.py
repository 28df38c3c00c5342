"""The viewer with a recording inside."""

from __future__ import annotations

import base64
import html
import re
import webbrowser
from pathlib import Path

import pytest
from conftest import ROOT

import inputanim

# `cargo xtask python` builds the package with the viewer only if `cargo xtask web` has built the viewer before.
HAS_VIEWER = (ROOT / "crates/inputanim-page/viewer/inputanim.html").exists()
needs_viewer = pytest.mark.skipif(not HAS_VIEWER, reason="`cargo xtask web` has not built the viewer")


def embedded(page: str) -> dict[str, bytes]:
    """Returns the recordings in a page by name."""
    found = re.findall(r'<script type="text/plain" data-recording="(.*?)">(.*?)</script>', page)
    return {html.unescape(name): base64.b64decode(text) for name, text in found}


@needs_viewer
def test_a_saved_page_keeps_the_mode_of_the_file(wave: inputanim.Recording, tmp_path: Path) -> None:
    path = tmp_path / "view.html"
    path.touch(mode=0o600)
    wave.view().save(path)
    assert path.read_text() == wave.view().html and path.stat().st_mode & 0o777 == 0o600


@needs_viewer
def test_a_page_contains_the_recording(wave: inputanim.Recording, tmp_path: Path) -> None:
    view = wave.view()
    assert view.html.startswith("<!doctype html>") and embedded(view.html) == {"wave.bin": wave.to_bytes()}
    named = wave.trim(1, 2).view(name='a "b" <c>')
    assert embedded(named.html) == {'a "b" <c>': wave.trim(1, 2).to_bytes()}
    assert list(embedded(wave.trim(1, 2).view().html)) == ["recording.bin"]
    view.save(tmp_path / "wave.html")
    assert (tmp_path / "wave.html").read_bytes() == view.html.encode()
    assert "save(path)" in repr(view)


@needs_viewer
def test_the_viewer_is_saved_as_a_file_and_reports_are_smaller(wave: inputanim.Recording, tmp_path: Path) -> None:
    path = tmp_path / "inputanim.html"
    path.write_text("replaced")
    inputanim.save_page(path)
    page = path.read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") and page.endswith("</html>\n") and embedded(page) == {}
    # The module for other formats is a large part of the page.
    assert 'id="formats"' in page and 'id="formats"' not in wave.view().html
    # A .bin file cannot hold texts about a recording, so the page can save them in other formats.
    assert 'id="formats"' in wave.with_about({"task": "wave"}).view().html


@needs_viewer
def test_a_notebook_shows_the_page_in_a_frame(wave: inputanim.Recording) -> None:
    view = wave.view(height=500)
    frame = view._repr_html_()
    attributes = dict(re.findall(r'(\w+)="([^"]*)"', frame))
    assert frame == f'<iframe title="inputanim" style="{attributes["style"]}" srcdoc="{attributes["srcdoc"]}"></iframe>'
    assert html.unescape(attributes["srcdoc"]) == view.html
    assert "height: 500px" in attributes["style"]


@needs_viewer
def test_a_browser_opens_the_page(wave: inputanim.Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    path = wave.view().open()
    assert opened == [path.as_uri()] and embedded(path.read_text(encoding="utf-8")) == {"wave.bin": wave.to_bytes()}
    path.unlink()
    path.parent.rmdir()


@needs_viewer
def test_the_example_of_the_documentation_works(
    wave: inputanim.Recording, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    (code,) = [code for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if ".view(" in code]
    monkeypatch.chdir(tmp_path)
    exec(code, {"recording": wave})
    assert embedded((tmp_path / "take.html").read_text(encoding="utf-8")) == {"wave.bin": wave.to_bytes()}


def test_an_invalid_height_is_explained(wave: inputanim.Recording) -> None:
    with pytest.raises(inputanim.InvalidArgument, match="at least 1"):
        wave.view(height=0)


@pytest.mark.skipif(HAS_VIEWER, reason="the package contains the viewer")
def test_a_package_without_the_viewer_says_the_command(wave: inputanim.Recording) -> None:
    for call in (wave.view, lambda: inputanim.save_page("inputanim.html")):
        with pytest.raises(inputanim.ViewError, match="cargo xtask web") as caught:
            call()
        assert "pip install ./python" in str(caught.value)
