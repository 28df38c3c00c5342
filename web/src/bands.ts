// The bands of the timeline: damage and other findings, the keys that a repair has changed, and those that are uncertain.

import type { Recording } from "../package/inputanim.js";
import { partOfCurve } from "./curves.js";
import { facts } from "./facts.js";
import { repairOf } from "./marks.js";
import { type State, endOf, shown } from "./store.js";
import { text } from "./strings.js";
import { findingTexts } from "./translations.js";

export type BandKind = "note" | "warning" | "damage" | "repaired" | "uncertain";

/** A time range of a finding or of a repair. */
export interface Band {
  start: number;
  end: number;
  kind: BandKind;
  /** The code of the finding. */
  code: string;
  /** The title in the language of the page. */
  title: string;
  /** The joints, streams or curves. */
  names: string[];
  /** The joints and streams whose values it concerns. */
  parts: ReadonlySet<string>;
}

const NONE: Band[] = [];

/** The bands that were made last. They are needed when the pointer moves. */
const last = new WeakMap<Recording, { key: unknown[]; bands: Band[] }>();

/** Returns the bands of the shown recording in the order in which they are drawn: later ones over earlier ones. */
export function bandsOf(state: State): Band[] {
  const recording = shown(state);
  const file = state.openFiles[state.selected];
  if (!recording || !file) return NONE;
  const findings = facts(recording).known("findings");
  const key = [findings, file.versions, file.current, state.language];
  const known = last.get(recording);
  if (known && key.every((value, index) => value === known.key[index])) return known.bands;
  const bands: Band[] = [];
  for (const finding of findings ?? []) {
    const { code, severity, curves, streams } = finding;
    const [title] = findingTexts(finding);
    const names = streams.length > 0 ? streams : curves;
    // Damage without times concerns the complete recording.
    const isWhole = finding.ranges.length === 0 && severity === "damage";
    const ranges = isWhole ? [{ start: 0, end: endOf(recording) }] : finding.ranges;
    const parts = new Set(curves.map(partOfCurve));
    for (const { start, end } of ranges) bands.push({ start, end, kind: severity, code, title, names, parts });
  }
  const repair = repairOf(file);
  if (repair) {
    const moved = ({ start, end }: { start: number; end: number }) => ({ start: start - repair.offset, end: end - repair.offset });
    for (const { changed, code, name, curves } of repair.groups) {
      const parts = new Set(curves.map(partOfCurve));
      for (const range of changed) bands.push({ ...moved(range), kind: "repaired", code, title: text("mark.repaired"), names: [name], parts });
    }
    for (const time of repair.uncertain) {
      const parts = new Set(time.names.map((name) => partOfCurve(`${name}.w`)));
      bands.push({ ...moved(time), kind: "uncertain", code: "", title: text("mark.uncertain"), names: time.names, parts });
    }
  }
  last.set(recording, { key, bands });
  return bands;
}

/** Returns the bands that a person has to look at, in order of time: damage, warnings, and uncertain keys. */
export function problemsOf(state: State): Band[] {
  const end = endOf(shown(state));
  const problems = bandsOf(state).filter((band) => ["damage", "warning", "uncertain"].includes(band.kind));
  // Playback does not reach the other times.
  return problems.filter((band) => band.end >= 0 && band.start <= end).sort((a, b) => a.start - b.start || a.end - b.end);
}

/** Returns names for a line of text: the first ones, and the number of the others. */
export function listed(names: readonly string[]): string {
  const MOST = 3;
  // The rotation of a joint is the only part of it that is repaired.
  const short = names.map((name) => name.replace(/\.rotation$/, ""));
  return short.length > MOST ? `${short.slice(0, MOST).join(", ")} +${short.length - MOST}` : short.join(", ");
}
