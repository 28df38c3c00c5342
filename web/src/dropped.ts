// Files and folders that people drop on the page.

import type { Source } from "./actions.js";
import { isBin, isBinary, isVideo, stem } from "./formats.js";
import { text } from "./strings.js";

/** The file or folder of one item. The browser removes the item after the event. */
interface Item {
  file: File | null;
  entry: FileSystemEntry | null;
  /** Exists only for a folder, and only in Chromium. */
  handle: Promise<FileSystemHandle | null> | undefined;
}

/** A file, and its path below the folder that was dropped. */
interface Found {
  file: File;
  path: string;
}

/** Returns the source of a file. The file is read when the source is opened. */
export function source(file: File): Source {
  return { name: file.name, bytes: async () => new Uint8Array(await file.arrayBuffer()), ...(isVideo(file) ? { film: file } : {}) };
}

/** Returns the dropped files, and the recordings in dropped folders. A folder without recordings gives an error. */
export async function droppedSources(transfer: DataTransfer): Promise<Source[]> {
  const items = [...transfer.items].filter((item) => item.kind === "file").map(held);
  const sources: Source[] = [];
  for (const item of items) {
    if (item.entry?.isDirectory) sources.push(...(await folderSources(item, item.entry as FileSystemDirectoryEntry)));
    else if (item.file) sources.push(source(item.file));
  }
  return sources;
}

function held(item: DataTransferItem): Item {
  const entry = item.webkitGetAsEntry();
  const found = item as DataTransferItem & { getAsFileSystemHandle?: () => Promise<FileSystemHandle | null> };
  return { file: item.getAsFile(), entry, handle: entry?.isDirectory ? found.getAsFileSystemHandle?.() : undefined };
}

async function folderSources({ handle }: Item, entry: FileSystemDirectoryEntry): Promise<Source[]> {
  const failed = (message: string): Source[] => [{ name: entry.name, bytes: () => Promise.reject(new Error(message)) }];
  let files: Found[];
  try {
    files = recordings(await folderFiles(handle, entry));
  } catch (error) {
    return failed(`${text("folderUnreadable")} (${(error as Error).message})`);
  }
  return files.length > 0 ? files.map(({ file, path }) => ({ ...source(file), name: path, folder: entry.name })) : failed(text("folderEmpty"));
}

async function folderFiles(handle: Item["handle"], entry: FileSystemDirectoryEntry): Promise<Found[]> {
  // In a page from disk, Chromium refuses to read files through entries. Firefox and Safari have no handles.
  const folder = await handle?.catch(() => null);
  if (folder?.kind === "directory") return filesOfHandle(folder as FileSystemDirectoryHandle, entry.name);
  return filesOfEntry(entry, entry.name);
}

async function filesOfHandle(folder: FileSystemDirectoryHandle, path: string): Promise<Found[]> {
  const children: FileSystemHandle[] = [];
  // TypeScript does not know this function without the types of asynchronous iterators.
  for await (const child of (folder as unknown as { values(): AsyncIterable<FileSystemHandle> }).values()) children.push(child);
  const files = await Promise.all(sorted(children).map(async (child) => {
    const below = `${path}/${child.name}`;
    if (child.kind === "directory") return filesOfHandle(child as FileSystemDirectoryHandle, below);
    return isWanted(child) ? [{ file: await (child as FileSystemFileHandle).getFile(), path: below }] : [];
  }));
  return files.flat();
}

async function filesOfEntry(folder: FileSystemDirectoryEntry, path: string): Promise<Found[]> {
  const reader = folder.createReader();
  const children: FileSystemEntry[] = [];
  // A reader returns the entries in blocks, and an empty block at the end.
  for (;;) {
    const block = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (block.length === 0) break;
    children.push(...block);
  }
  const files = await Promise.all(sorted(children).map(async (child) => {
    const below = `${path}/${child.name}`;
    if (child.isDirectory) return filesOfEntry(child as FileSystemDirectoryEntry, below);
    if (!isWanted(child)) return [];
    return [{ file: await new Promise<File>((resolve, reject) => (child as FileSystemFileEntry).file(resolve, reject)), path: below }];
  }));
  return files.flat();
}

/** Selects files in a folder, which may contain any files. A file that was dropped itself is always opened. */
function isWanted({ name }: { name: string }): boolean {
  return isBinary(name) || isVideo({ name, type: "" });
}

/**
 * Selects the recordings of MRTK, and the videos with their names. Beside them, files of other formats are usually copies of them, or
 * other data.
 */
function recordings(all: Found[]): Found[] {
  const files = all.filter(({ file }) => !isVideo(file));
  const bins = files.filter(({ path }) => isBin(path));
  const found = bins.length > 0 ? bins : files;
  const names = new Set(found.map(({ path }) => stem(path)));
  return [...found, ...all.filter(({ file, path }) => isVideo(file) && names.has(stem(path)))];
}

/** Sorts by name, because browsers return the content of a folder in any order. */
function sorted<T extends { name: string }>(children: T[]): T[] {
  return children.sort((a, b) => (a.name < b.name ? -1 : 1));
}
