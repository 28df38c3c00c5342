// The list of several files, and the overview with a small figure of each.

import type { Recording } from "../package/inputanim.js";
import type { Actions } from "./actions.js";
import { element, replace, time } from "./dom.js";
import { facts } from "./facts.js";
import { type OpenFile, type State, type Store, endOf, isDark, isUnsaved } from "./store.js";
import { text } from "./strings.js";

export function fileList(store: Store, actions: Actions): { list: HTMLElement; overview: HTMLElement } {
  const list = element("nav", { class: "files" });
  const overview = element("div", { class: "overview" });
  store.watch(
    (state) => [state.openFiles, state.selected, state.language, state.answers, state.overview, isDark(state)],
    (state) => {
      const hasMany = state.openFiles.length > 1;
      list.hidden = !hasMany;
      overview.hidden = !hasMany || !state.overview;
      for (const map of Object.values(pictures)) {
        for (const id of map.keys()) if (!state.openFiles.some((file) => file.id === id)) map.delete(id);
      }
      if (!hasMany) return;
      list.setAttribute("aria-label", text("files"));
      replace(
        list,
        element("button", {
          id: "overview", "aria-pressed": String(state.overview),
          onclick: () => store.update({ overview: !store.state.overview }),
        }, text("overview")),
        ...state.openFiles.map((file, index) =>
          element("div", { class: "file" },
            element("button", {
              id: `file-${index}`, title: file.name, "aria-current": index === state.selected ? "true" : undefined,
              onclick: () => actions.select(index),
            }, ...card(file, state, "list")),
            element("button", {
              id: `close-${index}`, title: text("close"), "aria-label": `${text("close")}: ${file.name}`,
              onclick: () => actions.askToClose(index),
            }, "✕"))),
      );
      if (overview.hidden) return replace(overview);
      replace(overview, ...state.openFiles.map((file, index) =>
        element("button", { id: `overview-${index}`, class: "card", title: file.name, onclick: () => actions.select(index) },
          ...card(file, state, "overview"))));
    },
  );
  return { list, overview };
}

/** The figures of files in the list and in the overview. A browser takes long to draw hundreds of them again. */
const pictures = { list: new Map<number, HTMLImageElement>(), overview: new Map<number, HTMLImageElement>() };

/** Returns a small figure, the name, the length and the number of findings of a file. */
function card(file: OpenFile, state: State, place: keyof typeof pictures): HTMLElement[] {
  const recording = file.versions[file.current]?.recording;
  const image = pictures[place].get(file.id) ?? element("img", { alt: "" });
  pictures[place].set(file.id, image);
  const address = (recording && !file.isLive && picture(recording, isDark(state))) || "";
  if (address && image.src !== address) image.src = address;
  return [
    image,
    element("span", { class: "name" }, `${isUnsaved(file) ? "● " : ""}${file.name}`),
    element("span", { class: "detail" }, `${length(recording)} · ${file.isLive ? "●" : findings(recording)}`),
  ];
}

/** Returns the length of playback, and the length of the part that playback skips. */
function length(recording: Recording | null | undefined): string {
  const skipped = recording ? facts(recording).skipped : 0;
  return skipped > 0 ? `${time(endOf(recording))} (${text("beforeZero", { seconds: time(skipped) })})` : time(endOf(recording));
}

function findings(recording: Recording | null | undefined): string {
  const found = recording && facts(recording).known("findings");
  if (!found) return "…";
  const count = found.filter((finding) => finding.severity !== "note").length;
  return count === 0 ? "✓" : `${count} ⚠`;
}

/** Returns the address of the small figure; undefined until the figure is computed. */
function picture(recording: Recording, dark: boolean): string | undefined {
  try {
    const drawn = facts(recording).answer("thumbnail");
    return drawn ? `data:image/svg+xml,${encodeURIComponent(dark ? drawn.dark : drawn.light)}` : undefined;
  } catch {
    // If a recording cannot be evaluated, a finding reports this.
    return undefined;
  }
}
