// Replays action recordings with IWER's player, and compares the values that a web page gets with those of
// the sampler. Also reads recordings of IWER's own recorder.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { convert, frames, recordings, require, run } from "../inputanim.mjs";
import { begin, frameAt } from "./stage.mjs";

const iwer = await import(pathToFileURL(require.resolve("iwer")));

/** The joints of ours that WebXR has, in its order; it has no palm. */
const JOINTS = ["Wrist", "ThumbMetacarpalJoint", "ThumbProximalJoint", "ThumbDistalJoint", "ThumbTip"];
for (const finger of ["Index", "Middle", "Ring", "Pinky"]) {
  for (const joint of ["Metacarpal", "Knuckle", "MiddleJoint", "DistalJoint", "Tip"]) {
    JOINTS.push(finger + joint);
  }
}

/** What a page sees: as `inputanim sample --space openxr` has it. */
function seen(frame, session, space) {
  const pose = ({ transform: { position: p, orientation: q } }) => ({
    position: [p.x, p.y, p.z],
    rotation: [q.x, q.y, q.z, q.w],
  });
  const page = { head: pose(frame.getViewerPose(space)), radii: [] };
  for (const source of session.inputSources) {
    if (source.targetRayMode === "gaze") {
      page.gaze = pose(frame.getPose(source.targetRaySpace, space));
      continue;
    }
    const [button] = source.gamepad.buttons;
    const hand = { pinching: button.pressed, value: button.value, joints: {} };
    hand.ray = pose(frame.getPose(source.targetRaySpace, space));
    [...source.hand.values()].forEach((joint, index) => {
      const found = frame.getJointPose(joint, space);
      hand.joints[JOINTS[index]] = pose(found);
      page.radii.push(found.radius);
    });
    page[source.handedness] = hand;
  }
  return page;
}

function expectNear(what, a, b, metres, degrees) {
  const apart = Math.hypot(...a.position.map((part, axis) => part - b.position[axis]));
  const length = (q) => Math.hypot(...q);
  const dot = Math.abs(a.rotation.reduce((sum, part, index) => sum + part * b.rotation[index], 0));
  const cosine = Math.min(1, dot / length(a.rotation) / length(b.rotation));
  const angle = (2 * Math.acos(cosine) * 180) / Math.PI;
  const size = 1 + Math.hypot(...b.position);
  if (!(apart <= metres * size && angle <= degrees)) {
    throw new Error(`${what}: ${apart} m and ${angle}° apart`);
  }
}

function turned([x, y, z, w], [a, b, c]) {
  const cross = (u, v) => [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
  const once = cross([x, y, z], [a, b, c]);
  const twice = cross([x, y, z], once);
  return [a, b, c].map((part, axis) => part + 2 * (w * once[axis] + twice[axis]));
}

/** Whether all joints are known, without which a hand is left out. */
const isWhole = (hand) => hand?.tracked && JOINTS.every((joint) => isFinitePose(hand.joints[joint]));
const isFinitePose = (pose) => pose && [...pose.position, ...pose.rotation].every((n) => n !== null);

async function replays(recording) {
  const file = convert(recording, "iwer.json");
  const written = JSON.parse(readFileSync(file, "utf8"));
  const times = written.frames.map(([milliseconds]) => milliseconds);
  const expected = [];
  for (let first = 0; first < times.length; first += 2000) {
    const at = times.slice(first, first + 2000).map((milliseconds) => milliseconds / 1000);
    expected.push(...frames(recording, "--space", "openxr", "--at", at.join(",")));
  }
  const { device, session, space } = await begin(iwer);
  let pinches = 0;
  session.addEventListener("selectstart", ({ frame, inputSource }) => {
    // Web pages use the direction of the target ray.
    if (frame.getPose(inputSource.targetRaySpace, space)) pinches++;
  });
  // The rule of docs/convert.md.
  const getFrame = () => new iwer.XRFrame(session, 0, true, false, performance.now());
  const eventContext = { session, getFrame };
  const player = device.createActionPlayer(space, written, { eventContext });
  const start = 1000;
  frameAt(session, start, () => {});
  player.play();
  let begun = 0;
  expected.forEach((ours, index) => {
    // Just before a frame, the player already shows the inputs of that frame.
    const milliseconds = index === 0 ? 0 : times[index] - 1e-6 * (times[index] - times[index - 1]);
    const page = frameAt(session, start + milliseconds, (frame) => seen(frame, session, space));
    const where = `${recording} at ${times[index]} ms: `;
    if (isFinitePose(ours.head)) expectNear(`${where}head`, page.head, ours.head, 1e-5, 0.05);
    for (const side of ["left", "right"]) {
      const hand = ours[side];
      // Between two frames, the player shows the hands of the later one: at the start, those of the second.
      const next = (expected[Math.max(index, 1)] ?? ours)[side];
      if (Boolean(page[side]) !== Boolean(isWhole(next))) {
        throw new Error(`${where}${side} is ${page[side] ? "present" : "missing"}`);
      }
      if (!page[side] || !isWhole(hand)) continue;
      // The format has no unknown pinches.
      if (page[side].pinching !== (hand.pinching ?? false)) throw new Error(`${where}${side} has the wrong pinch state`);
      for (const joint of JOINTS) {
        expectNear(`${where}${side}.${joint}`, page[side].joints[joint], hand.joints[joint], 1e-5, 0.05);
      }
      const before = index > 0 && expected[index - 1][side];
      if (isWhole(before) && !before.pinching && hand.pinching) begun++;
    }
    const length = ours.gaze ? Math.hypot(...ours.gaze.direction) : 0;
    if (Boolean(page.gaze) !== length > 0) throw new Error(`${where}the gaze is ${page.gaze ? "present" : "missing"}`);
    if (page.gaze) {
      const looks = turned(page.gaze.rotation, [0, 0, -1]);
      const off = Math.hypot(...looks.map((part, axis) => part - ours.gaze.direction[axis] / length));
      const apart = Math.hypot(...page.gaze.position.map((n, axis) => n - ours.gaze.origin[axis]));
      const size = 1 + Math.hypot(...ours.gaze.origin);
      if (off > 1e-3 || apart > 1e-5 * size) throw new Error(`${where}the gaze is ${off}, ${apart} off`);
    }
    if (!page.radii.every((radius) => radius > 0.005 && radius < 0.022)) {
      throw new Error(`${where}radii ${page.radii}`);
    }
  });
  if (pinches !== begun) throw new Error(`${recording}: ${pinches} selects, ${begun} pinches`);
  await session.end();
  return begun;
}

/** Drives an emulated device, records it, and gives the recording and what the page saw. */
async function record() {
  const { device, session, space } = await begin(iwer);
  device.primaryInputMode = "hand";
  const recorder = new iwer.ActionRecorder(session, space);
  const pages = [];
  for (let step = 0; step < 120; step++) {
    const angle = step / 20;
    device.position.set(0.1 * Math.sin(angle), 1.6, 0.2);
    device.quaternion.set(0, Math.sin(angle / 9), 0, Math.cos(angle / 9));
    for (const [side, x] of [["left", -0.2], ["right", 0.2]]) {
      const hand = device.hands[side];
      hand.position.set(x + 0.1 * Math.cos(angle), 1.2 + 0.1 * Math.sin(angle), -0.3);
      hand.quaternion.set(Math.sin(angle / 7), 0, 0, Math.cos(angle / 7));
      hand.updatePinchValue(step % 40 < 15 ? 0 : 0.75);
    }
    device.hands.left.connected = step < 30 || step > 70;
    pages.push(
      frameAt(session, 5000 + step * 20, (frame) => {
        recorder.recordFrame(frame);
        return seen(frame, session, space);
      }),
    );
  }
  await session.end();
  return { text: recorder.toJSON(), pages };
}

async function isRead() {
  const { text, pages } = await record();
  const file = join(process.env.INPUTANIM_OUT, "recorded.iwer.json");
  const recording = join(process.env.INPUTANIM_OUT, "recorded.bin");
  writeFileSync(file, text);
  run("convert", "--force", file, recording);
  const ours = frames(recording, "--space", "openxr", "--rate", "50");
  if (ours.length !== pages.length) throw new Error(`${ours.length} frames, not ${pages.length}`);
  // The recorder rounds ray, joint and both rotations to a thousandth.
  const [metres, degrees] = [0.002, 0.4];
  let hands = 0;
  pages.forEach((page, index) => {
    const where = `recorded, frame ${index}: `;
    expectNear(`${where}head`, ours[index].head, page.head, metres, degrees);
    for (const side of ["left", "right"]) {
      const hand = ours[index][side];
      if (hand.tracked !== Boolean(page[side])) throw new Error(`${where}${side} has the wrong tracked state`);
      if (!hand.tracked) continue;
      hands++;
      if ((hand.pinching ?? false) !== page[side].pinching) throw new Error(`${where}${side} has the wrong pinch state`);
      for (const joint of JOINTS) {
        expectNear(`${where}${side}.${joint}`, hand.joints[joint], page[side].joints[joint], metres, degrees);
      }
      if (!hand.joints.Palm) throw new Error(`${where}${side} has no palm`);
    }
  });
  // The recording that was read must replay too.
  await replays(recording);
  return { frames: pages.length, hands };
}

/** The gamepads of a session by hand: the buttons and axes. */
function gamepads(session) {
  const found = {};
  for (const { handedness, gamepad } of session.inputSources) {
    if (!gamepad) continue;
    const buttons = gamepad.buttons.map((button) => button && [button.pressed, button.touched, button.value]);
    found[handedness] = { buttons, axes: [...gamepad.axes] };
  }
  return found;
}

/** Records controllers with IWER, converts them to a recording and back, and replays them. Gives the number of compared values. */
async function controllersComeBack() {
  const { device, session, space } = await begin(iwer);
  device.primaryInputMode = "controller";
  const recorder = new iwer.ActionRecorder(session, space);
  const pages = [];
  for (let step = 0; step < 60; step++) {
    for (const [side, letter] of [["left", "x"], ["right", "a"]]) {
      const controller = device.controllers[side];
      controller.position.set(step / 128, 1.25, -0.5);
      controller.updateButtonValue("trigger", step / 64);
      controller.updateButtonValue(`${letter}-button`, Number(step % 8 < 4));
      controller.updateAxes("thumbstick", step / 64, -0.5);
    }
    pages.push(
      frameAt(session, 9000 + step * 20, (frame) => {
        recorder.recordFrame(frame);
        return gamepads(session);
      }),
    );
  }
  await session.end();
  const out = (name) => join(process.env.INPUTANIM_OUT, name);
  const [file, recording, again] = ["controllers.iwer.json", "controllers.json", "controllers-again.iwer.json"].map(out);
  writeFileSync(file, recorder.toJSON());
  run("convert", "--force", file, recording);
  const curves = new Map(JSON.parse(readFileSync(recording, "utf8")).curves.map(({ curve, keys }) => [curve, keys]));
  for (const side of ["left", "right"]) {
    const trigger = curves.get(`${side}.controller.trigger.value`).map(([, value]) => value);
    const up = curves.get(`${side}.controller.thumbstick.y`).map(([, value]) => value);
    if (trigger.some((value, step) => value !== Math.fround(step / 64))) throw new Error(`${side} trigger: ${trigger}`);
    if (up.some((value) => value !== 0.5)) throw new Error(`${side} thumbstick: ${up}`);
  }
  run("convert", "--force", "--rate", "50", recording, again);
  const { device: other, session: second, space: room } = await begin(iwer);
  const player = other.createActionPlayer(room, JSON.parse(readFileSync(again, "utf8")));
  frameAt(second, 500, () => {});
  player.play();
  let compared = 0;
  pages.forEach((page, step) => {
    // Just before a frame, the player already shows the inputs of that frame.
    const milliseconds = step === 0 ? 0 : step * 20 - 1e-4;
    const seen = frameAt(second, 500 + milliseconds, () => gamepads(second));
    if (step === 0) return;
    for (const side of ["left", "right"]) {
      page[side].buttons.forEach((button, place) => {
        if (!button) return;
        const ours = seen[side].buttons[place];
        if (!ours) {
          if (button.some(Boolean)) throw new Error(`step ${step}, ${side}, button ${place}: missing`);
          return;
        }
        const near = Math.abs(ours[2] - button[2]) < 1e-3;
        const where = `step ${step}, ${side}, button ${place}`;
        if (ours[0] !== button[0] || !near) throw new Error(`${where}: ${ours}, not ${button}`);
        compared++;
      });
      page[side].axes.forEach((axis, place) => {
        if (Math.abs((seen[side].axes[place] ?? 0) - (axis ?? 0)) > 1e-3) throw new Error(`step ${step}, ${side}, axis ${place}`);
        compared++;
      });
    }
  });
  await second.end();
  return compared;
}

let pinches = 0;
for (const recording of recordings) pinches += await replays(recording);
const { frames: read, hands } = await isRead();
const values = await controllersComeBack();
if (!pinches || hands <= read || values < 500) throw new Error("nothing was compared");
console.log(`${recordings.length} files replay in IWER with the sampled values and ${pinches} pinches`);
console.log(`${read} frames of IWER's recorder are read, with ${hands} hands`);
console.log(`${values} buttons and axes of controllers come back`);
