// Other formats. Their module is compiled when it is first needed, and a worker converts.

import type { Parts, Recording } from "../package/inputanim.js";
import { contentOf } from "./content.js";
import * as module from "../package/formats.js";
import { embedded } from "./embedded.js";

let compiled: Promise<WebAssembly.Module> | null = null;

/** Returns the compiled module. */
export function formatsModule(): Promise<WebAssembly.Module> {
  compiled ??= embedded("formats").then((bytes) => WebAssembly.compile(bytes));
  return compiled;
}

let isReady = false;

/** Prepares the module on the page itself, on which browsers do not compile large modules at once. */
export async function prepareFormats(): Promise<void> {
  if (!isReady) await module.default({ module_or_path: await formatsModule() });
  isReady = true;
}

/** Prepares the functions below in a worker. */
export function useFormats(formats: WebAssembly.Module): void {
  if (!isReady) module.initSync({ module: formats });
  isReady = true;
}

/** The formats of the module, which the build inserts. */
declare const KNOWN_FORMATS: module.Format[];

/** True if the page contains the module. A report lacks it if a `.bin` file can hold all of its recordings. */
export const CAN_CONVERT = typeof document !== "undefined" && document.getElementById("formats") !== null;

/** The formats of "Save as". */
export const FORMATS = CAN_CONVERT ? ["bin", "mcap", "glb", "csv", "json", "bvh", "usda", "anim", "iwer", "isaac", "xdf"] : ["bin"];

/** The extensions of all formats. The longest ones are first, because `.iwer.json` ends with `.json` too. */
const EXTENSIONS = KNOWN_FORMATS.flatMap(({ extensions }) => extensions).sort((a, b) => b.length - a.length);

/** The extensions of binary formats to read. */
const BINARY = KNOWN_FORMATS.filter(({ name, canRead, isText }) => canRead && !isText && (CAN_CONVERT || name === "bin")).flatMap(({ extensions }) => extensions);

/** Returns the extension of files to write. */
export function extensionOf(format: string): string {
  return KNOWN_FORMATS.find(({ name }) => name === format)?.extensions[0] ?? format;
}

/** Returns the extension of a known format in the name of a file, or its last extension; empty without one. */
export function extensionIn(name: string): string {
  const known = EXTENSIONS.find((extension) => has(name, extension));
  return known ?? (/\.([^./]*)$/.exec(name)?.[1] ?? "").toLowerCase();
}

/** Returns whether the name of a file has an extension. */
function has(name: string, extension: string): boolean {
  return name.toLowerCase().endsWith(`.${extension}`);
}

/** Returns whether a file is named like a recording of MRTK. */
export function isBin(name: string): boolean {
  return has(name, "bin");
}

/** Returns whether a file is named like a file of a binary format. Files of text formats often contain other texts. */
export function isBinary(name: string): boolean {
  return BINARY.some((extension) => has(name, extension));
}

/** Returns whether a file is a video. A browser knows the types of few extensions. */
export function isVideo({ name, type }: { name: string; type: string }): boolean {
  return type.startsWith("video/") || /\.(mp4|m4v|mov|webm|mkv|ogv)$/i.test(name);
}

/** Returns the path of a file without its extension, by which a recording and its video belong together. */
export function stem(path: string): string {
  const extension = extensionIn(path);
  return (extension ? path.slice(0, -extension.length - 1) : path).toLowerCase();
}

/** The bytes of a file in another format, or of a recording. */
export interface ConvertedFile {
  bytes: Uint8Array;
  /** The parts of the recording that the bytes cannot hold. */
  parts: Parts;
  losses: module.Loss[];
  notes: module.ConversionNote[];
}

/** Converts a file of another format to a recording. Returns no bytes if its format is unknown. */
export function importFile(name: string, bytes: Uint8Array): ConvertedFile {
  const format = module.detect(bytes, name);
  if (format === undefined) return { bytes: new Uint8Array(), parts: {}, losses: [], notes: [] };
  return { parts: {}, ...module.read(bytes, { format: format as module.FormatName }) };
}

/** Converts a recording to another format. */
export function exportFile(recording: Recording, format: string, stem: string): ConvertedFile {
  // Only Unity clips contain a name, and the module refuses options without effect.
  const options = format === "anim" ? { name: stem } : {};
  const { bytes, parts } = contentOf(recording);
  return { parts: {}, ...module.write(bytes, format as module.FormatName, { ...options, parts }) };
}
