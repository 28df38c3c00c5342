"""Writes the files of crates/inputanim-convert/tests/egodex: the first frames of a sample, in two forms of HDF5.

    INPUTANIM_PROGRAM=target/debug/inputanim python readers/egodex/make.py
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from episodes import BODY, confidences, matrices, write

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "crates" / "inputanim-convert" / "tests" / "egodex"
COUNT = 3

seen, transforms = matrices(ROOT / "samples" / "two-hands.bin", COUNT)
for name in BODY[1:]:
    del transforms[name]
hands = confidences(seen, [f"{side}Hand" for side in ("left", "right")])
FOLDER.mkdir(exist_ok=True)
write(FOLDER / "earliest.hdf5", transforms, hands)
write(FOLDER / "latest.hdf5", transforms, hands, libver="latest", compression="gzip", shuffle=True, fletcher32=True, chunks=2)
