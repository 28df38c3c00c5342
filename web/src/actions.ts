// The actions of the user. Each action updates the state once.

import { Recording, type InputanimError } from "../package/inputanim.js";
import { text } from "./strings.js";
import { ORIGINAL, type OpenFile, type Store, type Version, played, shown } from "./store.js";
import type { Background } from "./background.js";
import { facts } from "./facts.js";
import type { Edit, Edited } from "./questions.js";
import { type ConvertedFile, exportName, formatsModule } from "./formats.js";

/** Versions that are kept for Undo. */
const MAX_VERSIONS = 30;

/** A file to open. */
export interface Source {
  name: string;
  /** Number of the file on the server. */
  source?: number;
  bytes: () => Promise<Uint8Array>;
}

export class Actions {
  /** Number of calls of `open` that have not ended. */
  private opening = 0;
  /** Resolves when the current edit ends. */
  private edited: Promise<unknown> = Promise.resolve();

  constructor(readonly store: Store, private readonly background: Background) {}

  note(message: string): void {
    this.say(message, "note");
  }

  fail(error: unknown, name = ""): void {
    const isCrash = error instanceof WebAssembly.RuntimeError;
    const { message = text("unknownError"), hint } = (isCrash ? new Error(text("crashed")) : error ?? {}) as Partial<InputanimError>;
    const lines = [name ? `${name}: ${message}` : message, hint ? `${text("hint")}: ${hint}` : ""];
    this.say(lines.filter(Boolean).join("\n"), "error");
  }

  /** Shows a message. While files are opened, it is added to the messages of the other files. */
  private say(message: string, kind: "note" | "error"): void {
    const before = this.opening > 0 ? this.store.state.message : null;
    const lines = [before?.text, message].filter(Boolean).join("\n");
    this.store.update({ message: { text: lines, kind: before?.kind === "error" ? "error" : kind } });
  }

  /**
   * Opens files: recordings, or other formats. A damaged recording is recovered. Selects the first one, and shows
   * the overview if there are several.
   */
  async open(files: Source[]): Promise<void> {
    let isFirst = true;
    if (files.length > 0 && this.opening++ === 0) this.store.update({ message: null });
    for (const { name, source, bytes } of files) {
      try {
        const file = { ...(await this.read(name, await bytes())), source };
        const { openFiles } = this.store.state;
        this.store.update({ openFiles: [...openFiles, file] });
        if (isFirst) this.select(openFiles.length);
        else this.store.update({ overview: true });
        isFirst = false;
      } catch (error) {
        this.fail(error, name);
      }
    }
    if (files.length > 0) this.opening--;
  }

  private async read(name: string, bytes: Uint8Array): Promise<OpenFile> {
    const opened = (recording: Recording, label: string): OpenFile => ({
      name,
      versions: [{ recording, label }],
      current: 0,
    });
    try {
      const recording = Recording.open(bytes);
      this.background.give(recording, bytes);
      return opened(recording, "opened");
    } catch (error) {
      const { kind, hint } = error as InputanimError;
      // Only errors of recordings with intact parts have a hint.
      if (hint) {
        const recovered = Recording.recover(bytes);
        this.fail(new Error(`${(error as Error).message}\n${text("recovered")}`), name);
        return opened(recovered.recording, "recovered");
      }
      if (kind !== "not-input-animation") throw error;
      const formats = await formatsModule();
      const { bytes: converted, losses, notes } = await this.work("open", null, (signal) =>
        this.background.ask("import", [], { texts: [name], file: bytes, formats }, signal));
      if (converted.length === 0) throw error;
      if (losses.length + notes.length) this.note([name, ...losses, ...notes].join("\n"));
      return opened(Recording.open(converted), "opened");
    }
  }

  add(file: OpenFile): void {
    const openFiles = [...this.store.state.openFiles, file];
    this.store.update({ openFiles });
    this.select(openFiles.length - 1);
  }

  /** Opens a file of the server again, because it has changed. Undo restores the edits of the previous file. */
  async reload(source: number, bytes: Uint8Array): Promise<void> {
    const before = this.store.state.openFiles.find((file) => file.source === source);
    // The file was closed.
    if (!before) return;
    const { versions } = await this.read(before.name, bytes);
    const kept = before.versions.length > 1 ? before.versions.slice(-MAX_VERSIONS) : [];
    this.replace(before, { ...before, versions: [...kept, ...versions], current: kept.length });
  }

  /** Shows the next frame of a recording in progress. */
  liveFrame(frame: Float32Array, time: number): void {
    const { following } = this.store.state;
    this.store.update({ live: { frame, time }, ...(following ? { time } : {}) });
  }

  /** Replaces a recording in progress by a longer version of it. */
  grow(name: string, recording: Recording): void {
    const before = this.store.state.openFiles.find((file) => file.isLive);
    if (!before) {
      this.add({ name, isLive: true, versions: [{ recording, label: "record" }], current: 0 });
      return this.store.update({ following: true, playing: false });
    }
    // After an edit, the recording is not replaced.
    if (before.versions.length > 1) return recording.free();
    this.replace(before, { ...before, versions: [{ recording, label: "record" }] });
    // The old recording is freed here, because the page would otherwise need a multiple of the memory until JavaScript
    // frees it. The timeout lets watchers finish using it.
    setTimeout(() => before.versions[0]?.recording.free());
  }

  /** Replaces a recording in progress by its finished file. */
  async finishLive(name: string, bytes: Uint8Array): Promise<void> {
    const file = await this.read(name, bytes);
    const before = this.store.state.openFiles.find((other) => other.isLive);
    if (before?.versions.length === 1) this.replace(before, file);
    else this.add(file);
  }

  endLive(): void {
    const openFiles = this.store.state.openFiles.map((file) => ({ ...file, isLive: false }));
    this.store.update({ openFiles, live: null, following: false });
    this.seek(this.store.state.time);
  }

  /** Replaces an open file, and keeps the position. */
  private replace(before: OpenFile, after: OpenFile): void {
    const { state } = this.store;
    const openFiles = state.openFiles.map((file) => (file === before ? after : file));
    const isShown = state.openFiles[state.selected] === before;
    const duration = after.versions[after.current]?.recording.duration ?? 0;
    this.store.update({ openFiles, ...(isShown ? { view: [0, Math.max(duration, 0.1)] } : {}) });
    if (isShown && !state.following) this.store.update({ time: Math.min(state.time, duration) });
  }

  select(index: number): void {
    const { openFiles, ghost } = this.store.state;
    const file = openFiles[index];
    const duration = file?.versions[file.current]?.recording.duration ?? 0;
    this.store.update({
      selected: index,
      ghost: ghost === index || ghost === ORIGINAL ? -1 : ghost,
      overview: false,
      following: file?.isLive === true,
      time: 0,
      playing: false,
      inPoint: null,
      outPoint: null,
      view: [0, Math.max(duration, 0.1)],
    });
  }

  close(index: number): void {
    const { openFiles: before, working } = this.store.state;
    if (working?.file && working.file === before[index]) working.stop.abort();
    // A question without an end would keep a worker busy.
    for (const { recording } of before[index]?.versions ?? []) facts(recording).cancel();
    const openFiles = before.filter((_, other) => other !== index);
    const { selected, overview } = this.store.state;
    this.store.update({ openFiles, ghost: -1 });
    if (index === selected) this.select(Math.min(selected, openFiles.length - 1));
    else this.store.update({ selected: selected > index ? selected - 1 : selected });
    this.store.update({ overview: overview && openFiles.length > 1 });
  }

  /** Replaces the recording by the result of a fast edit, for example of a marker. */
  edit(label: string, apply: (recording: Recording) => Recording): boolean {
    const { state } = this.store;
    const file = state.openFiles[state.selected];
    const recording = shown(state);
    if (!file || !recording || state.working) return false;
    try {
      this.addVersion(file, { recording: apply(recording), label });
      return true;
    } catch (error) {
      this.fail(error, file.name);
      return false;
    }
  }

  /** Replaces the recording by the result of an edit in a worker. Returns the result; null if there is no result. */
  async change(edit: Edit, numbers: number[] = []): Promise<Edited | null> {
    const { state } = this.store;
    const file = state.openFiles[state.selected];
    const recording = shown(state);
    if (!file || !recording || state.working) return null;
    const made = this.work(edit, file, (signal) => this.background.ask(edit, [recording], { numbers }, signal));
    this.edited = made.catch(() => undefined);
    try {
      const result = await made;
      // The file may have been closed or loaded again.
      if (!this.store.state.openFiles.includes(file)) return null;
      this.addVersion(file, { recording: result.recording, label: edit === "trimFrozen" ? "trim" : edit });
      return result;
    } catch (error) {
      this.fail(error, file.name);
      return null;
    }
  }

  /** Shows that work is in progress, with the button Cancel. */
  private async work<T>(label: string, file: OpenFile | null, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const stop = new AbortController();
    const working = { label, file, stop };
    this.store.update({ working });
    try {
      return await run(stop.signal);
    } finally {
      if (this.store.state.working === working) this.store.update({ working: null });
    }
  }

  private addVersion(file: OpenFile, version: Version): void {
    const kept = file.versions.slice(0, file.current + 1).slice(-MAX_VERSIONS);
    this.show(file, { ...file, versions: [...kept, version], current: kept.length });
  }

  undo(): void {
    this.step(-1);
  }

  redo(): void {
    this.step(1);
  }

  private step(by: number): void {
    const { openFiles, selected, working } = this.store.state;
    const file = openFiles[selected];
    if (!working && file?.versions[file.current + by]) this.show(file, { ...file, current: file.current + by });
  }

  private show(before: OpenFile, after: OpenFile): void {
    const { state } = this.store;
    const openFiles = state.openFiles.map((file) => (file === before ? after : file));
    if (state.openFiles[state.selected] !== before) return this.store.update({ openFiles });
    const duration = after.versions[after.current]?.recording.duration ?? 0;
    const isInside = (time: number | null) => (time !== null && time <= duration ? time : null);
    this.store.update({
      openFiles,
      following: false,
      time: Math.min(state.time, duration),
      inPoint: isInside(state.inPoint),
      outPoint: isInside(state.outPoint),
      view: [0, Math.max(duration, 0.1)],
    });
  }

  /** Repairs the recording, and shows the damaged one as a ghost. */
  async repair(): Promise<void> {
    const { selected } = this.store.state;
    const result = await this.change("repair");
    if (!result) return;
    this.note(text("repaired", { keys: result.keys, left: result.left }));
    if (this.store.state.selected === selected) this.store.update({ ghost: ORIGINAL });
  }

  async trim(): Promise<void> {
    const { selected } = this.store.state;
    const result = await this.change("trim", played(this.store.state));
    if (result && this.store.state.selected === selected) this.store.update({ inPoint: null, outPoint: null, time: 0 });
  }

  seek(time: number): void {
    const end = shown(this.store.state)?.duration ?? 0;
    this.store.update({ time: Math.min(Math.max(time, 0), end), following: false });
  }

  /** Shows the last frame of the recording in progress. */
  follow(): void {
    const { openFiles, live } = this.store.state;
    const index = openFiles.findIndex((file) => file.isLive);
    if (!live || index < 0) return;
    this.select(index);
    this.store.update({ time: live.time });
  }

  /** Moves to the next or the previous key time. */
  stepKey(by: 1 | -1): void {
    const recording = shown(this.store.state);
    if (!recording) return;
    const times = facts(recording).keyTimes;
    const now = Math.fround(this.store.state.time);
    const next = by > 0 ? times.find((time) => time > now) : times.findLast((time) => time < now);
    if (next !== undefined) this.seek(next);
    this.store.update({ playing: false });
  }

  /** Sets the start of the played range. The end of the range is removed if it is not later. */
  setIn(time: number): void {
    const { outPoint } = this.store.state;
    this.store.update({ inPoint: time, outPoint: outPoint !== null && outPoint > time ? outPoint : null });
  }

  /** Sets the end of the played range. The start of the range is removed if it is not earlier. */
  setOut(time: number): void {
    const { inPoint } = this.store.state;
    this.store.update({ outPoint: time, inPoint: inPoint !== null && inPoint < time ? inPoint : null });
  }

  togglePlay(): void {
    const { playing, time } = this.store.state;
    const [start, end] = played(this.store.state);
    const isAtEnd = time >= end - 1e-4 || time < start;
    this.store.update({ following: false, playing: !playing, time: !playing && isAtEnd ? start : time });
  }

  /** Plays for some seconds of the clock. */
  advance(seconds: number): void {
    const { state } = this.store;
    if (!state.playing) return;
    const [start, end] = played(state);
    let time = state.time + seconds * state.rate;
    if (time >= end) {
      if (state.loop && end > start) time = start + ((time - start) % (end - start));
      else return this.store.update({ time: end, playing: false });
    }
    this.store.update({ time });
  }

  /** Zooms the timeline about a time. */
  zoom(factor: number, about: number): void {
    const end = Math.max(shown(this.store.state)?.duration ?? 0, 0.1);
    const [from, to] = this.store.state.view;
    const length = Math.min(Math.max((to - from) * factor, 0.05), end);
    const start = Math.min(Math.max(about - ((about - from) / (to - from)) * length, 0), end - length);
    this.store.update({ view: [start, start + length] });
  }

  private async converted(file: OpenFile, recording: Recording, format: string, stem: string): Promise<ConvertedFile> {
    const formats = await formatsModule();
    return this.work("saveAs", file, (signal) =>
      this.background.ask("export", [recording], { texts: [format, stem], formats }, signal));
  }

  /** Saves the recording as a file: `.bin`, or another format. */
  async save(format: string): Promise<void> {
    // Saving waits for the current edit.
    await this.edited;
    const { state } = this.store;
    const file = state.openFiles[state.selected];
    const recording = shown(state);
    if (!file || !recording) return;
    try {
      const base = file.name.replace(/^.*\//, "");
      const stem = base.replace(/\.[^.]*$/, "");
      const { bytes, losses } = format === "bin" ? { bytes: recording.toBytes(), losses: [] } : await this.converted(file, recording, format, stem);
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([bytes as BlobPart]));
      link.download = file.current > 0 || format !== "bin" ? exportName(stem, format) : base;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
      this.note([text("saved", { name: link.download, bytes: bytes.length }), ...losses].join("\n"));
    } catch (error) {
      this.fail(error, file.name);
    }
  }
}
