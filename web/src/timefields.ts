// Text fields for times: the position, and the in and out points.

import type { Actions } from "./actions.js";
import { element, time } from "./dom.js";
import { text } from "./strings.js";
import { type State, type Store, endOf, shown } from "./store.js";

/** Reads a time in seconds: `75.5`, `75.5 s`, `1:15.500` or `0:01:15.5`. Returns null for other text. */
export function parseTime(typed: string): number | null {
  const found = /^(?:(?:(\d+):)?(\d+):)?(\d+[.,]?\d*|[.,]\d+)\s*s?$/.exec(typed.trim());
  if (!found) return null;
  const [, hours = "0", minutes, seconds = ""] = found;
  const value = Number(seconds.replace(",", "."));
  // `1:75` is probably a typing error.
  if (minutes !== undefined && value >= 60) return null;
  return 3600 * Number(hours) + 60 * Number(minutes ?? 0) + value;
}

interface Field {
  id: string;
  label: string;
  value: (state: State) => number | null;
  /** Returns the time that applies while the field is empty. */
  otherwise: (state: State) => number;
  /** Applies a typed time. An empty field gives null. */
  apply: (value: number | null) => void;
}

/** Builds a field. Enter or leaving the field applies the time, and Escape restores the previous one. */
function field(store: Store, { id, label, value, otherwise, apply }: Field): HTMLInputElement {
  const input = element("input", { id, class: "time", autocomplete: "off", spellcheck: false, inputMode: "text" });
  const show = (state: State) => {
    const now = value(state);
    input.value = now === null ? "" : time(now);
    input.placeholder = time(otherwise(state));
    input.setCustomValidity("");
  };
  /** Returns false if the text is not a time. */
  const commit = (): boolean => {
    const typed = input.value.trim();
    const wanted = typed === "" ? null : parseTime(typed);
    if (typed !== "" && wanted === null) return false;
    // The shown time is rounded. If the text is the same, the exact time stays.
    const now = value(store.state);
    if (typed !== (now === null ? "" : time(now))) apply(wanted);
    return true;
  };
  input.addEventListener("focus", () => input.select());
  input.addEventListener("input", () => input.setCustomValidity(""));
  input.addEventListener("blur", () => {
    commit();
    // The store has not called its watchers yet.
    queueMicrotask(() => show(store.state));
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") show(store.state);
    else if (event.key !== "Enter") return;
    else if (!commit()) {
      input.setCustomValidity(text("timeFormat"));
      input.reportValidity();
      return;
    }
    event.stopPropagation();
    input.blur();
  });
  store.watch(
    (state) => [value(state), otherwise(state), state.language, shown(state)],
    (state) => {
      input.title = text(label);
      input.setAttribute("aria-label", text(label));
      input.disabled = !shown(state);
      if (document.activeElement !== input) show(state);
    },
  );
  return input;
}

/** Builds the fields of the position, and of the in and out points. */
export function timeFields(store: Store, actions: Actions): { position: HTMLElement; inPoint: HTMLElement; outPoint: HTMLElement } {
  return {
    position: field(store, {
      id: "time", label: "goToTime", value: (state) => state.time, otherwise: (state) => state.time,
      apply: (value) => value !== null && actions.seek(value),
    }),
    inPoint: field(store, {
      id: "in-point", label: "inPoint", value: (state) => state.inPoint, otherwise: () => 0,
      apply: (value) => (value === null ? store.update({ inPoint: null }) : actions.setIn(value)),
    }),
    outPoint: field(store, {
      id: "out-point", label: "outPoint", value: (state) => state.outPoint, otherwise: (state) => endOf(shown(state)),
      apply: (value) => (value === null ? store.update({ outPoint: null }) : actions.setOut(value)),
    }),
  };
}
