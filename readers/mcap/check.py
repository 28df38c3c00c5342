"""Reads MCAP with the libraries of the MCAP project, and checks the structure of the file, the messages
by their schemas, the values of each topic, and the attached bytes of the recording."""

import json
import struct
import sys
from collections import defaultdict
from io import BytesIO
from pathlib import Path

from mcap.reader import make_reader
from mcap_protobuf.decoder import DecoderFactory

sys.path.insert(0, str(Path(__file__).parent.parent))
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
print(f"{compared} frames of {len(recordings())} files equal the sampler")
