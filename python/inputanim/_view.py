"""The viewer as a file, and with a recording inside for notebooks and browsers."""

from __future__ import annotations

import html
import tempfile
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from . import _native
from ._arguments import checked, checked_methods
from ._errors import InvalidArgument
from ._types import PathLike

if TYPE_CHECKING:
    from ._recording import Recording

@checked
def save_page(path: PathLike) -> None:
    """Writes the viewer as one HTML file, which opens in any browser without a network: drop recordings on the page.

    A file that exists is replaced.

    Raises:
        ViewError: The package was built without the viewer.
        OSError: The file cannot be written.
    """
    _native.write_file(path, _native.viewer().encode())


@checked_methods
class View:
    """A page with the viewer and recordings. A notebook shows it if the view is the result of a cell.

    The page needs no network and contains the recordings, so a saved notebook shows them too. It opens and saves only ``.bin``
    files, unless a recording has parts that such a file cannot hold, such as controllers; `save_page` writes the page for all
    formats.

    Attributes:
        html: The page, a complete HTML file.
        height: Height in a notebook, in pixels.
    """

    def __init__(self, recordings: Sequence[tuple[str, Recording]], height: int) -> None:
        if height < 1:
            raise InvalidArgument(f"invalid height: {height} pixels (must be at least 1)")
        self.html = _native.report([(name, recording._native) for name, recording in recordings])
        self.height = height

    def save(self, path: PathLike) -> None:
        """Writes the page to a file.

        Raises:
            OSError: The file cannot be written.
        """
        _native.write_file(path, self.html.encode())

    def open(self) -> Path:
        """Opens the page in the default browser, from a file in the folder for temporary files.

        Returns:
            The path of the file. The file is not removed, because the browser reads it later.
        """
        folder = Path(tempfile.mkdtemp(prefix="inputanim-"))
        path = folder / "view.html"
        self.save(path)
        webbrowser.open(path.as_uri())
        return path

    def _repr_html_(self) -> str:
        # A page inside an attribute has its own styles and identifiers, and works in files that nbconvert writes.
        page = html.escape(self.html)
        style = f"width: 100%; height: {self.height}px; border: 1px solid #8884; box-sizing: border-box"
        return f'<iframe title="inputanim" style="{style}" srcdoc="{page}"></iframe>'

    def __repr__(self) -> str:
        return f"<View: a page of {len(self.html.encode()):,} bytes; save(path) writes it, open() shows it in a browser>"
