// The keys of the 3D view. It gets the focus from the keyboard only, so that the arrow keys move in time after a click.

import { Spherical } from "three";
import type { Scene } from "./scene.js";
import { text } from "./strings.js";
import type { Store } from "./store.js";

/** The angle of one press of an arrow key in radians. */
const STEP = Math.PI / 36;

/** The change of the distance with one press. */
const ZOOM = 1.1;

/** For each key, the turns about the vertical axis and about the horizontal one, and the change of the distance. */
const KEYS: Record<string, [theta: number, phi: number, distance: number]> = {
  ArrowLeft: [-STEP, 0, 1], ArrowRight: [STEP, 0, 1], ArrowUp: [0, -STEP, 1], ArrowDown: [0, STEP, 1],
  PageUp: [0, 0, 1 / ZOOM], PageDown: [0, 0, ZOOM],
};

/** Lets the keyboard turn the view. */
export function viewKeys(store: Store, { controls, camera, renderer }: Scene): void {
  const canvas = renderer.domElement;
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "application");
  store.watch((state) => [state.language], () => canvas.setAttribute("aria-label", text("view3d")));
  controls.stopListenToKeyEvents();
  canvas.addEventListener("mousedown", (event) => {
    event.preventDefault();
    (document.activeElement as HTMLElement | null)?.blur();
    // In a frame, the keys would still go to the page around this one.
    window.focus();
  });
  canvas.addEventListener("keydown", (event) => {
    const key = KEYS[event.key];
    if (!key || event.ctrlKey || event.metaKey || event.altKey || !controls.enabled) return;
    event.preventDefault();
    event.stopPropagation();
    const [theta, phi, distance] = key;
    const place = new Spherical().setFromVector3(camera.position.clone().sub(controls.target));
    place.set(place.radius * distance, Math.min(Math.max(place.phi + phi, 0.01), Math.PI - 0.01), place.theta + theta);
    // The address and the views follow the camera as after a drag.
    controls.dispatchEvent({ type: "start" });
    camera.position.setFromSpherical(place).add(controls.target);
    controls.update();
    controls.dispatchEvent({ type: "end" });
  });
}
