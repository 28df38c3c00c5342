// Notes over the view: the colours of marked joints, and the ghost with the choice to draw it beside the figure.

import { MARK_COLORS } from "./colors.js";
import { element, replace } from "./dom.js";
import type { Mark } from "./marks.js";
import type { Scene } from "./scene.js";
import { ORIGINAL, type State, type Store, shown, version } from "./store.js";
import { text } from "./strings.js";

/** Builds the notes. */
export function viewNotes(store: Store, scene: Scene | null): HTMLElement {
  const marks = element("div", { class: "marks" });
  const ghost = element("div", { class: "ghost-note" });
  const host = element("div", { class: "view-notes" }, ghost, marks);
  let drawn = "";
  if (scene) scene.onDraw = (found) => {
    const key = `${store.state.language} ${found.join()}`;
    if (key === drawn) return;
    drawn = key;
    replace(marks, ...found.map((mark) => {
      const swatch = element("i");
      swatch.style.background = MARK_COLORS[mark];
      return element("span", {}, swatch, text(`mark.${mark}`));
    }));
  };
  store.watch(
    (state) => [state.language, state.ghost, state.beside, state.openFiles, shown(state), state.overview],
    (state) => {
      ghost.hidden = !scene || state.overview || !version(state, state.ghost);
      replace(ghost,
        element("span", { title: ghostName(state) }, text("ghostIs", { name: ghostName(state) })),
        element("button", {
          id: "beside", "aria-pressed": String(state.beside), onclick: () => store.update({ beside: !store.state.beside }),
        }, text("beside")),
        element("button", {
          id: "ghost-off", title: text("hideGhost"), "aria-label": text("hideGhost"), onclick: () => store.update({ ghost: -1 }),
        }, "✕"));
    },
  );
  return host;
}

/** Returns the name of the recording that the ghost shows. */
export function ghostName(state: State): string {
  return state.ghost === ORIGINAL ? text("original") : (state.openFiles[state.ghost]?.name ?? "");
}

/** Returns the kinds of marks, the most severe first. */
export function kindsOf(marks: Iterable<Mark>): Mark[] {
  const found = new Set(marks);
  return (["damage", "uncertain", "repaired"] as const).filter((mark) => found.has(mark));
}
