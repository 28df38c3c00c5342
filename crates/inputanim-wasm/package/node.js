import { readFileSync } from "node:fs";
import { initSync } from "./@NAME@.js";

export * from "./@NAME@.js";

/** Loads the module. Call it before other functions and classes. */
export default async function init() {
  initSync({ module: readFileSync(new URL("./@NAME@_bg.wasm", import.meta.url)) });
}
