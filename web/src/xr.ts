// WebXR: stand beside the recording at life size, and record hands and head in a headset.

import { Recorder, columnNames } from "../package/inputanim.js";
import type { Actions } from "./actions.js";
import { element, replace } from "./dom.js";
import { column } from "./facts.js";
import type { Scene } from "./scene.js";
import { text } from "./strings.js";
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

/** Buttons for the modes that the browser supports. */
export function xrButtons(store: Store, actions: Actions, scene: Scene): HTMLElement {
  const host = element("div", { class: "xr" });
  const modes: XRSessionMode[] = [];
  let capture: Capture | null = null;
  const { xr } = scene.renderer;

  const enter = async (mode: XRSessionMode) => {
    try {
      const session = await navigator.xr?.requestSession(mode, { optionalFeatures: ["local-floor", "hand-tracking"] });
      if (!session) return;
      xr.enabled = true;
      session.addEventListener("end", () => {
        capture?.stop();
        xr.enabled = false;
        scene.redraw();
        draw();
      });
      await xr.setSession(session);
      draw();
    } catch (error) {
      actions.fail(error);
    }
  };
  const toggle = () => {
    const session = xr.getSession();
    if (capture) capture.stop();
    else if (session) capture = new Capture(session, scene, actions, () => ((capture = null), draw()));
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
      session ? element("button", { id: "record", onclick: toggle }, text(capture ? "stopRecording" : "record")) : null,
    );
  };
  // The buttons of the page are not visible in a headset, so a squeeze starts and ends the recording.
  xr.addEventListener("sessionstart", () => xr.getSession()?.addEventListener("squeeze", toggle));
  for (const mode of ["immersive-vr", "immersive-ar"] as const) {
    void navigator.xr?.isSessionSupported(mode).then((isSupported) => {
      if (isSupported) modes.push(mode);
      draw();
    });
  }
  store.watch((state) => [state.language], draw);
  return host;
}

/** Records the hands and the head of a session. */
class Capture {
  private readonly recorder = new Recorder({ layout: "mrtk-1.1", fromZero: true });
  private readonly frame = new Float32Array(columnNames().length);
  private isRunning = true;

  constructor(
    session: XRSession,
    private readonly scene: Scene,
    private readonly actions: Actions,
    private readonly ended: () => void,
  ) {
    const tick = (now: number, frame: XRFrame) => {
      if (!this.isRunning) return;
      session.requestAnimationFrame(tick);
      this.push(now, frame);
    };
    session.requestAnimationFrame(tick);
  }

  private push(now: number, frame: XRFrame): void {
    const space = this.scene.renderer.xr.getReferenceSpace();
    if (!space) return;
    this.frame.fill(NaN);
    const viewer = frame.getViewerPose(space);
    if (viewer) this.set("head", viewer.transform);
    for (const side of ["left", "right"] as const) {
      const at = column(`${side}.tracked`);
      this.frame[at] = 0;
      this.frame[at + 1] = 0;
    }
    for (const source of frame.session.inputSources) {
      if (!source.hand || source.handedness === "none" || !frame.getJointPose) continue;
      const side = source.handedness;
      for (const [theirs, ours] of JOINTS) {
        const joint = source.hand.get(theirs as XRHandJoint);
        const pose = joint && frame.getJointPose(joint, space);
        if (pose) this.set(`${side}.${ours}`, pose.transform);
      }
      this.finishHand(side);
    }
    try {
      this.recorder.push(now / 1000, this.frame);
    } catch {
      // The second of two frames with the same time is dropped.
    }
  }

  /** Adds the palm, which WebXR does not have, and the states. */
  private finishHand(side: "left" | "right"): void {
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

  stop(): void {
    if (!this.isRunning) return;
    this.isRunning = false;
    const { frames, seconds } = this.recorder;
    if (frames > 0) {
      const name = `webxr-${new Date().toISOString().slice(0, 19).replace(/[:T]/g, "-")}.bin`;
      this.actions.add(name, this.recorder.snapshot());
      this.actions.note(text("recordedHands", { seconds: seconds.toFixed(1), frames }));
    }
    this.recorder.free();
    this.ended();
  }
}
