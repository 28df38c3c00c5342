// Errors in the words of the page: an error of the library in the language of the page, and what helps against it.

import type { InputanimError } from "../package/inputanim.js";
import type { Actions } from "./actions.js";
import { element } from "./dom.js";
import { has, language, text } from "./strings.js";

/** The options of the program that help where the page cannot. */
const OPTIONS: Record<string, string> = {
  "lift-limits": "--no-limits", "make-less": "--no-limits", "allow-loss": "--allow-loss", "exclude-gaze": "--allow-loss",
  "choose-recording": "--recording", "map": "--map", "map-as": "--map", "map-columns": "--map", "name-nodes": "--map",
  "ignore-unknown": "--ignore-unknown", "skip-bad": "--skip-bad", "count-from-zero": "--from-zero", "state-side": "--side",
};

/** Returns the lines of an error: what failed, and what helps. */
export function linesOf(error: unknown): string[] {
  const isCrash = error instanceof WebAssembly.RuntimeError;
  const { message = text("unknownError"), kind, remedy, hint } = (isCrash ? new Error(text("crashed")) : error ?? {}) as Partial<InputanimError>;
  // The exact message of the library is in English.
  const translated = kind && language() !== "en" && has(`error.${kind}`) ? [text(`error.${kind}`)] : [];
  return [...translated, message, adviceOf(remedy, hint)].filter(Boolean);
}

function adviceOf(remedy: string | undefined, hint: string | undefined): string {
  if (!remedy) return "";
  const option = OPTIONS[remedy];
  if (option) return text("remedy.program", { option });
  if (has(`remedy.${remedy}`)) return text(`remedy.${remedy}`);
  // The library says how to export a recording from the program that wrote the file.
  return remedy === "export" && hint ? hint : "";
}

/** Returns the button that helps against an error of the shown recording. */
export function helpFor(error: unknown, actions: Actions): { label: string; run: () => void } | undefined {
  const { remedy } = (error ?? {}) as Partial<InputanimError>;
  if (remedy === "repair" || remedy === "repair-first") return { label: text("repair"), run: () => void actions.repair() };
  if (remedy === "resample") return { label: text("resample"), run: () => void actions.change("resample", [60]) };
  return undefined;
}

/** Returns an error of the shown recording for a panel, with the buttons that help. */
export function errorOf(error: unknown, actions: Actions, retry: () => void): HTMLElement[] {
  const help = helpFor(error, actions);
  return [
    element("p", { class: "error" }, linesOf(error).join("\n")),
    element("p", { class: "buttons" },
      help && element("button", { id: "error-help", class: "primary", onclick: help.run }, help.label),
      element("button", { id: "retry", onclick: retry }, text("examineAgain"))),
  ];
}
