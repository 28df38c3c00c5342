// Controllers and other devices in the view: a handle where each device is, and the ray of its aim.

import * as THREE from "three";
import type { DeviceInfo, Recording } from "../package/inputanim.js";
import { deviceColor } from "./colors.js";
import { placeOf } from "./devices.js";
import { facts } from "./facts.js";

/** The length of the ray in metres. */
const RAY_LENGTH = 0.6;

/** The objects of one device. */
interface Model {
  handle: THREE.Group;
  ray: THREE.Line;
}

/** The devices of one figure. */
export class DeviceModels {
  readonly group = new THREE.Group();
  private readonly models = new Map<string, Model>();

  constructor(private readonly isGhost: boolean) {}

  /** Moves the devices to a time of a recording. Devices with a name in `hidden` are not drawn. */
  show(recording: Recording, time: number, hidden: ReadonlySet<string>): void {
    // A headset has values and no poses.
    const devices = facts(recording).devices.filter(({ poses }) => poses.length > 0);
    for (const { handle, ray } of this.models.values()) handle.visible = ray.visible = false;
    if (devices.length === 0) return;
    const { columns } = recording.sampleRange(time, time, 60);
    for (const device of devices) if (!hidden.has(device.device)) this.place(device, columns);
  }

  /** Returns the positions of the devices that are drawn. */
  places(): THREE.Vector3[] {
    return [...this.models.values()].filter(({ handle }) => handle.visible).map(({ handle }) => handle.position);
  }

  /** Hides all devices. */
  clear(): void {
    for (const { handle, ray } of this.models.values()) handle.visible = ray.visible = false;
  }

  private place({ device, poses }: DeviceInfo, columns: Record<string, Float32Array>): void {
    const model = this.models.get(device) ?? this.make(device);
    const place = placeOf(poses);
    model.handle.visible = place !== undefined && pose(columns, `${device}.${place}`, model.handle);
    const aim = new THREE.Object3D();
    model.ray.visible = poses.includes("aim") && pose(columns, `${device}.aim`, aim);
    if (!model.ray.visible) return;
    const { position, quaternion } = aim;
    // The axes of the scene are those of OpenXR, whose aim points along −z.
    const end = new THREE.Vector3(0, 0, -RAY_LENGTH).applyQuaternion(quaternion).add(position);
    const positions = model.ray.geometry.getAttribute("position") as THREE.BufferAttribute;
    positions.setXYZ(0, position.x, position.y, position.z);
    positions.setXYZ(1, end.x, end.y, end.z);
    positions.needsUpdate = true;
  }

  private make(device: string): Model {
    const opacity = this.isGhost ? 0.3 : 1;
    const color = deviceColor(device);
    const material = new THREE.MeshStandardMaterial({ color, roughness: 0.6, transparent: this.isGhost, opacity, depthWrite: !this.isGhost });
    const handle = new THREE.Group();
    // The grip of a controller is along the z axis of OpenXR's grip pose, and its head is at the front.
    const stick = new THREE.Mesh(new THREE.CylinderGeometry(0.014, 0.014, 0.1, 12), material);
    stick.rotation.x = Math.PI / 2;
    const head = new THREE.Mesh(new THREE.TorusGeometry(0.032, 0.006, 8, 24), material);
    head.position.set(0, 0, -0.055);
    handle.add(stick, head);
    const ray = new THREE.Line(
      new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3()]),
      new THREE.LineBasicMaterial({ color, transparent: true, opacity: this.isGhost ? 0.3 : 0.8 }),
    );
    ray.frustumCulled = false;
    const model = { handle, ray };
    this.models.set(device, model);
    this.group.add(handle, ray);
    return model;
  }
}

/** Moves an object to a pose in the first row of columns, in the axes of the scene. Returns false if it is not known. */
function pose(columns: Record<string, Float32Array>, name: string, object: THREE.Object3D): boolean {
  const at = (channel: string) => columns[`${name}.${channel}`]?.[0] ?? NaN;
  object.position.set(at("position.x"), at("position.y"), -at("position.z"));
  object.quaternion.set(-at("rotation.x"), -at("rotation.y"), at("rotation.z"), at("rotation.w"));
  return Number.isFinite(object.position.x) && Number.isFinite(object.quaternion.w);
}
