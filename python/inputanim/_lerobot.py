"""Datasets of LeRobot, for training policies of robots."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from . import _native
from ._arguments import checked, names, number, text, truth, whole
from ._errors import InvalidArgument, LossWarning, warn
from ._scan import DamagedFile, FileNotice, SkippedFile, Source, _native_sources, _sources, warn_of_notices
from ._types import Gripper, KeypointOrder, PathLike, Space


@dataclass(frozen=True)
class LeRobotDataset:
    """A dataset that was written.

    Attributes:
        folder: Path of the dataset.
        episodes: Number of episodes.
        frames: Number of frames of all episodes.
        tasks: Number of different tasks.
        notes: Notes, such as the number of frames in which a hand is not tracked, so that its last pose is held, and the number
            of episodes in which a hand is never tracked, so that its joints are the identity.
        errors: Files that were skipped.
        damaged: Files with damage that changes the states.
        losses: Pairs of a file and the data of the file that could not be kept.
        without_trials: Files that the trial table does not name.
        notices: Notices about files: hands that are not recorded, segments that exceed the recording, data of a file of
            another format that was lost, and files of another format that a search skipped.
    """

    folder: str
    episodes: int
    frames: int
    tasks: int
    notes: list[str]
    errors: list[SkippedFile]
    damaged: list[DamagedFile]
    losses: list[tuple[str, str]]
    without_trials: list[str]
    notices: list[FileNotice]


@checked
def write_lerobot(
    sources: Source | Iterable[Source],
    folder: PathLike,
    *,
    format: str | None = None,
    rate: float = 30,
    joints: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    frame: Literal["world", "head", "wrist"] = "world",
    space: Space | None = None,
    segments: str | None = None,
    task: str | None = None,
    task_pattern: str | None = None,
    gripper: Gripper | Sequence[Gripper] | None = None,
    rotations: Literal["quaternion", "6d", "none"] = "quaternion",
    keypoints: KeypointOrder | None = None,
    action: Literal["next", "relative", "delta"] = "next",
    mask: Literal["part", "joint"] = "part",
    scale_hands: bool = False,
    success: Literal["markers", "trials"] | None = None,
    validation: str | None = None,
    split_pattern: str | None = None,
    video: bool = False,
    modality: bool = False,
    overwrite: bool = False,
    errors: Literal["raise", "skip"] = "raise",
    recover: bool = False,
    repair: bool = False,
    forget_zeros: bool = False,
    pauses: float | Literal["none"] | None = None,
    no_limits: bool = False,
    threads: int = 0,
) -> LeRobotDataset:
    """Writes recordings as a dataset of LeRobot 3.0: states, actions (the next state), tasks and statistics.

    While a hand is not tracked, its last pose is held, and ``left.tracked`` is 0. The folder appears when all of its files are
    complete. Memory does not grow with the number of recordings.

    >>> import inputanim, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> dataset = inputanim.write_lerobot("samples", folder, joints=["right"], frame="wrist", segments="markers")
    >>> dataset.episodes
    31

    Args:
        sources: Files, folders, patterns, recordings, or pairs of a name and bytes.
        folder: Folder of the dataset.
        format: Format of the files, as in `scan`.
        rate: Frames per second, a whole number from 1 to 1,000,000.
        joints: Names of the streams and joints of the states, such as ``right.*Tip``; all by default.
        exclude: Names of streams and joints that are not part of the states.
        frame: Poses to which others are relative: ``world``; ``head``, for joints and the gaze; ``wrist``, for the other joints
            of its hand.
        space: Axes; Unity's by default.
        segments: Parts that become episodes: ``recording``, ``markers``, ``markers=NAME``, ``START:STOP``, ``KIND@A..B``, or the path of a trial
            table (``.csv``). By default, a recording is an episode from its first to its last key.
        task: Text of the task of all episodes. By default, the column ``task`` of a trial table or the name of a segment. If
            there is no such text, the text of the only marker of the recording, if it is at 0 s; else the name of the
            recording.
        task_pattern: Pattern that takes the text from the path: ``"{*}/{task}_{*}.bin"``.
        gripper: Grippers of the hands: ``pinch``, the recorded state; ``geometric-pinch``; ``aperture``, the distance of the tips
            of thumb and index finger in metres; ``trigger``, the trigger of the controller. By default, the recorded
            pinch, if all recordings have it.
        rotations: Rotations as quaternions; as ``6d``, the first two columns of the rotation matrix; or none: positions only.
        keypoints: Positions of these joints of each hand, in their order, instead of poses. `joints` and `exclude` then select
            complete hands.
        action: Actions: the next state; ``relative``, the next poses in the coordinates of the current head or wrist of `frame`;
            ``delta``, the changes of poses.
        mask: Parts for which ``valid`` states that their values are known: head, hands and gaze, or each ``joint``.
        scale_hands: Divides positions relative to the wrist by the size of the hand, the median distance from the wrist to the
            knuckle of the middle finger. Needs ``frame="wrist"``.
        success: Labels of episodes, as ``next.success``: ``markers`` with the names success and failure, or the column
            ``success`` of the trial table (``trials``).
        validation: Episodes for validation, by the values of a column: ``"person=p03,p07"`` or ``"person=20%"``. The names of trials
            are the column ``trial``. All episodes of a recording have the same value.
        split_pattern: Pattern that takes this column from the path: ``"{person}/{*}.bin"``. By default, `task_pattern` or the
            trial table has the column.
        video: Copies the MP4 file beside each file of EgoDex into the dataset, without decoding it. Its frames must be those of
            the recording.
        modality: Writes ``meta/modality.json`` for NVIDIA Isaac GR00T.
        overwrite: Replaces an existing dataset. A folder with any other file is never replaced.
        errors: A file that cannot be part of the dataset raises an exception, or is skipped and listed in the result.
        recover: Reads the intact parts of files that are not well formed.
        repair: Repairs the recordings.
        forget_zeros: Makes poses and gaze of zeros unknown, as `Recording.forget_zeros` does.
        pauses: Time in seconds without frames or samples from which everything is unknown, or ``"none"``; as in `scan`.
        no_limits: Lifts the limits of files and samples.
        threads: Number of threads; 0 for one on each processor.

    Raises:
        FileExistsError: The folder has content, and `overwrite` is false or the folder has files that are not of a dataset.
        ScanError: No recordings were found, or a file failed.
        InvalidArgument: An option is invalid.
    """
    options = {
        "format": text("format", format),
        "rate": number("rate", rate),
        "joints": names("joints", joints or ()),
        "exclude": names("exclude", exclude or ()),
        "frame": text("frame", frame) or "",
        "space": text("space", space),
        "task": text("task", task),
        "task_pattern": text("task_pattern", task_pattern),
        "grippers": names("gripper", gripper or ()),
        "rotations": text("rotations", rotations) or "",
        "keypoints": text("keypoints", keypoints),
        "action": text("action", action) or "",
        "mask": text("mask", mask) or "",
        "scale_hands": truth("scale_hands", scale_hands),
        "success": text("success", success),
        "validation": text("validation", validation),
        "split_pattern": text("split_pattern", split_pattern),
        "video": truth("video", video),
        "modality": truth("modality", modality),
        "errors": text("errors", errors) or "",
        "recover": truth("recover", recover),
        "repair": truth("repair", repair),
        "forget_zeros": truth("forget_zeros", forget_zeros),
        "pauses": "usual" if pauses is None else str(pauses),
        "no_limits": truth("no_limits", no_limits),
        "threads": whole("threads", threads),
    }
    found = _sources(sources)
    if not found:
        raise InvalidArgument("expected at least one source, found an empty list")
    path = os.fspath(folder)
    chosen = _native_sources(found)
    written = _native.write_lerobot(chosen, path, json.dumps(options), text("segments", segments), truth("overwrite", overwrite))
    (episodes, frames, tasks), notes, skipped, damaged, losses, without_trials, notices = written
    dataset = LeRobotDataset(
        folder=str(path),
        episodes=episodes,
        frames=frames,
        tasks=tasks,
        notes=notes,
        errors=[SkippedFile(*error) for error in skipped],
        damaged=[DamagedFile(*file) for file in damaged],
        losses=losses,
        without_trials=without_trials,
        notices=[FileNotice(*notice) for notice in notices],
    )
    warn_of_notices(dataset.notices, " files; the attribute notices of the result lists them")
    if dataset.damaged:
        warn(f"{len(dataset.damaged)} files have damage that changes the states; the attribute damaged of the result lists them")
    if dataset.losses:
        files = len({file for file, _ in dataset.losses})
        warn(f"lost in {files} files; the attribute losses of the result lists what is lost", LossWarning)
    return dataset
