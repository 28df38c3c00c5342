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
  /** An action that solves the problem. */
  hint?: string;
  /** The name of this action, for programs that offer it themselves: `repair`, `resample`, `choose-recording` and so on. */
  remedy?: string;
}

/** A time range in seconds. */
export interface TimeRange { start: number; end: number; }

/** The times at which an element is unknown. */
export interface ElementGaps {
  /** `head`, `gaze`, a joint such as `left.Palm`, or `left.tracked` for everything about a hand; `right.controller.aim`,
   * `right.controller.trigger.value`, or `right.controller.profile` for everything about a device. */
  element: string;
  /** The times in seconds of the known samples before and after each gap; -Infinity from the start, Infinity until the end. */
  unknown: [number, number][];
}

/** The parts of a recording that no file of MRTK can hold. */
export interface Parts {
  /** The times at which values are unknown. */
  gaps?: ElementGaps[];
  /** Texts about the recording by their names. */
  about?: Record<string, string>;
  /** The controllers, trackers and other devices, as text for the same version of this package. */
  devices?: string;
}

/** A marker; the time is in seconds. */
export interface Marker { time: number; name: string; }

/** The markers of one name. Times are in seconds. */
export interface NameCount { name: string; count: number; first: number; last: number; }

/** A controller, tracker or other device. `keys` returns the keys of its poses and inputs. */
export interface Device {
  /** `left.controller`, `right.controller`, or a name such as `tracker.waist` or `device.gamepad`. */
  name: string;
  /**
   * The changes of the interaction profile, in order of time. A device without changes is active at all times, and its profile is not
   * known. Otherwise it is not active before the first change.
   */
  profiles: { time: number; active: boolean; profile: string | null }[];
  /** The names of the poses: `grip`, `aim`. */
  poses: string[];
  /** The inputs, with their names in OpenXR: `trigger/value`, `a/click`. Booleans are on or off, such as buttons. */
  inputs: { name: string; isBoolean: boolean }[];
  /** The haptic pulses that the application asked for, in order of time. */
  haptics: Haptic[];
}

/** A haptic pulse. Times in seconds, frequency in Hz, null if the device chooses it, amplitude 0 to 1. */
export interface Haptic {
  time: number;
  output: string;
  duration: number | null;
  frequency: number | null;
  amplitude: number;
}

/** A device at one instant, for a `Recorder`. */
export interface DeviceFrame {
  /** `right.controller`, or a name such as `tracker.waist`. */
  name: string;
  /** True by default. A device that is not active has no profile, pose or input. */
  active?: boolean;
  /** The interaction profile, such as `/interaction_profiles/valve/index_controller`. */
  profile?: string;
  /** Position x, y, z in metres and quaternion x, y, z, w of each known pose. */
  poses?: Record<string, [number, number, number, number, number, number, number]>;
  /** The value of each known input by its name in OpenXR. */
  inputs?: Record<string, number | boolean>;
}

export interface HapticOptions {
  /** The part of the device that vibrates; `haptic` by default. */
  output?: string;
  /** Seconds; the shortest duration of the device by default. */
  duration?: number;
  /** Hz; the choice of the device by default. */
  frequency?: number;
  /** 0 to 1; 1 by default. 0 stops a vibration. */
  amplitude?: number;
}

export type Side = "left" | "right";
export type Severity = "note" | "warning" | "damage";

/** Damage or unusual content, with its explanation. */
export interface Finding {
  code: string;
  severity: Severity;
  title: string;
  detail: string;
  count: number;
  /** The time range from the first to the last occurrence. */
  range: TimeRange | null;
  /** The exact time ranges, in order and without overlaps. */
  ranges: TimeRange[];
  curves: string[];
  streams: string[];
  /** True if evaluated values differ from what was recorded, or are unknown. */
  changesValues: boolean;
  cause: string;
  meaning: string;
  remedy: string;
  advice: string;
}

export interface StreamInfo {
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

export interface HandInfo { tracked: TimeRange[]; pinching: TimeRange[]; }

/** The streams that a file has. */
export interface Flags { head: boolean; hand: boolean; gaze: boolean; }

export interface Info {
  flags: Flags;
  layout: Layout;
  bytes: number;
  keys: number;
  /** The latest key time, or the end of a haptic pulse if it is later. */
  duration: number;
  timeRange: TimeRange | null;
  streams: StreamInfo[];
  hands: { left: HandInfo; right: HandInfo };
  /** The unknown time of each stream that has some; absent without unknown values. */
  unknown?: UnknownTime[];
  /** Texts about the recording by their names; absent if there are none. */
  about?: Record<string, string>;
  /** The content of the devices; absent if there are none. */
  devices?: DeviceInfo[];
}

/** The content of a controller, tracker or other device. */
export interface DeviceInfo {
  /** The name, such as `right.controller`. */
  device: string;
  /** The interaction profiles that it has at some time. */
  profiles: string[];
  /** The poses, such as `aim`. */
  poses: string[];
  /** The inputs that are on or off, such as `a.click`. */
  buttons: string[];
  /** The inputs with numbers, such as `trigger.value`. */
  axes: string[];
  /** The number of haptic pulses. */
  haptics: number;
  /** The time ranges in which it is known to be active, in order. */
  active: TimeRange[];
}

/** The time in which values of a stream are unknown. */
export interface UnknownTime {
  /** `head`, `gaze`, `left.joints`, `left.tracked` for everything about a hand, or a device such as `right.controller`. */
  stream: string;
  /**
   * The unknown element of a device: `right.controller.aim`, or `right.controller.profile` for everything about the device. Absent
   * if several elements are unknown, and for streams that are not devices.
   */
  element?: string;
  /** The number of its elements that are unknown at some time. */
  elements: number;
  /** The number of time ranges in which at least one of them is unknown. */
  gaps: number;
  /** The length of these time ranges. */
  milliseconds: number;
  /** The start of the first one. */
  startMilliseconds: number;
}

/** The damage of a file that is not well formed. */
export interface FileDamage {
  /** The code of its finding, such as `D7`; null if it has none. */
  code: string | null;
  /** The error of the strict reader. */
  message: string;
  /** The curve with the error. */
  curve: string | null;
  /** The curves whose keys could not be read. */
  lost: string[];
}

/** A file, and the folder in which it was found; empty for the complete path. */
export interface NamedFile { path: string; folder: string; }

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
    /** The parts at which the reader failed with other layouts. */
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

/** A time range with uncertain keys of the rotations in `names`. */
export interface UncertainTime { start: number; end: number; keys: number; names: string[]; }

/** The repairs of one kind of finding in a position or a rotation, or in another curve. */
export interface RepairGroup {
  code: string;
  /** Such as `left.Palm.rotation`; empty for flags and markers. */
  name: string;
  curves: string[];
  /** The number of keys, flags or markers that were changed, added or removed. A key of a rotation counts once. */
  keys: number;
  uncertainKeys: number;
  uncertain: UncertainTime[];
  /** The times of the changed keys, each from the first to the last key of a run of them. */
  changed: TimeRange[];
}

/** The result of `Recording.repair`. */
export interface Repaired {
  recording: Recording;
  /** The repairs as people count them: a rotation is one thing, although it has four curves. */
  groups: RepairGroup[];
  /** The times with uncertain keys of all groups. Times that are at most 0.1 s apart are one. */
  uncertain: UncertainTime[];
  report: { repaired: CurveRepair[]; remaining: Omit<Finding, "changesValues" | "cause" | "meaning" | "remedy" | "advice">[] };
}

/** Neighbouring samples that are all zero. A bound of `gap` is infinite where no other sample exists. */
export interface ZeroRun {
  element: string;
  samples: TimeRange;
  count: number;
  gap: TimeRange;
}

/** The result of `Recording.forgetZeros`. */
export interface ForgottenZeros {
  recording: Recording;
  report: ZeroRun[];
}

/** A change during playback. */
export interface Transition {
  time: number;
  kind:
    | "found"
    | "lost"
    | "pinch_down"
    | "pinch_up"
    | "marker"
    | "connected"
    | "disconnected"
    | "profile"
    | "press_down"
    | "press_up"
    | "haptic";
  side: Side | null;
  /** The marker, the device or its input, or the device, a space and its profile. */
  name: string | null;
  /** The duration of a haptic pulse in seconds, if it is known. */
  duration?: number;
  /** The frequency of a haptic pulse in Hz, if it is known. */
  frequency?: number;
  /** The amplitude of a haptic pulse, 0 to 1. */
  amplitude?: number;
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

/** The result of `diff`. */
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
  /** The profiles and inputs of devices that differ; absent if there are none. */
  inputs?: { element: string; largest: number; at: number; count: number; seconds: number; longest: TimeRange[] }[];
  /** The haptic pulses of devices that differ; absent if there are none. */
  haptics?: { device: string; same: number; onlyIn: [Haptic[], Haptic[]] }[];
  markers: { same: number; moved: { name: string; times: [number, number] }[]; onlyIn: [Marker[], Marker[]] };
  /** The texts about the recordings that differ. They do not change the verdict from "equivalent" to "different". */
  about: { name: string; texts: [string | null, string | null] }[];
  durations: [number, number];
  encoding: { layouts: [Layout, Layout]; flags: [Flags, Flags]; keys: [number, number]; wrapModes: number };
}

/** The largest differences that count as the same, 0 or more, and what is compared. `Infinity` ignores a quantity. */
export interface DiffOptions extends SelectOptions {
  /** Metres, for positions and the origin of the gaze; 0.001 by default. */
  position?: number;
  /** Degrees, for rotations and the direction of the gaze; 0.2 by default. */
  rotation?: number;
  /** Seconds, for changes of states and markers; 0.001 by default. */
  timing?: number;
  /** Seconds, for the duration; by default as for changes of states. */
  duration?: number;
  /** For inputs of devices with numbers, such as triggers (0 to 1) and axes (-1 to 1); 0.001 by default. */
  input?: number;
  /** The start of the compared time range in seconds. */
  start?: number;
  /** The end of the compared time range in seconds. */
  end?: number;
  /** The number of compared instants between two key times; 1 by default. */
  betweenKeys?: number;
}

/** Exactly one of them. */
export interface RetimeOptions { speed?: number; duration?: number; }

export interface AlignOptions {
  /** The markers on the other clock, with times in seconds. */
  markers: { time: number; name: string }[];
  /** Names of the markers that are compared; all common names by default. `*` stands for any characters, and `?` for one. */
  names?: string[];
  /** The time in seconds on the other clock that becomes t = 0; 0 by default. */
  zero?: number;
  /** The largest distance of two equal markers after the alignment in seconds; 0.05 by default. */
  tolerance?: number;
  /** The largest drift of the clocks in parts per million; 1000 by default. */
  maxDrift?: number;
  /** The smallest and the largest time in seconds on the other clock at t = 0 of the recording. */
  offset?: [number, number];
  /** Corrects only the offset of the clocks and no drift. */
  offsetOnly?: boolean;
}

/** A marker with its partner on the other clock. Times are in seconds. */
export interface MatchedMarker { name: string; time: number; clockTime: number; residual: number; }

/** A recording on another clock. Times are in seconds, and drifts in parts per million. */
export interface Aligned {
  recording: Recording;
  report: {
    /** The time of the other clock at t = 0 of the result. */
    zero: number;
    /** The time of the other clock at t = 0 of the recording before. */
    offset: number;
    /** `null` if only the offset was fitted. */
    drift: number | null;
    /** The standard error of the drift; `null` without a drift, and for two markers. */
    driftError: number | null;
    largestResidual: number;
    rmsResidual: number;
    /** The largest error of the new times, which have single precision. */
    largestRounding: number;
    matches: MatchedMarker[];
    /** Indices of the markers of the recording without a partner. */
    unmatched: number[];
    /** Indices of the markers of the other clock without a partner. */
    clockUnmatched: number[];
  };
}

/** A recording whose triggers have names. */
export interface TriggersNamed {
  recording: Recording;
  report: { renamed: number; unnamed: { trigger: string; count: number }[]; unused: string[] };
}

/** At most one of them: seconds in which poses are held, or in which they are interpolated. */
export interface JoinOptions { gap?: number; blend?: number; }

export interface SmoothOptions {
  joints?: string[];
  exclude?: string[];
  minCutoff?: number;
  beta?: number;
  rotationBeta?: number;
  derivativeCutoff?: number;
}

/** Names of streams and joints: `head`, `gaze`, `left`, `hands`, `left.Palm`, `Palm`, `left.pinching`, and patterns such as `*Tip`. */
export interface SelectOptions {
  joints?: string[];
  exclude?: string[];
  /** Names of markers to keep; all by default. `*` stands for any characters, and `?` for one. */
  markers?: string[];
  /** Names of markers to remove, or to ignore in `diff`; `"*"` is all. */
  excludeMarkers?: string[];
}

/** The result of `Recording.select`. */
export interface Selected {
  recording: Recording;
  /** The names and patterns of markers that no marker matches. */
  report: string[];
}

/** The steps are applied in this order. */
export interface TransformOptions {
  /** Moves the head at t = 0 to the origin: its position and heading, only the point below it, or its complete pose. */
  origin?: "head" | "floor" | "pose";
  scale?: number;
  /** Degrees about the vertical axis, clockwise seen from above. */
  yaw?: number;
  /** Quaternion x, y, z, w. */
  rotate?: [number, number, number, number];
  /** Metres. */
  move?: [number, number, number];
  /** The anchor to whose space the recording is relative. */
  anchor?: { position?: [number, number, number]; rotation?: [number, number, number, number]; scale?: number };
  /** Applies the inverse of all steps. */
  inverse?: boolean;
}

export interface FillOptions {
  method?: "interpolate" | "hold" | "drop";
  /** Seconds; 0.5 by default, and any length for `drop`. */
  maxLength?: number;
  /** Only this hand. */
  hand?: Side;
}

export interface Gap { side: Side; range: TimeRange; }

/** The result of `Recording.fill`. */
export interface Filled {
  recording: Recording;
  report: { filled: Gap[]; tooLong: Gap[] };
}

/** The result of `Recording.smooth`. */
export interface Smoothed {
  recording: Recording;
  /** The losses as texts: velocities of devices that do not match the smoothed poses. */
  report: string[];
}

/** The result of `Recording.concat`. */
export interface Joined {
  recording: Recording;
  /** The losses as texts: hands whose pinches are unknown in one of the recordings. */
  report: string[];
}

export interface ReduceOptions {
  /** Largest error of positions in metres; by default 0.001 for joints, 0.002 for head and gaze. */
  position?: number;
  /** Largest error of rotations in degrees; 0.2 by default. */
  rotation?: number;
  headPosition?: number;
  headRotation?: number;
  gazeOrigin?: number;
  gazeDirection?: number;
  /** Largest error in metres of points 3 cm from a joint, which move and turn with it; no bound by default. */
  point?: number;
  /** Largest error of inputs of devices with numbers, such as triggers (0 to 1); 0.001 by default. */
  input?: number;
  method?: "one-pass" | "optimal" | "mrtk";
  /** Samples in a partition of the method `mrtk`; 32 by default. */
  partition?: number;
  tangents?: boolean;
}

/** The result of `Recording.reduce`. */
export interface Reduced {
  recording: Recording;
  /** The vectors that were skipped. */
  report: { curve: string; reason: string }[];
}

export type EndAction = "hold" | "rewind" | "loop" | "pingPong";

export interface RecorderOptions {
  layout?: Layout;
  /** Keeps only the last seconds. */
  keepLast?: number;
  /** Skips frames above this rate in Hz. */
  maxRate?: number;
  /** Counts times from the first frame. */
  fromZero?: boolean;
}

/** Parameters of an analysis: docs/analysis.md. */
export interface AnalysisParameters { [name: string]: unknown; }

/** The definition of measures. */
export interface Quantity {
  group: string;
  /** The name of the measures, with placeholders: `{side}.{joint}.speed`. */
  name: string;
  unit: string;
  /** Whether the names of the measures end with a statistic, such as `.median`. */
  hasDistribution: boolean;
  definition: string;
}

/** The keys of a curve, in the order of the file. */
export interface CurveKeys {
  times: Float32Array;
  /** States are 1 or 0. */
  values: Float32Array;
}

export interface Measure {
  name: string;
  value: number | null;
  unit: string;
  /** The reason why the measure has no value. */
  reason: string | null;
  /** The codes of the findings that affect the value. */
  damage: string[];
}

/** A note about an analysis. */
export interface AnalysisNote {
  /** The note, which is the same for all recordings. */
  kind: string;
  /** The details of this recording. */
  detail: string;
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

/** Events as a table. Missing values are null. */
export interface EventTable {
  columns: string[];
  rows: (string | number | null)[][];
}

/** Speeds in m/s, apertures in m and the gaze velocity in degrees per second, over time. */
export interface Series {
  times: Float64Array;
  columns: Record<string, Float64Array>;
}

export interface FigureOptions {
  /** Width in pixels, from 300 to 10,000; 900 by default. */
  width?: number;
  panels?: ("timeline" | "speed" | "aperture" | "gaze" | "inputs" | "paths")[];
  /** Poses and inputs of devices, such as `right.controller.trigger.value` or `*.aim`; all by default. */
  devices?: string[];
  dark?: boolean;
  title?: string;
  /** Start of the drawn time range in seconds; the start of the recording by default. */
  start?: number;
  /** End of the drawn time range in seconds; the end of the recording by default. */
  end?: number;
}
