// The model of the head: the outline of a headset, which does not hide the hands.

import * as THREE from "three";
import { COLORS } from "./colors.js";

/** Half of the width and of the height of the visor in metres, and the radius of its corners. */
const [WIDTH, HEIGHT, CORNER] = [0.085, 0.045, 0.025];

/** Depth of the visor, and of the strap behind it. */
const [DEPTH, STRAP] = [0.05, 0.17];

/** Returns points on a part of an ellipse in the plane of x and y, between angles in quarters of a turn. */
function arc(center: [number, number], radii: [number, number], from: number, to: number, count: number): [number, number][] {
  return Array.from({ length: count + 1 }, (_, index) => {
    const angle = (Math.PI / 2) * (from + ((to - from) * index) / count);
    return [center[0] + radii[0] * Math.cos(angle), center[1] + radii[1] * Math.sin(angle)];
  });
}

/** Returns the outline of the visor: a rectangle with round corners. */
function outline(): [number, number][] {
  const corners = [[1, 1], [-1, 1], [-1, -1], [1, -1]].flatMap(([x = 0, y = 0], quarter) =>
    arc([x * (WIDTH - CORNER), y * (HEIGHT - CORNER)], [CORNER, CORNER], quarter, quarter + 1, 5));
  return [...corners, corners[0] as [number, number]];
}

/** Returns the objects of the head. It looks along −z. */
export function headModel(isGhost: boolean): THREE.Object3D[] {
  const strength = isGhost ? 0.4 : 1;
  const line = new THREE.LineBasicMaterial({ color: COLORS.head, transparent: true, opacity: strength, depthWrite: false });
  const ring = (z: number) => outline().map(([x, y]) => new THREE.Vector3(x, y, z));
  const front = ring(-DEPTH);
  const path = (points: THREE.Vector3[]) => new THREE.Line(new THREE.BufferGeometry().setFromPoints(points), line);
  const sides = [[-1, 0], [1, 0], [0, -1], [0, 1]].map(([x = 0, y = 0]) =>
    path([0, -DEPTH].map((z) => new THREE.Vector3(x * WIDTH, y * HEIGHT, z))));
  const strap = path(arc([0, 0], [WIDTH, STRAP], 0, 2, 20).map(([x, z]) => new THREE.Vector3(x, 0, z)));
  // The line shows where the head looks.
  const view = path([new THREE.Vector3(0, 0, -DEPTH), new THREE.Vector3(0, 0, -DEPTH - 0.06)]);
  const glass = new THREE.Mesh(
    new THREE.BufferGeometry().setFromPoints(front.flatMap((point, index) => [new THREE.Vector3(0, 0, -DEPTH), point, front[index + 1] ?? point])),
    new THREE.MeshBasicMaterial({ color: COLORS.head, transparent: true, opacity: 0.25 * strength, depthWrite: false, side: THREE.DoubleSide }),
  );
  const objects = [glass, path(front), path(ring(0)), ...sides, strap, view];
  // The hands are drawn after the head, and over it.
  for (const object of objects) object.renderOrder = -1;
  return objects;
}
