// Marks of joints: the values of the joint are damaged at the shown time, or a repair has changed them.

import { partOfCurve } from "./curves.js";
import { type Recording, type TimeRange, columnNames } from "../package/inputanim.js";
import { column, facts } from "./facts.js";
import type { RepairedCurves } from "./questions.js";
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

function contains(ranges: TimeRange[], time: number): boolean {
  return ranges.some(({ start, end }) => start - MARK_SECONDS <= time && time <= end + MARK_SECONDS);
}

/** Returns the joints whose values are wrong at a time, by the findings that are known. */
export function damagedAt(recording: Recording, time: number): Marks {
  const damaged: Marks = new Map();
  for (const { changesValues, curves, ranges } of facts(recording).known("findings") ?? []) {
    if (!changesValues) continue;
    if (ranges.length === 0 || contains(ranges, time)) for (const curve of curves) damaged.set(partOfCurve(curve), "damage");
  }
  return damaged;
}

/** The repair of the shown version, and the version before the repair. */
interface Repair {
  before: Recording;
  curves: RepairedCurves;
  /** Seconds that are added to the position to get the time in the repaired version and in the version before it. */
  offset: number;
}

/** Returns the repair of the shown version of a file; null without a repair, or if a later edit has moved joints. */
function repairOf(file: OpenFile): Repair | null {
  const shown = file.versions[file.current];
  const index = file.versions.slice(0, file.current + 1).findLastIndex(({ repaired }) => repaired);
  const [before, after] = [file.versions[index - 1], file.versions[index]];
  if (!shown || !before?.recording || !after?.repaired) return null;
  if (!file.versions.slice(index + 1, file.current + 1).every(({ label }) => KEEPS_POSES.includes(label))) return null;
  return { before: before.recording, curves: after.repaired, offset: shown.earlier - before.earlier };
}

/** Returns the time ranges in which values that a repair has computed are uncertain. */
export function uncertainRanges(file: OpenFile): TimeRange[] {
  const repair = repairOf(file);
  if (!repair) return [];
  return [...repair.curves.values()].flat().map(({ start, end }) => ({ start: start - repair.offset, end: end - repair.offset }));
}

let frame: Float32Array | null = null;

/** Returns the joints whose pose a repair has changed at a time. `now` is the repaired frame at this time. */
export function repairedAt(file: OpenFile, time: number, now: Float32Array): Marks {
  const marks: Marks = new Map();
  const repair = repairOf(file);
  if (!repair) return marks;
  frame ??= new Float32Array(columnNames().length);
  repair.before.sample(time + repair.offset, frame);
  for (const [curve, uncertain] of repair.curves) {
    const part = partOfCurve(curve);
    const isUncertain = contains(uncertain, time + repair.offset);
    if (isUncertain) marks.set(part, "uncertain");
    else if (!marks.has(part) && hasChanged(part, frame, now)) marks.set(part, "repaired");
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
