// The three-dimensional view: hands as joints and bones, the head, the gaze, trails, a floor grid.
//
// Unity's axes are left-handed, and the axes of three.js are right-handed. z is therefore negated, as in OpenXR.

import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { AnalysisEvent, Recording } from "../package/inputanim.js";
import { column, facts, joints } from "./facts.js";
import { type Camera, type State, type Store, endOf, ghostOffset, shown, version } from "./store.js";

/** Colours that people with colour vision deficiencies can tell apart (Okabe and Ito, 2008). */
export const COLORS = { left: "#0072b2", right: "#d55e00", gaze: "#009e73", head: "#cc79a7", damage: "#e69f00" };

/** Length of the gaze ray in metres. */
const GAZE_LENGTH = 2;

/** The time for which fixations are shown after their end, in seconds, and the largest number of shown fixations. */
const FIXATION_SECONDS = 3;
const MAX_FIXATIONS = 32;

const SIDES = ["left", "right"] as const;
type Side = (typeof SIDES)[number];

/** Returns the joint at the other end of the bone of a joint. */
function parentOf(joint: string, all: string[]): string | null {
  if (joint === "Wrist" || joint === "None") return null;
  const finger = /^(Thumb|Index|Middle|Ring|Pinky)/.exec(joint)?.[1];
  if (!finger) return "Wrist";
  const chain = all.filter((other) => other.startsWith(finger));
  return chain[chain.indexOf(joint) - 1] ?? "Wrist";
}

const INSTANCE_COLORS = {
  left: new THREE.Color(COLORS.left), right: new THREE.Color(COLORS.right), // Yellow of the same palette: the colour of damage in the timeline is too similar to the right hand.
  damage: new THREE.Color("#f0e442"),
};

/** Length of the axes of a joint in metres. */
const AXIS_LENGTH = 0.014;

/** The optional parts of a figure. */
interface Shows {
  head: boolean;
  axes: boolean;
}

/** The time for which a joint is marked before and after its damage, in seconds, so that single keys can be seen. */
const MARK_SECONDS = 0.05;

/** Returns the joints whose values are wrong at a time, by the findings that are known: `left.Palm`. */
function damagedAt(recording: Recording, time: number): Set<string> {
  const damaged = new Set<string>();
  for (const { severity, curves, ranges } of facts(recording).known("findings") ?? []) {
    if (severity !== "damage") continue;
    const isNow = ranges.length === 0 || ranges.some(({ start, end }) => start - MARK_SECONDS <= time && time <= end + MARK_SECONDS);
    if (isNow) for (const curve of curves) damaged.add(curve.split(".").slice(0, 2).join("."));
  }
  return damaged;
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
class Figure {
  readonly group = new THREE.Group();
  private readonly frame: Float32Array;
  private readonly spheres: Record<Side, THREE.InstancedMesh>;
  private readonly bones: Record<Side, THREE.InstancedMesh>;
  private readonly head = new THREE.Group();
  private readonly ray: THREE.Line;
  private readonly axes: THREE.LineSegments;
  private readonly names = joints();
  private readonly parents: number[];

  constructor(isGhost: boolean, length: number) {
    this.frame = new Float32Array(length);
    this.parents = this.names.map((joint) => this.names.indexOf(parentOf(joint, this.names) ?? ""));
    const mesh = (geometry: THREE.BufferGeometry, count: number) => {
      // Each instance has a colour.
      const material = new THREE.MeshStandardMaterial({
        roughness: 0.6,
        transparent: isGhost,
        opacity: isGhost ? 0.3 : 1,
        depthWrite: !isGhost,
      });
      const instances = new THREE.InstancedMesh(geometry, material, count);
      // three.js computes the bounds of instances only for the first frame, so culling by them would be wrong.
      instances.frustumCulled = false;
      this.group.add(instances);
      return instances;
    };
    const ball = new THREE.IcosahedronGeometry(1, 2);
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
    this.group.add(this.head, this.ray, this.axes);
  }

  /** Moves the figure to a time of a recording. */
  show(recording: Recording, time: number, shows: Shows): void {
    recording.sample(time, this.frame);
    this.place(shows, damagedAt(recording, time));
  }

  /** Moves the figure to a frame. */
  showFrame(frame: Float32Array, shows: Shows): void {
    this.frame.set(frame);
    this.place(shows, new Set());
  }

  private place({ head: showsHead, axes }: Shows, damaged: Set<string>): void {
    for (const side of SIDES) this.showHand(side, damaged);
    this.axes.visible = axes;
    if (axes) this.placeAxes();
    const hasHead = this.pose("head", this.head);
    this.head.visible = hasHead && showsHead;
    const origin = this.vector("gaze.origin");
    this.ray.visible = Number.isFinite(origin.x) && showsHead;
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
        const isKnown = name !== "None" && this.pose(`${side}.${name}`, joint);
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

  private showHand(side: Side, damaged: Set<string>): void {
    const matrix = new THREE.Matrix4();
    const hidden = new THREE.Matrix4().makeScale(0, 0, 0);
    const up = new THREE.Vector3(0, 1, 0);
    const isPinching = this.frame[column(`${side}.pinching`)] === 1;
    const points = this.names.map((joint) => this.vector(`${side}.${joint}.position`));
    points.forEach((point, index) => {
      const name = this.names[index] ?? "";
      const color = INSTANCE_COLORS[damaged.has(`${side}.${name}`) ? "damage" : side];
      this.spheres[side].setColorAt(index, color);
      this.bones[side].setColorAt(index, color);
      const isKnown = Number.isFinite(point.x) && name !== "None";
      const isPinch = isPinching && (name === "ThumbTip" || name === "IndexTip");
      const radius = isPinch ? 0.011 : name.endsWith("Tip") ? 0.008 : 0.007;
      matrix.makeScale(radius, radius, radius).setPosition(point);
      this.spheres[side].setMatrixAt(index, isKnown ? matrix : hidden);
      const parent = points[this.parents[index] ?? -1];
      if (!isKnown || !parent || !Number.isFinite(parent.x)) {
        this.bones[side].setMatrixAt(index, hidden);
        return;
      }
      const bone = point.clone().sub(parent);
      const length = bone.length();
      const rotation = new THREE.Quaternion().setFromUnitVectors(up, bone.divideScalar(length || 1));
      const middle = point.clone().add(parent).multiplyScalar(0.5);
      matrix.compose(middle, rotation, new THREE.Vector3(1, length, 1));
      this.bones[side].setMatrixAt(index, matrix);
    });
    for (const { instanceMatrix, instanceColor } of [this.spheres[side], this.bones[side]]) {
      instanceMatrix.needsUpdate = true;
      if (instanceColor) instanceColor.needsUpdate = true;
    }
  }

  /** Returns a position or a direction in the axes of the scene. */
  vector(name: string): THREE.Vector3 {
    const at = column(`${name}.x`);
    return new THREE.Vector3(this.frame[at], this.frame[at + 1], -(this.frame[at + 2] ?? NaN));
  }

  /** Moves an object to a pose. Returns false if the pose is not known. */
  pose(name: string, object: THREE.Object3D): boolean {
    const position = this.vector(`${name}.position`);
    if (!Number.isFinite(position.x)) return false;
    const at = column(`${name}.rotation.x`);
    const [x = 0, y = 0, z = 0, w = 1] = this.frame.subarray(at, at + 4);
    object.position.copy(position);
    object.quaternion.set(-x, -y, z, w);
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
        if (joint !== "None" && found < distance) {
          distance = found;
          best = { name: `${side}.${joint}`, position };
        }
      }
    }
    return best;
  }
}

/** Returns the head: a visor, and lines that show where it looks. */
function headModel(isGhost: boolean): THREE.Object3D[] {
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

export class Scene {
  readonly renderer: THREE.WebGLRenderer;
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(50, 1, 0.02, 100);
  readonly controls: OrbitControls;
  private readonly figure: Figure;
  private readonly ghost: Figure;
  private readonly trails = new THREE.Group();
  private readonly fixations = new THREE.InstancedMesh(
    new THREE.IcosahedronGeometry(1, 2),
    new THREE.MeshStandardMaterial({ color: COLORS.gaze }),
    MAX_FIXATIONS,
  );
  private readonly grid = new THREE.GridHelper(4, 16);
  private readonly label: HTMLElement;
  private isDirty = true;
  /** True if the user moved the camera after the view was selected. */
  private isMoved = false;
  private trailsOf: Recording | null = null;

  constructor(private readonly store: Store, host: HTMLElement, length: number) {
    this.renderer = new THREE.WebGLRenderer({ antialias: true, alpha: true });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    host.append(this.renderer.domElement);
    this.figure = new Figure(false, length);
    this.ghost = new Figure(true, length);
    this.label = host.appendChild(document.createElement("div"));
    this.label.className = "label";
    // three.js computes the bounds of instances only for the first frame, so culling by them would be wrong.
    this.fixations.frustumCulled = false;
    // All lines have one colour, which depends on the theme.
    (this.grid.material as THREE.LineBasicMaterial).vertexColors = false;
    const sun = new THREE.DirectionalLight("white", 2);
    sun.position.set(1, 3, 2);
    this.scene.add(new THREE.HemisphereLight("white", "#667", 2), sun);
    this.scene.add(this.figure.group, this.ghost.group, this.trails, this.fixations, this.grid, new THREE.AxesHelper(0.2));
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.addEventListener("change", () => (this.isDirty = true));
    this.controls.addEventListener("start", () => (this.isMoved = true));
    // The address of the page contains the pose of the camera.
    this.controls.addEventListener("end", () => store.update({ moves: store.state.moves + 1 }));
    this.controls.listenToKeyEvents(this.renderer.domElement);
    new ResizeObserver(() => this.resize(host)).observe(host);
    this.renderer.domElement.addEventListener("pointermove", (event) => this.hover(event));
    const redraw = () => (this.isDirty = true);
    // An edit, or the growth of a recording in progress, does not move the camera.
    store.watch((state) => [state.openFiles[state.selected]?.id], (state) => this.frameRecording(state));
    store.watch((state) => [state.camera], (state) => this.look(state.camera));
    store.watch((state) => [shown(state), state.time, state.ghost, state.ghostOffset, state.trails, state.axes, state.theme, state.answers, state.live, version(state, state.ghost)], redraw);
  }

  redraw(): void {
    this.isDirty = true;
  }

  private resize(host: HTMLElement): void {
    const { clientWidth, clientHeight } = host;
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.camera.aspect = clientWidth / Math.max(clientHeight, 1);
    this.camera.updateProjectionMatrix();
    if (!this.isMoved) this.look(this.store.state.camera);
    this.isDirty = true;
    this.draw();
  }

  /** Moves the camera so that the complete recording is in view. */
  private frameRecording(state: State): void {
    const recording = shown(state);
    const canvas = this.renderer.domElement;
    canvas.style.visibility = recording ? "visible" : "hidden";
    if (recording) this.look(state.camera);
  }

  private look(camera: Camera): void {
    const recording = shown(this.store.state);
    if (!recording) return;
    const box = bounds(recording, camera === "hands" ? HANDS : ["head", ...HANDS]);
    const center = box.getCenter(new THREE.Vector3());
    const size = Math.max(box.getSize(new THREE.Vector3()).length(), camera === "hands" ? 0.35 : 0.6);
    const from = {
      orbit: new THREE.Vector3(0.7, 0.4, 0.75),
      hands: new THREE.Vector3(0.5, 0.4, 0.9),
      top: new THREE.Vector3(0, 1, 0.001),
      front: new THREE.Vector3(0, 0.05, -1),
      head: new THREE.Vector3(0, 0, 1),
      follow: new THREE.Vector3(0.5, 0.3, 1),
    }[camera];
    this.controls.target.copy(center);
    // A narrow view, as on a phone, needs a larger distance.
    const distance = size * 0.95 * Math.max(1, 1.2 / this.camera.aspect);
    this.camera.position.copy(center).addScaledVector(from.normalize(), distance);
    this.controls.enabled = camera !== "head";
    this.grid.position.y = box.min.y < -0.3 ? Math.min(box.min.y - 0.2, -1) : 0;
    this.controls.update();
    this.isMoved = false;
    this.isDirty = true;
  }

  /** Returns the position of the camera and the point at its centre if the user moved the camera; null otherwise. */
  get pose(): number[] | null {
    const { position } = this.camera;
    return this.isMoved ? [...position.toArray(), ...this.controls.target.toArray()] : null;
  }

  /** Moves the camera to a pose that `pose` returned. */
  set pose(pose: number[]) {
    this.camera.position.fromArray(pose);
    this.controls.target.fromArray(pose, 3);
    this.controls.update();
    this.isMoved = true;
    this.isDirty = true;
  }

  /** Draws the view with the background of the page on a canvas, which may have another size. */
  paint(canvas: HTMLCanvasElement): void {
    const context = canvas.getContext("2d");
    if (!context) return;
    this.isDirty = true;
    // The browser may clear the drawing after this task.
    this.draw();
    context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--page").trim();
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(this.renderer.domElement, 0, 0, canvas.width, canvas.height);
  }

  /** Draws the scene if something changed. */
  draw(): void {
    if (!this.isDirty || this.renderer.xr.isPresenting) return;
    this.isDirty = false;
    this.update();
    this.renderer.render(this.scene, this.camera);
  }

  /** Moves everything to the time of the state. */
  update(): void {
    const { state } = this.store;
    const recording = shown(state);
    this.figure.group.visible = recording !== null;
    if (!recording) return;
    try {
      const shows = { head: state.camera !== "head", axes: state.axes };
      if (state.following && state.live) this.figure.showFrame(state.live.frame, shows);
      else this.figure.show(recording, state.time, shows);
    } catch {
      // If a recording cannot be evaluated, a finding reports this.
      this.figure.group.visible = false;
      return;
    }
    const other = version(state, state.ghost);
    this.ghost.group.visible = other !== null;
    try {
      if (other) this.ghost.show(other, state.time + ghostOffset(state), { head: true, axes: state.axes });
    } catch {
      this.ghost.group.visible = false;
    }
    if (state.camera === "head" && !this.renderer.xr.isPresenting) this.figure.pose("head", this.camera);
    if (state.camera === "follow") {
      const head = this.figure.vector("head.position");
      if (Number.isFinite(head.x)) {
        this.camera.position.add(head).sub(this.controls.target);
        this.controls.target.copy(head);
      }
    }
    this.drawTrails(recording, state);
    this.drawFixations(recording, state);
    const ink = getComputedStyle(document.documentElement).getPropertyValue("--grid").trim();
    (this.grid.material as THREE.LineBasicMaterial).color.set(ink);
  }

  private drawTrails(recording: Recording, state: State): void {
    this.trails.visible = state.trails;
    if (!state.trails) return;
    const { times, columns } = facts(recording).overview;
    if (this.trailsOf !== recording) {
      this.trailsOf = recording;
      for (const line of this.trails.children) (line as THREE.Line).geometry.dispose();
      this.trails.clear();
      for (const side of SIDES) {
        const [x, y, z] = ["x", "y", "z"].map((axis) => columns[`${side}.IndexTip.position.${axis}`]);
        if (!x || !y || !z) continue;
        const points = new Float32Array(3 * times.length);
        times.forEach((_, index) => points.set([x[index] ?? NaN, y[index] ?? NaN, -(z[index] ?? NaN)], 3 * index));
        const geometry = new THREE.BufferGeometry().setAttribute("position", new THREE.BufferAttribute(points, 3));
        // three.js sorts objects by these bounds, and warns if it has to compute them from unknown positions.
        geometry.boundingSphere = new THREE.Sphere();
        const line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: COLORS[side] }));
        line.frustumCulled = false;
        this.trails.add(line);
      }
    }
    const rate = times.length / Math.max(endOf(recording), 0.001);
    const first = Math.max(Math.floor((state.time - 1) * rate), 0);
    const last = Math.min(Math.ceil((state.time + 1) * rate), times.length);
    for (const line of this.trails.children) (line as THREE.Line).geometry.setDrawRange(first, last - first);
  }

  /** Draws the fixations of the last seconds as dots at the end of the gaze ray. Older ones are smaller. */
  private drawFixations(recording: Recording, state: State): void {
    this.fixations.count = 0;
    if (state.camera === "head" || state.openFiles[state.selected]?.isLive) return;
    const { times, columns } = facts(recording).overview;
    const origin = ["x", "y", "z"].map((axis) => columns[`gaze.origin.${axis}`]);
    if (!origin[0]) return;
    const rate = times.length / Math.max(endOf(recording), 0.001);
    const matrix = new THREE.Matrix4();
    const recent = (fixationsOf(recording) ?? []).filter(
      ({ start, duration }) => start <= state.time && state.time - start - duration < FIXATION_SECONDS,
    );
    for (const { start, duration, position } of recent.slice(-MAX_FIXATIONS)) {
      const middle = Math.round((start + duration / 2) * rate);
      const [x = NaN, y = NaN, z = NaN] = origin.map((values) => values?.[middle]);
      if (!position || !Number.isFinite(x + y + z)) continue;
      const point = new THREE.Vector3(...position).multiplyScalar(GAZE_LENGTH).add(new THREE.Vector3(x, y, z));
      const age = Math.max(state.time - start - duration, 0) / FIXATION_SECONDS;
      const radius = (0.012 + 0.02 * Math.min(duration, 1)) * (1 - 0.7 * age);
      matrix.makeScale(radius, radius, radius).setPosition(point.x, point.y, -point.z);
      this.fixations.setMatrixAt(this.fixations.count++, matrix);
    }
    this.fixations.instanceMatrix.needsUpdate = true;
  }

  private hover(event: PointerEvent): void {
    const box = this.renderer.domElement.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * 2 - 1;
    const y = 1 - ((event.clientY - box.top) / box.height) * 2;
    const caster = new THREE.Raycaster();
    caster.setFromCamera(new THREE.Vector2(x, y), this.camera);
    const found = shown(this.store.state) ? this.figure.nearest(caster.ray) : null;
    this.label.textContent = found?.name ?? "";
    this.label.hidden = !found;
    this.label.style.translate = `${event.clientX - box.left + 12}px ${event.clientY - box.top + 12}px`;
  }

  /** Returns the position of a joint on the canvas in CSS pixels, for tests. */
  project(name: string): [number, number] {
    this.update();
    this.camera.updateMatrixWorld();
    const point = this.figure.vector(`${name}.position`).project(this.camera);
    const { clientWidth, clientHeight } = this.renderer.domElement;
    return [((point.x + 1) / 2) * clientWidth, ((1 - point.y) / 2) * clientHeight];
  }
}

/** Returns the fixations of a recording; null until they are computed. */
function fixationsOf(recording: Recording): AnalysisEvent[] | null {
  try {
    return facts(recording).answer("fixations");
  } catch {
    // If a recording cannot be evaluated, a finding reports this.
    return null;
  }
}

/** The points that show where the hands move. */
const HANDS = SIDES.flatMap((side) => [`${side}.Palm`, `${side}.IndexTip`]);

/** Returns the space in which some points move, in the axes of the scene. */
function bounds(recording: Recording, points: string[]): THREE.Box3 {
  const box = new THREE.Box3();
  try {
    const { times, columns } = facts(recording).overview;
    const step = Math.max(1, Math.floor(times.length / 200));
    for (const name of points) {
      const [x, y, z] = ["x", "y", "z"].map((axis) => columns[`${name}.position.${axis}`]);
      if (!x || !y || !z) continue;
      for (let index = 0; index < times.length; index += step) {
        const point = new THREE.Vector3(x[index], y[index], -(z[index] ?? NaN));
        if (Number.isFinite(point.x + point.y + point.z) && point.length() < 50) box.expandByPoint(point);
      }
    }
  } catch {
    // If a recording cannot be evaluated, a finding reports this.
  }
  return box.isEmpty() ? box.setFromCenterAndSize(new THREE.Vector3(), new THREE.Vector3(1, 1, 1)) : box;
}
