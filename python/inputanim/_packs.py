"""Packs: many files in one file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from . import _native
from ._arguments import checked, truth, whole
from ._display import printable
from ._errors import DamageWarning, warn
from ._types import PathLike


@dataclass(frozen=True)
class Packed:
    """Packs that were written.

    Attributes:
        packs: Number of packs.
        files: Number of files in them.
        bytes: Number of bytes of these files.
        left_out: Paths that were not packed: links to folders, devices, and folders without files.
        not_on_windows: Files that `unpack` cannot write on Windows, because of their names.
    """

    packs: int
    files: int
    bytes: int
    left_out: list[str]
    not_on_windows: list[str]


@dataclass(frozen=True)
class Unpacked:
    """Files of packs that were written.

    Attributes:
        packs: Number of packs.
        files: Number of files that were written.
        bytes: Number of bytes of these files.
        errors: Paths of packs and of files in packs that could not be written, or only in part, with the reasons.
        damaged: Paths of files in packs that were written with damaged bytes, with the reasons.
    """

    packs: int
    files: int
    bytes: int
    errors: list[tuple[str, str]]
    damaged: list[tuple[str, str]]


@checked
def pack(folder: PathLike, output: PathLike, *, files: int = 1000, overwrite: bool = False) -> Packed:
    """Writes the files of a folder as packs: many files in one file, so that many recordings are read faster.

    A pack is a folder for `read`, `scan` and all other functions. All files are packed, byte for byte, also those that are no
    recordings. A pack is an MCAP file with an attachment for each file.

    >>> import inputanim, tempfile
    >>> folder = tempfile.mkdtemp() + "/packs"
    >>> inputanim.pack("samples", folder).packs
    1
    >>> inputanim.read(folder + "/0001.pack.mcap/wave.bin").duration
    4.0

    Args:
        folder: Folder with the files. Its subfolders are packed too.
        output: Folder for the packs, outside of `folder`.
        files: The most files of a pack.
        overwrite: Replaces the packs in the folder.

    Raises:
        InvalidArgument: The folder has no files, or contains the output.
        OSError: A file cannot be read or is a pack, or the output exists or cannot be written.
    """
    packs, number, size, left_out, not_on_windows = _native.pack(
        os.fspath(folder), os.fspath(output), whole("files", files), truth("overwrite", overwrite)
    )
    return Packed(packs, number, size, [os.fspath(path) for path in left_out], [os.fspath(path) for path in not_on_windows])


@checked
def unpack(packs: PathLike | Sequence[PathLike], output: PathLike, *, recover: bool = False) -> Unpacked:
    """Writes the files of packs into a new folder, with the bytes and the modification times that they had.

    Damaged files are not written, and of a truncated pack, the complete files are written. On Windows, files whose names Windows
    cannot have are not written. All of these give a `DamageWarning`, and are in the attribute `errors` of the result.

    >>> import inputanim, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> packed = inputanim.pack("samples", folder + "/packs")
    >>> inputanim.unpack(folder + "/packs", folder + "/again").files == packed.files
    True

    Args:
        packs: Pack, folder that is searched for packs, or several of them.
        output: Folder for the files, which must be new or empty.
        recover: Also writes files whose checksum is wrong, with their damaged bytes. The attribute `damaged` of the result lists them.

    Raises:
        InvalidArgument: There is no pack.
        OSError: The output exists or cannot be written.
    """
    paths = [packs] if isinstance(packs, (str, os.PathLike)) else list(packs)
    written = _native.unpack([os.fsdecode(path) for path in paths], os.fspath(output), truth("recover", recover))
    number, files, size, errors, damaged = written
    texts = [[(os.fspath(path), reason) for path, reason in found] for found in (errors, damaged)]
    unpacked = Unpacked(number, files, size, *texts)
    for name, found in (("errors", unpacked.errors), ("damaged", unpacked.damaged)):
        if found:
            path, reason = found[0]
            more = f", and {len(found) - 1} more; the attribute {name} of the result lists them" if len(found) > 1 else ""
            warn(f"{printable(path)}: {reason}{more}", DamageWarning)
    return unpacked
