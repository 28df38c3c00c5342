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

/** Returns the key times of a line in the visible range; none until they are read. */
function keysOf(state: State, { curve }: Line): number[] {
  const recording = shown(state);
  // A recording in progress grows faster than its keys could be read.
  if (!recording || !curve || state.openFiles[state.selected]?.isLive) return [];
  const [from, to] = state.view;
  if (state.plot !== "curves" && to - from > MAX_RANGE) return [];
  const keys = facts(recording).keys(partOfCurve(curve));
  const times = sourcesOf(curve).flatMap((source) => keys?.get(source) ?? []).filter((time) => time >= from && time <= to);
  return [...new Set(times)];
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
    const keys = keysOf(state, line);
    if (!line.curve || keys.length > most) continue;
    ctx.fillStyle = line.color;
    for (const time of keys) {
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
