// Edits, and questions about recordings whose answers may take seconds. A worker computes them, so that the page is not
// blocked.

import type {
  Analysis, AnalysisEvent, AnalysisNote, Difference, EventTable, Finding, Measure, Recording, Repaired, Series, TimeRange,
} from "../package/inputanim.js";
import { type CurveKeys, readKeys } from "./curve-keys.js";
import { type ConvertedFile, exportFile, importFile, useFormats } from "./formats.js";

/** The rate in Hz of paths in small figures. A higher rate takes three times as long, and looks the same. */
const FIGURE_RATE = 15;

/** The result of an edit. */
export interface Edited {
  recording: Recording;
  /** What a repair did. */
  repaired?: Repairs;
  /** Codes of the findings after a repair. */
  remaining: string[];
  /** What an edit could not keep. */
  lost?: string[];
}

/** The repairs of a recording. */
export type Repairs = Pick<Repaired, "groups" | "uncertain">;

/** The edits. Their arguments are the numbers of the question. */
const EDITS = {
  repair: (recording: Recording): Edited => {
    const { recording: repaired, report, groups, uncertain } = recording.repair();
    return { recording: repaired, repaired: { groups, uncertain }, remaining: [...new Set(report.remaining.map(({ code }) => code))] };
  },
  trim: (recording: Recording, [start = 0, end = 0]: number[]) => recording.trim(start, end),
  trimFrozen: (recording: Recording) => {
    const end = recording.sharedEnd();
    return end === undefined ? recording.clone() : recording.trim(-Infinity, end);
  },
  // Playback then starts at the first key.
  shift: (recording: Recording) => recording.shift(-(recording.info().timeRange?.start ?? 0)),
  mirror: (recording: Recording) => {
    const { streams } = recording.info();
    return recording.mirror(streams.some(({ stream, keys }) => stream === "head" && keys > 0) ? "head" : "world");
  },
  smooth: (recording: Recording): Edited => {
    const { recording: smoothed, report } = recording.smooth();
    return { recording: smoothed, remaining: [], lost: report };
  },
  resample: (recording: Recording, [rate = 60]: number[]) => recording.resample(rate),
  reduce: (recording: Recording) => recording.reduce().recording,
};

export type Edit = keyof typeof EDITS;

/** The data that a question needs in addition to its recordings. */
export interface Details {
  numbers: number[];
  texts: string[];
  /** The bytes of a file that is not a recording. They are moved to the worker. */
  file?: Uint8Array;
  /** The module for other formats. */
  formats?: WebAssembly.Module;
}

/** The answer to each question. */
export interface Answers extends Record<Edit, Edited> {
  findings: Finding[];
  /** Speeds, apertures and the gaze velocity over time. */
  series: Series;
  fixations: AnalysisEvent[];
  events: AnalysisEvent[];
  /** The events of the kinds that the texts name, as a table with the columns of the program. */
  eventTable: EventTable;
  /** Small figures as SVG, for both themes. */
  thumbnail: { light: string; dark: string };
  /** Measures of a time range. The numbers of the question are the ends of the range, or NaN for those of the recording. */
  measures: { asked: number[]; range: TimeRange; measures: Measure[]; notes: AnalysisNote[] };
  /** The keys of the curves of a joint or stream. The text is its name. */
  keys: CurveKeys;
  /** The differences between two recordings. */
  difference: Difference;
  /** The recording in another format. The texts are the format, and the name without extension. */
  export: ConvertedFile;
  /** A file in another format as a recording. The text is its name. */
  import: ConvertedFile;
}

export type Question = keyof Answers;

/** Answers a question about one recording or two. The analysis belongs to the first one, and the class to its instance of the module. */
export function answer<Q extends Question>(
  question: Q,
  recordings: Recording[],
  analysis: () => Analysis,
  Class: typeof Analysis,
  { numbers, texts, file, formats }: Details,
): Answers[Q] {
  const [recording, other] = recordings;
  const [first = "", second = ""] = texts;
  if (formats) useFormats(formats);
  if (question === "import") return importFile(first, file ?? new Uint8Array()) as Answers[Q];
  if (!recording) throw new Error("no recording");
  if (question in EDITS) return edited(question as Edit, recording, numbers) as Answers[Q];
  const answers: { [Each in Exclude<Question, Edit | "import">]: () => Answers[Each] } = {
    findings: () => recording.findings(),
    series: () => analysis().series(),
    fixations: () => analysis().events().filter((event) => event.kind === "fixation"),
    events: () => analysis().events(),
    eventTable: () => analysis().eventTable(texts),
    thumbnail: () => {
      const figure = new Class(recording, { rate: FIGURE_RATE });
      try {
        return { light: figure.thumbnailWithoutWords(false), dark: figure.thumbnailWithoutWords(true) };
      } finally {
        figure.free();
      }
    },
    measures: () => {
      const [start, end] = numbers.map((time) => (Number.isNaN(time) ? undefined : time));
      const range = analysis().measuredRange(start, end);
      return { asked: numbers, range, measures: analysis().measures(start, end), notes: analysis().notes() };
    },
    keys: () => readKeys(recording, first),
    export: () => exportFile(recording, first, second),
    difference: () => {
      // The other recording is later by the offset of the ghost.
      const [offset = 0] = numbers;
      if (!other || offset === 0) return recording.diff(other ?? recording);
      const moved = other.shift(-offset);
      try {
        return recording.diff(moved, { start: 0, end: recording.duration, duration: Infinity });
      } finally {
        moved.free();
      }
    },
  };
  return (answers as Record<Question, () => Answers[Q]>)[question]();
}

function edited(edit: Edit, recording: Recording, numbers: number[]): Edited {
  const made = EDITS[edit](recording, numbers);
  return "recording" in made ? made : { recording: made, remaining: [] };
}
