// Tests videos beside recordings. The pictures of the test video show their numbers, so a test reads which picture is shown.
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { browser, drag, drop, open, out, recording, run, serve, settled } from "./browser.mjs";

const pictures = process.env.INPUTANIM_PICTURES ?? out;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const folder = join(out, "files");
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
const wave = join(folder, "wave.bin");
copyFileSync(recording("wave.bin"), wave);

/** The pictures per second and the number of pictures of the test video, and the size of its pictures. */
const [RATE, COUNT, SIZE] = [30, 90, [320, 180]];

let made = null;

/** Returns the path of the test video. */
function film() {
  return (made ??= makeFilm(join(folder, "wave.webm"), COUNT, SIZE));
}

/** Makes a video with the encoder of the browser. The upper part of each picture is its number in bits. Returns its path. */
async function makeFilm(path, count, size, { isNoisy = false, streaming = false } = {}) {
  const page = await open(browser());
  const muxer = readFileSync(createRequire(import.meta.url).resolve("webm-muxer"), "utf8");
  await page.evaluate(`${muxer}\nglobalThis.WebMMuxer = WebMMuxer;`);
  const bytes = await page.evaluate(async ([rate, count, [width, height], isNoisy, streaming]) => {
    const { ArrayBufferTarget, Muxer } = WebMMuxer;
    const target = new ArrayBufferTarget();
    const muxer = new Muxer({ target, streaming, video: { codec: "V_VP8", width, height, frameRate: rate } });
    const encoder = new VideoEncoder({ output: (chunk, about) => muxer.addVideoChunk(chunk, about), error: (error) => console.error(error) });
    encoder.configure({ codec: "vp8", width, height, bitrate: isNoisy ? 40e6 : 2e6, framerate: rate });
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext("2d");
    for (let number = 0; number < count; number++) {
      // A wall, a desk and a cup.
      context.fillStyle = "#aab4bd";
      context.fillRect(0, 0, width, height);
      context.fillStyle = "#7d6a55";
      context.fillRect(0, 0.66 * height, width, height);
      context.fillStyle = "#e8e4da";
      context.fillRect(0.3 * width, 0.55 * height, 0.09 * width, 0.22 * height);
      if (isNoisy) {
        const noise = new ImageData(width, height / 2);
        for (let at = 0; at < noise.data.length; at += 65536) crypto.getRandomValues(noise.data.subarray(at, at + 65536));
        context.putImageData(noise, 0, height / 2);
      }
      for (let bit = 0; bit < 8; bit++) {
        context.fillStyle = (number >> bit) & 1 ? "white" : "black";
        context.fillRect((bit * width) / 8, 0, width / 8, height / 4);
      }
      const frame = new VideoFrame(canvas, { timestamp: Math.round((1e6 * number) / rate), duration: 1e6 / rate });
      encoder.encode(frame, { keyFrame: number % 15 === 0 });
      frame.close();
    }
    await encoder.flush();
    muxer.finalize();
    let text = "";
    for (const byte of new Uint8Array(target.buffer)) text += String.fromCharCode(byte);
    return btoa(text);
  }, [RATE, count, size, isNoisy, streaming]);
  await page.context().close();
  writeFileSync(path, Buffer.from(bytes, "base64"));
  return path;
}

/** Reads the number of the picture that the page shows; null if it shows none. Runs in the page. */
const readNumber = `() => {
  const film = document.querySelector("#video video");
  if (!film?.checkVisibility({ visibilityProperty: true }) || film.readyState < 2) return null;
  const canvas = new OffscreenCanvas(film.videoWidth, film.videoHeight);
  const context = canvas.getContext("2d");
  context.drawImage(film, 0, 0);
  let number = 0;
  for (let bit = 0; bit < 8; bit++) {
    const [level] = context.getImageData(((bit + 0.5) * canvas.width) / 8, canvas.height / 8, 1, 1).data;
    number |= level > 128 ? 1 << bit : 0;
  }
  return number;
}`;
const number = (page) => page.evaluate(`(${readNumber})()`);

/** Waits until the page shows a picture with one of the numbers, or no picture for null. */
async function showsPicture(page, ...wanted) {
  let found;
  for (let tries = 0; tries < 200; tries++) {
    found = await number(page);
    if (wanted.includes(found)) return;
    await page.waitForTimeout(50);
  }
  const { time } = await page.evaluate(() => viewer.store.state);
  assert.fail(`expected the picture ${wanted.join(" or ")} at ${time} s, found ${found}`);
}

/** Types a time into a field of the page. */
async function type(page, field, typed) {
  await page.click(field);
  await page.fill(field, typed);
  await page.keyboard.press("Enter");
}

/** Clicks on the timeline at a time, and returns the exact time. */
async function clickTime(page, time) {
  const box = await page.locator("canvas.timeline").boundingBox();
  const [from, to] = await page.evaluate(() => viewer.store.state.view);
  await page.mouse.click(box.x + 74 + ((time - from) / (to - from)) * (box.width - 84), box.y + 40);
  return page.evaluate(() => viewer.store.state.time);
}

/** Opens the page with the recording and its video, which are dragged together. */
async function withFilm(options = {}) {
  const page = await open(browser(), options);
  await drag(page, await film(), wave);
  await page.waitForFunction(() => viewer.store.state.openFiles.length === 1 && document.querySelector("#video video")?.readyState >= 2);
  await settled(page);
  return page;
}

/**
 * Returns the numbers that the picture at a time may have: two, if a picture begins at that time. The page adds a millisecond,
 * because files have times that are rounded to milliseconds.
 */
const picturesAt = (time, start = 0) => [0.5e-3, 1.5e-3].map((added) => Math.floor((time - start + added) * RATE));

test("a video with the name of a recording shows the picture of each time", async () => {
  const page = await withFilm();
  await showsPicture(page, 0);
  for (const wanted of [1.21, 0.4, 2.77, 2.05]) {
    const time = await clickTime(page, wanted);
    assert.ok(Math.abs(time - wanted) < 0.02);
    await showsPicture(page, ...picturesAt(time));
  }
  // The times of the keys of the recording are the times of pictures.
  await type(page, "#time", "1");
  await showsPicture(page, 30);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await showsPicture(page, 31);
  await page.keyboard.press(",");
  await showsPicture(page, 30);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("a typed offset moves the video, and times without a picture say so", async () => {
  const page = await withFilm();
  await type(page, "#video-start", "0.5");
  await type(page, "#time", "2");
  await showsPicture(page, 45);
  // Before the video starts, and after its end.
  await type(page, "#time", "0.4");
  await showsPicture(page, null);
  const end = await page.evaluate(() => 0.5 + document.querySelector("#video video").duration);
  assert.equal(await page.textContent("#video .film > p"), `No picture at this time. The video is from 0.500 s to ${end.toFixed(3)} s.`);
  await type(page, "#time", "3.8");
  await showsPicture(page, null);
  await type(page, "#time", "3");
  await showsPicture(page, 75);
  assert.ok(await page.locator("#video .film > p").isHidden());
  await type(page, "#video-start", "-0.25");
  await showsPicture(page, null);
  await type(page, "#time", "0");
  await showsPicture(page, 7);
  // Text that is no time changes nothing.
  await type(page, "#video-start", "soon");
  assert.equal(await page.inputValue("#video-start"), "−0.250 s");
  await page.context().close();
});

test("while the page plays, the picture belongs to the time, also in a loop and at other speeds", async () => {
  const page = await withFilm();
  await type(page, "#video-start", "0.2");
  await type(page, "#in-point", "0.7");
  await type(page, "#out-point", "1.9");
  for (const rate of ["1", "0.5", "2"]) {
    await page.selectOption("#rate", rate);
    await page.evaluate((read) => {
      const number = eval(read);
      window.seen = [];
      window.loops = 0;
      let last = 0;
      const look = () => {
        const { time, playing } = viewer.store.state;
        if (time < last) window.loops++;
        last = time;
        const film = document.querySelector("#video video");
        if (playing && !film.seeking) window.seen.push([time, number()]);
        if (window.seen) requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    }, readNumber);
    await page.click("#play");
    await page.waitForFunction(() => window.loops >= 2 && window.seen.length > 40);
    await page.click("#play");
    const seen = await page.evaluate(() => {
      const found = window.seen;
      window.seen = null;
      return found;
    });
    const differences = seen.map(([time, found]) => (found === null ? Infinity : Math.abs(time - 0.2 - found / RATE)));
    // A slow computer may show a picture late, so some pictures are a few ones behind.
    const wrong = differences.filter((difference) => difference > 0.2);
    assert.ok(wrong.length <= seen.length / 20, `at rate ${rate}, ${wrong.length} of ${seen.length} pictures are wrong: ${JSON.stringify(seen.slice(0, 20))}`);
    const outside = seen.filter(([time]) => time < 0.7 - 1e-3 || time > 1.9 + 1e-3);
    assert.deepEqual(outside, [], "the loop stays in its range");
    assert.ok(new Set(seen.map(([, found]) => found)).size > 5, "the picture moves");
    const { time } = await page.evaluate(() => viewer.store.state);
    await showsPicture(page, ...picturesAt(time, 0.2));
  }
  // The clock of the page goes on where the video has no picture.
  await page.click("#all");
  await type(page, "#video-start", "2");
  await type(page, "#time", "1.8");
  await page.selectOption("#rate", "1");
  await page.click("#play");
  await page.waitForFunction(() => viewer.store.state.time > 2.3);
  assert.ok((await number(page)) > 4);
  await page.click("#play");
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("the offset is found by matching the same moment in the video and in the recording", async () => {
  const page = await withFilm();
  await type(page, "#time", "2");
  await page.click("#video-match");
  assert.equal(await page.evaluate(() => document.activeElement.id), "video-time");
  const slider = await page.locator("#video-time").boundingBox();
  await page.mouse.click(slider.x + slider.width / 2, slider.y + slider.height / 2);
  for (let steps = 0; steps < 3; steps++) await page.click("#video-next");
  await page.click("#video-back");
  // The arrow keys move the slider that has the focus, and not the recording.
  await page.focus("#video-time");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.evaluate(() => viewer.store.state.time), 2);
  const before = await page.evaluate(() => document.querySelector("#video video").currentTime);
  assert.ok(Math.abs(before - 1.5) < 0.15, `${before}`);
  const shown = Math.floor(before * RATE);
  await showsPicture(page, shown);
  // The recording moves alone.
  await clickTime(page, 2.5);
  const { time } = await page.evaluate(() => viewer.store.state);
  assert.equal(await page.evaluate(() => document.querySelector("#video video").currentTime), before);
  await page.screenshot({ path: join(out, "viewer-video-match.png") });
  await page.click("#video-same");
  await showsPicture(page, shown);
  const start = await page.inputValue("#video-start");
  const wanted = time - shown / RATE;
  assert.ok(Math.abs(Number.parseFloat(start) - wanted) < 0.002, `${start} for ${wanted}`);
  // The middle of a picture.
  await type(page, "#time", `${(wanted + 20.5 / RATE).toFixed(3)}`);
  await showsPicture(page, 20);
  // Cancel keeps the offset.
  await page.click("#video-match");
  await page.click("#video-next");
  await page.click("#video-cancel");
  assert.equal(await page.inputValue("#video-start"), start);
  await showsPicture(page, 20);
  await page.context().close();
});

test("edits that move the recording keep its pictures", async () => {
  const page = await withFilm();
  await type(page, "#in-point", "1");
  await page.click("#trim-range");
  await page.waitForFunction(() => viewer.store.state.openFiles[0].current === 1);
  assert.equal(await page.inputValue("#video-start"), "−1.000 s");
  await type(page, "#time", "0.5");
  await showsPicture(page, 45);
  await type(page, "#video-start", "-0.9");
  await showsPicture(page, 42);
  await page.click("#undo");
  await page.waitForFunction(() => viewer.store.state.openFiles[0].current === 0);
  assert.equal(await page.inputValue("#video-start"), "0.100 s");
  await page.context().close();
});

test("a video that cannot be played says so in one sentence, and the rest works", async () => {
  const page = await open(browser());
  await drop(page, wave);
  const broken = join(folder, "other.mp4");
  writeFileSync(broken, "not a video");
  // A single video belongs to the recording that is shown, whatever its name is.
  await drag(page, broken);
  await page.waitForFunction(() => /cannot be played/.test(document.querySelector("#video").textContent));
  assert.equal(await page.textContent("#video .film > p"), "other.mp4 cannot be played: this browser cannot decode it, or the file is not there.");
  await page.click("#play");
  await page.waitForFunction(() => viewer.store.state.time > 0.3);
  await page.click("#play");
  assert.equal(await page.locator("#video-match").count(), 0);
  // A good video replaces it.
  await drag(page, await film());
  await page.waitForFunction(() => document.querySelector("#video video")?.readyState >= 2);
  await type(page, "#time", "1");
  await showsPicture(page, 30);
  await page.click("#video-remove");
  assert.ok(await page.locator("#video").isHidden());
  assert.ok(await page.locator("#split-video").isHidden());
  assert.equal(await page.evaluate(() => viewer.store.state.message), null);
  await page.context().close();
  const empty = await open(browser());
  await drag(empty, await film());
  await empty.waitForFunction(() => viewer.store.state.message !== null);
  assert.match(await empty.textContent(".message"), /wave\.webm: no open recording has the name of this video/);
  await empty.context().close();
});

test("videos in dropped folders belong to the recordings with their names", async () => {
  const root = join(folder, "study");
  for (const name of ["P01", "P02"]) {
    mkdirSync(join(root, name), { recursive: true });
    copyFileSync(wave, join(root, name, "reach.bin"));
  }
  copyFileSync(await film(), join(root, "P02", "reach.webm"));
  copyFileSync(await film(), join(root, "P02", "other.webm"));
  const page = await open(browser());
  await drag(page, root);
  await page.waitForFunction(() => viewer.store.state.openFiles.length === 2 && !viewer.store.state.opening);
  assert.equal(await page.evaluate(() => viewer.store.state.message), null);
  await page.click("#overview-1");
  await page.waitForFunction(() => document.querySelector("#video video")?.readyState >= 2);
  await type(page, "#time", "1");
  await showsPicture(page, 30);
  await page.click("#file-0");
  assert.ok(await page.locator("#video").isHidden());
  await page.context().close();
});

test("the program serves the video beside a recording, and the page remembers its offset", async () => {
  await film();
  const { address, stop } = await serve("--port", "0", "--video-offset", "0.5", wave);
  try {
    const page = await open(browser(), { address });
    const ready = () => page.waitForFunction(() => document.querySelector("#video video")?.readyState >= 2);
    await ready();
    assert.equal(await page.inputValue("#video-start"), "0.500 s");
    await type(page, "#time", "2");
    await showsPicture(page, 45);
    // The page writes its address a moment after a change.
    await page.waitForFunction(() => /t=2(&|$)/.test(location.hash));
    await type(page, "#video-start", "0.75");
    await page.waitForFunction(() => /video=0.75/.test(location.hash));
    await showsPicture(page, 37);
    // From the address, and from the storage of the browser.
    await page.reload();
    await ready();
    await showsPicture(page, 37);
    await page.goto("about:blank");
    await page.goto(address);
    await ready();
    assert.equal(await page.inputValue("#video-start"), "0.750 s");
    assert.deepEqual(page.errors, []);
    await page.context().close();
  } finally {
    stop();
  }
});

test("a video that needs several answers of the program is shown at every time", async () => {
  copyFileSync(wave, join(folder, "long.bin"));
  const long = await makeFilm(join(folder, "long.webm"), COUNT, [640, 360], { isNoisy: true });
  assert.ok(readFileSync(long).length > 8e6, `${readFileSync(long).length} bytes`);
  const { address, stop } = await serve("--port", "0", join(folder, "long.bin"));
  try {
    const page = await open(browser(), { address });
    await page.waitForFunction(() => document.querySelector("#video video")?.readyState >= 2);
    for (const time of ["2.9", "0.1", "1.5"]) {
      await type(page, "#time", time);
      await showsPicture(page, ...picturesAt(Number(time)));
    }
    await page.keyboard.press("Home");
    await page.click("#play");
    await page.waitForFunction(() => viewer.store.state.time > 2.5);
    assert.ok((await number(page)) > 60);
    await page.context().close();
  } finally {
    stop();
  }
});

test("a video whose header lacks its length is shown at every time", async () => {
  const page = await open(browser());
  await drop(page, wave);
  await drag(page, await makeFilm(join(folder, "streamed.webm"), COUNT, SIZE, { streaming: true }));
  await page.waitForFunction(() => Number.isFinite(document.querySelector("#video video")?.duration));
  for (const time of ["2", "0.5"]) {
    await type(page, "#time", time);
    await showsPicture(page, ...picturesAt(Number(time)));
  }
  await type(page, "#time", "3.5");
  await showsPicture(page, null);
  assert.match(await page.textContent("#video .film > p"), /The video is from 0\.000 s to 2\.9/);
  await page.context().close();
});

test("a report links the video and does not contain it", async () => {
  await film();
  const report = join(folder, "report.html");
  await run("report", "--force", wave, "-o", report);
  assert.ok(!readFileSync(report, "utf8").includes(readFileSync(await film()).toString("base64").slice(0, 200)));
  const address = pathToFileURL(report).href;
  let page = await open(browser(), { address });
  await page.waitForFunction(() => document.querySelector("#video video")?.readyState >= 2);
  await type(page, "#time", "1.4");
  await page.waitForFunction(() => !document.querySelector("#video video").seeking);
  await page.waitForTimeout(300);
  // A page from disk may not read the pixels of a linked video, so the test reads a screenshot.
  const image = (await page.locator("#video video").screenshot()).toString("base64");
  const found = await page.evaluate(async (data) => {
    const picture = new Image();
    picture.src = `data:image/png;base64,${data}`;
    await picture.decode();
    const film = document.querySelector("#video video");
    const canvas = new OffscreenCanvas(film.clientWidth, film.clientHeight);
    const context = canvas.getContext("2d");
    context.drawImage(picture, 0, 0, canvas.width, canvas.height);
    const scale = Math.min(canvas.width / film.videoWidth, canvas.height / film.videoHeight);
    const [width, height] = [scale * film.videoWidth, scale * film.videoHeight];
    let number = 0;
    for (let bit = 0; bit < 8; bit++) {
      const x = (canvas.width - width) / 2 + ((bit + 0.5) * width) / 8;
      const [level] = context.getImageData(x, (canvas.height - height) / 2 + height / 8, 1, 1).data;
      number |= level > 128 ? 1 << bit : 0;
    }
    return number;
  }, image);
  assert.equal(found, 42);
  await page.context().close();
  // The report alone, as after a mail.
  mkdirSync(join(folder, "alone"));
  const alone = join(folder, "alone", "report.html");
  copyFileSync(report, alone);
  page = await open(browser(), { address: pathToFileURL(alone).href });
  await page.waitForFunction(() => /wave\.webm cannot be played/.test(document.querySelector("#video").textContent));
  await page.context().close();
});

/** The intrinsics of the camera in the test, in pixels of the test video. */
const [FOCAL, CENTER] = [150, [163, 91]];

/** Writes a copy of a recording whose head is a camera with intrinsics, and returns its path. */
async function withCamera(name, matrix) {
  const [json, file] = [join(folder, "camera.json"), join(folder, name)];
  await run("convert", "--quiet", "--force", wave, json);
  const text = readFileSync(json, "utf8");
  const value = JSON.parse(text);
  value.version = Math.max(value.version, 2);
  value.about = { ...value.about, "camera.intrinsic": matrix };
  writeFileSync(file, JSON.stringify(value));
  return file;
}

test("joints are drawn over the picture where the camera in the file sees them", async () => {
  const file = await withCamera("filmed.json", `${FOCAL} 0 ${CENTER[0]} 0 ${FOCAL} ${CENTER[1]} 0 0 1`);
  copyFileSync(await film(), join(folder, "filmed.webm"));
  const { address, stop } = await serve("--port", "0", "--video-offset", "0.25", file);
  try {
    const page = await open(browser(), { address });
    await page.waitForFunction(() => document.querySelector("#video video")?.readyState >= 2);
    await type(page, "#time", "1.25");
    await showsPicture(page, 30);
    // The program says where the joints and the head are.
    const table = join(folder, "filmed.csv");
    await run("convert", "--quiet", "--force", "--rate", "4", wave, "-o", table);
    const [head, ...rows] = readFileSync(table, "utf8").trimEnd().split("\n").map((line) => line.split(","));
    const row = rows.find((each) => Number(each[head.indexOf("time_s")]) === 1.25);
    const numbers = (name, axes) => axes.map((axis) => Number(row[head.indexOf(`${name}.${axis}`)]));
    const [x, y, z, w] = numbers("head.rotation", ["x", "y", "z", "w"]);
    const origin = numbers("head.position", ["x", "y", "z"]);
    // The columns of the rotation matrix are the axes of the head.
    const axes = [
      [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
      [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
      [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
    ];
    let inside = 0;
    for (const joint of ["right.IndexTip", "right.Wrist", "right.PinkyTip", "right.ThumbTip"]) {
      const from = numbers(`${joint}.position`, ["x", "y", "z"]).map((value, axis) => value - origin[axis]);
      const [right, up, ahead] = axes.map((axis) => axis.reduce((sum, part, index) => sum + part * from[index], 0));
      const place = [CENTER[0] + (FOCAL * right) / ahead, CENTER[1] - (FOCAL * up) / ahead];
      if (place[0] < 4 || place[1] < 4 || place[0] > SIZE[0] - 4 || place[1] > SIZE[1] - 4) continue;
      inside++;
      const color = await page.evaluate(([[px, py], [width, height]]) => {
        const canvas = document.querySelector("#video canvas");
        const scale = Math.min(canvas.width / width, canvas.height / height);
        const left = (canvas.width - scale * width) / 2;
        const top = (canvas.height - scale * height) / 2;
        return [...canvas.getContext("2d").getImageData(left + scale * px, top + scale * py, 1, 1).data];
      }, [place, SIZE]);
      assert.deepEqual(color, [0xd5, 0x5e, 0x00, 255], `${joint} at ${place}`);
    }
    assert.ok(inside >= 2, `${inside} joints in the picture`);
    const drawn = () => page.evaluate(() => {
      const { width, height } = document.querySelector("#video canvas");
      const { data } = document.querySelector("#video canvas").getContext("2d").getImageData(0, 0, width, height);
      return data.some((value) => value > 0);
    });
    await page.screenshot({ path: join(pictures, "viewer-video.png") });
    await page.click("#video-joints");
    assert.ok(!(await drawn()));
    await page.click("#video-joints");
    assert.ok(await drawn());
    await page.click("#tab-curves");
    await page.click("#eye-right");
    assert.ok(!(await drawn()), "hidden joints are not drawn");
    await page.click("#eye-right");
    await type(page, "#time", "0.1");
    assert.ok(!(await drawn()), "no joints without a picture");
    assert.deepEqual(page.errors, []);
    await page.context().close();
  } finally {
    stop();
  }
});

test("an episode of EgoDex and its video are dropped together, and the file states the camera", async () => {
  const episode = join(folder, "0.hdf5");
  copyFileSync(new URL("../../crates/inputanim-convert/tests/egodex/latest.hdf5", import.meta.url), episode);
  const page = await open(browser());
  await drag(page, episode, await makeFilm(join(folder, "0.webm"), 3, [1920, 1080]));
  await page.waitForFunction(() => document.querySelector("#video video")?.readyState >= 2);
  await settled(page);
  await page.click("#tab-info");
  assert.match(await page.textContent("#panel"), /camera\.intrinsic736\.6339 0 960 0 736\.6339 540 0 0 1/);
  assert.ok(await page.isChecked("#video-joints"));
  await type(page, "#time", "0.033");
  await page.keyboard.press("End");
  await showsPicture(page, 1);
  assert.ok(await page.locator("#video .film > p").isHidden());
  assert.deepEqual(page.errors, []);
  await page.screenshot({ path: join(out, "viewer-video-egodex.png") });
  await page.context().close();
});

test("a camera of another size of picture is refused, and a recording without a camera offers no joints", async () => {
  const file = await withCamera("filmed.json", "600 0 640 0 600 360 0 0 1");
  copyFileSync(await film(), join(folder, "filmed.webm"));
  const { address, stop } = await serve("--port", "0", file);
  try {
    const page = await open(browser(), { address });
    await page.waitForFunction(() => document.querySelector("#video video")?.readyState >= 2);
    await page.waitForFunction(() => /picture of another size/.test(document.querySelector("#video .film > p").textContent));
    await page.click("#video-joints");
    assert.ok(await page.locator("#video .film > p").isHidden());
    await page.context().close();
  } finally {
    stop();
  }
  const page = await withFilm();
  assert.equal(await page.locator("#video-joints").count(), 0);
  await page.context().close();
});

test("the video fits in wide and narrow pages in all languages", async () => {
  for (const size of [[1280, 800], [820, 1180], [390, 844], [844, 390]]) {
    const page = await withFilm({ size, touch: size[0] < 900 });
    await type(page, "#time", "1");
    for (const language of ["en", "fr", "ko", "ru", "zh-Hans", "zh-Hant"]) {
      await page.evaluate((code) => viewer.store.update({ language: code }), language);
      const box = await page.locator("#video .film").boundingBox();
      assert.ok(box.width > 150 && box.height > 90, `${size} ${language}: ${JSON.stringify(box)}`);
      assert.ok(box.x >= 0 && box.y >= 0 && box.x + box.width <= size[0] + 1 && box.y + box.height <= size[1] + 1);
      const view = await page.locator(".view").boundingBox();
      assert.ok(view.width > 150 && view.height > 60, `${size} ${language}: ${JSON.stringify(view)}`);
      assert.ok((await page.textContent("#video")).includes("wave.webm"));
    }
    await page.evaluate(() => viewer.store.update({ language: "en" }));
    await page.screenshot({ path: join(out, `viewer-video-${size[0]}.png`) });
    if (size[0] === 1280) {
      await page.evaluate(axe);
      const results = await page.evaluate(() => globalThis.axe.run());
      assert.deepEqual(results.violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]), []);
      // The border beside the video moves.
      const before = (await page.locator("#video").boundingBox()).width;
      await page.focus("#split-video");
      await page.keyboard.press("ArrowLeft");
      assert.ok((await page.locator("#video").boundingBox()).width > before + 10);
    }
    await page.click("#video-match");
    await page.screenshot({ path: join(out, `viewer-video-match-${size[0]}.png`) });
    await page.click("#video-cancel");
    await page.context().close();
  }
});
