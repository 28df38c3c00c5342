// The table of measures: a row for each open recording, a column for each chosen measure.

import { type Actions, counted } from "./actions.js";
import { element, time, update } from "./dom.js";
import { csvFile } from "./csv.js";
import { linesOf } from "./errors.js";
import { definitionOf, plainName, quantityOf } from "./measure-definitions.js";
import { type Measured, formatMeasure, measuresOf } from "./measure-values.js";
import { type State, type Store, shown } from "./store.js";
import { text } from "./strings.js";
import { uncertainText } from "./files.js";
import { verdictOf } from "./triage.js";

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
    if (host.hidden) return update(host);
    host.setAttribute("aria-label", text("tableOfAll"));
    const rows = sorted(state.openFiles.map((file) => measuresOf(state, file)), order);
    const isComplete = rows.every(({ measures, error, file }) => file.isLive || ((measures || error) && verdictOf(file).health !== null));
    const sort = (by: string) => {
      if (order?.by !== by) order = { by, isDescending: false };
      else order = order.isDescending ? null : { by, isDescending: true };
      draw(store.state);
    };
    update(host,
      element("div", { class: "buttons" },
        element("h2", {}, text("tableOfAll")),
        element("button", {
          id: "save-measures", class: "primary", disabled: !isComplete || state.measures.length === 0,
          onclick: () => actions.saveFile("measures.csv", csvFile(csv(rows, store.state.measures)),
            [counted("files", rows.length), counted("measures", store.state.measures.length)].join(", ")),
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
    const { health, codes, uncertain } = verdictOf(file);
    return element("tr", { key: file.id, "aria-current": index === state.selected ? "true" : undefined },
      element("th", { scope: "row" },
        element("button", { id: `row-${index}`, onclick: () => actions.select(index) }, file.name),
        health !== null && health !== "intact" && element("span", { class: `mark ${health}`, title: codes }, ` ⚠ ${codes}`),
        uncertain > 0 && element("span", { class: "mark" }, ` ${uncertainText(uncertain)}`)),
      element("td", {}, range ? `${time(range.start)} – ${time(range.end)}` : error || file.isLive ? "–" : "…"),
      ...state.measures.map((name) => {
        const measure = measures?.get(name);
        const damage = measure?.damage ?? [];
        const value = measure ? formatMeasure({ ...measure, unit: "" }) : error || file.isLive ? "–" : "…";
        const reason = measure?.reason ? text(`reason.${measure.reason}`) : "";
        const isLost = reason !== "" && damage.length > 0;
        return element("td", { class: isLost ? "value lost" : "value", title: error ? linesOf(error).join("\n") : [reason, damage.join(" ")].filter(Boolean).join(": ") },
          `${isLost ? reason : value}${damage.length > 0 ? " ⚠" : ""}`);
      }));
  });
  return element("table", {},
    element("thead", {}, element("tr", {}, element("th", { scope: "col", "aria-sort": direction("file") }, sorter("file", text("files"))), element("th", { scope: "col" }, text("range")), ...head)),
    element("tbody", {}, ...body));
}

/**
 * Returns the rows of the saved table, with the columns of `inputanim stats --format csv`, the column `findings` of
 * `inputanim info --format csv`, and the uncertain keys that a repair on the page has left.
 */
function csv(rows: Measured[], names: readonly string[]): (string | number | null | undefined)[][] {
  const lines = rows.map(({ file, range, measures }) => [
    file.recordingName, range?.start, range?.end, ...names.map((name) => measures?.get(name)?.value),
    verdictOf(file).codes, verdictOf(file).uncertain,
  ]);
  return [["recording", "start_s", "end_s", ...names, "findings", "uncertain_keys"], ...lines];
}
