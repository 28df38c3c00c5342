// The panel "Events": pinches, movements, fixations, markers and all other events of the library as a list, with their start, end and
// length. A click moves in time.

import type { AnalysisEvent } from "../package/inputanim.js";
import { type Actions, counted, stemOf } from "./actions.js";
import { csvFile } from "./csv.js";
import { element, time, update } from "./dom.js";
import { errorOf } from "./errors.js";
import { facts } from "./facts.js";
import { type State, type Store, shown } from "./store.js";
import { has, text } from "./strings.js";

/** The largest number of events that the list shows at first. A recording of an hour has thousands. */
const SHOWN = 200;

/** Returns the name of a kind of events in the language of the page. */
function nameOf(kind: string): string {
  return has(`event.${kind}`) ? text(`event.${kind}`) : kind.replaceAll("_", " ");
}

/** Builds the panel. It follows the state itself, so that the filter stays. */
export function eventPanel(store: Store, actions: Actions): HTMLElement {
  const host = element("div", { class: "events" });
  const tools = element("div", { class: "row" });
  const buttons = element("p", { class: "buttons" });
  const list = element("div");
  host.append(tools, buttons, list);
  let kind = "";
  let side = "";
  let words = "";
  let most = SHOWN;
  /** The event whose row was scrolled into view last. */
  let scrolledTo: AnalysisEvent | undefined;
  const search = element("input", { id: "event-words", type: "search", oninput: () => ((words = search.value), (most = SHOWN), draw(store.state)) });
  const isListed = ({ kind: own, side: hand, name }: AnalysisEvent) =>
    (!kind || own === kind) && (!side || hand === side) && words.toLowerCase().split(/\s+/).every((word) => (name ?? "").toLowerCase().includes(word));
  const chosen = (event: Event) => (event.target as HTMLSelectElement).value;

  const draw = (state: State) => {
    const file = state.openFiles[state.selected];
    const recording = shown(state);
    if (state.panel !== "events" || !file || !recording) return;
    if (file.isLive) return update(list, element("p", {}, text("recording")));
    search.placeholder = text("eventWords");
    search.setAttribute("aria-label", text("eventWords"));
    let events: AnalysisEvent[] | null;
    try {
      events = facts(recording).answer("events");
    } catch (error) {
      update(tools);
      update(buttons);
      return update(list, ...errorOf(error, actions, () => facts(recording).retry()));
    }
    if (!events) {
      return update(list, element("p", {}, text("examining")), element("button", { id: "cancel", onclick: () => facts(recording).cancel() }, text("cancel")));
    }
    const counts = new Map<string, number>();
    for (const event of events) counts.set(event.kind, (counts.get(event.kind) ?? 0) + 1);
    // Another recording may have no events of the chosen kind.
    if (kind && !counts.has(kind)) kind = "";
    const option = (value: string, label: string, current: string) => element("option", { value, selected: value === current }, label);
    const listed = events.filter(isListed);
    update(tools,
      element("select", { id: "event-kind", key: "kind", "aria-label": text("events"), onchange: (event: Event) => ((kind = chosen(event)), (most = SHOWN), draw(store.state)) },
        option("", `${text("all")} (${events.length})`, kind),
        ...[...counts].map(([name, count]) => option(name, `${nameOf(name)} (${count})`, kind))),
      element("select", { id: "event-side", key: "side", "aria-label": text("hand"), onchange: (event: Event) => ((side = chosen(event)), (most = SHOWN), draw(store.state)) },
        option("", text("bothHands"), side), option("left", text("left"), side), option("right", text("right"), side)),
      search);
    const now = state.time;
    const before = listed.findLast(({ start }) => start < now - 1e-4);
    const after = listed.find(({ start }) => start > now + 1e-4);
    // Of the events at the position, the one that began last. The list has its row.
    const at = listed.findLast((event) => isAt(event, now));
    const current = listed.findIndex((event) => event.start === at?.start && isAt(event, now));
    if (current >= most) most = current + SHOWN;
    const go = (event: AnalysisEvent | undefined) => event && actions.seek(event.start);
    const step = (id: string, label: string, symbol: string, event: AnalysisEvent | undefined) =>
      element("button", { id, key: id, title: label, "aria-label": label, disabled: !event, onclick: () => go(event) }, symbol);
    update(buttons,
      step("previous-event", text("previousEvent"), "◀", before),
      step("next-event", text("nextEvent"), "▶", after),
      element("button", {
        id: "save-events", key: "save", disabled: listed.length === 0,
        onclick: () => void actions.eventTable(kind ? [kind] : []).then((table) => {
          // The table has the events in the same order.
          const all = (facts(recording).known("events") ?? []).filter((event) => !kind || event.kind === kind);
          const rows = table?.rows.filter((_, index) => all[index] && isListed(all[index])) ?? [];
          if (!table) return;
          const saved = csvFile([["recording", ...table.columns], ...rows.map((row) => [file.recordingName, ...row])]);
          actions.saveFile(`${stemOf(file)}-events.csv`, saved, counted("events", rows.length));
        }),
      }, text("saveCsv")));
    if (listed.length === 0) return update(list, element("p", {}, text("noEvents")));
    update(list,
      element("table", { class: "event-table" },
        element("thead", {}, element("tr", {}, ...["events", "start", "end", "duration"].map((name) => element("th", { scope: "col" }, text(name))))),
        element("tbody", {}, ...listed.slice(0, most).map((event, index) => row(event, index, now, actions)))),
      listed.length > most && element("button", { id: "more-events", key: "more", onclick: () => ((most += SHOWN), draw(store.state)) }, text("moreEvents", { count: listed.length - most })));
    // Only when another event begins, because a person may scroll away from it.
    if (listed[current] !== scrolledTo) document.getElementById(`event-${current}`)?.scrollIntoView({ block: "nearest" });
    scrolledTo = listed[current];
  };
  store.watch((state) => [state.panel, shown(state), state.language, state.openFiles, state.answers, state.panel === "events" && state.time], draw);
  return host;
}

/** Returns true if a time is in an event. Positions are rounded. */
function isAt({ start, duration }: AnalysisEvent, now: number): boolean {
  return now >= start - 1e-4 && now <= start + duration + 1e-4;
}

function row(event: AnalysisEvent, index: number, now: number, actions: Actions): HTMLElement {
  const { kind, start, duration, side, name } = event;
  const end = start + duration;
  const label = [nameOf(kind), side && text(side), name].filter(Boolean).join(" · ");
  const range = () => {
    actions.setIn(Math.max(start, 0));
    if (duration > 0) actions.setOut(end);
  };
  return element("tr", { "aria-current": isAt(event, now) ? "true" : undefined },
    element("td", {}, element("button", { id: `event-${index}`, onclick: () => actions.seek(start) }, label)),
    element("td", {}, time(start)),
    element("td", {}, duration > 0 ? time(end) : ""),
    element("td", {}, duration > 0
      ? element("button", { id: `event-range-${index}`, title: text("eventRange"), onclick: range }, time(duration))
      : ""));
}
