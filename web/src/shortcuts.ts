// The keyboard: every function of the transport, the timeline and the history. The help and the tooltips show this list.

import type { Actions } from "./actions.js";
import { text } from "./strings.js";
import { type Store, endOf, shown } from "./store.js";

/** The parts of the page that shortcuts need. */
export interface Parts {
  store: Store;
  actions: Actions;
  /** Opens the dialog for files. */
  choose: () => void;
  /** Opens the help. */
  help: () => void;
  /** Saves a picture of the view. */
  picture: () => void;
}

interface Shortcut {
  /** Key of the text that names the function. */
  label: string;
  /** Names of the keys, as `keyOf` returns them. */
  keys: string[];
  run: (parts: Parts) => void;
  /** True if the function needs no recording. */
  isAlways?: boolean;
}

const step = (seconds: number) => ({ store, actions }: Parts) => actions.seek(store.state.time + seconds);

export const SHORTCUTS: Shortcut[] = [
  { label: "play", keys: ["Space"], run: ({ actions }) => actions.togglePlay() },
  { label: "previousFrame", keys: ["←"], run: step(-1 / 60) },
  { label: "nextFrame", keys: ["→"], run: step(1 / 60) },
  { label: "secondBack", keys: ["Shift+←"], run: step(-1) },
  { label: "secondForward", keys: ["Shift+→"], run: step(1) },
  { label: "previousKey", keys: [","], run: ({ actions }) => actions.stepKey(-1) },
  { label: "nextKey", keys: ["."], run: ({ actions }) => actions.stepKey(1) },
  { label: "previousProblem", keys: ["b"], run: ({ actions }) => actions.stepProblem(-1) },
  { label: "nextProblem", keys: ["n"], run: ({ actions }) => actions.stepProblem(1) },
  { label: "toStart", keys: ["Home"], run: ({ store, actions }) => actions.seek(store.state.inPoint ?? 0) },
  { label: "toEnd", keys: ["End"], run: ({ store, actions }) => actions.seek(store.state.outPoint ?? endOf(shown(store.state))) },
  { label: "setIn", keys: ["i"], run: ({ store, actions }) => actions.setIn(store.state.time) },
  { label: "setOut", keys: ["o"], run: ({ store, actions }) => actions.setOut(store.state.time) },
  { label: "clearRange", keys: ["x"], run: ({ store }) => store.update({ inPoint: null, outPoint: null }) },
  { label: "trim", keys: ["t"], run: ({ actions }) => void actions.trim() },
  { label: "markers", keys: ["m"], run: ({ store }) => store.update({ panel: "markers", sheet: "panels" }) },
  { label: "zoomIn", keys: ["+", "="], run: ({ store, actions }) => actions.zoom(0.5, store.state.time) },
  { label: "zoomOut", keys: ["-"], run: ({ store, actions }) => actions.zoom(2, store.state.time) },
  { label: "undo", keys: ["Ctrl+Z"], run: ({ actions }) => void actions.undo() },
  { label: "redo", keys: ["Ctrl+Y", "Ctrl+Shift+Z"], run: ({ actions }) => void actions.redo() },
  { label: "saveBin", keys: ["Ctrl+S"], run: ({ actions }) => void actions.save("bin") },
  { label: "picture", keys: ["p"], run: ({ picture }) => picture() },
  { label: "open", keys: ["Ctrl+O"], run: ({ choose }) => choose(), isAlways: true },
  { label: "help", keys: ["?"], run: ({ help }) => help(), isAlways: true },
  { label: "closeMessage", keys: ["Esc"], run: ({ store }) => store.update({ message: null, sheet: null }), isAlways: true },
];

const NAMES: Record<string, string> = { " ": "Space", ArrowLeft: "←", ArrowRight: "→", Escape: "Esc" };

/** Returns the name of a pressed key with its modifiers: `Space`, `Shift+←`, `Ctrl+Z`, `?`. */
function keyOf(event: KeyboardEvent): string {
  // On a Cyrillic or Korean keyboard, the letter of the key is not Latin, so its position decides.
  const letter = /^Key([A-Z])$/.exec(event.code)?.[1];
  const isLatin = /^[\x20-\x7e]$/.test(event.key);
  const key = NAMES[event.key] ?? (letter && !isLatin ? letter.toLowerCase() : event.key);
  if (event.ctrlKey || event.metaKey) return `Ctrl+${event.shiftKey ? "Shift+" : ""}${key.toUpperCase()}`;
  // Shift is part of characters such as `?`.
  return key.length > 1 || key === "←" || key === "→" ? `${event.shiftKey ? "Shift+" : ""}${key}` : key.toLowerCase();
}

/** Returns the name of a key for this computer. */
export function shownKey(key: string): string {
  return /Mac|iP/.test(navigator.platform) ? key.replace("Ctrl+", "⌘") : key;
}

/** Returns the name of a function with its key, for a tooltip: `Play (Space)`. */
export function withKey(label: string, shortcut = label): string {
  const key = SHORTCUTS.find((found) => found.label === shortcut)?.keys[0];
  return key ? `${text(label)} (${shownKey(key)})` : text(label);
}

/** Listens to the keyboard. */
export function listen(parts: Parts): void {
  document.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    const isText = target.matches("input:not([type=checkbox]), textarea");
    const key = keyOf(event);
    // The browser would save or open a file instead, and lose the page.
    const isGlobal = key === "Ctrl+S" || key === "Ctrl+O";
    if (isGlobal) event.preventDefault();
    // A dialog has its own keys.
    if ((isText && !isGlobal) || event.altKey || document.querySelector("dialog[open]")) return;
    // The browser uses the space bar to press buttons.
    if (key === "Space" && target.matches("button, input, summary")) return;
    const found = SHORTCUTS.find(({ keys }) => keys.includes(key));
    if (!found || (!found.isAlways && !shown(parts.store.state))) return;
    event.preventDefault();
    found.run(parts);
  });
}
