// Plots over time, on the time axis of the timeline. Lines with different units have charts of their own.

import uPlot from "uplot";
import type { Actions } from "./actions.js";
import { isState } from "./curves.js";
import { element, replace, update } from "./dom.js";
import { drawKeys } from "./key-points.js";
import { Legend } from "./legend.js";
import { type Line, type Lines, PLOTS, isSampled, linesOf, series } from "./plot-lines.js";
import { plotSvg } from "./plotsvg.js";
import { type State, type Store, shown, version } from "./store.js";
import { localized, text } from "./strings.js";
import { TimeCursor } from "./time-cursor.js";
import { END, GUTTER, ticksOf } from "./timeline.js";

/** Heights of a chart in pixels, if there are one, two, three or more charts. */
const HEIGHTS = [126, 92, 74, 60];

/** The smallest height of a chart in pixels, if the user has made the plots lower. */
const MIN_HEIGHT = 40;

/** The height of the border above the plots in pixels. */
const BORDER = 6;

/** The width of the page in pixels below which charts are lower, because the panel is below the view. */
const NARROW = 900;

/** The plots that are added, the first one first. The user may select others then. */
const ADDED = ["position", "speed", "aperture", "gaze"];

/** The largest number of plots. */
const MAX_PLOTS = 4;

/** Builds the plots. `svg` returns them as a picture; null if there is no plot. */
export function plots(store: Store, actions: Actions): { host: HTMLElement; tools: HTMLElement; svg: () => string | null } {
  const host = element("section", { class: "plot" });
  const parts: Part[] = [];
  const resize = () => {
    const { height } = store.state.layout;
    const visible = parts.filter((part) => !part.host.hidden);
    for (const part of visible) part.resize(height === null ? null : Math.floor((height - BORDER) / visible.length));
  };
  const kindsOf = ({ plot, morePlots }: State) => [plot, ...morePlots];
  store.watch((state) => [state.morePlots, state.plot, state.language, shown(state)], (state) => {
    const kinds = kindsOf(state);
    host.setAttribute("aria-label", text("plot"));
    host.hidden = !shown(state) || kinds.every((kind) => kind === "off");
    for (const part of parts.splice(kinds.length)) part.remove();
    while (parts.length < kinds.length) {
      const part = new Part(store, actions, parts.length);
      parts.push(part);
      host.append(part.host);
    }
    for (const part of parts) part.show(state);
    resize();
  });
  store.watch((state) => [state.layout.height], resize);
  const tools = element("div", { class: "plot-tools" });
  store.watch((state) => [state.language, state.plot, state.morePlots], (state) => {
    // A plot of chosen curves or of differences may be empty.
    const others = ADDED.filter((kind) => !kindsOf(state).includes(kind));
    update(tools,
      choice("plot", state.plot, (plot) => store.update({ plot })),
      element("button", {
        id: "add-plot", title: text("addPlot"), "aria-label": text("addPlot"), disabled: kindsOf(state).length >= MAX_PLOTS,
        onclick: () => store.update({ morePlots: [...store.state.morePlots, others[0] ?? "position"] }),
      }, "+"));
  });
  const svg = () => {
    const { openFiles, selected } = store.state;
    const charts = parts.flatMap((part) => part.charts.map(({ plot }) => plot));
    const titles = kindsOf(store.state).filter((kind) => kind !== "off").map(titleOf);
    return plotSvg(charts, `${openFiles[selected]?.name ?? ""}: ${titles.join(", ")}`);
  };
  return { host, tools, svg };
}

function titleOf(kind: string): string {
  return text(kind === "curves" ? "chosenCurves" : kind);
}

/** Builds a list of the kinds of plots. */
function choice(id: string, kind: string, change: (kind: string) => void): HTMLElement {
  return element("select", {
    id, title: text("plot"), "aria-label": text("plot"), onchange: (event: Event) => change((event.target as HTMLSelectElement).value),
  }, ...PLOTS.map((plot) => element("option", { value: plot, selected: plot === kind }, titleOf(plot))));
}

/** One plot: its charts and its legend. */
class Part {
  readonly host: HTMLElement;
  charts: Chart[] = [];
  private readonly head = element("div", { class: "plot-head" });
  private readonly area = element("div", { class: "charts", role: "img" });
  private readonly legend: Legend;
  private lines: Lines | null = null;
  /** The time at the pointer; null without a pointer. */
  private pointed: number | null = null;
  /** The height of the plot with its legend; null for the usual one. */
  private height: number | null = null;
  private resampling = 0;
  /** The functions that end the watchers. */
  private readonly ends: (() => void)[] = [];

  /** `index` is the place of the plot: 0 for the first one. */
  constructor(private readonly store: Store, private readonly actions: Actions, private readonly index: number) {
    this.legend = new Legend(index === 0 ? "legend" : `legend-${index}`, () => this.build());
    this.host = element("div", { class: "plot-part" }, this.head, this.area, this.legend.host);
    const watch: Store["watch"] = (select, draw) => {
      const end = store.watch(select, draw);
      this.ends.push(end);
      return end;
    };
    watch(
      (state) => [
        shown(state), this.kind(state), state.theme, state.language, state.ghost, state.ghostOffset, version(state, state.ghost),
        this.kind(state) === "curves" && state.curves, series(this.own(state)),
      ],
      () => this.build(),
    );
    watch((state) => [state.view], (state) => {
      for (const { plot } of this.charts) plot.setScale("x", { min: state.view[0], max: state.view[1] });
      // The samples of the new range are drawn when the user stops zooming.
      clearTimeout(this.resampling);
      if (isSampled(this.own(state))) this.resampling = window.setTimeout(() => this.build(), 150);
    });
    // Keys appear when the worker has read them.
    watch((state) => [state.answers], () => {
      for (const { plot } of this.charts) plot.redraw(false, false);
    });
    watch((state) => [state.time, state.answers], () => {
      for (const chart of this.charts) chart.showPosition();
      this.showValues();
    });
    const observer = new ResizeObserver(() => this.fit());
    observer.observe(this.area);
    this.ends.push(() => observer.disconnect());
  }

  /** Removes the plot. */
  remove(): void {
    for (const end of this.ends) end();
    clearTimeout(this.resampling);
    for (const { plot } of this.charts) plot.destroy();
    this.host.remove();
  }

  /** Shows the list of kinds of another plot than the first one. */
  show(state: State): void {
    const { store, index } = this;
    this.host.hidden = this.kind(state) === "off";
    this.head.hidden = index === 0;
    if (index === 0) return;
    const others = () => [...store.state.morePlots];
    replace(this.head,
      choice(`plot-${index}`, this.kind(state), (kind) => store.update({ morePlots: others().with(index - 1, kind) })),
      element("button", {
        id: `remove-plot-${index}`, title: text("remove"), "aria-label": `${text("remove")}: ${titleOf(this.kind(state))}`,
        onclick: () => store.update({ morePlots: others().toSpliced(index - 1, 1) }),
      }, "✕"));
  }

  /** Sets the height of the plot with its legend; null for the usual one. */
  resize(height: number | null): void {
    if (height === this.height) return;
    this.height = height;
    this.fit();
  }

  private kind({ plot, morePlots }: State): string {
    return this.index === 0 ? plot : (morePlots[this.index - 1] ?? "off");
  }

  /** Returns the state as if the plot were the only one. */
  private own(state: State): State {
    return { ...state, plot: this.kind(state) };
  }

  private showValues(): void {
    this.legend.update(this.store.state, this.pointed ?? this.store.state.time);
  }

  /** Fits the charts into the plot. */
  private fit(): void {
    const { area } = this;
    const height = this.chartHeight(this.charts.length);
    for (const { plot } of this.charts) {
      if (plot.width !== area.clientWidth || plot.height !== height) plot.setSize({ width: area.clientWidth, height });
    }
  }

  private chartHeight(count: number): number {
    const usual = (HEIGHTS[Math.min(count, HEIGHTS.length) - 1] ?? 0) * (innerWidth < NARROW ? 0.7 : 1);
    if (this.height === null) return usual;
    const free = this.height - this.legend.host.offsetHeight - this.head.offsetHeight;
    return Math.max(Math.floor(free / Math.max(count, 1)), MIN_HEIGHT);
  }

  private build(): void {
    const { store, area, legend } = this;
    const state = this.own(store.state);
    for (const { plot } of this.charts) plot.destroy();
    this.charts = [];
    this.lines = null;
    replace(area);
    if (shown(state) && state.plot !== "off") {
      area.setAttribute("aria-label", titleOf(state.plot));
      try {
        legend.begin(`${state.plot} ${state.language}`);
        const lines = (this.lines = linesOf(state));
        const isEmpty = lines?.lines.length === 0;
        area.textContent = !lines ? text("examining") : isEmpty ? text(state.plot === "curves" ? "chooseCurves" : "nothingToPlot") : "";
        if (lines && !isEmpty) this.draw({ ...lines, lines: lines.lines.filter(({ name }) => !legend.hidden.has(name)) });
      } catch (error) {
        area.textContent = (error as Error).message;
      }
    }
    legend.build(this.lines);
    this.showValues();
    // The legend takes a part of the height.
    if (this.height !== null) this.fit();
  }

  /** Draws one chart for each unit. */
  private draw(lines: Lines): void {
    const { store, actions, area } = this;
    const units = [...new Set(lines.lines.map(({ unit }) => unit))];
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue("--muted").trim();
    const grid = { stroke: style.getPropertyValue("--line").trim(), width: 1 };
    const point = (time: number | null) => {
      this.pointed = time;
      this.showValues();
    };
    this.charts = units.map((unit) => {
      const own = lines.lines.filter((line) => line.unit === unit);
      const cursor = new TimeCursor();
      const showPosition = (drawn: uPlot) => cursor.move(drawn.valToPos(store.state.time, "x"), 0, drawn.bbox.width / devicePixelRatio);
      const plot = new uPlot(
        {
          width: area.clientWidth,
          height: this.chartHeight(units.length),
          scales: {
            x: { time: false, range: () => [...store.state.view] },
            ...(own.every(isStateLine) ? { y: { range: () => [-0.1, 1.1] } } : {}),
          },
          // A time is at the same horizontal position as in the timeline, which has the labels of the time axis.
          padding: [6, END, 6, 0],
          legend: { show: false },
          cursor: { drag: { x: false, y: false }, points: { show: false }, y: false, sync: { key: "time" } },
          axes: [
            { stroke: ink, grid, size: 0, values: [], splits: (drawn) => ticksOf(store.state.view, drawn.bbox.width / devicePixelRatio) },
            { stroke: ink, grid, size: GUTTER - 14, space: 24, label: unit, labelSize: 14, values: (_, splits) => splits.map(localized) },
          ],
          series: [{}, ...own.map((line) => seriesOf(line))],
          hooks: { draw: [(drawn) => drawKeys(drawn, own, this.own(store.state)), showPosition] },
        },
        [gaps(lines.times) as number[], ...own.map((line) => gaps(line.values))],
        area,
      );
      plot.over.append(cursor.line);
      const timeAt = (event: PointerEvent) => plot.posToVal(event.clientX - plot.over.getBoundingClientRect().left, "x");
      plot.over.addEventListener("pointerdown", (event) => {
        plot.over.setPointerCapture(event.pointerId);
        actions.seek(timeAt(event));
      });
      plot.over.addEventListener("pointermove", (event) => {
        if (event.buttons === 1) actions.seek(timeAt(event));
        point(event.buttons === 0 ? timeAt(event) : null);
      });
      plot.over.addEventListener("pointerleave", () => point(null));
      return { plot, showPosition: () => showPosition(plot) };
    });
  }
}

/** A chart of a plot. */
interface Chart {
  plot: uPlot;
  /** Moves the line at the position. */
  showPosition: () => void;
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
