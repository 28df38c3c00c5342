// The panel "Curves": a tree of streams and joints, which shows and hides them in the view, and chooses curves to plot.

import { curveStyle } from "./plot-lines.js";
import { groupsOf } from "./curves.js";
import { element, replace } from "./dom.js";
import { facts, joints } from "./facts.js";
import { type State, type Store, shown } from "./store.js";
import { text } from "./strings.js";

const FINGERS = ["Thumb", "Index", "Middle", "Ring", "Pinky"] as const;

/** A stream, a group of joints, or a joint. */
interface Branch {
  /** The name in the recording, or the name of a group: `left.Palm`, `left.Thumb`. */
  name: string;
  label: string;
  /** The joints and streams that the branch shows and hides. */
  parts: string[];
  children: Branch[];
  /** The states of a hand, and the joint or stream whose curves the branch has. */
  states?: string[];
  part?: string;
  /** The inputs of a device that have numbers. */
  inputs?: string[];
}

/** Builds the panel. It follows the state itself. */
export function curveTree(store: Store): HTMLElement {
  const host = element("div", { class: "curves" });
  const buttons = element("p", { class: "buttons" });
  const tree = element("ul", { class: "tree" });
  host.append(element("p"), buttons, tree);
  let recorded = "";
  const refresh = (state: State) => {
    replace(buttons,
      element("button", { id: "curves-clear", disabled: state.curves.length === 0, onclick: () => store.update({ curves: [] }) }, text("curvesClear")),
      element("button", { id: "show-all", disabled: state.hidden.size === 0, onclick: () => store.update({ hidden: new Set() }) }, text("showAll")));
    for (const box of tree.querySelectorAll<HTMLInputElement>("input")) {
      const parts = (box.dataset.parts ?? "").split(" ");
      const visible = parts.filter((part) => !state.hidden.has(part)).length;
      box.checked = visible === parts.length;
      box.indeterminate = visible > 0 && visible < parts.length;
    }
    for (const button of tree.querySelectorAll<HTMLElement>("button[data-curve]")) {
      const curve = button.dataset.curve ?? "";
      const isChosen = state.curves.includes(curve);
      button.setAttribute("aria-pressed", String(isChosen));
      button.style.boxShadow = isChosen ? `inset 0 -4px ${curveStyle(state.curves, curve).color}` : "";
    }
    for (const button of tree.querySelectorAll<HTMLElement>("button[data-row]")) {
      button.setAttribute("aria-pressed", String(state.rows.includes(button.dataset.row ?? "")));
    }
  };
  store.watch((state) => [state.panel === "curves" && shown(state), state.language], (state) => {
    if (state.panel !== "curves") return;
    const branches = branchesOf(state);
    const key = `${state.language} ${JSON.stringify(branches)}`;
    if (key === recorded) return;
    recorded = key;
    replace(host.firstElementChild as Element, text("curvesHelp"));
    replace(tree, ...branches.map((branch) => item(branch, store)));
    refresh(store.state);
  });
  store.watch((state) => [state.hidden, state.curves, state.rows, state.language], refresh);
  return host;
}

/** Returns the branches for the recorded streams and joints of the shown recording. */
function branchesOf(state: State): Branch[] {
  const recording = shown(state);
  if (!recording) return [];
  let columns: string[] = [];
  try {
    columns = Object.keys(facts(recording).overview.columns);
  } catch {
    // If a recording cannot be evaluated, a finding reports this.
  }
  const has = (part: string) => columns.some((column) => column.startsWith(`${part}.`));
  const leaf = (name: string, label: string): Branch => ({ name, label, parts: [name], children: [], part: name });
  const branches = (["head", "gaze"] as const).filter(has).map((name) => leaf(name, text(name)));
  for (const side of ["left", "right"] as const) {
    const recorded = joints().filter((joint) => joint !== "None" && has(`${side}.${joint}`));
    if (recorded.length === 0) continue;
    const branch = (joint: string) => leaf(`${side}.${joint}`, joint);
    const fingers = FINGERS.map((finger): Branch => {
      const chain = recorded.filter((joint) => joint.startsWith(finger)).map(branch);
      return { name: `${side}.${finger}`, label: text(`finger.${finger}`), parts: chain.flatMap(({ parts }) => parts), children: chain };
    });
    const palm = recorded.filter((joint) => !FINGERS.some((finger) => joint.startsWith(finger))).map(branch);
    branches.push({
      name: side,
      label: text(side),
      parts: recorded.map((joint) => `${side}.${joint}`),
      children: [...palm, ...fingers.filter(({ parts }) => parts.length > 0)],
      states: ["tracked", "pinching"].map((name) => `${side}.${name}`).filter((name) => columns.includes(name)),
    });
  }
  for (const { device: name, poses, axes } of facts(recording).devices) {
    const children = poses.map((pose): Branch => ({ ...leaf(`${name}.${pose}`, pose), parts: [name] }));
    branches.push({ name, label: name, parts: [name], children, inputs: axes.map((input) => `${name}.${input}`) });
  }
  return branches;
}

/** Builds the item of a branch: a box for its visibility, and a part that opens with its curves and its children. */
function item(branch: Branch, store: Store): HTMLElement {
  const show = () => {
    const hidden = new Set(store.state.hidden);
    const isVisible = branch.parts.every((part) => !hidden.has(part));
    for (const part of branch.parts) if (isVisible) hidden.add(part); else hidden.delete(part);
    store.update({ hidden });
  };
  const box = element("input", {
    type: "checkbox", class: "eye", id: `eye-${branch.name}`, title: text("showInView"),
    "aria-label": `${text("showInView")}: ${branch.name}`, "data-parts": branch.parts.join(" "), onchange: show,
  });
  const groups = branch.part ? groupsOf(branch.part) : [];
  return element("li", {}, box, element("details", { id: `branch-${branch.name}` },
    element("summary", {}, branch.label),
    ...(branch.states?.length ? [chips(text("state"), branch.name, branch.states.map((curve) => [curve, text(curve.split(".")[1] ?? "")]), store)] : []),
    ...(branch.inputs?.length
      ? [chips(text("inputs"), `${branch.name} inputs`, branch.inputs.map((curve) => [curve, curve.slice(branch.name.length + 1)]), store)]
      : []),
    ...(branch.part ? [rowButton(branch.part, store)] : []),
    ...groups.map(({ label, prefix, axes }) =>
      chips(text(label), `${branch.name} ${label}`, axes.map((axis) => [`${prefix}.${axis}`, text(axis)]), store)),
    branch.children.length > 0 && element("ul", {}, ...branch.children.map((child) => item(child, store)))));
}

/** Builds the button that adds a row for a stream or joint to the timeline, and removes it. */
function rowButton(part: string, store: Store): HTMLElement {
  const toggle = () => {
    const { rows } = store.state;
    store.update({ rows: rows.includes(part) ? rows.filter((other) => other !== part) : [...rows, part] });
  };
  return element("div", { class: "chips" },
    element("button", { id: `timeline-${part}`, class: "row-button", "aria-pressed": "false", "data-row": part, onclick: toggle }, text("timelineRow")));
}

/** Builds a row of buttons that choose curves. */
function chips(label: string, name: string, curves: [string, string][], store: Store): HTMLElement {
  const choose = (curve: string) => {
    const { curves: chosen } = store.state;
    const isChosen = chosen.includes(curve);
    store.update({ curves: isChosen ? chosen.filter((other) => other !== curve) : [...chosen, curve], plot: "curves" });
  };
  const chooseAll = () => {
    const all = curves.map(([curve]) => curve);
    const others = store.state.curves.filter((curve) => !all.includes(curve));
    const isChosen = all.every((curve) => store.state.curves.includes(curve));
    store.update({ curves: isChosen ? others : [...others, ...all], plot: "curves" });
  };
  return element("div", { class: "chips", role: "group", "aria-label": name },
    element("button", { id: `all-${curves[0]?.[0]}`, title: text("chooseAll"), onclick: chooseAll }, label),
    ...curves.map(([curve, short]) =>
      element("button", {
        id: `curve-${curve}`, title: curve, "aria-label": curve, "aria-pressed": "false", "data-curve": curve, onclick: () => choose(curve),
      }, short)));
}
