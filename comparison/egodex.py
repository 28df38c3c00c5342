"""Reads episodes of EgoDex as a script of a laboratory does: h5py for the matrices, NumPy and SciPy for positions and
quaternions. Prints the time per episode.

    python egodex.py FILE... [--times N]

Compare it with `inputanim convert FILE... -o FOLDER`, or with the library. Both read the camera, the 25 joints of both
hands, the confidences of the hands and the description. Use one processor for both: `OMP_NUM_THREADS=1 taskset -c 0`.
"""

import argparse
import time

import h5py
import numpy as np
from scipy.spatial.transform import Rotation

FINGERS = ["Index", "Middle", "Ring", "Little"]
PARTS = ["Metacarpal", "Knuckle", "IntermediateBase", "IntermediateTip", "Tip"]
NAMES = ["camera"]
for side in ("left", "right"):
    NAMES += [f"{side}Hand", *(f"{side}Thumb{part}" for part in PARTS[1:])]
    NAMES += [f"{side}{finger}Finger{part}" for finger in FINGERS for part in PARTS]


def load(path):
    """Returns the positions, the quaternions, the tracked states and the description of an episode."""
    with h5py.File(path) as file:
        transforms = file["transforms"]
        matrices = np.stack([transforms[name][()] for name in NAMES])
        sure = np.stack([file[f"confidences/{side}Hand"][()] for side in ("left", "right")])
        description = file.attrs["llm_description"]
    rotations = Rotation.from_matrix(matrices[..., :3, :3].reshape(-1, 3, 3)).as_quat()
    return matrices[..., :3, 3], rotations.reshape(*matrices.shape[:2], 4), sure >= 0.5, description


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--times", type=int, default=20, help="runs, of which the fastest counts")
    arguments = parser.parse_args()
    for path in arguments.files:
        fastest = float("inf")
        for _ in range(arguments.times):
            start = time.process_time()
            positions, *_ = load(path)
            fastest = min(fastest, time.process_time() - start)
        print(f"{path}: {1000 * fastest:.2f} ms for {positions.shape[1]} frames")


main()
