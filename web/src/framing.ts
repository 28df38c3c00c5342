// Where the hands move, for the camera, and where the floor is.

import * as THREE from "three";
import type { Recording } from "../package/inputanim.js";
import { placeOf } from "./devices.js";
import { facts } from "./facts.js";
import { SIDES } from "./figure.js";

/** The points that show where the hands move. */
export const HANDS = SIDES.flatMap((side) => [`${side}.Palm.position`, `${side}.IndexTip.position`]);

export const HEAD = "head.position";

/** The number of samples that are examined. */
const SAMPLES = 300;

/** The part of the positions of each axis that is ignored at both ends, so that rare positions do not move the camera. */
const IGNORED = 0.02;

/** Height of the eyes above the floor in metres, for recordings whose origin is at the head. */
const EYE_HEIGHT = 1.6;

/** The largest usual distance of the head from the origin, in metres, if the origin is at the head. */
const MAX_HEAD_HEIGHT = 0.5;

/** Returns the known coordinates of points along an axis, in order. */
function coordinates(recording: Recording, points: string[], axis: string): number[] {
  try {
    const { columns } = facts(recording).overview;
    return points.flatMap((name) => {
      const values = columns[`${name}.${axis}`] ?? new Float32Array();
      const step = Math.max(1, Math.floor(values.length / SAMPLES));
      return Array.from(values).filter((value, index) => index % step === 0 && Math.abs(value) < 50);
    }).sort((a, b) => a - b);
  } catch {
    // If a recording cannot be evaluated, a finding reports this.
    return [];
  }
}

/** Returns the space in which the hands and devices move, in the axes of the scene; without them, the head or the gaze. */
export function bounds(recording: Recording, withHead = false): THREE.Box3 {
  const hands = [...HANDS, ...devicePoints(recording)];
  const boxes = [withHead ? [HEAD, ...hands] : hands, [HEAD], ["gaze.origin"]].map((points) => boundsOf(recording, points));
  return boxes.find((box) => !box.isEmpty()) ?? new THREE.Box3().setFromCenterAndSize(new THREE.Vector3(), new THREE.Vector3(1, 1, 1));
}

/** Returns the positions of the devices. */
function devicePoints(recording: Recording): string[] {
  return facts(recording).devices.flatMap(({ device, poses }) => {
    const pose = placeOf(poses);
    return pose ? [`${device}.${pose}.position`] : [];
  });
}

/** Returns the space in which some points move; an empty box for points that are not recorded. */
function boundsOf(recording: Recording, points: string[]): THREE.Box3 {
  const box = new THREE.Box3();
  const [x, y, z] = ["x", "y", "z"].map((axis) => {
    const values = coordinates(recording, points, axis);
    const at = (part: number) => values[Math.round(part * (values.length - 1))] ?? NaN;
    return [at(IGNORED), at(1 - IGNORED)] as const;
  });
  if (!x || !y || !z || !Number.isFinite(x[0] + y[0] + z[0])) return box;
  return box.set(new THREE.Vector3(x[0], y[0], -z[1]), new THREE.Vector3(x[1], y[1], -z[0]));
}

/**
 * Returns the height of the floor. Devices record relative to the pose of the head at the start, so the floor is below the
 * origin. Other recordings have their origin on the floor.
 */
export function floorHeight(recording: Recording): number {
  const heads = coordinates(recording, [HEAD], "y");
  const heights = heads.length > 0 ? heads : coordinates(recording, HANDS, "y");
  const middle = heights[heights.length >> 1] ?? EYE_HEIGHT;
  return middle < MAX_HEAD_HEIGHT ? -EYE_HEIGHT : 0;
}

/** Returns the distance from which a camera sees a box completely. */
export function fitDistance(camera: THREE.PerspectiveCamera, box: THREE.Box3, smallest: number): number {
  const radius = Math.max(box.getSize(new THREE.Vector3()).length() / 2, smallest);
  const vertical = THREE.MathUtils.degToRad(camera.fov / 2);
  const horizontal = Math.atan(Math.tan(vertical) * camera.aspect);
  return radius / Math.sin(Math.min(vertical, horizontal));
}
