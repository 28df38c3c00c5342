// The lines of each plot: chosen curves, positions, results of the analysis, and differences to the ghost.

import { columnNames } from "../package/inputanim.js";
import { COLORS, CURVE_COLORS } from "./colors.js";
import { isInFrame, isState, unitOf, valueIn, valuesOf } from "./curves.js";
import { column, facts } from "./facts.js";
import { type State, ghostOffset, shown, version } from "./store.js";
import { localized, text } from "./strings.js";

export interface Line {
  name: string;
  color: string;
  unit: string;
  values: ArrayLike<number>;
  /** The curve of the recording that the line shows. */
  curve?: string;
  isDashed?: boolean;
}

export interface Lines {
  times: ArrayLike<number>;
  lines: Line[];
}

/** The plots to choose from; `off` shows none. */
export const PLOTS = ["off", "curves", "position", "speed", "aperture", "gaze", "difference", "rotationDifference"] as const;

/** The plots of the results of an analysis. The others are sampled in the visible range. */
const ANALYSED = ["speed", "aperture", "gaze"];

/** Returns true if the plot has new samples when the visible range changes. */
export function isSampled(state: State): boolean {
  return !ANALYSED.includes(state.plot);
}

/** Returns the results of the analysis if the plot needs them and they are computed. */
export function series(state: State): unknown {
  const recording = shown(state);
  return recording && ANALYSED.includes(state.plot) ? facts(recording).known("series") : null;
}

/** The streams of the plots of positions and of differences. */
const STREAMS = [["left.Palm", COLORS.left], ["right.Palm", COLORS.right], ["head", COLORS.head]] as const;

/** Returns the lines of the plot; null until they are computed. */
export function linesOf(state: State): Lines | null {
  const recording = shown(state);
  if (!recording) return { times: [], lines: [] };
  if (!isSampled(state)) return analysed(state);
  if (state.plot.toLowerCase().includes("difference")) return differences(state);
  const { times, columns } = facts(recording).visible(...state.view);
  const chosen = state.plot === "curves"
    ? state.curves.map((curve) => ({ curve, name: curve, ...curveStyle(state.curves, curve) }))
    : STREAMS.map(([name, color]) => ({ curve: `${name}.position.y`, name: `${name} y`, color }));
  const lines = chosen.flatMap((line): Line[] => {
    const values = valuesOf(columns, line.curve);
    return values ? [{ ...line, unit: unitOf(line.curve), values }] : [];
  });
  return { times, lines };
}

/** Returns the colour of a chosen curve. */
export function curveStyle(curves: readonly string[], curve: string): { color: string; isDashed: boolean } {
  const streamOf = (name: string) => name.slice(0, name.indexOf("."));
  const colors = CURVE_COLORS[streamOf(curve)] ?? [];
  const index = curves.filter((other) => streamOf(other) === streamOf(curve)).indexOf(curve);
  return { color: colors[index % colors.length] ?? "", isDashed: Math.floor(index / colors.length) % 2 === 1 };
}

/** Returns the value of a line at a time. Curves are evaluated exactly. */
export function valueAt({ times }: Lines, line: Line, time: number, frame: Float32Array | null): number {
  if (line.curve && frame && isInFrame(line.curve)) return valueIn(frame, line.curve);
  let nearest = 0;
  for (let low = 0, high = times.length - 1; low <= high;) {
    const middle = (low + high) >> 1;
    if (Math.abs((times[middle] ?? 0) - time) < Math.abs((times[nearest] ?? 0) - time)) nearest = middle;
    if ((times[middle] ?? 0) < time) low = middle + 1;
    else high = middle - 1;
  }
  return line.values[nearest] ?? NaN;
}

/** Formats a value of a line with its unit. States are 1 and 0. */
export function formatValue({ curve, unit }: Line, value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (curve && isState(curve)) return String(value);
  const digits = { "°": 2, "mm": 2, "°/s": 1 }[unit] ?? 4;
  return `${localized(value.toFixed(digits))} ${unit}`.trim();
}

function differences(state: State): Lines {
  const recording = shown(state);
  const other = version(state, state.ghost);
  if (!recording || !other) return { times: [], lines: [] };
  const { times, columns } = facts(recording).visible(...state.view);
  const isRotation = state.plot === "rotationDifference";
  const frame = new Float32Array(columnNames().length);
  const distances = STREAMS.map(() => new Float64Array(times.length));
  const offset = ghostOffset(state);
  for (let index = 0; index < times.length; index++) {
    other.sample((times[index] ?? 0) + offset, frame);
    STREAMS.forEach(([name], stream) => {
      const difference = (part: string, axes: string[]) => axes.map((axis) =>
        [columns[`${name}.${part}.${axis}`]?.[index] ?? NaN, frame[column(`${name}.${part}.${axis}`)] ?? NaN] as const);
      (distances[stream] as Float64Array)[index] = isRotation
        ? angle(difference("rotation", ["x", "y", "z", "w"]))
        : 1000 * Math.hypot(...difference("position", ["x", "y", "z"]).map(([a, b]) => a - b));
    });
  }
  const lines = STREAMS.flatMap(([name, color], stream): Line[] => {
    const values = distances[stream];
    return values?.some(Number.isFinite) ? [{ name, color, unit: isRotation ? "°" : "mm", values }] : [];
  });
  return { times, lines };
}

/** Returns the lines of a plot of the analysis; null until the analysis is computed. */
function analysed(state: State): Lines | null {
  const recording = shown(state);
  // A recording in progress grows faster than it could be analysed.
  const found = recording && !state.openFiles[state.selected]?.isLive ? facts(recording).answer("series") : null;
  if (!found) return null;
  const { times, columns } = found;
  const line = (name: string, column: string, color: string, unit: string): Line[] => {
    const values = columns[column];
    return values ? [{ name: text(name), color, unit, values }] : [];
  };
  if (state.plot === "gaze") return { times, lines: line("gaze", "gaze.velocity", COLORS.gaze, "°/s") };
  if (state.plot === "aperture") {
    return { times, lines: [...line("left", "left.aperture", COLORS.left, "m"), ...line("right", "right.aperture", COLORS.right, "m")] };
  }
  const lines = [
    ...line("left", "left.Palm.speed", COLORS.left, "m/s"),
    ...line("right", "right.Palm.speed", COLORS.right, "m/s"),
    ...line("head", "head.speed", COLORS.head, "m/s"),
  ];
  return { times, lines };
}

/** Returns the angle in degrees between two rotations, whose components are pairs. */
function angle(components: (readonly [number, number])[]): number {
  const length = (side: 0 | 1) => Math.hypot(...components.map((pair) => pair[side]));
  const dot = components.reduce((sum, [a, b]) => sum + a * b, 0) / (length(0) * length(1));
  return (2 * Math.acos(Math.min(Math.abs(dot), 1)) * 180) / Math.PI;
}
