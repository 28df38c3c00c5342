// Files of other programs and datasets, for the tests of the package and of the viewer.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const path = (name) => fileURLToPath(new URL(`../../${name}`, import.meta.url));

/** Returns files of each format of docs/exchange.md, with a name that other programs give to such files. */
export function foreign() {
  const xdf = path("fuzz/corpus/xdf/hand.xdf");
  const packed = join(process.env.INPUTANIM_OUT, "hand.xdf.gz");
  writeFileSync(packed, gzipSync(readFileSync(xdf)));
  return [
    { file: path("crates/inputanim-convert/tests/egodex/latest.hdf5"), name: "episode.hdf5", format: "egodex" },
    { file: path("crates/inputanim-convert/tests/egodex/earliest.hdf5"), name: "episode.h5", format: "egodex" },
    { file: path("fuzz/corpus/isaac/hand.isaac.mcap"), name: "teleoperation.mcap", format: "isaac" },
    { file: xdf, name: "study.xdf", format: "xdf" },
    { file: packed, name: "study.xdf.gz", format: "xdf" },
    { file: path("crates/inputanim-convert/tests/golden/small.xror"), name: "game.xror", format: "xror" },
  ];
}
