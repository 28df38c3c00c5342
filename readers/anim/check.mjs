// Reads Unity animation clips with a parser of YAML, and compares curves with the sampler at times of keys. check.py reads
// the same files with a parser of Unity's files, and evaluates them between the keys.

import { readFileSync, statSync } from "node:fs";
import { convert, frames, recordings, require } from "../inputanim.mjs";

const YAML = require("yaml");
/** The largest number of compared times of a clip. */
const TIMES = 40;
// The parser is slow, so that the clips of large recordings have only these poses.
const POSES = ["--joints", "head,gaze,left.Wrist,right.IndexTip"];
const LARGE = 20_000;
/** Keys of one time in a recording have times in a clip that differ by less, in seconds. */
const JUMP = 1e-4;
const TOLERANCE = 2e-5;

function expect(holds, what) {
  if (!holds) throw new Error(what);
}

/** Returns the clip of a file, which is its only object. */
function clip(file) {
  const text = readFileSync(file, "utf8");
  const document = YAML.parseDocument(text, { version: "1.1", logLevel: "error" });
  expect(document.errors.length === 0, `${file}: ${document.errors[0]}`);
  return document.toJS().AnimationClip;
}

/** Returns the position or rotation of a pose in a frame; null if it has none. */
function expected(frame, path, part) {
  const [object, rest] = path.split("/");
  if (object === "Camera") return frame.head?.[part];
  // The direction of the gaze has another length in the clip.
  if (object === "Gaze") return rest ? null : frame.gaze?.origin;
  return frame[object.replace("Hand", "").toLowerCase()]?.joints[rest]?.[part];
}

let compared = 0;
for (const recording of recordings) {
  const file = convert(recording, "js.anim", ...(statSync(recording).size > LARGE ? POSES : []));
  const found = clip(file);
  const stop = found.m_AnimationClipSettings.m_StopTime;
  const curves = [];
  for (const [name, part] of [["m_PositionCurves", "position"], ["m_RotationCurves", "rotation"]]) {
    for (const { path, curve } of found[name]) {
      const { m_Curve } = curve;
      // At a jump there are two keys, and the sampler has the value of one of them.
      const isJump = (index) => m_Curve[index + 1]?.time - m_Curve[index].time < JUMP;
      const single = m_Curve.filter((_, index) => !isJump(index) && !(index > 0 && isJump(index - 1)));
      curves.push({ path, part, keys: new Map(single.map((key) => [Math.fround(key.time), key.value])) });
    }
  }
  const times = [...new Set(curves.flatMap(({ keys }) => [...keys.keys()]))].filter((time) => time < stop);
  times.sort((a, b) => a - b);
  const some = times.filter((_, index) => index % Math.ceil(times.length / TIMES) === 0);
  if (some.length === 0) continue;
  for (const frame of frames(recording, "--raw", "--untracked", "--at", some.join(","))) {
    const time = Math.fround(frame.time);
    for (const { path, part, keys } of curves) {
      const key = keys.get(time);
      const value = key && expected(frame, path, part);
      if (!value) continue;
      Object.values(key).forEach((number, index) => {
        const apart = Math.abs(number - value[index]);
        const size = 1 + Math.abs(value[index]);
        expect(apart <= TOLERANCE * size, `${file}: ${path} ${part} at ${time}: ${number}, not ${value[index]}`);
        compared += 1;
      });
    }
  }
}
// Without this, a check that compares nothing would pass.
expect(compared > 500, `only ${compared} numbers were compared`);
console.log(`${compared} numbers of ${recordings.length} clips equal the sampler at the times of their keys`);
