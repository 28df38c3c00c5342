// Tests links, the state in the address, remembered choices, and saved pictures, videos and plots.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { foreign } from "./foreign.mjs";
import { browser, drop, headset, open, out, recording, run, save, serve, settled, viewer as viewerAddress } from "./browser.mjs";

const wave = recording("wave.bin");
const pinch = recording("pinch-drag.bin");
const page0 = fileURLToPath(viewerAddress);

/** Gives the page that was built for the address of a server. The program may contain an older page. */
const route = [(url) => url.pathname === "/", (request) => request.fulfill({ path: page0, contentType: "text/html; charset=utf-8" })];

/** Writes a report with the page that was built, in the form of `inputanim report`. */
function report(name, ...files) {
  const file = join(out, name);
  const scripts = files.map((path) =>
    `<script type="text/plain" data-recording="${basename(path)}">${readFileSync(path).toString("base64")}</script>\n`);
  writeFileSync(file, readFileSync(page0, "utf8").replace("<!-- recordings -->", () => scripts.join("")));
  return `file://${file}`;
}

/** Returns what a link keeps. */
const place = (page) => page.evaluate(() => {
  const { openFiles, selected, time, inPoint, outPoint, camera, overview } = viewer.store.state;
  return { file: openFiles[selected]?.name, time, inPoint, outPoint, camera, overview };
});
const pose = (page) => page.evaluate(() => [...viewer.scene.camera.position.toArray(), ...viewer.scene.controls.target.toArray()]);
const near = (found, wanted) => found.forEach((value, index) => assert.ok(Math.abs(value - wanted[index]) < 0.002, `${found} ${wanted}`));

/** Waits until a number of files are open, and the state of the address is restored. */
async function ready(page, count) {
  await page.waitForFunction((count) => {
    const { openFiles, opening } = globalThis.viewer?.store.state ?? {};
    return openFiles?.length === count && !opening;
  }, count);
  await settled(page);
  await page.waitForTimeout(100);
}

/** Waits until the address contains the state. */
const written = (page) => page.waitForTimeout(700);

/** Shows a place of the second file with gestures: its time, its range, a view, and a rotation. */
async function visit(page) {
  await page.click("#file-1");
  for (const [field, typed] of [["#in-point", "0.5"], ["#out-point", "3"], ["#time", "1.25"]]) {
    await page.click(field);
    await page.keyboard.type(typed);
    await page.keyboard.press("Enter");
  }
  await page.selectOption("#camera", "front");
  const box = await page.locator(".view canvas").boundingBox();
  await page.mouse.move(box.x + 200, box.y + 200);
  await page.mouse.down();
  await page.mouse.move(box.x + 300, box.y + 160, { steps: 5 });
  await page.mouse.up();
  await written(page);
}

const VISITED = { file: "wave.bin", time: 1.25, inPoint: 0.5, outPoint: 3, camera: "front", overview: false };

test("the address of a served page keeps the file, the time, the range and the view, and its token", async () => {
  const { address, stop } = await serve(pinch, wave);
  try {
    const page = await open(browser(), { address, route });
    await ready(page, 2);
    assert.ok((await place(page)).overview);
    await visit(page);
    const camera = await pose(page);
    assert.equal(await page.evaluate(() => location.search), new URL(address).search);
    // The token is in the address once, and not in the part that the page writes.
    const token = new URL(address).searchParams.get("token");
    assert.equal(page.url().split(token).length, 2);
    const link = page.url();
    await page.reload();
    await ready(page, 2);
    assert.deepEqual(await place(page), VISITED);
    near(await pose(page), camera);
    // The button copies the same address.
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.click("#link");
    await page.waitForFunction(() => viewer.store.state.message?.text === "Link copied");
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), link);
    await page.evaluate(() => (navigator.clipboard.writeText = () => Promise.reject(new Error("denied"))));
    await page.click("#link");
    await page.waitForFunction((link) => viewer.store.state.message?.text === `Copy this link: ${link}`, link);
    // Another page opens the link, and an address that is typed on the same page is shown.
    const other = await open(browser(), { address: link, route });
    await ready(other, 2);
    assert.deepEqual(await place(other), VISITED);
    near(await pose(other), camera);
    await other.evaluate(() => (location.hash = "#file=pinch-drag.bin&t=2&view=top"));
    await other.waitForFunction(() => viewer.store.state.time === 2);
    assert.deepEqual(await place(other), { file: "pinch-drag.bin", time: 2, inPoint: null, outPoint: null, camera: "top", overview: false });
    // The overview stays after a reload.
    await other.click("#overview");
    await written(other);
    await other.reload();
    await ready(other, 2);
    assert.ok((await place(other)).overview);
    for (const each of [page, other]) {
      assert.deepEqual(each.errors, []);
      await each.context().close();
    }
  } finally {
    stop();
  }
});

test("a report keeps its place when it is loaded again, and a page from disk when the file is dropped again", async () => {
  const page = await open(browser(), { address: report("place.html", pinch, wave) });
  await ready(page, 2);
  await visit(page);
  assert.equal(await page.isEnabled("#link"), true);
  await page.reload();
  await ready(page, 2);
  assert.deepEqual(await place(page), VISITED);
  assert.deepEqual(page.errors, []);
  await page.context().close();

  const empty = await open(browser());
  await drop(empty, pinch, wave);
  await visit(empty);
  // A link cannot contain a file that was dropped.
  assert.equal(await empty.isDisabled("#link"), true);
  await empty.reload();
  await empty.waitForFunction(() => document.documentElement.dataset.ready === "true");
  await written(empty);
  await drop(empty, wave);
  await ready(empty, 1);
  assert.deepEqual(await place(empty), VISITED);
  // Without its file, the place of the address is forgotten.
  await empty.reload();
  await empty.waitForFunction(() => document.documentElement.dataset.ready === "true");
  await drop(empty, pinch);
  await ready(empty, 1);
  assert.deepEqual(await place(empty), { file: "pinch-drag.bin", time: 0, inPoint: null, outPoint: null, camera: "orbit", overview: false });
  assert.deepEqual(empty.errors, []);
  await empty.context().close();
});

test("an action of the user while files are opened has priority over the address", async () => {
  const page = await open(browser(), { address: `${viewerAddress}#file=wave.bin&t=2` });
  const bytes = [...readFileSync(wave)];
  await page.evaluate((bytes) => {
    const source = (name, wait) => ({ name, bytes: () => new Promise((resolve) => setTimeout(() => resolve(new Uint8Array(bytes)), wait)) });
    void viewer.actions.open([source("a.bin", 0), source("wave.bin", 1500)]);
  }, bytes);
  await page.waitForFunction(() => viewer.store.state.openFiles.length === 1);
  await page.keyboard.press("End");
  await ready(page, 2);
  assert.equal((await place(page)).file, "a.bin");
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("an address with any content after # is harmless", async () => {
  const { address, stop } = await serve(wave, pinch);
  try {
    const page = await open(browser(), { address, route });
    await ready(page, 2);
    const token = new URL(address).searchParams.get("token");
    const file = "file=wave.bin&";
    let number = 0;
    for (const hash of [
      "", "#", "%", "%E0%A4%A", "file=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E", "file=__proto__", "file=constructor&t=1", "token=evil",
      `${file}t=NaN`, `${file}t=-5`, `${file}t=1e999`, `${file}t=99999999999999999999`, `${file}t=0x10`, `${file}t=1&t=2`,
      `${file}in=3&out=1`, `${file}in=4&out=4`, `${file}in=0&out=0`, `${file}in=9&out=99`, `${file}in=-1&out=Infinity`,
      `${file}view=__proto__`, `${file}view=orbit%00`, `${file}pose=1,2,3`, `${file}pose=NaN,NaN,NaN,NaN,NaN,NaN`, `${file}pose=,,,,,`,
      `${file}pose=1e308,1,1,1,1,1`, `${file}pose=1,1,1,1,1,1`, `${file}pose=0,0,0,0,0,0`, `${file}pose=${"1,".repeat(5000)}1`, "x".repeat(100_000),
      `${file}view=head&pose=1,2,3,4,5,6`, `${file}theme=%22&language=xx&panel=no`,
    ]) {
      // An address that is typed, and an address that is opened.
      // Opening takes longer, so every fourth address is also opened.
      for (const isOpened of number++ % 4 === 1 && hash.length < 200 ? [false, true] : [false]) {
        if (isOpened) {
          await page.goto("about:blank");
          await page.goto(`${address}#${hash}`);
          await page.waitForFunction(() => document.documentElement.dataset.ready === "true");
          await ready(page, 2);
        } else await page.evaluate((hash) => (location.hash = hash), hash);
        await page.waitForTimeout(30);
        const found = await page.evaluate(() => {
          const { time, inPoint, outPoint, camera, view } = viewer.store.state;
          const { position } = viewer.scene.camera;
          return { time, inPoint, outPoint, camera, view, position: position.toArray(), markup: document.querySelectorAll("img[onerror]").length };
        });
        const [start, end] = [found.inPoint ?? 0, found.outPoint ?? 5];
        const numbers = [found.time, start, end, ...found.view, ...found.position];
        assert.ok(numbers.every((value) => Number.isFinite(value) && Math.abs(value) < 2000), `${hash}: ${JSON.stringify(found)}`);
        assert.ok(start < end && found.time >= 0 && found.time <= 5 && found.markup === 0, `${hash}: ${JSON.stringify(found)}`);
        assert.ok(["orbit", "head"].includes(found.camera), hash);
        assert.equal(new URL(page.url()).searchParams.get("token"), token, hash);
      }
    }
    await page.evaluate(() => (location.hash = "#file=wave.bin&t=1.5"));
    await page.waitForFunction(() => viewer.store.state.time === 1.5);
    assert.deepEqual(page.errors, []);
    await page.context().close();
  } finally {
    stop();
  }
});

const choices = (page) => page.evaluate(() => {
  const { theme, language, plot, panel, trails, axes, loop } = viewer.store.state;
  return { theme, language, plot, panel, trails, axes, loop };
});
const DEFAULTS = { theme: "system", language: "en", plot: "position", panel: "findings", trails: true, axes: false, loop: true };

test("choices stay when the page is loaded again, and the page works where storage is blocked", async () => {
  const choose = async (page) => {
    await page.selectOption("#theme", "dark");
    await page.selectOption("#plot", "speed");
    await page.uncheck("#trails");
    await page.click("#tab-info");
    await page.click("#loop");
  };
  const chosen = { ...DEFAULTS, theme: "dark", plot: "speed", panel: "info", trails: false, loop: false };
  const page = await open(browser());
  assert.deepEqual(await choices(page), DEFAULTS);
  await choose(page);
  await page.reload();
  await page.waitForFunction(() => document.documentElement.dataset.ready === "true");
  assert.deepEqual(await choices(page), chosen);
  assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme), "dark");
  // Values of another version, or of another page, are ignored.
  for (const stored of ["null", "5", "[1]", "{", '"x"', '{"theme":"x","language":"xx","plot":5,"panel":null,"trails":"yes","openFiles":[1],"time":-1}', '{"__proto__":{"theme":"dark"}}']) {
    await page.evaluate((stored) => localStorage.setItem("inputanim", stored), stored);
    await page.reload();
    await page.waitForFunction(() => document.documentElement.dataset.ready === "true");
    assert.deepEqual(await choices(page), DEFAULTS, stored);
  }
  assert.deepEqual(page.errors, []);
  await page.context().close();

  const blocked = await open(browser(), {
    before: () => Object.defineProperty(window, "localStorage", { get: () => { throw new DOMException("denied", "SecurityError"); } }),
  });
  await choose(blocked);
  assert.deepEqual(await choices(blocked), chosen);
  await drop(blocked, wave);
  assert.deepEqual(blocked.errors, []);
  await blocked.context().close();
});

/** Saves a picture, and returns its name and its bytes. */
async function saved(page, kind) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.selectOption("#save", kind)]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

test("a picture of the view shows the hand on the background of the page", async () => {
  for (const [scheme, background] of [["light", [0xf4, 0xf5, 0xf7, 255]], ["dark", [0x14, 0x17, 0x1b, 255]]]) {
    const page = await open(browser(), { scheme });
    await drop(page, wave);
    await page.evaluate(() => viewer.actions.seek(1));
    const { name, bytes } = await saved(page, "png");
    assert.equal(name, "wave-1.000s.png");
    writeFileSync(join(out, `picture-${scheme}.png`), bytes);
    const { size, wanted, palm, corner } = await page.evaluate(async (text) => {
      const image = await createImageBitmap(new Blob([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))]));
      const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
      context.drawImage(image, 0, 0);
      const [x, y] = viewer.scene.project("right.Palm");
      const { clientWidth, clientHeight } = viewer.scene.renderer.domElement;
      const pixel = (x, y) => [...context.getImageData(x, y, 1, 1).data];
      return { size: [image.width, image.height], wanted: [clientWidth, clientHeight], palm: pixel(x, y), corner: pixel(2, 2) };
    }, bytes.toString("base64"));
    size.forEach((value, index) => assert.ok(Math.abs(value - wanted[index]) <= 1, `${size} ${wanted}`));
    assert.ok(palm[0] > palm[2] + 40, `the palm has the colour ${palm}`);
    assert.deepEqual(corner, background);
    // The key does the same.
    const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("p")]);
    assert.equal(download.suggestedFilename(), name);
    assert.deepEqual(page.errors, []);
    await page.context().close();
  }
});

test("a video shows the range, can be cancelled, and is refused with a message where it is not supported", async () => {
  const page = await open(browser());
  await drop(page, wave);
  await page.evaluate(() => viewer.store.update({ inPoint: 0.5, outPoint: 2, time: 1 }));
  const stills = [];
  for (const time of [0.5, 2]) {
    await page.evaluate((time) => viewer.actions.seek(time), time);
    stills.push((await saved(page, "png")).bytes.toString("base64"));
  }
  await page.evaluate(() => viewer.actions.seek(1));
  const [{ name, bytes }] = await Promise.all([
    saved(page, "webm"),
    page.waitForFunction(() => document.querySelector("progress")?.value > 0.2 && document.querySelector("progress").checkVisibility()),
  ]);
  assert.equal(name, "wave.webm");
  assert.deepEqual([...bytes.subarray(0, 4)], [0x1a, 0x45, 0xdf, 0xa3]);
  writeFileSync(join(out, name), bytes);
  // The position before the video is shown again.
  assert.deepEqual(await page.evaluate(() => [viewer.store.state.time, viewer.store.state.working]), [1, null]);
  // The page itself may not show videos.
  const player = await browser().newPage();
  const found = await player.evaluate(async ([text, stills]) => {
    const video = document.body.appendChild(document.createElement("video"));
    video.muted = true;
    video.src = URL.createObjectURL(new Blob([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))], { type: "video/webm" }));
    await new Promise((resolve, reject) => ((video.onloadeddata = resolve), (video.onerror = () => reject(new Error(video.error.message)))));
    const context = new OffscreenCanvas(video.videoWidth, video.videoHeight).getContext("2d");
    const frame = () => (context.drawImage(video, 0, 0), context.getImageData(0, 0, video.videoWidth, video.videoHeight).data.slice());
    const seek = (time) => new Promise((resolve) => ((video.onseeked = resolve), (video.currentTime = time)));
    await seek(0);
    const first = frame();
    await seek(video.duration);
    // A slow computer shows the frame some time after the event.
    let last = frame();
    for (let tries = 0; tries < 600 && last.every((value, index) => value === first[index]); tries++) {
      await new Promise(requestAnimationFrame);
      last = frame();
    }
    const pictures = await Promise.all(stills.map(async (still) => {
      const image = await createImageBitmap(new Blob([Uint8Array.from(atob(still), (letter) => letter.charCodeAt(0))]));
      context.drawImage(image, 0, 0);
      return context.getImageData(0, 0, video.videoWidth, video.videoHeight).data.slice();
    }));
    const different = (a, b) => a.filter((value, index) => Math.abs(value - b[index]) > 60).length;
    return {
      size: [video.videoWidth, video.videoHeight], duration: video.duration, corner: [...first.subarray(0, 4)],
      first: pictures.map((still) => different(first, still)), last: pictures.map((still) => different(last, still)),
    };
  }, [bytes.toString("base64"), stills]);
  await player.close();
  assert.ok(found.size[0] > 300 && found.size[1] > 200, JSON.stringify(found));
  // The duration ends at the last frame, which is at the out point.
  assert.ok(Math.abs(found.duration - 1.5) < 0.002, `the video has ${found.duration} s`);
  // A video begins at the in point, and ends at the out point.
  const [[start, notStart], [notEnd, end]] = [found.first, found.last];
  assert.ok(start < notStart / 2 && end < notEnd / 2, JSON.stringify(found));
  assert.ok(found.corner.every((value) => value > 220), `the background is ${found.corner}`);

  const downloads = [];
  page.on("download", (download) => downloads.push(download));
  await page.selectOption("#save", "webm");
  await page.waitForFunction(() => viewer.store.state.working?.done > 0.1);
  await page.click("#cancel-edit");
  await page.waitForFunction(() => viewer.store.state.message?.text === "wave.bin: Cancelled");
  assert.equal(downloads.length, 0);
  // A file that is closed ends the video.
  await page.selectOption("#save", "webm");
  await page.waitForFunction(() => viewer.store.state.working?.done > 0.1);
  await page.evaluate(() => viewer.actions.close(0));
  await page.waitForFunction(() => viewer.store.state.working === null);
  assert.equal(downloads.length, 0);
  await drop(page, wave);
  await page.evaluate(() => delete globalThis.VideoEncoder);
  await page.selectOption("#save", "webm");
  await page.waitForFunction(() => /wave\.bin: this browser cannot record videos/.test(viewer.store.state.message?.text));
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("the plot is saved as SVG with the visible lines, their values, and names that are valid XML", async () => {
  const page = await open(browser());
  const bytes = readFileSync(pinch);
  await drop(page, { name: 'a <b> & "c"\u0001.bin', bytes });
  const parsed = async () => {
    const { name, bytes: svg } = await saved(page, "svg");
    writeFileSync(join(out, "plot.svg"), svg);
    return page.evaluate(([name, text]) => {
      const tree = new DOMParser().parseFromString(text, "image/svg+xml");
      const lines = [...tree.querySelectorAll("g[clip-path] path")].map((path) => path.getAttribute("d"));
      const texts = [...tree.querySelectorAll("text")].map((node) => node.textContent);
      return { name, error: tree.querySelector("parsererror")?.textContent, title: tree.querySelector("title")?.textContent, lines, texts };
    }, [name, svg.toString()]);
  };
  const all = await parsed();
  assert.equal(all.error, undefined);
  assert.equal(all.title, 'a <b> & "c".bin: Position');
  assert.match(all.name, /-position\.svg$/);
  assert.equal(all.lines.length, 2);
  for (const wanted of ["right.Palm y", "head y", "m", "s", "0", "5"]) assert.ok(all.texts.includes(wanted), `${wanted}: ${all.texts}`);
  // The first and the last point are at the ends of the axis, and the highest point of the head is above the hand.
  const points = (line) => [...line.matchAll(/[ML]([\d.]+) ([\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);
  const [hand, head] = all.lines.map(points);
  assert.deepEqual([hand[0][0], hand.at(-1)[0]], [64, 784]);
  assert.ok(Math.max(...head.map(([, y]) => y)) < Math.min(...hand.map(([, y]) => y)));
  // A line that is hidden in the plot is not in the file.
  await page.locator(".legend-line", { hasText: "head y" }).click();
  const one = await parsed();
  assert.deepEqual([one.lines.length, one.texts.includes("head y")], [1, false]);
  await page.selectOption("#plot", "off");
  await page.selectOption("#save", "svg");
  await page.waitForFunction(() => /No data to plot/.test(viewer.store.state.message?.text));
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("a report converts no other formats, unless its recordings need them", async () => {
  const [plain, about] = [join(out, "plain-report.html"), join(out, "about-report.html")];
  const [episode] = foreign();
  await run("report", wave, "--force", "-o", plain);
  await run("report", wave, episode.file, "--force", "-o", about);
  const sizes = [plain, about, page0].map((path) => readFileSync(path).length);
  assert.ok(sizes[0] < sizes[1] / 1.5 && sizes[1] > sizes[2], sizes.join());
  const page = await open(browser(), { address: `file://${plain}`, before: headset("controller") });
  await ready(page, 1);
  const offered = () => page.$$eval("#save option", (options) => options.map(({ value }) => value).filter(Boolean));
  assert.deepEqual(await offered(), ["bin", "png", "webm", "svg"]);
  assert.ok((await save(page)).equals(readFileSync(wave)));
  // A headset shows the recording, and makes none.
  await page.click("#immersive-vr");
  await page.waitForFunction(() => viewer.scene.renderer.xr.isPresenting);
  await page.waitForTimeout(300);
  assert.equal(await page.locator("#record").count(), 0);
  await page.evaluate(() => viewer.scene.renderer.xr.getSession().end());
  // A file of another format says which page opens it.
  await drop(page, { name: "episode.hdf5", bytes: readFileSync(episode.file) });
  assert.match(await page.locator(".message pre").innerText(), /^episode\.hdf5: [^]*\nA report opens only recordings \(\.bin\)\. The page inputanim\.html/);
  await drop(page, pinch);
  await ready(page, 2);
  await page.evaluate(() => viewer.actions.askToCloseAll());
  await page.waitForFunction(() => /^Drop recordings \(\.bin\)/.test(document.querySelector(".empty").innerText));
  const whole = await open(browser(), { address: `file://${about}` });
  await ready(whole, 2);
  assert.equal(await whole.locator("#save option[value=json]").count(), 1);
  await drop(whole, { name: "episode.hdf5", bytes: readFileSync(episode.file) });
  await ready(whole, 3);
  assert.deepEqual(page.errors.concat(whole.errors), []);
  await page.context().close();
  await whole.context().close();
});
