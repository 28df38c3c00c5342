// The line at the position, over the timeline and over each chart.

import { element } from "./dom.js";

/** A line at the position. It is an element, so that nothing below it is drawn again when the position changes. */
export class TimeCursor {
  readonly line = element("div", { class: "time-cursor", "aria-hidden": "true" });

  /** Moves the line. `left` and `right` are the ends of the time axis. All of them are in pixels from the left edge of the parent. */
  move(x: number, left: number, right: number): void {
    this.line.hidden = !(x >= left - 1 && x <= right + 1);
    this.line.style.translate = `${x - 1}px`;
  }
}
