// The panel "Measures": groups of measures with their definitions, a search, and the choice of columns of the table.

import type { Measure } from "../package/inputanim.js";
import type { Actions } from "./actions.js";
import { element, prose, replace, time } from "./dom.js";
import { errorOf } from "./errors.js";
import { facts } from "./facts.js";
import { type Definition, type MeasureFamily, STATISTICS, type Statistic, definitionOf, instance, quantityOf, title } from "./measure-definitions.js";
import { formatMeasure, measuresOf } from "./measure-values.js";
import { type State, type Store, shown } from "./store.js";
import { text } from "./strings.js";
import { analysisNoteText } from "./translations.js";

/** A measure of the list. */
interface Row {
  measure: Measure;
  quantity: MeasureFamily;
}

/** Builds the panel. It follows the state itself, so that the search and the open groups stay. */
export function measurePanel(store: Store, actions: Actions): HTMLElement {
  const host = element("div", { class: "measures" });
  const range = element("p");
  const search = element("input", { id: "measure-search", type: "search", oninput: () => draw(store.state) });
  const statistic = element("select", { id: "statistic", onchange: () => draw(store.state) });
  const table = element("button", { id: "measure-table", onclick: () => store.update({ table: !store.state.table, overview: false }) });
  const list = element("div", { class: "measure-list" });
  const notes = element("div", { id: "measure-notes" });
  const open = new Set(["quality"]);
  host.append(range, element("div", { class: "row" }, search, statistic), element("p", { class: "buttons" }, table), notes, list);

  store.watch((state) => [state.language], () => {
    search.placeholder = text("searchMeasures");
    search.setAttribute("aria-label", text("searchMeasures"));
    const { value } = statistic;
    statistic.setAttribute("aria-label", text("statistic"));
    replace(statistic, ...STATISTICS.map((name) => element("option", { value: name, selected: name === (value || "mean") }, text(`statistic.${name}`))));
    table.textContent = text("tableOfAll");
  });
  const draw = (state: State) => {
    const file = state.openFiles[state.selected];
    const recording = shown(state);
    if (!recording) {
      replace(notes);
      return replace(list);
    }
    if (state.panel !== "measures" || !file) return;
    table.setAttribute("aria-pressed", String(state.table));
    if (file.isLive) return replace(list, element("p", {}, text("recording")));
    const { range: measured, measures, notes: found, error } = measuresOf(state, file);
    replace(notes, ...found.map((note) => element("p", { class: "advice" }, `${text("note")}: ${analysisNoteText(note)}`)));
    range.textContent = measured ? `${time(measured.start)} – ${time(measured.end)}` : "…";
    if (error) return replace(list, ...errorOf(error, actions, () => facts(recording).retry()));
    if (!measures) return replace(list, element("p", {}, text("examining")), element("button", { id: "cancel", onclick: () => facts(recording).cancel() }, text("cancel")));
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = rowsOf(measures, statistic.value as Statistic, state.measures).filter((row) => matches(row, words));
    const groups = [...new Set(rows.map(({ quantity }) => quantity.definition.group))];
    if (groups.length === 0) return replace(list, element("p", {}, text("noMeasures")));
    replace(list, ...groups.map((group) => {
      const own = rows.filter(({ quantity }) => quantity.definition.group === group);
      const isOpen = open.has(group) || words.length > 0;
      const remember = (event: Event) => {
        if (search.value) return;
        const isNow = (event.target as HTMLDetailsElement).open;
        if (isNow === open.has(group)) return;
        if (isNow) open.add(group);
        else open.delete(group);
        draw(store.state);
      };
      return element("details", { id: `group-${group}`, open: isOpen, ontoggle: remember },
        element("summary", { id: `summary-${group}` }, text(`group.${group}`), element("span", { class: "number" }, String(own.length))),
        // A closed group has no content, so that hundreds of rows are not drawn again with each letter of the search.
        ...(isOpen ? families(own, store) : []));
    }));
  };
  store.watch((state) => [state.panel, shown(state), state.language, state.openFiles, state.inPoint, state.outPoint, state.answers, state.measures, state.table], draw);
  store.watch((state) => [state.panel], ({ panel }) => panel !== "measures" && actions.store.state.table && store.update({ table: false }));
  return host;
}

/** Returns the measures with a value, and the chosen ones, with one statistic for each quantity. */
function rowsOf(measures: Map<string, Measure>, statistic: Statistic, chosen: readonly string[]): Row[] {
  return [...measures.values()].flatMap((measure) => {
    const quantity = quantityOf(measure.name);
    if (!quantity || (measure.value === null && !chosen.includes(measure.name))) return [];
    return quantity.hasStatistics && !measure.name.endsWith(`.${statistic}`) ? [] : [{ measure, quantity }];
  });
}

/** Returns true if the names or the definition of a measure contain all words. */
function matches({ measure, quantity }: Row, words: string[]): boolean {
  const { definition } = quantity;
  const found = [measure.name, title(definition), instance(quantity), definitionOf(definition)].join(" ").toLowerCase();
  return words.every((word) => found.includes(word));
}

/** Returns the measures of a group: for each definition a title, the definition, and a table of its values. */
function families(rows: Row[], store: Store): HTMLElement[] {
  const byDefinition = new Map<Definition, Row[]>();
  for (const row of rows) {
    const { definition } = row.quantity;
    byDefinition.set(definition, [...(byDefinition.get(definition) ?? []), row]);
  }
  return [...byDefinition].map(([definition, own]) =>
    element("section", {},
      element("h2", {}, title(definition), definition.unit && element("span", { class: "unit" }, definition.unit)),
      element("p", { class: "advice" }, prose(definitionOf(definition))),
      element("table", {}, element("tbody", {}, ...own.map((row) => measureRow(row, store))))));
}

function measureRow({ measure, quantity }: Row, store: Store): HTMLElement {
  const { name, reason, damage } = measure;
  const choose = () => {
    const { measures } = store.state;
    store.update({ measures: measures.includes(name) ? measures.filter((other) => other !== name) : [...measures, name] });
  };
  const box = element("input", { type: "checkbox", id: `measure-${name}`, checked: store.state.measures.includes(name), onchange: choose });
  return element("tr", {},
    element("th", { scope: "row" }, element("label", { title: name }, box, ` ${instance(quantity) || title(quantity.definition)}`)),
    element("td", { title: reason ? text(`reason.${reason}`) : damage.join(" ") }, `${formatMeasure(measure)}${damage.length > 0 ? " ⚠" : ""}`));
}
