// The keys of the plotted curves, as points on their lines.

import type uPlot from "uplot";
import { columnNames } from "../package/inputanim.js";
import { partOfCurve, sourcesOf, valueIn } from "./curves.js";
import { facts } from "./facts.js";
import type { Line } from "./plot-lines.js";
import { type State, shown } from "./store.js";

/** The radius of a point in pixels. */
const RADIUS = 2.5;

/** The smallest mean distance in pixels at which the points of a line can be distinguished. */
const MIN_DISTANCE = 8;

/** The longest visible range in seconds for which the keys of curves that the user has not chosen are read. */
const MAX_RANGE = 5;

/** Returns the key times of a line in the visible range; none until they are read, or if there are more than `most`. */
function keysOf(state: State, { curve }: Line, most: number): number[] {
  const recording = shown(state);
  // A recording in progress grows faster than its keys could be read.
  if (!recording || !curve || state.openFiles[state.selected]?.isLive) return [];
  const [from, to] = state.view;
  if (state.plot !== "curves" && to - from > MAX_RANGE) return [];
  const keys = facts(recording).keys(partOfCurve(curve));
  const visible = sourcesOf(curve).map((source) => {
    const times = keys?.get(source) ?? [];
    const [first, end] = [indexOf(times, from, false), indexOf(times, to, true)];
    // The plot is drawn in each frame of playback, so times are not copied in vain.
    return end - first > most ? null : times.slice(first, end);
  });
  const times = visible.includes(null) ? [] : [...new Set((visible as number[][]).flat())];
  return times.length > most ? [] : times;
}

/** Returns the index of the first time that is not before a time, or that is after it. */
export function indexOf(times: number[], time: number, after: boolean): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const value = times[middle] ?? 0;
    if (value < time || (after && value === time)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Draws the keys of lines as points. */
export function drawKeys(plot: uPlot, lines: Line[], state: State): void {
  const recording = shown(state);
  if (!recording) return;
  const { ctx, bbox } = plot;
  const scale = devicePixelRatio;
  const most = bbox.width / scale / MIN_DISTANCE;
  const frame = new Float32Array(columnNames().length);
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  for (const line of lines) {
    if (!line.curve) continue;
    ctx.fillStyle = line.color;
    for (const time of keysOf(state, line, most)) {
      recording.sample(time, frame);
      const value = valueIn(frame, line.curve);
      if (!Number.isFinite(value)) continue;
      ctx.beginPath();
      ctx.arc(plot.valToPos(time, "x", true), plot.valToPos(value, "y", true), RADIUS * scale, 0, 2 * Math.PI);
      ctx.fill();
    }
  }
  ctx.restore();
}
