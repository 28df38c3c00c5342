// The colours of the view, the timeline and the plots.

/** Colours that people with colour vision deficiencies can tell apart (Okabe and Ito, 2008). */
export const COLORS = { left: "#0072b2", right: "#d55e00", gaze: "#009e73", head: "#808890", damage: "#e69f00" };

/**
 * Colours of marked joints, from the same palette. Damage is yellow, because the colour of damage in the timeline is too
 * similar to the right hand.
 */
export const MARK_COLORS = { damage: "#f0e442", repaired: "#009e73", uncertain: "#cc79a7" };

/** Colours of chosen curves. After the last one, the first one follows with dashes. */
export const CURVE_COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];
