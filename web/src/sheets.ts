// The bar of a phone. Its buttons open the parts of the page that a large screen always shows. The file layout.css
// places them.

import { element, update } from "./dom.js";
import { facts } from "./facts.js";
import { text } from "./strings.js";
import { SHEETS, type Store, shown } from "./store.js";

/** Builds the bar. */
export function sheetBar(store: Store): HTMLElement {
  const bar = element("nav", { class: "bar" });
  store.watch(
    (state) => [state.sheet, state.language, state.openFiles.length > 1, shown(state), state.answers],
    (state) => {
      document.body.dataset.sheet = state.sheet ?? "none";
      const recording = shown(state);
      const findings = (recording && facts(recording).known("findings")) ?? [];
      const count = findings.filter(({ severity }) => severity !== "note").length;
      bar.setAttribute("aria-label", text("sheets"));
      update(
        bar,
        ...SHEETS.filter((sheet) => sheet !== "files" || state.openFiles.length > 1).map((sheet) =>
          element("button", {
              id: `sheet-${sheet}`, "aria-expanded": String(sheet === state.sheet),
              onclick: () => store.update({ sheet: store.state.sheet === sheet ? null : sheet }),
            },
            text(sheet),
            sheet === "panels" && count > 0 ? element("span", { class: "count" }, String(count)) : null)),
      );
    },
  );
  return bar;
}
