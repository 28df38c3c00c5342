// The worker. It answers questions about recordings while the page continues.

import { Analysis, type InputanimError, type Recording, initSync } from "../package/inputanim.js";
import { type Content, contentOf, opened } from "./content.js";
import { type Details, type Edited, type Question, answer } from "./questions.js";

export interface Request extends Details {
  /** The compiled module, in the first request. */
  module?: WebAssembly.Module;
  question: Question;
  /** Keys of the recordings. If the worker does not have a recording, it is in `contents`. */
  keys: number[];
  contents: Map<number, Content>;
  /** Keys of recordings that are not needed any more. */
  dropped: number[];
}

export interface Reply {
  /** If there is neither an answer nor an error, the page answers the question. */
  answer?: unknown;
  /** The recording that is the result of an edit, and the numbers of the answer. */
  edited?: Omit<Edited, "recording"> & { content: Content };
  error?: { message: string; hint?: string; kind?: string; remedy?: string; isCrash: boolean };
}

const recordings = new Map<number, Recording>();
const analyses = new Map<number, Analysis>();

function reply({ module, question, keys, contents, dropped, ...details }: Request): Reply {
  try {
    if (module) initSync({ module });
    for (const key of dropped) {
      recordings.get(key)?.free();
      recordings.delete(key);
      analyses.get(key)?.free();
      analyses.delete(key);
    }
    for (const [key, content] of contents) {
      recordings.set(key, opened(content));
      release(content.bytes);
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
    const result = answer(question, found, analysis, Analysis, details);
    return isEdited(result) ? edited(result) : { answer: result };
  } catch (error) {
    const { message, hint, kind, remedy } = error as InputanimError;
    // After a panic, the memory of the module may be inconsistent.
    return { error: { message, hint, kind, remedy, isCrash: error instanceof WebAssembly.RuntimeError } };
  }
}

function isEdited(result: object): result is Edited {
  return "recording" in result;
}

function edited({ recording, ...rest }: Edited): Reply {
  try {
    return { edited: { content: contentOf(recording), ...rest } };
  } catch {
    // The layout cannot represent the recording. The page repeats the edit, and keeps the result in memory.
    return {};
  } finally {
    recording.free();
  }
}

/** Frees bytes at once. A large file would otherwise be in memory twice until JavaScript collects garbage. */
function release(bytes: Uint8Array): void {
  // TypeScript and browsers before 2024 do not know this function.
  (bytes.buffer as { transfer?: (length: number) => ArrayBuffer }).transfer?.(0);
}

/** Returns the large parts of a reply, which are not copied. */
function buffers({ answer, edited }: Reply): ArrayBuffer[] {
  const { bytes } = (edited?.content ?? answer ?? {}) as { bytes?: Uint8Array };
  return bytes ? [bytes.buffer as ArrayBuffer] : [];
}

addEventListener("message", (event: MessageEvent<Request>) => {
  const message = reply(event.data);
  postMessage(message, { transfer: buffers(message) });
});

// The page sends questions when it knows that the worker works.
postMessage("ready");
