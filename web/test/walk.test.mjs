// Uses the page at random: clicks, keys, typing, drags, and drops of recordings and of damaged recordings. INPUTANIM_SEED repeats
// the choices of a walk, and INPUTANIM_WALK sets its number of steps.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { browser, drag, files, open, out } from "./browser.mjs";

const STEPS = Number(process.env.INPUTANIM_WALK ?? 160);
const KEYS = [
  "Space", "ArrowLeft", "ArrowRight", "Shift+ArrowLeft", "Home", "End", ",", ".", "i", "o", "x", "t", "m", "+", "-", "p", "?", "Escape", "Tab",
  "Enter", "Control+z", "Control+y", "Control+Shift+Z", "Control+s", "Delete", "Backspace",
];
const TYPED = ["1.5", "0:02.250", "-1", "1e9", "NaN", "", "99:99", "\u202e", "<b>", "a".repeat(300), "0", "🖐"];
const HASHES = ["", "t=1", "file=wave.bin&t=1&in=0.5&out=2&view=head", "pose=1,2,3,4,5,6", "file=%", "view=top&in=3&out=1"];
const SIZES = [[1280, 800], [390, 844], [844, 390], [820, 1180], [200, 150]];

/**
 * The largest growth of memory, when all files are closed. The memory of WebAssembly never shrinks, and the tree of curves
 * stays in the page.
 */
const LIMITS = { objects: 15e6, module: 100e6, nodes: 6000, listeners: 1000 };

/** Returns a generator of random numbers below a limit (Mulberry32). */
function generator(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) % below;
  };
}

/** Writes a copy of a recording with random errors, and returns its path. */
function mutated(random, source, number) {
  const bytes = Buffer.from(readFileSync(source));
  const kind = random(4);
  const copy = kind === 0 ? Buffer.from(bytes.subarray(0, random(bytes.length))) : bytes;
  // Errors in the first bytes change the layout, and errors at other places change the content.
  for (let flips = kind === 1 ? 1 + random(3) : random(200); flips > 0 && copy.length > 0; flips--) {
    const at = kind === 1 ? random(Math.min(64, copy.length)) : random(copy.length);
    copy[at] ^= 1 << random(8);
  }
  const path = join(out, `walk-${number}.bin`);
  writeFileSync(path, copy);
  return path;
}

/** Returns the centres of the elements that a selector finds and that the user sees. */
const centers = (page, selector) => page.$$eval(selector, (nodes) =>
  nodes.filter((node) => node.checkVisibility() && !node.disabled).map((node) => {
    const box = node.getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
  }).filter(([x, y]) => x >= 0 && y >= 0 && x < innerWidth && y < innerHeight));

/** Returns the memory that the page uses after its garbage is collected. */
async function used(page, session) {
  await session.send("HeapProfiler.collectGarbage");
  await session.send("HeapProfiler.collectGarbage");
  const { metrics } = await session.send("Performance.getMetrics");
  const of = (wanted) => metrics.find(({ name }) => name === wanted).value;
  const module = await page.evaluate(() => viewer.memorySize());
  return { objects: of("JSHeapUsedSize"), module, nodes: of("Nodes"), listeners: of("JSEventListeners") };
}

/** Fails if the state of the page is not possible. */
const check = (page) => page.evaluate(() => {
  const { openFiles, selected, overview, time, inPoint, outPoint, view, message, rate } = viewer.store.state;
  const problems = [];
  if (![time, ...view, rate].every(Number.isFinite) || time < 0 || view[0] >= view[1]) problems.push(`time ${time}, view ${view}`);
  if (inPoint !== null && outPoint !== null && inPoint >= outPoint) problems.push(`range ${inPoint} to ${outPoint}`);
  // The filter of the overview may hide all files.
  const isHidden = overview && selected === -1;
  if (openFiles.length > 0 && !openFiles[selected] && !isHidden) problems.push(`file ${selected} of ${openFiles.length}`);
  if (/Internal error|null|undefined|\[object/.test(message?.text ?? "")) problems.push(`message: ${message.text}`);
  return { problems, count: openFiles.length };
});

test("a random walk finds no error, and the page needs no more memory afterwards", { timeout: 1000 * (STEPS + 240) }, async () => {
  const seed = Number(process.env.INPUTANIM_SEED ?? Date.now() % 1e9);
  const random = generator(seed);
  const pick = (list) => list[random(list.length)];
  console.log(`random walk with INPUTANIM_SEED=${seed}`);
  const page = await open(browser());
  page.on("filechooser", () => undefined);
  page.on("dialog", (dialog) => void dialog.accept());
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const steps = [];
  let dropped = 0;

  const ACTIONS = {
    click: async () => {
      const place = pick(await centers(page, "button, label, summary"));
      if (place) await page.mouse.click(...place);
      return place;
    },
    select: async () => {
      const choices = await page.$$eval("select", (nodes) =>
        nodes.filter((node) => node.checkVisibility() && !node.disabled).flatMap((node) => [...node.options].map(({ value }) => [node.id, value])));
      const found = pick(choices);
      // A browser shows the options of a list outside of the page, so a test cannot click them.
      if (found) await page.locator(`#${found[0]}`).selectOption(found[1], { timeout: 2000, force: true }).catch(() => undefined);
      return found;
    },
    key: async () => {
      const key = pick(KEYS);
      await page.keyboard.press(key);
      return key;
    },
    type: async () => {
      const place = pick(await centers(page, "input:not([type=checkbox])"));
      const typed = pick(TYPED);
      if (!place) return null;
      await page.mouse.click(...place);
      await page.keyboard.insertText(typed);
      await page.keyboard.press(pick(["Enter", "Tab", "Escape"]));
      return typed;
    },
    drag: async () => {
      const { width, height } = page.viewportSize();
      const places = (await centers(page, ".view canvas, .timeline, .u-over")).map(([x, y]) => [x + random(width) - width / 2, y + random(60) - 30]);
      const [from, to] = [pick(places), [random(width), random(height)]];
      if (!from) return null;
      await page.mouse.move(...from);
      await page.mouse.down({ button: pick(["left", "left", "left", "right"]) });
      await page.mouse.move(...to, { steps: 3 });
      await page.mouse.up({ button: "left" });
      await page.mouse.up({ button: "right" });
      return [from, to];
    },
    wheel: async () => {
      const place = pick(await centers(page, ".view canvas, .timeline"));
      if (!place) return null;
      await page.mouse.move(...place);
      await page.mouse.wheel(random(200) - 100, random(2000) - 1000);
      return place;
    },
    drop: async () => {
      const source = pick(files);
      const path = random(3) === 0 ? source : mutated(random, source, dropped++ % 20);
      await drag(page, ...(random(4) === 0 ? [path, pick(files)] : [path]));
      return basename(path);
    },
    resize: async () => {
      const [width, height] = pick(SIZES);
      await page.setViewportSize({ width, height });
      return [width, height];
    },
    hash: async () => {
      const hash = pick(HASHES);
      await page.evaluate((hash) => (location.hash = hash), hash);
      return hash;
    },
  };
  const WEIGHTS = { click: 12, select: 4, key: 10, type: 4, drag: 5, wheel: 3, drop: 5, resize: 1, hash: 1 };
  const names = Object.entries(WEIGHTS).flatMap(([name, weight]) => Array.from({ length: weight }, () => name));

  /** Closes all files, and waits until nothing is computed. */
  const rest = async () => {
    await page.keyboard.press("Escape");
    await page.evaluate(async () => {
      viewer.store.state.working?.stop.abort();
      while (viewer.store.state.opening) await new Promise((resolve) => setTimeout(resolve, 50));
      while (viewer.store.state.openFiles.length > 0) viewer.actions.close(0);
      viewer.store.update({ message: null, live: null });
    });
    await page.waitForFunction(() => viewer.background.isIdle && !viewer.store.state.working, null, { timeout: 60_000 });
    await page.waitForTimeout(11_000);
  };
  const fail = (what) => {
    const last = steps.slice(-12).map((step) => JSON.stringify(step)).join("\n");
    assert.fail(`${what}\nINPUTANIM_SEED=${seed}, step ${steps.length}, the last steps:\n${last}`);
  };
  const walk = async (end) => {
    while (steps.length < end) {
      const name = pick(names);
      steps.push([name, await ACTIONS[name]()]);
      const { problems, count } = await check(page);
      if (page.errors.length > 0) fail(`an error that no code handles: ${page.errors[0].stack}`);
      if (problems.length > 0) fail(problems.join("\n"));
      // The user closes files, so that they do not fill the memory.
      if (count > 6) await page.evaluate(() => viewer.actions.close(0));
    }
  };

  await walk(STEPS / 6);
  await rest();
  const before = await used(page, session);
  await walk(STEPS);
  await rest();
  const after = await used(page, session);
  if (page.errors.length > 0) fail(`an error that no code handles: ${page.errors[0].stack}`);
  const mega = ({ objects, module, nodes }) => `${(objects / 1e6).toFixed(1)} MB of objects, WebAssembly ${(module / 1e6).toFixed(1)} MB, ${nodes} nodes`;
  console.log(`${steps.length} steps, ${dropped} mutated recordings; memory before: ${mega(before)}; after: ${mega(after)}`);
  assert.ok(after.module < LIMITS.module, mega(after));
  for (const name of ["objects", "nodes", "listeners"]) {
    if (after[name] - before[name] > LIMITS[name]) fail(`${name} grew from ${before[name]} to ${after[name]}`);
  }
  await page.context().close();
});
