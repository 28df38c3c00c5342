// The timeline: bars of tracked and pinching hands, devices and their buttons, markers, findings, and the position.

import { element, time as formatted } from "./dom.js";
import type { Recording } from "../package/inputanim.js";
import { COLORS, MARK_COLORS, deviceColor } from "./colors.js";
import { type DeviceLane, labelOf } from "./devices.js";
import { facts } from "./facts.js";
import { uncertainRanges } from "./marks.js";
import { text } from "./strings.js";
import { listenToPointers } from "./pointers.js";
import { type State, type Store, endOf, played, shown } from "./store.js";
import type { Actions } from "./actions.js";

const ROW = 14;
/** The largest number of rows of devices and their buttons. */
const MAX_LANES = 10;
/** Width of the names of rows, and of the margin at the end, in pixels. */
export const GUTTER = 74;
export const END = 10;

/** Builds the timeline. */
export function timeline(store: Store, actions: Actions): HTMLElement {
  const canvas = element("canvas", { class: "timeline", tabIndex: 0, role: "slider" });
  const host = element("div", { class: "timeline-host" }, canvas);
  const length = () => canvas.clientWidth - GUTTER - END;
  const timeAt = (x: number): number => {
    const [from, to] = store.state.view;
    return from + ((x - GUTTER) / length()) * (to - from);
  };
  const xOf = (time: number): number => {
    const [from, to] = store.state.view;
    return GUTTER + ((time - from) / (to - from)) * length();
  };
  listenToPointers(canvas, store, actions, { timeAt, xOf });
  canvas.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
      const [from, to] = store.state.view;
      if (Math.abs(sideways) > 0) actions.pan((sideways / length()) * (to - from));
      else actions.zoom(Math.exp(event.deltaY / 500), timeAt(event.clientX - canvas.getBoundingClientRect().left));
    },
    { passive: false },
  );
  const draw = () => paint(canvas, store.state);
  new ResizeObserver(draw).observe(host);
  store.watch(
    (state) => [shown(state), state.time, state.view, state.inPoint, state.outPoint, state.theme, state.language, state.answers],
    draw,
  );
  return host;
}

function paint(canvas: HTMLCanvasElement, state: State): void {
  const recording = shown(state);
  const width = canvas.parentElement?.clientWidth ?? 0;
  const scale = devicePixelRatio;
  const lanes = recording ? lanesShown(recording) : [];
  const rows = [
    ...["left", "right"].map((row) => text(row)), ...lanes.map(labelOf), ...["markers", "findings"].map((row) => text(row)),
  ];
  const markerRow = 2 + lanes.length;
  const height = 22 + rows.length * ROW;
  canvas.width = width * scale;
  canvas.height = height * scale;
  canvas.style.height = `${height}px`;
  canvas.setAttribute("aria-label", text("position"));
  canvas.setAttribute("aria-valuemin", "0");
  canvas.setAttribute("aria-valuemax", String(endOf(recording)));
  canvas.setAttribute("aria-valuenow", String(state.time));
  canvas.setAttribute("aria-valuetext", formatted(state.time));
  const context = canvas.getContext("2d");
  if (!context || !recording || width < 2 * GUTTER) return;
  context.scale(scale, scale);
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const [from, to] = state.view;
  const end = width - END;
  const x = (time: number) => GUTTER + ((time - from) / (to - from)) * (end - GUTTER);
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";

  // Labels and ticks.
  context.fillStyle = color("muted");
  rows.forEach((row, index) => context.fillText(row, 6, 22 + (index + 0.5) * ROW, GUTTER - 10));
  context.textAlign = "center";
  const step = tickStep(to - from, (end - GUTTER) / 70);
  for (let tick = Math.ceil(from / step) * step; tick <= to; tick += step) {
    context.fillRect(x(tick), 16, 1, 5);
    context.fillText(`${Number(tick.toFixed(3))}`, x(tick), 8);
  }
  context.save();
  context.beginPath();
  context.rect(GUTTER, 0, end - GUTTER + 4, height);
  context.clip();

  // The played range.
  const [start, stop] = played(state);
  context.fillStyle = color("range");
  context.fillRect(x(start), 20, x(stop) - x(start), height - 20);

  const bar = (row: number, range: { start: number; end: number }, fill: string, inset: number) => {
    context.fillStyle = fill;
    const length = Math.max(x(range.end) - x(range.start), 2);
    context.fillRect(x(range.start), 22 + row * ROW + inset, length, ROW - 2 * inset);
  };
  const { info, markers, telemetry } = facts(recording);
  (["left", "right"] as const).forEach((side, row) => {
    context.globalAlpha = 0.45;
    for (const range of info.hands[side].tracked) bar(row, range, COLORS[side], 3);
    context.globalAlpha = 1;
    for (const range of info.hands[side].pinching) bar(row, range, COLORS[side], 5);
  });
  lanes.forEach((lane, index) => {
    const fill = deviceColor(lane.device);
    context.globalAlpha = lane.isButton ? 1 : 0.45;
    for (const range of lane.ranges) bar(2 + index, range, fill, lane.isButton ? 5 : 3);
    context.globalAlpha = 1;
    // A thin line, because the device may be active while one of its parts is unknown.
    for (const range of lane.unknown) bar(2 + index, range, color("muted"), 6);
    context.fillStyle = fill;
    for (const pulse of lane.pulses) context.fillRect(x(pulse) - 1, 22 + (2 + index) * ROW + 2, 2, ROW - 4);
  });
  context.fillStyle = color("ink");
  context.textAlign = "left";
  let free = -Infinity;
  for (const marker of markers.filter(({ name }) => !telemetry.has(name)).sort((a, b) => a.time - b.time)) {
    const place = x(marker.time);
    context.beginPath();
    context.moveTo(place, 22 + markerRow * ROW + 2);
    context.lineTo(place + 4, 22 + (markerRow + 0.5) * ROW);
    context.lineTo(place, 22 + (markerRow + 1) * ROW - 2);
    context.lineTo(place - 4, 22 + (markerRow + 0.5) * ROW);
    context.fill();
    // A name that would overlap the previous name is not drawn. The list of markers shows it.
    if (place < free) continue;
    context.fillText(marker.name, place + 7, 22 + (markerRow + 0.5) * ROW);
    free = place + 14 + context.measureText(marker.name).width;
  }
  for (const finding of facts(recording).known("findings") ?? []) {
    context.globalAlpha = finding.severity === "damage" ? 1 : 0.5;
    let drawn = -Infinity;
    // Damage without times concerns the complete recording.
    const isWhole = finding.ranges.length === 0 && finding.severity === "damage";
    for (const range of isWhole ? [{ start: 0, end: endOf(recording) }] : finding.ranges) {
      // A range within a pixel that is already drawn does not change the picture.
      if (range.end < from || range.start > to || x(range.end) < drawn + 1) continue;
      bar(markerRow + 1, range, COLORS.damage, finding.severity === "damage" ? 2 : 4);
      drawn = x(range.end);
    }
  }
  context.globalAlpha = 1;
  const file = state.openFiles[state.selected];
  for (const range of file ? uncertainRanges(file) : []) bar(markerRow + 1, range, MARK_COLORS.uncertain, 2);
  context.fillStyle = color("accent");
  context.fillRect(x(state.time) - 1, 14, 2, height - 14);
  context.restore();
  const handles = [[x(start), -1, state.inPoint], [x(stop), 1, state.outPoint]] as const;
  for (const [place, side, point] of handles) {
    if (place < GUTTER - 1 || place > end + 1) continue;
    context.fillStyle = color(point === null ? "muted" : "accent");
    drawHandle(context, place, side, height);
  }
}

/** Returns the rows that are drawn: those of the devices, and as many of their buttons as fit. */
function lanesShown(recording: Recording): DeviceLane[] {
  const { lanes } = facts(recording);
  const most = MAX_LANES - lanes.filter(({ isButton }) => !isButton).length;
  let buttons = 0;
  return lanes.filter(({ isButton }) => !isButton || buttons++ < most);
}

/** Draws the handle of an in or out point: a flag outside of the range, and a line. */
function drawHandle(context: CanvasRenderingContext2D, x: number, side: -1 | 1, height: number): void {
  context.fillRect(x - 0.5, 14, 1, height - 14);
  context.beginPath();
  context.moveTo(x, 14);
  context.lineTo(x + 8 * side, 14);
  context.lineTo(x + 8 * side, 19);
  context.lineTo(x, 25);
  context.fill();
}

/** Returns the distance between ticks: 1, 2 or 5 times a power of ten. */
export function tickStep(length: number, count: number): number {
  const raw = length / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= raw) ?? 10;
  return factor * power;
}
