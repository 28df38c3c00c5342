"""BVH in Blender, with the defaults of its importer but for the scale, against what plays."""

import json
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
    bpy.ops.import_anim.bvh(filepath=str(file), global_scale=0.01, frame_start=0)
    armature = bpy.context.object
    for frame in frames(recording, "--space", "blender", "--rate", str(RATE)):
        step = round(frame["time"] * RATE)
        if step % 5:
            continue
        bpy.context.scene.frame_set(step)
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
print(json.dumps({"blender": bpy.app.version_string, "joints": compared, "worst_mm": worst * 1000}))
