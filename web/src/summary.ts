// The panel beside the overview: how many files need repair, the findings of all files, and what can be done with all of them.

import type { Finding } from "../package/inputanim.js";
import { type Actions, isPartial, isRecovered, isRepairable, isTakeable } from "./actions.js";
import { element, update } from "./dom.js";
import { canChooseFolder } from "./download.js";
import { facts } from "./facts.js";
import { type OpenFile, type State, type Store, isUnsaved } from "./store.js";
import { text } from "./strings.js";
import { findingTexts } from "./translations.js";
import { counts, verdictOf } from "./triage.js";

/** Builds the panel. */
export function summaryPanel(store: Store, actions: Actions): HTMLElement {
  const host = element("div", { class: "summary body", tabIndex: 0, role: "region" });
  store.watch(
    (state) => [state.overview && state.openFiles, state.overview && state.answers, state.language, state.working, state.overview],
    (state) => {
      host.hidden = !isSummary(state);
      if (host.hidden) return update(host);
      host.setAttribute("aria-label", text("summary"));
      const { openFiles, working } = state;
      const found = counts(openFiles);
      const codes = codesOf(state);
      const examined = found.damage + found.warning + found.intact;
      const isDamaged = (file: OpenFile) => verdictOf(file).health === "damage";
      const toRepair = openFiles.filter((file) => isDamaged(file) && (isRepairable(file) || isTakeable(file))).length;
      // What truncated files have lost stays lost, so they stay damaged.
      const recovered = openFiles.filter(isRecovered).length;
      const others = openFiles.filter((file) => isDamaged(file) && !isPartial(file) && !isRepairable(file)).length;
      const unsaved = openFiles.filter(isUnsaved).length;
      const isBusy = working !== null;
      update(host,
        element("h2", { id: "summary-title" }, text("needRepair", { count: openFiles.length, damaged: toRepair })),
        // Buttons that cannot be used now keep their places, so that a click never hits another one.
        element("p", { class: "buttons" },
          element("button", { id: "repair-all", class: "primary", disabled: toRepair === 0 || isBusy || examined < openFiles.length, onclick: () => void actions.repairAll() }, text("repairAll")),
          element("button", { id: "save-zip", class: "primary", disabled: isBusy || unsaved === 0, onclick: () => void actions.saveAll("zip") }, text("saveZip", { count: unsaved })),
          canChooseFolder && element("button", { id: "save-folder", disabled: isBusy || unsaved === 0, onclick: () => void actions.saveAll("folder") }, text("saveFolder")),
          element("button", { id: "all-measures", onclick: () => store.update({ table: true, overview: false, panel: "measures" }) }, text("tableOfAll"))),
        recovered > 0 && element("p", { key: "recovered" }, text("recoveredParts", { count: recovered })),
        others > 0 && element("p", { key: "others" }, text("otherDamage", { count: others })),
        examined < openFiles.length && element("p", { key: "examining", role: "status" }, text("examinedOf", { done: examined, count: openFiles.length })),
        codes.length > 0 && element("table", { key: "table" },
          element("thead", {}, element("tr", {}, element("th", { scope: "col" }, text("findings")), element("th", { scope: "col" }, text("files")))),
          element("tbody", {}, ...codes.map(({ finding, files }) =>
            element("tr", { key: finding.code },
              element("td", {}, element("button", {
                id: `code-${finding.code}`, class: `code ${finding.severity}`, "aria-pressed": String(state.filter.code === finding.code),
                onclick: () => store.update({ filter: { ...store.state.filter, code: store.state.filter.code === finding.code ? "" : finding.code } }),
              }, element("code", {}, finding.code), ` ${findingTexts(finding)[0]}`)),
              element("td", {}, String(files)))))));
    },
  );
  store.watch((state) => [state.filter], ({ filter }) => {
    for (const button of host.querySelectorAll("button.code")) button.setAttribute("aria-pressed", String(button.id === `code-${filter.code}`));
  });
  return host;
}

/** Returns true if the overview is shown, so that the panel is about all files. */
export function isSummary({ overview, openFiles }: State): boolean {
  return overview && openFiles.length > 1;
}

const ORDER = ["damage", "warning", "note"];

/** Returns the findings of all files with the number of files that have them, the most severe first. */
function codesOf({ openFiles }: State): { finding: Finding; files: number }[] {
  const found = new Map<string, { finding: Finding; files: number }>();
  for (const file of openFiles) {
    const { codes } = verdictOf(file);
    if (!codes) continue;
    const recording = file.versions[file.current]?.recording;
    const findings = (recording && facts(recording).known("findings")) ?? [];
    for (const code of new Set(codes.split(" "))) {
      const finding = findings.find((each) => each.code === code);
      if (!finding) continue;
      const known = found.get(code) ?? { finding, files: 0 };
      known.files++;
      found.set(code, known);
    }
  }
  return [...found.values()].sort((a, b) => ORDER.indexOf(a.finding.severity) - ORDER.indexOf(b.finding.severity) || b.files - a.files);
}
