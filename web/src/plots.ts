// Plots over time, on the time axis of the timeline.

import uPlot from "uplot";
import type { Actions } from "./actions.js";
import { element, replace } from "./dom.js";
import { columnNames } from "../package/inputanim.js";
import { column, facts } from "./facts.js";
import { COLORS } from "./scene.js";
import { plotSvg } from "./plotsvg.js";
import { text } from "./strings.js";
import { type State, type Store, ghostOffset, shown, version } from "./store.js";
import { END, GUTTER } from "./timeline.js";

interface Line {
  name: string;
  color: string;
  values: ArrayLike<number>;
}

/** The plots to choose from; `off` shows none. */
export const PLOTS = ["off", "position", "speed", "aperture", "gaze", "difference", "rotationDifference"] as const;

/** The plots that are sampled in the visible range. */
const SAMPLED = ["position", "difference", "rotationDifference"];

/** Builds the plot. `svg` returns it as a picture; null if there is no plot. */
export function plots(store: Store, actions: Actions): { host: HTMLElement; svg: () => string | null } {
  const host = element("div", { class: "plot", role: "img" });
  let plot: uPlot | null = null;
  let shownUnit = "";

  const build = (state: State) => {
    plot?.destroy();
    plot = null;
    const recording = shown(state);
    replace(host);
    host.hidden = !recording || state.plot === "off";
    if (!recording || host.hidden) return;
    host.setAttribute("aria-label", text(state.plot));
    let data: ReturnType<typeof lines>;
    try {
      data = lines(state);
    } catch (error) {
      host.textContent = (error as Error).message;
      return;
    }
    if (!data || data.lines.length === 0) {
      host.textContent = text(data ? "nothingToPlot" : "examining");
      return;
    }
    const { unit } = data;
    shownUnit = unit;
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue("--muted").trim();
    const grid = { stroke: style.getPropertyValue("--line").trim(), width: 1 };
    // uPlot draws missing values as gaps if they are null.
    const gaps = (values: ArrayLike<number>) =>
      Array.from(values, (value) => (Number.isFinite(value) ? value : null));
    plot = new uPlot(
      {
        width: host.clientWidth,
        height: 150,
        scales: { x: { time: false, range: () => [...store.state.view] } },
        // A time is at the same horizontal position as in the timeline.
        padding: [10, END, 0, 0],
        legend: { show: true, live: true },
        cursor: { drag: { x: false, y: false } },
        axes: [
          { stroke: ink, grid, size: 24 },
          { stroke: ink, grid, size: GUTTER - 14, label: unit, labelSize: 14 },
        ],
        series: [
          { label: "s", value: (_, value) => value?.toFixed(3) ?? "–" },
          ...data.lines.map((line) => ({
            label: line.name,
            stroke: line.color,
            width: 1.5,
            value: (_: uPlot, value: number | null) => value?.toPrecision(4) ?? "–",
          })),
        ],
        hooks: { draw: [(drawn) => drawPosition(drawn, store.state)] },
      },
      [gaps(data.times) as number[], ...data.lines.map((line) => gaps(line.values))],
      host,
    );
    const { over } = plot;
    const seek = (event: PointerEvent) => {
      const left = event.clientX - over.getBoundingClientRect().left;
      if (plot && event.buttons === 1) actions.seek(plot.posToVal(left, "x"));
    };
    over.addEventListener("pointerdown", (event) => {
      over.setPointerCapture(event.pointerId);
      seek(event);
    });
    over.addEventListener("pointermove", seek);
  };
  store.watch(
    (state) => [
      shown(state), state.plot, state.theme, state.language, state.ghost, state.ghostOffset, version(state, state.ghost),
      series(state),
    ],
    build,
  );
  let resampling = 0;
  store.watch((state) => [state.view], (state) => {
    plot?.setScale("x", { min: state.view[0], max: state.view[1] });
    // The samples of the new range are drawn when the user stops zooming.
    clearTimeout(resampling);
    if (SAMPLED.includes(state.plot)) resampling = window.setTimeout(() => build(store.state), 150);
  });
  store.watch((state) => [state.time, state.inPoint, state.outPoint], () => plot?.redraw(false, false));
  new ResizeObserver(() => plot?.setSize({ width: host.clientWidth, height: 150 })).observe(host);
  const svg = () => {
    const { openFiles, selected, plot: kind } = store.state;
    return plot && plotSvg(plot, `${openFiles[selected]?.name ?? ""}: ${text(kind)}`, shownUnit);
  };
  return { host, svg };
}

/** Returns the results of the analysis if the plot needs them and they are computed. */
function series(state: State): unknown {
  const recording = shown(state);
  return recording && ["speed", "aperture", "gaze"].includes(state.plot) ? facts(recording).known("series") : null;
}

function drawPosition(plot: uPlot, state: State): void {
  const x = Math.round(plot.valToPos(state.time, "x", true));
  const { left, top, width, height } = plot.bbox;
  if (x < left || x > left + width) return;
  plot.ctx.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--accent").trim();
  plot.ctx.fillRect(x, top, 2, height);
}

/** Returns the lines of the plot; null until they are computed. */
function lines(state: State): { times: ArrayLike<number>; unit: string; lines: Line[] } | null {
  const recording = shown(state);
  if (!recording) return { times: [], unit: "", lines: [] };
  const found: Line[] = [];
  const add = (name: string, color: string, values: ArrayLike<number> | undefined) => {
    if (values) found.push({ name, color, values });
  };
  if (SAMPLED.includes(state.plot)) {
    const { times, columns } = facts(recording).visible(...state.view);
    const streams = [["left.Palm", COLORS.left], ["right.Palm", COLORS.right], ["head", COLORS.head]] as const;
    if (state.plot === "position") {
      for (const [name, color] of streams) add(`${name} y`, color, columns[`${name}.position.y`]);
      return { times, unit: "m", lines: found };
    }
    const other = version(state, state.ghost);
    if (!other) return { times, unit: "", lines: [] };
    const isRotation = state.plot === "rotationDifference";
    const frame = new Float32Array(columnNames().length);
    const distances = streams.map(() => new Float64Array(times.length));
    const offset = ghostOffset(state);
    for (let index = 0; index < times.length; index++) {
      other.sample((times[index] ?? 0) + offset, frame);
      streams.forEach(([name], stream) => {
        const difference = (part: string, axes: string[]) => axes.map((axis) =>
          [columns[`${name}.${part}.${axis}`]?.[index] ?? NaN, frame[column(`${name}.${part}.${axis}`)] ?? NaN] as const);
        (distances[stream] as Float64Array)[index] = isRotation
          ? angle(difference("rotation", ["x", "y", "z", "w"]))
          : 1000 * Math.hypot(...difference("position", ["x", "y", "z"]).map(([a, b]) => a - b));
      });
    }
    streams.forEach(([name, color], stream) => {
      if (distances[stream]?.some(Number.isFinite)) add(name, color, distances[stream]);
    });
    return { times, unit: isRotation ? "°" : "mm", lines: found };
  }
  // A recording in progress grows faster than it could be analysed.
  const series = state.openFiles[state.selected]?.isLive ? null : facts(recording).answer("series");
  if (!series) return null;
  const { times, columns } = series;
  if (state.plot === "speed") {
    add(`${text("left")} m/s`, COLORS.left, columns["left.Palm.speed"]);
    add(`${text("right")} m/s`, COLORS.right, columns["right.Palm.speed"]);
    add(`${text("head")} m/s`, COLORS.head, columns["head.speed"]);
    return { times, unit: "m/s", lines: found };
  }
  if (state.plot === "aperture") {
    add(text("left"), COLORS.left, columns["left.aperture"]);
    add(text("right"), COLORS.right, columns["right.aperture"]);
    return { times, unit: "m", lines: found };
  }
  add(text("gaze"), COLORS.gaze, columns["gaze.velocity"]);
  return { times, unit: "°/s", lines: found };
}

/** Returns the angle in degrees between two rotations, whose components are pairs. */
function angle(components: (readonly [number, number])[]): number {
  const length = (side: 0 | 1) => Math.hypot(...components.map((pair) => pair[side]));
  const dot = components.reduce((sum, [a, b]) => sum + a * b, 0) / (length(0) * length(1));
  return (2 * Math.acos(Math.min(Math.abs(dot), 1)) * 180) / Math.PI;
}
