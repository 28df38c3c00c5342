/** One of the six layouts of files. */
export type Layout =
  | "documented-1.0" | "mrtk-1.0" | "documented-1.1" | "mrtk-1.1" | string;

/** An error of this package. */
export interface InputanimError extends Error {
  name: "InputanimError";
  /** Kind of a parse error. */
  kind?: string;
  /** Name of the curve: `left.IndexTip.rotation.w`. */
  curve?: string;
  /** Position in the file in bytes. */
  offset?: number;
  /** What helps. */
  hint?: string;
}

/** A time range in seconds. */
export interface TimeRange { start: number; end: number; }

/** A marker; the time is in seconds. */
export interface Marker { time: number; name: string; }

export type Side = "left" | "right";
export type Severity = "note" | "warning" | "damage";

/** Damage or unusual content, with its explanation. */
export interface Finding {
  code: string;
  severity: Severity;
  title: string;
  detail: string;
  count: number;
  /** From the first to the last occurrence. */
  range: TimeRange | null;
  /** The exact times, in order and without overlaps. */
  ranges: TimeRange[];
  curves: string[];
  streams: string[];
  cause: string;
  meaning: string;
  remedy: string;
  advice: string;
}

export interface StreamSummary {
  stream: string;
  curves: number;
  recordedCurves: number;
  recordedJoints: number;
  keys: number;
  bytes: number;
  timeRange: TimeRange | null;
  instants: number;
  rate: number | null;
  longestGap: TimeRange | null;
}

export interface HandSummary { tracked: TimeRange[]; pinching: TimeRange[]; }

/** The streams that a file has. */
export interface Flags { camera: boolean; hand: boolean; gaze: boolean; }

export interface Summary {
  flags: Flags;
  layout: Layout;
  bytes: number;
  keys: number;
  duration: number;
  timeRange: TimeRange | null;
  streams: StreamSummary[];
  hands: { left: HandSummary; right: HandSummary };
}

/** The result of `Recording.recover`. */
export interface Recovered {
  recording: Recording;
  /** The error of the strict reader; null if the file is well formed. */
  error: {
    kind: string;
    message: string;
    part: string;
    offset: number;
    layout: Layout | null;
    /** Where the reader failed with other layouts. */
    alsoTried: { layout: Layout; part: string; offset: number }[];
  } | null;
  damaged: { part: string; message: string }[];
  findings: Finding[];
}

export interface CurveRepair {
  code: string;
  curve: string | null;
  keys: number;
  uncertainKeys: number;
  uncertain: TimeRange[];
}

/** The result of `Recording.repair`. */
export interface Repaired {
  recording: Recording;
  report: { repaired: CurveRepair[]; remaining: Omit<Finding, "cause" | "meaning" | "remedy" | "advice">[] };
}

/** An event of a player. */
export interface PlayerEvent {
  time: number;
  kind: "trackingGained" | "trackingLost" | "pinchDown" | "pinchUp" | "marker";
  side: Side | null;
  name: string | null;
}

/** The result of `sampleRange`: arrays of equal length. */
export interface Samples {
  times: Float32Array;
  columns: Record<string, Float32Array>;
}

export interface Deviation {
  instants: number;
  incomparable: number;
  statistics: { largest: number; at: number; joint: string | null; median: number; percentile95: number } | null;
  violations: { count: number; seconds: number; worst: { range: TimeRange; largest: number; at: number; joint: string | null }[] };
}

/** The result of `compare`. */
export interface Difference {
  verdict: "equal" | "equivalent" | "different";
  outOfTolerance: string[];
  range: TimeRange;
  instants: number;
  streams: { stream: string; position: Deviation; rotation: Deviation; seconds: number }[];
  onlyIn: [string[], string[]];
  uncompared: { element: string; tracked: [TimeRange | null, TimeRange | null] }[];
  ignored: string[];
  states: { stream: string; count: number; seconds: number; longest: TimeRange[] }[];
  markers: { same: number; moved: { name: string; times: [number, number] }[]; onlyIn: [Marker[], Marker[]] };
  durations: [number, number];
  encoding: { layouts: [Layout, Layout]; flags: [Flags, Flags]; keys: [number, number]; wrapModes: number };
}

/** The largest differences that count as the same, 0 or more. `Infinity` ignores a quantity. */
export interface CompareOptions {
  /** Positions, and the origin of the gaze; 0.001 by default. */
  metres?: number;
  /** Rotations, and the direction of the gaze; 0.2 by default. */
  degrees?: number;
  /** Changes of states, markers and the duration; 0.001 by default. */
  seconds?: number;
}

export interface SmoothOptions extends SelectOptions {
  minCutoff?: number;
  beta?: number;
  rotationBeta?: number;
  derivativeCutoff?: number;
}

/** Names of streams and joints: `camera`, `gaze`, `left`, `left.Palm`, `left.pinching`. */
export interface SelectOptions { joints?: string[]; exclude?: string[]; }

export interface TransformOptions {
  scale?: number;
  /** Degrees about the vertical axis, clockwise seen from above. */
  turn?: number;
  /** Quaternion x, y, z, w. */
  rotate?: [number, number, number, number];
  /** Metres. */
  move?: [number, number, number];
}

export interface FillOptions { method?: "interpolate" | "hold" | "drop"; maxLength?: number; }

export interface OptimizeOptions {
  /** Largest error of positions; by default 1 mm for joints, 2 mm for head and gaze. */
  metres?: number;
  /** Largest error of rotations; 0.2 by default. */
  degrees?: number;
  method?: "one-pass" | "optimal";
  tangents?: boolean;
}

export type EndAction = "hold" | "rewind" | "loop" | "pingPong";

export interface RecorderOptions {
  layout?: Layout;
  /** Keeps only the last seconds. */
  bufferSeconds?: number;
  /** Skips frames above this rate in Hz. */
  maxRate?: number;
  /** Counts times from the first frame. */
  fromZero?: boolean;
}

/** Parameters of an analysis: docs/analysis.md. */
export interface AnalysisOptions { [name: string]: unknown; }

export interface Measure {
  name: string;
  value: number | null;
  unit: string;
  /** Why there is no value. */
  reason: string | null;
  /** The codes of the findings that affect the value. */
  damage: string[];
}

export interface AnalysisEvent {
  kind: string;
  start: number;
  duration: number;
  side: Side | null;
  name: string | null;
  position: [number, number, number] | null;
  properties: { name: string; value: number; unit: string }[];
}

/** Speeds in m/s, apertures in m and the gaze velocity in degrees per second, over time. */
export interface Series {
  times: Float64Array;
  columns: Record<string, Float64Array>;
}

export interface FigureOptions {
  /** Width in pixels, from 300 to 10,000; 900 by default. */
  width?: number;
  panels?: ("timeline" | "speed" | "aperture" | "gaze" | "paths")[];
  dark?: boolean;
  title?: string;
  /** Start of the drawn time range in seconds; that of the recording by default. */
  start?: number;
  /** End of the drawn time range in seconds; that of the recording by default. */
  end?: number;
}
