// Instances of the WebAssembly module on the page. The memory of an instance never shrinks, so a large recording gets an instance that ends
// with its file. All other recordings share one.

import { type Instance, type Recording, instance, shared } from "../package/inputanim.js";

/** A recording whose file has more bytes gets its own instance. */
const MAX_SHARED = 8e6;

/** The memory of the shared instance, and the compiled module for others. */
let common: { memory: WebAssembly.Memory; module: WebAssembly.Module } | null = null;

/** Another instance. */
interface Own {
  instance: Instance;
  memory: WebAssembly.Memory;
  /** Its recordings that are in use. */
  recordings: Set<Recording>;
}

/** The other instances by their class of recordings. */
const others = new Map<unknown, Own>();

/** Loads the shared instance. */
export async function loadModule(module: WebAssembly.Module): Promise<void> {
  const { memory } = await shared.default({ module_or_path: module });
  common = { memory, module };
}

/** Makes a recording from a number of bytes, in an instance that suits them. */
export async function inInstance<T extends Recording | { recording: Recording }>(bytes: number, make: (classes: Instance) => T): Promise<T> {
  if (bytes <= MAX_SHARED || !common) return make(shared);
  const made = instance();
  const { memory } = await made.default({ module_or_path: common.module });
  try {
    const result = make(made);
    others.set(made.Recording, { instance: made, memory, recordings: new Set() });
    adopt("recording" in result ? result.recording : result);
    return result;
  } catch (error) {
    made.end();
    throw error;
  }
}

/** Returns the instance of a recording. */
export function instanceOf(recording: Recording): Instance {
  return others.get(recording.constructor)?.instance ?? shared;
}

/** Notes that a recording is in use. An edit makes its result in the instance of the recording. */
export function adopt(recording: Recording): Recording {
  others.get(recording.constructor)?.recordings.add(recording);
  return recording;
}

/** The recordings that tasks use now, with the number of tasks. */
const uses = new Map<Recording, number>();

/** The recordings to free when no task uses them any more. */
const released = new Set<Recording>();

/** Runs a task that uses recordings. They stay in memory until it ends, also if their files are closed before. */
export async function using<T>(recordings: Recording[], run: () => Promise<T>): Promise<T> {
  for (const recording of recordings) uses.set(recording, (uses.get(recording) ?? 0) + 1);
  try {
    return await run();
  } finally {
    for (const recording of recordings) {
      const left = (uses.get(recording) ?? 1) - 1;
      if (left > 0) uses.set(recording, left);
      else uses.delete(recording);
      if (left === 0 && released.delete(recording)) release(recording);
    }
  }
}

/** Frees a recording as soon as no task uses it, and ends an instance without other recordings. */
export function release(recording: Recording): void {
  if (uses.has(recording)) return void released.add(recording);
  recording.free();
  const own = others.get(recording.constructor);
  own?.recordings.delete(recording);
  if (!own || own.recordings.size > 0) return;
  own.instance.end();
  others.delete(recording.constructor);
}

/** Returns the size of the memory of all instances in bytes. */
export function memorySize(): number {
  const memories = [common, ...others.values()].flatMap((found) => found?.memory ?? []);
  return memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
}
