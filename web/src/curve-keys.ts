// The keys of single curves. The package returns them only as lossless JSON.

import type { Recording } from "../package/inputanim.js";
import { exportFile } from "./formats.js";

/** The times of the keys of curves in seconds, in order, by the names of the curves. */
export type CurveKeys = Map<string, number[]>;

/** Reads the keys of the curves of a joint or stream: `left.Palm`. */
export function readKeys(recording: Recording, part: string): CurveKeys {
  const selected = recording.select({ joints: [part], noMarkers: true });
  try {
    const { bytes } = exportFile(selected, "json", "");
    const { curves } = JSON.parse(new TextDecoder().decode(bytes)) as { curves: { curve: string; keys: [number | string][] }[] };
    return new Map(curves.filter(({ keys }) => keys.length > 0).map(({ curve, keys }) => [
      curve,
      // Times that are not finite are strings.
      keys.map(([time]) => Number(time)).filter(Number.isFinite).sort((a, b) => a - b),
    ]));
  } finally {
    selected.free();
  }
}
