// The colours of the view, the timeline and the plots.

/** Colours that people with colour vision deficiencies can tell apart (Okabe and Ito, 2008). */
export const COLORS = { left: "#0072b2", right: "#d55e00", gaze: "#009e73", head: "#808890", damage: "#e69f00" };

/**
 * Colours of marked joints, the first and the last from the same palette. Damage is yellow, because the colour of damage in the timeline is too
 * similar to the right hand.
 */
export const MARK_COLORS = { damage: "#f0e442", repaired: "#7e4fb3", uncertain: "#cc79a7" };

/** Colours of the chosen curves of a stream. After the last one, the first one follows with dashes. */
export const CURVE_COLORS: Record<string, string[]> = {
  left: [COLORS.left, "#56b4e9", "#3f3fa8"],
  right: [COLORS.right, "#e69f00", "#8f3f6f"],
  gaze: [COLORS.gaze, "#6fb43f", "#1f6f6f"],
  head: [COLORS.head, "#4f5f6f", "#b09060"],
  tracker: ["#6f4fb3", "#b06fb0", "#3f7f9f"],
  device: ["#7f6f3f", "#3f7f6f", "#9f5f5f"],
};

/** Returns the colour of a device: that of its hand, or that of its kind. */
export function deviceColor(device: string): string {
  const [kind = ""] = device.split(".");
  return CURVE_COLORS[kind]?.[0] ?? COLORS.head;
}
