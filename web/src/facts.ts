// Results of the library for a recording. They are computed when they are first needed, and stay valid, because a
// recording never changes. A result that may take seconds is null until the worker has computed it.

import {
  columnNames,
  type DeviceInfo,
  type FileDamage,
  type Marker,
  type Transition,
  type Recording,
  type Samples,
  type Info,
} from "../package/inputanim.js";
import type { Background } from "./background.js";
import { type DeviceLane, lanesOf } from "./devices.js";
import type { Answers, Edit, Question } from "./questions.js";

/** A question to the worker, and its answer. */
interface Asked {
  answer: unknown;
  error: Error | null;
  isPending: boolean;
  stop: AbortController;
}

let background: Background | null = null;
let changed: () => void = () => undefined;

/** Sets the worker, and a function that is called after each of its answers. */
export function answerWith(worker: Background, onAnswer: () => void): void {
  background = worker;
  changed = onAnswer;
}

class Facts {
  private cache = new Map<string, unknown>();
  private asked = new Map<Question, Asked>();
  private keysOf = new Map<string, Asked>();
  private compared = new Map<Recording, { offset: number; asked: Asked }>();

  constructor(private readonly recording: Recording) {}

  private get<T>(name: string, compute: () => T): T {
    if (!this.cache.has(name)) this.cache.set(name, compute());
    return this.cache.get(name) as T;
  }

  get info(): Info {
    return this.get("info", () => this.recording.info());
  }
  get markers(): Marker[] {
    return this.get("markers", () => this.recording.markers());
  }
  /** The names of markers that would hide the others, with their numbers. */
  get telemetry(): Map<string, number> {
    return this.get("telemetry", () => new Map(this.recording.telemetry().map(({ name, count }) => [name, count])));
  }
  get keyTimes(): Float32Array {
    return this.get("keyTimes", () => this.recording.keyTimes());
  }
  get transitions(): Transition[] {
    return this.get("transitions", () => this.recording.transitions());
  }
  /** The end in seconds: the duration, or the last finite key time if there is no finite duration. */
  get end(): number {
    const { duration } = this.recording;
    return Number.isFinite(duration) ? duration : (this.info.timeRange?.end ?? 0);
  }
  /** The seconds before 0 that have keys. Playback starts at 0, so it skips them. */
  get skipped(): number {
    return Math.max(-(this.info.timeRange?.start ?? 0), 0);
  }
  /** At most 4000 frames of the complete recording, for trails and plots. */
  get overview(): Samples {
    return this.get("overview", () => {
      const end = Math.max(this.end, 0.001);
      return this.recording.sampleRange(0, end, Math.min(60, 4000 / end));
    });
  }
  /** The damage of the file, if only a part of it could be read. */
  get fileDamage(): FileDamage | null {
    return this.get("fileDamage", () => this.recording.fileDamage);
  }
  /** As `overview`; without values if the recording cannot be evaluated, which a finding reports. */
  get drawable(): Samples {
    try {
      return this.overview;
    } catch {
      return { times: new Float32Array(), columns: {} };
    }
  }
  /** The controllers, trackers and other devices of the recording. */
  get devices(): DeviceInfo[] {
    return this.info.devices ?? [];
  }
  /** The rows of devices and their buttons in the timeline. */
  get lanes(): DeviceLane[] {
    return this.get("lanes", () => (this.devices.length > 0 ? lanesOf(this.transitions, this.end, this.recording.gaps) : []));
  }
  /** At most 4000 frames of a time range, for plots. The last range is kept. */
  visible(start: number, end: number): Samples {
    const first = Math.max(start, 0);
    const last = Math.min(end, Math.max(this.end, 0.001));
    if (first <= 0 && last >= this.end) return this.overview;
    const known = this.cache.get("visible") as { range: string; samples: Samples } | undefined;
    const range = `${first} ${last}`;
    if (known?.range === range) return known.samples;
    const samples = this.recording.sampleRange(first, last, Math.min(240, 4000 / Math.max(last - first, 0.001)));
    this.cache.set("visible", { range, samples });
    return samples;
  }

  /** Returns an answer of the worker; null until the worker has answered. Throws the error of the worker. */
  answer<Q extends "findings" | "series" | "fixations" | "events" | "thumbnail">(question: Q): Answers[Q] | null {
    let asked = this.asked.get(question);
    if (!asked) this.asked.set(question, (asked = this.ask(question)));
    if (asked.error) throw asked.error;
    return asked.answer as Answers[Q] | null;
  }

  /** Returns an answer if it was already computed; null otherwise. */
  known<Q extends Question>(question: Q): Answers[Q] | null {
    return (this.asked.get(question)?.answer ?? null) as Answers[Q] | null;
  }

  /**
   * Returns the measures of a time range; of the complete recording without a start or an end. Until they are computed, returns the
   * measures of the previous range.
   */
  measures(start: number | null, end: number | null): Answers["measures"] | null {
    const asked = [start ?? NaN, end ?? NaN];
    const before = this.asked.get("measures");
    const known = before?.answer as Answers["measures"] | null | undefined;
    if (before?.error) throw before.error;
    // While an answer is computed, the range may change many times.
    if (before?.isPending || (known?.asked.every((time, index) => Object.is(time, asked[index])))) return known ?? null;
    this.asked.set("measures", this.ask("measures", [], asked, known));
    return known ?? null;
  }

  /** Returns the differences to another recording, which is later by an offset in seconds; null until they are computed. */
  difference(other: Recording, offset: number): Answers["difference"] | null {
    let found = this.compared.get(other);
    if (found?.offset !== offset) this.compared.set(other, (found = { offset, asked: this.ask("difference", [other], [offset]) }));
    if (found.asked.error) throw found.asked.error;
    return found.asked.answer as Answers["difference"] | null;
  }

  /** Returns the keys of the curves of a joint or stream; null until they are read, or if they cannot be read. */
  keys(part: string): Answers["keys"] | null {
    let asked = this.keysOf.get(part);
    if (!asked) this.keysOf.set(part, (asked = this.ask("keys", [], [], null, [part])));
    return asked.answer as Answers["keys"] | null;
  }

  /** Cancels all open questions about the recording. */
  cancel(): void {
    const compared = [...this.compared.values()].map((found) => found.asked);
    for (const asked of [...this.asked.values(), ...this.keysOf.values(), ...compared]) {
      if (asked.isPending) asked.stop.abort();
    }
  }

  /** Forgets failed and cancelled questions, so that they are asked again when their answers are needed. */
  retry(): void {
    for (const [key, asked] of this.asked) if (asked.error) this.asked.delete(key);
    for (const [key, asked] of this.keysOf) if (asked.error) this.keysOf.delete(key);
    for (const [key, { asked }] of this.compared) if (asked.error) this.compared.delete(key);
    changed();
  }

  private ask(question: Exclude<Question, Edit | "export" | "import">, others: Recording[] = [], numbers: number[] = [], before: unknown = null, texts: string[] = []): Asked {
    const asked: Asked = { answer: before, error: null, isPending: true, stop: new AbortController() };
    const done = (result: Partial<Asked>) => {
      Object.assign(asked, result, { isPending: false });
      changed();
    };
    const answered = background?.ask(question, [this.recording, ...others], { numbers, texts }, asked.stop.signal);
    void Promise.resolve(answered).then(
      (answer) => done({ answer }),
      (error: Error) => done({ error }),
    );
    return asked;
  }
}

const all = new WeakMap<Recording, Facts>();

export function facts(recording: Recording): Facts {
  let found = all.get(recording);
  if (!found) all.set(recording, (found = new Facts(recording)));
  return found;
}

let names: string[] | null = null;
let places: Map<string, number> | null = null;

/** Returns the index of a number in the frame of a recording. */
export function column(name: string): number {
  places ??= new Map((names ??= columnNames()).map((each, index) => [each, index]));
  return places.get(name) ?? -1;
}

/** Returns the joints in the order of the file. */
export function joints(): string[] {
  names ??= columnNames();
  return names.flatMap((name) => /^left\.(\w+)\.position\.x$/.exec(name)?.[1] ?? []);
}
