// Controllers and other devices: their positions, and their rows of the timeline.

import type { ElementGaps, Transition } from "../package/inputanim.js";

/** The hands of controllers, and the kinds of other devices. */
const DEVICE = /^((?:left|right)\.controller|(?:tracker|device)\.[a-z0-9_-]+)\.(.*)$/;

/** Returns the device of a curve, such as `right.controller`; null for other curves. */
export function deviceOf(curve: string): string | null {
  return DEVICE.exec(curve)?.[1] ?? null;
}

/** The device with the values of the headset, which is nowhere and has no row in the timeline. */
const HEADSET = "device.headset";

/** Returns the pose that shows where a device is: `grip`, otherwise the first one. */
export function placeOf(poses: readonly string[]): string | undefined {
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
  /** Times at which the device or one of its parts is unknown, or the button. */
  unknown: { start: number; end: number }[];
  isButton: boolean;
}

/** Returns the rows of the timeline from the transitions of one playback that ends at a time in seconds, and from the gaps. */
export function lanesOf(transitions: readonly Transition[], end: number, gaps: readonly ElementGaps[] = []): DeviceLane[] {
  const lanes = new Map<string, DeviceLane>();
  const open = new Map<string, number>();
  const lane = (name: string, isButton: boolean): DeviceLane => {
    const found = lanes.get(name) ?? { name, device: deviceOf(`${name}.`) ?? deviceOf(name) ?? name, ranges: [], pulses: [], unknown: [], isButton };
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
    if (!name || name === HEADSET) continue;
    if (kind === "connected" || kind === "press_down") {
      lane(name, kind === "press_down");
      open.set(name, time);
    }
    if (kind === "disconnected" || kind === "press_up") finish(name, kind === "press_up", time);
    if (kind === "haptic") lane(deviceOf(name) ?? name, false).pulses.push(time);
  }
  for (const [name, { isButton }] of lanes) finish(name, isButton, end);
  for (const { element, unknown } of gaps) {
    const device = deviceOf(element);
    // The row of a device shows when any of its parts is unknown. A gap of the profile is a gap of the whole device.
    const isWhole = element === `${device}.profile`;
    for (const row of lanes.values()) {
      if (row.device !== device || (row.isButton && row.name !== element && !isWhole)) continue;
      row.unknown.push(...unknown.map(([first, last]) => ({ start: Math.max(first, 0), end: Math.min(last, end) })));
    }
  }
  // The buttons of a device follow it.
  return [...lanes.values()].sort((a, b) => compare(a.device, b.device) || Number(a.isButton) - Number(b.isButton) || compare(a.name, b.name));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** Returns a short name of a row of the timeline: `a.click` for `right.controller.a.click`. */
export function labelOf({ name, device, isButton }: DeviceLane): string {
  return isButton ? name.slice(device.length + 1) : device;
}
