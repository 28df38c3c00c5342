// The table of measures: a row for each open recording, a column for each chosen measure.

import type { Actions } from "./actions.js";
import { element, replace, time } from "./dom.js";
import { download } from "./download.js";
import { definitionOf, plainName, quantityOf } from "./measure-definitions.js";
import { type Measured, formatMeasure, measuresOf } from "./measure-values.js";
import { type State, type Store, shown } from "./store.js";
import { text } from "./strings.js";

/** The measures that are chosen at first. */
export const FIRST_MEASURES = [
  "duration", "damaged", "left.tracked_share", "right.tracked_share", "head.path_length", "left.Palm.path_length",
  "right.Palm.path_length", "left.pinch.count", "right.pinch.count",
];

/** The order of the rows: the name of a measure, or "file". The files have their own order without it. */
type Order = { by: string; isDescending: boolean } | null;

/** Builds the table, which covers the view. */
export function measureTable(store: Store, actions: Actions): HTMLElement {
  const host = element("section", { class: "measure-table" });
  let order: Order = null;
  const draw = (state: State) => {
    host.hidden = !state.table || state.overview || !shown(state);
    if (host.hidden) return replace(host);
    host.setAttribute("aria-label", text("tableOfAll"));
    const rows = sorted(state.openFiles.map((file) => measuresOf(state, file)), order);
    const isComplete = rows.every(({ measures, error, file }) => measures || error || file.isLive);
    const sort = (by: string) => {
      if (order?.by !== by) order = { by, isDescending: false };
      else order = order.isDescending ? null : { by, isDescending: true };
      draw(store.state);
    };
    replace(host,
      element("div", { class: "buttons" },
        element("h2", {}, text("tableOfAll")),
        element("button", {
          id: "save-measures", class: "primary", disabled: !isComplete || state.measures.length === 0,
          onclick: () => download("measures.csv", new Blob([csv(rows, store.state.measures)], { type: "text/csv" })),
        }, text("saveCsv")),
        element("button", { id: "table-close", title: text("close"), "aria-label": text("close"), onclick: () => store.update({ table: false }) }, "✕")),
      element("p", {}, state.measures.length === 0 ? text("chooseMeasures") : text("tableHelp")),
      element("div", { class: "table-scroll", tabIndex: 0, role: "group", "aria-label": text("tableOfAll") }, drawn(rows, order, sort, store, actions)));
  };
  store.watch(
    (state) => [state.table, state.overview, state.language, state.openFiles, state.selected, state.measures, state.inPoint, state.outPoint, state.table && state.answers],
    draw,
  );
  return host;
}

/** Returns the rows in an order. Rows without a value are last. */
function sorted(rows: Measured[], order: Order): Measured[] {
  if (!order) return rows;
  const { by } = order;
  const sign = order.isDescending ? -1 : 1;
  if (by === "file") return rows.sort((a, b) => sign * a.file.name.localeCompare(b.file.name, undefined, { numeric: true }));
  const valueOf = ({ measures }: Measured) => measures?.get(by)?.value ?? null;
  return rows.sort((a, b) => {
    const [x, y] = [valueOf(a), valueOf(b)];
    return x === null || y === null ? Number(x === null) - Number(y === null) : sign * (x - y);
  });
}

function drawn(rows: Measured[], order: Order, sort: (by: string) => void, store: Store, actions: Actions): HTMLElement {
  const { state } = store;
  const direction = (by: string) => (order?.by !== by ? undefined : order.isDescending ? "descending" : "ascending");
  const sorter = (by: string, label: string) =>
    element("button", { id: `sort-${by}`, class: "sort", title: text("sort"), onclick: () => sort(by) },
      label, order?.by === by && element("span", { "aria-hidden": "true" }, order.isDescending ? " ▼" : " ▲"));
  const unitOf = (name: string) => rows.map(({ measures }) => measures?.get(name)?.unit).find(Boolean) ?? "";
  const head = state.measures.map((name) => {
    const quantity = quantityOf(name);
    const statistic = quantity?.hasStatistics ? text(`statistic.${name.slice(name.lastIndexOf(".") + 1)}`) : "";
    return element("th", { scope: "col", class: "value", "aria-sort": direction(name), title: quantity ? definitionOf(quantity.definition) : "" },
      sorter(name, quantity ? plainName(quantity) : name),
      element("div", { class: "foot" },
        element("span", { class: "unit" }, [statistic, unitOf(name)].filter(Boolean).join(", ")),
        element("button", {
          id: `drop-${name}`, title: text("remove"), "aria-label": `${text("remove")}: ${name}`,
          onclick: () => store.update({ measures: store.state.measures.filter((other) => other !== name) }),
        }, "✕")));
  });
  const body = rows.map(({ file, range, measures, error }) => {
    const index = state.openFiles.indexOf(file);
    return element("tr", { "aria-current": index === state.selected ? "true" : undefined },
      element("th", { scope: "row" }, element("button", { id: `row-${index}`, onclick: () => actions.select(index) }, file.name)),
      element("td", {}, `${time(range[0])} – ${time(range[1])}`),
      ...state.measures.map((name) => {
        const measure = measures?.get(name);
        const damage = measure?.damage ?? [];
        const value = measure ? formatMeasure({ ...measure, unit: "" }) : error || file.isLive ? "–" : "…";
        return element("td", { class: "value", title: error || measure?.reason || damage.join(" ") }, `${value}${damage.length > 0 ? " ⚠" : ""}`);
      }));
  });
  return element("table", {},
    element("thead", {}, element("tr", {}, element("th", { scope: "col", "aria-sort": direction("file") }, sorter("file", text("files"))), element("th", { scope: "col" }, text("range")), ...head)),
    element("tbody", {}, ...body));
}

/** Returns the table as comma-separated values, with the columns of `inputanim stats --format csv`. */
function csv(rows: Measured[], names: readonly string[]): string {
  const cell = (value: string) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
  const lines = rows.map(({ file, range, measures }) => [
    file.name.replace(/\.bin$/i, ""), ...range.map(String),
    ...names.map((name) => String(measures?.get(name)?.value ?? "")),
  ]);
  return [["recording", "start_s", "end_s", ...names], ...lines].map((line) => `${line.map(cell).join(",")}\n`).join("");
}
