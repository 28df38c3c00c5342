"""Measures, events, series and figures of a recording."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _native
from ._arguments import checked, checked_methods, extra, names
from ._display import printable
from ._errors import warn
from ._json import loads, parameters as native_parameters
from ._types import Event, Float64Array, Measure, Parameters, PathLike, Quantity

if TYPE_CHECKING:
    import matplotlib.figure

    from ._recording import Recording


def _restored(recording: Recording, parameters: str) -> Analysis:
    """Returns an analysis that was pickled. It is computed again, and gives no warning."""
    analysis = Analysis.__new__(Analysis)
    analysis.recording = recording
    analysis._parameters = parameters
    analysis._native = _native.Analysis(recording._native, parameters)
    return analysis


@checked_methods
class Analysis:
    """An analysed recording. docs/analysis.md describes measures, events and parameters.

    Args:
        recording: The recording.
        parameters: Parameters by name, such as ``{"movements.start_speed": 0.2}``.

    Raises:
        AnalysisError: The rate is out of range, or the recording is too long.
        PlaybackError: A curve cannot be evaluated.
    """

    def __init__(self, recording: Recording, parameters: Parameters | None = None) -> None:
        self.recording = recording
        self._parameters = json.dumps(native_parameters(parameters))
        self._native = _native.Analysis(recording._native, self._parameters)
        recording._warn_of(self._native.damage())

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restored, (self.recording, self._parameters))

    def __copy__(self) -> Analysis:
        # An analysis never changes.
        return self

    def __deepcopy__(self, memo: object) -> Analysis:
        return self

    @property
    def time_range(self) -> tuple[float, float]:
        """The analysed time range in seconds."""
        return self._native.range()

    @property
    def notes(self) -> list[str]:
        """Notes about the analysis: a rate that is much higher than the recorded one, and controllers and other devices that no
        parameter names, with the parameters that measure them."""
        return self._native.notes()

    def measures(self, start: float | None = None, end: float | None = None, *, measures: Sequence[str] = ()) -> list[Measure]:
        """Returns measures of a time range in seconds, by default of the complete recording. Their names depend only on the
        parameters. Bounds beyond the recording are limited to it.

        Args:
            start: Start of the time range.
            end: End of the time range.
            measures: Names, groups and patterns, such as ``head.speed`` or ``*.Palm.speed``; all by default.

        Warns:
            UserWarning: All measures are returned, the recording has devices, and no parameter names one of them, so that none
                is measured.

        Raises:
            InvalidArgument: The range ends before it starts, or is outside the recording, or a name selects no measure.
        """
        found: list[Measure] = loads(self._native.measures(start, end, names("measures", measures)))
        note = None if measures else self._native.devices_note()
        if note is not None:
            warn(note, UserWarning)
        return found

    def values(self, start: float | None = None, end: float | None = None) -> dict[str, float | None]:
        """Returns the values of the measures by name; None if a measure has none."""
        return {measure["name"]: measure["value"] for measure in self.measures(start, end)}

    def events(self, *, kinds: Sequence[str] = ()) -> list[Event]:
        """Returns the events of some kinds in order of time, such as ``pinch``; all by default."""
        events: list[Event] = loads(self._native.events(names("kinds", kinds)))
        return events

    def series(self) -> dict[str, Float64Array]:
        """Returns ``time_s`` and, as far as they are recorded, speeds in m/s, apertures in m and the velocity of the gaze in °/s.
        All have the shape (time,)."""
        return {name: np.frombuffer(content, np.float64) for name, content in self._native.series()}

    def svg(
        self,
        *,
        width: float | None = None,
        panels: Sequence[Literal["timeline", "speed", "aperture", "gaze", "inputs", "paths"]] | None = None,
        devices: Sequence[str] = (),
        dark: bool = False,
        title: str | None = None,
        start: float | None = None,
        end: float | None = None,
    ) -> str:
        """Returns a figure as SVG.

        Args:
            width: Width in pixels, from 300 to 10,000; 900 by default.
            panels: Panels from top to bottom; all by default.
            devices: Poses and inputs of devices, such as ``right.controller.trigger.value`` or ``*.aim``; all by default.
            dark: Dark background.
            title: Title; none by default.
            start: Start of the drawn time range in seconds.
            end: End of the drawn time range in seconds.
        """
        chosen = None if panels is None else list(panels)
        drawn = names("devices", devices)
        return self._native.plot(
            width=width, panels=chosen, devices=drawn, dark=dark, title=title, start=start, end=end
        )

    def _repr_html_(self) -> str:
        return self.svg()

    def plot(
        self,
        *,
        start: float | None = None,
        end: float | None = None,
        title: str | None = None,
        figure: matplotlib.figure.Figure | None = None,
    ) -> matplotlib.figure.Figure:
        """Draws tracking, pinches and markers, speeds, and paths from above with matplotlib, in the current style.

        Args:
            start: Start of the drawn time range in seconds.
            end: End of the drawn time range in seconds.
            title: Title; the name of the file by default.
            figure: Draws into this figure, such as ``pyplot.figure(layout="constrained")``, which ``pyplot.show()`` shows. By
                default, a figure is made that pyplot does not keep open. A notebook shows it, and ``savefig`` saves it.

        Returns:
            The figure, with three axes.
        """
        with extra("plot"):
            from matplotlib import pyplot

        first, last = self._native.within(start, end)
        if figure is None:
            figure = pyplot.figure(figsize=(8, 8), layout="constrained")
            # Pyplot keeps figures until they are closed.
            pyplot.close(figure)
        states, speeds, paths = figure.subplots(3, 1, height_ratios=[1, 2, 4])
        colours = {"left": "C0", "right": "C1", "head": "C2"}
        labels: list[str] = []
        info = self.recording.info
        for side in ("left", "right"):
            for state in ("tracked", "pinching"):
                ranges: list[Any] = info["hands"][side][state]
                bars = [(item["start"], item["end"] - item["start"]) for item in ranges]
                states.broken_barh(bars, (len(labels) - 0.4, 0.8), color=colours[side])
                labels.append(f"{side} {state}")
        for marker in self.recording.markers:
            states.axvline(marker.time, color="0.4", linewidth=0.8)
            states.annotate(marker.name, (marker.time, len(labels) - 0.5), fontsize="small", rotation=30)
        states.set_yticks(range(len(labels)), labels)
        states.set_xlim(first, last)
        series = self.series()
        times = series.pop("time_s")
        for name, values in series.items():
            part = name.split(".")[0]
            if name.endswith(".speed") and ("Palm" in name or part == "head"):
                speeds.plot(times, values, color=colours[part], label=name.removesuffix(".speed"))
        speeds.set(xlim=(first, last), xlabel="time (s)", ylabel="speed (m/s)")
        samples = self.recording.sample(60, start=first, end=last, joints=["Palm"], streams=["head", "left", "right"])
        positions = {"head": samples.head.position}
        positions |= {side: samples.hand(side).joint("Palm").position for side in ("left", "right")}
        for part, position in positions.items():
            if np.isfinite(position).any():
                label = part if part == "head" else f"{part}.Palm"
                paths.plot(position[:, 0], position[:, 2], color=colours[part], label=label)
        paths.set(xlabel="x, right (m)", ylabel="z, forward (m)", aspect="equal")
        paths.set_title("paths from above")
        for axes in (speeds, paths):
            if axes.get_legend_handles_labels()[0]:
                axes.legend()
        figure.suptitle(title if title is not None else printable(self.recording.path or ""))
        return figure


def quantities() -> list[Quantity]:
    """Returns the definitions of all measures: name, unit and definition."""
    found: list[Quantity] = loads(_native.Analysis.quantities())
    return found


@checked
def read_targets(path: PathLike) -> list[dict[str, Any]]:
    """Reads the targets of an analysis from a table (.csv) or a list (.json); docs/analysis.md describes the columns.

    ``analyse({"targets": read_targets("targets.csv")})`` uses them.

    Raises:
        InvalidArgument: The file is not a list of targets.
        OSError: The file cannot be opened.
    """
    found: list[dict[str, Any]] = loads(_native.read_targets(path))
    return found


def default_parameters() -> dict[str, Any]:
    """Returns the default parameters of an analysis."""
    found: dict[str, Any] = loads(_native.Analysis.default_parameters())
    return found
