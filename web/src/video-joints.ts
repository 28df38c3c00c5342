// The joints over the picture of a video. The file must state the camera: its pose is the pose of the head, and the text
// `camera.intrinsic` about the recording has its intrinsics. The page never guesses them.

import { type Recording, columnNames } from "../package/inputanim.js";
import { COLORS } from "./colors.js";
import { column, facts, joints } from "./facts.js";
import { SIDES, parentOf } from "./figure.js";

/** The name of the text with the intrinsic matrix: nine numbers, rows first, in pixels, for axes right, down and ahead. */
const INTRINSIC = "camera.intrinsic";

/** The principal point of a camera is this close to the middle of its picture, relative to the size of the picture. */
const MAX_SHIFT = 0.15;

/** Joints that are closer to the camera, in metres, are not drawn. */
const NEAREST = 0.05;

/** The radius of a drawn joint in metres, and its smallest radius in pixels of the page. */
const RADIUS = 0.006;
const MIN_RADIUS = 2;

/** The vector of three numbers, or the two coordinates in a picture. */
type Vector = [number, number, number];

class Camera {
  constructor(private readonly matrix: number[]) {}

  /** Returns false if the intrinsics belong to a picture of another size. */
  fits(width: number, height: number): boolean {
    const [, , x = NaN, , , y = NaN] = this.matrix;
    return Math.abs(x / width - 0.5) <= MAX_SHIFT && Math.abs(y / height - 0.5) <= MAX_SHIFT;
  }

  /** Returns the place in the picture of a position in the axes of the camera. */
  project([x, y, z]: Vector): [number, number] {
    const [fx = NaN, skew = NaN, cx = NaN, , fy = NaN, cy = NaN] = this.matrix;
    return [(fx * x + skew * y) / z + cx, (fy * y) / z + cy];
  }

  /** Returns the size in the picture of a length at a distance. */
  sizeOf(length: number, distance: number): number {
    return (Math.abs(this.matrix[4] ?? NaN) * length) / distance;
  }
}

/** Returns the camera that the file states; null if it states none. */
export function cameraOf(recording: Recording): Camera | null {
  const matrix = facts(recording).info.about?.[INTRINSIC]?.split(" ").map(Number) ?? [];
  const isValid = matrix.length === 9 && matrix.every(Number.isFinite) && matrix[0] !== 0 && matrix[4] !== 0;
  return isValid ? new Camera(matrix) : null;
}

let frame: Float32Array | null = null;

/** Returns the positions of the joints in the axes of the camera, right, down and ahead, by their names. */
function inCamera(recording: Recording, time: number, hidden: ReadonlySet<string>): Map<string, Vector> {
  const values = (frame ??= new Float32Array(columnNames().length));
  recording.sample(time, values);
  const at = (name: string) => values[column(name)] ?? NaN;
  const [px, py, pz] = ["x", "y", "z"].map((axis) => at(`head.position.${axis}`)) as Vector;
  const [x = NaN, y = NaN, z = NaN, w = NaN] = ["x", "y", "z", "w"].map((axis) => at(`head.rotation.${axis}`));
  const square = x * x + y * y + z * z + w * w;
  const found = new Map<string, Vector>();
  const names = joints();
  for (const side of SIDES) {
    for (const joint of names) {
      const name = `${side}.${joint}`;
      const first = column(`${name}.position.x`);
      const [dx, dy, dz] = [(values[first] ?? NaN) - px, (values[first + 1] ?? NaN) - py, (values[first + 2] ?? NaN) - pz];
      // The conjugate of the rotation of the camera turns the position.
      const [tx, ty, tz] = [2 * (z * dy - y * dz), 2 * (x * dz - z * dx), 2 * (y * dx - x * dy)];
      const right = dx + (w * tx + z * ty - y * tz) / square;
      const up = dy + (w * ty + x * tz - z * tx) / square;
      const ahead = dz + (w * tz + y * tx - x * ty) / square;
      if (joint !== "None" && !hidden.has(name) && ahead > NEAREST) found.set(name, [right, -up, ahead]);
    }
  }
  return found;
}

/** Draws the joints of a recording at a time over a video, which is as large as possible in the canvas. Without a recording, clears it. */
export function drawJoints(canvas: HTMLCanvasElement, film: HTMLVideoElement, recording: Recording | null, time: number, hidden: ReadonlySet<string>): void {
  const { clientWidth, clientHeight } = film;
  const density = devicePixelRatio;
  canvas.width = Math.round(clientWidth * density);
  canvas.height = Math.round(clientHeight * density);
  const context = canvas.getContext("2d");
  const camera = recording && cameraOf(recording);
  const { videoWidth: width, videoHeight: height } = film;
  if (!context || !recording || !camera?.fits(width, height)) return;
  let points: Map<string, Vector>;
  try {
    points = inCamera(recording, time, hidden);
  } catch {
    // If a recording cannot be evaluated, a finding reports this.
    return;
  }
  const scale = Math.min(clientWidth / width, clientHeight / height) * density;
  context.translate((canvas.width - scale * width) / 2, (canvas.height - scale * height) / 2);
  context.beginPath();
  context.rect(0, 0, scale * width, scale * height);
  context.clip();
  context.lineCap = "round";
  const names = joints();
  for (const side of SIDES) {
    context.fillStyle = context.strokeStyle = COLORS[side];
    for (const joint of names) {
      const point = points.get(`${side}.${joint}`);
      if (!point) continue;
      const [x, y] = camera.project(point).map((place) => place * scale) as [number, number];
      const radius = Math.max(camera.sizeOf(RADIUS, point[2]) * scale, MIN_RADIUS * density);
      const parent = points.get(`${side}.${parentOf(joint, names)}`);
      context.beginPath();
      if (parent) {
        const [px, py] = camera.project(parent).map((place) => place * scale) as [number, number];
        context.lineWidth = radius;
        context.moveTo(px, py);
        context.lineTo(x, y);
        context.stroke();
        context.beginPath();
      }
      context.arc(x, y, radius, 0, 2 * Math.PI);
      context.fill();
    }
  }
}
