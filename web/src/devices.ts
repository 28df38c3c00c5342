// Controllers and other devices: their names in sampled columns, and their lanes of the timeline.

import type { Transition } from "../package/inputanim.js";

/** The hands of controllers, and the kinds of other devices. */
const DEVICE = /^((?:left|right)\.controller|(?:tracker|device)\.[a-z0-9_-]+)\.(.*)$/;
const POSITION = /^([a-z0-9_-]+)\.position\.x$/;
const CHANNEL = /^[a-z0-9_-]+\.(position|rotation)\.[xyzw]$/;

/** A device in sampled columns. */
export interface DeviceColumns {
  /** The name: `right.controller`. */
  name: string;
  /** The names of its poses: `aim`. */
  poses: string[];
  /** The names of its inputs with numbers: `trigger.value`. */
  inputs: string[];
}

/** Returns the device of a curve, such as `right.controller`; null for other curves. */
export function deviceOf(curve: string): string | null {
  return DEVICE.exec(curve)?.[1] ?? null;
}

/** Returns the devices in the names of sampled columns, in their order. */
export function devicesIn(columns: Iterable<string>): DeviceColumns[] {
  const devices = new Map<string, DeviceColumns>();
  for (const column of columns) {
    const [, name, rest] = DEVICE.exec(column) ?? [];
    if (!name || !rest) continue;
    const device = devices.get(name) ?? { name, poses: [], inputs: [] };
    devices.set(name, device);
    const pose = POSITION.exec(rest)?.[1];
    if (pose) device.poses.push(pose);
    else if (!CHANNEL.test(rest)) device.inputs.push(rest);
  }
  return [...devices.values()];
}

/** Returns the pose that shows where a device is: `grip`, or else the first one. */
export function placeOf({ poses }: DeviceColumns): string | undefined {
  return poses.includes("grip") ? "grip" : poses[0];
}

/** A row of the timeline for a device or one of its buttons. */
export interface DeviceLane {
  /** The name of the device or the button: `right.controller.a.click`. */
  name: string;
  device: string;
  /** Times at which the device is active, or the button is pressed. */
  ranges: { start: number; end: number }[];
  /** The times of haptic pulses; only for devices. */
  pulses: number[];
  isButton: boolean;
}

/** Returns the lanes of the timeline from the transitions of one playback that ends at a time in seconds. */
export function lanesOf(transitions: readonly Transition[], end: number): DeviceLane[] {
  const lanes = new Map<string, DeviceLane>();
  const open = new Map<string, number>();
  const lane = (name: string, isButton: boolean): DeviceLane => {
    const found = lanes.get(name) ?? { name, device: deviceOf(`${name}.`) ?? deviceOf(name) ?? name, ranges: [], pulses: [], isButton };
    lanes.set(name, found);
    return found;
  };
  const finish = (name: string, isButton: boolean, time: number) => {
    const start = open.get(name);
    if (start === undefined) return;
    lane(name, isButton).ranges.push({ start, end: time });
    open.delete(name);
  };
  for (const { time, kind, name } of transitions) {
    if (!name) continue;
    if (kind === "connected" || kind === "press_down") {
      lane(name, kind === "press_down");
      open.set(name, time);
    }
    if (kind === "disconnected" || kind === "press_up") finish(name, kind === "press_up", time);
    if (kind === "haptic") lane(deviceOf(name) ?? name, false).pulses.push(time);
  }
  for (const [name, { isButton }] of lanes) finish(name, isButton, end);
  // The buttons of a device follow it.
  return [...lanes.values()].sort((a, b) => compare(a.device, b.device) || Number(a.isButton) - Number(b.isButton) || compare(a.name, b.name));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** Returns the profile that a device has at a time; null if it is not known. */
export function profileAt(transitions: readonly Transition[], device: string, time: number): string | null {
  let profile: string | null = null;
  for (const transition of transitions) {
    if (transition.time > time) break;
    const [subject, found] = (transition.name ?? "").split(" ");
    if (subject !== device) continue;
    if (transition.kind === "profile") profile = found ?? null;
    if (transition.kind === "disconnected") profile = null;
  }
  return profile;
}

/** Returns a short name of a lane for the timeline: `a.click` for `right.controller.a.click`. */
export function labelOf({ name, device, isButton }: DeviceLane): string {
  return isButton ? name.slice(device.length + 1) : device;
}
