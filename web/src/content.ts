// The content of a recording outside of its WebAssembly module: the bytes of a file, and the gaps, which the file cannot state.

import { type ElementGaps, Recording } from "../package/inputanim.js";

export interface Content {
  bytes: Uint8Array;
  /** The times at which values are unknown. */
  gaps: ElementGaps[];
}

/** Opens a recording. */
export function opened({ bytes, gaps }: Content): Recording {
  return Recording.open(bytes, gaps);
}

/** Returns the complete content of a recording. Throws an error if its layout cannot represent it. */
export function contentOf(recording: Recording): Content {
  const { gaps } = recording;
  if (gaps.length === 0) return { bytes: recording.toBytes(), gaps };
  // Edits also need the keys in the gaps.
  const whole = recording.withGaps([]);
  try {
    return { bytes: whole.toBytes(), gaps };
  } finally {
    whole.free();
  }
}
