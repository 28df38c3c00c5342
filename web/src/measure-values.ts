// Measures of open recordings in the range between the in and out points.

import type { AnalysisNote, Measure, TimeRange } from "../package/inputanim.js";
import { facts } from "./facts.js";
import type { OpenFile, State } from "./store.js";
import { localized } from "./strings.js";

/** The measures of a file by their names, or the reason why there are none. */
export interface Measured {
  file: OpenFile;
  /** The range of the measures; null until it is known. */
  range: TimeRange | null;
  /** null until they are computed. */
  measures: Map<string, Measure> | null;
  /** Notes about the analysis, such as devices that are not measured. */
  notes: AnalysisNote[];
  error: unknown;
}

/** Returns the measures of a file: of the range between the in and out points, or of the complete recording. */
export function measuresOf(state: State, file: OpenFile): Measured {
  const recording = file.versions[file.current]?.recording;
  // A recording in progress grows faster than it could be analysed.
  if (!recording || file.isLive) return { file, range: null, measures: null, notes: [], error: null };
  try {
    const asked = [state.inPoint, state.outPoint] as const;
    const answer = facts(recording).measures(...asked);
    const isCurrent = answer?.asked.every((time, index) => Object.is(time, asked[index] ?? NaN));
    if (!answer || !isCurrent) return { file, range: null, measures: null, notes: answer?.notes ?? [], error: null };
    return { file, range: answer.range, measures: byName(answer.measures), notes: answer.notes, error: null };
  } catch (error) {
    return { file, range: null, measures: null, notes: [], error };
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
  return value === null ? "–" : `${localized(Number(value.toPrecision(4)))} ${unit}`.trim();
}
