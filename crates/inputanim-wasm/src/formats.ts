/** A format, and the operations of this module that support it. */
export interface Format {
  name: FormatName;
  /**
   * The extensions of its files, without the dot. The first one is for files to write; files to read may have any of them.
   * Two formats may share an extension: `detect` selects one by the content.
   */
  extensions: string[];
  isText: boolean;
  canRead: boolean;
  canWrite: boolean;
}

/** Options of `write`. An option that has no effect on the format is an error. */
export interface WriteOptions {
  /** The layout of `bin` and `json`; the layout of the recording by default. */
  layout?: string;
  /** Drops content that the layout cannot represent, which is an error otherwise. */
  allowLoss?: boolean;
  /** Samples per second of sampled formats, above 0 and at most 1,000,000; 60 by default. */
  rate?: number;
  /** Axes of tables and of `xdf`; `unity` by default. */
  space?: "unity" | "openxr" | "gltf" | "blender" | "usd";
  /** Meaning of one row of a table; `wide` by default. */
  shape?: "wide" | "tidy" | "keys";
  /** Name of the clip of `anim`. */
  name?: string;
  /** The parts of the recording that its bytes cannot hold. */
  parts?: { gaps?: { element: string; unknown: [number, number][] }[]; about?: Record<string, string>; devices?: string };
}

/** Options of `read`. An option that has no effect on the format is an error. */
export interface ReadOptions {
  /** The format; detected from the bytes by default. */
  format?: FormatName;
  /** Axes of the file; by default the axes that the file states, or the usual axes of the format. */
  space?: "unity" | "openxr" | "gltf" | "blender" | "usd";
  /** The name of the recording, if a table or an `xdf` contains several. */
  recording?: string;
  /**
   * Other names of columns in a table, and of channels in `xdf`: `right.Palm.position.x=Tracker/X*0.001`,
   * `right.Palm.position=px,py,pz`. Of `gltf` and `glb`, joints and their nodes: `right.IndexTip=bone_12`.
   */
  mappings?: string[];
  /** The hand of all joints of `gltf` and `glb`; by default the hand in the names of nodes. */
  side?: "left" | "right";
  /**
   * The confidence below which a hand of `egodex` counts as untracked, and below which what has a mapped confidence is unknown;
   * 0.5 by default.
   */
  minConfidence?: number;
  /** Keeps the times of samples of `xdf`, which are otherwise made regular. */
  keepJitter?: boolean;
  /** Computes palm, wrist and pinch of a hand from its controller while the hand is not tracked. */
  palmsFromControllers?: boolean;
  /** Counts times from the first row of a table. */
  fromZero?: boolean;
  /**
   * The time without frames or samples from which everything is unknown: seconds, or "none". By default 0.5 s, and at least 10
   * times the median interval.
   */
  pauses?: number | "none";
  /** Ignores unknown columns of a table. */
  ignoreUnknown?: boolean;
  /** Skips and reports rows of a table that cannot be read, which are errors otherwise. */
  skipBad?: boolean;
}

/** A converted file. */
export interface Converted {
  bytes: Uint8Array;
  /** Of `read`: the parts of the recording that the bytes cannot hold, for `Recording.open`. */
  parts?: { gaps?: { element: string; unknown: [number, number][] }[]; about?: Record<string, string>; devices?: string };
  /** Content that the format cannot represent. */
  losses: Loss[];
  /** Changes without a loss. */
  notes: ConversionNote[];
}

/** Content that a conversion did not keep. */
export interface Loss {
  /** The kind of content, such as `notFinite`. */
  kind: string;
  /** The number of keys, frames, markers or curves; 1 if nothing can be counted. */
  count: number;
  /** The loss in plain English. */
  message: string;
}

/** A property of a conversion. */
export interface ConversionNote {
  /** The kind of property, such as `sampling`. */
  kind: string;
  /** The note in plain English. */
  message: string;
}

/** An input source of a WebXR session with a side and without a hand, for `WebXrController`. */
export interface WebXrControllerOptions {
  /** Its `handedness`. */
  side: "left" | "right";
  profiles: string[];
  /** `gamepad.mapping`. */
  mapping?: string;
  /** The number of buttons of its gamepad; 0 by default. */
  buttons?: number;
  /** The number of axes of its gamepad; 0 by default. */
  axes?: number;
}

/** A controller in a frame of a WebXR session. Poses are positions x, y, z in metres and quaternions x, y, z, w in WebXR's axes. */
export interface WebXrControllerFrame {
  /** The pose of `gripSpace`; absent if it is not known. */
  grip?: [number, number, number, number, number, number, number];
  /** The pose of `targetRaySpace`; absent if it is not known. */
  aim?: [number, number, number, number, number, number, number];
  /** The buttons of `gamepad`; null if the state of a button is not known. */
  buttons?: ({ pressed: boolean; touched: boolean; value: number } | null)[];
  /** The axes of `gamepad`; null if the value of an axis is not known. */
  axes?: (number | null)[];
}

/** A controller in a frame, for `Recorder.push`. */
export interface ControllerFrame {
  name: string;
  active: boolean;
  profile?: string;
  poses: Record<string, [number, number, number, number, number, number, number]>;
  inputs: Record<string, number | boolean>;
}
