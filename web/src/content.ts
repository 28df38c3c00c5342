// The content of a recording outside of its WebAssembly module: the bytes of a file, and the parts that the file cannot hold.

import { type Parts, Recording } from "../package/inputanim.js";

export interface Content {
  bytes: Uint8Array;
  parts: Parts;
}

/** Opens a recording. */
export function opened({ bytes, parts }: Content): Recording {
  return Recording.open(bytes, parts);
}

/** Returns the complete content of a recording. Throws an error if its layout cannot represent it. */
export function contentOf(recording: Recording): Content {
  const { parts } = recording;
  if (parts.gaps === undefined && parts.devices === undefined) return { bytes: recording.toBytes(), parts };
  // Edits also need the keys in the gaps. The devices are in the parts.
  const whole = recording.withParts({});
  try {
    return { bytes: whole.toBytes(), parts };
  } finally {
    whole.free();
  }
}
