// The legend of the plot: the values of its lines at the position, or at the pointer.

import { columnNames } from "../package/inputanim.js";
import { element, replace, time as formatted } from "./dom.js";
import { type Lines, formatValue, valueAt } from "./plot-lines.js";
import { type State, shown } from "./store.js";

/** Draws the legend for a time. */
export function drawLegend(host: HTMLElement, state: State, lines: Lines | null, time: number): void {
  const recording = shown(state);
  host.hidden = !recording || !lines || lines.lines.length === 0;
  if (!recording || !lines || host.hidden) return replace(host);
  let frame: Float32Array | null = new Float32Array(columnNames().length);
  try {
    recording.sample(time, frame);
  } catch {
    // If a recording cannot be evaluated, a finding reports this.
    frame = null;
  }
  replace(host, element("span", { class: "legend-time" }, formatted(time)), ...lines.lines.map((line) => {
    const swatch = element("i");
    swatch.style.borderTop = `3px ${line.isDashed ? "dashed" : "solid"} ${line.color}`;
    return element("span", { class: "legend-line" }, swatch, `${line.name} `,
      element("b", {}, formatValue(line, valueAt(lines, line, time, frame))));
  }));
}
