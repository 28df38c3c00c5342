// Other formats. Their module is compiled when it is first needed, and a worker converts.

import type { Recording } from "../package/inputanim.js";
import * as module from "../package/formats.js";
import { embedded } from "./embedded.js";

let compiled: Promise<WebAssembly.Module> | null = null;

/** Returns the compiled module. */
export function formatsModule(): Promise<WebAssembly.Module> {
  compiled ??= embedded("formats").then((bytes) => WebAssembly.compile(bytes));
  return compiled;
}

let isReady = false;

/** Prepares the functions below. */
export function useFormats(formats: WebAssembly.Module): void {
  if (!isReady) module.initSync({ module: formats });
  isReady = true;
}

/** The formats of "Save as". */
export const FORMATS = ["bin", "glb", "csv", "json", "bvh", "usda", "anim", "iwer"] as const;

const EXTENSIONS: Record<string, string> = { iwer: "iwer.json", json: "json" };

/** The bytes of a file in another format, or of a recording. */
export interface ConvertedFile {
  bytes: Uint8Array;
  losses: string[];
  notes: string[];
}

/** Returns the name of a file in another format. */
export function exportName(stem: string, format: string): string {
  return format === "bin" ? `${stem}-edited.bin` : `${stem}.${EXTENSIONS[format] ?? format}`;
}

/** Converts a file of another format to a recording. Returns no bytes if its name has no known extension. */
export function importFile(name: string, bytes: Uint8Array): ConvertedFile {
  const extension = name.toLowerCase().split(".").pop() ?? "";
  const known = module.formats().find((format) => format.canRead && format.extension === extension);
  if (!known) return { bytes: new Uint8Array(), losses: [], notes: [] };
  // Several formats are JSON, so the content decides which format it is.
  return module.read(bytes, extension === "json" ? undefined : { format: known.name });
}

/** Converts a recording to another format. */
export function exportFile(recording: Recording, format: string, stem: string): ConvertedFile {
  // Only Unity clips contain a name, and the module refuses options without effect.
  const options = format === "anim" ? { name: stem } : undefined;
  return module.write(recording.toBytes(), format as module.FormatName, options);
}
