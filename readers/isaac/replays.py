"""Shared code of the checks of Isaac Capture: replays with NVIDIA's reader, and comparisons with the sampler."""

import os
import sys
from pathlib import Path

import numpy as np
from isaacteleop.deviceio_session import McapReplayConfig, ReplaySession
from mcap.reader import make_reader

sys.path.insert(0, str(Path(__file__).parent.parent))
from inputanim import OUT

JOINTS = ["Palm", "Wrist", "ThumbMetacarpalJoint", "ThumbProximalJoint", "ThumbDistalJoint", "ThumbTip"]
for finger in ["Index", "Middle", "Ring", "Pinky"]:
    JOINTS += [finger + joint for joint in ["Metacarpal", "Knuckle", "MiddleJoint", "DistalJoint", "Tip"]]
SIDES = ("left", "right")


def expect(holds, what):
    if not holds:
        raise AssertionError(what)


def f32(numbers):
    return np.array(numbers, np.float32)


def known(pose):
    """Returns True for a pose of `inputanim sample` that is finite and has a rotation. JSON has `null` for other numbers."""
    return pose is not None and None not in pose["position"] + pose["rotation"] and any(pose["rotation"])


def same(what, a, b):
    """Expects equal bits, apart from the sign of 0, which JSON may lack."""
    a, b = f32(a) + np.float32(0), f32(b) + np.float32(0)
    if not np.array_equal(a.view(np.uint32), b.view(np.uint32)):
        raise AssertionError(f"{what}: {a} {b}")


def place(pose):
    position, rotation = pose.position, pose.orientation
    return [position.x, position.y, position.z], [rotation.x, rotation.y, rotation.z, rotation.w]


def messages(file):
    """Returns the times of the messages of each topic, after a check of all checksums."""
    times = {}
    with file.open("rb") as stream:
        for _, channel, message in make_reader(stream, validate_crcs=True).iter_messages():
            times.setdefault(channel.topic, []).append(message.log_time)
    return times


def quietly(action):
    """Runs an action whose library prints to the standard output and error of the process, and returns both."""
    out = OUT / "printed.txt"
    sys.stdout.flush()
    saved = [os.dup(1), os.dup(2)]
    with out.open("wb") as printed:
        os.dup2(printed.fileno(), 1)
        os.dup2(printed.fileno(), 2)
        try:
            result = action()
        finally:
            for number, copy in zip((1, 2), saved):
                os.dup2(copy, number)
                os.close(copy)
    return result, out.read_text(errors="replace")


def replay(file, steps, trackers, take):
    """Returns what `take` finds in each step of a replay."""

    def action():
        found = []
        with ReplaySession.run(McapReplayConfig(str(file), trackers)) as session:
            for _ in range(steps):
                session.update()
                found.append(take(session))
        return found

    return quietly(action)


def check_hand(what, hand, frame):
    expect(hand is not None, f"{what}: there is a hand")
    joints = hand.joints
    valid = joints.is_valid.astype(bool)
    sampled = frame["joints"] if frame.get("tracked") else {}
    poses = [sampled.get(name) for name in JOINTS]
    expected = np.array([known(pose) for pose in poses])
    expect((valid == expected).all(), f"{what}: valid joints {valid}, not {expected}")
    poses = [pose for pose, is_valid in zip(poses, valid) if is_valid]
    same(f"{what}: positions", np.array(joints.positions)[valid], f32([pose["position"] for pose in poses]).reshape(-1, 3))
    same(f"{what}: rotations", np.array(joints.orientations)[valid], f32([pose["rotation"] for pose in poses]).reshape(-1, 4))
    radii = np.array(joints.radii)
    expect(((radii > 0.005) & (radii < 0.022)).all(), f"{what}: radii {radii}")
    return int(valid.sum())


def check_head(what, head, frame):
    pose = frame.get("head")
    expect(head.is_valid == head.is_tracked == known(pose), f"{what}: the head is valid: {head.is_valid}")
    if head.is_valid:
        position, rotation = place(head.pose)
        same(f"{what}: head", position, pose["position"])
        same(f"{what}: head", rotation, pose["rotation"])
