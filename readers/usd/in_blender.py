"""Compares the objects of USD in Blender with the sampler."""

import sys
from pathlib import Path

import bpy
from mathutils import Vector

sys.path.insert(0, str(Path(__file__).parent.parent))
from inputanim import convert, frames, recordings

# The tolerance in metres.
APART = 1e-4
# The frame rate of the file, and the rate of the comparison.
FPS = 60
RATE = 20


def open_in_blender(path):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = FPS
    bpy.ops.wm.usd_import(filepath=str(path))


def places(frame):
    """Returns the sampled positions by Blender's names of objects and bones."""
    if frame.get("head"):
        yield "head_camera", None, frame["head"]["position"]
    ray = frame.get("gaze")
    if ray and None not in ray["direction"] and any(ray["direction"]):
        yield "gaze_ray", None, ray["origin"]
    for side in ("left", "right"):
        hand = frame.get(side)
        if hand and hand["tracked"]:
            for joint, pose in hand["joints"].items():
                if joint != "None":
                    yield f"{side}_skeleton", joint, pose["position"]


def compare(recording, path):
    """Returns the largest distance from the sampled positions, and the number of compared positions."""
    worst, count = 0, 0
    open_in_blender(path)
    for number, frame in enumerate(frames(recording, "--space", "blender", "--rate", RATE)):
        # The end of a recording may lie between frames.
        if abs(frame["time"] - number / RATE) > 1e-4:
            break
        bpy.context.scene.frame_set(number * FPS // RATE)
        for name, joint, position in places(frame):
            if None in position:
                continue
            matrix = bpy.data.objects[name].matrix_world
            if joint:
                matrix = matrix @ bpy.data.objects[name].pose.bones[joint].matrix
            apart = (matrix.translation - Vector(position)).length
            if not apart <= APART * max(1, Vector(position).length):
                sys.exit(f"{path} at {frame['time']} s: {name} {joint or ''} is {apart} m away")
            worst, count = max(worst, apart), count + 1
    return worst, count


worst, count = 0, 0
for recording in recordings():
    for extension in ("usda", "usdc"):
        found, places_of = compare(recording, convert(recording, extension))
        worst, count = max(worst, found), count + places_of
if count < 10_000:
    sys.exit(f"only {count} places were compared")
print(f"Blender: {count} positions are within {worst * 1000:.4f} mm")
