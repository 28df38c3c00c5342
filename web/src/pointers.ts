// The mouse, a pen and fingers on the timeline.

import type { Actions } from "./actions.js";
import type { Band } from "./bands.js";
import { type Store, endOf, played, shown } from "./store.js";

/** The time axis of the timeline. `x` is relative to the left edge. */
export interface Axis {
  timeAt: (x: number) => number;
  xOf: (time: number) => number;
  /** Returns the band at a place relative to the left and upper edges; null without a band. */
  bandAt: (x: number, y: number) => Band | null;
}

type Handle = "in" | "out";

/** Largest distance from a handle in pixels, and the height of the area of handles, for a mouse and for a finger. */
const REACH = { mouse: { x: 8, y: 24 }, touch: { x: 22, y: 44 } };

/** A handle moves after the pointer has moved this far, in pixels. A click on it is a click on the timeline. */
const THRESHOLD = 3;

/** The shortest range that the handles can make, in seconds. */
const MIN_RANGE = 0.001;

/** Listens to pointers: drag to seek, drag a handle to set the in or out point, two fingers to zoom and pan. */
export function listenToPointers(canvas: HTMLCanvasElement, store: Store, actions: Actions, axis: Axis): void {
  /** Positions of the pointers that are down. */
  const down = new Map<number, number>();
  let handle: Handle | null = null;
  let begin = 0;
  let before = 0;
  /** True if the pointer has moved since it went down. */
  let hasMoved = false;

  const place = (event: PointerEvent): [number, number] => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const handleAt = (event: PointerEvent): Handle | null => {
    if (!shown(store.state)) return null;
    const [x, y] = place(event);
    const reach = event.pointerType === "touch" ? REACH.touch : REACH.mouse;
    const [start, end] = played(store.state).map((time) => x - axis.xOf(time)) as [number, number];
    const nearest = Math.abs(start) < Math.abs(end) ? "in" : "out";
    return y <= reach.y && Math.abs(nearest === "in" ? start : end) <= reach.x ? nearest : null;
  };
  const moveHandle = (x: number) => {
    const { inPoint, outPoint } = store.state;
    const [start, stop] = played(store.state);
    const end = endOf(shown(store.state));
    const time = handle === "in" ? Math.min(axis.timeAt(x), stop - MIN_RANGE) : Math.max(axis.timeAt(x), start + MIN_RANGE);
    // A handle at the end of the recording is not a point.
    store.update(handle === "in" ? { inPoint: time > 0 ? time : null, outPoint } : { inPoint, outPoint: time < end ? time : null });
    // The view shows the first or the last frame of the range.
    actions.seek(time);
  };
  /** Zooms and pans so that the times stay below both fingers. */
  const pinch = (id: number, x: number) => {
    const other = [...down].find(([key]) => key !== id)?.[1] ?? x;
    const old = down.get(id) ?? x;
    const [middle, oldMiddle] = [(x + other) / 2, (old + other) / 2];
    const factor = Math.max(Math.abs(old - other), 1) / Math.max(Math.abs(x - other), 1);
    actions.zoom(factor, axis.timeAt(oldMiddle));
    // A timeline that shows the complete recording can pan only after it is zoomed.
    actions.pan(axis.timeAt(oldMiddle) - axis.timeAt(middle));
  };
  const seek = (x: number) => actions.seek(axis.timeAt(x));

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    const [x] = place(event);
    down.set(event.pointerId, x);
    if (down.size > 1) {
      // The first finger did not want to go to a time.
      handle = null;
      actions.seek(before);
      return;
    }
    begin = x;
    hasMoved = false;
    before = store.state.time;
    handle = handleAt(event);
    if (!handle) seek(x);
  });
  canvas.addEventListener("pointermove", (event) => {
    const [x] = place(event);
    if (!down.has(event.pointerId)) {
      canvas.style.cursor = handleAt(event) ? "ew-resize" : "";
      return;
    }
    hasMoved ||= Math.abs(x - begin) >= THRESHOLD;
    if (down.size > 1) pinch(event.pointerId, x);
    else if (!handle) seek(x);
    else if (Math.abs(x - begin) >= THRESHOLD || begin === Infinity) {
      begin = Infinity;
      moveHandle(x);
    }
    down.set(event.pointerId, x);
  });
  const up = (event: PointerEvent) => {
    if (!down.delete(event.pointerId)) return;
    const isClick = event.type === "pointerup" && down.size === 0 && !hasMoved;
    if (handle && begin !== Infinity && event.type === "pointerup") seek(begin);
    const band = isClick && !handle && axis.bandAt(...place(event));
    if (band) actions.showBand(band);
    handle = null;
  };
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
}
