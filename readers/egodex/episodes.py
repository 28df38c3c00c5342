"""Episodes of EgoDex with known hands, written by h5py."""

import sys
from pathlib import Path

import h5py
import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))
from inputanim import frames

RATE = 30
OURS = ["Metacarpal", "Knuckle", "MiddleJoint", "DistalJoint", "Tip"]
THEIRS = ["Metacarpal", "Knuckle", "IntermediateBase", "IntermediateTip", "Tip"]
# Our names of joints, and those of ARKit.
JOINTS = {
    "Wrist": "Hand",
    "ThumbMetacarpalJoint": "ThumbKnuckle",
    "ThumbProximalJoint": "ThumbIntermediateBase",
    "ThumbDistalJoint": "ThumbIntermediateTip",
    "ThumbTip": "ThumbTip",
}
for finger, name in [("Index", "Index"), ("Middle", "Middle"), ("Ring", "Ring"), ("Pinky", "Little")]:
    JOINTS.update({finger + ours: f"{name}Finger{theirs}" for ours, theirs in zip(OURS, THEIRS)})
BODY = ["hip", *(f"spine{n}" for n in range(1, 8)), *(f"neck{n}" for n in range(1, 5))]
BODY += [side + joint for side in ("left", "right") for joint in ("Shoulder", "Arm", "Forearm")]

# The columns are the axes of ARKit's joints in OpenXR's axes of the same joint.
AXES = {
    "right": np.array([[0, 0, -1], [0, 1, 0], [1, 0, 0]], float),  # to the wrist, up, to the thumb
    "left": np.array([[0, 0, -1], [0, -1, 0], [-1, 0, 0]], float),  # to the tip, down, to the little finger
    "camera": np.diag([1.0, -1.0, -1.0]),  # to the right, down, ahead
}


def matrix(pose, axes):
    """Returns the matrix of a pose of OpenXR for a joint with other axes."""
    x, y, z, w = np.array(pose["rotation"]) / np.linalg.norm(pose["rotation"])
    turn = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
    result = np.eye(4)
    result[:3, :3] = turn @ axes
    result[:3, 3] = pose["position"]
    return result


def matrices(recording, count):
    """Returns frames of a recording in OpenXR's axes at EgoDex's rate, and the matrices of each joint."""
    times = ",".join(str(np.float32(n / RATE)) for n in range(count))
    seen = frames(recording, "--space", "openxr", "--at", times)
    transforms = {"camera": np.stack([matrix(frame["head"], AXES["camera"]) for frame in seen])}
    for side in ("left", "right"):
        for ours, theirs in JOINTS.items():
            poses = [frame.get(side, {}).get("joints", {}).get(ours) for frame in seen]
            # A joint that was never seen has zeros.
            own = [np.zeros((4, 4)) if pose is None else matrix(pose, AXES[side]) for pose in poses]
            transforms[side + theirs] = np.stack(own)
    for name in BODY:
        transforms[name] = np.tile(np.eye(4), (len(seen), 1, 1))
    return seen, transforms


def confidences(seen, names):
    """Returns a confidence of 0.9 for a hand that is tracked, otherwise 0.2."""
    result = {}
    for name in names:
        side = next((side for side in ("left", "right") if name.startswith(side)), None)
        tracked = [side is None or frame.get(side, {}).get("tracked", False) for frame in seen]
        result[name] = np.where(tracked, 0.9, 0.2)
    return result


def write(path, transforms, confidence, text=str, dtype="<f4", libver=None, attributes=None, only=None, **options):
    """Writes an episode. The options are those of h5py's datasets, or of the datasets with a name in `only`."""
    count = len(transforms["camera"])
    if options.pop("resizable", False):
        options["maxshape"] = lambda shape: (None, *shape[1:])
    if options.pop("growing", False):
        options["maxshape"] = lambda shape: (None,) * len(shape)
    chunks, largest = options.pop("chunks", None), options.pop("maxshape", lambda shape: None)
    with h5py.File(path, "w", libver=libver, userblock_size=options.pop("userblock_size", None)) as file:
        file["camera/intrinsic"] = np.array([[736.6339, 0, 960], [0, 736.6339, 540], [0, 0, 1]], dtype)
        for group, values in (("transforms", transforms), ("confidences", confidence or {})):
            for name, data in values.items():
                data = np.asarray(data).astype(dtype)
                place = chunks if chunks is None or chunks is True else (chunks, *data.shape[1:])
                more = dict(options, chunks=place, maxshape=largest(data.shape))
                if only is not None and name not in only:
                    more = {}
                file.create_dataset(f"{group}/{name}", data=data, **more)
        for name, value in (attributes or attributes_of("Pick up the cup. Café.")).items():
            file.attrs[name] = text(value) if isinstance(value, str) else value
    return count


def attributes_of(description):
    """Returns the attributes of an episode."""
    return {
        "llm_description": description,
        "llm_type": "reset",
        "llm_verbs": ["pick"],
        "llm_objects": ["cup"],
        "task": "pick_up_cup",
        "environment": "a wooden table",
        "object": "cup",
        "session_name": "session",
        "annotated": True,
        "annotator_version": "3",
    }
