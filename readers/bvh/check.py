"""Reads BVH with bvhio and bvh: joints must be within a millimetre of their sampled positions."""

import os
import subprocess
import sys
from pathlib import Path

import bvhio
import numpy
from bvh import Bvh

sys.path.insert(0, str(Path(__file__).parent.parent))
from inputanim import OUT, frames, recordings

RATE = 30


def convert(recording, *options):
    """Returns the converted file, or None if no hand is ever tracked."""
    output = OUT / f"{recording.name}.bvh"
    command = [os.environ["INPUTANIM_PROGRAM"], "convert", "--force", recording, output, *options]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode == 1 and "ever tracked" in done.stderr:
        return None
    if done.returncode not in (0, 3):
        sys.exit(f"{recording}: exit code {done.returncode}\n{done.stderr}")
    return output


def expected(recording, times):
    """Returns the joint positions by their names in the file. An untracked hand keeps its last positions."""
    at = ",".join(map(str, times))
    places = {}
    for frame in frames(recording, "--space", "openxr", "--at", at):
        for side in ("left", "right"):
            for joint, pose in frame.get(side, {"joints": {}})["joints"].items():
                if joint != "None" and frame[side]["tracked"]:
                    places[side.capitalize() + joint] = numpy.array(pose["position"])
        yield dict(places)


def check(recording, *options, scale=100):
    file = convert(recording, "--rate", str(RATE), *options)
    if file is None:
        return 0
    text = file.read_text()
    simple = Bvh(text)
    root = bvhio.readAsHierarchy(str(file))
    joints = {joint.Name: joint for joint, _, _ in root.layout()}
    if simple.get_joints_names() != list(joints):
        sys.exit(f"{file}: the two readers find other joints")
    if abs(simple.frame_time - 1 / RATE) > 1e-9:
        sys.exit(f"{file}: a frame lasts {simple.frame_time} s")
    duration = max((frame["time"] for frame in frames(recording, "--at-keys")), default=0)
    count = simple.nframes
    if len(simple.frames) != count or not 0 <= (count - 1) / RATE - duration < 1.01 / RATE:
        sys.exit(f"{file}: {count} frames for {duration} s")
    steps = range(count)
    times = [min(step / RATE, duration) for step in steps]
    compared = 0
    seen = list(expected(recording, times))
    for step in list(steps)[:: max(1, count // 40)]:
        root.loadPose(step, recursive=True)
        for name, place in seen[step].items():
            if name not in joints:
                if options and name[:4].lower() != options[-1][:4]:
                    continue
                sys.exit(f"{file}: there is no {name}")
            theirs = numpy.array(joints[name].PositionWorld.to_tuple()) / scale
            off = numpy.linalg.norm(theirs - place)
            compared += 1
            if not off <= 0.001 * max(1, numpy.linalg.norm(place)):
                sys.exit(f"{file}: {name} is {off * 1000:.3f} mm off at {times[step]} s")
    return compared


compared = sum(check(recording) for recording in recordings())
two_hands = next(recording for recording in recordings() if recording.name == "two-hands.bin")
compared += check(two_hands, "--scale", "1", "--hand", "left", scale=1)
if not compared:
    sys.exit("nothing was compared")
print(f"{len(recordings())} files: {compared} joints are within a millimetre of their sampled positions")
