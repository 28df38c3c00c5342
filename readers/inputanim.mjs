// Shared code of the checks in this folder, like inputanim.py.

import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { basename, join } from "node:path";

/** A module that `cargo xtask readers` has installed. */
export const require = createRequire(join(process.env.INPUTANIM_NODE_MODULES, "x.js"));

/** The samples, and real recordings where they are at hand. */
export const recordings = process.env.INPUTANIM_RECORDINGS.split("\n").filter(Boolean);

/** Runs the program and gives what it prints; what was lost (exit code 3) is no failure. */
export function run(...args) {
  const options = { encoding: "utf8", maxBuffer: 2 ** 30 };
  const done = spawnSync(process.env.INPUTANIM_PROGRAM, args, options);
  if (done.status !== 0 && done.status !== 3) {
    throw new Error(`inputanim ${args.join(" ")}: exit code ${done.status}\n${done.stderr}`);
  }
  return done.stdout;
}

/** Converts a recording; the path of the new file. */
export function convert(recording, extension, ...options) {
  const output = join(process.env.INPUTANIM_OUT, `${basename(recording)}.${extension}`);
  run("convert", "--force", recording, output, ...options);
  return output;
}

/** The frames that play, as `inputanim sample --format ndjson` prints them. */
export function frames(recording, ...options) {
  const lines = run("sample", recording, "--format", "ndjson", ...options).split("\n");
  return lines.filter(Boolean).map((line) => JSON.parse(line));
}
