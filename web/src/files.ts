// The list of several files, and the overview with a small figure of each. Elements of files stay in the page while they change,
// so that presses and the focus are not lost while hundreds of files are opened and examined.

import type { Recording } from "../package/inputanim.js";
import type { Actions } from "./actions.js";
import { element, time, update } from "./dom.js";
import { facts } from "./facts.js";
import { type Filter, KINDS, type OpenFile, SORTS, type State, type Store, endOf, isDark, isUnsaved } from "./store.js";
import { language, localized, text } from "./strings.js";
import { NO_FILTER, counts, formatOf, listedFiles, nextProblem, problemCount, selectedFiles, verdictOf } from "./triage.js";

/** The largest number of files whose figures the list shows. More files are easier to compare as short rows. */
const MAX_FIGURES = 12;

export function fileList(store: Store, actions: Actions): { list: HTMLElement; overview: HTMLElement } {
  const list = element("nav", { class: "files" });
  const overview = element("div", { class: "overview" });
  const problems = problemList(store);
  const tools = filterBar(store, actions);
  const cards = element("div", { class: "cards" });
  overview.append(tools, problems, cards);
  const elements = new Elements(store, actions);
  const [showRow, showCard] = [scroller(list), scroller(cards)];
  store.watch(
    (state) => [state.openFiles, state.selected, state.language, state.answers, state.overview, state.filter, isDark(state)],
    (state) => {
      const hasMany = state.openFiles.length > 1;
      list.hidden = !hasMany;
      overview.hidden = !hasMany || !state.overview;
      elements.forget(state.openFiles);
      if (!hasMany) return;
      list.setAttribute("aria-label", text("files"));
      const problems = problemCount(state);
      const step = (id: string, by: 1 | -1, symbol: string) => {
        const label = text(by > 0 ? "nextDamaged" : "previousDamaged");
        return element("button", { id, title: label, "aria-label": label, disabled: nextProblem(state, by) < 0, onclick: () => actions.selectProblem(by) }, symbol);
      };
      update(
        list,
        // The head stays while the list moves, so that a click never hits a row.
        element("div", { class: "list-head", key: "head" },
          element("button", {
            id: "overview", key: "overview", "aria-pressed": String(state.overview),
            onclick: () => store.update({ overview: !store.state.overview }),
          }, text("overview")),
          problems > 0 && element("div", { class: "row steps", key: "steps" },
            step("previous-damaged", -1, "◀"), element("span", {}, `${problems} ⚠`), step("next-damaged", 1, "▶")),
          isFiltered(state.filter) && !state.overview && element("button", {
            id: "list-all", key: "all", onclick: () => actions.showAll(),
          }, text("showAllFiles"))),
        ...listedFiles(state).map((index) => elements.row(index, state)),
      );
      showRow(state);
      if (overview.hidden) return showCard(state, false);
      const wanted = selectedFiles(state);
      update(cards, ...wanted.map((index) => elements.card(index, state)),
        wanted.length === 0 && element("p", { key: "nothing" }, text("nothingSelected")));
      showCard(state);
    },
  );
  keepSelection(store, actions);
  return { list, overview };
}

/** Returns a function that scrolls the row or card of the shown file into view. A person may scroll away until another file is shown. */
function scroller(host: HTMLElement): (state: State, isVisible?: boolean) => void {
  let last: number | undefined;
  return ({ selected, openFiles }, isVisible = true) => {
    const id = isVisible ? openFiles[selected]?.id : undefined;
    if (id !== last) host.querySelector(`[aria-current]`)?.scrollIntoView({ block: "nearest" });
    last = id;
  };
}

/**
 * Keeps one rule: the timeline, the plots and the buttons of the page belong to a file that the overview shows. If the filter hides the
 * shown file, no file is shown. The file is shown again, at the same time, when the filter or the end of the overview allows it.
 */
function keepSelection(store: Store, actions: Actions): void {
  let hidden: (Pick<State, "time" | "inPoint" | "outPoint" | "view" | "ghost"> & { id: number }) | null = null;
  store.watch((state) => [state.filter, state.openFiles, state.answers, state.overview, state.selected], (state) => {
    const { openFiles, overview, selected, time, inPoint, outPoint, view, ghost } = state;
    const file = openFiles[selected];
    const isShown = (index: number) => !overview || selectedFiles(state).includes(index);
    if (file && !isShown(selected)) {
      hidden = { id: file.id, time, inPoint, outPoint, view, ghost };
      store.update({ selected: -1, playing: false, ghost: -1, time: 0, inPoint: null, outPoint: null });
    } else if (!file && openFiles.length > 0) {
      const { id, ...place } = hidden ?? {};
      const index = openFiles.findIndex((each) => each.id === id);
      if (index >= 0 && isShown(index)) store.update({ selected: index, ...place });
      // It was closed.
      else if (index < 0 && !overview) actions.select(0);
    } else hidden = null;
  });
}

/** Returns true if a filter may hide files. */
function isFiltered(filter: Filter): boolean {
  return JSON.stringify({ ...filter, sort: "opened" }) !== JSON.stringify(NO_FILTER);
}

/** The elements of files in the list and in the overview. */
class Elements {
  private readonly rows = new Map<number, { signature: string; node: HTMLElement }>();
  private readonly cards = new Map<number, { signature: string; node: HTMLElement }>();

  constructor(private readonly store: Store, private readonly actions: Actions) {}

  /** Forgets the elements of files that are closed. */
  forget(files: OpenFile[]): void {
    const open = new Set(files.map(({ id }) => id));
    for (const map of [this.rows, this.cards]) for (const id of map.keys()) if (!open.has(id)) map.delete(id);
  }

  private kept(map: Map<number, { signature: string; node: HTMLElement }>, id: number, signature: string, make: () => HTMLElement): HTMLElement {
    const known = map.get(id);
    if (known?.signature === signature) return known.node;
    const made = make();
    if (known) {
      update(known.node, ...made.childNodes);
      for (const { name, value } of made.attributes) known.node.setAttribute(name, value);
      for (const { name } of [...known.node.attributes]) if (!made.hasAttribute(name)) known.node.removeAttribute(name);
    }
    const node = known?.node ?? made;
    map.set(id, { signature, node });
    return node;
  }

  private readonly select = (id: number) => this.actions.select(this.indexOf(id));

  private indexOf(id: number): number {
    return this.store.state.openFiles.findIndex((file) => file.id === id);
  }

  row(index: number, state: State): HTMLElement {
    const file = state.openFiles[index] as OpenFile;
    const { id } = file;
    const hasFigure = state.openFiles.length <= MAX_FIGURES;
    const parts = describe(file, state, hasFigure);
    const isShown = index === state.selected;
    return this.kept(this.rows, id, `${index} ${isShown} ${hasFigure} ${parts.signature}`, () =>
      element("div", { class: "file", key: id },
        element("button", { id: `file-${index}`, title: file.name, "aria-current": isShown ? "true" : undefined, onclick: () => this.select(id) },
          ...(hasFigure ? [figure(parts)] : []), ...words(parts)),
        element("button", {
          id: `close-${index}`, title: text("close"), "aria-label": `${text("close")}: ${file.name}`,
          onclick: () => this.actions.askToClose(this.indexOf(id)),
        }, "✕")));
  }

  card(index: number, state: State): HTMLElement {
    const file = state.openFiles[index] as OpenFile;
    const { id } = file;
    const parts = describe(file, state, true);
    const isShown = index === state.selected;
    return this.kept(this.cards, id, `${index} ${isShown} ${parts.signature}`, () =>
      element("button", { id: `overview-${index}`, key: id, class: `card ${parts.health ?? ""}`, title: file.name, "aria-current": isShown ? "true" : undefined, onclick: () => this.select(id) },
        figure(parts), ...words(parts)));
  }
}

/** What the elements of a file show. */
interface Description {
  name: string;
  detail: string;
  health: string | null;
  /** The address of the small figure; empty until it is computed. */
  figure: string;
  signature: string;
}

function describe(file: OpenFile, state: State, hasFigure: boolean): Description {
  const recording = file.versions[file.current]?.recording;
  const { health, codes, count, uncertain } = verdictOf(file);
  const name = `${isUnsaved(file) ? "● " : ""}${file.name}`;
  const found = file.isLive ? "●" : health === null ? "…" : count > 0 ? `${count} ⚠` : uncertain > 0 ? "" : "✓";
  const shown = file.isLive || count === 0 ? "" : codes;
  const detail = [length(recording), found, shown, uncertainText(uncertain)].filter(Boolean).join(" · ");
  const dark = isDark(state);
  const figure = (hasFigure && recording && !file.isLive && picture(recording, dark)) || "";
  return { name, detail, health, figure, signature: [name, detail, health, dark, figure.length, recordingNumber(recording), state.language].join("\n") };
}

/** Returns the number of uncertain keys as a text; empty without any. */
export function uncertainText(count: number): string {
  return count > 0 ? text("uncertainKeys", { count: count.toLocaleString(language()) }) : "";
}

const numbers = new WeakMap<Recording, number>();
let next = 1;

/** Returns a number that differs between recordings. */
function recordingNumber(recording: Recording | null | undefined): number {
  if (!recording) return 0;
  const known = numbers.get(recording) ?? next++;
  numbers.set(recording, known);
  return known;
}

function figure({ figure }: Description): HTMLElement {
  return figure ? element("img", { alt: "", src: figure }) : element("img", { alt: "" });
}

function words({ name, detail, health }: Description): HTMLElement[] {
  return [element("span", { class: "name" }, name), element("span", { class: `detail ${health ?? ""}` }, detail)];
}

/** Returns the length of playback, and the length of the part that playback skips. */
function length(recording: Recording | null | undefined): string {
  const skipped = recording ? facts(recording).skipped : 0;
  return skipped > 0 ? `${time(endOf(recording))} (${text("beforeZero", { seconds: time(skipped) })})` : time(endOf(recording));
}

/** Returns the address of the small figure; undefined until the figure is computed. */
function picture(recording: Recording, dark: boolean): string | undefined {
  try {
    const drawn = facts(recording).answer("thumbnail");
    // The texts of the figure are lengths and times.
    const svg = drawn && (dark ? drawn.dark : drawn.light).replace(/>[^<>]+<\/text>/g, localized);
    return svg ? `data:image/svg+xml,${encodeURIComponent(svg)}` : undefined;
  } catch {
    // If a recording cannot be evaluated, a finding reports this.
    return undefined;
  }
}

/** Builds the list of files that could not be opened, or not completely. */
function problemList(store: Store): HTMLElement {
  const host = element("details", { class: "problems" });
  store.watch((state) => [state.problems, state.language], ({ problems }) => {
    host.hidden = problems.length === 0;
    update(host,
      element("summary", { id: "problems" }, text("fileMessages", { count: problems.length })),
      element("ul", {}, ...problems.map(({ name, text: reason }) => element("li", {}, element("strong", {}, name), element("span", {}, reason)))));
  });
  return host;
}

/** Builds the filter of the overview. */
function filterBar(store: Store, actions: Actions): HTMLElement {
  const set = (changes: Partial<Filter>) => store.update({ filter: { ...store.state.filter, ...changes } });
  const host = element("div", { class: "filter", role: "toolbar" });
  const search = element("input", { id: "filter-words", type: "search", oninput: () => set({ words: search.value }) });
  const chosen = (event: Event) => (event.target as HTMLSelectElement).value;
  store.watch(
    (state) => [state.openFiles, state.answers, state.filter, state.language, state.working],
    (state) => {
      const { openFiles, filter, working } = state;
      host.setAttribute("aria-label", text("filter"));
      search.placeholder = text("filterWords");
      search.setAttribute("aria-label", text("filterWords"));
      if (search.value !== filter.words) search.value = filter.words;
      const found = counts(openFiles);
      const formats = [...new Set(openFiles.map(formatOf))].sort();
      const toggle = (health: Filter["health"], label: string, count: number) =>
        element("button", { id: `filter-${health}`, key: health, "aria-pressed": String(filter.health === health), onclick: () => set({ health }) },
          `${label} `, element("span", { style: `min-width: ${String(openFiles.length).length}ch` }, String(count)));
      const option = (value: string, label: string, current: string) => element("option", { value, selected: value === current }, label);
      update(host,
        element("span", { class: "toggles", key: "toggles" },
          toggle("all", text("all"), openFiles.length),
          ...KINDS.map((health) => toggle(health, text(`health.${health}`), found[health]))),
        search,
        formats.length > 1 && element("select", { id: "filter-format", key: "format", "aria-label": text("about.format"), onchange: (event: Event) => set({ format: chosen(event) }) },
          option("", text("allFormats"), filter.format), ...formats.map((format) => option(format, `.${format}`, filter.format))),
        element("select", { id: "filter-sort", key: "sort", "aria-label": text("sortFiles"), onchange: (event: Event) => set({ sort: chosen(event) as Filter["sort"] }) },
          ...SORTS.map((sort) => option(sort, text(`sort.${sort}`), filter.sort))),
        // The buttons that come and go are last, so that the others stay where they are.
        element("button", { id: "close-all", key: "close-all", disabled: working !== null, onclick: () => actions.askToCloseAll() }, text("closeAll")),
        filter.code && element("button", { id: "filter-code", key: "code", "aria-pressed": "true", onclick: () => set({ code: "" }) }, `${filter.code} ✕`),
        isFiltered(filter) && element("button", { id: "filter-none", key: "none", onclick: () => actions.showAll() }, text("showAllFiles")));
    },
  );
  return host;
}
