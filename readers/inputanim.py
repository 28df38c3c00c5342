"""What the checks of this folder share: the program, the recordings, what plays.

`cargo xtask readers` sets INPUTANIM_PROGRAM (the program), INPUTANIM_OUT (a folder for what it
converts) and INPUTANIM_RECORDINGS (paths, one a line).
"""

import json
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = Path(os.environ.get("INPUTANIM_OUT", "."))


def recordings():
    """The samples, and real recordings where they are at hand."""
    return [Path(line) for line in os.environ["INPUTANIM_RECORDINGS"].splitlines()]


def run(*arguments):
    """Runs the program and gives what it prints; what was lost (exit code 3) is no failure."""
    program = os.environ["INPUTANIM_PROGRAM"]
    command = [program, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    if done.returncode not in (0, 3):
        raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def convert(recording, extension, *options):
    """Converts a recording; the new file."""
    output = OUT / f"{recording.name}.{extension}"
    run("convert", "--force", recording, output, *options)
    return output


def frames(recording, *options):
    """The frames that play, as `inputanim sample --format ndjson` prints them."""
    lines = run("sample", recording, "--format", "ndjson", *options).splitlines()
    return [json.loads(line) for line in lines]
