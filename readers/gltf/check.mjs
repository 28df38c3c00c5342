// glTF against Khronos' validator, and played by three.js: what it shows is what plays.

import { readFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { convert, frames, recordings, require } from "../inputanim.mjs";

const validator = require("gltf-validator");
const module = (path) => import(pathToFileURL(join(process.env.INPUTANIM_NODE_MODULES, path)));
const three = await module("three/build/three.module.js");
const { GLTFLoader } = await module("three/examples/jsm/loaders/GLTFLoader.js");

// three.js tells browsers how far it has come with a buffer inside a text.
globalThis.ProgressEvent ??= class ProgressEvent extends Event {};

/** A tenth of a millimetre; and what an arc may be off a straight line, doubled. */
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

  turn(node, rotation) {
    const is = node.getWorldQuaternion(new three.Quaternion());
    // Not by an arc cosine, which takes single precision for a tenth of a degree.
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
  // three.js takes points out of names, and keeps the name as it was.
  const nodes = new Map();
  gltf.scene.traverse((node) => nodes.set(node.userData.name ?? node.name, node));
  const named = (name) => nodes.get(name) ?? fail(file, `there is no node ${name}`);
  const called = NAMES[names];
  const mixer = new three.AnimationMixer(gltf.scene);
  const action = mixer.clipAction(gltf.animations[0]);
  action.setLoop(three.LoopOnce);
  action.clampWhenFinished = true;
  action.play();
  const { timeOffset: shift, markers } = gltf.animations[0].userData.inputanim;
  for (const frame of expected) {
    // Times are those of single precision, as keys are.
    const at = Math.fround(frame.time) + shift;
    mixer.setTime(at);
    gltf.scene.updateMatrixWorld(true);
    if (frame.camera) {
      apart.place(named(called.head), frame.camera.position);
      apart.turn(named(called.head), frame.camera.rotation);
      // The camera looks where the head does.
      const ahead = new three.Vector3(0, 0, 1).applyQuaternion(new three.Quaternion(...frame.camera.rotation));
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
        apart.place(named(called.direction), frame.gaze.direction);
      }
    }
    if (apart.fault) fail(file, `at ${frame.time} s ${apart.fault}`);
  }
  return apart;
}

/** Whether something is lost, so that what plays is another. */
function isLossy(recording) {
  const { INPUTANIM_PROGRAM, INPUTANIM_OUT } = process.env;
  const command = ["convert", "--force", recording, `${INPUTANIM_OUT}/lossy.glb`];
  return spawnSync(INPUTANIM_PROGRAM, command).status === 3;
}

let [metres, degrees, values] = [0, 0, 0];
for (const recording of recordings) {
  // Rotations that lost their w turn unevenly where a hand is lost.
  const plays = !isLossy(recording) && !/w-lost|mixed/.test(basename(recording));
  const expected = frames(recording, "--space", "gltf", "--rate", RATE);
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
// A check that never looks would pass too.
if (values < 10_000) fail("all", `only ${values} places were compared`);
console.log(
  `${recordings.length} recordings: no errors, no warnings; three.js shows ${values} places within ` +
    `${(metres * 1000).toFixed(4)} mm and ${degrees.toFixed(3)}°`,
);
