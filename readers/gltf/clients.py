"""glTF in Blender: what it shows is what plays, and what it exports again is read as the same."""

import json
import subprocess
import sys
from os import environ
from pathlib import Path

import bpy
from mathutils import Vector

sys.path.insert(0, str(Path(__file__).parent.parent))
from inputanim import OUT, convert, frames, recordings, run

# Metres: a tenth of a millimetre.
APART = 1e-4
RATE = 20
FPS = 60


def is_lossy(recording):
    """Whether something is lost, so that what plays is another."""
    command = [environ["INPUTANIM_PROGRAM"], "convert", "--force", recording, OUT / "lossy.glb"]
    return subprocess.run(command, capture_output=True).returncode == 3


def open_in_blender(path):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = FPS
    bpy.ops.import_scene.gltf(filepath=str(path))


def place(name, side=None):
    """Where a node is in the world, in glTF's axes: Blender's up is Z."""
    hand = bpy.data.objects.get(side) if side else None
    bone = hand.pose.bones.get(name) if hand and hand.type == "ARMATURE" else None
    if bone:
        found = (hand.matrix_world @ bone.matrix).translation
    else:
        found = bpy.data.objects[name].matrix_world.translation
    return Vector((found.x, found.z, -found.y))


def compare(recording, expected):
    """The greatest distance from what plays, and of how many places."""
    worst, places = 0, 0

    def see(found, position, what):
        nonlocal worst, places
        apart = (found - Vector(position)).length
        if not apart <= APART:
            sys.exit(f"{recording}: {what} is {apart} m away")
        worst, places = max(worst, apart), places + 1

    for frame in expected:
        at = frame["time"] * FPS
        bpy.context.scene.frame_set(int(at), subframe=at - int(at))
        what = f"at {frame['time']} s "
        if frame.get("camera"):
            see(place("head"), frame["camera"]["position"], what + "the head")
        for side in ("left", "right"):
            hand = frame.get(side)
            if hand is None:
                continue
            shown = bpy.data.objects[side].matrix_world.to_scale().x
            if abs(shown - hand["tracked"]) > 1e-3:
                sys.exit(f"{recording}: {what}{side} is scaled to {shown}")
            for joint, pose in hand["joints"].items():
                name = f"{side}.{joint}"
                see(place(name, side), pose["position"], what + name)
        if frame.get("gaze"):
            see(place("gaze"), frame["gaze"]["origin"], what + "the gaze")
    return worst, places


worst, places, again = 0, 0, 0
for recording in recordings():
    if is_lossy(recording) or "mixed" in recording.name:
        continue
    # Not at the times at which states change: Blender rounds those of keys.
    expected = frames(recording, "--space", "gltf", "--rate", RATE, "--time", "0.0037..")
    open_in_blender(convert(recording, "glb"))
    if not bpy.data.actions:
        continue
    found, count = compare(recording, expected)
    worst, places = max(worst, found), places + count
    if recording.parent.name != "samples":
        continue
    # Blender knows no markers; all else comes back through it.
    bpy.context.scene.frame_end = int(expected[-1]["time"] * FPS)
    exported = OUT / f"{recording.name}.blender.glb"
    bpy.ops.export_scene.gltf(filepath=str(exported), export_format="GLB")
    back = convert(exported, "bin")
    bare = OUT / f"{recording.name}.bare.bin"
    run("markers", "remove", recording, "-o", bare, "--force", "--all")
    run("diff", bare, back, "--tolerance-mm", "0.1", "--tolerance-deg", "0.1")
    again += 1
if places < 10_000 or again == 0:
    sys.exit(f"only {places} places and {again} exports were compared")
print(f"Blender shows {places} places within {worst * 1000:.4f} mm; {again} came back through it")
