// The state of the page. Actions update the state, and views are drawn from it.

import type { Recording } from "../package/inputanim.js";
import type { Content } from "./content.js";
import { facts } from "./facts.js";
import type { Repairs } from "./questions.js";

/** A file, and the versions that edits have created. */
export interface OpenFile {
  /** A number that stays the same while the file is edited or loaded again. */
  id: number;
  /** The path of the file, and the folder that was dropped; without a folder, the path has all parts of the name. */
  path: string;
  folder: string;
  /** The name in lists. All files are named together, so that equal names get folders. */
  name: string;
  /** The name of the recording in tables and of saved files, without an extension. */
  recordingName: string;
  /** Number of the file on the server or in the report. */
  source?: number;
  /** True while the recording is in progress. */
  isLive?: boolean;
  /** The file, the results of edits, and the edits that were undone. */
  versions: Version[];
  /** Index of the version that is shown. It is always in memory. */
  current: number;
  /** The recording that is saved in a file; `null` if none is. */
  saved: Recording | null;
  /** True if the user took the intact part of a truncated file: nothing else can be done for it. */
  isTaken?: boolean;
  /** The new content of the file on the server, if the file changed while the recording had edits. */
  changed?: Content;
}

/** A video of the same moments as a recording. */
export interface Video {
  name: string;
  address: string;
  /** The time of the recording, as it was opened, at which the video starts, in seconds. */
  start: number;
  /** The start that the program states; 0 without one. */
  given: number;
}

export interface Version {
  /** `null` if the recording was removed from memory. `make` makes it again. */
  recording: Recording | null;
  /** Key of the text that names the edit. */
  label: string;
  /** Applies the edit to the version before; `null` for a recording that was opened or recorded. */
  make: ((before: Recording) => Promise<Recording>) | null;
  /** Seconds by which edits have moved the recording to earlier times. */
  earlier: number;
  /** What a repair did, if this version is its result. */
  report?: () => string;
  /** The repairs, if this version is their result. */
  repaired?: Repairs;
}

export interface Working {
  /** Key of the text that names the work. */
  label: string;
  file: OpenFile | null;
  stop: AbortController;
  /** The finished part, from 0 to 1; undefined if it is not known. */
  done?: number;
}

/** A file that could not be opened, or that was not opened completely, and the reason. */
export interface Problem {
  name: string;
  text: string;
}

/** What the overview shows. */
export interface Filter {
  health: Kind | "all";
  /** The extension of files; empty for all. */
  format: string;
  /** The code of a finding; empty for all. */
  code: string;
  /** Words in names. */
  words: string;
  sort: Sort;
}

export const HEALTHS = ["damage", "warning", "intact"] as const;
export type Health = (typeof HEALTHS)[number];
/** The kinds of files that the filter knows. */
export const KINDS = [...HEALTHS, "uncertain"] as const;
export type Kind = (typeof KINDS)[number];
export const SORTS = ["opened", "name", "duration", "findings", "uncertain"] as const;
export type Sort = (typeof SORTS)[number];

/** A message, and a button for it. */
export interface Message {
  text: string;
  /** A note is removed after some time. */
  kind: "note" | "warning" | "error";
  /** True if it has the problems of several files, which the overview lists. */
  isList?: boolean;
  action?: { label: string; run: () => void };
}

/** The parts that open from the bottom of a phone. Their names are also the keys of their texts. */
export const SHEETS = ["files", "panels", "plot", "range", "options"] as const;
export type Sheet = (typeof SHEETS)[number];

export const CAMERAS = ["orbit", "hands", "top", "front", "head", "follow"] as const;
export type Camera = (typeof CAMERAS)[number];
export const PANELS = ["findings", "info", "curves", "markers", "edit", "diff", "measures", "events"] as const;
export type Panel = (typeof PANELS)[number];

/** The sizes of parts of the page in pixels; null for the usual size. */
export interface Layout {
  /** The width of the list of files. */
  files: number | null;
  /** The width of the panels. */
  panels: number | null;
  /** The height of all plots. */
  height: number | null;
  /** The width of the video, or its height below the view. */
  video: number | null;
}

export interface State {
  openFiles: OpenFile[];
  /** True while files are being opened. */
  opening: boolean;
  /** How many of the files are open, while several are opened; otherwise empty. */
  opened: string;
  /** Index of the open file that is shown; -1 without an open file. */
  selected: number;
  /** Index of the open file that is shown as a ghost, or `ORIGINAL`; -1 without a ghost. */
  ghost: number;
  /** Seconds that are added to the time of the ghost, if the ghost is another file. */
  ghostOffset: number;
  /** Number of answers of the worker. It changes with each answer, so that views are drawn again. */
  answers: number;
  /** The last frame of a recording in progress. */
  live: { frame: Float32Array; time: number } | null;
  /** True if the view shows the last frame of the recording in progress. */
  following: boolean;
  /** True if the list of all files covers the view. */
  overview: boolean;
  filter: Filter;
  /** The problems of the files that were opened last. */
  problems: readonly Problem[];
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
  /** Number of times that the user has moved the camera. */
  moves: number;
  panel: Panel;
  /** The part that is open on a phone. A large screen shows all parts. */
  sheet: Sheet | null;
  plot: string;
  /** The plots below the first one. */
  morePlots: readonly string[];
  /** The names of the streams and joints that have a row in the timeline. */
  rows: readonly string[];
  /** The sizes that the user has given to parts of the page. */
  layout: Layout;
  trails: boolean;
  /** True if the camera moves when the hands leave the picture. */
  follow: boolean;
  /** True if the axes of the joints are drawn. */
  axes: boolean;
  /** True if the joints are drawn over the picture of a video. */
  overlay: boolean;
  /** The videos of open files, by the numbers of the files. */
  videos: Readonly<Record<number, Video>>;
  /** The starts of videos that differ from the given ones, by the names that `videoKey` returns. */
  videoStarts: Readonly<Record<string, number>>;
  /** Names of the joints and streams that the view does not draw: `left.Palm`, `head`. */
  hidden: ReadonlySet<string>;
  /** The curves that the user has chosen for the plot. */
  curves: readonly string[];
  /** True if the ghost is drawn beside the figure. */
  beside: boolean;
  /** Names of the measures that the user has chosen for the table: `left.Palm.speed.mean`. */
  measures: readonly string[];
  /** True if the table of measures covers the view. */
  table: boolean;
  language: string;
  theme: "system" | "light" | "dark";
  /** The edit or conversion in progress. */
  working: Working | null;
  message: Message | null;
  /** The key of the text that is shown in place of the view, if the view cannot be drawn. */
  viewProblem: "noWebGl" | "viewLost" | "viewFailed" | null;
}

type Watcher = () => void;

/** Holds the state, and calls watchers when a value that they select changes. */
export class Store {
  private watchers: Watcher[] = [];
  /** The errors of the watchers that failed in the last update. */
  private readonly failed = new Map<Watcher, string>();
  private isScheduled = false;

  constructor(public state: State) {}

  update(changes: Partial<State>): void {
    this.state = { ...this.state, ...changes };
    if (this.isScheduled) return;
    this.isScheduled = true;
    queueMicrotask(() => {
      this.isScheduled = false;
      for (const watcher of this.watchers) {
        try {
          watcher();
          this.failed.delete(watcher);
        } catch (error) {
          // A part that fails does not keep the others from drawing. The message about an error is an update too, so an error that each
          // update repeats is reported once.
          const isKnown = this.failed.get(watcher) === String(error);
          this.failed.set(watcher, String(error));
          if (!isKnown) reportError(error);
        }
      }
    });
  }

  /** Calls `draw` now, and each time a selected value changes. Returns a function that ends this. */
  watch(select: (state: State) => unknown[], draw: (state: State) => void): () => void {
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
    return () => void (this.watchers = this.watchers.filter((other) => other !== watcher));
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

/** Returns the shown version of an open file, or the shown recording before its edits for `ORIGINAL`. */
export function version(state: State, index: number): Recording | null {
  if (index === ORIGINAL) {
    const file = state.openFiles[state.selected];
    return (file && original(file)?.recording) ?? null;
  }
  const file = state.openFiles[index];
  return file?.versions[file.current]?.recording ?? null;
}

/** Returns the last version that was opened, before the edits of the shown version. */
function original(file: OpenFile): Version | undefined {
  return file.versions.slice(0, file.current + 1).findLast(({ make }) => make === null);
}

/** Returns the seconds that are added to the position to get the time of the ghost. */
export function ghostOffset(state: State): number {
  if (state.ghost !== ORIGINAL) return state.ghostOffset;
  const file = state.openFiles[state.selected];
  return (file?.versions[file.current]?.earlier ?? 0) - ((file && original(file)?.earlier) ?? 0);
}

/** Returns true if the shown version of a file is not saved. */
export function isUnsaved(file: OpenFile): boolean {
  return !file.isLive && file.versions[file.current]?.recording !== file.saved;
}

/** Returns the time of the shown version of a file at which its video starts, in seconds. */
export function videoStart({ videos }: State, { id, versions, current }: OpenFile): number {
  return (videos[id]?.start ?? 0) - (versions[current]?.earlier ?? 0);
}

/** Returns the name under which the start of a video is remembered. If the program states another start, it is another name. */
export function videoKey(path: string, { name, given }: Pick<Video, "name" | "given">): string {
  return `${path}|${name}|${given}`;
}

/** Returns the end of a recording in seconds. */
export function endOf(recording: Recording | null | undefined): number {
  return recording ? facts(recording).end : 0;
}

/** Returns the played range. */
export function played(state: State): [number, number] {
  return [state.inPoint ?? 0, state.outPoint ?? endOf(shown(state))];
}
