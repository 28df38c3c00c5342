// Functions that build.mjs adds to the JavaScript of the module.

import type * as module from "../package/inputanim.js";

declare module "../package/inputanim.js" {
  /** The classes and functions of one instance of the module. `end` makes them unusable, and frees the memory. */
  export type Instance = typeof module & { end: () => void };

  /** Returns another instance, which has no memory until its default function has loaded it. */
  export function instance(): Instance;

  /** The instance whose classes the module exports. */
  export const shared: Instance;
}
