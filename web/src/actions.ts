// What people can do: each action updates the state once.

import { Recording, type InputanimError } from "../package/inputanim.js";
import { text } from "./strings.js";
import { ORIGINAL, type Store, type Take, played, shown } from "./store.js";
import { facts } from "./facts.js";
import { importFile, exportFile } from "./formats.js";

/** Versions that are kept for Undo. */
const MAX_VERSIONS = 30;

export class Actions {
  constructor(readonly store: Store) {}

  note(message: string): void {
    this.store.update({ message: { text: message, kind: "note" } });
  }

  fail(error: unknown, name = ""): void {
    const { message, hint } = error as InputanimError;
    const lines = [name ? `${name}: ${message}` : message, hint ? `${text("hint")}: ${hint}` : ""];
    this.store.update({ message: { text: lines.filter(Boolean).join("\n"), kind: "error" } });
  }

  /** Opens files: recordings, or other formats. A damaged recording is recovered. */
  async open(files: { name: string; bytes: () => Promise<Uint8Array> }[]): Promise<void> {
    for (const file of files) {
      try {
        this.add(await this.read(file.name, await file.bytes()));
      } catch (error) {
        this.fail(error, file.name);
      }
    }
  }

  private async read(name: string, bytes: Uint8Array): Promise<Take> {
    const take = (recording: Recording, label: string): Take => ({
      name,
      versions: [{ recording, label }],
      current: 0,
    });
    try {
      return take(Recording.open(bytes), "opened");
    } catch (error) {
      const { kind, hint } = error as InputanimError;
      // Only errors of recordings with intact parts have a hint.
      if (hint) {
        const recovered = Recording.recover(bytes);
        this.fail(new Error(`${(error as Error).message}\n${text("recovered")}`), name);
        return take(recovered.recording, "recovered");
      }
      const imported = kind === "not-input-animation" ? await importFile(name, bytes) : null;
      if (!imported) throw error;
      const { losses, notes } = imported;
      if (losses.length + notes.length) this.note([name, ...losses, ...notes].join("\n"));
      return take(Recording.open(imported.bytes), "opened");
    }
  }

  add(take: Take): void {
    const takes = [...this.store.state.takes, take];
    this.store.update({ takes });
    this.select(takes.length - 1);
  }

  /** Replaces the file of a take, because it changed. */
  async reload(name: string, bytes: Uint8Array): Promise<void> {
    const index = this.store.state.takes.findIndex((take) => take.name === name);
    const take = await this.read(name, bytes);
    if (index < 0) return this.add(take);
    const takes = [...this.store.state.takes];
    takes[index] = take;
    this.store.update({ takes });
    this.seek(this.store.state.time);
  }

  select(index: number): void {
    const { takes, ghost } = this.store.state;
    const take = takes[index];
    const duration = take?.versions[take.current]?.recording.duration ?? 0;
    this.store.update({
      selected: index,
      ghost: ghost === index || ghost === ORIGINAL ? -1 : ghost,
      time: 0,
      playing: false,
      inPoint: null,
      outPoint: null,
      view: [0, Math.max(duration, 0.1)],
    });
  }

  close(index: number): void {
    const takes = this.store.state.takes.filter((_, other) => other !== index);
    this.store.update({ takes, ghost: -1 });
    this.select(Math.min(this.store.state.selected, takes.length - 1));
  }

  /** Replaces the recording by the result of an edit. */
  edit(label: string, apply: (recording: Recording) => Recording): boolean {
    const { state } = this.store;
    const take = state.takes[state.selected];
    const recording = shown(state);
    if (!take || !recording) return false;
    try {
      const edited = apply(recording);
      const kept = take.versions.slice(0, take.current + 1).slice(-MAX_VERSIONS);
      this.show({ ...take, versions: [...kept, { recording: edited, label }], current: kept.length });
      return true;
    } catch (error) {
      this.fail(error, take.name);
      return false;
    }
  }

  undo(): void {
    this.step(-1);
  }

  redo(): void {
    this.step(1);
  }

  private step(by: number): void {
    const take = this.store.state.takes[this.store.state.selected];
    if (take?.versions[take.current + by]) this.show({ ...take, current: take.current + by });
  }

  private show(take: Take): void {
    const { state } = this.store;
    const takes = state.takes.map((other, index) => (index === state.selected ? take : other));
    const duration = take.versions[take.current]?.recording.duration ?? 0;
    const isInside = (time: number | null) => (time !== null && time <= duration ? time : null);
    this.store.update({
      takes,
      time: Math.min(state.time, duration),
      inPoint: isInside(state.inPoint),
      outPoint: isInside(state.outPoint),
      view: [0, Math.max(duration, 0.1)],
    });
  }

  /** Repairs the recording, and shows the damaged one as a ghost. */
  repair(): void {
    const isRepaired = this.edit("repair", (recording) => {
      const { recording: repaired, report } = recording.repair();
      const keys = report.repaired.reduce((sum, repair) => sum + repair.keys, 0);
      this.note(text("repaired", { keys, left: report.remaining.length }));
      return repaired;
    });
    if (isRepaired) this.store.update({ ghost: ORIGINAL });
  }

  trim(): void {
    const [start, end] = played(this.store.state);
    if (this.edit("trim", (recording) => recording.trim(start, end))) {
      this.store.update({ inPoint: null, outPoint: null, time: 0 });
    }
  }

  trimFrozen(): void {
    this.edit("trim", (recording) => {
      const end = recording.sharedEnd();
      return end === undefined ? recording.clone() : recording.trim(-Infinity, end);
    });
  }

  seek(time: number): void {
    const end = shown(this.store.state)?.duration ?? 0;
    this.store.update({ time: Math.min(Math.max(time, 0), end) });
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

  togglePlay(): void {
    const { playing, time } = this.store.state;
    const [start, end] = played(this.store.state);
    const isAtEnd = time >= end - 1e-4 || time < start;
    this.store.update({ playing: !playing, time: !playing && isAtEnd ? start : time });
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

  /** Saves the recording as a file: `.bin`, or another format. */
  async save(format: string): Promise<void> {
    const { state } = this.store;
    const take = state.takes[state.selected];
    const recording = shown(state);
    if (!take || !recording) return;
    try {
      const stem = take.name.replace(/\.[^.]*$/, "");
      const { name, bytes, losses } = await exportFile(stem, recording, format);
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([bytes as BlobPart]));
      link.download = take.current > 0 || format !== "bin" ? name : take.name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
      this.note([text("saved", { name: link.download, bytes: bytes.length }), ...losses].join("\n"));
    } catch (error) {
      this.fail(error, take.name);
    }
  }
}
