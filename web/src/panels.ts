// The panels beside the view: findings, info, markers, edits, comparison, measures.

import { type Deviation, type Finding, type Recording, namesOfCurves } from "../package/inputanim.js";
import type { Actions } from "./actions.js";
import { curveTree } from "./curve-tree.js";
import { element, prose, replace, time, update } from "./dom.js";
import { errorOf } from "./errors.js";
import { facts } from "./facts.js";
import { eventPanel } from "./event-panel.js";
import { CAN_CONVERT } from "./formats.js";
import { measurePanel } from "./measure-panel.js";
import { problemWalk } from "./problem-walk.js";
import { withKey } from "./shortcuts.js";
import { isSummary, summaryPanel } from "./summary.js";
import { localized, text } from "./strings.js";
import { findingDetail, findingTexts } from "./translations.js";
import { ORIGINAL, PANELS, type State, type Store, endOf, ghostOffset, played, shown, version } from "./store.js";

export function panels(store: Store, actions: Actions): HTMLElement {
  // They stay in the page, so that their open branches stay open.
  const tree = curveTree(store);
  const measures = measurePanel(store, actions);
  const events = eventPanel(store, actions);
  const walk = problemWalk(store, actions);
  const tabs = element("div", { class: "tabs", role: "tablist" });
  const body = element("div", { class: "body", role: "tabpanel", id: "panel", tabIndex: 0 });
  store.watch((state) => [state.panel, state.language, shown(state), state.answers], (state) => {
    const recording = shown(state);
    const known = (recording && facts(recording).known("findings")) ?? [];
    const worth = known.filter((finding) => finding.severity !== "note").length;
    tabs.setAttribute("aria-label", text("panels"));
    body.setAttribute("aria-labelledby", `tab-${state.panel}`);
    update(
      tabs,
      ...PANELS.map((panel) =>
        element(
          "button",
          {
            id: `tab-${panel}`,
            role: "tab",
            "aria-selected": String(panel === state.panel),
            "aria-controls": "panel",
            // Only a name with a key needs a tooltip, because the name is visible.
            title: panel === "markers" ? withKey(panel) : undefined,
            tabIndex: panel === state.panel ? 0 : -1,
            onclick: () => store.update({ panel }),
            onkeydown: (event: KeyboardEvent) => {
              const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
              if (!by) return;
              event.stopPropagation();
              const next = PANELS[(PANELS.indexOf(panel) + by + PANELS.length) % PANELS.length] ?? panel;
              store.update({ panel: next });
              queueMicrotask(() => document.getElementById(`tab-${next}`)?.focus());
            },
          },
          text(panel),
          panel === "findings" && worth > 0 ? element("span", { class: "count" }, String(worth)) : null,
        ),
      ),
    );
  });
  const summary = summaryPanel(store, actions);
  store.watch((state) => [isSummary(state)], (state) => (tabs.hidden = body.hidden = isSummary(state)));
  let isWaiting = false;
  let isPressed = false;
  // A recording in progress grows while the user types or presses a button. The panel is drawn again when the user has
  // finished. A click comes after the pointer is released.
  const resume = () => setTimeout(() => isWaiting && draw(store.state));
  body.addEventListener("focusout", resume);
  body.addEventListener("pointerdown", () => (isPressed = true));
  for (const kind of ["pointerup", "pointercancel"]) {
    addEventListener(kind, () => {
      isPressed = false;
      resume();
    });
  }
  let drawn = "";
  const draw = (state: State) => {
    const recording = shown(state);
    const isTyping = body.contains(document.activeElement) && document.activeElement?.matches("input");
    isWaiting = state.openFiles[state.selected]?.isLive === true && (isTyping === true || isPressed);
    if (isWaiting) return;
    if (!recording) return replace(body, element("p", {}, text(CAN_CONVERT ? "dropHint" : "dropBin")));
    const contents = { findings: () => findings(state, actions, walk), info, curves: () => [tree], markers, edit, diff, measures: () => [measures], events: () => [events] }[state.panel];
    // While the same content changes, its buttons stay, so that a press is not lost.
    const content = `${state.panel} ${state.selected}`;
    const isSame = content === drawn && ["findings", "info", "edit", "diff"].includes(state.panel);
    drawn = content;
    try {
      (isSame ? update : replace)(body, ...contents(state, actions));
    } catch (error) {
      replace(body, ...errorOf(error, actions, () => facts(recording).retry()));
    }
  };
  store.watch(
    (state) => [
      state.panel, shown(state), state.language, state.ghost, state.ghostOffset, state.openFiles, state.inPoint, state.outPoint, state.working,
      // The other panels show no answers, and drawing them again would disturb typing in their text fields.
      ["findings", "diff"].includes(state.panel) && state.answers,
    ],
    draw,
  );
  return element("aside", { class: "panels", "aria-label": "inputanim" }, summary, tabs, body);
}

function button(id: string, label: string, onclick: () => void, properties = {}): HTMLElement {
  return element("button", { id, onclick, ...properties }, label);
}

/** Returns the content of the panel until there is an answer. */
function pending(recording: Recording): Node[] {
  return [element("p", {}, text("examining")), button("cancel", text("cancel"), () => facts(recording).cancel())];
}

/** `walk` leads through the times with damage. */
function findings(state: State, actions: Actions, walk: HTMLElement): Node[] {
  const recording = shown(state);
  if (!recording) return [];
  if (state.openFiles[state.selected]?.isLive) return [element("p", {}, text("recording"))];
  const found = facts(recording).answer("findings");
  if (!found) return pending(recording);
  const file = state.openFiles[state.selected];
  const report = file?.versions[file.current]?.report;
  const repaired = report ? [element("p", { class: "good report" }, report())] : [];
  const { fileDamage } = facts(recording);
  if (found.length === 0 && !fileDamage) {
    // A repaired recording may have uncertain keys, so only its report is shown.
    return [...repaired, walk, ...(report ? [] : [element("p", { class: "good" }, `✓ ${text("healthy")}`)])];
  }
  // The finding of a truncated file, with the exact error, has its own card.
  const broken = fileDamage && [
    element("article", { class: "finding damage", key: "file" },
      element("h2", {}, text("notWellFormed")),
      fileDamage.code === null && element("p", {}, fileDamage.message),
      fileDamage.lost.length > 0 && element("p", { class: "advice" },
        text("lostCurves", { count: fileDamage.lost.length, names: namesOfCurves(fileDamage.lost).join(", ") }))),
  ];
  const has = (remedy: string) => found.some((finding) => finding.remedy === remedy);
  const card = (finding: Finding) => {
    const [title, meaning, advice] = findingTexts(finding);
    return element(
      "article",
      { id: `finding-${finding.code}`, class: `finding ${finding.severity}`, key: finding.code },
      element("h2", {}, element("code", {}, finding.code), ` ${title}`),
      element("p", {}, element("strong", {}, text(finding.severity)), " · ", element("span", { title: finding.detail }, findingDetail(finding))),
      element("p", {}, prose(meaning)),
      element("p", { class: "advice" }, prose(advice)),
      goTo(finding, recording, actions),
    );
  };
  return [
    ...repaired,
    element(
      "p",
      { class: "buttons" },
      has("repair") ? button("repair", text("repair"), () => void actions.repair(), { className: "primary", disabled: state.working !== null }) : null,
      has("shift") ? button("shift", text("shift"), () => void actions.change("shift"), { disabled: state.working !== null }) : null,
      has("trim") ? button("trim-frozen", text("trimFrozen"), () => void actions.change("trimFrozen"), { disabled: state.working !== null }) : null,
    ),
    walk,
    element("div", {}, ...(broken ?? []), ...found.map(card)),
  ];
}

/** Returns a button that moves to the first time of a finding; null if playback reaches no time of the finding. */
function goTo({ code, range }: Finding, recording: Recording, actions: Actions): HTMLElement | null {
  if (!range || range.end < 0 || range.start > endOf(recording)) return null;
  const start = Math.max(range.start, 0);
  return button(`go-${code}`, `${text("goTo")} ${time(start)}`, () => actions.seek(start));
}

function table(head: string[], rows: (string | Node)[][]): HTMLElement {
  return element(
    "table",
    {},
    element("thead", {}, element("tr", {}, ...head.map((cell) => element("th", { scope: "col" }, cell)))),
    element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map((cell) => element("td", {}, cell))))),
  );
}

/** The names of texts about a recording that have a fixed meaning, in the order in which people read them. */
const FIXED = ["task", "device", "system", "program", "format"];

/** Returns the names and texts about a recording: those with a fixed meaning first. */
function textsAbout(about: Record<string, string>): [string, string][] {
  const place = (name: string) => (FIXED.includes(name) ? FIXED.indexOf(name) : FIXED.length);
  const all = Object.entries(about).sort(([a], [b]) => place(a) - place(b));
  return all.map(([name, value]) => [FIXED.includes(name) ? text(`about.${name}`) : name, value]);
}

function info(state: State): Node[] {
  const recording = shown(state);
  if (!recording) return [];
  const { info: found, skipped } = facts(recording);
  const rows = found.streams.map((stream) => [
    stream.stream,
    stream.keys.toLocaleString(state.language),
    stream.rate === null ? "–" : `${localized(stream.rate.toFixed(1))} Hz`,
    stream.longestGap ? time(stream.longestGap.end - stream.longestGap.start) : "–",
  ]);
  return [
    element(
      "dl",
      {},
      ...[
        ["layout", found.layout],
        ["duration", time(found.duration)],
        ...(skipped > 0 ? [["beforeStart", text("notPlayed", { seconds: time(skipped) })]] : []),
        ["size", `${(found.bytes / 1e3).toLocaleString(state.language, { maximumFractionDigits: 0 })} kB`],
        ["keys", found.keys.toLocaleString(state.language)],
      ].flatMap(([name = "", value = ""]) => [element("dt", {}, text(name)), element("dd", {}, value)]),
      ...textsAbout(found.about ?? {}).flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]),
    ),
    table([text("stream"), text("keys"), text("rateColumn"), text("gap")], rows),
    ...devices(recording, state.language),
  ];
}

/** Returns a table of the devices: their profiles, poses and inputs, and the number of haptic pulses. */
function devices(recording: Recording, language: string): Node[] {
  const rows = facts(recording).devices.map(({ device, profiles, poses, buttons, axes, haptics }) => [
    device, profiles.join(", ") || "–", [...poses, ...axes, ...buttons].join(", "), haptics.toLocaleString(language),
  ]);
  return rows.length > 0 ? [table([text("deviceColumn"), text("profile"), text("inputs"), text("pulses")], rows)] : [];
}

function markers(state: State, actions: Actions): Node[] {
  const recording = shown(state);
  if (!recording) return [];
  const name = element("input", { id: "marker-name", placeholder: text("markerName"), "aria-label": text("markerName") });
  const isLive = state.openFiles[state.selected]?.isLive === true;
  const finish = () => {
    name.value = "";
    // The list is drawn again when nobody types.
    name.blur();
  };
  const add = () => {
    const { time: now } = actions.store.state;
    const label = name.value || text("marker");
    // The program that makes the recording adds the marker, and sends it to the page.
    if (isLive) void actions.addLiveMarker(now, label).then((isAdded) => isAdded && finish());
    else actions.edit("addMarker", (found) => found.addMarker(now, label));
  };
  const { markers, telemetry } = facts(recording);
  // One row for all markers of a name that would hide the others.
  const many = [...telemetry].map(([label, count], index) =>
    element(
      "li",
      {},
      element("span", {}, `${label} × ${count.toLocaleString(state.language)}`),
      button(
        `markers-remove-${index}`,
        "✕",
        () => actions.edit("removeMarker", (found) => found.select({ excludeMarkers: [label] }).recording),
        { title: text("remove"), "aria-label": text("remove"), disabled: isLive },
      ),
    ),
  );
  const single = [...markers.entries()].filter(([, marker]) => !telemetry.has(marker.name));
  const rows = single.map(([index, marker]) =>
    element(
      "li",
      {},
      button(`marker-go-${index}`, time(marker.time), () => actions.seek(marker.time), {
        // Playback does not reach the other markers.
        disabled: marker.time < 0 || marker.time > endOf(recording),
      }),
      element("input", {
        id: `marker-${index}`,
        value: marker.name,
        readOnly: isLive,
        "aria-label": text("markerName"),
        onchange: (event: Event) => {
          const { value } = event.target as HTMLInputElement;
          actions.edit("renameMarker", (found) => found.renameMarker(index, value));
        },
      }),
      button(`marker-move-${index}`, "⇥", () => {
        const { time: now } = actions.store.state;
        actions.edit("moveMarker", (found) => found.moveMarker(index, now));
      }, { title: text("moveHere"), "aria-label": text("moveHere"), disabled: isLive }),
      button(`marker-remove-${index}`, "✕", () => actions.edit("removeMarker", (found) => found.removeMarker(index)), {
        title: text("remove"),
        "aria-label": text("remove"),
        disabled: isLive,
      }),
    ),
  );
  return [
    element("form", { class: "row", onsubmit: (event: Event) => (event.preventDefault(), add()) }, name,
      element("button", { id: "marker-add" }, text("addMarker"))),
    markers.length > 0 ? element("ul", { class: "markers" }, ...many, ...rows) : element("p", {}, text("noMarkers")),
  ];
}

function edit(state: State, actions: Actions): Node[] {
  const recording = shown(state);
  const file = state.openFiles[state.selected];
  if (!recording || !file) return [];
  const [start, end] = played(state);
  const isWhole = start <= 0 && end >= endOf(recording);
  const action = (id: string, description: string, run: () => void, properties = {}) =>
    element("div", { class: "action" }, button(id, text(id), run, { disabled: state.working !== null, ...properties }), element("p", {}, description));
  return [
    action("trim", `${text("trimHelp")} ${time(start)} – ${time(end)}`, () => void actions.trim(), { title: withKey("trim"), ...(isWhole ? { disabled: true } : {}) }),
    action("repair", text("repairHelp"), () => void actions.repair()),
    action("mirror", text("mirrorHelp"), () => void actions.change("mirror")),
    action("smooth", text("smoothHelp"), () => void actions.change("smooth")),
    action("resample", text("resampleHelp"), () => void actions.change("resample", [60])),
    action("reduce", text("reduceHelp"), () => void actions.change("reduce")),
    element("h2", {}, text("history")),
    element("ol", { class: "history" }, ...file.versions.map((version, index) =>
      element("li", { "aria-current": index === file.current ? "step" : undefined }, text(version.label)))),
  ];
}

function diff(state: State, actions: Actions): Node[] {
  const recording = shown(state);
  if (!recording) return [];
  const choices = state.openFiles.map((file, index) => ({ name: file.name, index })).filter(({ index }) => index !== state.selected);
  const isEdited = (state.openFiles[state.selected]?.current ?? 0) > 0;
  const select = element(
    "select",
    {
      id: "ghost",
      "aria-label": text("diffWith"),
      onchange: (event: Event) => actions.store.update({ ghost: Number((event.target as HTMLSelectElement).value) }),
    },
    element("option", { value: "-1", selected: state.ghost < 0 }, text("diffWith")),
    isEdited ? element("option", { value: String(ORIGINAL), selected: state.ghost === ORIGINAL }, text("original")) : null,
    ...choices.map(({ name, index }) => element("option", { value: String(index), selected: index === state.ghost }, name)),
  );
  const other = version(state, state.ghost);
  if (choices.length === 0 && !isEdited) return [element("p", {}, text("diffHelp"))];
  if (!other) return [select];
  const offset = ghostOffset(state);
  const shift = element("label", { class: "row" }, `${text("ghostOffset")} `, element("input", {
    id: "ghost-offset", type: "number", step: "any", value: String(offset), disabled: state.ghost === ORIGINAL,
    onchange: (event: Event) => actions.store.update({ ghostOffset: Number((event.target as HTMLInputElement).value) || 0 }),
  }), " s");
  const difference = facts(recording).difference(other, offset);
  if (!difference) return [select, shift, ...pending(recording)];
  const largest = (id: string, found: Deviation["statistics"], size: (largest: number) => string): string | Node => {
    if (!found) return "–";
    // Two equal recordings have no largest difference.
    if (found.largest === 0) return size(0);
    return element("span", {}, `${size(found.largest)} `, button(id, time(found.at), () => actions.seek(found.at), { title: found.joint ?? "" }));
  };
  const rows = difference.streams.map(({ stream, position, rotation }) => [
    stream,
    largest(`diff-position-${stream}`, position.statistics, (metres) => `${localized((1000 * metres).toFixed(2))} mm`),
    largest(`diff-rotation-${stream}`, rotation.statistics, (degrees) => `${localized(degrees.toFixed(2))}°`),
  ]);
  const states = difference.states.filter(({ count }) => count > 0).map(({ stream, seconds, longest: [first] }) => [
    stream,
    `${localized(seconds.toFixed(3))} s`,
    first ? button(`diff-state-${stream}`, time(first.start), () => actions.seek(first.start)) : "–",
  ]);
  return [
    select,
    shift,
    element("p", {}, text(difference.verdict)),
    ...(rows.length > 0 ? [table([text("stream"), `${text("position")}, ${text("largest")}`, `${text("rotation")}, ${text("largest")}`], rows)] : []),
    ...(states.length > 0 ? [table([text("state"), text("differentFor"), text("longestAt")], states)] : []),
    element("p", { class: "buttons" },
      button("plot-difference", `${text("plot")}: ${text("difference")}`, () => actions.store.update({ plot: "difference" })),
      button("plot-rotationDifference", `${text("plot")}: ${text("rotationDifference")}`, () => actions.store.update({ plot: "rotationDifference" }))),
  ];
}
