// The content of a recording outside of its WebAssembly module: the bytes of a file, and the parts that the file cannot hold.

import { type FileDamage, type Parts, Recording } from "../package/inputanim.js";

export interface Content {
  bytes: Uint8Array;
  parts: Parts;
  /** The damage of the file, if the recording is its intact part. */
  damage?: FileDamage | null;
}

/** Opens a recording, with the class of an instance of the module. */
export function opened({ bytes, parts, damage }: Content, classes: { Recording: typeof Recording } = { Recording }): Recording {
  const recording = classes.Recording.open(bytes, parts);
  if (!damage) return recording;
  try {
    return recording.withFileDamage(damage);
  } finally {
    recording.free();
  }
}

/** Returns the complete content of a recording. Throws an error if its layout cannot represent it. */
export function contentOf(recording: Recording): Content {
  const { parts, fileDamage: damage } = recording;
  if (parts.gaps === undefined && parts.devices === undefined) return { bytes: recording.toBytes(), parts, damage };
  // Edits also need the keys in the gaps. The devices are in the parts.
  const whole = recording.withParts({});
  try {
    return { bytes: whole.toBytes(), parts, damage };
  } finally {
    whole.free();
  }
}
