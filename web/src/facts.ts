// Results of the library for a recording, computed when they are first needed. A recording never changes, so
// they stay valid.

import {
  Analysis,
  columnNames,
  type Finding,
  type Marker,
  type PlayerEvent,
  type Recording,
  type Samples,
  type Series,
  type Summary,
} from "../package/inputanim.js";

class Facts {
  private cache = new Map<string, unknown>();

  constructor(private readonly recording: Recording) {}

  private get<T>(name: string, compute: () => T): T {
    if (!this.cache.has(name)) this.cache.set(name, compute());
    return this.cache.get(name) as T;
  }

  get summary(): Summary {
    return this.get("summary", () => this.recording.summary());
  }
  get findings(): Finding[] {
    return this.get("findings", () => this.recording.findings());
  }
  /** The findings, if they are computed already. They take seconds for a long recording. */
  get knownFindings(): Finding[] | null {
    return (this.cache.get("findings") as Finding[] | undefined) ?? null;
  }
  get markers(): Marker[] {
    return this.get("markers", () => this.recording.markers());
  }
  get keyTimes(): Float32Array {
    return this.get("keyTimes", () => this.recording.keyTimes());
  }
  get events(): PlayerEvent[] {
    return this.get("events", () => this.recording.events());
  }
  get analysis(): Analysis {
    return this.get("analysis", () => new Analysis(this.recording));
  }
  get series(): Series {
    return this.get("series", () => this.analysis.series());
  }
  /** At most 4000 frames of the complete recording, for trails and plots. */
  get overview(): Samples {
    return this.get("overview", () => {
      const end = Math.max(this.recording.duration, 0.001);
      return this.recording.sampleRange(0, end, Math.min(60, 4000 / end));
    });
  }
}

const all = new WeakMap<Recording, Facts>();

export function facts(recording: Recording): Facts {
  let found = all.get(recording);
  if (!found) all.set(recording, (found = new Facts(recording)));
  return found;
}

let names: string[] | null = null;

/** Returns the index of a number in the frame of a recording. */
export function column(name: string): number {
  names ??= columnNames();
  return names.indexOf(name);
}

/** Returns the joints in the order of the file. */
export function joints(): string[] {
  names ??= columnNames();
  return names.flatMap((name) => /^left\.(\w+)\.position\.x$/.exec(name)?.[1] ?? []);
}
