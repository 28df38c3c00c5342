// Tests of the view in the browser: playback without needless drawing, parts that fail, and the camera.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { browser, drag, headset, open, out, program, recording, run, serve, settled, written } from "./browser.mjs";

const wave = recording("wave.bin");
const pinch = recording("pinch-drag.bin");

/** Opens files with the dialog, as a person does, and waits until they are examined. */
async function choose(page, ...paths) {
  const before = await page.evaluate(() => viewer.store.state.openFiles.length);
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.click("#open")]);
  await chooser.setFiles(paths);
  await page.waitForFunction((count) => viewer.store.state.openFiles.length >= count, before + paths.length);
  await settled(page);
}

/** Returns the horizontal position of a time in the timeline in pixels. */
async function placeOf(page, time) {
  const box = await page.locator("canvas.timeline").boundingBox();
  const [from, to] = await page.evaluate(() => viewer.store.state.view);
  return { x: box.x + 74 + ((time - from) / (to - from)) * (box.width - 84), y: box.y + 40 };
}

/** Clicks on the timeline at a time. */
async function clickTime(page, time) {
  const { x, y } = await placeOf(page, time);
  await page.mouse.click(x, y);
}

/** Fails if the page has problems of accessibility. */
async function checkAccess(page, where) {
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes[0].html]), [], where);
}

const timeOf = (page) => page.evaluate(() => viewer.store.state.time);

/** Plays with the keyboard until the position has changed some times. */
async function play(page, frames) {
  // The space bar presses a button that has the focus.
  await page.click("h1");
  await page.keyboard.press("Space");
  await page.evaluate(() => {
    globalThis.times = new Set();
    const note = () => times.add(viewer.store.state.time) && requestAnimationFrame(note);
    note();
  });
  await page.waitForFunction((frames) => times.size >= frames, frames);
  await page.keyboard.press("Space");
}

/** Counts what is drawn on the canvases of the timeline and the plots. */
const countDrawing = () => {
  globalThis.drawing = 0;
  for (const name of ["clearRect", "fillRect", "stroke", "fill", "fillText"]) {
    const original = CanvasRenderingContext2D.prototype[name];
    CanvasRenderingContext2D.prototype[name] = function (...values) {
      globalThis.drawing++;
      return original.apply(this, values);
    };
  }
};

test("playback and a drag in time move a line, and draw neither the timeline nor the plots again", async () => {
  const page = await open(browser(), { before: countDrawing });
  await choose(page, pinch);
  await page.selectOption("#plot", "position");
  await settled(page);
  assert.ok(await page.evaluate(() => drawing) > 0);
  await page.evaluate(() => (drawing = 0));
  await play(page, 12);
  const from = await placeOf(page, 0.2);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  for (const time of [0.4, 0.7, 1, 1.3]) {
    const { x, y } = await placeOf(page, time);
    await page.mouse.move(x, y);
  }
  await page.mouse.up();
  assert.equal(await page.evaluate(() => drawing), 0);
  // The line is at the position, in the timeline and in the plot.
  const { x } = await placeOf(page, await timeOf(page));
  const lines = await page.locator(".time-cursor").all();
  assert.equal(lines.length, 2);
  for (const line of lines) {
    const box = await line.boundingBox();
    assert.ok(Math.abs(box.x + box.width / 2 - x) <= 1.5, `${box.x} ${x}`);
  }
  // The value of the legend belongs to the position.
  assert.equal(await page.locator(".legend-time").textContent(), `${(await timeOf(page)).toFixed(3)} s`);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("the memory of a large recording and of its edits is free after it is closed", async () => {
  const large = join(out, "large-for-memory.bin");
  await run("generate", "two-hands", "--seconds", "100", "--quiet", "--force", "-o", large);
  const page = await open(browser());
  page.on("dialog", (dialog) => void dialog.accept());
  await choose(page, wave);
  const size = () => page.evaluate(() => viewer.memorySize());
  const before = await size();
  for (let round = 0; round < 2; round++) {
    await choose(page, large);
    await page.click("#tab-edit");
    for (const edit of ["mirror", "smooth"]) {
      await page.click(`#${edit}`);
      await page.waitForFunction((label) => {
        const { openFiles, selected, working } = viewer.store.state;
        return !working && openFiles[selected].versions.at(-1).label === label;
      }, edit);
    }
    await page.keyboard.press("Control+z");
    await page.waitForFunction(() => viewer.store.state.openFiles[viewer.store.state.selected].current === 1);
    assert.ok((await size()) > before + readFileSync(large).length);
    await page.click("#close-1");
    await page.waitForFunction(() => viewer.store.state.openFiles.length === 1);
    await page.waitForFunction((most) => viewer.memorySize() < most, before + 4e6, { timeout: 10_000 });
  }
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

/** The parts of a browser that may be missing, each with a script that removes it. */
const MISSING = {
  WebGL: () => {
    const original = HTMLCanvasElement.prototype.getContext;
    HTMLCanvasElement.prototype.getContext = function (kind, ...values) {
      return kind.startsWith("webgl") ? null : original.call(this, kind, ...values);
    };
    OffscreenCanvas.prototype.getContext = HTMLCanvasElement.prototype.getContext;
  },
  WebCodecs: () => {
    for (const name of ["VideoEncoder", "VideoFrame"]) delete globalThis[name];
  },
  "File System Access": () => {
    delete DataTransferItem.prototype.getAsFileSystemHandle;
    for (const name of ["showOpenFilePicker", "showSaveFilePicker", "showDirectoryPicker"]) delete globalThis[name];
  },
  storage: () => {
    Object.defineProperty(globalThis, "localStorage", { get: () => { throw new DOMException("denied", "SecurityError"); } });
  },
  workers: () => {
    globalThis.Worker = class {
      constructor() {
        throw new DOMException("denied", "SecurityError");
      }
    };
  },
  "workers that start": () => {
    globalThis.Worker = class extends EventTarget {
      constructor() {
        super();
        setTimeout(() => this.onerror?.(new ErrorEvent("error", { message: "denied" })), 20);
      }
      postMessage() {}
      terminate() {}
    };
  },
};

test("the page works without WebGL, WebCodecs, File System Access, storage and workers", async () => {
  const damaged = await changed("part-damaged", pinch, (name, keys) => (name.endsWith("rotation.w") ? keys.slice(0, 1) : keys));
  const folder = join(out, "part-folder");
  mkdirSync(folder, { recursive: true });
  copyFileSync(wave, join(folder, "wave.bin"));
  // Chromium reads dropped folders of a page from disk only with File System Access, so the page comes from a server.
  const server = await serve(damaged);
  try {
    for (const [name, before] of Object.entries(MISSING)) {
      const page = await open(browser(), { before, address: server.address });
      await page.waitForFunction(() => viewer.store.state.openFiles.length === 1);
      await settled(page);
      const is = async (condition, what) => assert.ok(await condition, `without ${name}: ${what}`);
      await is(page.locator("#repair").isVisible(), "the findings are shown");
      assert.equal(await page.locator(".view-problem").isVisible(), name === "WebGL", name);
      if (name === "WebGL") assert.match(await page.locator(".view-problem").textContent(), /WebGL/);
      // The plot is drawn, and playback moves the position.
      assert.equal(await page.locator(".charts .uplot").count(), 1, name);
      await play(page, 4);
      await clickTime(page, 1);
      assert.ok(Math.abs((await timeOf(page)) - 1) < 0.05, name);
      await page.click("#repair");
      await page.waitForFunction(() => viewer.store.state.openFiles[0].current === 1);
      await settled(page);
      const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Control+s")]);
      const wanted = await written("part-repaired.bin", "repair", damaged);
      assert.ok(readFileSync(await download.path()).equals(wanted), `without ${name}: the repaired file`);
      await page.selectOption("#language", "fr");
      await drag(page, folder);
      await page.waitForFunction(() => viewer.store.state.openFiles.length === 2);
      await settled(page);
      assert.deepEqual(page.errors, [], name);
      await checkAccess(page, `without ${name}`);
      await page.screenshot({ path: join(out, `without-${name.replaceAll(" ", "-")}.png`) });
      await page.context().close();
    }
  } finally {
    server.stop();
  }
});

test("a lost view says so, and is drawn at once when it is restored", async () => {
  const page = await open(browser(), { size: [1000, 640] });
  await choose(page, pinch);
  await clickTime(page, 1.4);
  const view = page.locator(".view");
  await page.waitForTimeout(300);
  const before = await view.screenshot();
  await page.evaluate(() => {
    globalThis.lose = viewer.scene.renderer.getContext().getExtension("WEBGL_lose_context");
    lose.loseContext();
  });
  await page.waitForFunction(() => document.querySelector(".view-problem").checkVisibility());
  // Playback goes on.
  await play(page, 4);
  await clickTime(page, 1.4);
  await page.evaluate(() => lose.restoreContext());
  await page.waitForFunction(() => !document.querySelector(".view-problem").checkVisibility());
  await page.waitForTimeout(300);
  assert.ok((await view.screenshot()).equals(before), "the view is the same");
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("an error in the view does not stop the other parts", async () => {
  const page = await open(browser());
  await choose(page, pinch);
  await page.evaluate(() => {
    viewer.scene.update = () => {
      throw new Error("broken on purpose");
    };
  });
  await play(page, 4);
  assert.ok(await page.locator(".view-problem").isVisible());
  assert.match(await page.locator(".message pre").textContent(), /broken on purpose/);
  await page.click("#tab-info");
  await page.keyboard.press("Escape");
  assert.ok(await page.locator("#panel dl").isVisible());
  await page.context().close();
});

/** Returns the part of the joints of both hands that are in the picture at the position, and the box of all joints on the screen. */
const joints = (page) => page.evaluate(() => {
  const { openFiles, selected, time } = viewer.store.state;
  const { recording } = openFiles[selected].versions[openFiles[selected].current];
  const { columns } = recording.sampleRange(time, time, 1);
  const names = Object.keys(columns).flatMap((name) => /^((?:left|right)\.(?!None)\w+)\.position\.x$/.exec(name)?.[1] ?? []);
  const { clientWidth, clientHeight } = viewer.scene.renderer.domElement;
  const known = names.filter((name) => Number.isFinite(columns[`${name}.position.x`][0]));
  const places = known.map((name) => viewer.scene.project(name));
  const inside = places.filter(([x, y]) => x >= 0 && y >= 0 && x <= clientWidth && y <= clientHeight);
  const range = (axis) => [Math.min(...places.map((place) => place[axis])), Math.max(...places.map((place) => place[axis]))];
  return { count: places.length, inside: inside.length, x: range(0), y: range(1), size: [clientWidth, clientHeight] };
});

test("an error that each update repeats is shown once, and the page continues", async () => {
  const page = await open(browser());
  await choose(page, wave);
  await page.evaluate(() => {
    globalThis.fails = false;
    viewer.store.watch(() => {
      if (globalThis.fails) throw new Error("fails in each update");
      return [];
    }, () => undefined);
    globalThis.fails = true;
    viewer.store.update({ time: 0.5 });
  });
  await page.getByText("fails in each update").waitFor();
  await page.click("#dismiss");
  await page.waitForFunction(() => viewer.store.state.message === null);
  await play(page, 3);
  assert.deepEqual([page.errors.length, await page.evaluate(() => viewer.store.state.message)], [1, null]);
  await page.context().close();
});

test("all recorded joints are in the picture, in every view, wherever and however small they are", async () => {
  const far = join(out, "frame-far.bin");
  await run("transform", "--move", "6,0,-4", pinch, "--quiet", "--force", "-o", far);
  const small = join(out, "frame-small.bin");
  await run("trim", "--time", "1.2..1.3", pinch, "--quiet", "--force", "-o", small);
  const page = await open(browser(), { size: [1100, 760] });
  await page.selectOption("#plot", "off");
  for (const [name, file] of Object.entries({ pinch, wave, far, small })) {
    await choose(page, file);
    const end = await page.evaluate(() => viewer.store.state.view[1]);
    for (const camera of ["orbit", "hands", "top", "front", "head", "follow"]) {
      await page.selectOption("#camera", camera);
      const [xs, ys] = [[], []];
      for (let step = 0; step <= 10; step++) {
        await clickTime(page, (end * step) / 10);
        const { count, inside, x, y, size } = await joints(page);
        if (count === 0) continue;
        assert.equal(inside, count, `${name}, ${camera}: joints out of the picture at ${(end * step) / 10} s`);
        xs.push(...x.map((value) => value / size[0]));
        ys.push(...y.map((value) => value / size[1]));
      }
      const filled = Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys));
      if (["orbit", "hands", "top", "front"].includes(camera)) assert.ok(filled > 0.5, `${name}, ${camera}: the hands fill ${filled}`);
      await page.locator(".view").screenshot({ path: join(out, `frame-${name}-${camera}.png`) });
    }
  }
  // The floor is below a person who is far from the origin.
  const floor = await page.evaluate(() => viewer.store.state.openFiles.map((_, index) => index));
  assert.equal(floor.length, 4);
  await page.click("#file-2");
  await page.selectOption("#camera", "orbit");
  const { grid, head } = await page.evaluate(() => {
    const { x, z } = viewer.scene.grid.position;
    const { x: headX, z: headZ } = viewer.scene.figure.vector("head.position");
    return { grid: [x, z], head: [headX, headZ] };
  });
  assert.ok(Math.hypot(grid[0] - head[0], grid[1] - head[1]) < 2, `${grid} ${head}`);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("the camera follows hands that leave the picture, as an option", async () => {
  const page = await open(browser(), { size: [1100, 760] });
  await page.selectOption("#plot", "off");
  await choose(page, wave);
  // The user zooms in, so that the hands leave the picture.
  const box = await page.locator(".view canvas").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  for (let step = 0; step < 6; step++) await page.mouse.wheel(0, -400);
  const missing = async () => {
    let found = 0;
    for (let step = 1; step < 12; step++) {
      await clickTime(page, step * 0.25);
      const { count, inside } = await joints(page);
      found += Number(inside < count);
    }
    return found;
  };
  assert.ok((await missing()) > 0);
  await page.click("#follow");
  assert.equal(await missing(), 0);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

/** Returns what `inputanim repair` prints for a file: the number of repaired keys, and of uncertain keys. */
async function printedRepair(file) {
  const { stderr } = await promisify(execFile)(program, ["repair", file, "--force", "-o", join(out, "printed.bin")]);
  const sum = (pattern) => [...stderr.matchAll(pattern)].reduce((total, [, number]) => total + Number(number.replaceAll(",", "")), 0);
  return { keys: sum(/ ([\d,]+) keys?(?= {2}|$)/gm), uncertain: sum(/ ([\d,]+) uncertain[:,]/g) };
}

/** Writes a copy of a recording whose curves a function changes, and returns its path. `change` gets the name and the keys of a curve. */
async function changed(name, source, change) {
  const [json, file] = [join(out, `${name}.json`), join(out, `${name}.bin`)];
  await run("convert", "--quiet", "--force", source, json);
  const lines = readFileSync(json, "utf8").split("\n").map((line) => {
    const found = /^(.*?"((?:left|right|head)[\w.]*)".*?)(\[\[.*\]\])(.*)$/.exec(line);
    return found ? `${found[1]}${JSON.stringify(change(found[2], JSON.parse(found[3])))}${found[4]}` : line;
  });
  writeFileSync(json, lines.join("\n"));
  await run("convert", "--quiet", "--force", json, file);
  return file;
}

/** Returns the colours in the lowest row of the timeline from one time to another. */
const bandColors = (page, from, to) => page.evaluate(([from, to]) => {
  const canvas = document.querySelector("canvas.timeline");
  const [start, end] = viewer.store.state.view;
  const scale = canvas.width / canvas.clientWidth;
  const x = (time) => (74 + ((time - start) / (end - start)) * (canvas.clientWidth - 84)) * scale;
  const { data } = canvas.getContext("2d").getImageData(x(from), canvas.height - 7 * scale, Math.max(1, x(to) - x(from)), 1);
  return [...new Set(Array.from({ length: data.length / 4 }, (_, at) => [...data.slice(4 * at, 4 * at + 3)].join()))];
}, [from, to]);

test("uncertain keys and damage can be walked through, and the numbers are those of the program", async () => {
  const lost = await changed("walk-lost", recording("reach.bin"), (name, keys) => (name.endsWith("rotation.w") ? keys.slice(0, 1) : keys));
  const flipped = await changed("walk-flipped", pinch, (name, keys) =>
    keys.map(([time, value, ...rest], index) => [time, name.includes(".rotation.") && index % 10 > 6 ? -value : value, ...rest]));
  const page = await open(browser());
  for (const file of [lost, flipped]) {
    await choose(page, file);
    const before = await bandColors(page, 1, 2);
    await page.click("#repair");
    await page.waitForFunction(() => viewer.store.state.openFiles[viewer.store.state.selected].current === 1);
    await settled(page);
    const wanted = await printedRepair(file);
    assert.ok(wanted.keys > 100, JSON.stringify(wanted));
    const report = await page.locator("#panel .report").textContent();
    assert.match(report, new RegExp(`^Repaired ${wanted.keys.toLocaleString("en")} keys`), report);
    if (wanted.uncertain > 0) assert.match(report, new RegExp(`\n${wanted.uncertain.toLocaleString("en")} of them are uncertain`), report);
    // The timeline shows the changed keys.
    assert.notDeepEqual(await bandColors(page, 1, 2), before);
    await page.keyboard.press("Escape");
  }
  await page.click("#file-0");
  await settled(page);
  await page.click("#tab-findings");
  await page.keyboard.press("End");
  assert.match(await page.textContent(".problem-walk .place"), /^(Times to check: \d+|\d+ of \d+ · )/);
  // The report of a repair follows the language of the page.
  await page.selectOption("#language", "fr");
  assert.match(await page.textContent("#panel .report"), /^\d[\d\s]* clés réparées/);
  await page.selectOption("#language", "en");
  const uncertain = await page.evaluate(() => viewer.store.state.openFiles[0].versions[1].repaired.uncertain);
  assert.ok(uncertain.length > 2 && uncertain.every(({ names, keys }) => names.length > 0 && keys > 0));
  // With the keyboard, forwards and back.
  await page.keyboard.press("Home");
  const visited = [];
  for (const key of ["n", "n", "n", "b"]) {
    await page.keyboard.press(key);
    visited.push(await timeOf(page));
  }
  assert.ok(visited[0] < visited[1] && visited[1] < visited[2] && visited[3] === visited[1], `${visited}`);
  assert.match(await page.locator(".problem-walk .place").textContent(), /^\d+ of \d+ · .*(left|right|head)/);
  // The list has all uncertain times with their joints.
  await page.click("#uncertain-times > summary");
  assert.equal(await page.locator(".times li").count(), uncertain.length);
  assert.match(await page.locator(".times li").first().textContent(), /(left|right|head)/);
  await page.click("#uncertain-1");
  assert.ok(Math.abs((await timeOf(page)) - Math.max(uncertain[1].start, 0)) < 1e-3);
  // A band has a name with its joints at the pointer, and a click goes to its start.
  const { x } = await placeOf(page, uncertain[2].start);
  const box = await page.locator("canvas.timeline").boundingBox();
  await page.mouse.move(x, box.y + box.height - 7);
  const label = page.locator(".timeline-host .label");
  assert.ok(await label.isVisible());
  assert.match(await label.textContent(), /uncertain.*(left|right|head)/);
  await page.click("#tab-info");
  await page.mouse.click(x, box.y + box.height - 7);
  assert.ok(Math.abs((await timeOf(page)) - uncertain[2].start) < 0.02);
  assert.ok(await page.locator(".problem-walk").isVisible());
  assert.deepEqual(page.errors, []);
  await checkAccess(page, "uncertain times");
  await page.screenshot({ path: join(out, "walk-uncertain.png") });
  await page.context().close();
});

test("parts of the page can be resized, and sizes, plots and rows are remembered", async () => {
  const page = await open(browser());
  await choose(page, pinch);
  const sizeOf = async (selector) => {
    const { width, height } = await page.locator(selector).boundingBox();
    return { width, height };
  };
  const before = { panels: await sizeOf(".panels"), plot: await sizeOf(".plot") };
  const border = await page.locator("#split-panels").boundingBox();
  await page.mouse.move(border.x + 2, border.y + 100);
  await page.mouse.down();
  await page.mouse.move(border.x - 78, border.y + 100, { steps: 4 });
  await page.mouse.up();
  assert.ok(Math.abs((await sizeOf(".panels")).width - before.panels.width - 80) <= 3);
  await page.focus("#split-height");
  for (let press = 0; press < 3; press++) await page.keyboard.press("ArrowUp");
  const higher = await sizeOf(".plot");
  assert.ok(higher.height > before.plot.height + 60, JSON.stringify([before.plot, higher]));
  // The charts fill the plot.
  assert.ok((await sizeOf(".charts .uplot")).height > 150);
  await page.click("#add-plot");
  await page.selectOption("#plot-1", "aperture");
  await page.waitForFunction(() => document.querySelectorAll(".plot-part .uplot").length === 2);
  const row = (await sizeOf("canvas.timeline")).height;
  await page.click("#tab-curves");
  await page.click("#branch-head > summary");
  await page.click("#timeline-head");
  await page.waitForFunction((height) => document.querySelector("canvas.timeline").clientHeight > height, row);
  await checkAccess(page, "several plots and rows");
  await page.screenshot({ path: join(out, "layout.png") });
  const now = await sizeOf(".panels");
  await page.reload();
  await page.waitForFunction(() => document.documentElement.dataset.ready === "true");
  await choose(page, pinch);
  assert.deepEqual(await sizeOf(".panels"), now);
  assert.equal(await page.locator("#plot-1").inputValue(), "aperture");
  assert.equal((await sizeOf("canvas.timeline")).height, row + 14);
  // The borders restore the usual sizes.
  await page.focus("#split-panels");
  await page.keyboard.press("Enter");
  assert.equal((await sizeOf(".panels")).width, before.panels.width);
  await page.click("#remove-plot-1");
  assert.equal(await page.locator(".plot-part").count(), 1);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("names of markers end before the next marker, and the name of a joint disappears with the joint", async () => {
  const before = () => {
    globalThis.names = [];
    const { fillText, measureText } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.fillText = function (text, x, ...rest) {
      names.push([text, x, x + measureText.call(this, text).width]);
      return fillText.call(this, text, x, ...rest);
    };
  };
  const page = await open(browser(), { before });
  await choose(page, pinch);
  await page.click("#tab-markers");
  for (const [time, name] of [[1.5, "a long name of a marker"], [1.62, "next"], [1.63, "hidden"], [1.635, "last"]]) {
    await clickTime(page, time);
    await page.fill("#marker-name", name);
    await page.keyboard.press("Enter");
  }
  await page.evaluate(() => (names.length = 0));
  await page.click("#zoom-in");
  await page.waitForFunction(() => names.some(([text]) => text === "last"));
  const { shown, places } = await page.evaluate(() => {
    const [from, to] = viewer.store.state.view;
    const width = document.querySelector("canvas.timeline").clientWidth - 84;
    const { recording } = viewer.store.state.openFiles[0].versions.at(-1);
    return { shown: names, places: recording.markers().map(({ time }) => 74 + ((time - from) / (to - from)) * width) };
  });
  const own = shown.filter(([, x]) => places.some((place) => Math.abs(x - place - 7) < 0.01));
  assert.ok(own.some(([text]) => /^a lon.*…$/.test(text)), JSON.stringify(own));
  for (const [text, x, end] of own) {
    for (const place of places) assert.ok(place - 4 <= x || place - 4 >= end, `${text} is under a marker`);
  }
  // A joint moves away from the pointer.
  await page.click("#zoom-out");
  await clickTime(page, 1.4);
  const view = await page.locator(".view canvas").boundingBox();
  const [x, y] = await page.evaluate(() => viewer.scene.project("right.IndexTip"));
  await page.mouse.move(view.x + x, view.y + y);
  const label = page.locator(".view > .label").first();
  await page.waitForFunction(() => /right\./.test(document.querySelector(".view > .label").textContent));
  assert.ok(await label.isVisible());
  await page.keyboard.press("Home");
  await page.waitForFunction(() => document.querySelector(".view > .label").hidden);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("bare hands start a recording with a panel in the room, and stop it with a gesture that is not recorded", async () => {
  const page = await open(browser(), { before: headset("hand") });
  await choose(page, wave);
  await page.click("#immersive-vr");
  await page.waitForFunction(() => viewer.scene.renderer.xr.isPresenting);
  const count = () => page.evaluate(() => viewer.store.state.openFiles.length);
  /** Pinches with hands for some time in milliseconds. */
  const pinchWith = async (hands, time) => {
    await page.evaluate((hands) => hands.forEach((hand) => headset.hands[hand].updatePinchValue(1)), hands);
    await page.waitForTimeout(time);
    await page.evaluate((hands) => hands.forEach((hand) => headset.hands[hand].updatePinchValue(0)), hands);
    await page.waitForTimeout(200);
  };
  const isRecording = () => page.evaluate(() => /Stop/.test(document.querySelector("#record").textContent));
  await page.waitForTimeout(500);
  // A pinch beside the panel does nothing.
  await page.evaluate(() => {
    headset.hands.right.position.set(0.8, 1.2, -0.3);
    headset.hands.right.quaternion.set(0, 0, 0, 1);
    headset.hands.left.position.set(-0.4, 1.1, -0.3);
  });
  await page.waitForTimeout(300);
  await pinchWith(["right"], 300);
  await page.waitForTimeout(3500);
  assert.equal(await isRecording(), false);
  // A pinch towards the panel starts the countdown, and the recording after it.
  await page.evaluate(() => headset.hands.right.position.set(0, headset.position.y - 0.15, -0.3));
  await page.waitForTimeout(300);
  await pinchWith(["right"], 300);
  assert.equal(await isRecording(), false);
  await page.waitForFunction(() => /Stop/.test(document.querySelector("#record").textContent));
  await page.waitForTimeout(1500);
  // A short pinch of one hand is part of the recording.
  await pinchWith(["right"], 300);
  await page.waitForTimeout(500);
  await page.evaluate(() => ["left", "right"].forEach((hand) => headset.hands[hand].updatePinchValue(1)));
  await page.waitForFunction(() => viewer.store.state.openFiles.length === 2);
  assert.equal(await isRecording(), false);
  await page.evaluate(() => viewer.scene.renderer.xr.getSession().end());
  const { pinches, duration } = await page.evaluate(() => {
    const { recording } = viewer.store.state.openFiles[1].versions[0];
    const { hands } = recording.info();
    return { pinches: [hands.left.pinching.length, hands.right.pinching.length], duration: recording.duration };
  });
  assert.deepEqual(pinches, [0, 1], "only the short pinch is recorded");
  assert.ok(duration > 1.5, `${duration}`);
  assert.equal(await count(), 2);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});
