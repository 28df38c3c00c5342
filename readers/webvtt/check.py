"""Reads the markers of WebVTT with webvtt-py, and compares them with the markers of the recording."""

import html
import json
import sys
from pathlib import Path

import webvtt

sys.path.insert(0, str(Path(__file__).parent.parent))
from inputanim import OUT, recordings, run

compared = 0
for recording in recordings():
    file = OUT / f"{recording.name}.py.vtt"
    run("markers", "export", "--force", recording, "-o", file)
    listed = json.loads(run("markers", "list", recording, "--format", "json"))
    expected = sorted((m for m in listed if m["time"] >= 0), key=lambda marker: marker["time"])
    captions = webvtt.read(file).captions
    if len(captions) != len(expected):
        sys.exit(f"{file}: {len(captions)} cues, not {len(expected)}")
    for caption, marker in zip(captions, expected):
        # This parser leaves character references as they are.
        text = html.unescape(caption.raw_text)
        if text != marker["name"]:
            sys.exit(f"{file}: {text!r}, not {marker['name']!r}")
        hours, minutes, seconds = caption.start.split(":")
        start = int(hours) * 3600 + int(minutes) * 60 + float(seconds)
        if not abs(start - marker["time"]) <= 0.0006:
            sys.exit(f"{file}: {start} s, not {marker['time']} s")
        compared += 1
if not compared:
    sys.exit("nothing was compared")
print(f"{compared} markers of {len(recordings())} recordings are equal in webvtt-py")
