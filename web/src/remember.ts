// Choices that stay when the page is opened again: language, theme, and what the page shows.

import { IS_EMBEDDED } from "./host.js";
import { PLOTS } from "./plot-lines.js";
import { LANGUAGES } from "./strings.js";
import { PANELS, type State, type Store } from "./store.js";

/** The name under which the browser stores the choices. */
const NAME = "inputanim";

/** Returns a function that accepts the values of a list. */
const oneOf = (values: readonly unknown[]) => (value: unknown) => values.includes(value);
const isSwitch = oneOf([true, false]);

/** Returns true for an object with sizes of these names. */
function hasSizes(value: unknown, names: string[]): boolean {
  if (typeof value !== "object" || value === null) return false;
  const sizes = value as Record<string, unknown>;
  return names.every((name) => sizes[name] === null || (typeof sizes[name] === "number" && sizes[name] > 0));
}

/** The choices, and the values that are accepted. Another version of the page may have stored other values. */
const CHOICES: { [name in keyof State]?: (value: unknown) => boolean } = {
  language: oneOf(LANGUAGES.map(([code]) => code)),
  theme: oneOf(["system", "light", "dark"]),
  panel: oneOf(PANELS),
  plot: oneOf(PLOTS),
  morePlots: (value) => Array.isArray(value) && value.length < 4 && value.every(oneOf(PLOTS)),
  layout: (value) => hasSizes(value, ["files", "panels", "height", "video"]),
  rows: (value) => Array.isArray(value) && value.length <= 60 && value.every((name) => typeof name === "string"),
  trails: isSwitch,
  follow: isSwitch,
  axes: isSwitch,
  overlay: isSwitch,
  videoStarts: (value) => typeof value === "object" && value !== null && Object.values(value).every(Number.isFinite),
  loop: isSwitch,
};
const NAMES = Object.keys(CHOICES) as (keyof State)[];

/** Returns the stored choices. Some browsers do not allow storage, and then there are none. */
export function remembered(): Partial<State> {
  // The page around this one decides, and its storage is its own.
  if (IS_EMBEDDED) return {};
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(NAME) ?? "{}");
    const entries = Object.entries(stored ?? {}).filter(([name, value]) => CHOICES[name as keyof State]?.(value));
    return Object.fromEntries(entries);
  } catch {
    return {};
  }
}

/** Stores the choices when they change. */
export function remember(store: Store): void {
  if (IS_EMBEDDED) return;
  let isFirst = true;
  store.watch((state) => NAMES.map((name) => state[name]), (state) => {
    // A page that only opens does not store its defaults, which another version may change.
    if (isFirst) return void (isFirst = false);
    try {
      localStorage.setItem(NAME, JSON.stringify(Object.fromEntries(NAMES.map((name) => [name, state[name]]))));
    } catch {
      // The choices are lost when the page is closed.
    }
  });
}
