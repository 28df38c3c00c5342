// The model of the head.

import * as THREE from "three";
import { COLORS } from "./colors.js";

/** Returns the head: a visor, and lines that show where it looks. */
export function headModel(isGhost: boolean): THREE.Object3D[] {
  const material = new THREE.MeshStandardMaterial({
    color: COLORS.head,
    transparent: true,
    opacity: isGhost ? 0.25 : 0.8,
  });
  const visor = new THREE.Mesh(new THREE.BoxGeometry(0.16, 0.07, 0.06), material);
  const corners = [[-1, -0.7], [1, -0.7], [1, 0.7], [-1, 0.7]].map(
    ([x = 0, y = 0]) => new THREE.Vector3(0.18 * x, 0.18 * y, -0.35),
  );
  const points = corners.flatMap((corner, index) => [
    new THREE.Vector3(), corner, corner, corners[(index + 1) % 4] ?? corner,
  ]);
  const lines = new THREE.LineSegments(
    new THREE.BufferGeometry().setFromPoints(points),
    new THREE.LineBasicMaterial({ color: COLORS.head, transparent: true, opacity: 0.6 }),
  );
  return [visor, lines];
}
