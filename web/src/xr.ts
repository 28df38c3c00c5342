// WebXR: stand beside the recording at life size, and record the head, hands and controllers of a headset.

import { WebXrController } from "../package/formats.js";
import { type DeviceFrame, Recorder, type Recording, columnNames } from "../package/inputanim.js";
import type { Actions } from "./actions.js";
import { element, replace } from "./dom.js";
import { column } from "./facts.js";
import { CAN_CONVERT, prepareFormats } from "./formats.js";
import type { Scene } from "./scene.js";
import { localized, text } from "./strings.js";
import { XrPanel } from "./xr-panel.js";
import type { Store } from "./store.js";

/** The joints of WebXR, and the same joints of MRTK. */
const JOINTS: [string, string][] = [
  ["wrist", "Wrist"],
  ...([["thumb", "Thumb"]] as const).flatMap(([theirs, ours]): [string, string][] => [
    [`${theirs}-metacarpal`, `${ours}MetacarpalJoint`],
    [`${theirs}-phalanx-proximal`, `${ours}ProximalJoint`],
    [`${theirs}-phalanx-distal`, `${ours}DistalJoint`],
    [`${theirs}-tip`, `${ours}Tip`],
  ]),
  ...[["index-finger", "Index"], ["middle-finger", "Middle"], ["ring-finger", "Ring"], ["pinky-finger", "Pinky"]].flatMap(
    ([theirs, ours]): [string, string][] => [
      [`${theirs}-metacarpal`, `${ours}Metacarpal`],
      [`${theirs}-phalanx-proximal`, `${ours}Knuckle`],
      [`${theirs}-phalanx-intermediate`, `${ours}MiddleJoint`],
      [`${theirs}-phalanx-distal`, `${ours}DistalJoint`],
      [`${theirs}-tip`, `${ours}Tip`],
    ],
  ),
];

/** The hand pinches while thumb and index finger are closer than this, in metres. */
const PINCH = 0.02;

/** Seconds between the press on the panel and the start of the recording. */
const COUNTDOWN = 3;

/** Both hands pinch for this time in seconds to stop the recording. */
const STOP_SECONDS = 1;

/** Buttons for the modes that the browser supports. `advance` plays until a time in milliseconds. */
export function xrButtons(store: Store, actions: Actions, scene: Scene, advance: (now: number) => void): HTMLElement {
  const host = element("div", { class: "xr" });
  const modes: XRSessionMode[] = [];
  let capture: Capture | null = null;
  const { xr } = scene.renderer;

  const panel = new XrPanel(scene.scene);
  /** The time in milliseconds at which the recording begins, during the countdown. */
  let begin: number | null = null;

  const enter = async (mode: XRSessionMode) => {
    try {
      const session = await navigator.xr?.requestSession(mode, { optionalFeatures: ["local-floor", "hand-tracking"] });
      if (!session) return;
      xr.enabled = true;
      session.addEventListener("end", () => {
        capture?.stop();
        begin = null;
        panel.close();
        xr.enabled = false;
        scene.redraw();
        draw();
      });
      if (CAN_CONVERT) {
        // It names the inputs of controllers, so without it the page does not offer to record.
        await prepareFormats();
        panel.open();
      }
      scene.drawFor(session, advance, CAN_CONVERT ? frame : () => undefined);
      await xr.setSession(session);
      // A pinch of a hand, or the trigger of a controller.
      session.addEventListener("select", select);
      // The buttons of the page are not visible in a headset, so a squeeze of a controller also starts and ends the recording.
      if (CAN_CONVERT) session.addEventListener("squeeze", toggle);
      draw();
    } catch (error) {
      actions.fail(error);
    }
  };
  const select = ({ frame: found, inputSource }: XRInputSourceEvent) => {
    const space = xr.getReferenceSpace();
    const pose = space && found.getPose(inputSource.targetRaySpace, space)?.transform;
    if (capture || begin !== null || !pose || !panel.isHit(pose)) return;
    begin = performance.now() + 1000 * COUNTDOWN;
  };
  /** Follows a frame of the headset: the panel, and the countdown. */
  const frame = (_now: number, found: XRFrame) => {
    const [session, space] = [xr.getSession(), xr.getReferenceSpace()];
    if (!session || !space) return;
    panel.update(found, space, session.inputSources);
    const left = begin === null ? null : Math.ceil((begin - performance.now()) / 1000);
    if (left !== null && left <= 0) start(session);
    panel.show(capture ? `${text("recording")}\n${text("xrStop")}` : left !== null ? String(Math.max(left, 1)) : text("xrRecord"));
  };
  const start = (session: XRSession) => {
    begin = null;
    capture = new Capture(session, scene, actions, () => ((capture = null), draw()));
    draw();
  };
  const toggle = () => {
    const session = xr.getSession();
    if (capture) capture.stop();
    else if (session) start(session);
    draw();
  };
  const draw = () => {
    host.hidden = modes.length === 0;
    const session = xr.getSession();
    replace(
      host,
      ...modes.map((mode) =>
        element("button", { id: mode, disabled: session !== null, onclick: () => void enter(mode) },
          text(mode === "immersive-vr" ? "enterVr" : "enterAr"))),
      session && CAN_CONVERT ? element("button", { id: "record", onclick: toggle }, text(capture ? "stopRecording" : "record")) : null,
    );
  };
  for (const mode of ["immersive-vr", "immersive-ar"] as const) {
    // A page that contains this page may not allow headsets.
    void navigator.xr?.isSessionSupported(mode).catch(() => false).then((isSupported) => {
      if (isSupported) modes.push(mode);
      draw();
    });
  }
  store.watch((state) => [state.language], draw);
  return host;
}

type Side = "left" | "right";
type Numbers = DeviceFrame["poses"] extends Record<string, infer Pose> | undefined ? Pose : never;

/** Records the head, the hands and the controllers of a session. */
class Capture {
  private readonly recorder = new Recorder({ layout: "mrtk-1.1", fromZero: true });
  private readonly frame = new Float32Array(columnNames().length);
  /** The controllers by their input source: when a browser exchanges the controller, there is another source. */
  private readonly controllers = new Map<XRInputSource, WebXrController>();
  /** The sides that have had a controller. */
  private readonly sides = new Set<Side>();
  private last = -1;
  /** The time of the first frame, and the time since which both hands pinch, in seconds. */
  private first = -1;
  private pinched: number | null = null;
  /** The number of frames before they pinched. */
  private framesBefore = 0;
  private isRunning = true;

  constructor(
    private readonly session: XRSession,
    private readonly scene: Scene,
    private readonly actions: Actions,
    private readonly ended: () => void,
  ) {
    const tick = (now: number, frame: XRFrame) => {
      if (!this.isRunning) return;
      session.requestAnimationFrame(tick);
      try {
        this.push(now, frame);
      } catch (error) {
        this.actions.fail(error);
        this.stop();
      }
    };
    session.requestAnimationFrame(tick);
  }

  private push(now: number, frame: XRFrame): void {
    const space = this.scene.renderer.xr.getReferenceSpace();
    // The second of two frames with the same time, which has the digits of a 32-bit float, is dropped.
    const time = Math.fround(now / 1000);
    if (!space || time <= this.last) return;
    this.last = time;
    this.frame.fill(NaN);
    const viewer = frame.getViewerPose(space);
    if (viewer) this.set("head", viewer.transform);
    const sources = [...this.session.inputSources].filter(isOfSide);
    // Without hand tracking, and with a controller in the hand, nothing is known about the hand.
    const hasHands = this.session.enabledFeatures?.includes("hand-tracking") ?? true;
    for (const side of ["left", "right"] as const) {
      const at = column(`${side}.tracked`);
      const isKnown = hasHands && sources.every((source) => source.handedness !== side || source.hand);
      this.frame.fill(isKnown ? 0 : NaN, at, at + 2);
    }
    for (const source of sources) {
      if (!source.hand || !frame.getJointPose) continue;
      const side = source.handedness;
      for (const [theirs, ours] of JOINTS) {
        const joint = source.hand.get(theirs as XRHandJoint);
        const pose = joint && frame.getJointPose(joint, space);
        if (pose) this.set(`${side}.${ours}`, pose.transform);
      }
      this.finishHand(side);
    }
    const devices = sources.filter(({ hand }) => !hand).map((source) => this.controller(source, frame, space));
    devices.forEach(({ name }) => this.sides.add(name.split(".")[0] as Side));
    for (const side of this.sides) {
      const name = `${side}.controller`;
      if (!devices.some((device) => device.name === name)) devices.push({ name, active: false });
    }
    this.recorder.push(time, this.frame, devices);
    if (this.first < 0) this.first = time;
    this.watchStop(time);
  }

  /** Stops after the gesture: both hands pinch. The gesture is cut off. */
  private watchStop(time: number): void {
    const arePinching = (["left", "right"] as const).every((side) => this.frame[column(`${side}.pinching`)] === 1);
    if (!arePinching) this.pinched = null;
    else if (this.pinched === null) {
      this.pinched = time;
      this.framesBefore = this.recorder.frames - 1;
    } else if (time - this.pinched >= STOP_SECONDS) this.stop(this.pinched - this.first);
  }

  /** Returns a controller in a frame. */
  private controller(source: SidedSource, frame: XRFrame, space: XRReferenceSpace): DeviceFrame {
    const { handedness: side, gamepad } = source;
    const [buttons, axes] = [[...(gamepad?.buttons ?? [])], [...(gamepad?.axes ?? [])]];
    let controller = this.controllers.get(source);
    if (!controller) {
      const { mapping } = gamepad ?? {};
      const counts = { buttons: buttons.length, axes: axes.length };
      controller = new WebXrController({ side, profiles: [...source.profiles], mapping, ...counts });
      this.controllers.set(source, controller);
    }
    const pose = (of: XRSpace | null | undefined): Numbers | undefined => {
      const transform = of && frame.getPose(of, space)?.transform;
      if (!transform) return undefined;
      const { position: p, orientation: q } = transform;
      return [p.x, p.y, p.z, q.x, q.y, q.z, q.w];
    };
    const states = buttons.map((button) => button && { pressed: button.pressed, touched: button.touched, value: button.value });
    return controller.frame({ grip: pose(source.gripSpace), aim: pose(source.targetRaySpace), buttons: states, axes });
  }

  /** Adds the palm, which WebXR does not have, and the states. */
  private finishHand(side: Side): void {
    const point = (joint: string) => this.frame.subarray(column(`${side}.${joint}.position.x`)).slice(0, 3);
    const [wrist, knuckle] = [point("Wrist"), point("MiddleKnuckle")];
    if (!Number.isFinite(wrist[0] ?? NaN)) return;
    const palm = column(`${side}.Palm.position.x`);
    const metacarpal = column(`${side}.MiddleMetacarpal.position.x`);
    this.frame.copyWithin(palm, metacarpal, metacarpal + 7);
    wrist.forEach((value, axis) => (this.frame[palm + axis] = (value + (knuckle[axis] ?? value)) / 2));
    const [thumb, index] = [point("ThumbTip"), point("IndexTip")];
    const distance = Math.hypot(...thumb.map((value, axis) => value - (index[axis] ?? NaN)));
    this.frame[column(`${side}.tracked`)] = 1;
    this.frame[column(`${side}.pinching`)] = distance < PINCH ? 1 : 0;
  }

  /** Stores a pose. WebXR is right-handed and Unity is left-handed: z is negated. */
  private set(name: string, { position: p, orientation: q }: XRRigidTransform): void {
    this.frame.set([p.x, p.y, -p.z, -q.x, -q.y, q.z, q.w], column(`${name}.position.x`));
  }

  /** Returns the recording until a time in seconds. */
  private recorded(end: number): Recording {
    const all = this.recorder.snapshot();
    if (end === Infinity) return all;
    try {
      return all.trim(0, end);
    } finally {
      all.free();
    }
  }

  /** Ends the recording. With `end`, it keeps only the part before this time in seconds. */
  stop(end = Infinity): void {
    if (!this.isRunning) return;
    this.isRunning = false;
    const frames = end === Infinity ? this.recorder.frames : this.framesBefore;
    const seconds = Math.min(this.recorder.seconds, end);
    if (frames > 0 && end > 0) {
      // A .bin file cannot hold controllers.
      const extension = this.sides.size > 0 ? "mcap" : "bin";
      const name = `webxr-${new Date().toISOString().slice(0, 19).replace(/[:T]/g, "-")}.${extension}`;
      this.actions.add(name, this.recorded(end));
      this.actions.note(text("recordedHands", { seconds: localized(seconds.toFixed(1)), frames }));
    }
    this.recorder.free();
    for (const controller of this.controllers.values()) controller.free();
    this.ended();
  }
}

/** An input source of a hand: a tracked hand, or a controller. Others, such as taps on a screen, exist only for an instant. */
type SidedSource = XRInputSource & { handedness: Side };

function isOfSide(source: XRInputSource): source is SidedSource {
  return source.handedness !== "none" && (source.hand != null || source.targetRayMode === "tracked-pointer");
}
