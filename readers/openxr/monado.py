"""Records and plays over Monado, a real OpenXR runtime, without a headset.

Monado's driver `remote` has a head and two hands whose state is sent over TCP: the pose of each wrist, and the curl of each
finger. Monado makes 26 joints of them. The script computes the same joints with its own code, from the facts of Monado's
sources (`u_hand_simulation.c`, `r_interface.h`, version 25.0.0), and compares them with the recording.

    monado.py MONADO LIBRARIES MANIFEST PROGRAM HELLO_XR VULKAN SAMPLE FOLDER

The driver's hands hold Valve Index controllers. VULKAN is an application that asks for all their inputs and prints what it gets: every
value must be in the recording of the application, frame by frame.

MONADO is the folder of Monado's extracted packages. The application runs with the C library of these packages, which is newer
than the one of Debian 12. LIBRARIES is a list of more folders for libraries.
"""

import csv
import io
import json
import math
import random
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

from monado_service import Service, isolate, linker

MONADO, LIBRARIES, MANIFEST, PROGRAM, HELLO_XR, VULKAN, SAMPLE, FOLDER = sys.argv[1:]

# The largest difference of a coordinate in metres, and of a component of a rotation. Monado computes with 32 bits.
TOLERANCE = 1e-6

JOINTS = ["Palm", "Wrist"]
JOINTS += [f"Thumb{joint}" for joint in ["MetacarpalJoint", "ProximalJoint", "DistalJoint", "Tip"]]
JOINTS += [
    f"{finger}{joint}"
    for finger in ["Index", "Middle", "Ring", "Pinky"]
    for joint in ["Metacarpal", "Knuckle", "MiddleJoint", "DistalJoint", "Tip"]
]


def multiply(a, b):
    """Returns the product of two rotations (x, y, z, w)."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


def rotate(rotation, vector):
    """Returns a rotated vector."""
    x, y, z, w = rotation
    return multiply(multiply(rotation, (*vector, 0.0)), (-x, -y, -z, w))[:3]


def add(a, b):
    """Returns the sum of two vectors."""
    return tuple(x + y for x, y in zip(a, b))


def bent(x, y):
    """Returns the rotation by the vector (x, y, 0)."""
    angle = math.hypot(x, y)
    factor = math.sin(angle / 2) / angle if angle > 0 else 0.5
    return (x * factor, y * factor, 0.0, math.cos(angle / 2))


# Lengths are relative to the size of the hand.
SIZE = 0.095
THUMB_BASE = (0.1541481912136077880859375, -0.31655871868133544921875, -0.6016261577606201171875, 0.716990172863006591796875)
THUMB = [(0.33097, -0.1, -0.25968), (0, 0, 0), (0, 0, -0.389626), (0, 0, -0.311176), (0, 0, -0.232195)]
METACARPALS = [(0.16926, 0, -0.34437), (0.034639, 0.01, -0.35573), (-0.063625, 0.005, -0.34164), (-0.1509, -0.005, -0.30373)]
LENGTHS = [
    (-0.66, -0.365719, -0.231581, -0.201790),
    (-0.645, -0.404486, -0.247749, -0.210121),
    (-0.58, -0.365639, -0.225666, -0.187089),
    (-0.52, -0.278197, -0.176178, -0.157566),
]
SPREADS = [(-0.19, -0.01), (0.0, 0.0), (0.19, 0.01), (0.38, 0.02)]


def hand(curls, is_right, wrist):
    """Returns the 26 joints, in the order of OpenXR, of a hand with the curls of little finger, ring, middle, index, thumb."""
    *fingers, thumb = curls
    open_angle = math.radians(10)
    turns = [[THUMB_BASE, bent(thumb * 0.08, -0.35), bent(open_angle - 1.57 * thumb, 0), bent(open_angle - 1.4 * thumb, 0)]]
    steps = [THUMB]
    for number, curl in enumerate(reversed(fingers)):
        is_index = number == 0
        angle = -1.1 * curl * (1.0 if is_index else 1.3)
        base, proximal = SPREADS[number]
        turns.append([bent(0, base), bent(1.3 * angle, proximal), bent(angle, 0), bent(angle * (1.0 if is_index else 0.4), 0)])
        steps.append([METACARPALS[number]] + [(0, 0, length) for length in LENGTHS[number]])
    chains = []
    for finger in range(5):
        rotation, position, chain = (0, 0, 0, 1), (0, 0, 0), []
        for bone in range(5):
            position = add(position, tuple(SIZE * part for part in rotate(rotation, steps[finger][bone])))
            if bone < 4:
                rotation = multiply(rotation, turns[finger][bone])
            chain.append((rotation, position))
        chains.append(chain)
    middle = chains[2]
    palm = tuple((a + b) / 2 for a, b in zip(middle[0][1], middle[1][1]))
    joints = [(middle[0][0], palm), ((0, 0, 0, 1), (0, 0, 0))]
    # The first bone of the thumb has no joint.
    joints += chains[0][1:] + [joint for chain in chains[1:] for joint in chain]
    if is_right:
        joints = [((q[0], -q[1], -q[2], q[3]), (-p[0], p[1], p[2])) for q, p in joints]
    rotation, position = wrist
    return [(multiply(rotation, q), add(position, rotate(rotation, p))) for q, p in joints]


class Remote:
    """The head and the hands of the driver `remote`."""

    VIEW = struct.Struct("<4f 7f 4x")
    HEAD = struct.Struct("<7f ? 3x")
    HAND = struct.Struct("<7f 3f 3f 5f f f f 2f f 2f 2? 11? 3x")
    LENGTH = 8 + 2 * VIEW.size + HEAD.size + 2 * HAND.size

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=5)
        # The driver sends its first and its last state.
        self.socket.recv(2 * self.LENGTH, socket.MSG_WAITALL)

    def send(self, state):
        """Sends the pose of the head, and poses and curls of both hands."""
        head, hands = state["head"], state["hands"]
        # Numbers and buttons of the controllers, in the order of the driver's structure.
        inputs = state.get("inputs", [([0.0] * 7, [False] * 11)] * 2)
        message = b"mndrmt3\0" + 2 * self.VIEW.pack(*11 * [0.0])
        message += self.HEAD.pack(*head[0], *head[1], False)
        for ((rotation, position), curls, pinch), (axes, buttons) in zip(hands, inputs):
            numbers = [*rotation, *position, *6 * [0.0], *curls, pinch, *axes]
            message += self.HAND.pack(*numbers, True, True, *buttons)
        self.socket.sendall(message)


def service():
    """Returns Monado's service."""
    return Service(MONADO, LIBRARIES, MANIFEST)


def start(service, *arguments, application=(HELLO_XR, "-g", "Vulkan2"), stdout=subprocess.PIPE):
    """Starts the program with an application, which ends with its standard input."""
    command = [PROGRAM, "openxr", *arguments, "--", *linker(MONADO, LIBRARIES), *application]
    variables = {name: value for name, value in service.variables.items() if name != "DISPLAY"}
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=stdout, stderr=subprocess.STDOUT, env=variables, text=True)


def single(value):
    """Returns the nearest number of 32 bits."""
    return struct.unpack("f", struct.pack("f", value))[0]


def states():
    """Returns random poses and curls."""
    numbers = random.Random(31)

    def pose(position):
        rotation = [numbers.gauss(0, 1) for _ in range(4)]
        length = math.sqrt(sum(part * part for part in rotation))
        return tuple(single(part / length) for part in rotation), tuple(single(p + numbers.uniform(-0.3, 0.3)) for p in position)

    def one_hand(x):
        return pose((x, 1.2, -0.4)), [single(numbers.random()) for _ in range(5)], float(numbers.random() < 0.5)

    return [{"head": pose((0, 1.5, 0)), "hands": [one_hand(-0.3), one_hand(0.3)]} for _ in range(20)]


def recorded(path):
    """Returns the frames of a recording in OpenXR's axes: a list of dictionaries of columns."""
    text = subprocess.run(
        [PROGRAM, "convert", path, "--to", "csv", "--space", "openxr", "--at-keys", "-"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return list(csv.DictReader(io.StringIO(text)))


def pose_of(row, name):
    """Returns the rotation and position of a stream of a frame; None if it is not tracked."""
    parts = [f"{name}.rotation.{axis}" for axis in "xyzw"] + [f"{name}.position.{axis}" for axis in "xyz"]
    values = [row[part] for part in parts]
    if "" in values:
        return None
    numbers = tuple(map(float, values))
    return numbers[:4], numbers[4:]


def difference(a, b):
    """Returns the largest difference of a coordinate. A rotation and its negative are equal."""
    rotations = [max(abs(x - sign * y) for x, y in zip(a[0], b[0])) for sign in (1, -1)]
    return max(min(rotations), *(abs(x - y) for x, y in zip(a[1], b[1])))


def distance(row, state):
    """Returns the largest difference between a recorded frame and a state."""
    worst = difference(pose_of(row, "head"), state["head"])
    for side, (wrist, curls, _) in zip(["left", "right"], state["hands"]):
        for name, joint in zip(JOINTS, hand(curls, side == "right", wrist)):
            found = pose_of(row, f"{side}.{name}")
            worst = max(worst, difference(found, joint) if found else math.inf)
    return worst


def record():
    """Records what Monado gives to an application."""
    path = Path(FOLDER) / "monado.bin"
    with service() as monado:
        remote = Remote(monado.port)
        sent = states()
        remote.send(sent[0])
        application = start(monado, "record", "-o", path)
        time.sleep(2)
        for state in sent:
            remote.send(state)
            # Monado shows 20 frames per second.
            time.sleep(0.2)
        output, _ = application.communicate()
        # A .bin file has no controllers.
        assert application.returncode == 3 and "lost: " in output, output
    rows = recorded(path)
    # The service may copy a message while it arrives, so that one frame has parts of two states.
    found, mixed, worst = [], 0, 0.0
    for row in rows:
        distances = [distance(row, state) for state in sent]
        nearest = min(range(len(sent)), key=distances.__getitem__)
        if distances[nearest] > TOLERANCE:
            mixed += 1
            continue
        worst = max(worst, distances[nearest])
        if not found or found[-1] != nearest:
            found.append(nearest)
    assert found == list(range(len(sent))), f"states {found}, {mixed} other frames\n{output}"
    assert mixed <= len(rows) // 20, f"{mixed} of {len(rows)} frames have other joints than those that were sent"
    print(f"Monado: {len(rows)} frames of {len(sent)} states are recorded, largest difference {worst:.1e}")


def play():
    """Plays a recording over Monado, and records what the application gets."""
    path = Path(FOLDER) / "over-monado.bin"
    with service() as monado:
        application = start(
            monado, "play", SAMPLE, "--over-runtime", "--clock", "keys", "--timeout", "60", "--", PROGRAM, "openxr", "record", "-o", path
        )
        output = ""
        for line in application.stdout:
            output += line
            # With a new C library, hello_xr waits at its end for the thread that reads the standard input.
            if "->XR_SESSION_STATE_EXITING" in line:
                application.stdin.close()
        # The runtime makes Touch controllers of the hands for this application, and a .bin file has none.
        assert application.wait() == 3 and "lost: " in output, output
    options = ["--quiet", "--no-markers", "--position", "0", "--rotation", "0.001deg", "--timing", "0", "--duration", "0"]
    subprocess.run([PROGRAM, "diff", *options, SAMPLE, path], check=True)
    print("Monado: an application got the recording, frame by frame")


# The inputs of a Valve Index, in the order of the driver: numbers without the trigger, and buttons.
AXES = ["squeeze/value", "squeeze/force", "thumbstick/x", "thumbstick/y", "trackpad/force", "trackpad/x", "trackpad/y"]
BUTTONS = ["system/click", "system/touch", "a/click", "a/touch", "b/click", "b/touch"]
BUTTONS += ["trigger/click", "trigger/touch", "thumbstick/click", "thumbstick/touch", "trackpad/touch"]


def moved_controllers():
    """Returns states in which all inputs of the controllers change."""
    numbers = random.Random(7)
    result = states()
    for state in result:
        state["hands"] = [(pose, curls, single(numbers.random())) for pose, curls, _ in state["hands"]]
        state["inputs"] = [
            ([single(numbers.uniform(-1, 1) if name[-1] in "xy" else numbers.random()) for name in AXES], [numbers.random() < 0.5 for _ in BUTTONS])
            for _ in range(2)
        ]
    return result


class Recorded:
    """The controllers of a recording, from its lossless JSON."""

    def __init__(self, path):
        command = [PROGRAM, "convert", path, "--to", "json", "-"]
        self.content = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        self.curves = {}
        for curve in self.content["curves"]:
            self.curves[curve["curve"]] = [(single(float(time)), single(float(value))) for time, value, *_ in curve["keys"]]
        gaps = self.content.get("gaps", [])
        self.gaps = {gap["element"]: [(single(float(start)), single(float(end))) for start, end in gap["unknown"]] for gap in gaps}
        self.profiles = {device["device"]: device["profiles"] for device in self.content["devices"]}

    def held(self, name, time):
        """Returns the value of the last key until a time."""
        return [value for at, value in self.curves[name] if at <= time][-1]

    def value(self, name, time):
        """Returns the value of a curve at the time of a frame; None if it is unknown."""
        device = ".".join(name.split(".")[:2])
        element = name.rsplit(".", 2)[0] if ".position." in name or ".rotation." in name else name
        gaps = self.gaps.get(element, []) + self.gaps.get(f"{device}.profile", [])
        changes = [active for start, active, _ in self.profiles[device] if single(start) <= time]
        if any(start < time < end for start, end in gaps) or not (changes and changes[-1]):
            return None
        keys = self.curves.get(name, [])
        before = [key for key in keys if key[0] <= time]
        return before[-1][1] if before else None


def in_recording(pose):
    """Returns the rotation and position of a pose of OpenXR in the axes of a recording: to the right, up and forward."""
    x, y, z, qx, qy, qz, qw = pose
    return (-qx, -qy, qz, qw), (x, y, -z)


def index():
    """Records the controllers that Monado gives to an application, and compares each value with what the application printed."""
    path = Path(FOLDER) / "index.mcap"
    with service() as monado:
        remote = Remote(monado.port)
        sent = moved_controllers()
        remote.send(sent[0])
        # A pipe would be full after a second, because nobody reads it meanwhile.
        printed = Path(FOLDER) / "index.txt"
        with printed.open("wb") as file:
            application = start(monado, "record", "-o", path, application=(VULKAN, "index"), stdout=file)
            time.sleep(2)
            for state in sent:
                remote.send(state)
                time.sleep(0.15)
            application.communicate()
        output = printed.read_text()
        assert application.returncode == 0, output
    lines = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    recording = Recorded(path)
    first, compared, late, seen = lines[0]["time"], 0, 0, {}
    for line, after in zip(lines, [*lines[1:], lines[-1]]):
        at = single((line["time"] - first) / 1e9)
        for side in ["left", "right"]:
            values = line[side]
            for name, value in values.items():
                if name == "profile":
                    continue
                path_of = f"{side}.controller.{name.replace('/', '.')}"
                if name in ["grip", "aim"]:
                    parts = [f"{path_of}.position.{axis}" for axis in "xyz"] + [f"{path_of}.rotation.{axis}" for axis in "xyzw"]
                    found = [recording.value(part, at) for part in parts]
                    if value is None:
                        assert None in found, (at, path_of, found)
                        continue
                    # The driver has the newest pose for every time, and the layer asks for it later in the frame than the application:
                    # a pose that arrives in between is the one of the next frame.
                    differences = [difference(in_recording(pose), (tuple(found[3:]), tuple(found[:3]))) for pose in (value, after[side][name]) if pose]
                    late += differences[0] != 0
                    assert min(differences) == 0, (at, path_of, value, found)
                else:
                    found = recording.value(path_of, at)
                    assert found == value, f"{path_of} at {at} s: {found} is recorded, the application got {value}"
                    seen.setdefault(name, set()).add(value)
                compared += 1
        eyes = line["eyes"]
        for side, eye in zip(["left", "right"], eyes):
            for name, angle in zip(["left", "right", "up", "down"], eye["angles"]):
                found = recording.held(f"device.headset.{side}_eye.angle_{name}", at)
                assert found == single(angle), (at, side, name, angle, found)
        found = recording.held("device.headset.eyes.distance", at)
        assert abs(found - math.dist(*(eye["position"] for eye in eyes))) < 1e-6, (at, eyes, found)
        compared += 9
    profiles = {line[side].get("profile") for line in lines[len(lines) // 2 :] for side in ["left", "right"]}
    assert profiles == {"/interaction_profiles/valve/index_controller"}, profiles
    for side in ["left", "right"]:
        last = recording.profiles[f"{side}.controller"][-1]
        assert last[1:] == [True, "/interaction_profiles/valve/index_controller"], recording.profiles
    # Two poses of each hand may arrive late for each state.
    assert late <= 4 * len(sent), f"{late} poses differ"
    for name in ["trigger/value", *AXES]:
        assert len(seen[name]) > 10, (name, seen[name])
    for name in BUTTONS[2:]:
        assert {False, True} <= seen[name], (name, seen[name])
    print(f"Monado: {compared} values of an Index controller and of the eyes in {len(lines)} frames are recorded as the application got them")


isolate()
record()
index()
play()
