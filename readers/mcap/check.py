"""Reads MCAP with the libraries of the MCAP project, and checks the structure of the file, the messages
by their schemas, the values of each topic, and the attached bytes of the recording."""

import json
import math
import struct
import sys
from collections import defaultdict
from io import BytesIO
from pathlib import Path

from mcap.reader import make_reader
from mcap_protobuf.decoder import DecoderFactory

sys.path.insert(0, str(Path(__file__).parent.parent))
sys.path.insert(0, str(Path(__file__).parent.parent.parent / "spec"))
import read_mcap
from doctor import examine
from inputanim import OUT, convert, recordings, run
from takes import expect, f32, finite, joints, near, places, playing

RECORDING = "/inputanim/recording"
SCHEMAS = {
    "/tf": "foxglove.FrameTransforms",
    "/hands": "foxglove.SceneUpdate",
    "/gaze": "foxglove.SceneUpdate",
    "/left/joints": "foxglove.PointCloud",
    "/right/joints": "foxglove.PointCloud",
    "/states": "inputanim.States",
    "/markers": "foxglove.Log",
    RECORDING: "inputanim.RecordingPiece",
    "/inputanim/devices": "inputanim.Device",
    "/inputanim/device_curves": "inputanim.DeviceCurve",
    "/right.controller/inputs": "inputanim.Inputs_right_controller",
    "/tracker.waist/inputs": "inputanim.Inputs_tracker_waist",
}


def xyz(vector):
    return [vector.x, vector.y, vector.z]


def topics(data):
    """Returns the messages of each topic, decoded by their schemas, with times in nanoseconds."""
    reader = make_reader(BytesIO(data), validate_crcs=True, decoder_factories=[DecoderFactory()])
    found = defaultdict(list)
    for message in reader.iter_decoded_messages():
        topic = message.channel.topic
        expect(message.schema.name == SCHEMAS[topic], f"{topic} is {message.schema.name}")
        found[topic].append((message.message.log_time, message.decoded_message))
    return found


def check_frame(what, frame, messages):
    """Compares the topics at one time with the sampler."""
    transforms = {t.child_frame_id: t for t in messages["/tf"].transforms} if "/tf" in messages else {}
    expected = {}
    if "head" in frame:
        expected["head"] = frame["head"]
    for side in ("left", "right"):
        hand = frame.get(side, {})
        there = places(frame, side)
        expected.update({f"{side}/{name}": pose for name, pose in joints(frame, side).items()})
        if f"/{side}/joints" in messages:
            cloud = messages[f"/{side}/joints"]
            expect(cloud.point_stride == 16 and cloud.frame_id == "world", f"{what}: a cloud")
            points = sorted(point[:3] for point in struct.iter_unpack("<3f4B", cloud.data))
            expect(points == there, f"{what}: points of the {side} hand")
        tracked = hand.get("tracked", False)
        if "/hands" in messages:
            scene = messages["/hands"]
            drawn = [entity for entity in scene.entities if entity.id == side]
            gone = [deletion for deletion in scene.deletions if deletion.id == side]
            expect((len(drawn), len(gone)) == (tracked, not tracked), f"{what}: scene")
            for entity in drawn:
                spheres = sorted(tuple(xyz(sphere.pose.position)) for sphere in entity.spheres)
                expect(spheres == there, f"{what}: spheres of the {side} hand")
                ends = {tuple(xyz(point)) for point in entity.lines[0].points}
                expect(ends <= set(there), f"{what}: bones end at joints")
        if "/states" in messages:
            states = messages["/states"]
            expect(getattr(states, f"{side}_tracked") == tracked, f"{what}: tracked")
            # An unknown pinch is off in the messages; the recording in the file states that it is unknown.
            pinching = hand.get("pinching") or False
            expect(getattr(states, f"{side}_pinching") == pinching, f"{what}: pinching")
    gaze = transforms.pop("gaze", None)
    for name, pose in expected.items():
        is_pose = finite(pose["position"] + pose["rotation"]) and any(pose["rotation"])
        expect((name in transforms) == is_pose, f"{what}: {name} is there or not")
        if is_pose:
            transform = transforms.pop(name)
            expect(transform.parent_frame_id == "world", f"{what}: parent of {name}")
            rotation = transform.rotation
            # 32-bit floats are exact as doubles.
            expect(near(xyz(transform.translation), pose["position"], 1e-7), f"{what}: {name}")
            expect(near(xyz(rotation) + [rotation.w], pose["rotation"], 1e-7), f"{what}: {name}")
    expect(not transforms, f"{what}: nothing else has a frame: {list(transforms)}")
    ray = frame.get("gaze")
    looks = ray is not None and finite(ray["origin"] + ray["direction"]) and any(ray["direction"])
    expect((gaze is not None) == looks, f"{what}: gaze is there or not")
    if looks:
        expect(near(xyz(gaze.translation), ray["origin"], 1e-7), f"{what}: origin of the gaze")
        length = sum(part * part for part in ray["direction"]) ** 0.5
        q = gaze.rotation
        # The direction of the rotated +Y axis.
        forward = [2 * (q.x * q.y - q.w * q.z), 1 - 2 * (q.x**2 + q.z**2), 2 * (q.y * q.z + q.w * q.x)]
        expect(near(forward, [part / length for part in ray["direction"]], 1e-6), f"{what}: gaze")


def check(recording):
    """Compares a recording with its MCAP file, and returns the number of compared frames."""
    data = convert(recording, "mcap").read_bytes()
    examine(data)
    found = topics(data)

    pieces = [piece for _, piece in found.pop(RECORDING)]
    own = b"".join(piece.data for piece in pieces)
    expect(own == recording.read_bytes(), "the recording's bytes")
    expect({piece.size for piece in pieces} == {len(own)}, "the size in each piece")
    back = OUT / f"{recording.name}.mcap.bin"
    run("convert", "--force", OUT / f"{recording.name}.mcap", back)
    expect(back.read_bytes() == own, "what is converted back")

    listed = json.loads(run("markers", "list", recording, "--format", "json"))
    markers = [(round(f32(marker["time"]) * 1e9), marker["name"]) for marker in listed]
    markers = sorted((m for m in markers if m[0] >= 0), key=lambda marker: marker[0])
    logs = [(time, log.message) for time, log in found.pop("/markers", [])]
    expect(logs == markers, "markers")

    by_time = defaultdict(dict)
    for topic, messages in found.items():
        for time, message in messages:
            by_time[time][topic] = message
    for time, messages in by_time.items():
        missing = found.keys() - messages.keys()
        # There is no message without transforms.
        expect(missing <= {"/tf"}, f"every topic at {time} ns")
    for frame, (time, messages) in zip(playing(recording, by_time), by_time.items(), strict=True):
        check_frame(f"{recording.name} at {time} ns", frame, messages)
    return len(by_time)


def floats(value):
    """Returns the same lists and dictionaries with all numbers as 32-bit floats."""
    if isinstance(value, dict):
        return {name: floats(item) for name, item in value.items()}
    if isinstance(value, list):
        return [floats(item) for item in value]
    if value in ("Infinity", "-Infinity"):
        return float(value)
    return f32(value) if isinstance(value, float) else value


def check_devices():
    """Writes a recording with devices and unknown values, and compares what spec/read_mcap.py reads with the JSON."""
    curve = {"preWrap": 8, "postWrap": 8, "kind": "simple"}
    pose = {"position.x": 0.1, "position.y": 1.2, "position.z": 0.3, "rotation.x": 0.0, "rotation.y": 0.6,
            "rotation.z": 0.0, "rotation.w": 0.8}
    aim = [{"curve": f"right.controller.aim.{part}", **curve, "keys": [[0.0, value], [2.0, value]]}
           for part, value in pose.items()]
    trigger = [[step / 90, step % 44 / 43] for step in range(20_000)]
    names = [("right.controller.trigger.value", trigger), ("right.controller.thumbstick.x", [[0.0, -1.0], [1.0, 0.5]])]
    numbers = [{"curve": name, **curve, "keys": keys} for name, keys in names]
    click = {**curve, "curve": "tracker.waist.a.click", "kind": "boolean", "keys": [[0.0, 0.0], [0.5, 1.0], [0.75, 0.0]]}
    document = {
        "format": "inputanim-json", "version": 3, "layout": "mrtk-1.1",
        "flags": {"head": 1, "hand": 0, "gaze": 0},
        "about": {"task": "pick up the cube"},
        "curves": [{"curve": f"head.{part}", **curve, "keys": [[0.0, value]]} for part, value in pose.items()]
        + aim + numbers + [click],
        "devices": [
            {"device": "right.controller",
             "profiles": [[0.0, True, "/interaction_profiles/valve/index_controller"], [1.5, False, None], [1.75, True, None]],
             "haptics": [[0.5, "haptic", 0.1, None, 0.75], [0.6, "haptic", None, 160.0, 1.0]]},
            {"device": "tracker.waist", "profiles": [], "haptics": []},
        ],
        "gaps": [{"element": "head", "unknown": [[0.25, 0.5], [1.0, "Infinity"]]},
                 {"element": "right.controller.thumbstick.x", "unknown": [["-Infinity", 1.0]]}],
        "markers": [],
    }
    source, target, back = OUT / "devices.json", OUT / "devices.mcap", OUT / "devices.back.json"
    source.write_text(json.dumps(document))
    run("convert", "--force", source, target)
    examine(target.read_bytes())
    run("convert", "--force", target, back)
    again = json.loads(back.read_text())
    # The curves may be in another order.
    for both in (again, document):
        both["curves"].sort(key=lambda curve: curve["curve"])
    expect(floats(again) == floats(document), "JSON, MCAP and JSON again")

    read = read_mcap.read(target)
    expect(read["about"] == document["about"], "texts")
    gaps = {gap["element"]: floats(gap["unknown"]) for gap in document["gaps"]}
    expect(floats(read["unknown"]) == gaps, "unknown values")
    expect(list(read["devices"]) == [device["device"] for device in document["devices"]], "devices")
    keys = 0
    for device in document["devices"]:
        found = read["devices"][device["device"]]
        for part in ("profiles", "haptics"):
            expect(floats(found[part]) == floats(device[part]), f"{part} of {device['device']}")
        curves = {c["curve"]: c for c in document["curves"] if c["curve"].startswith(device["device"])}
        expect(found["curves"].keys() == curves.keys(), f"curves of {device['device']}")
        for name, values in found["curves"].items():
            expect(floats({"curve": name, **values}) == floats(curves[name]), name)
            keys += len(values["keys"])

    found = topics(target.read_bytes())
    states = {time: message for time, message in found["/right.controller/inputs"]}
    expect(not any(1_500_000_000 <= time < 1_750_000_000 for time in states), "no inputs while inactive")
    expect(math.isnan(states[0].thumbstick_x) and states[0].trigger_value == 0, "an input that is unknown")
    frames = {frame.child_frame_id for frame in found["/tf"][0][1].transforms}
    expect(frames == {"head", "right.controller/aim"}, f"frames at 0: {frames}")
    changes = [(time, message.a_click) for time, message in found["/tracker.waist/inputs"]]
    expect((500_000_000, 1) in changes and (750_000_000, 0) in changes, "a button at its times")
    return keys


def must_fail(what, data):
    """Checks that a damaged file is refused. Otherwise the checks would have no value."""
    try:
        examine(data)
    except Exception:
        return
    sys.exit(f"{what} is not found")


compared = sum(check(recording) for recording in recordings())
whole = (OUT / f"{recordings()[0].name}.mcap").read_bytes()
for place in (len(whole) // 3, len(whole) // 2, len(whole) - 60):
    broken = bytearray(whole)
    broken[place] ^= 1
    must_fail(f"a wrong bit at {place}", bytes(broken))
must_fail("a missing end", whole[:-100])
keys = check_devices()
print(f"{compared} frames of {len(recordings())} files equal the sampler; {keys} keys of devices equal the JSON")
