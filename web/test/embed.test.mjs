// Tests the viewer inside other pages, with the module `inputanim/embed` of the package.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { basename, extname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { browser, drop, open, out, recording, run, viewer as viewerAddress, written } from "./browser.mjs";

const wave = recording("wave.bin");
const pinch = recording("pinch-drag.bin");
const folder = fileURLToPath(new URL("../package/", import.meta.url));
const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".wasm": "application/wasm", ".bin": "application/octet-stream" };

/** A page without content, which the tests fill. Its styles would change the viewer if it was part of the page. */
const HOSTILE = `<!doctype html><html lang="en"><head><title>host</title><style>
  * { font: italic 30px cursive !important; color: red !important; background: yellow !important; letter-spacing: 5px }
  iframe, canvas, button { display: none; border: 20px solid lime; transform: rotate(10deg); width: 50px }
  .view, .header, .message { opacity: 0.1 }
</style></head><body><div id="a" style="width: 800px; height: 600px"></div><div id="b" style="width: 800px; height: 500px"></div></body></html>`;

let server;
let address;
before(async () => {
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    if (pathname === "/") return response.writeHead(200, { "Content-Type": TYPES[".html"] }).end(HOSTILE);
    const file = recording(basename(pathname)) ?? join(folder, pathname);
    if (!existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { "Content-Type": TYPES[extname(file)] ?? "text/plain" }).end(readFileSync(file));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${server.address().port}`;
});
after(() => server.close());

/** Opens a page of the server. */
async function host(path = "/") {
  const context = await browser().newContext({ viewport: { width: 1300, height: 1000 }, locale: "en-GB", acceptDownloads: true, colorScheme: "light" });
  context.setDefaultTimeout(180_000);
  const page = await context.newPage();
  page.errors = [];
  page.on("pageerror", (error) => page.errors.push(error));
  await page.goto(address + path);
  return page;
}

/** Shows a viewer in an element of the empty page. Returns its frame when its files are open. */
async function embedded(page, id, options) {
  await page.evaluate(async ([id, options]) => {
    const { embed } = await import("/embed.js");
    globalThis.viewers ??= {};
    globalThis.events ??= {};
    const viewer = (viewers[id] = embed(document.getElementById(id), options));
    const seen = (events[id] = []);
    for (const name of ["time", "selection", "files", "saved"]) viewer.on(name, (value) => seen.push([name, value]));
    await viewer.ready;
  }, [id, options]);
  return (await page.$(`#${id} iframe`)).contentFrame();
}

const state = (frame) => frame.evaluate(() => {
  const { openFiles, selected, time, playing, theme, language, inPoint, outPoint, camera } = viewer.store.state;
  return { names: openFiles.map(({ name }) => name), selected, time, playing, theme, language, inPoint, outPoint, camera };
});

/** Runs a command of a viewer. Returns the message of its error; null without one. */
const command = (page, id, name, ...values) => page.evaluate(
  ([id, name, values]) => viewers[id][name](...values).then(() => null, (error) => error.message), [id, name, values]);

test("the example of the package shows a recording, and follows it", async () => {
  const page = await host(`/example.html?file=/samples/wave.bin`);
  const frame = await (await page.waitForSelector("iframe")).contentFrame();
  await page.waitForFunction(() => document.querySelector("#shown").value === "wave.bin");
  assert.deepEqual((await state(frame)).names, ["wave.bin"]);
  // Commands of the page.
  await page.click("#back");
  await page.waitForFunction(() => document.querySelector("#time").value === "1.00");
  assert.equal((await state(frame)).time, 1);
  await page.click("#play");
  await page.waitForFunction(() => document.querySelector("#play").textContent === "Pause" && Number(document.querySelector("#time").value) > 1.1);
  await page.click("#play");
  await frame.waitForFunction(() => !viewer.store.state.playing);
  await page.click("#dark");
  await frame.waitForFunction(() => document.documentElement.dataset.theme === "dark");
  // Gestures in the viewer.
  for (const [field, typed] of [["#in-point", "0.5"], ["#out-point", "3"], ["#time", "2.25"]]) {
    await frame.click(field);
    await page.keyboard.type(typed);
    await page.keyboard.press("Enter");
  }
  await page.waitForFunction(() => document.querySelector("#shown").value === "wave.bin from 0.5 s to 3 s" && document.querySelector("#time").value === "2.25");
  await frame.click("#trim-range");
  await page.waitForFunction(() => document.querySelector("#changed").value === "wave.bin");
  const [download] = await Promise.all([page.waitForEvent("download"), frame.selectOption("#save", "bin")]);
  const bytes = readFileSync(await download.path());
  assert.ok(bytes.equals(await written("embedded-trim.bin", "trim", wave, "--time", "0.5..3")));
  await page.waitForFunction((size) => document.querySelector("#saved").textContent === `wave-edited.bin: ${size} bytes`, bytes.length);
  await page.waitForFunction(() => document.querySelector("#changed").value === "none");
  // A file that the user chooses.
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.click("#file")]);
  await chooser.setFiles(pinch);
  await page.waitForFunction(() => document.querySelector("#shown").value === "pinch-drag.bin");
  await page.screenshot({ path: join(process.env.INPUTANIM_PICTURES ?? out, "viewer-embedded.png") });
  // A file that the user drops on the viewer.
  await frame.evaluate(() => viewer.actions.select(0));
  await page.waitForFunction(() => document.querySelector("#shown").value === "wave.bin");
  await page.click("#close");
  assert.equal(await page.locator("iframe").count(), 0);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("styles, shortcuts and settings of a page and of its viewer are separate", async () => {
  const page = await host();
  const before = await page.evaluate(() => document.documentElement.outerHTML.replace(/<body>[^]*/, ""));
  const frame = await embedded(page, "a", { file: "/wave.bin", theme: "light" });
  const own = await open(browser(), { size: [800, 600] });
  await drop(own, wave);
  await own.evaluate(() => viewer.store.update({ theme: "light" }));
  const styles = (found) => found.evaluate(() => {
    const names = ["font", "color", "backgroundColor", "letterSpacing", "display", "opacity", "transform", "width", "height", "border"];
    return ["body", "header", "#open", "#play", "#time", ".view", ".view canvas", "#tab-findings", "#panel", "#save"].map((selector) => {
      const style = getComputedStyle(document.querySelector(selector));
      return [selector, ...names.map((name) => style[name])];
    });
  });
  await frame.waitForFunction(() => viewer.background.isIdle);
  // The file has a name in the same place, and no link.
  assert.deepEqual(await styles(frame), await styles(own));
  assert.equal(await page.evaluate(() => document.documentElement.outerHTML.replace(/<body>[^]*/, "")), before);
  const box = await page.locator("#a iframe").boundingBox();
  assert.deepEqual([box.width, box.height], [800, 600]);
  // A key belongs to the page that has the focus.
  await page.mouse.click(1200, 20);
  await page.keyboard.press("Space");
  assert.equal((await state(frame)).playing, false);
  await frame.click(".view canvas");
  await page.keyboard.press("Space");
  await frame.waitForFunction(() => viewer.store.state.playing);
  // The settings of the viewer are not stored, and the address of the page stays.
  await frame.selectOption("#theme", "dark");
  await frame.selectOption("#language", "fr");
  await page.waitForTimeout(700);
  assert.equal(await page.evaluate(() => localStorage.length), 0);
  assert.equal(page.url(), `${address}/`);
  assert.equal(await frame.locator("#link").isVisible(), false);
  assert.deepEqual(page.errors.concat(own.errors), []);
  await own.context().close();
  await page.context().close();
});

test("two viewers in a page are independent", async () => {
  const page = await host();
  const a = await embedded(page, "a", { file: ["/wave.bin", "/pinch-drag.bin"], theme: "dark", language: "fr" });
  const view = "file=pinch-drag.bin&t=1.25&in=0.5&out=2&view=front";
  const b = await embedded(page, "b", { file: ["/wave.bin", "/pinch-drag.bin"], view });
  assert.equal(await command(page, "a", "select", { file: "wave.bin", start: 1, end: 3 }), null);
  assert.equal(await command(page, "a", "seek", 1.5), null);
  assert.equal(await command(page, "a", "play"), null);
  assert.equal(await command(page, "a", "play"), null);
  await a.waitForFunction(() => viewer.store.state.time > 1.6);
  assert.equal(await command(page, "a", "pause"), null);
  const [first, second] = [await state(a), await state(b)];
  const names = ["wave.bin", "pinch-drag.bin"];
  assert.deepEqual({ ...first, time: 0 }, { names, selected: 0, time: 0, playing: false, theme: "dark", language: "fr", inPoint: 1, outPoint: 3, camera: "orbit" });
  assert.deepEqual(second, { names, selected: 1, time: 1.25, playing: false, theme: "system", language: "en", inPoint: 0.5, outPoint: 2, camera: "front" });
  const known = await page.evaluate(() => ["a", "b"].map((id) => {
    const { time, playing, files, selection } = viewers[id];
    return { time, playing, files, selection };
  }));
  assert.equal(known[0].time, first.time);
  assert.deepEqual(known[0].selection, { file: "wave.bin", start: 1, end: 3 });
  assert.deepEqual(known[1].selection, { file: "pinch-drag.bin", start: 0.5, end: 2 });
  assert.deepEqual(known[0].files, known[1].files);
  assert.deepEqual(known[0].files.map(({ name, duration, unsaved }) => [name, Math.round(duration), unsaved]), [["wave.bin", 4, false], ["pinch-drag.bin", 5, false]]);
  // An end of events.
  await page.evaluate(() => {
    globalThis.count = 0;
    const end = viewers.b.on("time", () => count++);
    end();
  });
  await command(page, "b", "seek", 0.75);
  assert.equal(await page.evaluate(() => count), 0);
  // The other viewer goes on when one is closed.
  await page.evaluate(() => viewers.a.close());
  assert.equal(await page.locator("iframe").count(), 1);
  assert.equal(await command(page, "a", "seek", 0), "the viewer is closed");
  assert.equal(await command(page, "b", "select", { start: null, end: null }), null);
  assert.equal(await page.evaluate(() => viewers.b.selection.end), null);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("files with parts keep them, and files that are saved are only events if the page wants it", async () => {
  const page = await host();
  await page.evaluate(async () => {
    const { default: init, Recording } = await import("/inputanim.js");
    const { embed } = await import("/embed.js");
    await init();
    const recording = Recording.open(new Uint8Array(await (await fetch("/wave.bin")).arrayBuffer())).withAbout({ task: "reach" });
    globalThis.bytes = recording.withParts({}).toBytes();
    globalThis.saved = [];
    globalThis.viewers = { a: embed(document.getElementById("a"), { file: { name: "reach.bin", bytes, parts: recording.parts }, downloads: false }) };
    viewers.a.on("saved", (file) => saved.push(file));
    await viewers.a.ready;
  });
  const frame = await (await page.$("#a iframe")).contentFrame();
  let downloads = 0;
  page.on("download", () => downloads++);
  await frame.selectOption("#save", "json");
  await page.waitForFunction(() => saved.length === 1);
  const [name, text] = await page.evaluate(async () => [saved[0].name, await saved[0].data.text()]);
  assert.equal(name, "reach.json");
  assert.deepEqual(JSON.parse(text).about, { task: "reach" });
  await page.waitForTimeout(500);
  assert.equal(downloads, 0);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("commands that fail say why", async () => {
  const page = await host();
  const ready = await page.evaluate(async () => {
    const { embed } = await import("/embed.js");
    globalThis.viewers = { a: embed(document.getElementById("a"), { file: ["/missing.bin", "/wave.bin"], time: 2 }) };
    return viewers.a.ready.then(() => null, (error) => error.message);
  });
  assert.equal(ready, `missing.bin: ${address}/missing.bin: 404 Not Found`);
  const frame = await (await page.$("#a iframe")).contentFrame();
  assert.deepEqual((await state(frame)).names, ["wave.bin"]);
  for (const [expected, ...call] of [
    [/^junk\.bin: .*not/, "open", { name: "junk.bin", bytes: [] }],
    [/^invalid value "1": expected seconds$/, "seek", "1"],
    [/^invalid value null: expected seconds$/, "seek", NaN],
    [/expected system, light, dark$/, "theme", "blue"],
    [/^invalid value "x\.bin": expected the name of an open file: wave\.bin$/, "select", { file: "x.bin" }],
    [/^invalid value \[3,2\]: expected a range within 4 s$/, "select", { start: 3, end: 2 }],
    [/^invalid value \[null,5\]/, "select", { end: 5 }],
    [/^invalid value \["1",null\]/, "select", { start: "1" }],
  ]) {
    const error = await page.evaluate(([name, value]) => {
      if (value?.bytes) value.bytes = new Uint8Array(40).fill(7);
      return viewers.a[name](value).then(() => null, ({ message }) => message);
    }, call);
    assert.match(error ?? "no error", expected, JSON.stringify(call));
  }
  // A page that is not the viewer.
  await page.clock.install();
  const started = page.evaluate(async () => {
    const { embed } = await import("/embed.js");
    globalThis.wrong = embed(document.getElementById("b"), { page: "/README.md" });
    wrong.frame.addEventListener("load", () => (globalThis.isLoaded = true));
    return wrong.ready.then(() => null, ({ message }) => message);
  });
  await page.waitForFunction(() => globalThis.isLoaded);
  await page.clock.fastForward(61_000);
  assert.equal(await started, `the viewer did not start: ${address}/README.md#embed must be inputanim.html of the package`);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("a closed viewer leaves no memory, and a moved viewer starts again", async () => {
  const file = join(out, "embedded-large.bin");
  await run("generate", "two-hands", "--seconds", "120", "--quiet", "--force", "-o", file);
  const bytes = readFileSync(file);
  const page = await host();
  await page.route("**/large.bin", (route) => route.fulfill({ body: bytes }));
  const session = await page.context().newCDPSession(page);
  const counted = async () => {
    await session.send("HeapProfiler.collectGarbage");
    await session.send("HeapProfiler.collectGarbage");
    const { documents, nodes } = await session.send("Memory.getDOMCounters");
    const { backingStorageSize: bytes } = await session.send("Runtime.getHeapUsage");
    return { documents, nodes, bytes, workers: page.workers().length };
  };
  const first = await counted();
  for (let time = 0; time < 3; time++) {
    const frame = await embedded(page, "a", { file: "/large.bin" });
    await frame.waitForFunction(() => viewer.background.isIdle && viewer.store.state.answers > 0);
    const during = await counted();
    assert.ok(during.documents > first.documents && during.nodes > first.nodes + 200 && during.bytes > 5e6, JSON.stringify(during));
    await page.evaluate(() => (viewers.a.close(), delete viewers.a, delete events.a));
  }
  let last;
  for (let tries = 0; tries < 50; tries++) {
    last = await counted();
    if (last.documents <= first.documents && last.workers === 0) break;
    await page.waitForTimeout(200);
  }
  const isSmall = last.nodes < first.nodes + 50 && last.bytes < first.bytes + 1e5;
  assert.ok(last.documents <= first.documents && last.workers === 0 && isSmall, JSON.stringify([first, last]));
  // Browsers load the frame again when it is moved.
  await embedded(page, "a", { file: "/wave.bin", time: 1 });
  await page.evaluate(() => document.getElementById("b").append(viewers.a.frame));
  const moved = await (await page.$("#b iframe")).contentFrame();
  await moved.waitForFunction(() => globalThis.viewer?.store.state.openFiles.length === 1 && viewer.store.state.time === 1);
  assert.equal(await command(page, "a", "seek", 2), null);
  assert.equal((await state(moved)).time, 2);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("the viewer takes commands only from a page that embeds it as the package does", async () => {
  const page = await open(browser(), { address: `${viewerAddress}#embed` });
  await drop(page, wave);
  const answered = await page.evaluate(() => new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve(true);
    port1.postMessage({ id: 1, command: "seek", values: [1] });
    window.postMessage("inputanim", "*", [port2]);
    setTimeout(() => resolve(false), 500);
  }));
  assert.equal(answered, false);
  await page.context().close();
});
