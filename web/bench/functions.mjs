// Prints the time of each function of the npm package, and its ratio to the time of native code.
// Usage: node functions.mjs FOLDER < the lines of the example `native` of the crate inputanim-wasm.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import init, { Analysis, Player, Recorder, Recording, columnNames } from "../package/inputanim.node.js";
import initFormats, { write, formats, read } from "../package/formats.node.js";

/** The aim: no function takes a larger multiple of the native time. */
const MAX_RATIO = 4;

/** Calls that take less time, in milliseconds, mostly measure the border between JavaScript and WebAssembly. */
const MIN_TIME = 2;

/** Functions are called again for this time in milliseconds, and the shortest call counts. */
const REPEAT = 200;

/** The smallest number of calls. V8 runs the first calls of a function before it has optimised the function. */
const MIN_CALLS = 4;

const [folder] = process.argv.slice(2);
const native = new Map();
for (const line of readFileSync(0, "utf8").trimEnd().split("\n")) {
  const { recording, function: name, native: milliseconds, failed = false } = JSON.parse(line);
  native.set(`${recording}\t${name}`, { milliseconds, failed });
}
await init();
await initFormats();

/** Returns the functions in the order of the native program. Each returns what must be freed. */
function functions(bytes) {
  const opened = Recording.open(bytes);
  const other = opened.shift(0.1);
  let analysis = null;
  const analysed = () => (analysis ??= new Analysis(opened));
  const frame = new Float32Array(columnNames().length);
  const edits = {
    repair: () => opened.repair().recording,
    trim: () => opened.trim(1, 15),
    shift: () => opened.shift(1),
    retime: () => opened.retime({ speed: 2 }),
    mirror: () => opened.mirror("world"),
    smooth: () => opened.smooth(),
    transform: () => opened.transform({ yaw: 28.65, move: [1, 2, 3] }),
    select: () => opened.select({ joints: ["left"] }),
    resample: () => opened.resample(60),
    fill: () => opened.fill().recording,
    reduce: () => opened.reduce().recording,
    "reduce optimal": () => opened.reduce({ method: "optimal" }).recording,
    addMarker: () => opened.addMarker(1, "here"),
  };
  const all = {
    open: () => Recording.open(bytes),
    recover: () => Recording.recover(bytes.subarray(0, Math.floor(bytes.length / 10) * 9)).recording,
    info: () => void opened.info(),
    findings: () => void opened.findings(),
    markers: () => void opened.markers(),
    toBytes: () => void opened.toBytes(),
    clone: () => opened.clone(),
    "first sample": () => {
      const fresh = Recording.open(bytes);
      return { run: () => fresh.sample(0.5, frame), free: () => fresh.free() };
    },
    keyTimes: () => void opened.keyTimes(),
    transitions: () => void opened.transitions(),
    "sample 1000 times": () => {
      for (let index = 0; index < 1000; index++) opened.sample(index / 60, frame);
    },
    sampleRange: () => void opened.sampleRange(0, 20, 60),
    Player: () => {
      const player = new Player(opened);
      player.play();
      for (let index = 0; index < 1000; index++) {
        player.advance(1 / 60);
        player.sample(frame);
      }
      return player;
    },
    Recorder: () => {
      const recorder = new Recorder();
      for (let index = 0; index < 1000; index++) {
        opened.sample(index / 60, frame);
        recorder.push(index / 60, frame);
      }
      recorder.snapshot().free();
      return recorder;
    },
    ...edits,
    diff: () => void opened.diff(other),
    Analysis: () => new Analysis(opened),
    "Analysis.measures": () => void analysed().measures(),
    "Analysis.events": () => void analysed().events(),
    "Analysis.thumbnail": () => void analysed().thumbnail("", "", false),
    "Analysis.plot": () => void analysed().plot(),
  };
  for (const { name, canRead, canWrite } of formats()) {
    if (canWrite) all[`export ${name}`] = () => void write(bytes, name);
    if (canWrite && canRead) {
      let converted = null;
      all[`import ${name}`] = () => {
        converted ??= write(bytes, name).bytes;
        return { run: () => void read(converted, { format: name }), free: () => undefined };
      };
    }
  }
  return { all, free: () => [opened, other, analysis].forEach((each) => each?.free()) };
}

/** Returns the shortest time of a function in milliseconds; null if it throws an error of the library. */
function measured(run) {
  const begin = performance.now();
  let shortest = Infinity;
  let calls = 0;
  do {
    let start = performance.now();
    let result;
    try {
      result = run();
      if (result?.run) {
        // The part before is preparation.
        start = performance.now();
        result.run();
      }
    } catch (error) {
      if (error.name !== "InputanimError") throw error;
      return null;
    }
    shortest = Math.min(shortest, performance.now() - start);
    calls++;
    result?.free();
  } while (calls < MIN_CALLS || performance.now() - begin < REPEAT);
  return shortest;
}

const names = [...new Set([...native.keys()].map((key) => key.split("\t")[0]))];
const rows = [];
for (const name of names) {
  const { all, free } = functions(new Uint8Array(readFileSync(join(folder, `${name}.bin`))));
  for (const [label, run] of Object.entries(all)) {
    const before = native.get(`${name}\t${label}`);
    if (!before) continue;
    const wasm = measured(run);
    if (wasm === null || before.failed) {
      if ((wasm === null) !== before.failed) rows.push({ name, label, text: "fails in only one of both" });
      continue;
    }
    rows.push({ name, label, wasm, native: before.milliseconds, ratio: wasm / before.milliseconds });
  }
  free();
}
console.log("recording  function              WebAssembly     native    ratio");
for (const { name, label, wasm, native: milliseconds, ratio, text } of rows) {
  const head = `${name.padEnd(10)} ${label.padEnd(20)}`;
  if (text) {
    console.log(`${head} ${text}`);
    continue;
  }
  const mark = ratio > MAX_RATIO && wasm >= MIN_TIME ? "  above the aim" : "";
  const times = [wasm, milliseconds].map((each) => `${each.toFixed(2)} ms`.padStart(12)).join(" ");
  console.log(`${head} ${times} ${ratio.toFixed(1).padStart(7)}${mark}`);
}
const counted = rows.filter(({ wasm }) => wasm >= MIN_TIME);
const above = counted.filter(({ ratio }) => ratio > MAX_RATIO);
console.log(`${above.length} of ${counted.length} functions of ${MIN_TIME} ms or more take more than ${MAX_RATIO} times the native time`);
