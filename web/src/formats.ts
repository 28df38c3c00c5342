// Other formats. Their module is loaded when it is first needed.

import type { Recording } from "../package/inputanim.js";
import * as module from "../package/formats.js";
import { embedded } from "./embedded.js";

let loaded: Promise<unknown> | null = null;

function load(): Promise<unknown> {
  loaded ??= embedded("formats").then((bytes) => module.default({ module_or_path: bytes }));
  return loaded;
}

/** The formats of "Save as". */
export const FORMATS = ["bin", "glb", "csv", "json", "bvh", "usda", "anim", "iwer"] as const;

const EXTENSIONS: Record<string, string> = { iwer: "iwer.json", json: "json" };

export async function importFile(name: string, bytes: Uint8Array): Promise<module.Converted | null> {
  await load();
  const extension = name.toLowerCase().split(".").pop() ?? "";
  const known = module.formats().find((format) => format.canRead && format.extension === extension);
  return module.importRecording(bytes, known && extension !== "json" ? { format: known.name } : undefined);
}

export async function exportFile(
  stem: string,
  recording: Recording,
  format: string,
): Promise<{ name: string; bytes: Uint8Array; losses: string[] }> {
  const bytes = recording.toBytes();
  if (format === "bin") return { name: `${stem}-edited.bin`, bytes, losses: [] };
  await load();
  const converted = module.exportRecording(bytes, format as module.FormatName, { name: stem });
  return { name: `${stem}.${EXTENSIONS[format] ?? format}`, bytes: converted.bytes, losses: converted.losses };
}
