// Reads USD, text and binary, with the loader of three.js, and compares the animation with the sampler. OpenUSD's own
// library reads the same files in check.py.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { convert, frames, recordings } from "../inputanim.mjs";

const module = (path) => import(pathToFileURL(join(process.env.INPUTANIM_NODE_MODULES, path)));
const three = await module("three/build/three.module.js");
const { USDLoader } = await module("three/examples/jsm/loaders/USDLoader.js");

/** Tolerances in metres and degrees. Numbers far from the origin have a larger rounding. */
const METRES = 1e-4;
const DEGREES = 0.02;
/** The largest number of compared frames of a file. */
const FRAMES = 100;

// The loader has no arrays of texts in binary files, and reports those with the names of markers.
const warn = console.warn;
console.warn = (...args) => args.join(" ").includes("Unsupported array type 10") || warn(...args);

function fail(file, text) {
  console.error(`${file}: ${text}`);
  process.exit(1);
}

function load(file) {
  const bytes = readFileSync(file);
  return new USDLoader().parse(file.endsWith("a") ? bytes.toString() : new Uint8Array(bytes).buffer);
}

const isFinite = (numbers) => numbers.every((number) => typeof number === "number");
let [metres, degrees, values] = [0, 0, 0];

function compare(what, node, pose) {
  // A pose that is not known, or a rotation of 0, has no value in the file.
  if (!isFinite([...pose.position, ...pose.rotation]) || !pose.rotation.some(Boolean)) return;
  const place = new three.Vector3(...pose.position);
  const apart = node.getWorldPosition(new three.Vector3()).distanceTo(place);
  const turn = node.getWorldQuaternion(new three.Quaternion());
  const { x, y, z, w } = new three.Quaternion(...pose.rotation).normalize().invert().multiply(turn);
  const angle = three.MathUtils.radToDeg(2 * Math.atan2(Math.hypot(x, y, z), Math.abs(w)));
  if (!(apart <= METRES * Math.max(1, place.length()) && angle <= DEGREES)) {
    fail(what, `${node.name} is ${apart} m and ${angle}° away`);
  }
  [metres, degrees, values] = [Math.max(metres, apart), Math.max(degrees, angle), values + 1];
}

/** Returns mixers that play all animations of a file: a hand has the names of its joints for itself. */
function mixers(file, scene) {
  const found = [];
  scene.traverse((node) => {
    for (const clip of node.animations ?? []) {
      const side = /^(left|right)_/.exec(clip.name)?.[1];
      const root = side ? scene.getObjectByName(side) : scene;
      if (!root) fail(file, `no hand for ${clip.name}`);
      const mixer = new three.AnimationMixer(root);
      const action = mixer.clipAction(clip);
      action.setLoop(three.LoopOnce);
      action.clampWhenFinished = true;
      action.play();
      found.push(mixer);
    }
  });
  return found;
}

function play(file, expected) {
  const scene = load(file);
  const playing = mixers(file, scene);
  const step = Math.max(1, Math.floor(expected.length / FRAMES));
  for (let index = 0; index < expected.length; index += step) {
    const frame = expected[index];
    for (const mixer of playing) mixer.setTime(frame.time);
    scene.updateMatrixWorld(true);
    const what = `${file} at ${frame.time} s`;
    const head = scene.getObjectByName("head");
    if (frame.head && head) compare(what, head, frame.head);
    for (const side of ["left", "right"]) {
      const joints = Object.entries(frame[side]?.tracked ? frame[side].joints : {});
      const hand = scene.getObjectByName(side);
      for (const [joint, pose] of joints) {
        if (joint === "None") continue;
        const node = hand?.getObjectByName(joint) ?? fail(what, `no ${joint} of the ${side} hand`);
        compare(what, node, pose);
      }
    }
  }
}

for (const recording of recordings) {
  // The samples of a file at the rate of the file, so that nothing is interpolated.
  const expected = frames(recording, "--space", "openxr", "--rate", "30");
  for (const extension of ["usda", "usdc"]) {
    play(convert(recording, extension, "--rate", "30"), expected);
  }
}
// Without this, a check that compares nothing would pass.
if (values < 1000) fail("all", `only ${values} poses were compared`);
console.log(
  `${recordings.length} recordings: three.js has ${values} poses within ${(metres * 1000).toFixed(4)} mm and ` +
    `${degrees.toFixed(3)}°`,
);
