// Files that the page saves.

import { IS_EMBEDDED } from "./host.js";
import type { Entry } from "./zip.js";

type Picker = { showDirectoryPicker?: (options: { mode: "readwrite" }) => Promise<FileSystemDirectoryHandle> };

/** True if the browser can write into a folder. A page around this one gets the files instead. */
export const canChooseFolder = !IS_EMBEDDED && (window as Picker).showDirectoryPicker !== undefined;

/** Asks the user for a folder; null if the user chooses none. */
export async function chosenFolder(): Promise<FileSystemDirectoryHandle | null> {
  try {
    return (await (window as Picker).showDirectoryPicker?.({ mode: "readwrite" })) ?? null;
  } catch (error) {
    if ((error as Error).name === "AbortError") return null;
    throw error;
  }
}

/** Writes a file into a folder, with the folders in its name. */
export async function writeInto(folder: FileSystemDirectoryHandle, { name, bytes }: Entry): Promise<void> {
  const parts = name.split("/").filter((part) => part !== "" && part !== "." && part !== "..");
  let place = folder;
  for (const part of parts.slice(0, -1)) place = await place.getDirectoryHandle(part, { create: true });
  const file = await place.getFileHandle(parts.at(-1) ?? name, { create: true });
  const writer = await file.createWritable();
  await writer.write(bytes as BufferSource);
  await writer.close();
}

/** What happens to saved files. */
export const saving = {
  /** True if they go to the folder for downloads. */
  asDownload: true,
  /** Tells a page around this one about a saved file. */
  tell: (_name: string, _data: Blob): void => undefined,
};

/** Saves data as a file in the folder for downloads. */
export function download(name: string, data: Blob): void {
  saving.tell(name, data);
  if (!saving.asDownload) return;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(data);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
