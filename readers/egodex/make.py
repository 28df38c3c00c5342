"""Writes the files of crates/inputanim-convert/tests/egodex: the first frames and some joints of a sample, in two forms of
HDF5.

    INPUTANIM_PROGRAM=target/debug/inputanim python readers/egodex/make.py
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from episodes import confidences, matrices, write

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "crates" / "inputanim-convert" / "tests" / "egodex"
COUNT = 2
# Enough names for the structures of large groups, and few enough that a test can change each byte.
JOINTS = ["Hand", "ThumbTip", "IndexFingerKnuckle", "MiddleFingerMetacarpal", "MiddleFingerKnuckle", "LittleFingerKnuckle"]
NAMES = ["camera", "hip", *(side + joint for side in ("left", "right") for joint in JOINTS)]

seen, transforms = matrices(ROOT / "samples" / "two-hands.bin", COUNT)
transforms = {name: transforms[name] for name in NAMES}
hands = confidences(seen, [f"{side}Hand" for side in ("left", "right")])
FOLDER.mkdir(exist_ok=True)
# Unpacking takes most of the time of the tests, so few datasets are packed.
packed = {"only": ("camera", "leftThumbTip"), "compression": "gzip", "shuffle": True, "fletcher32": True, "chunks": 1}
write(FOLDER / "earliest.hdf5", transforms, hands)
write(FOLDER / "latest.hdf5", transforms, hands, libver="latest", **packed)
