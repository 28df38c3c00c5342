import { readFileSync } from "node:fs";
import { initSync } from "./@NAME@.js";

export * from "./@NAME@.js";

/** Loads the module; the other functions and classes need it. */
export default async function init() {
  initSync({ module: readFileSync(new URL("./@NAME@_bg.wasm", import.meta.url)) });
}
