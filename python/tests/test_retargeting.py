"""The recipe that drives a robot hand from a recording. `cargo xtask python --retargeting` installs dex-retargeting and runs it."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT

import inputanim

pytest.importorskip("dex_retargeting")

BONES = (0.09, 0.04, 0.025, 0.02)
"""Lengths from the wrist to the knuckle of the index finger, and of its bones, in metres."""

URDF = """<robot name="finger">
{links}
<joint name="fixed" type="fixed"><parent link="wrist"/><child link="knuckle"/><origin xyz="0 {side} {0}"/></joint>
{joints}
</robot>"""


def robot(path: Path) -> Path:
    """Writes a robot with one finger of three joints, which turn around the y axis of the robot, to the side of
    the palm. The finger points along z."""
    mass = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
    names = ["wrist", "knuckle", "proximal", "middle", "distal", "tip"]
    links = "".join(f'<link name="{name}">{mass}</link>' for name in names)
    limit = '<axis xyz="0 1 0"/><limit lower="-0.2" upper="1.8" effort="1" velocity="1"/>'
    joints, z = [], 0.0
    for joint, parent, child, bone in zip("abc", names[1:], names[2:], BONES[1:]):
        origin = f'<parent link="{parent}"/><child link="{child}"/><origin xyz="0 0 {z}"/>'
        joints.append(f'<joint name="{joint}" type="revolute">{origin}{limit}</joint>')
        z = bone
    end = f'<parent link="distal"/><child link="tip"/><origin xyz="0 0 {z}"/>'
    joints.append(f'<joint name="end" type="fixed">{end}</joint>')
    path.write_text(URDF.format(BONES[0], side=0.02, links=links, joints="".join(joints)), encoding="utf-8")
    return path


def fingers(angles: np.ndarray) -> np.ndarray:
    """Returns the 21 keypoints of a right hand whose index finger has these angles, for each frame. The fingers point along z, the
    side of the thumb is +x, and the palm faces −y."""
    points = np.zeros((len(angles), 21, 3))
    # All fingers are straight, except the index finger.
    for finger, x in enumerate([0.04, 0.02, 0.0, -0.02, -0.04]):
        for joint in range(4):
            points[:, 1 + 4 * finger + joint] = [x, 0, BONES[0] + 0.03 * joint]
    position = np.tile([0.02, 0.0, BONES[0]], (len(angles), 1))
    turned = np.zeros(len(angles))
    points[:, 5] = position
    for number, bone in enumerate(BONES[1:]):
        turned = turned + angles[:, number]
        position = position + bone * np.stack([0 * turned, -np.sin(turned), np.cos(turned)], axis=1)
        points[:, 6 + number] = position
    return points


def test_the_recipe_finds_the_angles_of_a_robot(tmp_path: Path) -> None:
    times = np.arange(30) / 30
    angles = np.stack([0.6 + 0.4 * np.sin(6 * times), 0.5 + 0.3 * np.sin(4 * times), 0.3 + 0.2 * np.sin(5 * times)], axis=1)
    points = fingers(angles)
    # The hand turns and moves in the world: the recipe has to find its axes.
    turn = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])
    world = points @ turn.T + np.array([0.3, 1.2, -0.4])
    header = ["time_s", *(f"{axis}{n}" for n in range(21) for axis in "xyz")]
    lines = [",".join(header)]
    for time, frame in zip(times, world.reshape(len(times), -1)):
        lines.append(",".join(repr(float(number)) for number in [time, *frame]))
    table = tmp_path / "keypoints.csv"
    table.write_text("\n".join(lines), encoding="utf-8")
    recording = inputanim.read(table, mappings=["right.joints.mediapipe=x{n},y{n},z{n}"], space="openxr")
    # Written keypoints are those that were read.
    found = recording.sample(times=times, space="openxr").right.keypoints("mediapipe")
    assert np.abs(found - world).max() < 1e-6

    page = (ROOT / "docs/recipes.md").read_text(encoding="utf-8")
    (code,) = [code for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "dex_retargeting" in code]
    code = code.replace('"shadow_hand_right.urdf"', repr(str(robot(tmp_path / "finger.urdf"))))
    code = re.sub(r"LINKS = .*", 'LINKS = {6: "middle", 7: "distal", 8: "tip"}', code)
    code = code.replace('WRIST = "palm"', 'WRIST = "wrist"').replace("scaling_factor=1.2", "scaling_factor=1.0")
    code = code.replace('inputanim.read("study/p01_grab.bin")', "recording")
    # The package ends its search as soon as tips are some millimetres apart; here, the exact angles are known.
    code = code.replace("config.build()\n", "config.build()\nhand.optimizer.opt.set_ftol_abs(1e-14)\n")
    variables = {"recording": recording}
    exec(code, variables)
    result = variables["angles"]
    assert isinstance(result, np.ndarray)
    assert result.shape == angles.shape
    assert np.abs(result[3:] - angles[3:]).max() < 0.02
