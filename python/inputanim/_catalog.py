"""Catalogues: the facts of many recordings as one Parquet file."""

from __future__ import annotations

import os
from dataclasses import dataclass

from . import _native
from ._arguments import checked, text, truth, whole
from ._scan import FileNotice, warn_of_notices
from ._types import PathLike


@dataclass(frozen=True)
class FailedRecording:
    """A recording of a catalogue that is not well formed or cannot be read.

    Attributes:
        file: Path.
        message: What failed, what was expected and what was found: the text of the column ``error``.
    """

    file: str
    message: str


@dataclass(frozen=True)
class Catalog:
    """A catalogue that is up to date.

    Attributes:
        path: Path of the Parquet file.
        recordings: Number of recordings.
        opened: Number of recordings that were opened, because they are new or changed, or could not be read.
        removed: Number of recordings that no longer exist.
        errors: The recordings that are not well formed or cannot be read.
        reason: The reason why an existing catalogue was not used, so that all recordings were opened, or None.
        notices: Notices about files of another format that the search skipped.
    """

    path: str
    recordings: int
    opened: int
    removed: int
    errors: list[FailedRecording]
    reason: str | None
    notices: list[FileNotice]


@checked
def catalog(
    folder: PathLike,
    path: PathLike | None = None,
    *,
    format: str | None = None,
    rebuild: bool = False,
    no_limits: bool = False,
    threads: int = 0,
) -> Catalog:
    """Writes the facts of all recordings of a folder into one Parquet file, or brings this file up to date.

    The file has one row for each recording: path, size, modification time, the columns of the shape ``info``, the ranges of the
    positions, and the findings. Only recordings that are new, or have another size or modification time, are opened. `scan` with
    the option `catalog` takes the facts of unchanged recordings from the file, and every program that reads Parquet can query it.

    >>> import inputanim, tempfile
    >>> path = tempfile.mkdtemp() + "/samples.parquet"
    >>> made = inputanim.catalog("samples", path)
    >>> made.opened == made.recordings
    True
    >>> inputanim.scan("samples", "info", catalog=path).to_arrow().num_rows == made.recordings
    True

    Args:
        folder: Folder with the recordings. Its subfolders are searched too.
        path: Path of the catalogue, with the extension ``.parquet``; ``inputanim-catalog.parquet`` in the folder by default.
        format: Format of the files, as in `scan`.
        rebuild: Opens all recordings, also those that did not change.
        no_limits: Lifts the limit of the size of an existing catalogue (4 GiB).
        threads: Number of threads; 0 for one on each processor.

    Raises:
        InvalidArgument: `path` has another extension.
        ScanError: The folder does not exist or has no recordings, `path` is a file that is not a catalogue, or the catalogue describes another
            folder or format and `rebuild` is false.
        OSError: The catalogue cannot be written.
    """
    chosen = None if path is None else os.fspath(path)
    made = _native.catalog(
        os.fspath(folder),
        chosen,
        text("format", format),
        truth("rebuild", rebuild),
        truth("no_limits", no_limits),
        whole("threads", threads),
    )
    file, (recordings, opened, removed), errors, reason, notices = made
    catalog = Catalog(
        path=os.fspath(file),
        recordings=recordings,
        opened=opened,
        removed=removed,
        errors=[FailedRecording(*error) for error in errors],
        reason=reason,
        notices=[FileNotice(*notice) for notice in notices],
    )
    warn_of_notices(catalog.notices, " files; the attribute notices of the result lists them")
    return catalog
