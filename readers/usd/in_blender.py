"""USD in Blender: its objects are where what plays is."""

import sys
from pathlib import Path

import bpy
from mathutils import Vector

sys.path.insert(0, str(Path(__file__).parent.parent))
from inputanim import convert, frames, recordings

# Metres: a tenth of a millimetre.
APART = 1e-4
# Frames a second, as they are written, and as they are looked at.
FPS = 60
RATE = 20


def open_in_blender(path):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = FPS
    bpy.ops.wm.usd_import(filepath=str(path))


def places(frame):
    """What plays, by Blender's names: of an object, or of a bone of one."""
    if frame.get("camera"):
        yield "head_camera", None, frame["camera"]["position"]
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
    """The greatest distance from what plays, and of how many places."""
    worst, count = 0, 0
    open_in_blender(path)
    for number, frame in enumerate(frames(recording, "--space", "blender", "--rate", RATE)):
        # The end of a recording is not on a frame.
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
print(f"Blender shows {count} places within {worst * 1000:.4f} mm")
