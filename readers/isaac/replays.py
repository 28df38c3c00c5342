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
    """Whether a pose of `inputanim sample` is finite and has a rotation."""
    if pose is None or any(number is None for number in pose["position"] + pose["rotation"]):
        return False
    numbers = f32(pose["position"] + pose["rotation"])
    return bool(np.isfinite(numbers).all() and numbers[3:].any())


def same(what, a, b):
    """Expects equal bits, apart from the sign of 0, which JSON may lack."""
    a, b = f32(a) + np.float32(0), f32(b) + np.float32(0)
    expect((a.view(np.uint32) == b.view(np.uint32)).all(), f"{what}: {a} {b}")


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
    positions, rotations = np.array(joints.positions), np.array(joints.orientations)
    for index, name in enumerate(JOINTS):
        pose = frame.get("joints", {}).get(name)
        is_valid = bool(frame.get("tracked")) and known(pose)
        expect(valid[index] == is_valid, f"{what}: {name} is valid: {valid[index]}")
        if is_valid:
            same(f"{what}: {name}", positions[index], pose["position"])
            same(f"{what}: {name}", rotations[index], pose["rotation"])
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
