"""Playback into OpenXR applications, with the real program."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

import inputanim

PROGRAM = os.environ.get("INPUTANIM_PROGRAM")
CLIENT = os.environ.get("INPUTANIM_OPENXR_CLIENT")
"""A command that starts a client of OpenXR without graphics, with the loader of OpenXR."""

needs_program = pytest.mark.skipif(PROGRAM is None, reason="INPUTANIM_PROGRAM is not set")
needs_client = pytest.mark.skipif(CLIENT is None or PROGRAM is None, reason="INPUTANIM_OPENXR_CLIENT is not set")


def test_a_program_that_is_missing_is_an_error(wave: inputanim.Recording) -> None:
    with pytest.raises(inputanim.OpenXrError, match=r"cannot run .*\nhint: install a package"):
        wave.play_openxr(["true"], program="/no/such/program")


@needs_program
def test_the_message_of_the_program_is_the_error(wave: inputanim.Recording, tmp_path: Path) -> None:
    assert PROGRAM is not None
    (tmp_path / "libinputanim_openxr_runtime.so").touch()
    with pytest.raises(inputanim.OpenXrError, match="true did not use OpenXR"):
        wave.play_openxr(["true"], program=PROGRAM, libraries=tmp_path)
    with pytest.raises(inputanim.OpenXrError, match="unexpected argument '--colour"):
        wave.play_openxr(["true"], program=PROGRAM, colour="red")


@needs_client
def test_an_application_gets_the_recording(wave: inputanim.Recording) -> None:
    assert PROGRAM is not None and CLIENT is not None
    edited = wave.trim(0, 1)
    played = edited.play_openxr(shlex.split(CLIENT), program=PROGRAM, clock="keys", record=True)
    assert "played" in played.messages and played.output.startswith("{")
    assert played.recording is not None
    # The client gets controllers that the runtime makes of the hands.
    difference = edited.diff(played.recording, joints=["head", "hands", "gaze"], exclude_markers="*")
    assert difference["verdict"] != "different", difference
