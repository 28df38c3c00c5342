// A panel in the room of a headset: it starts recordings, because the buttons of the page are not visible there.

import * as THREE from "three";

/** The size of the panel in metres and in pixels, and the font of its text. */
const [WIDTH, HEIGHT] = [0.5, 0.2];
const PIXELS = 1500;
const FONT = "64px system-ui, sans-serif";
const LINE = 80;

/** The place of the panel in front of the head at the start, in metres: forwards and downwards. */
const [AHEAD, BELOW] = [0.7, 0.15];

/** The length of a ray that does not meet the panel, in metres. */
const RAY = 0.6;

/** The panel, and the rays of hands and controllers. */
export class XrPanel {
  private readonly canvas = document.createElement("canvas");
  private readonly texture = new THREE.CanvasTexture(this.canvas);
  private readonly panel = new THREE.Mesh(
    new THREE.PlaneGeometry(WIDTH, HEIGHT),
    new THREE.MeshBasicMaterial({ map: this.texture, side: THREE.DoubleSide }),
  );
  private readonly rays = [0, 1].map(() => new THREE.Line(
    new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3()]),
    new THREE.LineBasicMaterial({ color: "#8ab4f8" }),
  ));
  private readonly group = new THREE.Group();
  private readonly caster = new THREE.Raycaster();
  private text = "";
  private isPlaced = false;
  private isPointed = false;

  constructor(private readonly scene: THREE.Scene) {
    [this.canvas.width, this.canvas.height] = [PIXELS, (PIXELS * HEIGHT) / WIDTH];
    this.texture.colorSpace = THREE.SRGBColorSpace;
    for (const ray of this.rays) ray.frustumCulled = false;
    this.group.add(this.panel, ...this.rays);
  }

  /** Shows the panel in front of the head when its pose is known. */
  open(): void {
    this.scene.add(this.group);
    this.isPlaced = false;
  }

  close(): void {
    this.scene.remove(this.group);
  }

  /** Shows text. */
  show(text: string): void {
    if (text === this.text) return;
    this.text = text;
    this.draw();
  }

  private draw(): void {
    const context = this.canvas.getContext("2d");
    if (!context) return;
    const { width, height } = this.canvas;
    context.fillStyle = this.isPointed ? "#0b57d0" : "#1d2126";
    context.fillRect(0, 0, width, height);
    context.font = FONT;
    context.fillStyle = "white";
    context.textAlign = "center";
    context.textBaseline = "middle";
    const lines = wrapped(context, this.text, width - 120);
    lines.forEach((line, index) => context.fillText(line, width / 2, height / 2 + (index - (lines.length - 1) / 2) * LINE));
    this.texture.needsUpdate = true;
  }

  /** Follows a frame of the session: places the panel, and draws the rays. */
  update(frame: XRFrame, space: XRReferenceSpace, sources: Iterable<XRInputSource>): void {
    // The scene is moved so that its floor is the floor of the room. The panel belongs to the room.
    this.group.position.copy(this.scene.position).negate();
    const head = frame.getViewerPose(space)?.transform;
    if (!this.isPlaced && head) this.place(head);
    let isPointed = false;
    const own = [...sources].slice(0, this.rays.length);
    this.rays.forEach((ray, index) => {
      const source = own[index];
      const pose = source && frame.getPose(source.targetRaySpace, space)?.transform;
      ray.visible = pose !== undefined && this.isPlaced;
      if (!pose) return;
      const distance = this.distance(pose);
      isPointed ||= distance !== null;
      const { origin, direction } = this.caster.ray;
      const end = origin.clone().addScaledVector(direction, distance ?? RAY);
      const positions = ray.geometry.getAttribute("position") as THREE.BufferAttribute;
      [origin, end].forEach(({ x, y, z }, point) => positions.setXYZ(point, x, y, z));
      positions.needsUpdate = true;
    });
    if (isPointed === this.isPointed) return;
    this.isPointed = isPointed;
    this.draw();
  }

  private place({ position, orientation }: XRRigidTransform): void {
    const forward = new THREE.Vector3(0, 0, -1).applyQuaternion(new THREE.Quaternion(orientation.x, orientation.y, orientation.z, orientation.w));
    forward.setY(0).normalize();
    this.panel.position.set(position.x, position.y - BELOW, position.z).addScaledVector(forward, AHEAD);
    this.panel.lookAt(position.x, this.panel.position.y, position.z);
    this.panel.updateMatrix();
    this.isPlaced = true;
  }

  /** Returns true if a ray in the room meets the panel. */
  isHit(pose: XRRigidTransform): boolean {
    return this.isPlaced && this.distance(pose) !== null;
  }

  /** Returns the distance in metres at which a ray meets the panel; null if it does not. */
  private distance({ position: p, orientation: q }: XRRigidTransform): number | null {
    const direction = new THREE.Vector3(0, 0, -1).applyQuaternion(new THREE.Quaternion(q.x, q.y, q.z, q.w));
    this.caster.set(new THREE.Vector3(p.x, p.y, p.z), direction);
    // The ray is in the room, and so is the panel in its group.
    const inverse = this.panel.matrix.clone().invert();
    const ray = this.caster.ray.clone().applyMatrix4(inverse);
    const point = ray.intersectPlane(new THREE.Plane(new THREE.Vector3(0, 0, 1), 0), new THREE.Vector3());
    if (!point || Math.abs(point.x) > WIDTH / 2 || Math.abs(point.y) > HEIGHT / 2) return null;
    return point.distanceTo(ray.origin);
  }
}

/** Returns the lines of a text in a width in pixels. Chinese and Korean texts also break within words. */
function wrapped(context: CanvasRenderingContext2D, text: string, width: number): string[] {
  const lines: string[] = [];
  for (const paragraph of text.split("\n")) {
    let line = "";
    for (const word of paragraph.split(/(?<= )|(?<=[\u3000-\u9fff])/)) {
      if (line && context.measureText(line + word).width > width) {
        lines.push(line.trim());
        line = "";
      }
      line += word;
    }
    lines.push(line.trim());
  }
  return lines;
}
