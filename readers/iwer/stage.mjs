// The parts of a browser that a session of IWER needs, with a clock and frames that the check controls.

import { performance } from "node:perf_hooks";

let now = 0;
let next = null;
performance.now = () => now;

class DOMPointReadOnly {
  constructor(x, y, z, w) {
    Object.assign(this, { x, y, z, w });
  }
}
const element = () => ({
  dataset: {},
  style: {},
  appendChild() {},
  removeChild() {},
});
class WebGL2RenderingContext {
  canvas = { ...element(), width: 640, height: 480, parentElement: null };
  drawingBufferWidth = 640;
  drawingBufferHeight = 480;
  getParameter = () => [0, 0, 0, 0];
  clearColor() {}
  clearDepth() {}
  clearStencil() {}
  clear() {}
}
Object.assign(globalThis, {
  DOMPointReadOnly,
  document: { createElement: element, body: element() },
  window: globalThis,
  innerWidth: 640,
  innerHeight: 480,
  dispatchEvent() {},
  localStorage: { getItem: () => null },
  WebGL2RenderingContext,
  requestAnimationFrame: (callback) => void (next = callback),
  cancelAnimationFrame: () => void (next = null),
});
Object.defineProperty(globalThis, "performance", { value: performance });
if (!globalThis.navigator) Object.defineProperty(globalThis, "navigator", { value: {} });

/** Lets a frame of the session happen at a time in milliseconds; gives what `look` gives. */
export function frameAt(session, milliseconds, look) {
  now = milliseconds;
  let seen;
  session.requestAnimationFrame((_, frame) => void (seen = look(frame)));
  const callback = next;
  next = null;
  callback(now);
  return seen;
}

/** A device that is installed as the browser's, and a session of it that has begun. */
export async function begin({ XRDevice, metaQuestPro, XRWebGLLayer }) {
  const device = new XRDevice(metaQuestPro);
  device.installRuntime({ forceInstall: true });
  const session = await navigator.xr.requestSession("immersive-vr", {
    requiredFeatures: ["hand-tracking", "local-floor"],
    optionalFeatures: ["eye-tracking"],
  });
  session.updateRenderState({ baseLayer: new XRWebGLLayer(session, new WebGL2RenderingContext()) });
  return { device, session, space: await session.requestReferenceSpace("local-floor") };
}
