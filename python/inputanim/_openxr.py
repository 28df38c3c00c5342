"""Playback into OpenXR applications, with the program ``inputanim``."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ._errors import OpenXrError
from ._options import PlayOptions

if TYPE_CHECKING:
    from ._recording import Recording

@dataclass(frozen=True)
class Played:
    """What an application did with a recording.

    Attributes:
        output: What the application printed to its standard output.
        messages: What the application and the program printed to the standard error.
        pictures: The files of `screenshots`, sorted by name.
        recording: What the application got, if `record` is true.
    """

    output: str
    messages: str
    pictures: list[Path]
    recording: Recording | None


def _arguments(options: Mapping[str, object]) -> list[str]:
    """Returns the options as the program has them: ``over_runtime=True`` becomes ``--over-runtime``."""
    arguments = []
    for name, value in options.items():
        option = f"--{name.replace('_', '-')}"
        if value is True:
            arguments.append(option)
        elif value is not None and value is not False:
            arguments.append(f"{option}={os.fspath(value) if isinstance(value, os.PathLike) else value}")
    return arguments


def play(
    recording: Recording,
    command: Sequence[str | os.PathLike[str]],
    options: PlayOptions,
    *,
    record: bool,
    program: str | os.PathLike[str],
) -> Played:
    from ._recording import read

    application = [os.fspath(part) for part in command]
    screenshots = options.get("screenshots")
    libraries = options.get("libraries")
    with tempfile.TemporaryDirectory(prefix="inputanim-") as folder:
        # A .bin file has no controllers.
        extension = "json" if recording.devices else "bin"
        path, again = Path(folder, f"recording.{extension}"), Path(folder, "again.json")
        recording.write(path)
        if record:
            layer = _arguments({"libraries": libraries, "output": again, "quiet": True})
            application = [os.fspath(program), "openxr", "record", *layer, "--", *application]
        arguments = ["openxr", "play", str(path), *_arguments(options), "--", *application]
        try:
            ran = subprocess.run(
                [os.fspath(program), *arguments], capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL
            )
        except OSError as error:
            hint = 'install a package of inputanim, or name its program: program="/path/inputanim"'
            raise OpenXrError(f"cannot run {os.fspath(program)}: {error}", hint=hint) from error
        if ran.returncode != 0:
            text = ran.stderr.strip() or f"{application[0]} ended with the exit code {ran.returncode}"
            raise OpenXrError(text)
        got = read(again.read_bytes()) if record else None
    pictures = [] if screenshots is None else sorted(Path(str(screenshots)).glob("*.png"))
    return Played(ran.stdout, ran.stderr, pictures, got)
