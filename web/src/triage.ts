// Which of many files need attention: the files that a filter selects, in their order, and the files with problems.

import { codesInOverview } from "../package/inputanim.js";
import { facts } from "./facts.js";
import { extensionIn } from "./formats.js";
import { repairOf } from "./marks.js";
import { type Filter, type Health, type Kind, type OpenFile, type Sort, type State, endOf } from "./store.js";

export const NO_FILTER: Filter = { health: "all", format: "", code: "", words: "", sort: "opened" };

/** What is known about a file. */
export interface Verdict {
  /** null until the file is examined. */
  health: Health | null;
  /** The codes of its findings, without those that nearly every recording has. */
  codes: string;
  /** Number of findings that are not notes. */
  count: number;
  /** Number of keys that a repair has changed, and whose result is uncertain. */
  uncertain: number;
}

const UNKNOWN: Verdict = { health: null, codes: "", count: 0, uncertain: 0 };
const verdicts = new WeakMap<object, Verdict>();

/** Returns what is known about the shown version of a file. */
export function verdictOf(file: OpenFile): Verdict {
  const recording = file.versions[file.current]?.recording;
  const findings = recording && !file.isLive && facts(recording).known("findings");
  if (!recording || !findings) return UNKNOWN;
  let verdict = verdicts.get(findings);
  if (!verdict) {
    const repair = repairOf(file);
    // Other edits, such as Trim, may have removed some of these times.
    const from = repair?.offset ?? 0;
    const left = (repair?.groups ?? []).flatMap(({ uncertain }) => uncertain).filter(({ start, end }) => end >= from && start <= from + lengthOf(file));
    const worth = findings.filter(({ severity }) => severity !== "note");
    // An error of the file may have no code.
    const { fileDamage } = facts(recording);
    const isDamaged = fileDamage !== null || worth.some(({ severity }) => severity === "damage");
    verdict = {
      health: isDamaged ? "damage" : worth.length > 0 ? "warning" : "intact",
      codes: codesInOverview(findings.map(({ code }) => code)),
      count: worth.length + (fileDamage && fileDamage.code === null ? 1 : 0),
      uncertain: left.reduce((sum, { keys }) => sum + keys, 0),
    };
    verdicts.set(findings, verdict);
  }
  return verdict;
}

/** Returns the number of files of each kind. A file may have uncertain keys and another kind. */
export function counts(files: OpenFile[]): Record<Kind, number> {
  const found = { damage: 0, warning: 0, intact: 0, uncertain: 0 };
  for (const file of files) {
    const { health, uncertain } = verdictOf(file);
    if (health) found[health]++;
    if (uncertain > 0) found.uncertain++;
  }
  return found;
}

/** Returns the extension of a file, which stands for its format. */
export function formatOf({ path }: OpenFile): string {
  return extensionIn(path);
}

const collator = new Intl.Collator(undefined, { numeric: true });
const RANK: Record<Health, number> = { damage: 2, warning: 1, intact: 0 };

const ORDERS: Record<Exclude<Sort, "opened">, (a: OpenFile, b: OpenFile) => number> = {
  name: (a, b) => collator.compare(a.name, b.name),
  duration: (a, b) => lengthOf(b) - lengthOf(a),
  findings: (a, b) => weight(b) - weight(a),
  uncertain: (a, b) => verdictOf(b).uncertain - verdictOf(a).uncertain,
};

function lengthOf(file: OpenFile): number {
  return endOf(file.versions[file.current]?.recording);
}

function weight(file: OpenFile): number {
  const { health, count } = verdictOf(file);
  return health === null ? -1 : 1000 * RANK[health] + Math.min(count, 999);
}

/** Returns the indices of the files that the filter selects, in its order. */
export function selectedFiles({ openFiles, filter }: State): number[] {
  const words = filter.words.toLowerCase().split(/\s+/).filter(Boolean);
  const isSelected = (file: OpenFile) => {
    const { health, codes, uncertain } = verdictOf(file);
    return (filter.health === "all" || (filter.health === "uncertain" ? uncertain > 0 : health === filter.health))
      && (!filter.format || formatOf(file) === filter.format)
      && (!filter.code || codes.split(" ").includes(filter.code))
      && words.every((word) => file.name.toLowerCase().includes(word));
  };
  const indices = [...openFiles.keys()].filter((index) => isSelected(openFiles[index] as OpenFile));
  if (filter.sort === "opened") return indices;
  const order = ORDERS[filter.sort];
  return indices.sort((a, b) => order(openFiles[a] as OpenFile, openFiles[b] as OpenFile));
}

/** Returns the files of the list: those that the filter selects, and the shown one, which an edit may have made one of another kind. */
export function listedFiles(state: State): number[] {
  const all = selectedFiles({ ...state, filter: { ...NO_FILTER, sort: state.filter.sort } });
  const selected = new Set(selectedFiles(state));
  return all.filter((index) => selected.has(index) || (index === state.selected && !state.overview));
}

/** Returns true if a file has damage or uncertain keys. */
function hasProblem(file: OpenFile | undefined): boolean {
  const { health, uncertain } = file ? verdictOf(file) : UNKNOWN;
  return health === "damage" || uncertain > 0;
}

/** Returns the number of files of the list with a problem. */
export function problemCount(state: State): number {
  return listedFiles(state).filter((index) => hasProblem(state.openFiles[index])).length;
}

/** Returns the index of the next file of the list with a problem after the shown one, or before it; -1 without another one. */
export function nextProblem(state: State, by: 1 | -1): number {
  const order = listedFiles(state);
  const at = order.indexOf(state.selected);
  const around = [...order.slice(at + 1), ...order.slice(0, Math.max(at, 0))];
  const found = (by > 0 ? around : around.reverse()).find((index) => hasProblem(state.openFiles[index]));
  return found ?? -1;
}
