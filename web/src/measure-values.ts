// Measures of open recordings in the range between the in and out points.

import type { Measure } from "../package/inputanim.js";
import { facts } from "./facts.js";
import { type OpenFile, type State, endOf, played, shown } from "./store.js";

/** The measures of a file by their names, or the reason why there are none. */
export interface Measured {
  file: OpenFile;
  range: [number, number];
  /** null until they are computed. */
  measures: Map<string, Measure> | null;
  /** Notes about the analysis, such as devices that are not measured. */
  notes: string[];
  error: string;
}

/** Returns the measures of a file: of the range between the in and out points, or of the complete recording. */
export function measuresOf(state: State, file: OpenFile): Measured {
  const recording = file.versions[file.current]?.recording;
  const range: [number, number] = recording === shown(state) ? played(state) : [state.inPoint ?? 0, state.outPoint ?? endOf(recording)];
  // A recording in progress grows faster than it could be analysed.
  if (!recording || file.isLive) return { file, range, measures: null, notes: [], error: "" };
  try {
    const answer = facts(recording).measures(...range);
    const isCurrent = answer?.range[0] === range[0] && answer.range[1] === range[1];
    return { file, range, measures: answer && isCurrent ? byName(answer.measures) : null, notes: answer?.notes ?? [], error: "" };
  } catch (error) {
    return { file, range, measures: null, notes: [], error: (error as Error).message };
  }
}

const maps = new WeakMap<Measure[], Map<string, Measure>>();

function byName(measures: Measure[]): Map<string, Measure> {
  let found = maps.get(measures);
  if (!found) maps.set(measures, (found = new Map(measures.map((measure) => [measure.name, measure]))));
  return found;
}

/** Formats the value of a measure with four digits, and its unit. */
export function formatMeasure({ value, unit }: Measure): string {
  return value === null ? "–" : `${Number(value.toPrecision(4))} ${unit}`.trim();
}
