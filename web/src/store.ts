// The state of the page. Actions update the state, and views are drawn from it.

import type { Recording } from "../package/inputanim.js";

/** A file, and the versions that edits have created. */
export interface OpenFile {
  name: string;
  /** Number of the file on the server. */
  source?: number;
  /** True while the recording is in progress. */
  isLive?: boolean;
  /** The file, the results of edits, and the edits that were undone. */
  versions: Version[];
  /** Index of the version that is shown. */
  current: number;
}

export interface Version {
  recording: Recording;
  /** Key of the text that names the edit. */
  label: string;
}

export type Camera = "orbit" | "top" | "front" | "head" | "follow";
export type Panel = "findings" | "info" | "markers" | "edit" | "diff" | "measures";

export interface State {
  openFiles: OpenFile[];
  /** Index of the open file that is shown; -1 without an open file. */
  selected: number;
  /** Index of the open file that is shown as a ghost, or `ORIGINAL`; -1 without a ghost. */
  ghost: number;
  /** Number of answers of the worker. It changes with each answer, so that views are drawn again. */
  answers: number;
  /** The last frame of a recording in progress. */
  live: { frame: Float32Array; time: number } | null;
  /** True if the view shows the last frame of the recording in progress. */
  following: boolean;
  /** True if the list of all files covers the view. */
  overview: boolean;
  /** Position in seconds. */
  time: number;
  playing: boolean;
  rate: number;
  loop: boolean;
  inPoint: number | null;
  outPoint: number | null;
  /** Time range that the timeline and the plots show. */
  view: [number, number];
  camera: Camera;
  panel: Panel;
  plot: string;
  trails: boolean;
  language: string;
  theme: "system" | "light" | "dark";
  /** The edit or conversion in progress. */
  working: { label: string; file: OpenFile | null; stop: AbortController } | null;
  message: { text: string; kind: "note" | "error" } | null;
}

type Watcher = () => void;

/** Holds the state, and calls watchers when a value that they select changes. */
export class Store {
  private watchers: Watcher[] = [];
  private isScheduled = false;

  constructor(public state: State) {}

  update(changes: Partial<State>): void {
    this.state = { ...this.state, ...changes };
    if (this.isScheduled) return;
    this.isScheduled = true;
    queueMicrotask(() => {
      this.isScheduled = false;
      for (const watcher of this.watchers) watcher();
    });
  }

  /** Calls `draw` now, and each time a selected value changes. */
  watch(select: (state: State) => unknown[], draw: (state: State) => void): void {
    let last: unknown[] | null = null;
    const watcher = () => {
      const values = select(this.state);
      const before = last;
      if (before && values.every((value, index) => Object.is(value, before[index]))) return;
      last = values;
      draw(this.state);
    };
    this.watchers.push(watcher);
    watcher();
  }
}

/** Returns true if the page is dark. */
export function isDark(state: State): boolean {
  if (state.theme !== "system") return state.theme === "dark";
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Returns the recording that is shown. */
export function shown(state: State): Recording | null {
  return version(state, state.selected);
}

/** The value of `ghost` that shows the recording before its edits. */
export const ORIGINAL = -2;

/** Returns the shown version of an open file. */
export function version(state: State, index: number): Recording | null {
  if (index === ORIGINAL) return state.openFiles[state.selected]?.versions[0]?.recording ?? null;
  const file = state.openFiles[index];
  return file?.versions[file.current]?.recording ?? null;
}

/** Returns the played range. */
export function played(state: State): [number, number] {
  const end = shown(state)?.duration ?? 0;
  return [state.inPoint ?? 0, state.outPoint ?? end];
}
