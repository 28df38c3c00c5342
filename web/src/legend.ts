// The legend of the plot: the values of its lines at the position, or at the pointer. A click on a name hides its line.

import { columnNames } from "../package/inputanim.js";
import { element, replace, time as formatted } from "./dom.js";
import { type Line, type Lines, formatValue, valueAt } from "./plot-lines.js";
import { type State, shown } from "./store.js";

/** The legend of the lines of a plot. */
export class Legend {
  readonly host = element("div", { class: "legend" });
  /** The names of the lines that are hidden. */
  readonly hidden = new Set<string>();
  private readonly time = element("span", { class: "legend-time" });
  private lines: Lines | null = null;
  private plot = "";
  private values: HTMLElement[] = [];
  private readonly frame = new Float32Array(columnNames().length);

  /** `id` begins the names of its elements. `changed` is called when a line is hidden or shown. */
  constructor(private readonly id: string, private readonly changed: () => void) {}

  /** Forgets the hidden lines of another plot. */
  begin(plot: string): void {
    if (plot !== this.plot) this.hidden.clear();
    this.plot = plot;
  }

  /** Shows the names of lines. The elements stay while only values change, so that they can be clicked. */
  build(lines: Lines | null): void {
    this.lines = lines;
    this.values = lines?.lines.map(() => element("b")) ?? [];
    this.host.hidden = this.values.length === 0;
    replace(this.host, this.time, ...(lines?.lines.map((line, index) => this.entry(line, index, this.values[index] as HTMLElement)) ?? []));
  }

  /** Shows the values at a time. */
  update(state: State, time: number): void {
    const recording = shown(state);
    const { lines } = this;
    if (!recording || !lines) return;
    let frame: Float32Array | null = this.frame;
    try {
      recording.sample(time, frame);
    } catch {
      // If a recording cannot be evaluated, a finding reports this.
      frame = null;
    }
    show(this.time, formatted(time));
    lines.lines.forEach((line, index) => show(this.values[index] as HTMLElement, formatValue(line, valueAt(lines, line, time, frame))));
  }

  private entry(line: Line, index: number, value: HTMLElement): HTMLElement {
    const swatch = element("i");
    swatch.style.borderTop = `3px ${line.isDashed ? "dashed" : "solid"} ${line.color}`;
    const toggle = () => {
      if (!this.hidden.delete(line.name)) this.hidden.add(line.name);
      this.changed();
    };
    return element("button", { id: `${this.id}-${index}`, class: "legend-line", "aria-pressed": String(!this.hidden.has(line.name)), onclick: toggle },
      swatch, `${line.name} `, value);
  }
}

/** Shows text. The browser lays out the page again if an element gets the same text. */
function show(node: HTMLElement, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}
