"""Compares glTF in Blender with the sampler, and reads the glTF that Blender exports again."""

import subprocess
import sys
from os import environ
from pathlib import Path

import bpy
from mathutils import Vector

sys.path.insert(0, str(Path(__file__).parent.parent))
from inputanim import OUT, convert, frames, recordings, run

# The tolerance in metres.
APART = 1e-4
RATE = 20
FPS = 60
# Severities from warning up.
bpy.app.debug_value = 1


def is_lossy(recording):
    """Returns True if the conversion has losses that change the playback."""
    command = [environ["INPUTANIM_PROGRAM"], "convert", "--force", recording, OUT / "lossy.glb"]
    return subprocess.run(command, capture_output=True).returncode == 3


def open_in_blender(path):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = FPS
    bpy.ops.import_scene.gltf(filepath=str(path))


def place(name, side=None):
    """Returns the world position of a node in the axes of glTF (in Blender, Z is up)."""
    hand = bpy.data.objects.get(side) if side else None
    bone = hand.pose.bones.get(name) if hand and hand.type == "ARMATURE" else None
    if bone:
        found = (hand.matrix_world @ bone.matrix).translation
    else:
        found = bpy.data.objects[name].matrix_world.translation
    return Vector((found.x, found.z, -found.y))


def compare(recording, expected):
    """Returns the largest distance from the sampled positions, and the number of compared positions."""
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
        if frame.get("head"):
            see(place("head"), frame["head"]["position"], what + "the head")
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


def picture(side, path):
    """Renders a hand at the current frame from above, and returns its share of the picture."""
    scene = bpy.context.scene
    hand = bpy.data.objects[f"{side}.mesh"].evaluated_get(bpy.context.evaluated_depsgraph_get())
    corners = [hand.matrix_world @ vertex.co for vertex in hand.to_mesh().vertices]
    middle = sum(corners, Vector()) / len(corners)
    size = 2 * max((corner - middle).length for corner in corners)
    # An unrotated camera looks down.
    camera = bpy.data.objects.new("above", bpy.data.cameras.new("above"))
    camera.data.type, camera.data.ortho_scale, camera.data.clip_start = "ORTHO", size, 0.001
    camera.location = middle + Vector((0, 0, size))
    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    for thing in (camera, sun):
        scene.collection.objects.link(thing)
    scene.camera = camera
    scene.render.engine, scene.cycles.samples = "CYCLES", 16
    scene.render.resolution_x = scene.render.resolution_y = 300
    scene.render.film_transparent = True
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
    opaque = [alpha > 0.5 for alpha in bpy.data.images.load(str(path)).pixels[:][3::4]]
    return sum(opaque) / len(opaque)


worst, places, again, seen = 0, 0, 0, {}
for recording in recordings():
    if is_lossy(recording) or "mixed" in recording.name:
        continue
    open_in_blender(convert(recording, "glb"))
    if len(frames(recording, "--rate", RATE)) < 2:
        continue
    # Skips the times of state changes, because Blender rounds key times.
    expected = frames(recording, "--space", "gltf", "--rate", RATE, "--time", "0.0037..")
    found, count = compare(recording, expected)
    worst, places = max(worst, found), places + count
    if recording.parent.name != "samples":
        continue
    # Blender drops markers and keeps everything else.
    bpy.context.scene.frame_end = int(expected[-1]["time"] * FPS)
    exported = OUT / f"{recording.name}.blender.glb"
    bpy.ops.export_scene.gltf(filepath=str(exported), export_format="GLB")
    back = convert(exported, "bin")
    bare = OUT / f"{recording.name}.bare.bin"
    run("markers", "remove", recording, "-o", bare, "--force", "--all")
    run("diff", bare, back, "--position", "0.1mm", "--rotation", "0.1deg")
    again += 1
    for hand in bpy.data.objects:
        if hand.name in ("left", "right") and max(hand.matrix_world.to_scale()) > 0.5:
            file = OUT / f"{recording.name}.{hand.name}.png"
            seen[file] = picture(hand.name, file)
if places < 10_000 or again == 0:
    sys.exit(f"only {places} places and {again} exports were compared")
if not seen or not all(0.03 < part < 0.6 for part in seen.values()):
    sys.exit(f"these are no pictures of hands: {seen}")
print(f"Blender rendered {len(seen)} hands in {OUT}")
print(f"Blender: {places} positions are within {worst * 1000:.4f} mm; {again} are the same after its export")
