"""Compares BVH in Blender with the sampler. The importer has its default settings, except for the scale."""

import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).parent.parent))
from inputanim import ROOT, convert, frames

RATE = 30
worst = 0
compared = 0
for recording in sorted((ROOT / "samples").glob("*.bin")):
    file = convert(recording, "bvh", "--rate", str(RATE))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_anim.bvh(filepath=str(file), global_scale=0.01, update_scene_fps=True)
    armature = bpy.context.object
    scene = bpy.context.scene
    if abs(scene.render.fps / scene.render.fps_base - RATE) > 1e-3:
        sys.exit(f"{file}: {scene.render.fps} frames a second")
    for bone in armature.data.bones:
        # In the rest pose, a hand is flat and its fingers point forward, along +Y.
        if bone.name.endswith("Tip") and "Thumb" not in bone.name:
            knuckle = armature.data.bones[bone.name.replace("Tip", "Knuckle")]
            ahead = armature.matrix_world @ bone.head_local - armature.matrix_world @ knuckle.head_local
            if not (ahead.y > 0.05 and abs(ahead.x) < 0.001 and abs(ahead.z) < 0.001):
                sys.exit(f"{file}: at rest {bone.name} is {tuple(ahead)} from its knuckle")
    for frame in frames(recording, "--space", "blender", "--rate", str(RATE)):
        step = round(frame["time"] * RATE)
        if step % 5:
            continue
        # Blender counts from 1.
        scene.frame_set(step + 1)
        for side in ("left", "right"):
            if not frame[side]["tracked"]:
                continue
            for joint, pose in frame[side]["joints"].items():
                bone = armature.pose.bones[side.capitalize() + joint]
                place = armature.matrix_world @ bone.head
                off = sum((a - b) ** 2 for a, b in zip(place, pose["position"])) ** 0.5
                worst, compared = max(worst, off), compared + 1
                if off > 0.001:
                    sys.exit(f"{file}: {bone.name} is {off * 1000:.3f} mm off at {frame['time']} s")
if not compared:
    sys.exit("nothing was compared")
print(f"Blender {bpy.app.version_string}: {compared} joints are within {worst * 1000:.3f} mm of their sampled positions")
