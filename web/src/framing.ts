// The camera that shows everything that is recorded, and the floor below it. All positions are in the axes of the scene.

import * as THREE from "three";
import type { Recording } from "../package/inputanim.js";
import { placeOf } from "./devices.js";
import { facts, joints } from "./facts.js";
import { SIDES } from "./figure.js";

/** The vertical angle of view in degrees of all views but the one through the head. */
export const FIELD = 50;

/** The largest angle of view through the head in degrees, across the shorter side of the picture. A larger one would distort the hands. */
const MAX_FIELD = 110;

/** The part of the picture that the recorded positions may fill, so that joints at its edge are complete. */
const FILLED = 0.92;

/** The radius of the largest joint in metres. */
const RADIUS = 0.012;

/** The smallest distance of the camera from the middle of the positions in metres. */
const MIN_DISTANCE = 0.16;

/** Joints that are closer to the eyes in metres do not change the angle of view. */
const NEAREST = 0.05;

/** The angle about the view direction of the head that the view through the head always contains, in radians. */
const AHEAD = THREE.MathUtils.degToRad(12);

/** Height of the eyes above the floor in metres, for recordings whose origin is not on the floor. */
const EYE_HEIGHT = 1.6;

/** The heights of a head in metres at which the origin is on the floor. */
const HEAD_HEIGHTS = [0.5, 2.3] as const;

/**
 * A position is an error if it is farther from the median than this many times the farthest of 96 % of all positions, and than this
 * distance in metres.
 */
const MAX_SPREAD = 10;
const MAX_DISTANCE = 2;

/** The number of positions whose median is computed. */
const SAMPLES = 2000;

/** Positions: x, y and z of each of them, one after the other. */
export type Points = Float32Array;

/** The names of the positions of hands and devices. */
function handNames(recording: Recording): string[] {
  const hands = SIDES.flatMap((side) => joints().filter((joint) => joint !== "None").map((joint) => `${side}.${joint}.position`));
  const devices = facts(recording).devices.flatMap(({ device, poses }) => {
    const pose = placeOf(poses);
    return pose ? [`${device}.${pose}.position`] : [];
  });
  return [...hands, ...devices];
}

/** Returns the known positions with some names in a time range. With `about`, they are relative to the position with this name. */
function collected(recording: Recording, names: string[], range: readonly [number, number], about?: string): Points {
  const { times, columns } = facts(recording).drawable;
  const axes = (name: string) => ["x", "y", "z"].map((axis) => columns[`${name}.${axis}`]);
  const [originX, originY, originZ] = about ? axes(about) : [];
  const found = names.map(axes).filter(([x, y, z]) => x && y && z) as Float32Array[][];
  const points = new Float32Array(3 * times.length * found.length);
  let count = 0;
  for (const [x, y, z] of found as [Float32Array, Float32Array, Float32Array][]) {
    for (let index = 0; index < times.length; index++) {
      const time = times[index] ?? NaN;
      if (time < range[0] || time > range[1]) continue;
      const dx = (x[index] ?? NaN) - (about ? (originX?.[index] ?? NaN) : 0);
      const dy = (y[index] ?? NaN) - (about ? (originY?.[index] ?? NaN) : 0);
      const dz = (z[index] ?? NaN) - (about ? (originZ?.[index] ?? NaN) : 0);
      if (!Number.isFinite(dx + dy + dz)) continue;
      points[count++] = dx;
      points[count++] = dy;
      points[count++] = -dz;
    }
  }
  return withoutErrors(points.subarray(0, count));
}

/** Returns the middle value of some numbers, and the largest distance from it of 96 % of them. */
function spread(values: number[]): { median: number; distance: number } {
  values.sort((a, b) => a - b);
  const at = (part: number) => values[Math.round(part * (values.length - 1))] ?? 0;
  const median = at(0.5);
  return { median, distance: Math.max(at(0.98) - median, median - at(0.02)) };
}

/** The positions along an axis that are no errors: those up to a distance from the median. */
interface Limit {
  median: number;
  most: number;
}

/** Removes positions that are so far from all others that they must be errors, such as those of damaged keys. */
function withoutErrors(points: Points): Points {
  const step = 3 * Math.max(1, Math.floor(points.length / 3 / SAMPLES));
  const limits = [0, 1, 2].map((axis) => {
    const values: number[] = [];
    for (let at = axis; at < points.length; at += step) values.push(points[at] ?? 0);
    const { median, distance } = spread(values);
    return { median, most: Math.max(MAX_SPREAD * distance, MAX_DISTANCE) };
  });
  const [x, y, z] = limits as [Limit, Limit, Limit];
  const isIn = (value: number | undefined, { median, most }: Limit) => Math.abs((value ?? 0) - median) <= most;
  const isRight = (at: number) => isIn(points[at], x) && isIn(points[at + 1], y) && isIn(points[at + 2], z);
  let count = 0;
  for (let at = 0; at < points.length; at += 3) {
    if (!isRight(at)) continue;
    for (let axis = 0; axis < 3; axis++) points[count++] = points[at + axis] ?? NaN;
  }
  return points.subarray(0, count);
}

/** The positions that the last camera needed. A page that changes its size asks for the same positions many times. */
const last = new WeakMap<Recording, { key: string; points: Points }>();

/**
 * Returns the positions of all joints and devices in a time range; without them, of the head or the gaze. Around the head, they are
 * relative to it, and contain it.
 */
export function positions(recording: Recording, range: readonly [number, number], aroundHead = false): Points {
  const key = `${range.join()} ${aroundHead}`;
  const known = last.get(recording);
  if (known?.key === key) return known.points;
  const hands = handNames(recording);
  const choices = aroundHead ? [["head.position", ...hands], ["gaze.origin"]] : [hands, ["head.position"], ["gaze.origin"]];
  let points = new Float32Array() as Points;
  for (const names of choices) {
    if (points.length > 0) break;
    points = collected(recording, names, range, aroundHead ? "head.position" : undefined);
  }
  last.set(recording, { key, points });
  return points;
}

/** Returns the smallest box with all positions; a box of one metre if there are none. */
export function boxOf(points: Points): THREE.Box3 {
  if (points.length === 0) return new THREE.Box3().setFromCenterAndSize(new THREE.Vector3(), new THREE.Vector3(1, 1, 1));
  return new THREE.Box3().setFromArray(points as unknown as number[]);
}

/** The limits of positions across the picture, in the axes of a camera whose angle of view has this tangent. */
interface Limits {
  high: number;
  low: number;
}

/**
 * Returns the limits of positions in the directions of the picture. A camera at `x` and at the depth `z` sees all positions if
 * `x + z * tangent` is at least `high`, and `x - z * tangent` is at most `low`.
 */
function limitsOf(points: Points, across: THREE.Vector3, back: THREE.Vector3, tangent: number): Limits {
  let [high, low] = [-Infinity, Infinity];
  const [x, y, z] = [across.x, across.y, across.z];
  const [bx, by, bz] = [back.x * tangent, back.y * tangent, back.z * tangent];
  for (let at = 0; at < points.length; at += 3) {
    const px = points[at] ?? 0;
    const py = points[at + 1] ?? 0;
    const pz = points[at + 2] ?? 0;
    const side = x * px + y * py + z * pz;
    const depth = bx * px + by * py + bz * pz;
    if (side + depth > high) high = side + depth;
    if (side - depth < low) low = side - depth;
  }
  // A joint is a ball about its position.
  const margin = RADIUS * Math.hypot(1, tangent);
  return { high: high + margin, low: low - margin };
}

/** The tangents of the half angles of view of a camera that positions may fill, across and up. */
function tangents(camera: THREE.PerspectiveCamera, filled: number): [number, number] {
  const up = Math.tan(THREE.MathUtils.degToRad(camera.fov / 2)) * filled;
  return [up * camera.aspect, up];
}

/** Returns the pose of a camera that looks along −`back`, and the point at its centre, so that it sees all positions as large as possible. */
export function fitted(
  camera: THREE.PerspectiveCamera, points: Points, back: THREE.Vector3, filled = FILLED,
): { position: THREE.Vector3; target: THREE.Vector3 } {
  const box = boxOf(points);
  const all = points.length > 0 ? points : Float32Array.from([...box.min.toArray(), ...box.max.toArray()]);
  const right = new THREE.Vector3(0, 1, 0).cross(back).normalize();
  const up = back.clone().cross(right);
  const [across, height] = tangents(camera, filled);
  const [x, y] = [limitsOf(all, right, back, across), limitsOf(all, up, back, height)];
  const nearest = limitsOf(all, back, back, 0);
  const middle = (nearest.high + nearest.low) / 2;
  const depth = Math.max((x.high - x.low) / (2 * across), (y.high - y.low) / (2 * height), middle + MIN_DISTANCE, nearest.high + 2 * camera.near);
  const at = (z: number) => right.clone().multiplyScalar((x.high + x.low) / 2).addScaledVector(up, (y.high + y.low) / 2).addScaledVector(back, z);
  return { position: at(depth), target: at(middle) };
}

/** Returns the movement after which a camera sees all positions: none if it sees them. It goes back only if they are too large. */
export function movementTo(camera: THREE.PerspectiveCamera, points: Points): THREE.Vector3 {
  const [right, up, back] = [0, 1, 2].map((axis) => new THREE.Vector3().setFromMatrixColumn(camera.matrix, axis)) as [THREE.Vector3, THREE.Vector3, THREE.Vector3];
  const [across, height] = tangents(camera, FILLED);
  const [x, y] = [limitsOf(points, right, back, across), limitsOf(points, up, back, height)];
  const now = camera.position.dot(back);
  const depth = Math.max(now, (x.high - x.low) / (2 * across), (y.high - y.low) / (2 * height));
  const moved = new THREE.Vector3().addScaledVector(back, depth - now);
  for (const [axis, { high, low }, tangent] of [[right, x, across], [up, y, height]] as const) {
    const place = camera.position.dot(axis);
    moved.addScaledVector(axis, Math.min(Math.max(place, high - depth * tangent), low + depth * tangent) - place);
  }
  return moved;
}

/** The view through the head: the angle of view in degrees, and the angle in radians by which it looks up. */
export interface HeadView {
  field: number;
  tilt: number;
}

/** Returns the view through the head that contains the direction of the head and as many joints as the largest angle of view allows. */
export function headView(recording: Recording, range: readonly [number, number], aspect: number): HeadView {
  const points = inHead(recording, range);
  let [low, high] = [-AHEAD, AHEAD];
  for (let at = 0; at < points.length; at += 3) {
    const angle = Math.atan2(points[at + 1] ?? 0, -(points[at + 2] ?? 0));
    // A joint behind the head is not in front of it at any angle of view.
    if (!((points[at + 2] ?? 0) < 0)) continue;
    low = Math.min(low, angle);
    high = Math.max(high, angle);
  }
  const tilt = (low + high) / 2;
  let tangent = Math.max(Math.tan(THREE.MathUtils.degToRad(FIELD / 2)) * FILLED, Math.tan((high - low) / 2));
  const [cos, sin] = [Math.cos(tilt), Math.sin(tilt)];
  for (let at = 0; at < points.length; at += 3) {
    const depth = (points[at + 1] ?? 0) * sin - (points[at + 2] ?? 0) * cos;
    if (depth > NEAREST) tangent = Math.max(tangent, Math.abs(points[at] ?? 0) / depth / aspect);
  }
  const most = Math.tan(THREE.MathUtils.degToRad(MAX_FIELD / 2)) / Math.min(aspect, 1);
  return { field: THREE.MathUtils.radToDeg(2 * Math.atan(Math.min(tangent / FILLED, most))), tilt };
}

/** The positions in the axes of the head that the last view through the head needed. */
const lastInHead = new WeakMap<Recording, { key: string; points: Points }>();

/** Returns the positions of all joints in the axes of the head. */
function inHead(recording: Recording, range: readonly [number, number]): Points {
  const known = lastInHead.get(recording);
  if (known?.key === range.join()) return known.points;
  const { times, columns } = facts(recording).drawable;
  const axes = (name: string, parts: string[]) => parts.map((axis) => columns[`${name}.${axis}`] ?? new Float32Array());
  const [qx, qy, qz, qw] = axes("head.rotation", ["x", "y", "z", "w"]) as [Float32Array, Float32Array, Float32Array, Float32Array];
  const [hx, hy, hz] = axes("head.position", ["x", "y", "z"]) as [Float32Array, Float32Array, Float32Array];
  const joints = handNames(recording).filter((name) => columns[`${name}.x`]).map((name) => axes(name, ["x", "y", "z"]) as [Float32Array, Float32Array, Float32Array]);
  const points = new Float32Array(3 * times.length * joints.length);
  const quaternion = new THREE.Quaternion();
  const matrix = new THREE.Matrix4();
  let count = 0;
  for (let index = 0; index < times.length; index++) {
    const time = times[index] ?? NaN;
    if (time < range[0] || time > range[1]) continue;
    quaternion.set(-(qx[index] ?? NaN), -(qy[index] ?? NaN), qz[index] ?? NaN, qw[index] ?? NaN).normalize().conjugate();
    const [m0 = 0, m1 = 0, m2 = 0, , m4 = 0, m5 = 0, m6 = 0, , m8 = 0, m9 = 0, m10 = 0] = matrix.makeRotationFromQuaternion(quaternion).elements;
    // Arrays for each joint would take seconds for a long recording.
    for (const [x, y, z] of joints) {
      const dx = (x[index] ?? NaN) - (hx[index] ?? NaN);
      const dy = (y[index] ?? NaN) - (hy[index] ?? NaN);
      const dz = (hz[index] ?? NaN) - (z[index] ?? NaN);
      if (!Number.isFinite(dx + dy + dz + m0)) continue;
      points[count++] = m0 * dx + m4 * dy + m8 * dz;
      points[count++] = m1 * dx + m5 * dy + m9 * dz;
      points[count++] = m2 * dx + m6 * dy + m10 * dz;
    }
  }
  const found = withoutErrors(points.subarray(0, count));
  lastInHead.set(recording, { key: range.join(), points: found });
  return found;
}

/**
 * Returns the height of the floor. Some devices record relative to the pose of the head at the start, so the floor is below the origin. Other
 * recordings have their origin on the floor.
 */
function floorHeight(recording: Recording): number {
  const everywhere = [-Infinity, Infinity] as const;
  const heads = collected(recording, ["head.position"], everywhere);
  const points = heads.length > 0 ? heads : collected(recording, handNames(recording), everywhere);
  if (points.length === 0) return 0;
  const heights: number[] = [];
  for (let at = 1; at < points.length; at += 3) heights.push(points[at] ?? 0);
  const { median } = spread(heights);
  const [lowest, highest] = HEAD_HEIGHTS;
  if (median >= lowest && median <= highest) return 0;
  // The origin is at the head, unless the head is far from it.
  return Math.abs(median) < lowest ? -EYE_HEIGHT : median - EYE_HEIGHT;
}

/** A part of the floor: its middle, and its width in metres. */
interface Floor {
  x: number;
  y: number;
  z: number;
  size: number;
}

const floors = new WeakMap<Recording, Floor>();

/** Returns the part of the floor with everything that is recorded. */
export function floorOf(recording: Recording): Floor {
  const floor = floors.get(recording) ?? madeFloor(recording);
  floors.set(recording, floor);
  return floor;
}

function madeFloor(recording: Recording): Floor {
  const everywhere = [-Infinity, Infinity] as const;
  const box = boxOf(collected(recording, ["head.position", ...handNames(recording)], everywhere));
  const center = box.getCenter(new THREE.Vector3());
  const { x, z } = box.getSize(new THREE.Vector3());
  // The lines of the grid stay at multiples of one metre.
  const size = Math.min(2 * Math.ceil(Math.max(x, z) / 2 + 1), 60);
  return { x: Math.round(center.x), y: floorHeight(recording), z: Math.round(center.z), size: Math.max(size, 4) };
}
