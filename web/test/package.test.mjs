// Compares the results of the npm package with the results of the program, bit for bit.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { brotliCompressSync, constants, gunzipSync, gzipSync } from "node:zlib";
import { foreign } from "./foreign.mjs";
import init, { Analysis, Player, Recorder, Recording, columnNames, fileNames, quantities, recordingNames } from "../package/inputanim.node.js";
import { differences, fieldsOf, typesIn, typesOf } from "./types.mjs";
import initFormats, { WebXrController, detect, formats, read, write } from "../package/formats.node.js";

const program = process.env.INPUTANIM_PROGRAM;
const out = process.env.INPUTANIM_OUT;
const files = process.env.INPUTANIM_RECORDINGS.split("\n");
const load = (file) => new Uint8Array(readFileSync(file));
const sample = files.find((file) => basename(file) === "wave.bin");

await init();
await initFormats();

/** Writes a recording of one pose that is held, and returns its path. Many of its values are equal. */
function heldPose() {
  const source = Recording.open(load(sample));
  const frame = new Float32Array(columnNames().length);
  source.sample(1, frame);
  const recorder = new Recorder();
  for (let index = 0; index < 1200; index++) recorder.push(index / 60, frame);
  const file = join(out, "held.bin");
  writeFileSync(file, recorder.snapshot().toBytes());
  return file;
}
files.push(heldPose());

/** Runs the program, and returns its standard output; null if it fails. */
async function run(...args) {
  try {
    const { stdout } = await promisify(execFile)(program, args, { maxBuffer: 1 << 30 });
    return stdout;
  } catch (error) {
    // The exit code 1 means that doctor or diff found something, and 3 that data was lost.
    if (error.code === 3 || (error.code === 1 && ["doctor", "diff"].includes(args[0]))) return error.stdout;
    return null;
  }
}

/** Returns the texts of losses or notes. */
const messages = (list) => list.map(({ message }) => message).join();

/** Returns the results of a function, two files at a time. */
async function each(list, check) {
  const rest = [...list];
  const worker = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await check(item);
  };
  await Promise.all([worker(), worker()]);
}

/** Rounds the numbers of JSON to single precision, in which the program prints them. */
function rounded(value) {
  if (typeof value === "number") return Math.fround(value);
  if (Array.isArray(value)) return value.map(rounded);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, rounded(child)]));
}

const bits = (array) => new Uint32Array(array.buffer, array.byteOffset, array.length);

test("samples are those of the program", async () => {
  const names = columnNames();
  let compared = 0;
  await each(files, async (file) => {
    const table = join(out, `${basename(file)}.csv`);
    assert.notEqual(await run("convert", "--quiet", "--force", "--rate", "47", file, "-o", table), null, file);
    const [head, ...rows] = readFileSync(table, "utf8").trimEnd().split("\n");
    const columns = head.split(",");
    const recording = Recording.open(load(file));
    const frame = new Float32Array(names.length);
    const table47 = recording.sampleRange(0, recording.duration, 47);
    assert.equal(table47.times.length, rows.length, file);
    rows.forEach((row, index) => {
      const cells = row.split(",");
      const time = Math.fround(Number(cells[columns.indexOf("time_s")]));
      assert.equal(table47.times[index], time);
      recording.sample(time, frame);
      columns.forEach((column, place) => {
        if (column === "recording" || column === "time_s" || cells[place] === "") return;
        const wanted = new Float32Array([Number(cells[place])]);
        const one = new Float32Array([frame[names.indexOf(column)]]);
        const many = new Float32Array([table47.columns[column][index]]);
        assert.equal(bits(one)[0], bits(wanted)[0], `${file} ${column} at ${time}`);
        assert.equal(bits(many)[0], bits(wanted)[0], `${file} ${column} at ${time}`);
        compared++;
      });
    });
    recording.free();
  });
  console.log(`${compared} samples of ${files.length} recordings are equal`);
});

test("findings and summaries are those of the program", async () => {
  await each(files, async (file) => {
    const recording = Recording.open(load(file));
    const [doctor] = JSON.parse(await run("doctor", "--format", "json", file));
    const wanted = doctor.findings.map(({ advice, command, ...rest }) => rest);
    const found = recording.findings().map(({ advice, cause, changesValues, ...rest }) => rest);
    assert.deepEqual(rounded(found), rounded(wanted), file);
    const [info] = JSON.parse(await run("info", "--format", "json", file));
    assert.deepEqual(rounded(recording.info()), rounded(info.info), file);
  });
});

test("comparisons and measures are those of the program", async () => {
  const moved = join(out, "moved.bin");
  await run("shift", "--by", "0.1", "--quiet", "--force", sample, "-o", moved);
  const compared = [moved, ...files.filter((file) => Recording.open(load(file)).duration > 0.75)];
  let measures = 0;
  await each(compared, async (file) => {
    const recording = Recording.open(load(file));
    const [wanted] = JSON.parse(await run("diff", "--format", "json", file, sample));
    const found = recording.diff(Recording.open(load(sample)));
    for (const name of Object.keys(found)) assert.deepEqual(rounded(found[name]), rounded(wanted[name]), `${file} ${name}`);
    const [row] = JSON.parse(await run("stats", "--format", "json", file));
    for (const { name, value } of new Analysis(recording).measures()) {
      assert.equal(value, row[name] ?? null, `${file} ${name}`);
      measures++;
    }
  });
  console.log(`${measures} measures are equal`);
  assert.ok(measures > 100);
});

const EDITS = [
  [["repair"], (recording) => recording.repair().recording],
  [["trim", "--time", "0.25..0.75"], (recording) => recording.trim(0.25, 0.75)],
  [["mirror", "--across", "world"], (recording) => recording.mirror("world")],
  [["mirror"], (recording) => recording.mirror()],
  [["smooth"], (recording) => recording.smooth().recording],
  [["transform", "--yaw", "30", "--move", "1,2,3"], (recording) => recording.transform({ yaw: 30, move: [1, 2, 3] })],
  [["select", "--joints", "left,head"], (recording) => recording.select({ joints: ["left", "head"] }).recording],
  [["select", "--joints", "head,*.index-tip"], (recording) => recording.select({ joints: ["head", "*.index-tip"] }).recording],
  [["select", "--no-markers"], (recording) => recording.select({ excludeMarkers: ["*"] }).recording],
  [["select", "--keep-markers", "p*"], (recording) => recording.select({ markers: ["p*"] }).recording],
  [["resample", "--rate", "30"], (recording) => recording.resample(30)],
  [["shift", "--by", "0.5"], (recording) => recording.shift(0.5)],
  [["fill", "--with", "hold", "--longest", "9"], (recording) => recording.fill({ method: "hold", maxLength: 9 }).recording],
  [["reduce", "--position", "3mm"], (recording) => recording.reduce({ position: 0.003 }).recording],
  [["reduce", "--method", "mrtk"], (recording) => recording.reduce({ method: "mrtk" }).recording],
  [["concat", "--repeat", "3", "--gap", "0.5"], (recording) => recording.repeat(3, { gap: 0.5 })],
  [["transform", "--origin", "floor", "--inverse"], (recording) => recording.transform({ origin: "floor", inverse: true })],
  [["retime", "--speed", "2"], (recording) => recording.retime({ speed: 2 })],
  [["markers", "add", "--at", "0.5", "here"], (recording) => recording.addMarker(0.5, "here")],
];

test("edits give the bytes of the program", async () => {
  let [same, refused] = [0, 0];
  // The program refuses to trim to a range that a recording does not reach.
  const long = files.filter((file) => Recording.open(load(file)).duration > 0.75).map((file) => {
    // Rotations between the few keys of these files need so many keys afterwards that one second of them is enough.
    if (!/\/documented\//.test(file)) return file;
    const short = join(out, `short-${basename(file)}`);
    writeFileSync(short, Recording.open(load(file)).trim(0, 1).toBytes());
    return short;
  });
  const jobs = long.flatMap((file) => EDITS.map(([args, edit], index) => ({ file, args, edit, index })));
  await each(jobs, async ({ file, args, edit, index }) => {
    const output = join(out, `${basename(file)}.${index}.bin`);
    const printed = await run(...args, "--quiet", "--force", file, "-o", output);
    const name = `${args.join(" ")} ${file}`;
    let bytes = null;
    try {
      bytes = edit(Recording.open(load(file))).toBytes();
    } catch (error) {
      assert.equal(error.name, "InputanimError", name);
    }
    if (printed === null || bytes === null) {
      assert.equal(printed, bytes, name);
      refused++;
      return;
    }
    assert.ok(Buffer.from(bytes).equals(readFileSync(output)), name);
    same++;
  });
  console.log(`${same} edits are equal, ${refused} are refused by both`);
  assert.ok(same > 3 * long.length);
});

test("exports give the bytes of the program, and read back", async () => {
  const names = formats().filter((format) => format.canWrite);
  assert.ok(names.length >= 10);
  await each(names, async ({ name, extensions: [extension], canRead }) => {
    const { bytes } = write(load(sample), name);
    // The program adds the name of the file to these formats, and compresses MCAP.
    if (!["anim", "csv", "tsv", "ndjson", "isaac", "mcap", "xdf", "handsbin"].includes(name)) {
      const output = join(out, `export.${extension}`);
      await run("convert", "--quiet", "--force", sample, output);
      assert.ok(Buffer.from(bytes).equals(readFileSync(output)), name);
    }
    if (canRead) assert.ok(Recording.open(read(bytes, { format: name }).bytes).duration > 3, name);
  });
});

test("files of other programs are detected, and read as the program reads them", async () => {
  for (const { file, name, format } of foreign()) {
    const bytes = load(file);
    assert.equal(detect(bytes), format, name);
    const output = join(out, `read-${format}.bin`);
    await run("convert", "--quiet", "--force", file, output);
    const { bytes: recording, notes } = read(bytes);
    assert.ok(Buffer.from(recording).equals(readFileSync(output)), name);
    // Files that `inputanim` wrote are read without a change.
    assert.equal(notes.length > 0, ["egodex", "xror"].includes(format), `${name}: ${messages(notes)}`);
    // Every name of such a file is the name of its format, so that a page finds it in a folder.
    const { extensions, canRead } = formats().find((known) => known.name === format);
    assert.ok(canRead && extensions.some((extension) => name.endsWith(`.${extension}`)), `${name}: ${extensions}`);
  }
  assert.equal(detect(new Uint8Array([1, 2, 3])), undefined);
  // The content decides, and the name only if the content does not.
  assert.equal(detect(new Uint8Array([1, 2, 3]), "take.csv"), "csv");
  assert.equal(detect(load(sample), "take.csv"), "bin");
});

test("options of reading have an effect, or are errors", async () => {
  const episode = load(foreign()[0].file);
  const study = write(load(sample), "xdf").bytes;
  const tracked = (options) => Recording.open(read(episode, options).bytes).info().streams.find(({ stream }) => stream === "left.joints")?.keys;
  assert.notEqual(tracked({ minConfidence: 1 }), tracked());
  const first = (options) => Recording.open(read(study, options).bytes).keys("head.position.y").values[0];
  assert.equal(first({ mappings: ["head.position.y=inputanim-head/head.position.y*2"] }), 2 * first());
  for (const [bytes, options, problem] of [
    [episode, { mappings: ["head.position.x=a/b"] }, /the option mappings has no effect on the format egodex/],
    [episode, { space: "unity" }, /the option space has no effect/],
    [study, { minConfidence: 0.5 }, /no effect without a mapping of a confidence/],
    [study, { mappings: ["nothing"] }, /nothing/],
    [study, { recording: "other" }, /no recording/],
  ]) {
    assert.throws(() => read(bytes, options), problem);
  }
});

test("a format that the module lacks is an error that names it", async () => {
  for (const [name, message] of [["parquet", /does not include the format parquet/], ["mcap", /compressed with zstd, which this build does not unpack/]]) {
    const output = join(out, `lacking.${name}`);
    await run("convert", "--quiet", "--force", sample, output);
    assert.equal(detect(load(output)), name);
    assert.throws(() => read(load(output)), (error) => {
      assert.match(error.message, message);
      assert.match(error.hint, /inputanim convert/);
      return true;
    });
  }
});

/** Returns a recording with a controller and a tracker, in lossless JSON. */
function controllers() {
  const curve = (name, kind, ...keys) => ({ curve: name, preWrap: 8, postWrap: 8, kind, keys });
  const channels = { "position.x": 0.1, "position.y": 1, "position.z": 0.4, "rotation.x": 0, "rotation.y": 0, "rotation.z": 0, "rotation.w": 1 };
  const aim = Object.entries(channels).map(([channel, value]) => curve(`right.controller.aim.${channel}`, "simple", [0, value], [2, value]));
  return new TextEncoder().encode(JSON.stringify({
    format: "inputanim-json", version: 3, layout: "mrtk-1.1", flags: { head: 0, hand: 0, gaze: 0 },
    curves: [
      ...aim,
      curve("right.controller.a.click", "boolean", [0, 0], [0.5, 1]),
      curve("right.controller.thumbstick.x", "full", [0, 0.5, "Infinity", "Infinity", 0, 0, 0]),
      curve("right.controller.trigger.value", "simple", [0, 0.25], [2, 0.75]),
    ],
    devices: [
      { device: "right.controller", profiles: [[0, true, "index"], [1.5, false, null]], haptics: [[0.5, "haptic", null, 160, 0.75], [1, "haptic", 0.25, null, 1]] },
      { device: "tracker.waist", profiles: [[0, true, null]], haptics: [] },
    ],
    markers: [],
  }));
}

test("controllers of WebXR are recorded with the names of OpenXR", () => {
  const source = { side: "left", profiles: ["oculus-touch-v3", "generic-trigger-squeeze"], mapping: "xr-standard", buttons: 5, axes: 4 };
  const controller = new WebXrController(source);
  const button = (pressed, value) => ({ pressed, touched: pressed, value });
  const grip = [0.5, 1.25, -0.25, 0, 0.6, 0, 0.8];
  const frame = controller.frame({ grip, buttons: [button(true, 0.5), null, null, button(false, 0), button(true, 1)], axes: [null, null, -0.5, 0.25] });
  assert.deepEqual([frame.name, frame.active, frame.profile], ["left.controller", true, "oculus-touch-v3"]);
  assert.deepEqual(Object.keys(frame.poses), ["grip"]);
  assert.deepEqual(frame.poses.grip, [0.5, 1.25, 0.25, -0, -grip[4], 0, 0.8].map(Math.fround));
  assert.deepEqual(frame.inputs, {
    "thumbstick/click": false, "thumbstick/touch": false, "thumbstick/x": -0.5, "thumbstick/y": -0.25,
    "trigger/click": true, "trigger/touch": true, "trigger/value": 0.5, "x/click": true, "x/touch": true,
  });
  const recorder = new Recorder();
  const row = new Float32Array(columnNames().length).fill(NaN);
  recorder.push(0, row, [frame]);
  recorder.push(1, row, [controller.frame({})]);
  const [device] = recorder.snapshot().devices();
  assert.deepEqual([device.poses, device.inputs.length], [["grip"], 9]);
  for (const given of [{ ...source, side: "both" }, { ...source, hand: true }]) {
    assert.throws(() => new WebXrController(given), { name: "InputanimError" });
  }
});

test("devices stay with a recording, and are sampled and recorded", () => {
  const opened = read(controllers());
  assert.deepEqual([opened.losses, Object.keys(opened.parts)], [[], ["devices"]]);
  const recording = Recording.open(opened.bytes, structuredClone(JSON.parse(JSON.stringify(opened.parts))));
  assert.deepEqual(recording.parts, opened.parts);
  assert.deepEqual(recording.withParts({}).devices(), []);
  assert.deepEqual(recording.withParts({}).withParts(recording.parts).parts, recording.parts);
  assert.deepEqual(write(opened.bytes, "json", { parts: recording.parts }).bytes, write(opened.bytes, "json", { parts: read(write(opened.bytes, "json", { parts: recording.parts }).bytes).parts }).bytes);
  assert.match(messages(write(opened.bytes, "glb", { parts: recording.parts }).losses), /right\.controller: aim, a\.click, thumbstick\.x, trigger\.value \(19 keys\), /);
  assert.match(messages(write(opened.bytes, "bin", { parts: recording.parts }).notes), /a \.mcap file holds controllers and other devices completely/);
  assert.match(new Analysis(recording).notes().map(({ kind, detail }) => `${kind}: ${detail}`).join(), /^no device is measured: the parameters devices\.poses=right\.controller\.aim and /);
  assert.throws(() => recording.toBytes(), { name: "InputanimError", message: /right\.controller: aim, a\.click, / });
  for (const [devices, message] of [["AQ==", /unexpected bytes at byte 1/], ["!", /invalid devices/], [3, /invalid devices/]]) {
    assert.throws(() => Recording.open(opened.bytes, { devices }), { name: "InputanimError", message });
  }
  const [right, waist] = recording.devices();
  assert.deepEqual([right.name, right.poses, waist.poses], ["right.controller", ["aim"], []]);
  assert.deepEqual(right.profiles, [{ time: 0, active: true, profile: "index" }, { time: 1.5, active: false, profile: null }]);
  assert.deepEqual(right.inputs, [["a/click", true], ["thumbstick/x", false], ["trigger/value", false]].map(([name, isBoolean]) => ({ name, isBoolean })));
  assert.deepEqual(right.haptics[1], { time: 1, output: "haptic", duration: 0.25, frequency: null, amplitude: 1 });
  assert.deepEqual([...recording.keys("right.controller.trigger.value").values], [0.25, 0.75]);
  assert.equal(recording.duration, 2);
  // The numbers of devices follow those of the head, the hands and the gaze.
  const row = columnNames();
  const names = recording.columnNames();
  assert.deepEqual(names.slice(0, row.length), row);
  assert.deepEqual(names.slice(row.length, row.length + 2), ["right.controller.active", "right.controller.aim.position.x"]);
  assert.deepEqual(names.slice(-4), ["right.controller.a.click", "right.controller.thumbstick.x", "right.controller.trigger.value", "tracker.waist.active"]);
  const at = (time, of = recording) => {
    const frame = new Float32Array(names.length);
    of.sample(time, frame);
    return Object.fromEntries(names.map((name, index) => [name, frame[index]]));
  };
  const middle = at(1);
  assert.deepEqual(["active", "a.click", "trigger.value", "aim.position.y"].map((name) => middle[`right.controller.${name}`]), [1, 1, 0.5, 1]);
  assert.deepEqual(["active", "a.click", "trigger.value", "aim.position.y"].map((name) => at(1.75)[`right.controller.${name}`]), [0, NaN, NaN, NaN]);
  const player = new Player(recording);
  player.seek(1);
  const played = new Float32Array(names.length);
  player.sample(played);
  assert.deepEqual([...played], names.map((name) => middle[name]));
  const short = new Float32Array(row.length);
  recording.sample(1, short);
  const { times, columns } = recording.sampleRange(0, 2, 4);
  for (const name of names.slice(row.length)) assert.deepEqual([...columns[name]], [...times].map((time) => at(time)[name]), name);
  // Edits know the names.
  assert.deepEqual(recording.select({ joints: ["right.controller.trigger.value"] }).recording.devices()[0].inputs.map(({ name }) => name), ["trigger/value"]);
  assert.deepEqual(recording.mirror("world").devices().map(({ name }) => name), ["left.controller", "tracker.waist"]);
  const gap = recording.withGaps([{ element: "right.controller.aim", unknown: [[0, null]] }]);
  assert.ok(Number.isNaN(at(1, gap)["right.controller.aim.position.y"]));
  // A recorder makes the same samples.
  const recorder = new Recorder();
  for (const time of times) {
    const frame = at(time);
    const active = frame["right.controller.active"] === 1;
    const aim = names.filter((name) => name.startsWith("right.controller.aim")).map((name) => frame[name]);
    const inputs = { "a/click": frame["right.controller.a.click"] === 1, "thumbstick/x": frame["right.controller.thumbstick.x"], "trigger/value": frame["right.controller.trigger.value"] };
    const controller = { name: "right.controller", active, ...(active ? { profile: "index", poses: { aim }, inputs } : {}) };
    recorder.push(time, new Float32Array(row.length).fill(NaN), [{ name: "tracker.waist" }, controller]);
  }
  recorder.haptic(0.5, "right.controller", { frequency: 160, amplitude: 0.75 });
  const made = recorder.snapshot();
  assert.deepEqual(made.sampleRange(0, 2, 4).columns, columns);
  assert.deepEqual(made.devices()[0].haptics, [right.haptics[0]]);
  for (const devices of [[{ name: "waist" }], [{ name: "tracker.waist", inputs: { trigger: 1 } }], [{ name: "tracker.waist", pose: {} }], 3]) {
    assert.throws(() => recorder.push(9, short, devices), { name: "InputanimError" });
  }
  const reduced = made.reduce({ input: 0.3 }).recording;
  const sizes = [made, reduced].map((each) => each.keys("right.controller.trigger.value").times.length);
  assert.ok(sizes[1] <= sizes[0], sizes.join());
  const other = made.withParts({ devices: recording.parts.devices });
  assert.deepEqual(made.diff(other, { input: Infinity, timing: Infinity, duration: Infinity }).outOfTolerance.filter((part) => /trigger/.test(part)), []);
});

test("smoothing reports the velocities that it removes", () => {
  const document = JSON.parse(new TextDecoder().decode(controllers()));
  for (const position of document.curves.filter(({ curve }) => /controller\.aim\.position\../.test(curve))) {
    position.keys = Array.from({ length: 41 }, (_, index) => [index / 20, 0.1 * (index % 2)]);
  }
  for (const axis of ["x", "y", "z"]) {
    document.curves.push({ curve: `right.controller.aim.linear_velocity.${axis}`, preWrap: 8, postWrap: 8, kind: "simple", keys: [[0, 1], [2, 1]] });
  }
  const { bytes, parts } = read(new TextEncoder().encode(JSON.stringify(document)));
  const smoothed = Recording.open(bytes, parts).smooth();
  assert.equal(smoothed.report.length, 1);
  assert.match(smoothed.report[0], /right\.controller: aim\.linear_velocity\.x/);
  assert.doesNotMatch(JSON.stringify(smoothed.recording.devices()), /linear_velocity/);
  assert.deepEqual(Recording.open(load(sample)).smooth().report, []);
});

test("times at which values are unknown are kept beside the bytes, and are a loss without them", () => {
  const rows = Array.from({ length: 30 }, (_, row) => ({ time: row / 10, gaze: row > 1 && row < 22 ? "" : "0,1.6,0,0,0,1" }));
  const names = ["origin.x", "origin.y", "origin.z", "direction.x", "direction.y", "direction.z"].map((name) => `gaze.${name}`);
  const table = [["time_s", ...names].join(","), ...rows.map(({ time, gaze }) => `${time},${gaze || ",,,,,"}`)].join("\n");
  const { bytes, parts, notes } = read(new TextEncoder().encode(table), { format: "csv" });
  const gaps = [{ element: "gaze", unknown: [[Math.fround(0.1), Math.fround(2.2)]] }];
  // The table says nothing of hands, so they are unknown at all times.
  const hands = ["left", "right"].map((side) => ({ element: `${side}.tracked`, unknown: [[-Infinity, Infinity]] }));
  assert.deepEqual(parts, { gaps: [...hands, ...gaps] });
  assert.ok(notes.some((note) => note.kind === "unknown" && /the gaze is unknown for 2\.1 s/.test(note.message)), messages(notes));
  const recording = Recording.open(bytes, { gaps });
  assert.deepEqual(recording.gaps, gaps);
  const origin = columnNames().indexOf("gaze.origin.y");
  const sampled = (time, of = recording) => {
    const out = new Float32Array(columnNames().length);
    of.sample(time, out);
    return out[origin];
  };
  assert.ok(Number.isNaN(sampled(1)) && sampled(2.2) === Math.fround(1.6));
  // The bytes cannot state the gap.
  assert.throws(() => recording.toBytes(), { name: "InputanimError", message: /the gaze is unknown for 2\.1 s/ });
  assert.match(recording.losses().join(), /the gaze is unknown for 2\.1 s/);
  const held = Recording.open(recording.toBytes(undefined, true));
  assert.equal(sampled(1, held), Math.fround(1.6));
  const whole = recording.withGaps([]);
  assert.deepEqual([whole.gaps, whole.losses()], [[], []]);
  const json = write(whole.toBytes(), "json", { parts: { gaps, about: { task: "look" } } });
  const again = read(json.bytes);
  assert.deepEqual([json.losses, again.parts], [[], { gaps, about: { task: "look" } }]);
  const described = Recording.open(again.bytes, again.parts);
  assert.deepEqual([described.about, described.parts], [{ task: "look" }, again.parts]);
  assert.deepEqual(described.withAbout({ device: " Quest 3 ", task: "" }).about, { device: "Quest 3" });
  assert.throws(() => described.withAbout({ device: 3 }), { name: "InputanimError", message: /expected an object with strings/ });
  assert.match(messages(write(whole.toBytes(), "glb", { parts: { gaps } }).losses), /the gaze is unknown for 2\.1 s/);
  for (const [wrong, message] of [
    [[{ element: "nose", unknown: [[0, 1]] }], /unknown element "nose"/],
    [[{ element: "gaze", unknown: [[1, 0]] }], /invalid gap of gaze: 1 s to 0 s/],
    [[{ element: "gaze", unknown: [["1", 2]] }], /invalid gaps: expected a time in seconds, or null/],
    ["gaze", /invalid gaps: expected an array of objects/],
  ]) {
    assert.throws(() => recording.withGaps(wrong), { name: "InputanimError", message });
  }
});

test("a truncated file is an error with a position, and its intact part is recovered", () => {
  const bytes = load(sample).subarray(0, 100_000);
  assert.throws(() => Recording.open(bytes), (error) => {
    assert.equal(error.name, "InputanimError");
    assert.ok(error.offset > 0 && error.offset <= 100_000);
    assert.match(error.curve, /^(left|right|head|gaze)\./);
    assert.match(error.hint, /recover/);
    return true;
  });
  const { recording, damaged, error, findings } = Recording.recover(bytes);
  assert.ok(recording.duration > 0 && damaged.length > 0 && Array.isArray(findings));
  assert.equal(typeof error.offset, "number");
  assert.throws(() => Recording.recover(new Uint8Array([1, 2, 3])), { name: "InputanimError" });
});

test("the damage of a file stays with its intact part, and measures of lost curves are missing", async () => {
  const { recording } = Recording.recover(load(sample).subarray(0, 20_000));
  const { code, lost } = recording.fileDamage;
  assert.equal(code, "D7");
  assert.ok(lost.includes("right.Palm.position.x") && !lost.includes("head.position.x"));
  assert.equal(recording.findings()[0].code, "D7");
  const measure = (of, name) => new Analysis(of).measures().find((found) => found.name === name);
  assert.deepEqual(measure(recording, "right.Palm.path_length"), { name: "right.Palm.path_length", value: null, unit: "m", reason: "damaged", damage: ["D7"] });
  assert.ok(measure(recording, "head.path_length").value > 0);
  // Edits keep the damage, and a reflection exchanges the hands.
  for (const edited of [recording.trim(0.5, 2), recording.addMarker(1, "a"), recording.clone(), recording.repair().recording]) {
    assert.deepEqual(edited.fileDamage.lost, lost);
    assert.equal(edited.findings()[0].code, "D7");
  }
  assert.ok(recording.mirror("world").fileDamage.lost.includes("left.Palm.position.x"));
  // Another worker gets the damage beside the bytes.
  const copy = Recording.open(recording.toBytes()).withFileDamage(recording.fileDamage);
  assert.deepEqual(copy.findings(), recording.findings());
  assert.equal(Recording.open(load(sample)).fileDamage, null);
  assert.throws(() => copy.withFileDamage({ code: "X1" }), { name: "InputanimError" });
});

test("files and recordings have the names of the program", async () => {
  const paths = ["study/P01/reach.bin", "study/P02/reach.bin", "study/P02/wave.iwer.json"];
  const files = paths.map((path) => ({ path, folder: "study" }));
  assert.deepEqual(recordingNames(files), ["P01/reach", "P02/reach", "P02/wave"]);
  assert.deepEqual(fileNames(files), ["P01/reach.bin", "P02/reach.bin", "P02/wave.iwer.json"]);
  assert.deepEqual(recordingNames([{ path: "a/x.bin", folder: "a" }, { path: "b/x.bin", folder: "b" }]), ["a/x", "b/x"]);
  assert.deepEqual(recordingNames([]), []);
});

test("errors name the action that helps, and a table of events is that of the program", async () => {
  assert.throws(() => Recording.open(load(sample).subarray(0, 100_000)), { remedy: "recover" });
  const analysis = new Analysis(Recording.open(load(sample)));
  const parse = (text) => text.trimEnd().split("\n").map((line) => line.split(","));
  const [head, ...wanted] = parse(await run("events", sample, "--format", "csv", "--kind", "fixation,tracked"));
  const { columns, rows } = analysis.eventTable(["tracked", "fixation"]);
  assert.deepEqual(columns, head.slice(1));
  const cell = (value) => (value === null ? "" : typeof value === "number" ? Number(value) : value);
  const number = (text) => (text === "" || Number.isNaN(Number(text)) ? text : Number(text));
  assert.deepEqual(rows.map((row) => row.map(cell)), wanted.map((row) => row.slice(1).map(number)));
  assert.throws(() => analysis.eventTable(["no such kind"]), { name: "InputanimError" });
  assert.deepEqual(analysis.measuredRange(), analysis.timeRange);
  assert.deepEqual(analysis.measuredRange(0.5, 99), { start: 0.5, end: analysis.timeRange.end });
});

test("a damaged session file is recognised by its checksum", () => {
  // The first 24 bytes are a damaged header. The rest is the header of a block: magic number, length, number, two
  // CRC-32 (docs/session.md).
  const session = Buffer.concat([Buffer.alloc(24), Buffer.from("424ccbff0900000000000000000000002639f4cb3b7d57a3", "hex")]);
  const kind = (bytes) => {
    try {
      Recording.open(bytes);
    } catch (error) {
      return error.kind;
    }
  };
  assert.equal(kind(session), "session");
  session[47] ^= 1;
  assert.equal(kind(session), "not-input-animation");
});

test("recorded frames play back, with markers and events", () => {
  const source = Recording.open(load(sample));
  const recorder = new Recorder({ layout: "mrtk-1.1" });
  const frame = new Float32Array(columnNames().length);
  const times = source.sampleRange(0, 2, 60).times;
  for (const time of times) {
    source.sample(time, frame);
    assert.ok(recorder.push(time, frame));
  }
  recorder.mark(1, "middle");
  const copy = recorder.snapshot();
  const again = new Float32Array(frame.length);
  for (const time of times) {
    source.sample(time, frame);
    copy.sample(time, again);
    assert.deepEqual(bits(again), bits(frame));
  }
  assert.deepEqual(copy.markers(), [{ time: 1, name: "middle" }]);
  const player = new Player(copy);
  player.play();
  const kinds = player.advance(3).map((event) => event.kind);
  assert.ok(kinds.includes("marker") && kinds.includes("found"));
  assert.deepEqual(copy.transitions().map((event) => event.kind), kinds);
  assert.equal(source.diff(source.clone()).verdict, "equal");
  assert.equal(source.diff(source.shift(1)).verdict, "different");
});

test("markers need a finite time", () => {
  const recording = Recording.open(load(sample)).addMarker(1, "here");
  const refused = (text) => ({ name: "InputanimError", message: `invalid time of a marker: ${text} (must be finite)` });
  assert.throws(() => recording.addMarker(NaN, "x"), refused("NaN"));
  assert.throws(() => recording.addMarker(Infinity, "x"), refused("inf"));
  assert.throws(() => recording.moveMarker(0, undefined), refused("NaN"));
  assert.throws(() => recording.moveMarker(0, -Infinity), refused("-inf"));
  assert.deepEqual(recording.moveMarker(0, -1).markers()[0], { time: -1, name: "here" });
});

test("tolerances are those of the program, also for the duration", () => {
  const source = Recording.open(load(sample));
  const frame = new Float32Array(columnNames().length);
  source.sample(0, frame);
  // A pose that is held for some time.
  const held = (seconds) => {
    const recorder = new Recorder();
    for (const time of [0, seconds]) recorder.push(time, frame);
    return recorder.snapshot();
  };
  const [short, long] = [held(1), held(1.5)];
  assert.deepEqual(short.diff(long).outOfTolerance, ["duration"]);
  assert.equal(short.diff(long, { duration: 0.4 }).verdict, "different");
  assert.equal(short.diff(long, { duration: 0.6 }).verdict, "equivalent");
  assert.equal(short.diff(long, { duration: Infinity }).verdict, "equivalent");
  for (const name of ["position", "rotation", "timing", "duration"]) {
    for (const value of [NaN, -1]) {
      const message = `invalid ${name}: ${value} (must be at least 0)`;
      assert.throws(() => short.diff(long, { [name]: value }), { name: "InputanimError", message });
    }
  }
});

test("select reports the names that no marker matches", () => {
  const recording = Recording.open(load(sample)).addMarker(0.1, "trial 1").addMarker(0.2, "FPS");
  const { recording: selected, report } = recording.select({ markers: ["trial*", "tial*"], excludeMarkers: ["FSP"] });
  assert.deepEqual(report, ["tial*", "FSP"]);
  assert.deepEqual(selected.markers().map(({ name }) => name), ["trial 1"]);
  assert.deepEqual(recording.select({ joints: ["head"] }).report, []);
});

test("unknown options are refused by name", () => {
  const recording = Recording.open(load(sample));
  const analysis = new Analysis(recording);
  const calls = [
    (options) => recording.diff(recording, options),
    (options) => recording.smooth(options),
    (options) => recording.transform(options),
    (options) => recording.select(options),
    (options) => recording.fill(options),
    (options) => recording.reduce(options),
    (options) => new Recorder(options),
    (options) => analysis.plot(options),
    (options) => write(load(sample), "csv", options),
    (options) => read(load(sample), options),
  ];
  for (const call of calls) {
    assert.throws(() => call({ nonsense: 3 }), /^InputanimError: invalid options: unknown field `nonsense`, expected /);
    assert.throws(() => call(new Map([["nonsense", 3]])), /expected a plain object/);
    assert.throws(() => call(3), /expected a plain object/);
  }
  assert.throws(() => recording.smooth({ minCutof: 1 }), /unknown field `minCutof`, expected one of `minCutoff`, /);
  assert.ok(recording.smooth({ minCutoff: 1, joints: ["left"] }).recording.duration > 3);
});

test("options without effect on a format, and invalid rates, are refused", () => {
  const bytes = load(sample);
  const refused = (name, options, message) =>
    assert.throws(() => write(bytes, name, options), { name: "InputanimError", message });
  const unused = {
    layout: ["csv", "mrtk-1.1"],
    allowLoss: ["bvh", true],
    rate: ["json", 5],
    space: ["glb", "unity"],
    shape: ["json", "tidy"],
    name: ["csv", "take"],
  };
  for (const [option, [format, value]] of Object.entries(unused)) {
    refused(format, { [option]: value }, `the option ${option} has no effect on the format ${format}`);
  }
  refused("csv", { shape: "keys", rate: 5 }, "the option rate has no effect on the format csv and the shape keys");
  for (const name of ["bvh", "csv", "glb", "iwer", "ndjson", "usda"]) {
    for (const rate of [-1, 0, NaN, 1e7]) refused(name, { rate }, /^invalid rate: .* Hz \(must be above 0/);
    assert.ok(write(bytes, name, { rate: 5 }).bytes.length > 0, name);
  }
  const { bytes: table } = write(bytes, "csv", { rate: 5, space: "gltf", shape: "wide" });
  assert.ok(read(table, { fromZero: true, ignoreUnknown: true }).bytes.length > 0);
  const { bytes: scene } = write(bytes, "glb");
  for (const option of ["fromZero", "ignoreUnknown", "skipBad"]) {
    const message = `the option ${option} has no effect on the format glb`;
    assert.throws(() => read(scene, { [option]: true }), { name: "InputanimError", message });
  }
});

test("an analysis has measures, events and a figure", () => {
  const analysis = new Analysis(Recording.open(load(sample)));
  const speed = analysis.measures().find((measure) => measure.name === "right.Palm.speed.median");
  assert.ok(speed.value > 0 && speed.unit === "m/s");
  assert.ok(analysis.events().length > 0);
  assert.match(analysis.plot({ panels: ["speed"], dark: true }), /^<svg /);
  assert.throws(() => analysis.plot({ panels: ["none"] }), /unknown panel/);
  assert.notEqual(analysis.plot({ start: 1, end: 2 }), analysis.plot());
  assert.throws(() => analysis.plot({ start: 2, end: 1 }), { name: "InputanimError" });
});

test("time ranges of measures and widths of figures are checked", () => {
  const recording = Recording.open(load(sample));
  const analysis = new Analysis(recording);
  assert.deepEqual(analysis.timeRange, { start: 0, end: recording.duration });
  const refused = (start, end, message) =>
    assert.throws(() => analysis.measures(start, end), { name: "InputanimError", message });
  refused(3, 1, "the time range 3 s to 1 s ends before it starts");
  refused(50, 60, `the time range 50 s to 60 s is outside the recording (0 s to ${recording.duration} s)`);
  refused(-2, -1, /is outside the recording/);
  refused(NaN, 1, "invalid time range: NaN s to 1 s; expected numbers, found NaN");
  assert.deepEqual(analysis.measures(-1, 1000), analysis.measures());
  assert.deepEqual(analysis.measures(1), analysis.measures(1, recording.duration));
  // The viewer can select an empty time range.
  assert.ok(analysis.measures(1, 1).length > 0);
  for (const width of [NaN, Infinity, -5, 299, 10_001]) {
    const message = `invalid width: ${width === Infinity ? "inf" : width} (must be from 300 to 10000)`;
    assert.throws(() => analysis.plot({ width }), { name: "InputanimError", message });
  }
  for (const width of [300, 10_000]) assert.match(analysis.plot({ width, panels: ["speed"] }), /^<svg /);
});

test("parameters of an analysis are checked", () => {
  const measures = (parameters) => new Analysis(Recording.open(load(sample)), parameters).measures();
  assert.deepEqual(measures({ channels: { rate: 30, window: 0.3 } }), measures({ "channels.rate": 30, window: 0.3 }));
  assert.notDeepEqual(measures({ "channels.rate": 30 }), measures());
  assert.throws(() => measures({ "channels.rat": 30 }), /did you mean "channels.rate"/);
  assert.throws(() => measures({ window: 0 }), /expected a number of seconds above 0/);
});

const rust = new URL("../../crates/inputanim-wasm/src/", import.meta.url);

test("the types are those of the results", async () => {
  const types = new Map([...typesOf(new URL("types.ts", rust)), ...typesOf(new URL("formats.ts", rust))]);
  // The compiler makes this type.
  const [names] = /export type FormatName[^;]*;/.exec(readFileSync(new URL("../package/formats.d.ts", import.meta.url), "utf8"));
  types.set("FormatName", typesIn(names).get("FormatName"));
  const seen = new Set();
  const named = (name) => ({ kind: "name", name, parameters: [] });
  const many = (name) => ({ kind: "array", item: named(name) });
  const check = (type, value, what) => assert.deepEqual(differences(types, type, value, seen), [], what);
  const other = Recording.open(load(sample)).addMarker(1, "moved");
  const marked = other.addMarker(0, "11").addMarker(60, "12").addMarker(150, "13");
  const clock = [[5, "11"], [65.006, "12"], [155.015, "13"], [9, "own"]].map(([time, name]) => ({ time, name }));
  check(named("Aligned"), marked.align({ markers: clock }));
  check(named("Aligned"), marked.align({ markers: clock, offsetOnly: true }));
  check(named("TriggersNamed"), marked.nameTriggers({ 11: "start" }));
  assert.equal(marked.nameTriggers({ 11: "start" }).recording.markers()[0].name, "start");
  assert.ok(Math.abs(marked.align({ markers: clock }).report.drift - 100) < 1);
  await each(files, async (file) => {
    const recording = Recording.open(load(file));
    check(named("Info"), recording.info(), file);
    check(many("Finding"), recording.findings(), file);
    check(many("Marker"), recording.markers(), file);
    check(many("Transition"), recording.transitions(), file);
    const repaired = recording.repair();
    check(named("Repaired"), repaired, file);
    check(named("Filled"), repaired.recording.fill({ method: "drop" }), file);
    check(named("Difference"), recording.diff(other), file);
    check(named("Difference"), recording.diff(recording.addMarker(0.5, "a")), file);
    const analysis = new Analysis(recording);
    check(many("Measure"), analysis.measures(), file);
    check(many("AnalysisEvent"), analysis.events(), file);
    check(named("Series"), analysis.series(), file);
    check(named("TimeRange"), analysis.timeRange, file);
    check(named("CurveKeys"), recording.keys("head.position.x"), file);
    check(named("Samples"), recording.sampleRange(0, 1, 10), file);
  });
  check(named("Smoothed"), other.smooth());
  check(named("Reduced"), other.reduce());
  check(named("Selected"), other.select({ markers: ["no such marker"] }));
  const moved = other.moveMarker(0, 2);
  check(named("Difference"), other.diff(moved));
  check(named("Difference"), other.diff(other.withAbout({ task: "rest" })));
  check(named("Difference"), other.diff(other.select({ joints: ["left", "head"] }).recording));
  let game = other;
  for (let frame = 0; frame <= 100; frame++) game = game.addMarker(frame / 60, "FPS");
  check(many("NameCount"), game.telemetry());
  const cut = load(sample).subarray(0, 100_000);
  const recovered = Recording.recover(cut);
  check(named("Recovered"), recovered);
  check(named("FileDamage"), recovered.recording.fileDamage);
  check(named("EventTable"), new Analysis(other).eventTable([]));
  check(many("NamedFile"), [{ path: "study/a.bin", folder: "study" }]);
  for (const bytes of [cut, load(sample).subarray(0, 10)]) {
    assert.throws(() => Recording.open(bytes), (error) => {
      const { fields } = types.get("InputanimError");
      assert.deepEqual(Object.keys(error).filter((name) => !fields.has(name)), []);
      for (const name of Object.keys(error)) seen.add(`InputanimError.${name}`);
      return true;
    });
  }
  check(many("Format"), formats());
  check(many("Quantity"), quantities());
  check(named("Converted"), write(load(sample), "glb"));
  const controlled = read(controllers());
  check(named("Converted"), write(controlled.bytes, "glb", { parts: controlled.parts }));
  check(many("AnalysisNote"), new Analysis(Recording.open(controlled.bytes, controlled.parts)).notes());
  const gapped = read(new TextEncoder().encode("time_s,left.tracked\n0,1\n0.1,\n0.2,1\n"), { format: "csv" });
  check(named("Converted"), gapped);
  // Only one of the recordings has pinches of the left hand. Nothing is known of the right hand in the other one.
  const joined = Recording.open(gapped.bytes, gapped.parts).concat(other);
  check(named("Joined"), joined);
  assert.equal(joined.report.length, 1, joined.report.join());

  const parts = { ...gapped.parts, ...controlled.parts, about: { task: "rest" } };
  check(named("Parts"), parts);
  const aimless = { ...controlled.parts, gaps: [{ element: "right.controller.aim", unknown: [[0.5, 1]] }] };
  check(named("Info"), Recording.open(controlled.bytes, aimless).info());
  const devices = Recording.open(controlled.bytes, controlled.parts);
  check(many("Device"), devices.devices());
  check(many("Transition"), devices.transitions());
  check(many("Device"), devices.select({ joints: ["right"] }).recording.shift(1).devices());
  check(named("Difference"), devices.diff(devices.mirror("world").mirror("world").retime({ speed: 0.5 })));
  check(named("Info"), Recording.open(gapped.bytes, parts).info());
  const heads = Array.from({ length: 30 }, (_, row) => `${row / 10},${row > 9 && row < 20 ? "0,0,0" : `0,1.${row},0`},0,0,0,1\n`);
  const columns = ["position.x", "position.y", "position.z", "rotation.x", "rotation.y", "rotation.z", "rotation.w"];
  const lost = read(new TextEncoder().encode(`time_s,${columns.map((name) => `head.${name}`).join()}\n${heads.join("")}`), { format: "csv" });
  check(named("ForgottenZeros"), Recording.open(lost.bytes, lost.parts).forgetZeros());
  // Each field of a result must have a value in at least one example. Otherwise the other checks would not test the
  // field.
  const results = [...types].filter(([name, type]) => type.kind === "object" && !/(Options|Parameters|Frame)$/.test(name));
  const never = results.flatMap(([name]) => [...fieldsOf(types, name).keys()].map((field) => `${name}.${field}`)).filter((field) => !seen.has(field));
  // Lists that are empty in these examples. `Error` has its name in its prototype, and nothing is ignored.
  const allowed = ["Recovered.findings", "Difference.ignored", "Reduced.report", "Smoothed.report"];
  // The samples have no damage.
  const isAllowed = (field) => allowed.includes(field) || (!process.env.INPUTANIM_CORPUS && /^(CurveRepair\.|Measure\.damage$)/.test(field));
  assert.deepEqual(never.filter((field) => !isAllowed(field)), []);
});

test("each kind of loss and note has texts in the languages of the page", () => {
  const library = new URL("../../crates/inputanim-convert/src/shared/report.rs", import.meta.url);
  const report = readFileSync(library, "utf8");
  const kinds = (name) => {
    const [, body] = new RegExp(`pub enum ${name} \\{([^}]*)\\}`).exec(report);
    return [...body.matchAll(/^ +([A-Z]\w*),/gm)].map(([, kind]) => kind[0].toLowerCase() + kind.slice(1));
  };
  const texts = JSON.parse(readFileSync(new URL("../src/texts/conversions.json", import.meta.url), "utf8"));
  assert.deepEqual(Object.keys(texts.losses), kinds("LossKind"));
  assert.deepEqual(Object.keys(texts.notes), kinds("NoteKind"));
  const analysis = readFileSync(new URL("../../crates/inputanim-analysis/src/analysis.rs", import.meta.url), "utf8");
  const noted = [...analysis.matchAll(/\bNote \{\s+kind: "([^"]+)"/g)].map(([, kind]) => kind);
  assert.deepEqual(Object.keys(texts.analysis), noted);
  for (const [kind, found] of Object.values(texts).flatMap(Object.entries)) {
    assert.deepEqual(Object.keys(found), ["fr", "ko", "ru", "zh-Hans", "zh-Hant"], kind);
  }
});

test("the types of options are those of the library", () => {
  const types = new Map([...typesOf(new URL("types.ts", rust)), ...typesOf(new URL("formats.ts", rust))]);
  const edits = "../../inputanim/src/edit/value";
  const structs = {
    SelectOptions: [edits, "Select"],
    RetimeOptions: [edits, "Retime"],
    AlignOptions: ["../../inputanim/src/edit/clock/mod", "Align"],
    SmoothOptions: ["../../inputanim/src/edit/smooth/mod", "Smooth"],
    TransformOptions: [edits, "TransformSteps"],
    FillOptions: ["../../inputanim/src/edit/fill", "Fill"],
    ReduceOptions: ["../../inputanim/src/reduce/options", "Reduce"],
    JoinOptions: ["edits", "Between"],
    DiffOptions: ["diff", "Options"],
    RecorderOptions: ["recorder", "Options"],
    HapticOptions: ["devices", "GivenHaptic"],
    WebXrControllerOptions: ["webxr", "Source"],
    FigureOptions: ["analysis", "FigureOptions"],
    WriteOptions: ["formats", "Export"],
    ReadOptions: ["formats", "Import"],
  };
  const fields = (file, name) => {
    const source = readFileSync(new URL(`${file}.rs`, rust), "utf8").replaceAll(/\/\/\/.*/g, "");
    const [, body] = new RegExp(`\n *(?:pub(?:\\(crate\\))? )?(?:struct|optional) ${name} \{([^}]*)\}`).exec(source);
    const found = body.matchAll(/(?:serde\((\w+)(?: = "(\w+)")?\)\)?\]\s*)?(\w+): ([^,]+),/g);
    return [...found].flatMap(([, attribute, renamed, field, type]) =>
      attribute === "flatten" ? fields(file, type) : [renamed ?? field.replace(/_(\w)/g, (_, letter) => letter.toUpperCase())]);
  };
  for (const [type, [file, name]] of Object.entries(structs)) {
    assert.deepEqual([...fieldsOf(types, type).keys()].sort(), fields(file, name).sort(), type);
  }
  // The library defines the parameters of an analysis.
  assert.deepEqual([...types.keys()].filter((name) => /Options$/.test(name) && !(name in structs)), []);
});

test("each module has the imports that the documentation names", async () => {
  // A package can import itself by its name.
  const script = new URL("../package/imports.mjs", import.meta.url);
  writeFileSync(script, `
    import initCore, { Recording } from "inputanim/core";
    import initFormats, { formats } from "inputanim/formats";
    await initCore();
    await initFormats();
    import.meta.resolve("inputanim/core_bg.wasm");
    console.log(Recording.layouts().length, formats().length > 10);
  `);
  const { stdout } = await promisify(execFile)(process.execPath, [script.pathname]);
  assert.equal(stdout.trim(), "6 true");
});

test("calls before init, and arguments that are not bytes, are clear errors", async () => {
  const script = new URL("../package/early.mjs", import.meta.url);
  writeFileSync(script, `
    import init, { Recording, columnNames } from "inputanim/core";
    for (const call of [() => columnNames(), () => Recording.open(new Uint8Array(3))]) {
      try { call(); } catch ({ message }) { console.log(message); }
    }
    await init();
    await init();
    console.log(columnNames().length > 300);
  `);
  const { stdout } = await promisify(execFile)(process.execPath, [script.pathname]);
  const early = "the module is not loaded: call `await init()` first";
  assert.deepEqual(stdout.trimEnd().split("\n"), [early, early, "true"]);
  for (const [value, kind] of [["take.bin", "String"], [undefined, "Undefined"], [null, "Null"], [{}, "Object"], [Promise.resolve(), "Promise"]]) {
    for (const call of [Recording.open, Recording.recover]) {
      assert.throws(() => call(value), { name: "TypeError", message: `expected the bytes of a file (a Uint8Array), found ${kind}` });
    }
  }
  const { buffer } = load(sample).slice();
  assert.equal(Recording.open(buffer).duration, 4);
});

test("the keys of a curve are those of the file", () => {
  const recording = Recording.open(load(sample));
  const [name] = columnNames();
  const { times, values } = recording.keys(name);
  assert.equal(times.length, values.length);
  assert.ok(times.length > 10 && times.every((time, index) => index === 0 || time > times[index - 1]));
  const frame = new Float32Array(columnNames().length);
  recording.sample(times[3], frame);
  assert.equal(frame[0], values[3]);
  assert.throws(() => recording.keys("left.Plam"), /unknown curve "left.Plam"/);
});

test("sampling allocates no buffers", () => {
  const recording = Recording.open(load(sample));
  const frame = new Float32Array(columnNames().length);
  const run = () => {
    for (let i = 0; i < 20_000; i++) recording.sample((i % 240) / 60, frame);
  };
  run();
  const grown = [];
  const start = performance.now();
  for (let round = 0; round < 5; round++) {
    const before = process.memoryUsage().heapUsed;
    run();
    grown.push(Math.abs(process.memoryUsage().heapUsed - before));
  }
  const microseconds = (performance.now() - start) / 100;
  // A view for each sample would need two megabytes more. A call returns an error or nothing. Node.js passes this
  // result in an array of 80 bytes if it does not compile the call inline. In any round, Node.js may free the memory of
  // other tests, so the best round counts.
  assert.ok(Math.min(...grown) < 2_400_000, `${grown}`);
  console.log(`a sample takes ${microseconds.toFixed(2)} µs`);
});

test("the example of the README works", async () => {
  const readme = readFileSync(new URL("../package/README.md", import.meta.url), "utf8");
  const [, example] = /```js\n([^]*?)```/.exec(readme);
  const script = new URL("../package/example.mjs", import.meta.url);
  writeFileSync(script, example);
  const { stdout } = await promisify(execFile)(process.execPath, [script.pathname], {
    cwd: new URL("../../samples", import.meta.url),
  });
  assert.match(stdout, /palm at \d\.\d{3} m/);
});

test("the recipe for WebXR plays a recording into a page", async () => {
  const guide = readFileSync(new URL("../../docs/javascript.md", import.meta.url), "utf8");
  const [recipe, usage] = [...guide.matchAll(/```js\n([^]*?)```/g)].map(([, code]) => code);
  writeFileSync(new URL("../package/recipe.mjs", import.meta.url), recipe);
  // The page of this test has a clock and frames that it controls.
  const script = new URL("../package/recipe-page.mjs", import.meta.url);
  writeFileSync(script, `
    import { frameAt } from "../../readers/iwer/stage.mjs";
    import { readFile } from "node:fs/promises";
    const { play } = await import("./recipe.mjs");
    const { XRWebGLLayer } = await import("iwer");
    globalThis.fetch = async (name) => new Response(await readFile(name));
    const selected = [];
    const requestSession = navigator.xr.requestSession.bind(navigator.xr);
    navigator.xr.requestSession = async (...options) => {
      const session = await requestSession(...options);
      session.updateRenderState({ baseLayer: new XRWebGLLayer(session, new WebGL2RenderingContext()) });
      session.addEventListener("selectstart", (event) => selected.push(event.inputSource.handedness));
      return session;
    };
    ${usage}
    const space = await session.requestReferenceSpace("local-floor");
    const seen = [];
    frameAt(session, 0, () => undefined);
    for (let time = 100; time < 4900; time += 100) seen.push(frameAt(session, time, (frame) => {
      const { x, y, z } = frame.getViewerPose(space).transform.position;
      const hands = [...session.inputSources].filter(({ hand }) => hand).map((source) => {
        const { x, y, z } = frame.getJointPose(source.hand.get("index-finger-tip"), space).transform.position;
        return [source.handedness, [x, y, z]];
      });
      return { time: player.currentTime / 1000, head: [x, y, z], hands: Object.fromEntries(hands) };
    }));
    console.log(JSON.stringify({ seen, selected }));
  `);
  // The recording has pinches, and the recipe reads it by another name.
  const folder = join(out, "recipe");
  mkdirSync(folder, { recursive: true });
  const source = files.find((file) => basename(file) === "pinch-drag.bin");
  copyFileSync(source, join(folder, "wave.bin"));
  const { stdout } = await promisify(execFile)(process.execPath, [script.pathname], { cwd: folder });
  const { seen, selected } = JSON.parse(stdout);
  const recording = Recording.open(load(source));
  const frame = new Float32Array(columnNames().length);
  let compared = 0;
  for (const { time, head, hands } of seen) {
    recording.sample(time, frame);
    const position = (name) => {
      const at = columnNames().indexOf(`${name}.position.x`);
      return [frame[at], frame[at + 1], -frame[at + 2]];
    };
    for (const [name, found] of [["head", head], ["right.IndexTip", hands.right], ["left.IndexTip", hands.left]]) {
      if (!found) continue;
      const wanted = position(name);
      // The player interpolates between 60 frames per second.
      assert.ok(Math.hypot(...found.map((value, axis) => value - wanted[axis])) < 0.003, `${name} at ${time}: ${found} ${wanted}`);
      compared++;
    }
  }
  assert.ok(compared >= 90 && seen.at(-1).time > 4.5, `${compared} poses until ${seen.at(-1).time} s`);
  assert.deepEqual(selected, ["right", "right"]);
});

test("the package has the licences of the libraries inside of it", () => {
  const read = (path) => readFileSync(new URL(path, import.meta.url), "utf8");
  const licences = read("../package/THIRD-PARTY-LICENSES.txt");
  assert.match(licences, /^The npm package inputanim contains the libraries below/);
  const { dependencies } = JSON.parse(read("../package.json"));
  const crates = ["glam", "libm", "mcap", "zerocopy"];
  for (const start of [...Object.entries(dependencies).map(([name, version]) => `${name} ${version}: `), ...crates.map((name) => `${name} `)]) {
    assert.ok(licences.includes(`\n${start}`), start);
  }
  assert.match(licences, /Copyright © [\d-]+ three\.js authors/);
  assert.doesNotMatch(licences, /\n(?:clap|parquet|proptest) /);
  assert.match(read("../package/RUST-LICENSES.html"), /Apache/);
});

test("the JavaScript of the viewer stays small", () => {
  const page = readFileSync(new URL("../../crates/inputanim-page/viewer/inputanim.html", import.meta.url), "utf8");
  const scripts = [...page.matchAll(/id="(?:page|worker)" data-packed>([^]*?)<\/script>/g)];
  assert.equal(scripts.length, 2);
  const size = gzipSync(Buffer.concat(scripts.map(([, packed]) => gunzipSync(Buffer.from(packed, "base64"))))).length;
  console.log(`viewer: ${size} bytes of JavaScript with gzip`);
  // 4 kB of them play videos beside recordings, and draw joints over the pictures.
  assert.ok(size <= 260_000);
});

test("the package embeds the viewer, with types that a program can use", async () => {
  const script = new URL("../package/use.ts", import.meta.url);
  writeFileSync(script, `
    import { embed, type EmbedFile, type EmbedOptions, type EmbeddedViewer } from "inputanim/embed";
    import { Recording } from "inputanim";

    export async function show(element: HTMLElement, recording: Recording): Promise<EmbeddedViewer> {
      const file: EmbedFile = { name: "take.bin", bytes: recording.withParts({}).toBytes(), parts: recording.parts };
      const options: EmbedOptions = { file: [file, "other.bin"], time: 1.5, theme: "dark", language: "fr", view: "t=1", downloads: false };
      const viewer = embed(element, options);
      const end = viewer.on("time", ({ time, playing }) => console.log(time.toFixed(1), playing));
      viewer.on("saved", async ({ name, data }) => console.log(name, await data.arrayBuffer()));
      viewer.on("files", (files) => files.every(({ unsaved }) => !unsaved));
      await viewer.ready;
      await viewer.select({ file: "take.bin", start: 1, end: null });
      await viewer.seek(viewer.selection.start ?? 0);
      await viewer.play();
      end();
      return viewer;
    }
  `);
  const compiler = new URL("../node_modules/typescript/bin/tsc", import.meta.url).pathname;
  const options = "--noEmit --ignoreConfig --strict --exactOptionalPropertyTypes --target es2022 --module nodenext --lib es2023,dom,dom.iterable,esnext.disposable";
  await promisify(execFile)(process.execPath, [compiler, script.pathname, ...options.split(" ")]);
  rmSync(script);
  // The module loads in Node.js, where servers render pages.
  const { embed } = await import("../package/embed.js");
  assert.equal(embed.length, 1);
});

// The modules of quick tests are larger. The standard library from rustup is too, because it contains the texts of panics.
const isSmall = process.env.INPUTANIM_SMALL_MODULES;

test("the page of the viewer stays small", () => {
  const page = readFileSync(new URL("../package/inputanim.html", import.meta.url), "utf8");
  const report = page.replace(/<!-- other formats -->[^]*<!-- end of other formats -->/, "");
  console.log(`inputanim.html: ${page.length} bytes; a report without its recordings: ${report.length} bytes`);
  if (isSmall) assert.ok(page.length <= 3_500_000 && report.length <= 1_600_000);
});

test("the modules stay small", { skip: !isSmall && "the modules are not compiled as they are published" }, () => {
  for (const [name, most] of [["core", 141_000], ["inputanim", 635_000], ["formats", 955_000]]) {
    const bytes = readFileSync(new URL(`../package/${name}_bg.wasm`, import.meta.url));
    const size = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }).length;
    console.log(`${name}: ${bytes.length} bytes, ${size} bytes with brotli`);
    assert.ok(size <= most, `${name} takes ${size} bytes`);
  }
});
