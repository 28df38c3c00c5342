// The three-dimensional view: the figure, the ghost, trails, fixations, the floor grid and the camera.

import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { AnalysisEvent, Recording } from "../package/inputanim.js";
import { COLORS } from "./colors.js";
import { facts } from "./facts.js";
import { Figure, GAZE_LENGTH, SIDES } from "./figure.js";
import { FIELD, type HeadView, boxOf, fitted, floorOf, headView, movementTo, positions } from "./framing.js";
import { type Mark, repairedAt } from "./marks.js";
import { type Camera, ORIGINAL, type State, type Store, endOf, ghostOffset, played, shown, version } from "./store.js";
import { text } from "./strings.js";
import { ghostName, kindsOf } from "./view-notes.js";

/** The height of a name in pixels, with a margin. */
const NAME_HEIGHT = 30;

/** The part of the picture that the hands may fill. */
const FILLED = { orbit: 0.8, hands: 0.95, top: 0.8, front: 0.8, follow: 0.8 };

/** The distance between the lines of the grid in metres, and the largest grid with these lines. */
const GRID_STEP = 0.25;
const MAX_FINE_GRID = 10;

/** The distance in metres between a figure and a ghost beside it. */
const BESIDE_GAP = 0.25;

/** The time for which fixations are shown after their end, in seconds, and the largest number of shown fixations. */
const FIXATION_SECONDS = 3;
const MAX_FIXATIONS = 32;

/** Builds the view in an element. Returns null, and says so, if the browser has no WebGL: the page works without the view. */
export function makeScene(store: Store, host: HTMLElement, length: number): Scene | null {
  try {
    return new Scene(store, host, length);
  } catch {
    store.update({ viewProblem: "noWebGl" });
    return null;
  }
}

export class Scene {
  readonly renderer: THREE.WebGLRenderer;
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(FIELD, 1, 0.02, 100);
  readonly controls: OrbitControls;
  private readonly figure: Figure;
  private readonly ghost: Figure;
  private readonly trails = new THREE.Group();
  private readonly fixations = new THREE.InstancedMesh(
    new THREE.IcosahedronGeometry(1, 2),
    new THREE.MeshStandardMaterial({ color: COLORS.gaze }),
    MAX_FIXATIONS,
  );
  private readonly grid = new THREE.GridHelper(4, 4 / GRID_STEP);
  private gridSize = 4;
  private readonly label: HTMLElement;
  /** Names of the figure and of the ghost. */
  private readonly names: HTMLElement[];
  /** Called with the kinds of marks of each frame. */
  onDraw: (marks: Mark[]) => void = () => undefined;
  private isDirty = true;
  /** True if the user moved the camera after the view was selected. */
  private isMoved = false;
  private trailsOf: Recording | null = null;
  /** The position of the pointer in the view in pixels. */
  private pointer: THREE.Vector2 | null = null;
  private readonly caster = new THREE.Raycaster();
  /** The view through the head. */
  private headView: HeadView = { field: FIELD, tilt: 0 };
  /** The position of the head to which the camera that follows the head has moved. */
  private followed: THREE.Vector3 | null = null;
  /** The direction along x in which the ghost is beside the figure. */
  private side = -1;

  constructor(private readonly store: Store, host: HTMLElement, length: number) {
    this.renderer = new THREE.WebGLRenderer({ antialias: true, alpha: true });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    const canvas = host.appendChild(this.renderer.domElement);
    canvas.addEventListener("webglcontextlost", () => store.update({ viewProblem: "viewLost" }));
    // The renderer itself listens too, and has restored its state before.
    canvas.addEventListener("webglcontextrestored", () => {
      store.update({ viewProblem: null });
      this.isDirty = true;
    });
    this.figure = new Figure(false, length);
    this.ghost = new Figure(true, length);
    this.label = host.appendChild(document.createElement("div"));
    this.label.className = "label";
    this.names = [0, 1].map(() => host.appendChild(document.createElement("div")));
    for (const name of this.names) name.className = "label";
    // three.js computes the bounds of instances only for the first frame, so culling by them would be wrong.
    this.fixations.frustumCulled = false;
    // All lines have one colour, which depends on the theme.
    (this.grid.material as THREE.LineBasicMaterial).vertexColors = false;
    const sun = new THREE.DirectionalLight("white", 2);
    sun.position.set(1, 3, 2);
    this.scene.add(new THREE.HemisphereLight("white", "#667", 2), sun);
    this.scene.add(this.figure.group, this.ghost.group, this.trails, this.fixations, this.grid, new THREE.AxesHelper(0.1));
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.addEventListener("change", () => (this.isDirty = true));
    this.controls.addEventListener("start", () => (this.isMoved = true));
    // The address of the page contains the pose of the camera.
    this.controls.addEventListener("end", () => {
      this.side = this.camera.position.z >= this.controls.target.z ? -1 : 1;
      this.isDirty = true;
      store.update({ moves: store.state.moves + 1 });
    });
    this.controls.listenToKeyEvents(this.renderer.domElement);
    new ResizeObserver(() => this.resize(host)).observe(host);
    canvas.addEventListener("pointermove", (event) => this.hover(event));
    canvas.addEventListener("pointerleave", () => this.hover(null));
    const redraw = () => (this.isDirty = true);
    store.watch((state) => [state.theme], () => {
      const ink = getComputedStyle(document.documentElement).getPropertyValue("--grid").trim();
      (this.grid.material as THREE.LineBasicMaterial).color.set(ink);
    });
    // An edit, or the growth of a recording in progress, does not move the camera.
    store.watch((state) => [state.openFiles[state.selected]?.id], (state) => this.frameRecording(state));
    store.watch((state) => [state.camera, this.isBeside], (state) => this.look(state.camera));
    store.watch((state) => [shown(state), state.time, state.ghost, state.ghostOffset, state.follow, state.trails, state.axes, state.hidden, state.beside, state.language, state.theme, ...drawnAnswers(state), state.live, state.viewProblem, version(state, state.ghost)], redraw);
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
    const { state } = this.store;
    const recording = shown(state);
    if (!recording) return;
    const isHead = camera === "head";
    const range = played(state);
    if (isHead) this.headView = headView(recording, range, this.camera.aspect);
    this.camera.fov = isHead ? this.headView.field : FIELD;
    this.camera.updateProjectionMatrix();
    const back = {
      orbit: new THREE.Vector3(0.7, 0.4, 0.75),
      hands: new THREE.Vector3(0.5, 0.4, 0.9),
      top: new THREE.Vector3(0, 1, 0.001),
      front: new THREE.Vector3(0, 0.05, -1),
      head: new THREE.Vector3(0, 0, 1),
      follow: new THREE.Vector3(0.5, 0.3, 1),
    }[camera].normalize();
    // The figure before an edit is on the left.
    this.side = back.z >= 0 ? -1 : 1;
    const { position, target } = fitted(this.camera, this.withGhost(recording, positions(recording, range, camera === "follow")), back, isHead ? 1 : FILLED[camera]);
    this.camera.position.copy(position);
    this.controls.target.copy(target);
    this.followed = camera === "follow" ? new THREE.Vector3() : null;
    this.controls.enabled = !isHead;
    this.camera.far = Math.max(100, 4 * position.distanceTo(target));
    this.showFloor(recording);
    this.controls.update();
    this.isMoved = false;
    this.isDirty = true;
  }

  /** Returns positions, and those of a ghost beside the figure. */
  private withGhost(recording: Recording, points: Float32Array): Float32Array {
    if (!this.isBeside) return points;
    const offset = this.besideOffset(recording);
    const moved = points.map((value, index) => (index % 3 === 0 ? value + offset : value));
    return Float32Array.from([...points, ...moved]);
  }

  /** Moves the grid below everything that is recorded. */
  private showFloor(recording: Recording): void {
    const { x, y, z, size } = floorOf(recording);
    this.grid.position.set(x, y, z);
    if (size === this.gridSize) return;
    this.gridSize = size;
    this.grid.geometry.dispose();
    const lines = new THREE.GridHelper(size, size <= MAX_FINE_GRID ? size / GRID_STEP : size);
    this.grid.geometry = lines.geometry;
    (lines.material as THREE.Material).dispose();
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
    const { overview, viewProblem } = this.store.state;
    // The overview covers the view. Drawing takes long without a graphics card.
    if (!this.isDirty || this.renderer.xr.isPresenting || overview || viewProblem) return;
    this.isDirty = false;
    try {
      this.update();
      this.renderer.render(this.scene, this.camera);
      this.drawNames(this.store.state);
      this.drawLabel();
    } catch (error) {
      // The next frame would probably fail too, and playback must go on.
      this.store.update({ viewProblem: "viewFailed" });
      reportError(error);
    }
  }

  /** Draws the frames of a session with a headset. */
  drawFor(session: XRSession, advance: (now: number) => void, onFrame: (now: number, frame: XRFrame) => void): void {
    session.addEventListener("end", () => this.renderer.setAnimationLoop(null));
    this.renderer.setAnimationLoop((now, frame) => {
      if (!this.renderer.xr.isPresenting) return;
      advance(now);
      this.update();
      if (frame) onFrame(now, frame);
      this.renderer.render(this.scene, this.camera);
    });
  }

  /** Moves everything to the time of the state. */
  update(): void {
    const { state } = this.store;
    const recording = shown(state);
    this.figure.group.visible = recording !== null;
    if (!recording) return;
    try {
      const shows = { head: state.camera !== "head", axes: state.axes, hidden: state.hidden };
      if (state.following && state.live) this.figure.showFrame(state.live.frame, shows);
      else {
        const file = state.openFiles[state.selected];
        this.figure.show(recording, state.time, shows, (frame) => (file ? repairedAt(file, state.time, frame) : new Map()));
      }
    } catch {
      // If a recording cannot be evaluated, a finding reports this.
      this.figure.group.visible = false;
      return;
    }
    const other = version(state, state.ghost);
    this.ghost.group.visible = other !== null;
    try {
      if (other) this.ghost.show(other, state.time + ghostOffset(state), { head: true, axes: state.axes, hidden: state.hidden });
    } catch {
      this.ghost.group.visible = false;
    }
    this.ghost.group.position.x = this.besideOffset(recording);
    this.ghost.drawOver(!this.isBeside);
    this.onDraw(kindsOf([...this.figure.marks.values(), ...(other ? this.ghost.marks.values() : [])]));
    if (!this.renderer.xr.isPresenting) this.moveCamera(state);
    this.drawTrails(recording, state);
    this.drawFixations(recording, state);
    // In a headset, the floor of the recording is the floor of the room.
    this.scene.position.copy(this.grid.position).multiplyScalar(this.renderer.xr.isPresenting ? -1 : 0);
  }

  /** Moves the camera with the head and the hands. */
  private moveCamera({ camera, follow }: State): void {
    if (camera === "head" && this.figure.pose("head", this.camera)) this.camera.rotateX(this.headView.tilt);
    const head = this.figure.vector("head.position");
    if (camera === "follow" && this.followed && Number.isFinite(head.x)) {
      this.moveBy(head.clone().sub(this.followed));
      this.followed.copy(head);
    }
    const points = follow ? this.figure.drawnPoints() : [];
    if (points.length === 0) return;
    this.camera.updateMatrix();
    if (camera === "head") turnTo(this.camera, points);
    else this.moveBy(movementTo(this.camera, Float32Array.from(points)));
  }

  private moveBy(movement: THREE.Vector3): void {
    this.camera.position.add(movement);
    this.controls.target.add(movement);
  }

  /** True if a ghost is drawn beside the figure. */
  private get isBeside(): boolean {
    const { state } = this.store;
    return state.beside && version(state, state.ghost) !== null;
  }

  /** Returns the distance along x of the ghost from the figure: the width in which the hands move, and a gap. */
  private besideOffset(recording: Recording): number {
    if (!this.isBeside) return 0;
    const width = boxOf(positions(recording, played(this.store.state))).getSize(new THREE.Vector3()).x;
    return this.side * (width + BESIDE_GAP);
  }

  /** Draws names below the hands of the ghost and of the figure if they are side by side. */
  private drawNames(state: State): void {
    const own = state.openFiles[state.selected]?.name ?? "";
    const names = [[this.figure, state.ghost === ORIGINAL ? text("after") : own], [this.ghost, state.ghost === ORIGINAL ? text("before") : ghostName(state)]] as const;
    names.forEach(([figure, name], index) => {
      const label = this.names[index] as HTMLElement;
      const center = figure.handsCenter();
      label.hidden = !this.isBeside || !center;
      if (label.hidden || !center) return;
      const point = center.add(new THREE.Vector3(0, -0.14, 0)).project(this.camera);
      const { clientWidth, clientHeight } = this.renderer.domElement;
      label.textContent = name;
      // A name stays inside the view.
      const top = Math.min(((1 - point.y) / 2) * clientHeight, clientHeight - NAME_HEIGHT);
      label.style.translate = `calc(${((point.x + 1) / 2) * clientWidth}px - 50%) ${top}px`;
    });
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
        line.name = `${side}.IndexTip`;
        line.frustumCulled = false;
        this.trails.add(line);
      }
    }
    const rate = times.length / Math.max(endOf(recording), 0.001);
    const first = Math.max(Math.floor((state.time - 1) * rate), 0);
    const last = Math.min(Math.ceil((state.time + 1) * rate), times.length);
    for (const line of this.trails.children) {
      line.visible = !state.hidden.has(line.name);
      (line as THREE.Line).geometry.setDrawRange(first, last - first);
    }
  }

  /** Draws the fixations of the last seconds as dots at the end of the gaze ray. Older ones are smaller. */
  private drawFixations(recording: Recording, state: State): void {
    this.fixations.count = 0;
    if (state.camera === "head" || state.hidden.has("gaze") || state.openFiles[state.selected]?.isLive) return;
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

  /** Shows the name of the joint at the pointer; none without a pointer over the view. */
  private hover(event: PointerEvent | null): void {
    const box = this.renderer.domElement.getBoundingClientRect();
    this.pointer = event && new THREE.Vector2(event.clientX - box.left, event.clientY - box.top);
    this.drawLabel();
  }

  /** Draws the name of the joint at the pointer. The joint may leave the pointer, because time goes on. */
  private drawLabel(): void {
    const { pointer, label, camera } = this;
    let found: { name: string } | null = null;
    if (pointer && shown(this.store.state)) {
      const { clientWidth, clientHeight } = this.renderer.domElement;
      this.caster.setFromCamera(new THREE.Vector2((pointer.x / clientWidth) * 2 - 1, 1 - (pointer.y / clientHeight) * 2), camera);
      found = this.figure.nearest(this.caster.ray);
    }
    label.hidden = !found;
    if (!found || !pointer) return;
    label.textContent = found.name;
    label.style.translate = `${pointer.x + 12}px ${pointer.y + 12}px`;
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

/** Turns a camera by the smallest angles after which it sees positions. */
function turnTo(camera: THREE.PerspectiveCamera, points: number[]): void {
  const inverse = camera.matrix.clone().invert();
  const up = THREE.MathUtils.degToRad(camera.fov / 2);
  const limits = [Math.atan(Math.tan(up) * camera.aspect), up].map((limit) => 0.9 * limit);
  const ranges = [[Infinity, -Infinity], [Infinity, -Infinity]] as [[number, number], [number, number]];
  const point = new THREE.Vector3();
  for (let at = 0; at < points.length; at += 3) {
    const { x, y, z } = point.fromArray(points, at).applyMatrix4(inverse);
    [Math.atan2(x, -z), Math.atan2(y, Math.hypot(x, z))].forEach((angle, axis) => {
      const range = ranges[axis] as [number, number];
      range[0] = Math.min(range[0], angle);
      range[1] = Math.max(range[1], angle);
    });
  }
  const [across = 0, upwards = 0] = ranges.map(([low, high], axis) => {
    const limit = limits[axis] ?? 0;
    if (high - low > 2 * limit) return (low + high) / 2;
    return Math.max(high - limit, 0) + Math.min(low + limit, 0);
  });
  camera.rotateY(-across);
  camera.rotateX(upwards);
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

/** Returns the answers about the shown recording that the scene draws. */
function drawnAnswers(state: State): unknown[] {
  const recording = shown(state);
  const found = recording && facts(recording);
  return [found?.known("findings")?.length, found?.known("fixations")];
}
