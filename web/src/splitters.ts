// The borders between parts of the page, which the user can move: beside the list of files, beside the panels, and above the plots.

import Split from "split.js";
import { element } from "./dom.js";
import { type Layout, type Store, shown } from "./store.js";
import { text } from "./strings.js";

/** The width of a border in pixels, and the distance by which an arrow key moves it. */
const WIDTH = 7;
const STEP = 24;

/** A border between two parts, one of which has a size. */
interface Border {
  name: keyof Layout;
  /** The parts in their order on the page. */
  parts: [HTMLElement, HTMLElement];
  /** The index of the part whose size the user changes, and the smallest sizes of both parts in pixels. */
  sized: 0 | 1;
  least: [number, number];
  direction: "horizontal" | "vertical";
}

/** Adds the borders to the page. Double click or Enter restores the usual size. */
export function splitters(
  store: Store, list: HTMLElement, pair: HTMLElement, view: HTMLElement, video: HTMLElement, panels: HTMLElement, upper: HTMLElement, plot: HTMLElement,
): void {
  const borders: Border[] = [
    { name: "files", parts: [list, pair], sized: 0, least: [120, 260], direction: "horizontal" },
    { name: "panels", parts: [pair, panels], sized: 1, least: [260, 240], direction: "horizontal" },
    { name: "video", parts: [view, video], sized: 1, least: [160, 160], direction: "horizontal" },
    { name: "height", parts: [upper, plot], sized: 1, least: [260, 60], direction: "vertical" },
  ];
  for (const border of borders) add(border, store);
  store.watch((state) => [state.layout], ({ layout }) => {
    for (const [name, size] of Object.entries(layout)) {
      if (size === null) document.body.style.removeProperty(`--${name}`);
      else document.body.style.setProperty(`--${name}`, `${size}px`);
    }
  });
}

function add({ name, parts, sized, least, direction }: Border, store: Store): void {
  const isAcross = direction === "horizontal";
  const gutter = element("div", {
    id: `split-${name}`, class: `gutter ${direction}`, role: "separator", tabIndex: 0,
    "aria-orientation": isAcross ? "vertical" : "horizontal", "aria-valuemin": "0", "aria-valuemax": "100",
  });
  const sizeOf = (part: HTMLElement) => (isAcross ? part.offsetWidth : part.offsetHeight);
  const set = (size: number | null) => {
    const total = sizeOf(parts[0]) + sizeOf(parts[1]);
    const limited = size && Math.round(Math.min(Math.max(size, least[sized]), total - least[sized === 0 ? 1 : 0]));
    store.update({ layout: { ...store.state.layout, [name]: limited } });
  };
  // The state has the size, and the style sheet applies it.
  Split(parts, {
    direction, gutterSize: WIDTH, snapOffset: 0, minSize: least,
    gutter: () => gutter, elementStyle: () => ({}), gutterStyle: () => ({}),
    onDrag: (sizes) => set(((sizeOf(parts[0]) + sizeOf(parts[1])) * (sizes[sized] ?? 0)) / 100),
  });
  // Otherwise it would be outside of all landmarks of the page.
  if (!isAcross) parts[1].prepend(gutter);
  gutter.addEventListener("dblclick", () => set(null));
  gutter.addEventListener("keydown", (event) => {
    const [less, more] = isAcross ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
    const by = event.key === more ? STEP : event.key === less ? -STEP : 0;
    if (event.key !== "Enter" && by === 0) return;
    event.preventDefault();
    event.stopPropagation();
    set(event.key === "Enter" ? null : sizeOf(parts[sized]) + (sized === 0 ? by : -by));
  });
  const describe = () => {
    const total = sizeOf(parts[0]) + sizeOf(parts[1]);
    gutter.setAttribute("aria-valuenow", String(Math.round((100 * sizeOf(parts[0])) / Math.max(total, 1))));
  };
  new ResizeObserver(describe).observe(parts[sized]);
  store.watch((state) => [state.language, shown(state), state.openFiles.length > 1, state.plot, state.morePlots, state.layout, state.openFiles, state.selected, state.videos, state.overview], () => {
    gutter.title = text("splitter");
    gutter.setAttribute("aria-label", text(`splitter.${name}`));
    gutter.hidden = parts.some((part) => part.hidden);
    describe();
  });
}
