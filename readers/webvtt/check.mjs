// Reads the markers of WebVTT with a parser of the standard's group, and compares them with the markers of the recording.
// check.py reads the same files with another parser.

import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { recordings, require, run } from "../inputanim.mjs";

const { WebVTTParser } = require("webvtt-parser");
const entities = require("webvtt-parser/html-entities.json");
/** Names with all characters that WebVTT escapes. */
const NAMES = ["a < b > c & d", "two\nlines", "&amp; &lt;b&gt;", " ends with spaces ", "é 手", "a --> b"];

let compared = 0;
for (const recording of recordings) {
  const named = join(process.env.INPUTANIM_OUT, basename(recording));
  const text = `${named}.vtt`;
  const from = join(process.env.INPUTANIM_OUT, `named-${basename(recording)}`);
  // Two of the layouts have no markers.
  const { info } = JSON.parse(run("info", recording, "--format", "json"))[0];
  if (!/^mrtk|with-markers/.test(info.layout)) continue;
  const added = NAMES.flatMap((name, index) => ["--at", String(index / 8), name]);
  run("markers", "add", "--force", recording, ...added, "-o", from);
  run("markers", "export", "--force", from, "-o", text);
  const listed = JSON.parse(run("markers", "list", from, "--format", "json"));
  const expected = listed.filter(({ time }) => time >= 0).sort((a, b) => a.time - b.time);
  const { cues, errors } = new WebVTTParser(entities).parse(readFileSync(text, "utf8"), "subtitles/captions/descriptions");
  if (errors.length > 0) throw new Error(`${text}: ${JSON.stringify(errors[0])}`);
  if (cues.length !== expected.length) throw new Error(`${text}: ${cues.length} cues, not ${expected.length}`);
  cues.forEach((cue, index) => {
    const { time, name } = expected[index];
    const found = cue.tree.children.map(({ value }) => value).join("");
    if (found !== name) throw new Error(`${text}: ${JSON.stringify(found)}, not ${JSON.stringify(name)}`);
    // Times have milliseconds, and single precision in the recording.
    if (!(Math.abs(cue.startTime - time) <= 0.0006)) throw new Error(`${text}: ${cue.startTime}, not ${time}`);
    if (!(cue.endTime > cue.startTime)) throw new Error(`${text}: a cue ends at its start`);
    compared += 1;
  });
}
if (compared < 20) throw new Error(`only ${compared} markers were compared`);
console.log(`${compared} markers of ${recordings.length} recordings are equal in webvtt-parser`);
