// Plots over time, on the time axis of the timeline. Lines with different units have charts of their own.

import uPlot from "uplot";
import type { Actions } from "./actions.js";
import { isState } from "./curves.js";
import { element, replace } from "./dom.js";
import { drawKeys } from "./key-points.js";
import { Legend } from "./legend.js";
import { type Line, type Lines, isSampled, linesOf, series } from "./plot-lines.js";
import { plotSvg } from "./plotsvg.js";
import { type State, type Store, shown, version } from "./store.js";
import { text } from "./strings.js";
import { END, GUTTER } from "./timeline.js";

/** Heights of a chart in pixels without its time axis, if there are one, two, three or more charts. */
const HEIGHTS = [126, 92, 74, 60];

/** The width of the page in pixels below which charts are lower, because the panel is below the view. */
const NARROW = 900;

/** Height of the time axis, which only the last chart has. */
const TIME_AXIS = 24;

/** Builds the plot. `svg` returns it as a picture; null if there is no plot. */
export function plots(store: Store, actions: Actions): { host: HTMLElement; svg: () => string | null } {
  const charts = element("div", { class: "charts", role: "img" });
  const legend = new Legend(() => build(store.state));
  const host = element("div", { class: "plot" }, charts, legend.host);
  let drawn: uPlot[] = [];
  let lines: Lines | null = null;
  let pointed: number | null = null;

  const showLegend = () => legend.update(store.state, pointed ?? store.state.time);
  const build = (state: State) => {
    for (const chart of drawn) chart.destroy();
    drawn = [];
    lines = null;
    replace(charts);
    const recording = shown(state);
    host.hidden = !recording || state.plot === "off";
    if (recording && !host.hidden) {
      charts.setAttribute("aria-label", text(state.plot));
      try {
        legend.begin(`${state.plot} ${state.language}`);
        lines = linesOf(state);
        const isEmpty = lines?.lines.length === 0;
        charts.textContent = !lines ? text("examining") : isEmpty ? text(state.plot === "curves" ? "chooseCurves" : "nothingToPlot") : "";
        const visible = lines && { ...lines, lines: lines.lines.filter(({ name }) => !legend.hidden.has(name)) };
        if (visible && !isEmpty) drawn = chartsOf(visible, charts, store, actions, (time) => ((pointed = time), showLegend()));
      } catch (error) {
        charts.textContent = (error as Error).message;
      }
    }
    legend.build(lines);
    showLegend();
  };
  store.watch(
    (state) => [
      shown(state), state.plot, state.theme, state.language, state.ghost, state.ghostOffset, version(state, state.ghost),
      state.plot === "curves" && state.curves, series(state),
    ],
    build,
  );
  let resampling = 0;
  store.watch((state) => [state.view], (state) => {
    for (const chart of drawn) chart.setScale("x", { min: state.view[0], max: state.view[1] });
    // The samples of the new range are drawn when the user stops zooming.
    clearTimeout(resampling);
    if (isSampled(state)) resampling = window.setTimeout(() => build(store.state), 150);
  });
  // Keys appear when the worker has read them.
  store.watch((state) => [state.time, state.inPoint, state.outPoint, state.answers], () => {
    for (const chart of drawn) chart.redraw(false, false);
    showLegend();
  });
  new ResizeObserver(() => {
    for (const chart of drawn) chart.setSize({ width: charts.clientWidth, height: chart.height });
  }).observe(charts);
  const svg = () => {
    const { openFiles, selected, plot: kind } = store.state;
    return plotSvg(drawn, `${openFiles[selected]?.name ?? ""}: ${text(kind === "curves" ? "chosenCurves" : kind)}`);
  };
  return { host, svg };
}

/** Builds one chart for each unit. `point` is called with the time at the pointer, or null without a pointer. */
function chartsOf(lines: Lines, host: HTMLElement, store: Store, actions: Actions, point: (time: number | null) => void): uPlot[] {
  const units = [...new Set(lines.lines.map(({ unit }) => unit))];
  const style = getComputedStyle(document.documentElement);
  const ink = style.getPropertyValue("--muted").trim();
  const grid = { stroke: style.getPropertyValue("--line").trim(), width: 1 };
  const height = (HEIGHTS[Math.min(units.length, HEIGHTS.length) - 1] ?? 0) * (innerWidth < NARROW ? 0.7 : 1);
  return units.map((unit, index) => {
    const own = lines.lines.filter((line) => line.unit === unit);
    const isLast = index === units.length - 1;
    const chart = new uPlot(
      {
        width: host.clientWidth,
        height: height + (isLast ? TIME_AXIS : 0),
        scales: {
          x: { time: false, range: () => [...store.state.view] },
          ...(own.every(isStateLine) ? { y: { range: () => [-0.1, 1.1] } } : {}),
        },
        // A time is at the same horizontal position as in the timeline.
        padding: [10, END, isLast ? 0 : 4, 0],
        legend: { show: false },
        cursor: { drag: { x: false, y: false }, points: { show: false }, y: false, sync: { key: "time" } },
        axes: [
          isLast ? { stroke: ink, grid, size: TIME_AXIS } : { stroke: ink, grid, size: 0, values: [] },
          { stroke: ink, grid, size: GUTTER - 14, space: 24, label: unit, labelSize: 14 },
        ],
        series: [{}, ...own.map((line) => seriesOf(line))],
        hooks: { draw: [(drawn) => drawKeys(drawn, own, store.state), (drawn) => drawPosition(drawn, store.state)] },
      },
      [gaps(lines.times) as number[], ...own.map((line) => gaps(line.values))],
      host,
    );
    const seek = (event: PointerEvent) => actions.seek(chart.posToVal(event.clientX - chart.over.getBoundingClientRect().left, "x"));
    chart.over.addEventListener("pointerdown", (event) => {
      chart.over.setPointerCapture(event.pointerId);
      seek(event);
    });
    chart.over.addEventListener("pointermove", (event) => {
      if (event.buttons === 1) seek(event);
      point(event.buttons === 0 ? chart.posToVal(event.clientX - chart.over.getBoundingClientRect().left, "x") : null);
    });
    chart.over.addEventListener("pointerleave", () => point(null));
    return chart;
  });
}

function isStateLine({ curve }: Line): boolean {
  return curve !== undefined && isState(curve);
}

function seriesOf(line: Line): uPlot.Series {
  const { color, isDashed } = line;
  const { stepped } = uPlot.paths;
  return {
    label: line.name,
    stroke: color,
    width: 1.5,
    // Rounding to pixels would make steps of slow movements.
    pxAlign: 0,
    points: { show: false },
    ...(isDashed ? { dash: [6, 4] } : {}),
    // A state keeps its value until its next key.
    ...(isStateLine(line) && stepped ? { paths: stepped({ align: 1 }) } : {}),
  };
}

/** Returns values that uPlot draws as gaps if they are missing: null. */
function gaps(values: ArrayLike<number>): (number | null)[] {
  return Array.from(values, (value) => (Number.isFinite(value) ? value : null));
}

function drawPosition(plot: uPlot, state: State): void {
  const x = Math.round(plot.valToPos(state.time, "x", true));
  const { left, top, width, height } = plot.bbox;
  if (x < left || x > left + width) return;
  plot.ctx.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--accent").trim();
  plot.ctx.fillRect(x, top, 2, height);
}
