"""Replays files with NVIDIA's own reader of Isaac Capture, and compares what a robot gets with the sampler, bit for bit.
Also reads files that another encoder of FlatBuffers wrote, and that NVIDIA's reader replays."""

import io
import json
import re
import struct
import sys
from pathlib import Path

if sys.platform != "linux":
    sys.exit(print("skipped: NVIDIA's reader is for Linux only"))

import flatbuffers
import numpy as np
from isaacteleop.deviceio_session import _deviceio_session
from isaacteleop.deviceio_trackers import ControllerTracker, HandTracker, HeadTracker
from mcap.writer import CompressionType, Writer

sys.path.insert(0, str(Path(__file__).parent.parent))
from inputanim import OUT, convert, frames, is_sample, recordings, run
from replays import JOINTS, SIDES, check_hand, check_head, expect, f32, messages, place, replay, same


def check(recording, *options):
    """Compares a recording with its replay, and returns the numbers of valid joints and of other joints."""
    file = convert(recording, "isaac.mcap", *options)
    times = messages(file)
    back = OUT / f"{recording.name}.isaac.bin"
    run("convert", "--force", file, back)
    expect(back.read_bytes() == recording.read_bytes(), f"{recording.name}: the recording comes back")
    hands, heads = HandTracker(), HeadTracker()
    trackers = []
    if "hands/left_hand" in times:
        expect(times["hands/left_hand"] == times["hands/right_hand"], "both hands have messages")
        trackers.append((hands, "hands"))
    if "head/head" in times:
        trackers.append((heads, "head"))
    if not trackers:
        return 0, 0
    steps = times["head/head" if trackers[0][1] == "head" else "hands/left_hand"]
    expect(steps == sorted(set(steps)), "times increase")

    def take(session):
        of = {base: tracker for tracker, base in trackers}
        return (
            [hands.get_left_hand(session), hands.get_right_hand(session)] if "hands" in of else None,
            heads.get_head(session) if "head" in of else None,
        )

    found, printed = replay(file, len(steps), trackers, take)
    expect("not found" not in printed and "Incompatible" not in printed, printed)
    valid = compared = 0
    seconds = [repr(float(np.float32(time / 1e9))) for time in steps]
    for first in range(0, len(seconds), 2000):
        at = ",".join(seconds[first : first + 2000])
        sampled = frames(recording, "--at", at, "--space", "openxr")
        for time, frame, (both, head) in zip(seconds[first:], sampled, found[first:]):
            what = f"{recording.name} at {time} s"
            if both is not None:
                for side, hand in zip(SIDES, both):
                    valid += check_hand(f"{what}: {side}", hand, frame.get(side, {}))
                    compared += 26
            if head is not None:
                check_head(what, head, frame)
    return valid, compared - valid


def record(payload, time):
    """Encodes a message with the FlatBuffers library for Python. `payload` adds the fields of a table."""
    builder = flatbuffers.Builder(1024)
    table = payload(builder) if payload else None
    builder.StartObject(2)
    if table is not None:
        builder.PrependUOffsetTRelativeSlot(0, table, 0)
    builder.Prep(8, 24)
    for number in (time * 7, time, time + 1000):
        builder.PrependInt64(number)
    builder.PrependStructSlot(1, builder.Offset(), 0)
    builder.Finish(builder.EndObject())
    return bytes(builder.Output())


def put(builder, data):
    """Adds the bytes of a struct, and returns its place."""
    builder.Prep(4, len(data))
    for byte in reversed(data):
        builder.PrependByte(byte)
    return builder.Offset()


def hand_message(joints, time):
    def payload(builder):
        builder.StartObject(1)
        data = b"".join(struct.pack("<7fB3xf", *numbers, valid, 0.01) for numbers, valid in joints)
        builder.PrependStructSlot(0, put(builder, data), 0)
        return builder.EndObject()

    return record(payload if joints else None, time)


def controller_message(grip, valid, trigger, time):
    def payload(builder):
        builder.StartObject(3)
        pose = struct.pack("<7fB3x", *grip, valid)
        builder.PrependStructSlot(0, put(builder, pose), 0)
        builder.PrependStructSlot(1, put(builder, pose), 0)
        inputs = struct.pack("<4B4f", 1, 0, 0, 0, 0.5, -0.5, 0.25, trigger)
        builder.PrependStructSlot(2, put(builder, inputs), 0)
        return builder.EndObject()

    return record(payload, time)


def schema_of(name):
    """Returns NVIDIA's own binary schema, which is in its library, with some of the bytes that follow."""
    library = Path(_deviceio_session.__file__).read_bytes()
    places = [match.start() - 4 for match in re.finditer(b"BFBS", library)]
    for place in places:
        # The root table of a schema has its own root table as field 4, whose field 0 is the name.
        schema = library[place : place + 16384]
        root = struct.unpack_from("<I", schema)[0]
        if root > 64:
            continue
        table = follow(schema, root, 4)
        text = table and follow(schema, table, 0)
        if text and schema[text + 4 :].startswith(name.encode() + b"\0"):
            return schema
    raise AssertionError(f"no schema {name}")


def follow(message, table, field):
    """Returns the place to which a field of a table leads, or `None`."""
    fields = table - struct.unpack_from("<i", message, table)[0]
    length = struct.unpack_from("<H", message, fields)[0]
    if length < 6 + 2 * field:
        return None
    place = table + struct.unpack_from("<H", message, fields + 4 + 2 * field)[0]
    return place + struct.unpack_from("<I", message, place)[0]


def write(name, channels):
    """Writes messages of channels, each of which is a topic, a schema and pairs of times and bytes."""
    file = OUT / name
    stream = io.BytesIO()
    writer = Writer(stream, compression=CompressionType.NONE)
    writer.start(profile="teleop", library="check")
    listed = []
    for topic, schema, items in channels:
        schema = writer.register_schema(schema, "flatbuffer", schema_of(schema))
        channel = writer.register_channel(topic, "flatbuffer", schema)
        listed += [(time, channel, data) for time, data in items]
    for time, channel, data in sorted(listed, key=lambda item: item[0]):
        writer.add_message(channel, log_time=time, publish_time=time, data=data)
    writer.finish()
    file.write_bytes(stream.getvalue())
    return file


def reads_hands_of_another_encoder():
    """Compares what NVIDIA and inputanim read in a file of hands."""
    random = np.random.default_rng(1)
    start, step, count = 5_000_000_000, 16_000_000, 50
    channels = {side: [] for side in SIDES}
    for index in range(count):
        time = start + index * step
        for side in SIDES:
            if (index // 10) % 3 == 2:
                joints = []
            else:
                numbers = random.normal(size=(26, 7))
                # The sampler changes rotations that do not have length 1.
                numbers[:, 3:] /= np.linalg.norm(numbers[:, 3:], axis=1, keepdims=True)
                numbers = numbers.astype(np.float32)
                joints = [(row, int(random.random() < 0.9)) for row in numbers]
            channels[side].append((time, hand_message(joints, time)))
    file = write(
        "encoded.mcap",
        [(f"glove/{side}_hand", "core.HandPoseRecord", items) for side, items in channels.items()],
    )
    hands = HandTracker()

    def take(session):
        return [hands.get_left_hand(session), hands.get_right_hand(session)]

    found, _ = replay(file, count, [(hands, "glove")], take)
    recording = OUT / "encoded.bin"
    run("convert", "--force", "--input-format", "isaac", file, recording)
    at = ",".join(repr(float(np.float32(index * step / 1e9))) for index in range(count))
    valid = 0
    for index, (frame, both) in enumerate(zip(frames(recording, "--at", at, "--space", "openxr"), found, strict=True)):
        for side, hand in zip(SIDES, both):
            what = f"encoded, frame {index}, {side}"
            expect((hand is not None) == frame[side]["tracked"], f"{what}: tracked")
            if hand is None:
                continue
            joints = hand.joints
            for joint, name in enumerate(JOINTS):
                if joints.is_valid[joint]:
                    pose = frame[side]["joints"][name]
                    same(f"{what}: {name}", joints.positions[joint], pose["position"])
                    # The sign of a rotation has no meaning.
                    rotation = f32(pose["rotation"])
                    signed = rotation if rotation @ joints.orientations[joint] > 0 else -rotation
                    same(f"{what}: {name}", joints.orientations[joint], signed)
                    valid += 1
    expect(valid > 1000, "joints were compared")
    return valid


def reads_controllers():
    """Compares the grip that NVIDIA reads with the palm that inputanim reads."""
    start, step, count = 7_000_000_000, 20_000_000, 20
    turn = [0.1, -0.5, 0.3, 0.8]
    turn = [part / sum(part * part for part in turn) ** 0.5 for part in turn]
    channels = {side: [] for side in SIDES}
    for index in range(count):
        time = start + index * step
        for side, sign in zip(SIDES, (-1, 1)):
            grip = [sign * 0.2, 1 + index / 100, -0.3, *turn]
            valid = not (side == "left" and index >= 10)
            channels[side].append((time, controller_message(grip, valid, index / count, time)))
    file = write(
        "controllers.mcap",
        [(f"c/{side}_controller", "core.ControllerSnapshotRecord", items) for side, items in channels.items()],
    )
    tracker = ControllerTracker()

    def take(session):
        return [tracker.get_left_controller(session), tracker.get_right_controller(session)]

    found, _ = replay(file, count, [(tracker, "c")], take)
    # Files of MRTK have no controllers.
    recording = OUT / "controllers.json"
    run("convert", "--force", "--palms-from-controllers", file, recording)
    check_devices(recording, found)
    at = ",".join(repr(float(np.float32(index * step / 1e9))) for index in range(count))
    for index, (frame, both) in enumerate(zip(frames(recording, "--at", at, "--space", "openxr"), found, strict=True)):
        for side, controller in zip(SIDES, both):
            what = f"controllers, frame {index}, {side}"
            hand = frame[side]
            # Without its pose, a controller says nothing of the hand.
            expect(hand["tracked"] == (True if controller.grip_pose.is_valid else None), f"{what}: tracked")
            if not hand["tracked"]:
                continue
            pressed = controller.inputs.trigger_value >= 0.5
            expect(hand["pinching"] == pressed, f"{what}: pinching")
            position, grip = place(controller.grip_pose.pose)
            palm = hand["joints"]["Palm"]
            same(f"{what}: palm", palm["position"], position)
            axes, grip_axes = rotation_matrix(palm["rotation"]), rotation_matrix(grip)
            sign = 1 if side == "right" else -1
            expected = np.stack([sign * grip_axes[:, 2], sign * grip_axes[:, 0], grip_axes[:, 1]], axis=1)
            expect(np.abs(axes - expected).max() < 1e-6, f"{what}: axes of the palm")
            wrist = f32(hand["joints"]["Wrist"]["position"]) - f32(position)
            expect(np.abs(wrist - 0.047 * axes[:, 2]).max() < 1e-6, f"{what}: wrist {wrist}")


INPUTS = {
    "thumbstick_click": "thumbstick.click",
    "menu_click": "menu.click",
    "thumbstick_x": "thumbstick.x",
    "thumbstick_y": "thumbstick.y",
    "squeeze_value": "squeeze.value",
    "trigger_value": "trigger.value",
}


def check_devices(recording, found):
    """Compares the controllers of a recording, which is JSON, with those that NVIDIA reads."""
    curves = {curve["curve"]: curve["keys"] for curve in json.loads(recording.read_text())["curves"]}
    for index, side in enumerate(SIDES):
        name = f"{side}.controller"
        of_side = [both[index] for both in found]
        letters = "xy" if side == "left" else "ab"
        inputs = INPUTS | {"primary_click": f"{letters[0]}.click", "secondary_click": f"{letters[1]}.click"}
        for field, curve in inputs.items():
            values = [float(getattr(one.inputs, field)) for one in of_side]
            keys = curves[f"{name}.{curve}"]
            if curve.endswith("click"):
                # Buttons have a key where they change.
                changes = [value for at, value in enumerate(values) if at == 0 or value != values[at - 1]]
                expect([key[1] for key in keys] == changes, f"{name}.{curve}")
            else:
                expect([np.float32(key[1]) for key in keys] == [np.float32(value) for value in values], f"{name}.{curve}")
        for pose in ("grip", "aim"):
            poses = [getattr(one, f"{pose}_pose") for one in of_side]
            for axis, sign in zip("xyz", (1, 1, -1)):
                values = [sign * getattr(one.pose.position, axis) for one in poses if one.is_valid]
                keys = curves[f"{name}.{pose}.position.{axis}"]
                expect([np.float32(key[1]) for key in keys] == [np.float32(value) for value in values], f"{name}.{pose}")


def writes_controllers():
    """Compares the controllers of a written file, as NVIDIA reads it, with the recording."""
    count = 20
    times = [float(np.float32(index / 60)) for index in range(count)]
    curves = []

    def add(curve, kind, values):
        keys = [[time, value] for time, value in zip(times, values)]
        curves.append({"curve": curve, "preWrap": 8, "postWrap": 8, "kind": kind, "keys": keys})

    for side, letters in zip(SIDES, ("xy", "ab")):
        name = f"{side}.controller"
        for pose, height in (("aim", 1.25), ("grip", 1)):
            for axis, first in zip("xyz", (0.25, height, 0.5)):
                add(f"{name}.{pose}.position.{axis}", "simple", [first + index / 64 for index in range(count)])
            for axis, value in zip("xyzw", (0, 0, 0, 1)):
                add(f"{name}.{pose}.rotation.{axis}", "simple", [value] * count)
        for place, curve in enumerate([f"{letters[0]}.click", f"{letters[1]}.click", "menu.click", "thumbstick.click"]):
            add(f"{name}.{curve}", "boolean", [float(index % (place + 2) == 0) for index in range(count)])
        for place, curve in enumerate(["squeeze.value", "thumbstick.x", "thumbstick.y", "trigger.value"]):
            add(f"{name}.{curve}", "simple", [(index + place) / 32 for index in range(count)])
    document = {
        "format": "inputanim-json",
        "version": 3,
        "layout": "mrtk-1.1",
        "flags": {"head": 0, "hand": 0, "gaze": 0},
        "curves": curves,
        "devices": [{"device": f"{side}.controller", "profiles": [], "haptics": []} for side in SIDES],
        "markers": [],
    }
    recording = OUT / "written.json"
    recording.write_text(json.dumps(document))
    file = OUT / "written.isaac.mcap"
    run("convert", "--force", "--at-keys", recording, file)
    tracker = ControllerTracker()

    def take(session):
        return [tracker.get_left_controller(session), tracker.get_right_controller(session)]

    found, printed = replay(file, count, [(tracker, "controllers")], take)
    expect("not found" not in printed and "Incompatible" not in printed, printed)
    for both in found:
        expect(all(one.grip_pose.is_valid and one.aim_pose.is_valid for one in both), "poses are valid")
    values = {curve["curve"]: [key[1] for key in curve["keys"]] for curve in curves}
    for index, side in enumerate(SIDES):
        letters = "xy" if side == "left" else "ab"
        inputs = INPUTS | {"primary_click": f"{letters[0]}.click", "secondary_click": f"{letters[1]}.click"}
        for field, curve in inputs.items():
            ours = [np.float32(value) for value in values[f"{side}.controller.{curve}"]]
            theirs = [np.float32(getattr(both[index].inputs, field)) for both in found]
            expect(ours == theirs, f"written: {side}.controller.{curve}: {theirs}")
        for pose in ("grip", "aim"):
            for axis, sign in zip("xyz", (1, 1, -1)):
                ours = [np.float32(sign * value) for value in values[f"{side}.controller.{pose}.position.{axis}"]]
                theirs = [np.float32(getattr(getattr(both[index], f"{pose}_pose").pose.position, axis)) for both in found]
                expect(ours == theirs, f"written: {side}.controller.{pose}.position.{axis}")
    back = OUT / "written-back.json"
    run("convert", "--force", file, back)

    def keys(path):
        # The digits of the two programs differ, and the numbers have 32 bits.
        found = json.loads(path.read_text())["curves"]
        return {curve["curve"]: [[np.float32(number) for number in key] for key in curve["keys"]] for curve in found}

    expect(keys(back) == keys(recording), "controllers come back")


def rotation_matrix(quaternion):
    x, y, z, w = np.array(quaternion, float) / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )



valid = other = 0
for recording in recordings():
    # Samples have keys at the frames of a headset. Recordings of the corpus have more times of keys than frames.
    for options in ([], ["--at-keys"]) if is_sample(recording) else [[]]:
        counts = check(recording, *options)
        valid, other = valid + counts[0], other + counts[1]
expect(valid > 10_000 and other > 0, f"joints were compared: {valid}, {other}")
encoded = reads_hands_of_another_encoder()
reads_controllers()
writes_controllers()
print(f"{valid} joints replayed, {other} not valid; {encoded} joints of another encoder read")
