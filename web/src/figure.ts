// A figure of one recording: both hands as joints and bones, the head and the gaze.
//
// Unity's axes are left-handed, and the axes of three.js are right-handed. z is therefore negated, as in OpenXR.

import * as THREE from "three";
import type { Recording } from "../package/inputanim.js";
import { COLORS, MARK_COLORS } from "./colors.js";
import { DeviceModels } from "./device-model.js";
import { column, joints } from "./facts.js";
import { headModel } from "./head-model.js";
import { type Mark, type Marks, damagedAt } from "./marks.js";

/** Length of the gaze ray in metres. */
export const GAZE_LENGTH = 2;

export const SIDES = ["left", "right"] as const;
type Side = (typeof SIDES)[number];

/** Returns the joint at the other end of the bone of a joint. */
export function parentOf(joint: string, all: string[]): string | null {
  if (joint === "Wrist" || joint === "None") return null;
  const finger = /^(Thumb|Index|Middle|Ring|Pinky)/.exec(joint)?.[1];
  if (!finger) return "Wrist";
  const chain = all.filter((other) => other.startsWith(finger));
  return chain[chain.indexOf(joint) - 1] ?? "Wrist";
}

const INSTANCE_COLORS = Object.fromEntries(
  Object.entries({ ...MARK_COLORS, left: COLORS.left, right: COLORS.right }).map(([name, color]) => [name, new THREE.Color(color)]),
) as Record<Mark | Side, THREE.Color>;

/** Width and thickness of a bone, relative to a round one. */
const BONE_WIDTH = 1.4;
const BONE_THICKNESS = 0.5;

/** Objects for intermediate results. */
const SCRATCH = {
  across: new THREE.Vector3(), along: new THREE.Vector3(), normal: new THREE.Vector3(),
  rotation: new THREE.Quaternion(), matrix: new THREE.Matrix4(),
};

/** Length of the axes of a joint in metres. */
const AXIS_LENGTH = 0.014;

/** The opacity of a ghost that is drawn over the figure. */
const GHOST_OPACITY = 0.45;

/** The size of a ghost over the figure. Its colours are visible around the figure where both are at the same place. */
const GHOST_SIZE = 1.5;

/** The optional parts of a figure. */
export interface Shows {
  head: boolean;
  axes: boolean;
  /** Names of the joints and streams that are not drawn: `left.Palm`. */
  hidden: ReadonlySet<string>;
}

/** Returns lines for the x, y and z axes of joints, in red, green and blue. */
function jointAxes(count: number, isGhost: boolean): THREE.LineSegments {
  const colors = [[0.85, 0.1, 0.1], [0.1, 0.6, 0.1], [0.2, 0.35, 1]].flatMap((color) => [...color, ...color]);
  const geometry = new THREE.BufferGeometry()
    .setAttribute("position", new THREE.BufferAttribute(new Float32Array(18 * count), 3))
    .setAttribute("color", new THREE.BufferAttribute(Float32Array.from({ length: 18 * count }, (_, index) => colors[index % 18] ?? 0), 3));
  geometry.boundingSphere = new THREE.Sphere();
  const material = new THREE.LineBasicMaterial({ vertexColors: true, transparent: isGhost, opacity: isGhost ? 0.4 : 1, depthTest: false });
  const lines = new THREE.LineSegments(geometry, material);
  lines.frustumCulled = false;
  return lines;
}

/** A figure of one recording: both hands, the head and the gaze. */
export class Figure {
  readonly group = new THREE.Group();
  private readonly frame: Float32Array;
  private readonly spheres: Record<Side, THREE.InstancedMesh>;
  private readonly bones: Record<Side, THREE.InstancedMesh>;
  private readonly head = new THREE.Group();
  private readonly ray: THREE.Line;
  private readonly axes: THREE.LineSegments;
  private readonly devices: DeviceModels;
  private readonly names = joints();
  private readonly parents: number[];
  private hidden: ReadonlySet<string> = new Set();
  /** The size of joints and the width of bones, relative to the usual ones. */
  private size = 1;
  /** The marks of the last frame. */
  marks: Marks = new Map();

  constructor(isGhost: boolean, length: number) {
    this.frame = new Float32Array(length);
    this.parents = this.names.map((joint) => this.names.indexOf(parentOf(joint, this.names) ?? ""));
    const mesh = (geometry: THREE.BufferGeometry, count: number) => {
      // Each instance has a colour.
      const material = new THREE.MeshStandardMaterial({
        roughness: 0.6,
        transparent: isGhost,
        opacity: isGhost ? GHOST_OPACITY : 1,
        depthWrite: !isGhost,
      });
      const instances = new THREE.InstancedMesh(geometry, material, count);
      // three.js computes the bounds of instances only for the first frame, so culling by them would be wrong.
      instances.frustumCulled = false;
      this.group.add(instances);
      return instances;
    };
    // Its vertices are shared, so that they are computed once. Without a graphics card this takes a large part of the time.
    const ball = new THREE.SphereGeometry(1, 14, 10);
    const tube = new THREE.CylinderGeometry(0.0045, 0.0055, 1, 10);
    const both = (make: (side: Side) => THREE.InstancedMesh) => ({ left: make("left"), right: make("right") });
    this.spheres = both(() => mesh(ball, this.names.length));
    this.bones = both(() => mesh(tube, this.names.length));
    this.axes = jointAxes(SIDES.length * this.names.length, isGhost);
    this.head.add(...headModel(isGhost));
    this.ray = new THREE.Line(
      new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3()]),
      new THREE.LineBasicMaterial({ color: COLORS.gaze, transparent: isGhost, opacity: isGhost ? 0.4 : 1 }),
    );
    this.ray.frustumCulled = false;
    this.devices = new DeviceModels(isGhost);
    this.group.add(this.head, this.ray, this.axes, this.devices.group);
  }

  /** Draws a ghost over the figure, or beside it. */
  drawOver(isOver: boolean): void {
    this.size = isOver ? GHOST_SIZE : 1;
    for (const { material } of [...Object.values(this.spheres), ...Object.values(this.bones)] as { material: THREE.Material }[]) {
      material.opacity = isOver ? GHOST_OPACITY : 1;
      material.depthWrite = !isOver;
      // The front of a larger ghost would change the colours of the figure in it.
      material.side = isOver ? THREE.BackSide : THREE.FrontSide;
    }
  }

  /** Returns the middle of the hands that are drawn, in the axes of the scene; null without hands. */
  handsCenter(): THREE.Vector3 | null {
    const palms = SIDES.map((side) => this.vector(`${side}.Palm.position`)).filter(({ x }) => Number.isFinite(x));
    const [first, second] = palms;
    return first ? first.clone().lerp(second ?? first, 0.5).add(this.group.position) : null;
  }

  /** Moves the figure to a time of a recording. `marksOf` returns marks for the frame, in addition to damage. */
  show(recording: Recording, time: number, shows: Shows, marksOf: (frame: Float32Array) => Marks = () => new Map()): void {
    recording.sample(time, this.frame);
    this.place(shows, new Map([...damagedAt(recording, time), ...marksOf(this.frame)]));
    this.devices.show(recording, time, shows.hidden);
  }

  /** Moves the figure to a frame. */
  showFrame(frame: Float32Array, shows: Shows): void {
    this.frame.set(frame);
    this.place(shows, new Map());
    this.devices.clear();
  }

  private place(shows: Shows, marks: Marks): void {
    this.hidden = shows.hidden;
    this.marks = marks;
    for (const side of SIDES) this.showHand(side);
    this.axes.visible = shows.axes;
    if (shows.axes) this.placeAxes();
    const hasHead = this.pose("head", this.head);
    const headMark = marks.get("head");
    // Thin yellow lines would not be visible on a light page, so they have the colour of damage in the timeline.
    const headColor = headMark === "damage" ? COLORS.damage : headMark ? MARK_COLORS[headMark] : COLORS.head;
    for (const part of this.head.children) {
      ((part as THREE.Mesh).material as THREE.MeshBasicMaterial).color.set(headColor);
    }
    this.head.visible = hasHead && shows.head && !this.hidden.has("head");
    const origin = this.vector("gaze.origin");
    this.ray.visible = Number.isFinite(origin.x) && shows.head && !this.hidden.has("gaze");
    if (this.ray.visible) {
      const end = this.vector("gaze.direction").multiplyScalar(GAZE_LENGTH).add(origin);
      const positions = this.ray.geometry.getAttribute("position") as THREE.BufferAttribute;
      positions.setXYZ(0, origin.x, origin.y, origin.z);
      positions.setXYZ(1, end.x, end.y, end.z);
      positions.needsUpdate = true;
    }
  }

  /** Moves the axes to the rotations of the joints. */
  private placeAxes(): void {
    const positions = this.axes.geometry.getAttribute("position") as THREE.BufferAttribute;
    const joint = new THREE.Object3D();
    const units = [new THREE.Vector3(1, 0, 0), new THREE.Vector3(0, 1, 0), new THREE.Vector3(0, 0, -1)];
    let vertex = 0;
    for (const side of SIDES) {
      for (const name of this.names) {
        const isKnown = this.isDrawn(`${side}.${name}`) && this.pose(`${side}.${name}`, joint);
        // A rotation whose w was lost is no unit quaternion. MRTK normalises it.
        joint.quaternion.normalize();
        for (const unit of units) {
          const { x, y, z } = isKnown ? joint.position : new THREE.Vector3();
          const end = isKnown ? unit.clone().multiplyScalar(AXIS_LENGTH).applyQuaternion(joint.quaternion) : new THREE.Vector3();
          positions.setXYZ(vertex++, x, y, z);
          positions.setXYZ(vertex++, x + end.x, y + end.y, z + end.z);
        }
      }
    }
    positions.needsUpdate = true;
  }

  /** Returns false for a joint that is hidden, or that is no part of the hand. */
  private isDrawn(name: string): boolean {
    return !name.endsWith(".None") && !this.hidden.has(name);
  }

  private showHand(side: Side): void {
    const matrix = new THREE.Matrix4();
    const hidden = new THREE.Matrix4().makeScale(0, 0, 0);
    const isPinching = this.frame[column(`${side}.pinching`)] === 1;
    const points = this.names.map((joint) => this.vector(`${side}.${joint}.position`));
    points.forEach((point, index) => {
      const name = this.names[index] ?? "";
      const color = INSTANCE_COLORS[this.marks.get(`${side}.${name}`) ?? side];
      this.spheres[side].setColorAt(index, color);
      this.bones[side].setColorAt(index, color);
      const isKnown = Number.isFinite(point.x) && this.isDrawn(`${side}.${name}`);
      const isPinch = isPinching && (name === "ThumbTip" || name === "IndexTip");
      const radius = this.size * (isPinch ? 0.011 : name.endsWith("Tip") ? 0.008 : 0.007);
      matrix.makeScale(radius, radius, radius).setPosition(point);
      this.spheres[side].setMatrixAt(index, isKnown ? matrix : hidden);
      const parent = points[this.parents[index] ?? -1];
      const hasParent = parent && Number.isFinite(parent.x) && this.isDrawn(`${side}.${this.names[this.parents[index] ?? -1]}`);
      if (!isKnown || !hasParent) {
        this.bones[side].setMatrixAt(index, hidden);
        return;
      }
      this.bones[side].setMatrixAt(index, this.boneMatrix(parent, point, `${side}.${name}`));
    });
    for (const { instanceMatrix, instanceColor } of [this.spheres[side], this.bones[side]]) {
      instanceMatrix.needsUpdate = true;
      if (instanceColor) instanceColor.needsUpdate = true;
    }
  }

  /** Returns the matrix of a bone. Its flat side turns with its joint, which shows wrong rotations. */
  private boneMatrix(from: THREE.Vector3, to: THREE.Vector3, joint: string): THREE.Matrix4 {
    // Many bones are drawn for each frame, so they share these objects.
    const { across, along, normal, rotation, matrix } = SCRATCH;
    along.subVectors(to, from);
    const length = along.length();
    along.divideScalar(length || 1);
    normal.set(0, 1, 0).applyQuaternion(this.rotation(joint, rotation).normalize());
    across.crossVectors(along, normal);
    // If the bone is along the up axis of its joint, any direction across it is as good.
    const isAlongX = Math.abs(along.x) > 0.9;
    if (!(across.length() > 1e-3)) across.set(isAlongX ? 0 : 1, isAlongX ? 1 : 0, 0).cross(along);
    across.normalize();
    normal.crossVectors(across, along);
    matrix.makeBasis(across.multiplyScalar(BONE_WIDTH * this.size), along.multiplyScalar(length), normal.multiplyScalar(BONE_THICKNESS * this.size));
    return matrix.setPosition((from.x + to.x) / 2, (from.y + to.y) / 2, (from.z + to.z) / 2);
  }

  /** Sets a quaternion to the rotation of a joint in the axes of the scene. */
  private rotation(name: string, quaternion: THREE.Quaternion): THREE.Quaternion {
    const at = column(`${name}.rotation.x`);
    const { frame } = this;
    return quaternion.set(-(frame[at] ?? 0), -(frame[at + 1] ?? 0), frame[at + 2] ?? 0, frame[at + 3] ?? 1);
  }

  /** Returns a position or a direction in the axes of the scene. */
  vector(name: string): THREE.Vector3 {
    const at = column(`${name}.x`);
    return new THREE.Vector3(this.frame[at], this.frame[at + 1], -(this.frame[at + 2] ?? NaN));
  }

  /** Returns the positions of the joints and devices that are drawn: x, y and z of each, in the axes of the scene. */
  drawnPoints(): number[] {
    const joints = SIDES.flatMap((side) => this.names.map((joint) => `${side}.${joint}`)).filter((name) => this.isDrawn(name));
    const points = joints.map((name) => this.vector(`${name}.position`)).filter(({ x }) => Number.isFinite(x));
    return [...points, ...this.devices.places()].flatMap((point) => point.toArray());
  }

  /** Moves an object to a pose. Returns false if the pose is not known. */
  pose(name: string, object: THREE.Object3D): boolean {
    const position = this.vector(`${name}.position`);
    if (!Number.isFinite(position.x)) return false;
    object.position.copy(position);
    this.rotation(name, object.quaternion);
    return true;
  }

  /** Returns the joint nearest to a ray, for labels. */
  nearest(ray: THREE.Ray): { name: string; position: THREE.Vector3 } | null {
    let best: { name: string; position: THREE.Vector3 } | null = null;
    let distance = 0.02;
    for (const side of SIDES) {
      for (const joint of this.names) {
        const position = this.vector(`${side}.${joint}.position`);
        const found = ray.distanceToPoint(position);
        if (this.isDrawn(`${side}.${joint}`) && found < distance) {
          distance = found;
          best = { name: `${side}.${joint}`, position };
        }
      }
    }
    return best;
  }
}

