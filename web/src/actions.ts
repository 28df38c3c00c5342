// The actions of the user. Each action updates the state once.

import { type EventTable, type InputanimError, type Parts, type Recording, type RepairGroup, fileNames, recordingNames } from "../package/inputanim.js";
import { type Content, opened as openedContent } from "./content.js";
import { adopt, inInstance, release, using } from "./instances.js";
import { language, localized, text } from "./strings.js";
import { type Message, ORIGINAL, type OpenFile, type Problem, type Store, type Version, type Video, endOf, isUnsaved, played, shown, videoKey } from "./store.js";
import type { Background } from "./background.js";
import { type Band, problemsOf } from "./bands.js";
import { time } from "./dom.js";
import { chosenFolder, download, writeInto } from "./download.js";
import { helpFor, linesOf } from "./errors.js";
import { facts } from "./facts.js";
import type { Edit, Edited } from "./questions.js";
import { CAN_CONVERT, type ConvertedFile, extensionOf, formatsModule, isBin, stem } from "./formats.js";
import { lossText, noteText } from "./translations.js";
import { NO_FILTER, nextProblem, verdictOf } from "./triage.js";
import { type Entry, zipped } from "./zip.js";

/**
 * The size in bytes of the versions of a file that are kept in memory for Undo, in addition to the shown one and the opened
 * one. The others are made again by their edits.
 */
const UNDO_BYTES = 64e6;

/** Times that differ by less than this are the same, in seconds. The position is rounded. */
const SAME_TIME = 5e-4;

/** The number of files that are read before they are opened. */
const READ_AHEAD = 4;

/** Reads a file. Returns the error if it cannot be read, which is handled when the file is opened. */
function settledRead(bytes: () => Promise<Uint8Array>): Promise<unknown> {
  return bytes().catch((error: unknown) => error);
}

/** Opens a recording in an instance of the module that suits its size. */
function openedSeparately(content: Content): Promise<Recording> {
  return inInstance(content.bytes.length, (classes) => openedContent(content, classes));
}

/** While files are opened, the page shows the opened ones after this time in milliseconds. */
const OPEN_INTERVAL = 80;

/** The name of the work that saves a recording. It continues when the file is closed. */
const SAVING = "saveAs";

/** Tasks that do not change a recording. */
const READING = [SAVING, "open", "recordingVideo"];

/** The time for which a note is shown, in milliseconds. */
const NOTE_TIME = 10_000;

/** The number of starts of videos that are remembered. */
const MAX_STARTS = 200;

let nextId = 1;

/** The losses and notes about a file of another format. */
export type Report = Pick<ConvertedFile, "losses" | "notes"> & {
  /** The number of losses and notes that are not listed. */
  omitted?: number;
};

/** A file to open. */
export interface Source {
  /** The path of the file, below the folder that was dropped. */
  name: string;
  /** The folder that was dropped. */
  folder?: string;
  /** Number of the file on the server or in the report. */
  source?: number;
  bytes: () => Promise<Uint8Array>;
  /** Returns what the server reports about the bytes that it read from another format. */
  report?: () => Report | undefined;
  /** Returns the parts of the recording that the bytes cannot hold. */
  parts?: () => Parts | undefined;
  /** The video of the recording. */
  video?: VideoSource | undefined;
  /** The file, if it is a video of a recording that is open, or that is opened with it. */
  film?: Blob;
}

type VideoSource = Pick<Video, "name" | "address" | "given">;

export class Actions {
  /** Number of calls of `open` that have not ended. */
  private opening = 0;
  /** The numbers of files that are opened now, and of those that are done. */
  private files = { count: 0, done: 0 };
  /** Resolves when the current edit ends. */
  private edited: Promise<unknown> = Promise.resolve();

  constructor(readonly store: Store, private readonly background: Background) {}

  note(message: string): void {
    this.say(message, "note");
  }

  /** Returns a message about a file. If several are open, it has the name of the file, because another file may be shown. */
  private about(file: OpenFile | undefined, message: string): string {
    return file && this.store.state.openFiles.length > 1 ? `${file.name}: ${message}` : message;
  }

  fail(error: unknown, name = ""): void {
    const lines = linesOf(error).join("\n");
    // A button can help only if the error is about the shown recording.
    const { openFiles, selected } = this.store.state;
    const help = openFiles[selected]?.name === name ? helpFor(error, this) : undefined;
    const action = help && { label: help.label, run: () => (this.store.update({ message: null }), help.run()) };
    this.say(name ? `${name}: ${lines}` : lines, "error", action, { name, text: lines });
  }

  /**
   * Shows a message. While files are opened, it is added to the messages of the other files, and the overview lists its problem. A
   * note without a button is removed after some time.
   */
  private say(message: string, kind: Message["kind"], action?: Message["action"], problem?: Problem): void {
    const before = this.opening > 0 ? this.store.state.message : null;
    const lines = [before?.text, message].filter(Boolean).join("\n");
    const isList = this.files.count > 1;
    const shown: Message = { text: lines, kind: before && before.kind !== "note" ? before.kind : kind, isList, ...(action ? { action } : {}) };
    const problems = isList && problem ? [...this.store.state.problems, problem] : this.store.state.problems;
    this.store.update({ message: shown, problems });
    if (shown.kind !== "note" || action) return;
    setTimeout(() => {
      if (this.store.state.message === shown) this.store.update({ message: null });
    }, NOTE_TIME);
  }

  /**
   * Opens files: recordings, or other formats. A damaged recording is recovered. Selects the first one, and shows
   * the overview if there are several. Returns the errors of files that cannot be opened.
   */
  async open(sources: Source[]): Promise<string[]> {
    const files = sources.filter(({ film }) => !film);
    const films = sources.filter(({ film }) => film);
    const errors: string[] = [];
    if (files.length === 0) {
      this.addVideos(films);
      return errors;
    }
    if (this.opening++ === 0) this.store.update({ message: null, opening: true, problems: [] });
    this.files.count += files.length;
    // The next files are read while one is opened.
    const ahead = files.slice(0, READ_AHEAD).map(({ bytes }) => settledRead(bytes));
    const batch: OpenFile[] = [];
    const videos: Record<number, Video> = {};
    let shown = -Infinity;
    let isFirst = true;
    // Many files are shown together, so that the page draws them and answers clicks.
    const show = () => {
      const { openFiles } = this.store.state;
      this.store.update({ openFiles: named([...openFiles, ...batch]), videos: { ...this.store.state.videos, ...videos }, opened: this.files.count > 1 ? text("openedOf", this.files) : "" });
      if (isFirst && batch.length > 0) {
        isFirst = false;
        this.select(openFiles.length);
        // A filter for other files would hide them.
        this.showAll();
        // Only once, because the user may choose a file while the others are opened.
        if (files.length > 1) this.store.update({ overview: true });
      }
      batch.length = 0;
      shown = performance.now();
    };
    for (const [index, { name: path, folder = "", source, report, parts, video }] of files.entries()) {
      const name = path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
      const later = files[index + READ_AHEAD];
      if (later) ahead.push(settledRead(later.bytes));
      try {
        const bytes = await ahead.shift();
        if (!(bytes instanceof Uint8Array)) throw bytes;
        batch.push({ ...(await this.read(name, { bytes, parts: parts?.() ?? {} })), source, path, folder });
        if (video) videos[batch.at(-1)?.id ?? 0] = this.started(path, video);
        this.sayReport(name, report?.());
      } catch (error) {
        errors.push(`${name}: ${linesOf(error).join("\n")}`);
        this.fail(error, name);
      }
      this.files.done++;
      if (performance.now() - shown > OPEN_INTERVAL) {
        show();
        await new Promise((resolve) => setTimeout(resolve));
      }
    }
    show();
    if (this.store.state.openFiles.length < 2) this.store.update({ overview: false });
    this.addVideos(films);
    if (--this.opening === 0) {
      this.files = { count: 0, done: 0 };
      this.store.update({ opening: false, opened: "" });
    }
    return errors;
  }

  private async read(name: string, content: Content): Promise<OpenFile> {
    const { bytes } = content;
    const opened = (recording: Recording, label: string): OpenFile => file(name, recording, label, true);
    try {
      const recording = await openedSeparately(content);
      this.background.give(recording, bytes);
      return opened(recording, "opened");
    } catch (error) {
      const { kind, remedy } = error as InputanimError;
      if (remedy === "recover") {
        const recovered = await inInstance(bytes.length, (classes) => classes.Recording.recover(bytes));
        this.fail(Object.assign(new Error(`${(error as Error).message}\n${text("recovered")}`), { kind }), name);
        return opened(recovered.recording, "recovered");
      }
      if (kind !== "not-input-animation") throw error;
      if (!CAN_CONVERT) throw Object.assign(new Error(`${(error as Error).message}\n${text("onlyRecordings")}`), { kind });
      const formats = await formatsModule();
      const converted = await this.work("open", null, (signal) =>
        this.background.ask("import", [], { texts: [name], file: bytes, formats }, signal));
      if (converted.bytes.length === 0) throw error;
      const recording = await openedSeparately(converted);
      this.sayReport(name, converted);
      return opened(recording, "opened");
    }
  }

  /** Returns a video of the recording with a path. It starts where the user has last put it. */
  private started(path: string, video: VideoSource): Video {
    return { ...video, start: this.store.state.videoStarts[videoKey(path, video)] ?? video.given };
  }

  /** Adds videos to the open recordings with their names. A single video without such a recording belongs to the shown one. */
  private addVideos(films: Source[]): void {
    for (const { name, folder = "", film } of films) {
      const { openFiles, selected, overview } = this.store.state;
      const last = (path: string) => stem(path.slice(path.lastIndexOf("/") + 1));
      const isOnlyChoice = films.length === 1 && !overview;
      const equal = openFiles.filter((file) => file.folder === folder && stem(file.path) === stem(name));
      const alike = openFiles.filter((file) => last(file.path) === last(name));
      const own = openFiles[selected];
      const choices = equal.length > 0 ? equal : alike;
      const file = choices.find((choice) => choice === own) ?? (choices.length === 1 ? choices[0] : isOnlyChoice && alike.length === 0 ? own : undefined);
      if (!film || !file) {
        this.fail(new Error(text("videoAlone")), name);
        continue;
      }
      this.removeVideos([file.id]);
      const video = { name: name.slice(name.lastIndexOf("/") + 1), address: URL.createObjectURL(film), given: 0 };
      this.store.update({ videos: { ...this.store.state.videos, [file.id]: this.started(file.path, video) } });
    }
  }

  /** Changes the video of a file, for example its start. The change is remembered. */
  changeVideo(id: number, changes: Partial<Video>): void {
    const { videos, videoStarts, openFiles } = this.store.state;
    const before = videos[id];
    const file = openFiles.find((each) => each.id === id);
    if (!before || !file) return;
    const video = { ...before, ...changes };
    const { [videoKey(file.path, video)]: _, ...others } = videoStarts;
    const kept = Object.entries(others).slice(-MAX_STARTS);
    this.store.update({
      videos: { ...videos, [id]: video },
      videoStarts: Object.fromEntries([...kept, [videoKey(file.path, video), video.start]]),
    });
  }

  /** Removes the videos of files. */
  removeVideos(ids: number[]): void {
    const { videos } = this.store.state;
    for (const id of ids) if (videos[id]?.address.startsWith("blob:")) URL.revokeObjectURL(videos[id].address);
    this.store.update({ videos: Object.fromEntries(Object.entries(videos).filter(([id]) => !ids.includes(Number(id)))) });
  }

  /** Shows the losses and notes about a file of another format. */
  private sayReport(name: string, { losses, notes, omitted = 0 }: Report = { losses: [], notes: [] }): void {
    const more = omitted > 0 ? [text("notListed", { count: omitted })] : [];
    const lines = [...losses.map(lossText), ...notes.map(noteText), ...more];
    const problem = { name, text: lines.join("\n") };
    if (lines.length > 0) this.say([name, ...lines].join("\n"), losses.length > 0 ? "warning" : "note", undefined, problem);
  }

  /** Adds a recording that was made on the page. */
  add(name: string, recording: Recording): void {
    this.addFile(file(name, recording, "record", false));
  }

  private addFile(file: OpenFile): void {
    const openFiles = named([...this.store.state.openFiles, file]);
    this.store.update({ openFiles });
    this.select(openFiles.length - 1);
  }

  /**
   * Opens a file of the server again, because it has changed. If the recording has edits that are not saved, or is being
   * edited, the edits stay, and a message offers the new content.
   */
  async reload(source: number, content: Content, report?: Report): Promise<void> {
    const before = this.store.state.openFiles.find((file) => file.source === source);
    // The file was closed.
    if (!before) return;
    this.sayReport(before.name, report);
    const { working } = this.store.state;
    const isEditing = working !== null && !READING.includes(working.label) && (working.file === null || working.file.id === before.id);
    if (!isUnsaved(before) && !isEditing) return this.load(before, content);
    this.replace(before, { ...before, changed: content });
    const run = () => {
      const file = this.find(before);
      this.store.update({ message: null });
      if (file?.changed) void this.load(file, file.changed).catch((error: unknown) => this.fail(error, file.name));
    };
    this.say(text("changedOutside", { name: before.name }), "note", { label: text("loadChanged"), run });
  }

  /** Shows the new content of a file. Undo restores the edits of the previous content. */
  private async load(before: OpenFile, content: Content): Promise<void> {
    const { versions, saved } = await this.read(before.name, content);
    const now = this.find(before);
    // The file was closed.
    if (!now) return discard(versions);
    const { changed: _, ...rest } = now;
    const isEdited = now.versions.length > 1;
    if (!isEdited) discard(now.versions);
    const kept = isEdited ? now.versions : [];
    this.replace(now, { ...rest, versions: [...kept, ...versions], current: kept.length, saved, isTaken: false });
  }

  /** Shows the next frame of a recording in progress. */
  liveFrame(frame: Float32Array, time: number): void {
    const { following } = this.store.state;
    this.store.update({ live: { frame, time }, ...(following ? { time } : {}) });
  }

  /** Sends a marker to the program that makes the recording; null without such a program. */
  markLive: ((time: number, name: string) => Promise<void>) | null = null;

  /** Adds a marker to the recording that is made. Returns whether the program has added it. */
  async addLiveMarker(time: number, name: string): Promise<boolean> {
    try {
      await this.markLive?.(time, name);
      return this.markLive !== null;
    } catch (error) {
      this.fail(error, name);
      return false;
    }
  }

  /** Replaces a recording in progress by a longer version of it. */
  grow(name: string, recording: Recording): void {
    const before = this.store.state.openFiles.find((file) => file.isLive);
    if (!before) {
      this.addFile({ ...file(name, recording, "record", false), isLive: true });
      return this.store.update({ following: true, playing: false });
    }
    this.replace(before, { ...file(name, recording, "record", false), id: before.id, isLive: true });
    discard(before.versions);
  }

  /** Replaces a recording in progress by its finished file. */
  async finishLive(name: string, content: Content): Promise<void> {
    const file = await this.read(name, content);
    const before = this.store.state.openFiles.find((other) => other.isLive);
    if (!before) return this.addFile(file);
    this.replace(before, { ...file, id: before.id });
    discard(before.versions);
  }

  endLive(): void {
    const openFiles = this.store.state.openFiles.map((file) => ({ ...file, isLive: false }));
    this.store.update({ openFiles, live: null, following: false });
    this.seek(this.store.state.time);
  }

  /** Returns an open file as it is now; undefined if it was closed. */
  private find(file: OpenFile): OpenFile | undefined {
    return this.store.state.openFiles.find(({ id }) => id === file.id);
  }

  /** Returns an open file as it is now; undefined if it shows another recording than before, or was closed. */
  private unchanged(before: OpenFile): OpenFile | undefined {
    const now = this.find(before);
    return now?.versions[now.current]?.recording === before.versions[before.current]?.recording ? now : undefined;
  }

  /** Replaces an open file, and keeps the position. */
  private replace(before: OpenFile, after: OpenFile): void {
    const { state } = this.store;
    const openFiles = state.openFiles.map((file) => (file === before ? after : file));
    const isShown = state.openFiles[state.selected] === before;
    const end = endOf(after.versions[after.current]?.recording);
    this.store.update({ openFiles, ...(isShown ? { view: this.viewOf(end) } : {}) });
    if (isShown && !state.following) this.store.update({ time: Math.min(state.time, end) });
  }

  /** Returns the time range of the timeline for a recording that replaces the shown one. A zoomed range stays. */
  private viewOf(end: number): [number, number] {
    const [from, to] = this.store.state.view;
    const isWhole = from <= 0 && to >= endOf(shown(this.store.state));
    const length = Math.max(end, 0.1);
    return isWhole || from >= length ? [0, length] : [from, Math.min(to, length)];
  }

  select(index: number): void {
    const { openFiles, ghost } = this.store.state;
    const file = openFiles[index];
    this.store.update({
      selected: index,
      ghost: ghost === index || ghost === ORIGINAL ? -1 : ghost,
      overview: false,
      following: file?.isLive === true,
      time: 0,
      playing: false,
      inPoint: null,
      outPoint: null,
      view: [0, Math.max(endOf(file?.versions[file.current]?.recording), 0.1)],
    });
  }

  /** Shows the first problem of the next file of the list that has one, or the last problem of the previous file. */
  selectProblem(by: 1 | -1): void {
    const index = nextProblem(this.store.state, by);
    if (index < 0) return;
    this.select(index);
    const problem = problemsOf(this.store.state).at(by > 0 ? 0 : -1);
    if (problem) this.seek(problem.start);
  }

  /** Removes the filter, and keeps the order of files. */
  showAll(): void {
    this.store.update({ filter: { ...NO_FILTER, sort: this.store.state.filter.sort } });
  }

  /** Closes a file. If its changes are not saved, the user is asked first. */
  askToClose(index: number): void {
    const file = this.store.state.openFiles[index];
    if (file && (!isUnsaved(file) || confirm(text("closeUnsaved", { name: file.name })))) this.close(index);
  }

  close(index: number): void {
    const { openFiles: before, working } = this.store.state;
    if (working?.file && working.file.id === before[index]?.id && working.label !== SAVING) working.stop.abort();
    discard(before[index]?.versions ?? []);
    this.removeVideos(before[index] ? [before[index].id] : []);
    if (before.length === 1) this.background.rest();
    const openFiles = named(before.filter((_, other) => other !== index));
    const { selected, overview } = this.store.state;
    this.store.update({ openFiles, ghost: -1 });
    if (index === selected) this.select(Math.min(selected, openFiles.length - 1));
    else this.store.update({ selected: selected > index ? selected - 1 : selected });
    this.store.update({ overview: overview && openFiles.length > 1 });
  }

  /** Closes all files. If the changes of some are not saved, the user is asked first. */
  askToCloseAll(): void {
    const { openFiles, working } = this.store.state;
    const count = openFiles.filter(isUnsaved).length;
    if (count > 0 && !confirm(text("closeAllUnsaved", { count, total: openFiles.length }))) return;
    if (working?.label !== SAVING) working?.stop.abort();
    for (const { versions } of openFiles) discard(versions);
    this.removeVideos(openFiles.map(({ id }) => id));
    this.background.rest();
    // New files must not be hidden by a filter for the old ones.
    this.store.update({ openFiles: [], ghost: -1, problems: [], message: null, table: false, filter: NO_FILTER });
    this.select(-1);
  }

  /** Replaces the recording by the result of a fast edit, for example of a marker. */
  edit(label: string, apply: (recording: Recording) => Recording): boolean {
    const { state } = this.store;
    const file = state.openFiles[state.selected];
    const recording = shown(state);
    if (!file || !recording || state.working || file.isLive) return false;
    try {
      const make = (before: Recording) => adopt(apply(before));
      this.addVersion(file, { recording: make(recording), label, make: async (before) => make(before), earlier: 0 });
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
    if (!file || !recording || state.working || file.isLive) return null;
    const made = this.work(edit, file, (signal) => this.background.ask(edit, [recording], { numbers }, signal));
    const make = (before: Recording) => this.background.ask(edit, [before], { numbers }).then(({ recording }) => recording);
    const starts = { trim: numbers[0], shift: facts(recording).info.timeRange?.start };
    const start = (edit === "trim" || edit === "shift" ? starts[edit] : 0) ?? 0;
    this.edited = made.catch(() => undefined);
    try {
      const result = await made;
      // The file may have been closed or loaded again.
      const now = this.unchanged(file);
      if (!now) {
        release(result.recording);
        return null;
      }
      const label = edit === "trimFrozen" ? "trim" : edit;
      this.addVersion(now, { recording: result.recording, label, make, earlier: Number.isFinite(start) ? start : 0, ...(result.repaired ? { repaired: result.repaired } : {}) });
      const { lost = [] } = result;
      if (lost.length > 0) this.say(this.about(file, lost.map((loss) => `${text("lost")}: ${loss}`).join("\n")), "warning");
      return result;
    } catch (error) {
      this.fail(error, file.name);
      return null;
    }
  }

  /** Shows that work is in progress, with the button Cancel. `run` may report its progress from 0 to 1. */
  async work<T>(label: string, file: OpenFile | null, run: (signal: AbortSignal, progress: (done: number) => void) => Promise<T>): Promise<T> {
    const stop = new AbortController();
    const isOwn = () => this.store.state.working?.stop === stop;
    this.store.update({ working: { label, file, stop } });
    try {
      return await run(stop.signal, (done) => isOwn() && this.store.update({ working: { label, file, stop, done } }));
    } finally {
      if (isOwn()) this.store.update({ working: null });
    }
  }

  /** Adds a version after the shown one. `earlier` of the version is relative to the shown version. */
  private addVersion(file: OpenFile, version: Version): void {
    const kept = file.versions.slice(0, file.current + 1);
    discard(file.versions.slice(kept.length));
    const earlier = (kept.at(-1)?.earlier ?? 0) + version.earlier;
    this.show(file, withinMemory({ ...file, versions: [...kept, { ...version, earlier }], current: kept.length }));
  }

  undo(): Promise<void> {
    return this.step(-1);
  }

  redo(): Promise<void> {
    return this.step(1);
  }

  private async step(by: number): Promise<void> {
    const { openFiles, selected, working } = this.store.state;
    const file = openFiles[selected];
    const index = (file?.current ?? 0) + by;
    if (working || !file?.versions[index]) return;
    try {
      const recording = file.versions[index].recording ?? (await this.work(by < 0 ? "undo" : "redo", file, () => made(file.versions, index)));
      const now = this.unchanged(file);
      if (!now) return release(recording);
      const versions = now.versions.map((version, other) => (other === index ? { ...version, recording } : version));
      this.show(now, withinMemory({ ...now, versions, current: index }));
    } catch (error) {
      this.fail(error, file.name);
    }
  }

  private show(before: OpenFile, after: OpenFile): void {
    const { state } = this.store;
    const openFiles = state.openFiles.map((file) => (file === before ? after : file));
    if (state.openFiles[state.selected] !== before) return this.store.update({ openFiles });
    const duration = endOf(after.versions[after.current]?.recording);
    const isInside = (time: number | null) => (time !== null && time <= duration ? time : null);
    this.store.update({
      openFiles,
      following: false,
      time: Math.min(state.time, duration),
      inPoint: isInside(state.inPoint),
      outPoint: isInside(state.outPoint),
      view: this.viewOf(duration),
    });
  }

  /** Returns a table of the events of the shown recording; null without a recording. */
  async eventTable(kinds: string[]): Promise<EventTable | null> {
    const { openFiles, selected } = this.store.state;
    const recording = shown(this.store.state);
    if (!recording) return null;
    try {
      return await this.background.ask("eventTable", [recording], { texts: kinds });
    } catch (error) {
      this.fail(error, openFiles[selected]?.name);
      return null;
    }
  }

  /**
   * Repairs all recordings that have damage which a repair removes. Each file keeps its own history. Recordings of which only a
   * part could be read count as changed, so that this part is saved with the others.
   */
  async repairAll(): Promise<void> {
    const { openFiles, working } = this.store.state;
    if (working) return;
    const damaged = openFiles.filter((file) => verdictOf(file).health === "damage");
    const repairable = damaged.filter(isRepairable);
    let done = 0;
    let [keys, uncertain] = [0, 0];
    await this.work("repairAll", null, async (signal, progress) => {
      await Promise.all(repairable.map(async (file) => {
        const recording = file.versions[file.current]?.recording;
        if (!recording) return;
        try {
          const result = await this.background.ask("repair", [recording], {}, signal);
          const now = this.unchanged(file);
          // The file may have been closed.
          if (!now) return release(result.recording);
          const make = (before: Recording) => this.background.ask("repair", [before]).then((again) => again.recording);
          this.addVersion(now, { recording: result.recording, label: "repair", make, earlier: 0, repaired: result.repaired, report: reportOf(result) });
          keys += sumOf(result, (group) => group.keys);
          uncertain += sumOf(result, (group) => group.uncertainKeys);
          progress(++done / repairable.length);
        } catch (error) {
          if (!signal.aborted) this.fail(error, file.name);
        }
      }));
    });
    const partial = new Set(damaged.filter(isTakeable).map(({ id }) => id));
    const openNow = this.store.state.openFiles.map((file) => (partial.has(file.id) ? { ...file, saved: null, isTaken: true } : file));
    this.store.update({ openFiles: openNow });
    const lines = [
      text("repairedAll", { count: done, keys: grouped(keys) }),
      uncertain > 0 ? text("uncertainKeys", { count: grouped(uncertain) }) : "",
      partial.size > 0 ? text("partsKept", { count: partial.size }) : "",
    ];
    this.say(lines.filter(Boolean).join("\n"), "note");
  }

  /** Saves data as a file, and says so. */
  saveFile(name: string, data: Blob, content: string, lacks: string[] = []): void {
    download(name, data);
    this.sayWritten(name, content, data.size, lacks);
  }

  /** Says the name, the content and the size of a file or folder that was saved. What it lacks stays on the page until the user has read it. */
  private sayWritten(name: string, content: string, bytes: number, lacks: string[]): void {
    this.say([text("saved", { name, content, bytes: grouped(bytes) }), ...lacks].join("\n"), lacks.length > 0 ? "warning" : "note");
  }

  /** Returns the file that saves a recording in a format, with its losses and notes. */
  private async written(file: OpenFile, recording: Recording, format: string): Promise<Report & Pick<ConvertedFile, "bytes">> {
    const losses = recording.losses();
    // The conversion says which format holds what a `.bin` file loses.
    const isPlain = format === "bin" && (losses.length === 0 || !CAN_CONVERT);
    if (!isPlain) return this.converted(file, recording, format, stemOf(file));
    const bytes = recording.toBytes(undefined, losses.length > 0);
    return { bytes, losses: losses.map((message) => ({ kind: "", count: 1, message })), notes: [] };
  }

  /** Saves all recordings whose changes are not saved, as one .zip file or in a folder that the user chooses. */
  async saveAll(place: "zip" | "folder"): Promise<void> {
    await this.edited;
    const unsaved = this.store.state.openFiles.filter(isUnsaved);
    const recordings = unsaved.flatMap(({ versions, current }) => versions[current]?.recording ?? []);
    await using(recordings, () => this.saveFiles(unsaved, place));
  }

  private async saveFiles(unsaved: OpenFile[], place: "zip" | "folder"): Promise<void> {
    try {
      const folder = place === "folder" ? await chosenFolder() : null;
      if (place === "folder" && !folder) return;
      const entries: Entry[] = [];
      const problems: string[] = [];
      const saved = new Map<number, Recording>();
      for (const file of unsaved) {
        const recording = file.versions[file.current]?.recording;
        if (!recording) continue;
        // A file that cannot be written does not prevent the others.
        try {
          const { bytes, losses } = await this.written(file, recording, "bin");
          problems.push(...losses.map((loss) => `${file.name}: ${lossText(loss)}`));
          if (losses.length === 0) saved.set(file.id, recording);
          // Equal files may be open twice.
          const isTaken = (name: string) => entries.some((entry) => entry.name === name);
          let name = `${file.recordingName}.bin`;
          for (let number = 2; isTaken(name); number++) name = `${file.recordingName} (${number}).bin`;
          entries.push({ name, bytes });
        } catch (error) {
          problems.push(`${file.name}: ${linesOf(error).join("\n")}`);
        }
      }
      const size = entries.reduce((sum, { bytes }) => sum + bytes.length, 0);
      const content = counted("files", entries.length);
      if (folder) {
        for (const entry of entries) await writeInto(folder, entry);
        this.sayWritten(folder.name, content, size, problems);
      } else this.saveFile("recordings.zip", zipped(entries), content, problems);
      this.noteSaved(saved);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Repairs the recording, and shows the damaged one as a ghost. */
  async repair(): Promise<void> {
    const { selected } = this.store.state;
    const result = await this.change("repair");
    if (!result) return;
    const report = reportOf(result);
    const { openFiles } = this.store.state;
    const file = openFiles.find(({ versions, current }) => versions[current]?.recording === result.recording);
    this.note(this.about(file, report()));
    const repaired = file?.versions[file.current];
    // The message disappears. The panel with the findings keeps the report.
    if (repaired) repaired.report = report;
    this.store.update({ openFiles: [...openFiles], ...(this.store.state.selected === selected ? { ghost: ORIGINAL } : {}) });
  }

  async trim(): Promise<void> {
    const { selected } = this.store.state;
    const { inPoint, outPoint } = this.store.state;
    if (inPoint === null && outPoint === null) return;
    const result = await this.change("trim", played(this.store.state));
    if (result && this.store.state.selected === selected) this.store.update({ inPoint: null, outPoint: null, time: 0 });
  }

  seek(time: number): void {
    const end = endOf(shown(this.store.state));
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
    const { openFiles, selected, time: before } = this.store.state;
    const recording = shown(this.store.state);
    if (!recording) return;
    try {
      const times = facts(recording).keyTimes;
      const now = Math.fround(before);
      const next = by > 0 ? times.find((time) => time > now) : times.findLast((time) => time < now);
      if (next !== undefined) this.seek(next);
      this.store.update({ playing: false });
    } catch (error) {
      // The times of keys may be damaged.
      this.fail(error, openFiles[selected]?.name);
    }
  }

  /** Moves to the next or the previous time with damage or with uncertain keys, also in the next or the previous file. */
  stepProblem(by: 1 | -1): void {
    const { state } = this.store;
    const times = problemsOf(state).map(({ start }) => Math.max(start, 0));
    const next = by > 0 ? times.find((time) => time > state.time + SAME_TIME) : times.findLast((time) => time < state.time - SAME_TIME);
    if (next !== undefined) this.seek(next);
    else this.selectProblem(by);
    this.store.update({ playing: false });
  }

  /** Moves to the start of a band, and shows its finding. */
  showBand({ start, code }: Band): void {
    this.seek(start);
    this.store.update({ panel: "findings" });
    // The panel is drawn first.
    setTimeout(() => document.getElementById(`finding-${code}`)?.scrollIntoView({ block: "nearest" }));
  }

  /** Sets the start of the played range. The end of the range is removed if it is not later. */
  setIn(time: number): void {
    const { outPoint } = this.store.state;
    // The range would be empty.
    if (!(time < endOf(shown(this.store.state)))) return;
    const isReversed = outPoint !== null && outPoint <= time;
    this.store.update({ inPoint: time, outPoint: isReversed ? null : outPoint });
    if (isReversed) this.note(text("outRemoved"));
  }

  /** Sets the end of the played range. The start of the range is removed if it is not earlier. */
  setOut(time: number): void {
    const { inPoint } = this.store.state;
    if (!(time > 0)) return;
    const isReversed = inPoint !== null && inPoint >= time;
    this.store.update({ outPoint: Math.min(time, endOf(shown(this.store.state))), inPoint: isReversed ? null : inPoint });
    if (isReversed) this.note(text("inRemoved"));
  }

  togglePlay(): void {
    const { playing, time } = this.store.state;
    const [start, end] = played(this.store.state);
    const isAtEnd = time >= end - 1e-4 || time < start;
    this.store.update({ following: false, playing: !playing, time: !playing && isAtEnd ? start : time });
  }

  /** Returns the position of a video that plays, after some seconds; null without one. */
  clock: (seconds: number) => number | null = () => null;

  /** Plays for some seconds of the clock. */
  advance(seconds: number): void {
    const { state } = this.store;
    if (!state.playing) return;
    const [start, end] = played(state);
    let time = this.clock(seconds) ?? state.time + seconds * state.rate;
    if (time >= end) {
      if (state.loop && end > start) time = start + ((time - start) % (end - start));
      else return this.store.update({ time: end, playing: false });
    }
    this.store.update({ time });
    // The timeline shows the next part when playback leaves it.
    const [from, to] = state.view;
    if (time > to || time < from) this.pan(time - from);
  }

  /** Moves the shown part of the timeline by seconds. */
  pan(by: number): void {
    const end = Math.max(endOf(shown(this.store.state)), 0.1);
    const [from, to] = this.store.state.view;
    const start = Math.min(Math.max(from + by, 0), Math.max(end - (to - from), 0));
    this.store.update({ view: [start, start + (to - from)] });
  }

  /** Zooms the timeline about a time. */
  zoom(factor: number, about: number): void {
    const end = Math.max(endOf(shown(this.store.state)), 0.1);
    const [from, to] = this.store.state.view;
    const length = Math.min(Math.max((to - from) * factor, 0.05), end);
    const start = Math.min(Math.max(about - ((about - from) / (to - from)) * length, 0), end - length);
    this.store.update({ view: [start, start + length] });
  }

  private async converted(file: OpenFile, recording: Recording, format: string, stem: string): Promise<ConvertedFile> {
    const formats = await formatsModule();
    return this.work(SAVING, file, (signal) =>
      this.background.ask("export", [recording], { texts: [format, stem], formats }, signal));
  }

  /** Saves the shown recording as a file: `.bin`, or another format. The user may show or close files meanwhile. */
  async save(format: string): Promise<void> {
    const { openFiles, selected } = this.store.state;
    const asked = openFiles[selected];
    const before = shown(this.store.state);
    if (!asked || !before) return;
    await using([before], async () => {
      // Saving waits for the current edit.
      await this.edited;
      const file = this.find(asked) ?? asked;
      const recording = file.versions[file.current]?.recording ?? before;
      await using([recording], () => this.saveRecording(file, recording, format));
    });
  }

  private async saveRecording(file: OpenFile, recording: Recording, format: string): Promise<void> {
    try {
      const stem = stemOf(file);
      const { bytes, losses, notes } = await this.written(file, recording, format);
      const isEdited = format === "bin" && file.current > 0;
      // A copy keeps its name, also if the extension is in capital letters.
      const isSame = format === "bin" && !isEdited && isBin(file.name);
      const saved = isSame ? flat(file.name) : `${stem}${isEdited ? "-edited" : ""}.${extensionOf(format)}`;
      const content = `${file.recordingName}, ${time(endOf(recording))}`;
      this.saveFile(saved, new Blob([bytes as BlobPart]), content, [...losses.map(lossText), ...notes.map(noteText)]);
      if (["bin", "json", "mcap"].includes(format) && losses.length === 0) this.noteSaved(new Map([[file.id, recording]]));
    } catch (error) {
      this.fail(error, file.name);
    }
  }

  /** Notes the recordings that were saved completely, by the numbers of their files. */
  private noteSaved(saved: Map<number, Recording>): void {
    const openFiles = this.store.state.openFiles.map((file) => (saved.has(file.id) ? { ...file, saved: saved.get(file.id) ?? null, isTaken: true } : file));
    this.store.update({ openFiles });
  }
}

/** Returns the name of a recording for a file in the folder for downloads, without an extension. */
export function stemOf({ name }: OpenFile): string {
  return flat(recordingNames([{ path: name, folder: "" }])[0] ?? name);
}

/** Returns a name without folders. */
function flat(name: string): string {
  return name.replaceAll("/", "-");
}

/** Returns an open file with one version. */
function file(name: string, recording: Recording, label: string, isSaved: boolean): OpenFile {
  const versions = [{ recording, label, make: null, earlier: 0 }];
  return { id: nextId++, path: name, folder: "", name, recordingName: name, versions, current: 0, saved: isSaved ? recording : null };
}

/** Sets the names of files. The files stay the same objects, because an edit of one of them may be in progress. */
function named(files: OpenFile[]): OpenFile[] {
  const paths = files.map(({ path, folder }) => ({ path, folder }));
  const [names, recordings] = [fileNames(paths), recordingNames(paths)];
  for (const [index, file] of files.entries()) {
    file.name = names[index] ?? file.path;
    file.recordingName = recordings[index] ?? file.path;
  }
  return files;
}

/** Returns true if a repair removes a finding of the shown version. */
export function isRepairable(file: OpenFile): boolean {
  const recording = file.versions[file.current]?.recording;
  const findings = (recording && facts(recording).known("findings")) ?? [];
  return findings.some(({ severity, remedy }) => severity === "damage" && remedy === "repair");
}

/** Returns true if only a part of the file could be read. */
export function isPartial(file: OpenFile): boolean {
  const recording = file.versions[file.current]?.recording;
  return recording ? facts(recording).fileDamage !== null : false;
}

/** Returns true if the intact part of a truncated file can be taken. */
export function isTakeable(file: OpenFile): boolean {
  return isPartial(file) && file.isTaken !== true;
}

/** Returns true if everything was done that can be done for a truncated file. */
export function isRecovered(file: OpenFile): boolean {
  return isPartial(file) && file.isTaken === true && !isRepairable(file);
}

/** Returns the sum of a number of all repairs. A key of a rotation counts once, as in the program. */
function sumOf({ repaired }: Edited, count: (group: RepairGroup) => number): number {
  return (repaired?.groups ?? []).reduce((total, group) => total + count(group), 0);
}

/** Returns a function that says what a repair did, in the language of the page. */
function reportOf(edited: Edited): () => string {
  const { repaired, remaining } = edited;
  const keys = sumOf(edited, (group) => group.keys);
  const uncertain = sumOf(edited, (group) => group.uncertainKeys);
  const ranges = repaired?.uncertain ?? [];
  return () => [
    text("repaired", { keys: grouped(keys) }),
    uncertain > 0 ? text("uncertain", { keys: grouped(uncertain), times: times(ranges) }) : "",
    remaining.length > 0 ? text("remaining", { codes: remaining.join(" ") }) : "",
  ].filter(Boolean).join("\n");
}

/** Returns the number of things with their name: `Events: 12`. */
export function counted(name: string, count: number): string {
  return text("counted", { name: text(name), count: grouped(count) });
}

/** Returns the text of a number with separators, in the language of the page. */
function grouped(count: number): string {
  return count.toLocaleString(language());
}

/** Frees recordings that are not needed any more. The timeout lets watchers finish using them. */
function discard(versions: Version[]): void {
  for (const { recording } of versions) {
    if (!recording) continue;
    // A question without an end would keep a worker busy.
    facts(recording).cancel();
    setTimeout(() => release(recording));
  }
}

/** Removes versions from memory that their edits can make again: the ones that are farthest from the shown version. */
function withinMemory(file: OpenFile): OpenFile {
  const { current, saved, versions } = file;
  const removable = versions
    .map((version, index) => ({ version, distance: Math.abs(index - current) }))
    .filter(({ version: { recording, make }, distance }) => recording && make && distance > 0 && recording !== saved)
    .sort((a, b) => a.distance - b.distance);
  let bytes = 0;
  const removed = removable.filter(({ version }) => (bytes += facts(version.recording as Recording).info.bytes) > UNDO_BYTES);
  const old = new Set(removed.map(({ version }) => version));
  discard([...old]);
  return { ...file, versions: versions.map((version) => (old.has(version) ? { ...version, recording: null } : version)) };
}

/** Makes a version that was removed from memory. */
async function made(versions: Version[], index: number): Promise<Recording> {
  const { recording, make } = versions[index] as Version;
  if (recording) return recording;
  const before = await made(versions, index - 1);
  try {
    return await (make as NonNullable<typeof make>)(before);
  } finally {
    if (!versions[index - 1]?.recording) release(before);
  }
}

/** Lists the first time ranges. */
function times(ranges: { start: number; end: number }[]): string {
  const LISTED = 5;
  const seconds = (time: number) => localized(time.toFixed(3));
  const listed = ranges.slice(0, LISTED).map(({ start, end }) => `${start < end ? `${seconds(start)}–` : ""}${seconds(end)} s`);
  return listed.join(", ") + (ranges.length > LISTED ? " …" : "");
}
