"""Converts episodes of EgoDex that h5py wrote, in all forms of HDF5 that it writes, and compares the recordings with
the values in the files."""

import sys
from pathlib import Path

import h5py
import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from episodes import JOINTS, RATE, attributes_of, confidences, matrices, write
from inputanim import OUT, frames, is_sample, recordings, run

COUNT = 24
KINDS = {
    "default": {},
    "fixed texts": {"text": lambda text: np.bytes_(text.encode())},
    "double precision": {"dtype": "<f8"},
    "big endian": {"dtype": ">f4"},
    "big endian, double precision": {"dtype": ">f8"},
    "chunks": {"chunks": 16},
    "chunks of h5py": {"chunks": True},
    "gzip": {"chunks": 16, "compression": "gzip"},
    "gzip, shuffle": {"chunks": 16, "compression": "gzip", "compression_opts": 9, "shuffle": True},
    "gzip, checksum": {"chunks": 16, "compression": "gzip", "shuffle": True, "fletcher32": True},
    "lzf": {"chunks": 16, "compression": "lzf"},
    "lzf, shuffle, checksum": {"chunks": 16, "compression": "lzf", "shuffle": True, "fletcher32": True},
    "user block": {"userblock_size": 512},
    "large user block, lzf": {"userblock_size": 4096, "chunks": 16, "compression": "lzf"},
    "resizable": {"chunks": 1, "resizable": True},
}
VERSIONS = {
    "earliest": "earliest",
    "1.8": ("v108", "v108"),
    "1.10": ("v110", "v110"),
    "1.14": ("v114", "v114"),
    "latest": "latest",
}


def expect(condition, message):
    if not condition:
        raise SystemExit(message)


def rotations(matrices):
    """Returns the quaternions x, y, z, w of rotations, from the eigenvectors of symmetric matrices. The shapes are N × 3 × 3
    and N × 4."""
    (a, b, c), (d, e, f), (g, h, i) = np.moveaxis(matrices, 0, -1)
    k = np.array(
        [
            [a - e - i, d + b, g + c, h - f],
            [d + b, e - a - i, h + f, c - g],
            [g + c, h + f, i - a - e, d - b],
            [h - f, c - g, d - b, a + e + i],
        ]
    )
    return np.linalg.eigh(np.moveaxis(k, -1, 0))[1][:, :, 3]


def compare(what, path, tolerance):
    """Compares a recording with the matrices of its file."""
    # JSON keeps the times at which a joint is unknown.
    output = OUT / "episode.json"
    run("convert", "--force", path, output)
    with h5py.File(path) as file:
        transforms = {name: data[()].astype(float) for name, data in file["transforms"].items()}
        sure = {name: data[()] for name, data in file.get("confidences", {}).items()}
        text = file.attrs["llm_description"]
    text = text.decode() if isinstance(text, bytes) else text
    count = len(transforms["camera"])
    times = ",".join(str(np.float32(n / RATE)) for n in range(count))
    found = frames(output, "--space", "openxr", "--at", times)
    ends = {"left": ([-1, 0, 0], [0, -1, 0]), "right": ([1, 0, 0], [0, 1, 0]), "camera": ([0, 0, -1], [0, -1, 0])}

    def turned(matrices, side):
        """Returns the expected rotations of a joint in all frames."""
        # +Z of OpenXR points to the wrist, +Y out of the back of the hand. Both are axes of the joint.
        back, up = (matrices[:, :3, :3] @ np.array(axis, float) for axis in ends[side])
        return rotations(np.stack([np.cross(up, back), up, back], axis=2))

    sides = {side + joint: side for side in ("left", "right") for joint in JOINTS.values()}
    sides["camera"] = "camera"
    rotated = {name: turned(transforms[name], side) for name, side in sides.items() if name in transforms}

    def near(where, pose, name, index):
        position = transforms[name][index][:3, 3]
        # As np.allclose, which takes longer for so few numbers.
        away = np.abs(pose["position"] - position)
        # Arrays become text only in a failure, because that takes longer than the comparison.
        if not (away <= tolerance + 1e-5 * np.abs(position)).all():
            raise SystemExit(f"{where} {name}: position {pose['position']}, not {position}")
        rotation = rotated[name][index]
        if not abs(np.dot(pose["rotation"], rotation)) > 1 - tolerance:
            raise SystemExit(f"{where} {name}: rotation {pose['rotation']}, not {rotation}")

    for index, frame in enumerate(found):
        where = f"{what}, frame {index}"
        near(where, frame["head"], "camera", index)
        for side in ("left", "right"):
            confident = not sure or sure[f"{side}Hand"][index] >= 0.5
            known = transforms[f"{side}Hand"][index].any()
            # A hand that is never tracked is not in the frame.
            hand = frame.get(side, {"tracked": False, "pinching": False})
            expect(hand["tracked"] == (confident and known), f"{where}: {side} is tracked")
            expect(not hand["pinching"], f"{where}: {side} is pinching")
            for ours, theirs in JOINTS.items():
                if hand["tracked"] and sure and sure[side + theirs][index] < 0.5:
                    expect(ours not in hand["joints"], f"{where}: {side}{theirs} is known, with a low confidence")
                elif hand["tracked"] and side + theirs in rotated:
                    near(where, hand["joints"][ours], side + theirs, index)
    markers = run("markers", "list", output)
    expect(text in markers, f"{what}: expected the marker {text!r}, found {markers!r}")
    return count


def main():
    compared = files = 0
    path = OUT / "episode.hdf5"
    # The files that h5py writes do not depend on the recordings from which the poses come.
    recorded = [path for path in recordings() if is_sample(path)]
    for recording in recorded:
        seen, transforms = matrices(recording, COUNT)
        sure = confidences(seen, [name for name in transforms if name != "camera"])
        # Single fingers have a low confidence in some frames.
        for number, name in enumerate(("rightThumbTip", "leftIndexFingerTip")):
            sure[name][number::3] = 0.1
        # The forms of HDF5 do not depend on the recording.
        is_first = recording == recorded[0]
        for kind, options in KINDS.items() if is_first else [("default", {})]:
            for version, libver in VERSIONS.items() if is_first else [("latest", "latest")]:
                write(path, transforms, sure, libver=libver, **options)
                compared += compare(f"{recording.name}, {kind}, {version}", path, 1e-5)
                files += 1
        for version, libver in VERSIONS.items() if is_first else []:
            write(path, transforms, None, libver=libver, growing=True, chunks=16)
            compared += compare(f"{recording.name}, without confidences, {version}", path, 1e-5)
            write(path, transforms, sure, dtype="<f2", libver=libver)
            compared += compare(f"{recording.name}, half precision, {version}", path, 4e-3)
            files += 2
    # Many chunks, whose index has pages and several levels.
    wrists = ("camera", "leftHand", "rightHand")
    long = {name: np.concatenate([transforms[name]] * 50) for name in wrists}
    for version, libver in VERSIONS.items():
        for more in ({}, {"resizable": True}, {"growing": True}):
            for packed in ({}, {"compression": "gzip", "compression_opts": 1}):
                write(path, long, None, libver=libver, chunks=1, **more, **packed)
                compared += compare(f"many chunks {more} {packed}, {version}", path, 1e-5)
                files += 1
    print(f"{files} episodes, {compared} frames equal to the matrices that h5py reads")


main()
