// The keys of the curves of a joint or stream.

import { type Recording, columnNames } from "../package/inputanim.js";

/** The times of the keys of curves in seconds, in order, by the names of the curves. */
export type CurveKeys = Map<string, number[]>;

/** Returns the keys of the curves of a joint or stream, or of one curve: `left.Palm`. */
export function readKeys(recording: Recording, part: string): CurveKeys {
  const curves = columnNames().filter((curve) => curve === part || curve.startsWith(`${part}.`));
  const keys = curves.map((curve): [string, number[]] => {
    const times = Array.from(recording.keys(curve).times).filter(Number.isFinite);
    return [curve, times.sort((a, b) => a - b)];
  });
  return new Map(keys.filter(([, times]) => times.length > 0));
}
