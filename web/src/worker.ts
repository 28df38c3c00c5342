// The worker: it answers questions about recordings beside the page.

import { Analysis, Recording, initSync } from "../package/inputanim.js";
import { type Question, answer } from "./questions.js";

export interface Request {
  /** The compiled module, in the first request. */
  module?: WebAssembly.Module;
  question: Question;
  /** Keys of the recordings. The bytes of those that the worker does not have are in `bytes`. */
  keys: number[];
  bytes: Map<number, Uint8Array>;
  numbers: number[];
  /** Keys of recordings that are not needed any more. */
  dropped: number[];
}

export interface Reply {
  answer?: unknown;
  error?: { message: string; hint?: string };
}

const recordings = new Map<number, Recording>();
const analyses = new Map<number, Analysis>();

function reply({ module, question, keys, bytes, numbers, dropped }: Request): Reply {
  try {
    if (module) initSync({ module });
    for (const key of dropped) {
      recordings.get(key)?.free();
      recordings.delete(key);
      analyses.get(key)?.free();
      analyses.delete(key);
    }
    for (const [key, content] of bytes) {
      recordings.set(key, Recording.open(content));
      release(content);
    }
    const found = keys.map((key) => recordings.get(key)).filter((recording) => recording !== undefined);
    const analysis = () => {
      const [key = 0] = keys;
      const known = analyses.get(key);
      if (known) return known;
      const made = new Analysis(found[0] as Recording);
      analyses.set(key, made);
      return made;
    };
    return { answer: answer(question, found, analysis, numbers) };
  } catch (error) {
    const { message, hint } = error as Error & { hint?: string };
    return { error: { message, hint } };
  }
}

/** Frees bytes at once. A large file would otherwise be in memory twice until JavaScript collects garbage. */
function release(bytes: Uint8Array): void {
  // TypeScript and browsers before 2024 do not know this function.
  (bytes.buffer as { transfer?: (length: number) => ArrayBuffer }).transfer?.(0);
}

addEventListener("message", (event: MessageEvent<Request>) => postMessage(reply(event.data)));
