// Checks a dataset of Motion-BIDS with version 1 of the BIDS validator. check.py runs the current version.

import { cpSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "../inputanim.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(process.env.INPUTANIM_OUT, "version-1");

// Only the authors of a study can add authors, and participants may do different tasks.
const TO_COMPLETE = ["NO_AUTHORS", "INCONSISTENT_SUBJECTS", "MISSING_SESSION"];

/** Writes the recordings of study.json to a folder, and converts the folder. Returns the dataset. */
function makeDataset() {
  rmSync(out, { recursive: true, force: true });
  const recordings = JSON.parse(readFileSync(join(here, "study.json")));
  const study = join(out, "study");
  for (const { path, sample, edits } of recordings) {
    const file = join(study, path);
    mkdirSync(dirname(file), { recursive: true });
    cpSync(join(here, "..", "..", "samples", sample), file);
    for (const edit of edits) run(...edit, file, "-o", file, "--force");
  }
  const dataset = join(out, "dataset");
  run("convert", "-r", study, "--to", "motion-bids", "-o", dataset);
  const subjects = new Set(recordings.map(({ path }) => path.split("/")[0]));
  return { dataset, recordings: recordings.length, subjects: subjects.size };
}

/** Returns whether an issue does not concern the files of a recording. */
function isExpected({ key, files }) {
  // Version 1 takes the first row of samples for names of columns. BIDS requires that there are no names.
  const isOfSamples = files.every(({ file }) => file?.relativePath.endsWith("_motion.tsv"));
  return TO_COMPLETE.includes(key) || (key === "CUSTOM_COLUMN_WITHOUT_DESCRIPTION" && isOfSamples);
}

const { dataset, recordings, subjects } = makeDataset();
const validator = join(process.env.INPUTANIM_NODE_MODULES, "bids-validator", "bin", "bids-validator");
const options = { encoding: "utf8", maxBuffer: 2 ** 30 };
const done = spawnSync(process.execPath, [validator, dataset, "--json"], options);
const { issues, summary } = JSON.parse(done.stdout);
const found = [...issues.errors, ...issues.warnings.filter((issue) => !isExpected(issue))];
for (const { key, severity, reason, files } of found) {
  const evidence = files.slice(0, 3).map(({ file, evidence }) => [file?.relativePath, evidence].join(": "));
  console.error(`${severity} ${key}: ${reason}\n  ${evidence.join("\n  ").slice(0, 2000)}`);
}
if (found.length || done.status !== 0 || summary.subjects.length !== subjects) {
  console.error(`${dataset}: exit code ${done.status}, ${summary.subjects.length} subjects\n${done.stderr}`);
  process.exit(1);
}
console.log(`${recordings} recordings of ${subjects} subjects: valid`);
