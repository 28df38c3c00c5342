// The viewer inside another page: the module `inputanim/embed` of the npm package.
//
// The viewer is a document of its own in a frame, so the styles and shortcuts of both pages do not affect each other, and all of its
// memory is freed with the frame. The two documents exchange messages through a port.

import type { Parts } from "../package/inputanim.js";
import { type EmbedCommands, type EmbedMessage, type EmbedRequest, GREETING, HASH, type SentFile } from "./embed-messages.js";

/**
 * A file to open: its address, a file that the user has chosen, or its name and bytes. `parts` are the parts of a recording that
 * the bytes of a `.bin` file cannot hold, as in `Recording.open`.
 */
export type EmbedFile = string | URL | File | { name: string; bytes: Uint8Array | ArrayBuffer; parts?: Parts };

/** The colours of the viewer. `system` follows the settings of the computer. */
export type EmbedTheme = "system" | "light" | "dark";

export interface EmbedOptions {
  /** The file or the files to open: recordings, or other formats that the viewer reads. Without a file, the viewer asks for one. */
  file?: EmbedFile | EmbedFile[];
  /** The position in seconds; the start by default. */
  time?: number;
  /** `system` by default. */
  theme?: EmbedTheme;
  /** The language of the texts; by default the language of the browser, if the viewer has it. */
  language?: "en" | "fr" | "ko" | "ru" | "zh-Hans" | "zh-Hant";
  /** A saved view: the part after `#` of the address of a viewer, which has the file, the time, the range and the camera. */
  view?: string;
  /** False if the files that the user saves are only events, and do not go to the folder for downloads. */
  downloads?: boolean;
  /** The address of `inputanim.html`, if a bundler or a server moves it; by default it is in the folder of this module. */
  page?: string | URL;
}

/** An open file. */
export interface EmbeddedFile {
  name: string;
  /** The end of the recording in seconds. */
  duration: number;
  /** True if it has changes that are not saved. */
  unsaved: boolean;
}

/** The shown file, and the range that plays. */
export interface EmbedSelection {
  /** The name of the file; null without a file, and while the viewer shows the overview of several files. */
  file: string | null;
  /** The start of the range in seconds; null for the start of the recording. */
  start: number | null;
  /** The end of the range in seconds; null for the end of the recording. */
  end: number | null;
}

/** The events of a viewer and their values. */
export interface EmbedEvents {
  /** The position in seconds has changed, or playback has started or stopped. */
  time: { time: number; playing: boolean };
  /** Another file or another range is selected. */
  selection: EmbedSelection;
  /** Files were opened, closed, changed or saved. */
  files: readonly EmbeddedFile[];
  /** The user has saved a file: a recording, a table, a picture or a video. */
  saved: { name: string; data: Blob };
}

/** The page must start within this time after it was loaded, in milliseconds. */
const PATIENCE = 60_000;

type Listener = (value: never) => void;

/** Shows the viewer inside an element, which it fills. The element needs a height. */
export function embed(element: HTMLElement, options: EmbedOptions = {}): EmbeddedViewer {
  return new EmbeddedViewer(element, options);
}

/** A viewer in a page. Commands wait until the viewer is ready, and their promises are rejected if they fail. */
export class EmbeddedViewer {
  /** The frame with the viewer. */
  readonly frame: HTMLIFrameElement;
  /** Resolves when the files of the options are open. */
  readonly ready: Promise<void>;
  /** The position in seconds. */
  time = 0;
  /** True during playback. */
  playing = false;
  /** The open files. */
  files: readonly EmbeddedFile[] = [];
  /** The shown file, and the range that plays. */
  selection: EmbedSelection = { file: null, start: null, end: null };

  private readonly listeners = new Map<string, Set<Listener>>();
  private readonly waiting = new Map<number, { resolve: () => void; reject: (error: Error) => void }>();
  private port: MessagePort | null = null;
  /** The reason why commands are refused. */
  private ended: Error | null = null;
  /** Called when the page in the frame is ready. */
  private connected: () => void = () => undefined;
  private last = 0;

  constructor(element: HTMLElement, private readonly options: EmbedOptions) {
    const address = new URL(options.page ?? new URL("./inputanim.html", import.meta.url), document.baseURI);
    address.hash = HASH;
    this.frame = document.createElement("iframe");
    this.frame.title = "inputanim";
    this.frame.allow = "clipboard-write; fullscreen; xr-spatial-tracking";
    // The styles of the page for frames do not apply.
    this.frame.style.cssText = "all: initial; display: block; box-sizing: border-box; width: 100%; height: 100%; border: 0";
    this.frame.src = address.href;
    this.ready = this.start(new Promise((resolve) => (this.connected = resolve)));
    // Who does not use `ready` has no unhandled error, because the viewer shows errors of files itself.
    this.ready.catch(() => undefined);
    addEventListener("message", this.greeted);
    const fail = () => this.end(new Error(`the viewer did not start: ${address.href} must be inputanim.html of the package`));
    this.frame.addEventListener("load", () => setTimeout(() => this.port ?? fail(), PATIENCE));
    element.append(this.frame);
  }

  /** Calls a function at each event of a kind. Returns a function that ends this. */
  on<Name extends keyof EmbedEvents>(name: Name, listener: (value: EmbedEvents[Name]) => void): () => void {
    const known = this.listeners.get(name) ?? new Set();
    this.listeners.set(name, known.add(listener));
    return () => void known.delete(listener);
  }

  /** Opens files beside the open ones, and shows the first of them. Rejects if a file cannot be opened; the others are open then. */
  async open(file: EmbedFile | EmbedFile[]): Promise<void> {
    await this.command("open", await sent([file].flat()));
  }

  /** Shows a time in seconds. */
  seek(time: number): Promise<void> {
    return this.command("seek", time);
  }

  play(): Promise<void> {
    return this.command("play");
  }

  pause(): Promise<void> {
    return this.command("pause");
  }

  /** Selects an open file by its name, the range that plays, or both. A range of `null` is the complete recording. */
  select(selection: Partial<EmbedSelection>): Promise<void> {
    return this.command("select", selection);
  }

  /** Changes the colours. */
  theme(theme: EmbedTheme): Promise<void> {
    return this.command("theme", theme);
  }

  /** Removes the viewer, and frees its memory. Changes that are not saved are lost: `files` tells which files have such changes. */
  close(): void {
    this.end(new Error("the viewer is closed"));
    removeEventListener("message", this.greeted);
    this.port?.close();
    this.port = null;
    this.frame.remove();
    this.listeners.clear();
  }

  private async start(connected: Promise<void>): Promise<void> {
    const { file = [], page: _, ...options } = this.options;
    const [files] = await Promise.all([sent([file].flat()), connected]);
    await this.ask("start", options, files);
  }

  /** Runs a command after the start. */
  private async command<Name extends keyof EmbedCommands>(name: Name, ...values: EmbedCommands[Name]): Promise<void> {
    await this.ready.catch(() => undefined);
    await this.ask(name, ...values);
  }

  private ask<Name extends keyof EmbedCommands>(command: Name, ...values: EmbedCommands[Name]): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.ended) return reject(this.ended);
      const request: EmbedRequest = { id: ++this.last, command, values };
      this.waiting.set(request.id, { resolve, reject });
      this.port?.postMessage(request);
    });
  }

  /** Connects to the page in the frame. The page begins, because it is loaded later. */
  private readonly greeted = ({ source, data }: MessageEvent): void => {
    if (source !== this.frame.contentWindow || data !== GREETING) return;
    const isAgain = this.port !== null;
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    port1.onmessage = ({ data }: MessageEvent<EmbedMessage>) => this.receive(data);
    this.frame.contentWindow?.postMessage(GREETING, "*", [port2]);
    this.connected();
    if (!isAgain) return;
    // Browsers load the page again if the frame is moved in the document.
    this.rejectAll(new Error("the viewer was loaded again"));
    this.start(Promise.resolve()).catch(() => undefined);
  };

  private receive(message: EmbedMessage): void {
    if ("event" in message) {
      const { event, value } = message;
      if (event === "time") Object.assign(this, value);
      else if (event !== "saved") Object.assign(this, { [event]: value });
      for (const listener of this.listeners.get(event) ?? []) listener(value as never);
      return;
    }
    const { id, error } = message;
    const { resolve, reject } = this.waiting.get(id) ?? {};
    this.waiting.delete(id);
    if (error === null) resolve?.();
    else reject?.(new Error(error));
  }

  /** Refuses all commands from now on. */
  private end(reason: Error): void {
    this.ended ??= reason;
    // The start fails now if it still waits.
    this.connected();
    this.rejectAll(this.ended);
  }

  private rejectAll(error: Error): void {
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }
}

/** Reads files for the frame. The page around the viewer loads addresses, because it may have the rights to do so. */
function sent(files: EmbedFile[]): Promise<SentFile[]> {
  return Promise.all(files.map(async (file): Promise<SentFile> => {
    if (file instanceof File) return { name: file.name, data: file };
    if (typeof file === "object" && "bytes" in file) return { name: file.name, data: new Blob([file.bytes as BlobPart]), parts: file.parts };
    const address = new URL(file, document.baseURI);
    const name = decodeURIComponent(address.pathname.split("/").at(-1) || address.href);
    try {
      const response = await fetch(address);
      if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
      return { name, data: await response.blob() };
    } catch (error) {
      return { name, error: `${address.href}: ${(error as Error).message}` };
    }
  }));
}
