// Checks glTF with Khronos' validator, and compares the scene in three.js with the sampler.

import { readFileSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { convert, frames, recordings, require, run } from "../inputanim.mjs";

const validator = require("gltf-validator");
const module = (path) => import(pathToFileURL(join(process.env.INPUTANIM_NODE_MODULES, path)));
const three = await module("three/build/three.module.js");
const { GLTFLoader } = await module("three/examples/jsm/loaders/GLTFLoader.js");

// three.js reports the progress of embedded buffers with an event that Node.js does not have.
globalThis.ProgressEvent ??= class ProgressEvent extends Event {};

/** Tolerances in metres and degrees. The angle is twice the largest difference between an arc and a line. */
const METRES = 1e-4;
const DEGREES = 0.02;
const RATE = "50";

function fail(file, text) {
  console.error(`${file}: ${text}`);
  process.exit(1);
}

/** No errors, no warnings, and nothing else to say but that some nodes only move. */
async function validate(file) {
  const options = { uri: basename(file), maxIssues: 0 };
  const report = await validator.validateBytes(new Uint8Array(readFileSync(file)), options);
  for (const { code, message, pointer } of report.issues.messages) {
    if (code !== "NODE_EMPTY") fail(file, `${code} at ${pointer}: ${message}`);
  }
}

async function load(file) {
  const bytes = readFileSync(file);
  const text = file.endsWith(".gltf");
  const data = text ? bytes.toString() : new Uint8Array(bytes).buffer;
  return new GLTFLoader().parseAsync(data, "");
}

/** What nodes are called. */
const NAMES = {
  inputanim: {
    head: "head",
    gaze: "gaze",
    direction: "gaze.direction",
    markers: "markers",
    joint: (side, joint) => `${side}.${joint}`,
    hand: (side) => side,
  },
  mrtk: {
    head: "Camera",
    gaze: "Gaze",
    direction: "Gaze.Direction",
    markers: "Markers",
    joint: (side, joint) => `Hand.${capital(side)}.Joint.${joint}`,
    hand: (side) => `Hand.${capital(side)}.Joints`,
  },
};

const capital = (word) => word[0].toUpperCase() + word.slice(1);

/** How far a node is from where it should be: metres, degrees. */
class Apart {
  metres = 0;
  degrees = 0;
  values = 0;

  place(node, position) {
    const apart = node.getWorldPosition(new three.Vector3()).distanceTo(new three.Vector3(...position));
    if (!(apart <= METRES)) this.fault ??= `${node.name} is ${apart} m away`;
    this.metres = Math.max(this.metres, apart);
    this.values += 1;
  }

  /** The position of a node as a direction: the values of the recording, which a player normalises. */
  point(node, direction) {
    const apart = node.getWorldPosition(new three.Vector3()).normalize().distanceTo(new three.Vector3(...direction));
    if (!(apart <= METRES)) this.fault ??= `${node.name} is ${apart} away`;
    this.metres = Math.max(this.metres, apart);
    this.values += 1;
  }

  turn(node, rotation) {
    const is = node.getWorldQuaternion(new three.Quaternion());
    // An arc cosine would turn the rounding of single precision into a tenth of a degree.
    const { x, y, z, w } = new three.Quaternion(...rotation).invert().multiply(is);
    this.aside(node, 2 * Math.atan2(Math.hypot(x, y, z), Math.abs(w)));
  }

  look(node, axis, direction) {
    const looks = axis.clone().applyQuaternion(node.getWorldQuaternion(new three.Quaternion()));
    const should = new three.Vector3(...direction);
    this.aside(node, Math.atan2(looks.clone().cross(should).length(), looks.dot(should)));
  }

  aside(node, angle) {
    const apart = three.MathUtils.radToDeg(angle);
    if (!(apart <= DEGREES)) this.fault ??= `${node.name} is turned by ${apart}° more`;
    this.degrees = Math.max(this.degrees, apart);
  }
}

/** Plays a file and compares it with frames. */
async function play(file, names, expected) {
  const gltf = await load(file);
  const apart = new Apart();
  if (gltf.animations.length === 0) {
    return apart;
  }
  // three.js removes points from names, and keeps the original name in userData.
  const nodes = new Map();
  gltf.scene.traverse((node) => nodes.set(node.userData.name ?? node.name, node));
  const named = (name) => nodes.get(name) ?? fail(file, `no node ${name}`);
  const called = NAMES[names];
  const mixer = new three.AnimationMixer(gltf.scene);
  const action = mixer.clipAction(gltf.animations[0]);
  action.setLoop(three.LoopOnce);
  action.clampWhenFinished = true;
  action.play();
  const { timeOffset: shift, markers } = gltf.animations[0].userData.inputanim;
  for (const frame of expected) {
    // Times have single precision, like those of keys.
    const at = Math.fround(frame.time) + shift;
    mixer.setTime(at);
    gltf.scene.updateMatrixWorld(true);
    if (frame.head) {
      apart.place(named(called.head), frame.head.position);
      apart.turn(named(called.head), frame.head.rotation);
      // The camera must have the pose of the head.
      const ahead = new three.Vector3(0, 0, 1).applyQuaternion(new three.Quaternion(...frame.head.rotation));
      apart.look(gltf.cameras[0], new three.Vector3(0, 0, -1), ahead.toArray());
    }
    for (const side of ["left", "right"]) {
      const hand = frame[side];
      if (!hand) continue;
      const shown = named(called.hand(side)).scale.x;
      if (shown !== Number(hand.tracked)) apart.fault ??= `${side} is ${shown}, not ${hand.tracked}`;
      for (const [joint, pose] of Object.entries(hand.joints)) {
        const node = named(called.joint(side, joint));
        apart.place(node, pose.position);
        if (joint !== "None") apart.turn(node, pose.rotation);
      }
    }
    if (markers.some(({ time }) => Number.isFinite(time)) && gltf.animations[0].tracks.length > 1) {
      const passed = markers.filter(({ time }) => Math.fround(time + shift) <= at).length;
      const shown = named(called.markers).position.x;
      if (shown !== passed) apart.fault ??= `${shown} markers are passed, not ${passed}`;
    }
    if (frame.gaze) {
      apart.place(named(called.gaze), frame.gaze.origin);
      if (Math.hypot(...frame.gaze.direction) > 0.1) {
        apart.look(named(called.gaze), new three.Vector3(0, 0, 1), frame.gaze.direction);
        apart.point(named(called.direction), frame.gaze.direction);
      }
    }
    if (apart.fault) fail(file, `at ${frame.time} s ${apart.fault}`);
  }
  return apart;
}

/** Returns the exit code and the messages of a conversion. */
function outcome(recording) {
  const { INPUTANIM_PROGRAM, INPUTANIM_OUT } = process.env;
  const command = ["convert", "--force", recording, `${INPUTANIM_OUT}/lossy.glb`];
  const { status, stderr } = spawnSync(INPUTANIM_PROGRAM, command, { encoding: "utf8" });
  return { isLossy: status === 3, hasSignFlips: stderr.includes("sign flip") };
}

/** Writes a recording whose rotations change their signs at every seventh key. */
function withSignFlips(recording) {
  const json = JSON.parse(readFileSync(convert(recording, "json"), "utf8"));
  for (const { curve, keys } of json.curves) {
    if (!curve.includes(".rotation.")) continue;
    keys.forEach((key, index) => {
      if (Math.floor(index / 7) % 2 === 1) key[1] = -key[1];
    });
  }
  const text = join(process.env.INPUTANIM_OUT, "sign-flips.json");
  writeFileSync(text, JSON.stringify(json));
  return convert(text, "bin");
}

/**
 * Writes a recording without its sign flips. There MRTK's rotations pass near zero, and readers of glTF
 * take the shorter arc, which is what the repaired recording evaluates to.
 */
function withoutSignFlips(recording) {
  const output = join(process.env.INPUTANIM_OUT, `repaired-${basename(recording)}`);
  run("repair", "--force", recording, "--output", output);
  return output;
}

let [metres, degrees, values] = [0, 0, 0];
const flipped = withSignFlips(recordings[0]);
if (!outcome(flipped).hasSignFlips) fail(flipped, "its sign flips are not reported");
for (const recording of [flipped, ...recordings]) {
  const { isLossy, hasSignFlips } = outcome(recording);
  // Rotations with lost w curves turn unevenly where a hand is lost.
  const plays = !isLossy && !/w-lost|mixed/.test(basename(recording));
  const truth = hasSignFlips ? withoutSignFlips(recording) : recording;
  const expected = frames(truth, "--space", "gltf", "--rate", RATE);
  for (const [extension, names] of [["glb", "inputanim"], ["gltf", "inputanim"], ["glb", "mrtk"]]) {
    const file = convert(recording, extension, "--node-names", names);
    await validate(file);
    if (plays) {
      const apart = await play(file, names, expected);
      metres = Math.max(metres, apart.metres);
      degrees = Math.max(degrees, apart.degrees);
      values += apart.values;
    }
  }
}
// Without this, a check that compares nothing would pass.
if (values < 10_000) fail("all", `only ${values} values were compared`);
console.log(
  `${recordings.length} recordings: no errors, no warnings; three.js shows ${values} places within ` +
    `${(metres * 1000).toFixed(4)} mm and ${degrees.toFixed(3)}°`,
);
