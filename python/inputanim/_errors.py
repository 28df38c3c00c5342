"""Exceptions of the package."""

from __future__ import annotations

import sys
import warnings
from typing import Any

from ._display import printable


class InputanimError(ValueError):
    """An error of this package. Its text states what failed, where, and how to solve the problem.

    Attributes:
        message: What failed, what was expected and what was found.
        kind: Name of the kind of a parse error, such as ``"truncated"``, or None.
        curve: Name of the curve, such as ``"left.IndexTip.rotation.w"``, or None.
        offset: Position in the file in bytes, or None.
        file: Path of the file, or None.
        hint: A call that solves the problem, or None.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: str | None = None,
        curve: str | None = None,
        offset: int | None = None,
        file: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.kind = kind
        self.curve = curve
        self.offset = offset
        self.file = file
        self.hint = hint

    def __str__(self) -> str:
        text = printable(self.message)
        # The message of a scan already begins with the file.
        if self.file is not None and not text.startswith(printable(self.file)):
            text = f"{printable(self.file)}: {text}"
        return text if self.hint is None else f"{text}\nhint: {self.hint}"

    def __reduce__(self) -> tuple[Any, ...]:
        # Processes of Spark and of multiprocessing send exceptions to each other.
        attributes = (self.kind, self.curve, self.offset, self.file, self.hint)
        return (_restored, (type(self), self.message, *attributes))


def _restored(
    cls: type[InputanimError],
    message: str,
    kind: str | None,
    curve: str | None,
    offset: int | None,
    file: str | None,
    hint: str | None,
) -> InputanimError:
    return cls(message, kind=kind, curve=curve, offset=offset, file=file, hint=hint)


class DamageWarning(UserWarning):
    """A recording is damaged, so results differ from the recorded movement."""


class RangeWarning(UserWarning):
    """A time range or a trial exceeds a recording, and was cut at its ends; the baseline of an epoch has no known value; there are
    no epochs; no marker has a name; or a catalogue describes none of the recordings."""


class LossWarning(UserWarning):
    """Content was lost: content of a file of another format while it was read, or of a recording while it was written."""


def warn(message: str, category: type[Warning] = DamageWarning) -> None:
    """Warns with the position of the line outside of this package that led to the warning."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == "inputanim":
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


class InvalidArgument(InputanimError):
    """An argument is out of range, or names something unknown."""


class UnknownOption(InvalidArgument, TypeError):
    """An option is unknown. It is also the `TypeError` that Python raises for such a call."""


class StreamNotSampled(InvalidArgument, AttributeError):
    """Samples do not have a stream, because `streams` did not select it."""


class ParseError(InputanimError):
    """The bytes are not a well-formed recording."""


class PlaybackError(InputanimError):
    """A curve cannot be evaluated."""


class EditError(InputanimError):
    """An edit is not possible. The recording is unchanged."""


class WriteError(InputanimError):
    """A layout cannot represent the recording."""


class RecordError(InputanimError):
    """A recorder refuses a frame. The recorder is unchanged."""


class AnalysisError(InputanimError):
    """A recording cannot be analysed."""


class ConvertError(InputanimError):
    """A conversion to or from another format failed."""


class ScanError(InputanimError):
    """A scan failed, by default at the first file that cannot be read."""


class OpenXrError(InputanimError):
    """An application failed, or did not play the recording. The message has what it printed to its standard error."""


class ViewError(InputanimError):
    """The package was built without the viewer."""
