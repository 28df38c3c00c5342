// The curves that can be plotted: each number of a frame, and the yaw, pitch and roll of each rotation.

import { deviceOf } from "./devices.js";
import { column } from "./facts.js";

export const ANGLES = ["yaw", "pitch", "roll"] as const;
type Angle = (typeof ANGLES)[number];

/** Curves of a joint or stream with a common name: `position` with the axes x, y and z. */
export interface CurveGroup {
  /** Key of the text that names the group. */
  label: string;
  /** The name of the curves without the axis: `left.Palm.position`. */
  prefix: string;
  axes: readonly string[];
}

/** Returns the groups of curves of a joint or stream: `left.Palm`, `gaze`. */
export function groupsOf(part: string): CurveGroup[] {
  const xyz = ["x", "y", "z"];
  const group = (label: string, name: string, axes: readonly string[]) => ({ label, prefix: `${part}.${name}`, axes });
  if (part === "gaze") return [group("gazeOrigin", "origin", xyz), group("gazeDirection", "direction", xyz)];
  return [group("position", "position", xyz), group("rotation", "rotation", ANGLES), group("quaternion", "rotation", [...xyz, "w"])];
}

/** Returns the joint or stream of a curve, whose keys are read together: `left.Palm`, `gaze`, `left.pinching`. */
export function partOfCurve(curve: string): string {
  const parts = curve.split(".");
  if (deviceOf(curve)) return curve.replace(/\.(position|rotation)\.\w+$/, "");
  return parts[0] === "head" || parts[0] === "gaze" ? parts[0] : parts.slice(0, 2).join(".");
}

/** Returns true for a curve whose values are 1 and 0: tracked, pinching. */
export function isState(curve: string): boolean {
  return curve.split(".").length === 2;
}

export function unitOf(curve: string): string {
  if (/\.(yaw|pitch|roll)$/.test(curve)) return "°";
  return /\.(position|origin)\.\w$/.test(curve) ? "m" : "";
}

/** Returns the curves of the file from which a curve is computed. */
export function sourcesOf(curve: string): string[] {
  const found = /^(.*\.rotation)\.(yaw|pitch|roll)$/.exec(curve);
  return found ? ["x", "y", "z", "w"].map((axis) => `${found[1]}.${axis}`) : [curve];
}

/**
 * Returns an angle of a rotation in degrees, as in docs/analysis.md: yaw is the heading of the view direction, positive to
 * the right; pitch is its height above the horizon; roll is positive if the right side is higher.
 */
export function angleOf(angle: Angle, x: number, y: number, z: number, w: number): number {
  // A rotation whose w was lost is no unit quaternion. MRTK normalises it.
  const scale = 2 / (x * x + y * y + z * z + w * w);
  const forward = [scale * (x * z + w * y), scale * (y * z - w * x), 1 - scale * (x * x + y * y)] as const;
  const radians = {
    yaw: () => Math.atan2(forward[0], forward[2]),
    pitch: () => Math.atan2(forward[1], Math.hypot(forward[0], forward[2])),
    roll: () => Math.atan2(scale * (x * y + w * z), 1 - scale * (x * x + z * z)),
  }[angle]();
  return (radians * 180) / Math.PI;
}

/** Returns the value of a curve in a frame. */
export function valueIn(frame: Float32Array, curve: string): number {
  const numbers = sourcesOf(curve).map((source) => frame[column(source)] ?? NaN);
  const [x = NaN, y = NaN, z = NaN, w = NaN] = numbers;
  return numbers.length === 1 ? x : angleOf(curve.slice(curve.lastIndexOf(".") + 1) as Angle, x, y, z, w);
}

/** Returns true for a curve whose values are in a frame. Those of devices are not. */
export function isInFrame(curve: string): boolean {
  return deviceOf(curve) === null;
}

/** Returns the values of a curve in sampled columns; undefined if the curve is not recorded. */
export function valuesOf(columns: Record<string, Float32Array>, curve: string): ArrayLike<number> | undefined {
  const sources = sourcesOf(curve).map((source) => columns[source]);
  const [x, y, z, w] = sources;
  if (sources.length === 1) return x;
  if (!x || !y || !z || !w) return undefined;
  const angle = curve.slice(curve.lastIndexOf(".") + 1) as Angle;
  const values = Float64Array.from(x, (_, index) => angleOf(angle, x[index] ?? NaN, y[index] ?? NaN, z[index] ?? NaN, w[index] ?? NaN));
  // A turn across ±180° is a gap, because a line between both values would show a movement.
  const turns = values.map((value, index) => (Math.abs(value - (values[index - 1] ?? value)) > 180 ? NaN : value));
  return turns;
}
