// The timeline: bars of tracked and pinching hands, devices and their buttons, markers, findings, and the position.

import { element, time as formatted } from "./dom.js";
import type { Recording } from "../package/inputanim.js";
import { COLORS, MARK_COLORS, deviceColor } from "./colors.js";
import { type DeviceLane, labelOf } from "./devices.js";
import { facts } from "./facts.js";
import { indexOf } from "./key-points.js";
import { localized, text } from "./strings.js";
import { TimeCursor } from "./time-cursor.js";
import { listenToPointers } from "./pointers.js";
import { type State, type Store, endOf, played, shown } from "./store.js";
import type { Actions } from "./actions.js";
import { type Band, type BandKind, bandsOf, listed } from "./bands.js";

const ROW = 14;
/** The largest number of rows of devices and their buttons. */
const MAX_LANES = 10;
/** Width of the names of rows, and of the margin at the end, in pixels. */
export const GUTTER = 74;
export const END = 10;

/** The look of each kind of band. */
const BANDS: Record<BandKind, { color: string; alpha: number; inset: number }> = {
  note: { color: COLORS.damage, alpha: 0.5, inset: 4 },
  warning: { color: COLORS.damage, alpha: 0.5, inset: 4 },
  damage: { color: COLORS.damage, alpha: 1, inset: 2 },
  repaired: { color: MARK_COLORS.repaired, alpha: 0.6, inset: 4 },
  uncertain: { color: MARK_COLORS.uncertain, alpha: 1, inset: 2 },
};

/** The smallest width of the name of a marker in pixels. */
const MIN_NAME = 14;

/** The kinds of bands, the most important one last. A thin band may be in a long one. */
const RANKS: BandKind[] = ["note", "repaired", "warning", "damage", "uncertain"];

/** The largest distance of the pointer from a band in pixels. Many bands are thinner than a pixel. */
const BAND_REACH = 4;

/** Builds the timeline. */
export function timeline(store: Store, actions: Actions): HTMLElement {
  const canvas = element("canvas", { class: "timeline", tabIndex: 0, role: "slider" });
  const cursor = new TimeCursor();
  const host = element("div", { class: "timeline-host" }, canvas, cursor.line);
  // Asking the browser for the width in each frame would lay out the page again.
  let length = 1;
  const timeAt = (x: number): number => {
    const [from, to] = store.state.view;
    return from + ((x - GUTTER) / length) * (to - from);
  };
  const xOf = (time: number): number => {
    const [from, to] = store.state.view;
    return GUTTER + ((time - from) / (to - from)) * length;
  };
  /** Returns the band at a place: the most important one, and of equal ones the nearest one. */
  const bandAt = (x: number, y: number): Band | null => {
    const { state } = store;
    const recording = shown(state);
    const top = 22 + (3 + (recording ? lanesShown(recording).length : 0)) * ROW;
    if (!recording || y < top || y > top + ROW || x < GUTTER) return null;
    let best: Band | null = null;
    let nearest = Infinity;
    for (const band of bandsOf(state)) {
      const distance = Math.max(xOf(band.start) - x, x - xOf(band.end), 0);
      if (distance > BAND_REACH) continue;
      const rank = best ? RANKS.indexOf(band.kind) - RANKS.indexOf(best.kind) : 1;
      if (rank > 0 || (rank === 0 && distance <= nearest)) [best, nearest] = [band, distance];
    }
    return best;
  };
  const label = element("div", { class: "label", hidden: true, role: "tooltip" });
  const showBand = (event: PointerEvent) => {
    const box = host.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const band = event.buttons === 0 && event.pointerType !== "touch" ? bandAt(x, y) : null;
    label.hidden = !band;
    if (!band) return;
    const times = band.end > band.start ? `${formatted(band.start)} – ${formatted(band.end)}` : formatted(band.start);
    label.textContent = [`${band.code} ${band.title}`.trim(), times, listed(band.names)].filter(Boolean).join(" · ");
    label.style.translate = `${Math.max(0, Math.min(x + 12, box.width - label.offsetWidth - 4))}px ${y - label.offsetHeight - 8}px`;
  };
  host.append(label);
  canvas.addEventListener("pointermove", showBand);
  canvas.addEventListener("pointerdown", () => (label.hidden = true));
  canvas.addEventListener("pointerleave", () => (label.hidden = true));
  listenToPointers(canvas, store, actions, { timeAt, xOf, bandAt });
  canvas.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
      const [from, to] = store.state.view;
      if (Math.abs(sideways) > 0) actions.pan((sideways / length) * (to - from));
      else actions.zoom(Math.exp(event.deltaY / 500), timeAt(event.clientX - canvas.getBoundingClientRect().left));
    },
    { passive: false },
  );
  const showPosition = ({ time }: State) => {
    if (shown(store.state)) cursor.move(xOf(time), GUTTER, GUTTER + length);
    else cursor.line.hidden = true;
    canvas.setAttribute("aria-valuenow", String(time));
    canvas.setAttribute("aria-valuetext", formatted(time));
  };
  const draw = () => {
    length = Math.max(host.clientWidth - GUTTER - END, 1);
    paint(canvas, store.state);
    showPosition(store.state);
  };
  new ResizeObserver(draw).observe(host);
  store.watch((state) => [shown(state), state.view, state.inPoint, state.outPoint, state.theme, state.language, state.rows, state.answers], draw);
  store.watch((state) => [state.time], showPosition);
  return host;
}

function paint(canvas: HTMLCanvasElement, state: State): void {
  const recording = shown(state);
  const width = canvas.parentElement?.clientWidth ?? 0;
  const scale = devicePixelRatio;
  const lanes = recording ? lanesShown(recording) : [];
  const parts = recording ? partsShown(recording, state) : [];
  const rows = [
    ...["left", "right"].map((row) => text(row)), ...lanes.map(labelOf), ...["markers", "findings"].map((row) => text(row)),
    // Joints have the names that the file has.
    ...parts.map((part) => text(part)),
  ];
  const markerRow = 2 + lanes.length;
  const height = 22 + rows.length * ROW;
  canvas.width = width * scale;
  canvas.height = height * scale;
  canvas.style.height = `${height}px`;
  canvas.setAttribute("aria-label", text("position"));
  canvas.setAttribute("aria-valuemin", "0");
  canvas.setAttribute("aria-valuemax", String(endOf(recording)));
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
  for (const tick of ticksOf(state.view, end - GUTTER)) {
    context.fillRect(x(tick), 16, 1, 5);
    context.fillText(localized(Number(tick.toFixed(3))), x(tick), 8);
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
  const visible = markers.filter(({ name }) => !telemetry.has(name)).sort((a, b) => a.time - b.time);
  const middle = 22 + (markerRow + 0.5) * ROW;
  visible.forEach(({ time, name }, index) => {
    const place = x(time);
    context.beginPath();
    context.moveTo(place, middle - ROW / 2 + 2);
    context.lineTo(place + 4, middle);
    context.lineTo(place, middle + ROW / 2 - 2);
    context.lineTo(place - 4, middle);
    context.fill();
    // A name ends before the next marker. The list of markers shows complete names.
    const next = visible[index + 1];
    const room = (next ? x(next.time) - 7 : end) - (place + 7);
    if (room > MIN_NAME) context.fillText(shortened(context, name, room), place + 7, middle);
  });
  const drawBands = (row: number, bands: Band[]) => {
    /** The end of what is drawn of each kind. A range within a pixel that is already drawn does not change the picture. */
    const drawn: Partial<Record<BandKind, number>> = {};
    for (const band of bands) {
      if (band.end < from || band.start > to || x(band.end) < (drawn[band.kind] ?? -Infinity) + 1) continue;
      const { color: fill, alpha, inset } = BANDS[band.kind];
      context.globalAlpha = alpha;
      bar(row, band, fill, inset);
      drawn[band.kind] = x(band.end);
    }
    context.globalAlpha = 1;
  };
  drawBands(markerRow + 1, bandsOf(state));
  parts.forEach((part, index) => {
    const row = markerRow + 2 + index;
    context.fillStyle = color("muted");
    // Keys that are closer than a pixel are one line.
    let last = NaN;
    for (const time of keysBetween(recording, part, from, to)) {
      const place = Math.round(x(time));
      if (place !== last) context.fillRect(place, 22 + row * ROW + 5, 1, ROW - 10);
      last = place;
    }
    drawBands(row, bandsOf(state).filter((band) => band.parts.has(part)));
  });
  context.restore();
  const handles = [[x(start), -1, state.inPoint], [x(stop), 1, state.outPoint]] as const;
  for (const [place, side, point] of handles) {
    if (place < GUTTER - 1 || place > end + 1) continue;
    context.fillStyle = color(point === null ? "muted" : "accent");
    drawHandle(context, place, side, height);
  }
}

/** Returns a text that is at most this many pixels wide, with an ellipsis if it is a part of the text. */
function shortened(context: CanvasRenderingContext2D, text: string, room: number): string {
  if (context.measureText(text).width <= room) return text;
  const letters = [...text];
  let [fits, least] = [0, letters.length];
  while (least - fits > 1) {
    const middle = (fits + least) >> 1;
    if (context.measureText(`${letters.slice(0, middle).join("")}…`).width <= room) fits = middle;
    else least = middle;
  }
  return fits > 0 ? `${letters.slice(0, fits).join("")}…` : "";
}

/** Returns the rows that are drawn: those of the devices, and as many of their buttons as fit. */
function lanesShown(recording: Recording): DeviceLane[] {
  const { lanes } = facts(recording);
  const most = MAX_LANES - lanes.filter(({ isButton }) => !isButton).length;
  let buttons = 0;
  return lanes.filter(({ isButton }) => !isButton || buttons++ < most);
}

/** Returns the streams and joints with a row that the recording has. */
function partsShown(recording: Recording, { rows }: State): string[] {
  const names = Object.keys(facts(recording).drawable.columns);
  return rows.filter((part) => names.some((name) => name.startsWith(`${part}.`)));
}

/** Returns the times of the keys of a stream or joint in a range, in order for each curve; none until they are read. */
function* keysBetween(recording: Recording, part: string, from: number, to: number): Generator<number> {
  const curves = facts(recording).keys(part);
  // The keys of positions are at the same times, and so are those of rotations.
  const [position, rotation] = [...(curves ?? [])].filter(([name]) => /\.(position|origin|rotation)\.x$/.test(name)).map(([, times]) => times);
  for (const times of [position, rotation]) if (times) yield* times.slice(indexOf(times, from, false), indexOf(times, to, true));
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

/** Returns the times with ticks in a range that is drawn with a width in pixels. */
export function ticksOf([from, to]: readonly [number, number], width: number): number[] {
  const step = tickStep(to - from, width / 70);
  const first = Math.ceil(from / step);
  return Array.from({ length: Math.max(0, Math.floor(to / step) - first + 1) }, (_, index) => (first + index) * step);
}

/** Returns the distance between ticks: 1, 2 or 5 times a power of ten. */
export function tickStep(length: number, count: number): number {
  const raw = length / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= raw) ?? 10;
  return factor * power;
}
