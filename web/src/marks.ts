// Marks of joints: the values of the joint are damaged at the shown time, or a repair has changed them.

import { partOfCurve } from "./curves.js";
import { type Finding, type Recording, type RepairGroup, type TimeRange, columnNames } from "../package/inputanim.js";
import { column, facts } from "./facts.js";
import type { Repairs } from "./questions.js";
import type { OpenFile } from "./store.js";

export type Mark = "damage" | "repaired" | "uncertain";

/** Marks by the names of streams and joints: `left.Palm`. */
export type Marks = Map<string, Mark>;

/** The time for which a joint is marked before and after its damage, in seconds, so that single keys can be seen. */
const MARK_SECONDS = 0.05;

/** The smallest difference of a number of a pose that counts as a change. Smaller ones come from rounding. */
const MIN_CHANGE = 1e-5;

/** The edits after a repair that move no joint. */
const KEEPS_POSES = ["addMarker", "renameMarker", "moveMarker", "removeMarker", "trim"];

/** Returns true if a time is in a range, or close to it. The ranges are in order, and do not overlap. */
function contains(ranges: readonly TimeRange[], time: number): boolean {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle] as TimeRange).end + MARK_SECONDS < time) low = middle + 1;
    else high = middle;
  }
  const found = ranges[low];
  return found !== undefined && found.start - MARK_SECONDS <= time;
}

/** The joints and streams of findings. They are needed in each frame. */
const partsOf = new WeakMap<Finding, string[]>();

/** Returns the joints and streams whose curves a finding names. */
function partsOfFinding(finding: Finding): string[] {
  const parts = partsOf.get(finding) ?? [...new Set(finding.curves.map(partOfCurve))];
  partsOf.set(finding, parts);
  return parts;
}

/** Returns the joints whose values are wrong at a time, by the findings that are known. */
export function damagedAt(recording: Recording, time: number): Marks {
  const damaged: Marks = new Map();
  for (const finding of facts(recording).known("findings") ?? []) {
    if (!finding.changesValues) continue;
    if (finding.ranges.length > 0 && !contains(finding.ranges, time)) continue;
    for (const part of partsOfFinding(finding)) damaged.set(part, "damage");
  }
  return damaged;
}

/** The repair of the shown version, and the version before the repair; `null` if it was removed from memory. */
interface Repair extends Repairs {
  before: Recording | null;
  /** Seconds that are added to the position to get the time in the repaired version and in the version before it. */
  offset: number;
}

/** Returns the repair of the shown version of a file; null without a repair, or if a later edit has moved joints. */
export function repairOf(file: OpenFile): Repair | null {
  const shown = file.versions[file.current];
  const index = file.versions.slice(0, file.current + 1).findLastIndex(({ repaired }) => repaired);
  const [before, after] = [file.versions[index - 1], file.versions[index]];
  if (!shown || !before || !after?.repaired) return null;
  if (!file.versions.slice(index + 1, file.current + 1).every(({ label }) => KEEPS_POSES.includes(label))) return null;
  return { before: before.recording, ...after.repaired, offset: shown.earlier - before.earlier };
}

/** The uncertain times of the joints and streams of repairs. They are needed in each frame. */
const uncertainOf = new WeakMap<RepairGroup[], Map<string, TimeRange[]>>();

/** Returns the repaired joints and streams with their uncertain times. */
function repairedParts(groups: RepairGroup[]): Map<string, TimeRange[]> {
  let parts = uncertainOf.get(groups);
  if (parts) return parts;
  parts = new Map();
  for (const { name, curves, uncertain } of groups) {
    const part = partOfCurve(curves[0] ?? "");
    if (name) parts.set(part, [...(parts.get(part) ?? []), ...uncertain]);
  }
  for (const ranges of parts.values()) ranges.sort((a, b) => a.start - b.start);
  uncertainOf.set(groups, parts);
  return parts;
}

let frame: Float32Array | null = null;

/** Returns the joints whose pose a repair has changed at a time. `now` is the repaired frame at this time. */
export function repairedAt(file: OpenFile, time: number, now: Float32Array): Marks {
  const marks: Marks = new Map();
  const repair = repairOf(file);
  if (!repair) return marks;
  frame ??= new Float32Array(columnNames().length);
  repair.before?.sample(time + repair.offset, frame);
  for (const [part, uncertain] of repairedParts(repair.groups)) {
    if (contains(uncertain, time + repair.offset)) marks.set(part, "uncertain");
    else if (repair.before && hasChanged(part, frame, now)) marks.set(part, "repaired");
  }
  return marks;
}

/** Returns true if the pose of a joint differs between two frames. */
function hasChanged(part: string, before: Float32Array, now: Float32Array): boolean {
  return ["position.x", "position.y", "position.z", "rotation.x", "rotation.y", "rotation.z", "rotation.w"].some((name) => {
    const at = column(`${part}.${name}`);
    const [a = NaN, b = NaN] = [before[at], now[at]];
    return Math.abs(a - b) > MIN_CHANGE || Number.isNaN(a) !== Number.isNaN(b);
  });
}
