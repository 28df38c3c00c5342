// Tests the viewer in a browser.
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createRequire } from "node:module";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { foreign } from "./foreign.mjs";
import { browser, damaged, drag, drop, headset, open, out, record, recording, run, save, serve, settled, viewer as viewerAddress, written } from "./browser.mjs";

const wave = recording("wave.bin");
const pinch = recording("pinch-drag.bin");
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const pictures = process.env.INPUTANIM_PICTURES ?? out;


const state = (page) => page.evaluate(() => {
  const { openFiles, selected, time, playing, message, inPoint, outPoint } = viewer.store.state;
  return { count: openFiles.length, selected, time, playing, message, inPoint, outPoint };
});
const shown = (page, expression) =>
  page.evaluate((body) => {
    const { openFiles, selected } = viewer.store.state;
    const file = openFiles[selected];
    return new Function("recording", `return ${body}`)(file.versions[file.current].recording);
  }, expression);

async function picture(page, name) {
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(pictures, `${name}.png`) });
}

test("joints are on the screen where the program says", async () => {
  const page = await open(browser());
  await drop(page, wave);
  const table = join(out, "positions.csv");
  await run("convert", "--quiet", "--force", "--rate", "10", wave, "-o", table);
  const [head, ...rows] = readFileSync(table, "utf8").trimEnd().split("\n").map((line) => line.split(","));
  let compared = 0;
  for (const row of rows.filter((_, index) => index % 7 === 3)) {
    for (const joint of ["right.IndexTip", "left.Palm", "right.Wrist"]) {
      const at = head.indexOf(`${joint}.position.x`);
      if (row[at] === "") continue;
      const [x, y, z] = row.slice(at, at + 3).map(Number);
      const { found, wanted } = await page.evaluate(([name, time, px, py, pz]) => {
        viewer.store.update({ time });
        const found = viewer.scene.project(name);
        // The test applies the camera matrices of the page to the values of the program.
        const { camera, renderer } = viewer.scene;
        const apply = (m, v) => [0, 1, 2, 3].map((r) => m[r] * v[0] + m[r + 4] * v[1] + m[r + 8] * v[2] + m[r + 12] * v[3]);
        const eye = apply(camera.matrixWorldInverse.elements, [px, py, -pz, 1]);
        const clip = apply(camera.projectionMatrix.elements, eye);
        const { clientWidth, clientHeight } = renderer.domElement;
        const wanted = [((clip[0] / clip[3] + 1) / 2) * clientWidth, ((1 - clip[1] / clip[3]) / 2) * clientHeight];
        return { found, wanted };
      }, [joint, Math.fround(Number(row[head.indexOf("time_s")])), x, y, z]);
      assert.ok(Math.hypot(found[0] - wanted[0], found[1] - wanted[1]) < 0.05, `${joint} ${found} ${wanted}`);
      compared++;
    }
  }
  assert.ok(compared >= 10);
  // The joint is drawn at this position: the pixel has the colour of the hand.
  const color = await page.evaluate(() => {
    viewer.store.update({ time: 1 });
    const [x, y] = viewer.scene.project("right.Palm");
    const { renderer, scene, camera } = viewer.scene;
    renderer.render(scene, camera);
    const gl = renderer.getContext();
    const scale = renderer.domElement.width / renderer.domElement.clientWidth;
    const pixel = new Uint8Array(4);
    gl.readPixels(x * scale, renderer.domElement.height - y * scale, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    return [...pixel];
  });
  assert.ok(color[3] === 255 && color[0] > color[2] + 40, `the palm has the colour ${color}`);
  assert.deepEqual(page.errors, []);
  await picture(page, "viewer");
  await page.context().close();
});

/** Returns the values of the legend by the names of its lines, and the time. */
const legend = (page) => page.$$eval(".legend > *", (nodes) => Object.fromEntries(nodes.map((node) => {
  const value = node.querySelector("b")?.textContent;
  return value === undefined ? ["time", node.textContent] : [node.textContent.slice(0, -value.length).trim(), value];
})));

/** Clicks on the timeline at a time. */
async function clickTime(page, time) {
  const box = await page.locator("canvas.timeline").boundingBox();
  const [from, to] = await page.evaluate(() => viewer.store.state.view);
  await page.mouse.click(box.x + 74 + ((time - from) / (to - from)) * (box.width - 84), box.y + 40);
}

test("any curve can be plotted, with its keys and its value at the position", async () => {
  const page = await open(browser());
  await drop(page, pinch);
  await page.click("#tab-curves");
  // Branches open with the keyboard.
  await page.focus("#branch-head > summary");
  await page.keyboard.press("Enter");
  await page.focus('[id="curve-head.rotation.yaw"]');
  await page.keyboard.press("Enter");
  assert.equal(await page.locator("#plot").inputValue(), "curves");
  for (const branch of ["right", "right.Index", "right.IndexTip"]) await page.click(`[id="branch-${branch}"] > summary`);
  for (const curve of ["right.IndexTip.position.x", "right.IndexTip.rotation.w", "right.pinching"]) await page.click(`[id="curve-${curve}"]`);
  // The branches stay open.
  assert.ok(await page.locator('[id="branch-right.IndexTip"]').evaluate((node) => node.open));
  await settled(page);
  // Metres, degrees, and numbers without a unit have charts of their own.
  assert.equal(await page.locator(".charts .uplot").count(), 3);
  await clickTime(page, 1.2);
  const wanted = await page.evaluate(() => {
    const { state } = viewer.store;
    const { recording } = state.openFiles[0].versions[0];
    const { times, columns } = recording.sampleRange(state.time, state.time, 1);
    const at = (name) => columns[name][times.length - 1];
    const [x, y, z, w] = ["x", "y", "z", "w"].map((axis) => at(`head.rotation.${axis}`));
    const yaw = (Math.atan2(2 * (x * z + w * y), 1 - 2 * (x * x + y * y)) * 180) / Math.PI;
    return { yaw, x: at("right.IndexTip.position.x"), w: at("right.IndexTip.rotation.w"), pinching: at("right.pinching") };
  });
  const found = await legend(page);
  assert.deepEqual(found, {
    time: `${(await state(page)).time.toFixed(3)} s`,
    "head.rotation.yaw": `${wanted.yaw.toFixed(2)} °`,
    "right.IndexTip.position.x": `${wanted.x.toFixed(4)} m`,
    "right.IndexTip.rotation.w": wanted.w.toFixed(4),
    "right.pinching": String(wanted.pinching),
  });
  assert.equal(found["right.pinching"], "1");
  // At the pointer, the legend shows the value at the pointer.
  const chart = await page.locator(".charts .u-over").first().boundingBox();
  await page.mouse.move(chart.x + chart.width * 0.9, chart.y + 10);
  assert.notEqual((await legend(page)).time, found.time);
  await page.mouse.move(chart.x + 100, chart.y - 200);
  assert.deepEqual(await legend(page), found);
  // The keys of the chosen curves are points: a key of the state is drawn, and a time without a key is not.
  const point = (time, value) => page.evaluate(([time, value]) => {
    const canvas = [...document.querySelectorAll(".charts canvas")].at(-1);
    const over = [...document.querySelectorAll(".charts .u-over")].at(-1);
    const [box, all] = [over.getBoundingClientRect(), canvas.getBoundingClientRect()];
    const [from, to] = viewer.store.state.view;
    const x = box.left - all.left + ((time - from) / (to - from)) * box.width;
    const y = box.top - all.top + ((1.1 - value) / 1.2) * box.height;
    const pixels = canvas.getContext("2d").getImageData(Math.round(x), Math.round(y) - 5, 1, 10).data;
    // The height of the orange part in pixels.
    return Array.from({ length: 10 }, (_, row) => pixels.slice(4 * row, 4 * row + 4)).filter(([red, green, , alpha]) => alpha > 100 && red > green + 60).length;
  }, [time, value]);
  for (const curve of ["right.IndexTip.rotation.w", "right.IndexTip.position.x", "head.rotation.yaw"]) {
    await page.locator(`[id="curve-${curve}"]`).evaluate((node) => node.scrollIntoView());
    if (curve === "head.rotation.yaw") await page.click("#branch-right > summary");
    await page.click(`[id="curve-${curve}"]`);
  }
  assert.deepEqual(Object.keys(await legend(page)), ["time", "right.pinching"]);
  const downs = await shown(page, "recording.transitions().filter(({ kind }) => kind === 'pinch_down').map(({ time }) => time)");
  assert.ok(downs.length > 0);
  await page.waitForFunction(() => viewer.background.isIdle);
  assert.ok((await point(downs[0] + 0.005, 1)) >= 4, "the key is a point");
  assert.ok((await point(downs[0] + 0.3, 1)) <= 3, "there is no key");
  // Dragging in the chart moves in time.
  const area = await page.locator(".charts .u-over").last().boundingBox();
  await page.mouse.move(area.x + area.width * 0.2, area.y + 20);
  await page.mouse.down();
  await page.mouse.move(area.x + area.width * 0.5, area.y + 20, { steps: 4 });
  await page.mouse.up();
  const [from, to] = await page.evaluate(() => viewer.store.state.view);
  assert.ok(Math.abs((await state(page)).time - (from + to) / 2) < 0.02);
  // The name of a group chooses all its curves, and removes them.
  await page.click('[id="all-head.position.x"]');
  assert.deepEqual(Object.keys(await legend(page)), ["time", "right.pinching", "head.position.x", "head.position.y", "head.position.z"]);
  await page.click('[id="all-head.position.x"]');
  await page.click("#curves-clear");
  assert.match(await page.locator(".charts").innerText(), /Choose curves/);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("the eyes of the tree hide and show parts of the view", async () => {
  const page = await open(browser());
  await drop(page, pinch);
  await clickTime(page, 1.2);
  await page.click("#tab-curves");
  await page.click("#branch-right > summary");
  const drawn = (side, joint) => page.evaluate(([side, joint]) => {
    viewer.scene.update();
    const { names, spheres } = viewer.scene.figure;
    return spheres[side].instanceMatrix.array[16 * names.indexOf(joint)] > 0;
  }, [side, joint]);
  assert.deepEqual([await drawn("right", "RingTip"), await drawn("right", "Palm")], [true, true]);
  await page.click('[id="eye-right.Ring"]');
  assert.deepEqual([await drawn("right", "RingTip"), await drawn("right", "Palm")], [false, true]);
  assert.equal(await page.locator("#eye-right").evaluate((node) => node.indeterminate), true);
  await page.click("#eye-head");
  await page.click("#eye-gaze");
  const parts = () => page.evaluate(() => (viewer.scene.update(), ["head", "ray"].map((part) => viewer.scene.figure[part].visible)));
  assert.deepEqual(await parts(), [false, false]);
  await page.click("#show-all");
  assert.deepEqual(await parts(), [true, true]);
  assert.equal(await drawn("right", "RingTip"), true);
  await page.click("#eye-right");
  assert.deepEqual([await drawn("right", "RingTip"), await drawn("right", "Palm")], [false, false]);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("a recording with its origin at the head has the floor below, and the hands fill the view", async () => {
  const device = await written("device-like.bin", "transform", wave, "--origin", "head");
  for (const [bytes, floor] of [[readFileSync(wave), 0], [device, -1.6]]) {
    const page = await open(browser());
    await drop(page, { name: "take.bin", bytes });
    await clickTime(page, 1);
    assert.ok(Math.abs(await page.evaluate(() => viewer.scene.grid.position.y) - floor) < 1e-6);
    const { clientWidth, clientHeight } = await page.locator(".view canvas").first().evaluate(({ clientWidth, clientHeight }) => ({ clientWidth, clientHeight }));
    for (const camera of ["hands", "top", "front", "orbit"]) {
      await page.selectOption("#camera", camera);
      const [tip, wrist] = await page.evaluate(() => ["right.MiddleTip", "right.Wrist"].map((joint) => viewer.scene.project(joint)));
      for (const [x, y] of [tip, wrist]) assert.ok(x > 0 && x < clientWidth && y > 0 && y < clientHeight, `${camera} ${x} ${y}`);
      assert.ok(Math.hypot(tip[0] - wrist[0], tip[1] - wrist[1]) > 0.05 * clientWidth, `${camera}: the hand is too small`);
    }
    if (floor < 0) await picture(page, "viewer-device");
    // The hands are drawn over the head: the glass of the headset writes no depth.
    const head = await page.evaluate(() => viewer.scene.figure.head.children.map(({ renderOrder, material }) => [renderOrder, material.depthWrite]));
    assert.ok(head.length > 3 && head.every(([order, writes]) => order < 0 && !writes));
    assert.deepEqual(page.errors, []);
    await page.context().close();
  }
});

test("all times of a recording with keys before 0 count from the start of playback", async () => {
  const bytes = await written("before-zero.bin", "shift", wave, "--by", "-1.254");
  const page = await open(browser());
  await drop(page, { name: "take.bin", bytes });
  const card = page.locator(".finding", { hasText: "L13" });
  const go = card.getByRole("button");
  assert.equal(await go.innerText(), "Go to 0.000 s");
  await clickTime(page, 1);
  await go.click();
  assert.equal((await state(page)).time, 0);
  await page.click("#tab-info");
  const info = await page.locator("#panel").innerText();
  assert.match(info, /Duration\s+2\.746 s/);
  assert.match(info, /Before the start\s+1\.254 s, not played: playback starts at 0/);
  await page.click("#tab-measures");
  await settled(page);
  assert.match(await page.locator("#panel").innerText(), /−1\.254 s – 2\.746 s/);
  // The list of files says the same.
  await drop(page, wave);
  assert.match(await page.locator("#file-0 .detail").innerText(), /^2\.746 s \(1\.254 s before 0\)/);
  // The remedy starts playback at the first key.
  await page.click("#file-0");
  await page.click("#tab-findings");
  await page.click("#shift");
  await page.waitForFunction(() => viewer.store.state.openFiles[0].versions.length === 2);
  assert.ok(Math.abs((await shown(page, "recording.duration")) - 4) < 1e-6);
  await settled(page);
  assert.doesNotMatch(await page.locator("#panel").innerText(), /L13/);
  await page.click("#tab-info");
  assert.doesNotMatch(await page.locator("#panel").innerText(), /Before the start/);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("a recording plays, stops, and follows the timeline and the keyboard", async () => {
  const page = await open(browser());
  await drop(page, pinch);
  await page.keyboard.press("Space");
  await page.waitForFunction(() => viewer.store.state.time > 0.2);
  await page.keyboard.press("Space");
  assert.equal((await state(page)).playing, false);
  await page.keyboard.press("Home");
  assert.equal((await state(page)).time, 0);
  await page.keyboard.press(".");
  assert.equal((await state(page)).time, (await shown(page, "Array.from(recording.keyTimes())")).find((time) => time > 0));
  const box = await page.locator("canvas.timeline").boundingBox();
  await page.mouse.click(box.x + 74 + (box.width - 82) / 2, box.y + 40);
  const middle = (await shown(page, "recording.duration")) / 2;
  assert.ok(Math.abs((await state(page)).time - middle) < 0.02);
  for (const camera of ["hands", "top", "front", "head", "follow", "orbit"]) await page.selectOption("#camera", camera);
  for (const plot of ["position", "aperture", "gaze", "off", "speed"]) await page.selectOption("#plot", plot);
  for (const panel of ["info", "curves", "markers", "edit", "diff", "measures", "findings"]) await page.click(`#tab-${panel}`);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("the range that plays is never empty or reversed, and its measures are shown", async () => {
  const page = await open(browser());
  await drop(page, wave);
  const set = async (key, time) => {
    await page.evaluate((time) => viewer.actions.seek(time), time);
    await page.keyboard.press(key);
    const { inPoint, outPoint } = await state(page);
    return [inPoint, outPoint];
  };
  assert.deepEqual(await set("i", 1), [1, null]);
  assert.deepEqual(await set("o", 2), [1, 2]);
  assert.deepEqual(await set("i", 3), [3, null]);
  assert.deepEqual(await set("o", 3), [null, 3]);
  assert.deepEqual(await set("o", 1), [null, 1]);
  assert.deepEqual(await set("i", 0.5), [0.5, 1]);
  await page.click("#tab-measures");
  await page.waitForFunction(() => document.querySelector(".panels table"));
  assert.equal(await page.locator(".panels .error").count(), 0);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("trim, mirror, markers and Undo give the bytes of the program", async () => {
  const page = await open(browser());
  await drop(page, wave);
  assert.ok((await save(page)).equals(readFileSync(wave)));
  await page.evaluate(() => viewer.store.update({ inPoint: 0.5, outPoint: 1.5 }));
  await page.keyboard.press("t");
  assert.ok((await save(page)).equals(await written("trim.bin", "trim", wave, "--time", "0.5..1.5")));
  await page.click("#tab-edit");
  await page.click("#mirror");
  const mirrored = await written("mirror.bin", "mirror", join(out, "trim.bin"));
  assert.ok((await save(page)).equals(mirrored));
  await page.evaluate(() => viewer.actions.seek(0.25));
  await page.click("#tab-markers");
  await page.fill("#marker-name", "here");
  await page.click("#marker-add");
  const marked = await written("marked.bin", "markers", "add", join(out, "mirror.bin"), "--at", "0.25", "here");
  assert.ok((await save(page)).equals(marked));
  for (const _ of [1, 2, 3]) await page.click("#undo");
  assert.ok((await save(page)).equals(readFileSync(wave)));
  await page.click("#redo");
  assert.ok((await save(page)).equals(readFileSync(join(out, "trim.bin"))));
  const glb = await save(page, "glb");
  assert.equal(glb.subarray(0, 4).toString(), "glTF");
  await drop(page, { name: "trim.glb", bytes: glb });
  assert.equal(await shown(page, "recording.duration"), 1);
  await drop(page, { name: "trim.json", bytes: await save(page, "json") });
  assert.equal((await state(page)).count, 3);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("a damaged recording is explained, repaired and saved", async () => {
  const file = await damaged();
  const page = await open(browser());
  await drop(page, file);
  await page.evaluate(() => viewer.actions.seek(1.2));
  assert.match(await page.locator("#panel").innerText(), /^D1/m);
  // The joints whose rotation is wrong have another colour, and their axes show the rotation.
  await page.check("#axes");
  const color = (joint) => page.evaluate((name) => {
    viewer.scene.update();
    const { names, spheres } = viewer.scene.figure;
    return [...spheres.right.instanceColor.array.slice(3 * names.indexOf(name), 3 * names.indexOf(name) + 3)];
  }, joint);
  const ofDamage = await color("IndexTip");
  await picture(page, "viewer-findings");
  await page.click("#repair");
  assert.match(await message(page), /^Repaired [\d,]+ keys/);
  assert.ok((await save(page)).equals(await written("repaired.bin", "repair", file)));
  await settled(page);
  assert.notDeepEqual(await color("IndexTip"), ofDamage);
  assert.doesNotMatch(await page.locator("#panel").innerText(), /^D1/m);
  // The scene follows with the next frame.
  await page.waitForFunction(() => viewer.scene.ghost.group.visible);
  await page.context().close();
});

test("joints that a repair changed are marked, and the file before is shown beside", async () => {
  const page = await open(browser());
  await drop(page, await damaged(recording("reach.bin")));
  await clickTime(page, 2.45);
  const marks = (figure) => page.evaluate((name) => (viewer.scene.update(), Object.fromEntries(viewer.scene[name].marks)), figure);
  assert.equal((await marks("figure"))["left.RingTip"], "damage");
  await page.click("#repair");
  await page.waitForFunction(() => viewer.store.state.openFiles[0].versions.length === 2);
  await settled(page);
  // The repair reports the times at which the sign of a rotation is uncertain.
  const found = await marks("figure");
  assert.deepEqual([found["left.RingTip"], found["left.IndexTip"], found["right.Palm"]], ["uncertain", "repaired", "repaired"]);
  assert.equal((await marks("ghost"))["left.RingTip"], "damage");
  await page.waitForFunction(() => /Damaged.*Repaired, uncertain.*Changed by the repair/s.test(document.querySelector(".marks").textContent));
  const colors = await page.evaluate(() => {
    const { names, spheres } = viewer.scene.figure;
    const of = (joint) => [...spheres.left.instanceColor.array.slice(3 * names.indexOf(joint), 3 * names.indexOf(joint) + 3)];
    return [of("RingTip"), of("IndexTip")].map((color) => color.join());
  });
  assert.notEqual(colors[0], colors[1]);
  // An edit of markers keeps the marks; an edit that moves joints removes them.
  await page.click("#tab-markers");
  await page.click("#marker-add");
  assert.equal((await marks("figure"))["left.RingTip"], "uncertain");
  // At the first key nothing was lost, so nothing has changed.
  await page.keyboard.press("Home");
  assert.equal((await marks("figure"))["left.IndexTip"], undefined);
  await clickTime(page, 2.45);
  // Side by side: the hands of the file before are to the left of the repaired ones on the screen.
  const tips = () => page.evaluate(() => {
    const { scene } = viewer;
    scene.update();
    scene.camera.updateMatrixWorld();
    return ["figure", "ghost"].map((name) => scene[name].vector("left.IndexTip.position").add(scene[name].group.position).project(scene.camera).x);
  });
  const [, over] = await tips();
  await page.evaluate(() => viewer.store.update({ message: null }));
  await page.click("#beside");
  await page.waitForFunction(() => viewer.scene.ghost.group.position.x < -0.25);
  const [after, beside] = await tips();
  assert.ok(after - beside > 0.2 && after < 1 && beside > -1, `${after} ${beside} ${over}`);
  assert.deepEqual(await page.locator(".view > .label:visible").allInnerTexts(), ["After", "Before"]);
  await picture(page, "viewer-beside");
  await page.click("#ghost-off");
  await page.waitForFunction(() => !viewer.scene.ghost.group.visible);
  assert.equal(await page.locator(".ghost-note").isVisible(), false);
  await page.click("#tab-edit");
  await page.click("#mirror");
  await page.waitForFunction(() => viewer.store.state.openFiles[0].versions.length === 4);
  assert.deepEqual(await marks("figure"), {});
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("changes are not lost when the page is left, or when the file changes", async () => {
  const page = await open(browser());
  const [first, second] = [wave, pinch].map((file) => [...readFileSync(file)]);
  await page.evaluate(([bytes]) => viewer.actions.open([{ name: "take.bin", source: 7, bytes: async () => new Uint8Array(bytes) }]), [first]);
  await settled(page);
  const warns = () => page.evaluate(() => {
    const event = new Event("beforeunload", { cancelable: true });
    dispatchEvent(event);
    return event.defaultPrevented;
  });
  assert.equal(await warns(), false);
  await page.click("#tab-markers");
  await page.fill("#marker-name", "mine");
  await page.click("#marker-add");
  assert.equal(await warns(), true);
  await page.evaluate((bytes) => viewer.actions.reload(7, { bytes: new Uint8Array(bytes), parts: {} }), second);
  assert.match(await message(page), /take\.bin has changed\. Your changes are kept\./);
  const names = "recording.markers().map((marker) => marker.name)";
  assert.ok((await shown(page, names)).includes("mine"));
  await page.click("#message-action");
  await page.waitForFunction(() => viewer.store.state.openFiles[0].current === 2);
  assert.equal((await shown(page, names)).includes("mine"), false);
  assert.equal(await warns(), false);
  await page.click("#undo");
  assert.ok((await shown(page, names)).includes("mine"));
  // A saved recording is not lost.
  await save(page);
  assert.equal(await warns(), false);
  // The file changes while it is edited.
  await page.evaluate(async (bytes) => {
    const edited = viewer.actions.change("smooth");
    await viewer.actions.reload(7, { bytes: new Uint8Array(bytes), parts: {} });
    await edited;
  }, second);
  assert.match(await message(page), /take\.bin has changed\. Your changes are kept\./);
  assert.equal(await page.evaluate(() => viewer.store.state.openFiles[0].versions.at(-1).label), "smooth");
  assert.ok((await shown(page, names)).includes("mine"));
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("Undo has no limit, and makes versions again that are not in memory", async () => {
  const page = await open(browser());
  await drop(page, wave);
  await page.evaluate(async () => {
    await viewer.actions.change("trim", [0.5, 3]);
    for (let number = 0; number < 40; number++) viewer.actions.edit("addMarker", (found) => found.addMarker(1, `m${number}`));
    await viewer.actions.change("mirror");
    // The versions between the first one and the shown one leave the memory.
    const [file] = viewer.store.state.openFiles;
    const versions = file.versions.map((version, index) => (index > 0 && index < file.current ? { ...version, recording: null } : version));
    viewer.store.update({ openFiles: [{ ...file, versions }] });
  });
  await settled(page);
  await page.evaluate(async () => {
    for (let number = 0; number < 41; number++) await viewer.actions.undo();
  });
  assert.equal(await page.evaluate(() => viewer.store.state.openFiles[0].current), 1);
  assert.ok((await save(page)).equals(await written("trimmed-again.bin", "trim", wave, "--time", "0.5..3")));
  // The ghost of the file before the changes is shown at the same time of the movement.
  await page.evaluate(() => viewer.store.update({ ghost: -2, time: 1.25 }));
  const palms = await page.evaluate(() => {
    viewer.scene.update();
    return [viewer.scene.figure, viewer.scene.ghost].map((figure) => figure.vector("right.Palm.position").toArray());
  });
  assert.ok(Math.hypot(...palms[0].map((value, axis) => value - palms[1][axis])) < 1e-5, JSON.stringify(palms));
  await page.click("#tab-diff");
  await settled(page);
  assert.match(await page.locator("#panel").innerText(), /Equivalent|Equal/);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("a timeline keeps its zoom and its camera after an edit, and follows playback", async () => {
  const page = await open(browser());
  await drop(page, wave);
  await page.evaluate(() => viewer.actions.zoom(0.25, 1));
  const view = () => page.evaluate(() => viewer.store.state.view);
  const camera = () => page.evaluate(() => viewer.scene.camera.position.toArray());
  await page.evaluate(() => viewer.scene.camera.position.set(1, 2, 3));
  const before = await view();
  await page.evaluate(() => viewer.actions.edit("addMarker", (found) => found.addMarker(1, "m")));
  assert.deepEqual(await view(), before);
  assert.deepEqual(await camera(), [1, 2, 3]);
  await page.evaluate(() => (viewer.actions.seek(3.5), viewer.actions.togglePlay()));
  await page.waitForFunction(() => viewer.store.state.view[1] >= viewer.store.state.time && viewer.store.state.view[0] > 1);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("a conversion says what it loses", async () => {
  const page = await open(browser());
  await drop(page, pinch);
  const [download] = await Promise.all([page.waitForEvent("download"), page.selectOption("#save", "bvh")]);
  assert.match(download.suggestedFilename(), /\.bvh$/);
  await page.waitForFunction(() => /dropped: the head, the gaze, pinching/.test(viewer.store.state.message?.text));
  assert.equal((await state(page)).message.kind, "warning");
  await page.context().close();
});

test("files that are not recordings are errors, and the page goes on", async () => {
  const page = await open(browser());
  const bytes = readFileSync(wave);
  let state32 = 1;
  const random = () => (state32 = (Math.imul(state32, 1664525) + 1013904223) >>> 0);
  const mutated = Array.from({ length: 40 }, (_, index) => {
    const copy = Buffer.from(bytes.subarray(0, random() % bytes.length));
    for (let flips = random() % 50; flips > 0 && copy.length > 20; flips--) copy[16 + (random() % (copy.length - 16))] = random();
    return { name: `mutated-${index}.bin`, bytes: copy };
  });
  for (const file of [{ name: "empty.bin", bytes: [] }, { name: "text.bin", bytes: [...Buffer.from("hello world, hello")] }, ...mutated]) {
    await drop(page, file);
    for (const panel of ["info", "measures", "findings"]) {
      await page.evaluate((name) => viewer.store.update({ panel: name }), panel);
      await settled(page);
    }
  }
  await page.evaluate(() => viewer.store.update({ message: null }));
  await drop(page, wave);
  assert.equal(await shown(page, "recording.duration"), 4);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("the overview of many files has no cards that overlap", async () => {
  const page = await open(browser());
  await drop(page, ...Array.from({ length: 12 }, () => [wave, pinch]).flat());
  await page.waitForFunction(() => document.querySelectorAll(".overview img[src^=data]").length === 24);
  const cards = await page.$$eval(".card", (nodes) => nodes.map((node) => {
    const [card, detail] = [node, node.querySelector(".detail")].map((part) => part.getBoundingClientRect());
    return { left: card.left, top: card.top, bottom: card.bottom, end: detail.bottom };
  }));
  for (const [index, card] of cards.entries()) {
    assert.ok(card.end <= card.bottom, `the text of card ${index} is outside of it`);
    const below = cards.find((other) => other.left === card.left && other.top > card.top);
    assert.ok(!below || below.top >= card.bottom, `card ${index} overlaps the next one`);
  }
  // A message is above the overview.
  await page.evaluate(() => viewer.actions.note("a note"));
  const isTop = () => {
    const box = document.querySelector(".message pre").getBoundingClientRect();
    return document.elementFromPoint(box.left + 4, box.top + 4)?.closest(".message") !== null;
  };
  await page.waitForFunction(isTop);
  await page.context().close();
});

test("times at which values are unknown stay unknown in the page, in edits and in saved files", async () => {
  const header = "time_s,gaze.origin.x,gaze.origin.y,gaze.origin.z,gaze.direction.x,gaze.direction.y,gaze.direction.z";
  const rows = Array.from({ length: 50 }, (_, row) => `${row / 10},${row > 10 && row < 30 ? ",,,,," : "0,1.6,0,0,0,1"}`);
  const page = await open(browser());
  await drop(page, { name: "gaze.csv", bytes: Buffer.from([header, ...rows].join("\n")) });
  assert.match(await message(page), /the gaze is unknown for 2 s/);
  // The table says nothing of hands, so they are unknown at all times.
  const gaze = ({ element }) => element === "gaze";
  assert.deepEqual((await shown(page, "recording.gaps")).filter(gaze), [{ element: "gaze", unknown: [[1, 3]] }]);
  await page.evaluate(() => viewer.store.update({ message: null }));
  // An edit is made in a worker.
  await page.evaluate(() => viewer.store.update({ inPoint: 0.5, outPoint: 4 }));
  await page.keyboard.press("t");
  await page.waitForFunction(() => viewer.store.state.openFiles[0].versions.length === 2);
  assert.deepEqual((await shown(page, "recording.gaps")).filter(gaze), [{ element: "gaze", unknown: [[0.5, 2.5]] }]);
  const json = JSON.parse(await save(page, "json"));
  assert.deepEqual(json.gaps.filter(gaze), [{ element: "gaze", unknown: [[0.5, 2.5]] }]);
  await page.evaluate(() => viewer.store.update({ message: null }));
  await save(page, "bin");
  assert.match(await message(page), /the gaze is unknown for 2 s/);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("two recordings are listed and compared", async () => {
  const page = await open(browser(), { size: [1440, 900] });
  await drop(page, wave, pinch);
  assert.equal((await state(page)).count, 2);
  // The overview has a small figure of each file.
  assert.equal(await page.locator(".overview img").count(), 2);
  const widths = await page.$$eval(".overview img", async (images) => {
    await Promise.all(images.map((image) => image.decode()));
    return images.map((image) => image.naturalWidth);
  });
  assert.deepEqual(widths, [280, 280]);
  await page.click("#overview-1");
  assert.equal((await state(page)).selected, 1);
  assert.equal(await page.locator(".overview").isVisible(), false);
  await page.click("#file-0");
  await page.click("#tab-diff");
  await page.selectOption("#ghost", "1");
  await settled(page);
  assert.match(await page.locator("#panel").innerText(), /Different/);
  await page.selectOption("#plot", "difference");
  await page.evaluate(() => viewer.actions.seek(1));
  await picture(page, "viewer-diff");
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("measures have groups, definitions and a search, and the table of all recordings is the table of the program", async () => {
  const page = await open(browser(), { size: [1440, 900] });
  await drop(page, wave, pinch);
  await page.click("#file-0");
  await page.click("#tab-measures");
  await page.waitForSelector(".measure-list details");
  const numbers = () => page.$$eval(".measure-list .number", (nodes) => nodes.map((node) => Number(node.textContent)));
  // Each measure with a value has a definition, and is in a group; quantities have one row for all their statistics.
  const names = await page.evaluate(async () => {
    const { state } = viewer.store;
    const { measures } = await viewer.background.ask("measures", [state.openFiles[0].versions[0].recording], { numbers: [0, 4] });
    return measures.filter(({ value }) => value !== null).map(({ name }) => name);
  });
  const rows = names.filter((name) => !/\.(sd|min|median|p95|max)$/.test(name));
  assert.ok(rows.length > 100 && names.length > 2 * rows.length, `${rows.length} of ${names.length}`);
  assert.equal((await numbers()).reduce((sum, count) => sum + count, 0), rows.length);
  // The definitions are the ones of the library.
  await page.click("#summary-movements");
  const documented = readFileSync(new URL("../../docs/analysis.md", import.meta.url), "utf8");
  const advice = await page.$$eval(".measure-list .advice", (nodes) => nodes.map((node) => node.textContent));
  assert.ok(advice.length > 5 && advice.every((definition) => documented.replaceAll("`", "").includes(`| ${definition} |`)));
  // The search looks in names and definitions, and keeps the focus.
  await page.click("#measure-search");
  await page.keyboard.type("spectral arc");
  assert.deepEqual(await page.$$eval(".measure-list h2", (nodes) => nodes.map((node) => node.textContent)), ["Movement, SPARC"]);
  assert.equal(await page.evaluate(() => document.activeElement.id), "measure-search");
  await page.selectOption("#statistic", "max");
  await page.check('[id="measure-right.movement.sparc.max"]');
  await page.fill("#measure-search", "no such measure");
  assert.match(await page.locator(".measure-list").innerText(), /No measures found/);
  await page.fill("#measure-search", "");
  // The table has all recordings.
  await page.click("#measure-table");
  await page.waitForFunction(() => !document.querySelector("#save-measures").disabled);
  assert.deepEqual(await page.$$eval(".measure-table tbody th", (nodes) => nodes.map((node) => node.textContent)), ["wave.bin", "pinch-drag.bin"]);
  await page.click('[id="drop-damaged"]');
  await picture(page, "viewer-measures");
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save-measures")]);
  assert.equal(download.suggestedFilename(), "measures.csv");
  const parse = (text) => text.trimEnd().split("\n").map((line) => line.split(",").map((cell) => (cell === "" || isNaN(cell) ? cell : Number(cell))));
  const [head, ...values] = parse(readFileSync(await download.path(), "utf8"));
  assert.ok(head.includes("right.movement.sparc.max") && !head.includes("damaged") && head.length > 10);
  assert.deepEqual(head.splice(-2), ["findings", "uncertain_keys"]);
  for (const line of values) line.splice(-2);
  const [wantedHead, ...wanted] = parse(await run("stats", wave, pinch, "--format", "csv"));
  assert.deepEqual(values, wanted.map((line) => head.map((name) => line[wantedHead.indexOf(name)])));
  // A click on a title sorts the rows, the next click reverses them, and the third click returns to the order of the files.
  const order = () => page.$$eval(".measure-table tbody th", (nodes) => nodes.map((node) => node.textContent));
  const orders = [];
  for (let click = 0; click < 3; click++) {
    await page.click('[id="sort-duration"]');
    orders.push([await page.getAttribute('th:has([id="sort-duration"])', "aria-sort"), ...await order()]);
  }
  const byDuration = [wave, pinch].map((path, index) => [values[index][head.indexOf("duration")], path.replace(/.*\//, "")]).sort(([a], [b]) => a - b);
  const shortestFirst = byDuration.map(([, name]) => name);
  assert.deepEqual(orders, [["ascending", ...shortestFirst], ["descending", ...shortestFirst.toReversed()], [null, "wave.bin", "pinch-drag.bin"]]);
  // The in and out points select the range in all recordings.
  await clickTime(page, 1);
  await page.keyboard.press("i");
  await clickTime(page, 2);
  await page.keyboard.press("o");
  await page.waitForFunction(() => !document.querySelector("#save-measures").disabled);
  const { inPoint, outPoint } = await state(page);
  const ranges = await page.$$eval(".measure-table tbody tr", (nodes) => nodes.map((node) => node.children[1].textContent));
  assert.deepEqual(ranges, Array(2).fill(`${inPoint.toFixed(3)} s – ${outPoint.toFixed(3)} s`));
  // A click on a name shows the recording. The table closes.
  await page.click("#row-1");
  assert.equal((await state(page)).selected, 1);
  await page.click("#table-close");
  assert.equal(await page.locator(".measure-table").isVisible(), false);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("the page is accessible in light and dark, on a laptop and a tablet", async () => {
  for (const [scheme, size] of [["light", [1280, 800]], ["dark", [820, 1180]]]) {
    const page = await open(browser(), { scheme, size });
    await page.evaluate(axe);
    const check = async (where) => {
      const { violations } = await page.evaluate(() => globalThis.axe.run());
      assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes[0].html]), [], `${scheme} ${where}`);
    };
    await check("empty");
    await drop(page, await damaged(), wave);
    await check("overview");
    await page.click("#file-0");
    for (const panel of ["findings", "info", "curves", "markers", "edit", "diff", "measures", "events"]) {
      await page.click(`#tab-${panel}`);
      if (panel === "curves") for (const branch of ["head", "right", "right.Thumb", "right.ThumbTip"]) await page.click(`[id="branch-${branch}"] > summary`);
      await settled(page);
      await check(panel);
    }
    await page.click("#tab-measures");
    await page.click("#summary-hands");
    await page.click("#measure-table");
    await settled(page);
    await check("table");
    await page.click("#tab-findings");
    if (scheme === "dark") await picture(page, "viewer-tablet");
    await page.click("#repair");
    await page.waitForFunction(() => viewer.store.state.openFiles[0].versions.length === 2);
    await settled(page);
    await page.click("#beside");
    await check("repaired");
    await page.context().close();
  }
});

test("no text is missing or cut off in any language", async () => {
  const page = await open(browser());
  await drop(page, await damaged());
  // The view then has notes about the ghost and the marks.
  await page.click("#repair");
  await page.waitForFunction(() => viewer.store.state.openFiles[0].versions.length === 2);
  await settled(page);
  for (const language of ["en", "fr", "ko", "ru", "zh-Hans", "zh-Hant"]) {
    await page.selectOption("#language", language);
    for (const panel of ["findings", "info", "curves", "markers", "edit", "diff", "measures", "events"]) {
      await page.click(`#tab-${panel}`);
      const problems = await page.evaluate(() =>
        [...document.querySelectorAll("button, option, p, label, th, dt, dd, summary, .view-notes span")]
          .filter((node) => node.offsetParent !== null || node.tagName === "OPTION")
          .filter((node) => /^[a-z]+[A-Z]\w*$|undefined|\{\w+\}/.test(node.textContent) || node.scrollWidth > node.clientWidth + 2)
          .map((node) => node.outerHTML),
      );
      assert.deepEqual(problems, [], `${language} ${panel}`);
      // The chosen text of a list is complete.
      const cut = await page.evaluate(() => {
        const context = document.createElement("canvas").getContext("2d");
        return [...document.querySelectorAll("select")].filter((node) => node.offsetParent !== null).filter((node) => {
          const style = getComputedStyle(node);
          context.font = style.font;
          const { width } = context.measureText(node.selectedOptions[0]?.textContent ?? "");
          return width > node.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
        }).map(({ id }) => id);
      });
      assert.deepEqual(cut, [], `${language} ${panel}`);
    }
  }
  await page.context().close();
});

test("a report opens from disk without a network", async () => {
  const report = join(out, "report.html");
  await run("report", wave, pinch, "--force", "-o", report);
  const page = await open(browser(), { address: `file://${report}` });
  await page.context().setOffline(true);
  await page.reload();
  await page.waitForFunction(() => globalThis.viewer?.store.state.openFiles.length === 2);
  assert.equal(await shown(page, "recording.duration"), 4);
  await page.waitForFunction(() => document.querySelectorAll(".overview img[src^=data]").length === 2);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

/** Creates a folder with recordings on two levels, and other files. */
function folder() {
  const top = join(out, "dropped");
  rmSync(top, { recursive: true, force: true });
  mkdirSync(join(top, "inner"), { recursive: true });
  copyFileSync(wave, join(top, "b.bin"));
  copyFileSync(pinch, join(top, "inner", "a.BIN"));
  writeFileSync(join(top, "notes.txt"), "not a recording");
  return top;
}

/** Waits until files with these names are open. */
async function opened(page, ...names) {
  const isOpen = (wanted) => viewer.store.state.openFiles.map((file) => file.name).join() === wanted.join();
  await page.waitForFunction(isOpen, names);
  assert.equal((await state(page)).message, null);
  await settled(page);
}

/** Waits for a message of the page, and returns it. */
async function message(page) {
  await page.waitForFunction(() => viewer.store.state.message);
  return page.locator(".message pre").innerText();
}

test("dragged files and folders open, from disk, in a report, and from a server", async () => {
  const report = join(out, "drag.html");
  await run("report", wave, "--force", "-o", report);
  const { address, stop } = await serve(wave);
  try {
    for (const [page, ...first] of [
      [await open(browser())],
      [await open(browser(), { address: `file://${report}` }), "wave.bin"],
      [await open(browser(), { address }), "wave.bin"],
    ]) {
      await opened(page, ...first);
      await drag(page, pinch);
      await opened(page, ...first, "pinch-drag.bin");
      await drag(page, wave, pinch);
      await opened(page, ...first, "pinch-drag.bin", "wave.bin", "pinch-drag.bin");
      await drag(page, folder(), wave);
      await opened(page, ...first, "pinch-drag.bin", "wave.bin", "pinch-drag.bin", "b.bin", "inner/a.BIN", "wave.bin");
      assert.deepEqual(page.errors, []);
      await page.context().close();
    }
  } finally {
    stop();
  }
});

/** Writes the files of other programs to a folder under their usual names, beside files that are not recordings. */
function foreignFolder() {
  const top = join(out, "foreign");
  rmSync(top, { recursive: true, force: true });
  mkdirSync(join(top, "inner"), { recursive: true });
  for (const { file, name } of foreign()) copyFileSync(file, join(top, name.startsWith("game") ? "inner" : ".", name));
  for (const name of ["notes.txt", "package.json", "participants.csv", "video.mp4"]) writeFileSync(join(top, name), "a,b\n1,2\n");
  return top;
}

/** Returns the file that the program converts a file to. */
async function converted(file) {
  const output = join(out, "converted.bin");
  await run("convert", "--quiet", "--force", file, output);
  return readFileSync(output);
}

test("files of other programs open by a drop, by the dialog and from a folder, with their notes", async () => {
  const folder = foreignFolder();
  const files = foreign().map(({ name }) => join(folder, name.startsWith("game") ? "inner" : ".", name));
  const page = await open(browser());
  const count = (wanted) => page.waitForFunction((length) => viewer.store.state.openFiles.length === length, wanted);
  for (const [index, file] of files.entries()) {
    await page.evaluate(() => viewer.store.update({ message: null }));
    await drag(page, file);
    await count(index + 1);
    await settled(page);
    await page.evaluate((index) => viewer.actions.select(index), index);
    assert.ok(Buffer.from(await shown(page, "Array.from(recording.withParts({}).toBytes())")).equals(await converted(file)), file);
  }
  const episode = await page.evaluate(() => (viewer.actions.select(0), viewer.store.state.openFiles[0].name));
  assert.equal(episode, "episode.hdf5");
  await page.evaluate(() => viewer.store.update({ message: null }));
  await settled(page);
  await picture(page, "viewer-egodex");
  // The notes of the program are shown.
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.click("#open")]);
  await chooser.setFiles(files[0]);
  await count(files.length + 1);
  assert.match(await message(page), /^episode\.hdf5\n[^]*EgoDex has no palms, pinch states or gaze/);
  // A saved copy has the name of its own format.
  for (const [format, wanted] of [["bin", "episode.bin"], ["isaac", "episode.isaac.mcap"], ["xdf", "episode.xdf"], ["iwer", "episode.iwer.json"]]) {
    const [download] = await Promise.all([page.waitForEvent("download"), page.selectOption("#save", format)]);
    assert.equal(download.suggestedFilename(), wanted);
    const saved = join(out, wanted);
    await download.saveAs(saved);
    assert.match(await run("info", saved, "--brief"), /0\.033/, wanted);
  }
  // A folder without recordings of MRTK opens the files of other binary formats.
  await page.context().close();
  const other = await open(browser());
  await drag(other, folder);
  await other.waitForFunction((length) => viewer.store.state.openFiles.length === length && !viewer.store.state.opening, files.length);
  const names = await other.evaluate(() => viewer.store.state.openFiles.map(({ name }) => name));
  assert.deepEqual(names, ["episode.h5", "episode.hdf5", "inner/game.xror", "study.xdf", "study.xdf.gz", "teleoperation.mcap"]);
  assert.doesNotMatch(await message(other), /participants|package|video|notes\.txt/);
  copyFileSync(wave, join(folder, "wave.bin"));
  await drag(other, folder);
  await other.waitForFunction((length) => viewer.store.state.openFiles.length === length && !viewer.store.state.opening, files.length + 1);
  assert.deepEqual(page.errors.concat(other.errors), []);
  await other.context().close();
});

test("the program shows files of all formats that it reads", async () => {
  const written = [];
  for (const extension of ["mcap", "parquet", "gltf", "isaac.mcap", "xdf", "csv"]) {
    const output = join(out, `viewed.${extension}`);
    await run("convert", "--quiet", "--force", wave, output);
    written.push(output);
  }
  const broken = join(out, "broken.hdf5");
  writeFileSync(broken, readFileSync(foreign()[0].file).subarray(0, 5000));
  const files = [...foreign().map(({ file }) => file), ...written];
  const { address, stop } = await serve(...files, broken);
  try {
    const page = await open(browser(), { address });
    await page.waitForFunction((length) => viewer.store.state.openFiles.length === length && !viewer.store.state.opening, files.length);
    for (const [index, file] of files.entries()) {
      await page.evaluate((index) => viewer.actions.select(index), index);
      assert.ok(Buffer.from(await shown(page, "Array.from(recording.withParts({}).toBytes())")).equals(await converted(file)), file);
    }
    const told = await message(page);
    assert.match(told, /EgoDex has no palms, pinch states or gaze/);
    // An error has its reason, and not the status of the answer.
    assert.match(told, /^broken\.hdf5: (?!422|broken)/m);
    assert.deepEqual(page.errors, []);
    await page.context().close();
  } finally {
    stop();
  }
});

test("a drop that cannot be opened is a message", async () => {
  const page = await open(browser());
  const empty = join(out, "no-recordings");
  mkdirSync(empty, { recursive: true });
  await drag(page, empty);
  assert.equal(await message(page), "no-recordings: the folder contains no recordings");
  // The other files of a drop open, and there is a message for each failure.
  const broken = ["broken-1.bin", "broken-2.bin"].map((name) => join(out, name));
  for (const file of broken) writeFileSync(file, "not a recording at all");
  await page.evaluate(() => viewer.store.update({ message: null }));
  await drag(page, broken[0], empty, wave, broken[1]);
  await page.waitForFunction(() => viewer.store.state.openFiles.length === 1);
  await page.waitForFunction(() => /broken-2/.test(viewer.store.state.message?.text));
  assert.match(await message(page), /^broken-1\.bin: [^]*^no-recordings: [^]*^broken-2\.bin: /m);
  // This simulates a browser that can read neither files nor folders.
  await page.evaluate(() => {
    DataTransferItem.prototype.getAsFileSystemHandle = () => Promise.reject(new DOMException("denied", "NotAllowedError"));
    File.prototype.arrayBuffer = () => Promise.reject(new DOMException("gone", "NotReadableError"));
    viewer.store.update({ message: null });
  });
  await drag(page, folder());
  assert.match(await message(page), /^dropped: the browser cannot read this folder: drop the recordings in it instead/);
  await page.evaluate(() => viewer.store.update({ message: null }));
  await drag(page, wave);
  assert.equal(await message(page), "wave.bin: gone");
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("an error that no code handles is a message", async () => {
  const page = await open(browser());
  for (const [raise, wanted] of [
    ["void Promise.reject(new Error('a promise failed'))", "a promise failed"],
    ["void Promise.reject()", "unknown error"],
    ["setTimeout(() => { throw new Error('a listener failed') })", "a listener failed"],
  ]) {
    await page.evaluate((code) => (viewer.store.update({ message: null }), void setTimeout(new Function(code))), raise);
    assert.equal(await message(page), wanted);
  }
  await page.context().close();
  // Errors are also shown before the page is complete.
  const context = await browser().newContext();
  const broken = await context.newPage();
  await broken.addInitScript("WebAssembly.compile = () => Promise.reject(new Error('no WebAssembly'))");
  await broken.goto(viewerAddress);
  await broken.getByText("no WebAssembly").waitFor();
  await context.close();
});

/**
 * Makes workers hang when they compute the measures of a time range that starts at 42 s, repair, export or import. They wait
 * for a change of memory that never comes, so that they need no processor.
 */
function hang() {
  const worker = document.getElementById("worker");
  const prefix = `addEventListener("message", ({ data }) => {
    if (data.numbers[0] === 42 || ["repair", "export", "import"].includes(data.question)) {
      const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
      Atomics.wait(new Int32Array(memory.buffer), 0, 0);
    }
  });`;
  worker.textContent = prefix + worker.textContent;
}

test("a question that hangs does not block the others, and can be cancelled", async () => {
  const page = await open(browser());
  await page.evaluate(hang);
  await drop(page, wave);
  await page.evaluate(() => {
    const recording = viewer.store.state.openFiles[0].versions[0].recording;
    const ask = (numbers, signal) => viewer.background.ask("measures", [recording], { numbers }, signal);
    globalThis.stop = new AbortController();
    globalThis.hanging = ask([42, 43], stop.signal).catch((error) => error.message);
    // There are more hanging questions than workers. The page stops them even if nobody cancels them.
    globalThis.others = [1, 2, 3].map(() => ask([42, 43]).catch((error) => error.message));
    globalThis.answered = ask([0, 1]).then(({ range }) => range);
  });
  assert.equal(await page.evaluate(() => (stop.abort(), hanging)), "Cancelled");
  assert.deepEqual(await page.evaluate(() => answered), { start: 0, end: 1 });
  const reasons = await page.evaluate(() => Promise.race(others));
  assert.match(reasons, /^Stopped, because it took long/);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("the examination of a recording can be cancelled and started again", async () => {
  const page = await open(browser());
  await page.evaluate(hang);
  await drop(page, wave);
  await page.evaluate(() => viewer.store.update({ panel: "measures", inPoint: 42, outPoint: 43 }));
  await page.locator("#panel #cancel").click();
  assert.match(await page.locator("#panel").innerText(), /Cancelled/);
  await picture(page, "viewer-cancelled");
  await page.evaluate(() => viewer.store.update({ inPoint: null, outPoint: null }));
  await page.click("#retry");
  await page.waitForFunction(() => document.querySelector(".panels table"));
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("edits and conversions are made in a worker, and can be cancelled", async () => {
  const page = await open(browser());
  await page.evaluate(hang);
  await drop(page, wave);
  await page.click("#tab-edit");
  await page.click("#repair");
  // The page is not blocked: it plays, but refuses a second edit.
  await page.keyboard.press("Space");
  await page.waitForFunction(() => viewer.store.state.time > 0.1);
  assert.equal(await page.locator("#mirror").isDisabled(), true);
  assert.equal(await page.evaluate(() => viewer.actions.edit("shift", (recording) => recording.shift(1))), false);
  await picture(page, "viewer-working");
  const cancelled = async (name) => {
    await page.click("#cancel-edit");
    assert.equal(await message(page), `${name}: Cancelled`);
    await page.evaluate(() => viewer.store.update({ message: null }));
  };
  await cancelled("wave.bin");
  // Conversions to other formats behave in the same way.
  await page.selectOption("#save", "glb");
  await cancelled("wave.bin");
  await page.evaluate(() => {
    const bytes = async () => new TextEncoder().encode("a table, for example");
    void viewer.actions.open([{ name: "table.csv", bytes }]);
  });
  await cancelled("table.csv");
  await page.click("#mirror");
  await page.waitForFunction(() => viewer.store.state.openFiles[0].versions.length === 2);
  assert.ok((await save(page)).equals(await written("mirrored.bin", "mirror", wave)));
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("an edit continues while another file is shown, and ends with its file", async () => {
  const page = await open(browser());
  await drop(page, wave, pinch);
  await page.click("#file-0");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.evaluate(() => {
      globalThis.repairing = viewer.actions.change("smooth");
      // The file that was shown is saved, with its edit.
      void viewer.actions.save("bin");
      viewer.actions.select(1);
      return repairing.then(() => undefined);
    }),
  ]);
  assert.equal(download.suggestedFilename(), "wave-edited.bin");
  assert.deepEqual(await page.evaluate(() => viewer.store.state.openFiles.map((file) => file.versions.length)), [2, 1]);
  await page.evaluate(() => {
    globalThis.repairing = viewer.actions.change("smooth");
    viewer.actions.close(1);
    return repairing.then(() => undefined);
  });
  assert.deepEqual(await page.evaluate(() => viewer.store.state.openFiles.map((file) => file.versions.length)), [2]);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("a recording is shown while it is made, and is the file at the end", async () => {
  const output = join(out, "live.bin");
  const printed = (await run("sample", wave, "--rate", "60", "--format", "ndjson")).trimEnd().split("\n");
  // Without the marker of the sample, so that the first one is that of the user.
  const frames = printed.map((line) => JSON.stringify({ ...JSON.parse(line), markers: undefined }));
  const { address, input, ended, stop } = await record("--force", "-o", output);
  try {
    const page = await open(browser(), { address });
    input.write(`${frames.slice(0, 120).join("\n")}\n`);
    await page.waitForFunction(() => viewer.store.state.live?.time > 1.9);
    assert.ok(await page.evaluate(() => viewer.store.state.following && viewer.store.state.time > 1.9));
    // The figure shows the last frame.
    const { right } = JSON.parse(frames[119]);
    const palm = await page.evaluate(() => (viewer.scene.update(), viewer.scene.figure.vector("right.Palm.position").toArray()));
    assert.deepEqual(palm.map(Math.fround), right.joints.Palm.position.map((value, axis) => Math.fround(axis === 2 ? -value : value)));
    // A click adds a marker while frames arrive, and redraws of the panel do not disturb it.
    await page.click("#tab-markers");
    await page.click("#marker-name");
    await page.keyboard.type("grab");
    input.write(`${frames.slice(120, 130).join("\n")}\n`);
    await page.waitForTimeout(1200);
    const add = await page.locator("#marker-add").boundingBox();
    await page.mouse.move(add.x + 5, add.y + 5);
    await page.mouse.down();
    input.write(`${frames.slice(130, 140).join("\n")}\n`);
    await page.waitForTimeout(1200);
    await page.mouse.up();
    await page.waitForFunction(() => document.querySelector("#marker-0")?.value === "grab");
    // The user looks at an earlier time, and then follows again.
    await page.waitForFunction(() => viewer.store.state.openFiles[0]?.versions[0].recording.duration > 1.5);
    await page.evaluate(() => viewer.actions.seek(0.5));
    input.write(`${frames.slice(140, 180).join("\n")}\n`);
    await page.waitForFunction(() => viewer.store.state.live?.time > 2.9);
    assert.equal((await state(page)).time, 0.5);
    await page.click("#live");
    await page.waitForFunction(() => viewer.store.state.time > 2.9);
    input.end(`${frames.slice(180).join("\n")}\n`);
    await page.waitForFunction(() => viewer.store.state.openFiles.length === 1 && !viewer.store.state.live);
    assert.equal(await ended, 0);
    assert.deepEqual((await shown(page, "recording.markers()")).map(({ name }) => name), ["grab"]);
    assert.ok((await save(page)).equals(readFileSync(output)));
    await settled(page);
    assert.deepEqual(page.errors, []);
    await page.context().close();
  } finally {
    stop();
  }
});

test("a recording whose program is killed stays in the page", async () => {
  const frames = (await run("sample", wave, "--rate", "60", "--format", "ndjson")).trimEnd().split("\n");
  const { address, input, stop } = await record("--force", "-o", join(out, "killed.bin"));
  const page = await open(browser(), { address });
  input.write(`${frames.slice(0, 120).join("\n")}\n`);
  await page.waitForFunction(() => viewer.store.state.live?.time > 1.9);
  stop();
  await page.waitForFunction(() => viewer.store.state.openFiles.length === 1 && !viewer.store.state.live);
  assert.ok((await shown(page, "recording.duration")) > 1.9);
  await settled(page);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("a headset shows the recording, and records hands that MRTK can load", async () => {
  const page = await open(browser(), { before: headset("hand") });
  // The floor of a recording whose origin is at the head is on the floor of the room.
  await drop(page, { name: "wave.bin", bytes: await written("headset.bin", "transform", wave, "--origin", "head") });
  await page.click("#immersive-vr");
  await page.waitForFunction(() => viewer.scene.renderer.xr.isPresenting);
  await page.waitForFunction(() => Math.abs(viewer.scene.scene.position.y - 1.6) < 1e-6);
  // The canvas of the emulator covers the page.
  const press = (selector) => page.evaluate((found) => document.querySelector(found).click(), selector);
  await press("#record");
  await page.waitForTimeout(1500);
  await page.evaluate(() => headset.hands.right.position.set(0.3, 1.2, -0.5));
  await page.waitForTimeout(1500);
  await press("#record");
  await page.evaluate(() => viewer.scene.renderer.xr.getSession().end());
  await page.evaluate(() => viewer.scene.update());
  assert.ok(await page.evaluate(() => viewer.scene.scene.position.y === 0));
  assert.equal((await state(page)).count, 2);
  const bytes = await save(page);
  const file = join(out, "webxr.bin");
  writeFileSync(file, bytes);
  const [info] = JSON.parse(await run("info", "--format", "json", file));
  assert.equal(info.info.layout, "mrtk-1.1");
  const joints = info.info.streams.find((stream) => stream.stream === "right.joints");
  assert.ok(joints.keys > 0, JSON.stringify(info.info.streams));
  await drop(page, file);
  assert.equal((await state(page)).count, 3);
  assert.ok((await shown(page, "recording.duration")) > 2);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("a headset records controllers, with the names of OpenXR", async () => {
  const page = await open(browser(), { before: headset("controller") });
  await drop(page, wave);
  await page.click("#immersive-vr");
  await page.waitForFunction(() => viewer.scene.renderer.xr.isPresenting);
  const press = (selector) => page.evaluate((found) => document.querySelector(found).click(), selector);
  await page.evaluate(() => {
    const { right } = headset.controllers;
    right.position.set(0.25, 1.25, -0.5);
    right.updateButtonValue("trigger", 0.25);
    right.updateAxes("thumbstick", 0.5, -0.75);
  });
  await page.waitForTimeout(300);
  await press("#record");
  await page.waitForTimeout(700);
  await page.evaluate(() => headset.controllers.right.updateButtonValue("a-button", 1));
  await page.waitForTimeout(700);
  await press("#record");
  await page.evaluate(() => viewer.scene.renderer.xr.getSession().end());
  assert.equal((await state(page)).count, 2);
  const file = join(out, "webxr.json");
  writeFileSync(file, await save(page, "json"));
  const [info] = JSON.parse(await run("info", "--format", "json", file));
  const right = info.info.devices.find(({ device }) => device === "right.controller");
  assert.ok(right.profiles[0].startsWith("meta-quest-touch"), JSON.stringify(right));
  assert.deepEqual(right.poses, ["aim", "grip"]);
  assert.ok(["a.click", "b.click", "squeeze.click", "thumbstick.click", "trigger.click"].every((name) => right.buttons.includes(name)), right.buttons.join());
  assert.deepEqual(right.axes, ["squeeze.value", "thumbstick.x", "thumbstick.y", "trigger.value"]);
  const sampled = JSON.parse(await run("sample", file, "--at", "0.4", "--format", "ndjson"));
  const { poses, inputs } = sampled.devices["right.controller"];
  assert.deepEqual(poses.aim.position, [0.25, 1.25, 0.5]);
  const found = ["trigger.value", "trigger.click", "thumbstick.x", "thumbstick.y", "a.click"].map((name) => inputs[name]);
  assert.deepEqual(found, [0.25, true, 0.5, 0.75, false]);
  // With a controller in the hand, nothing is known about the hand.
  assert.equal(sampled.right, undefined);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

/** Returns the status of a request. */
function status(address, { path = "/", headers = {}, method = "GET" } = {}) {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, headers, method }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode));
    });
    sent.on("error", reject);
    sent.end();
  });
}

test("the server answers only its own page, and shows changed files again", async () => {
  const file = join(out, "served.bin");
  copyFileSync(wave, file);
  const { address, stop } = await serve(file, pinch);
  try {
    const token = new URL(address).search;
    assert.equal(await status(address, { path: `/${token}` }), 200);
    assert.equal(await status(address, { path: "/" }), 403);
    assert.equal(await status(address, { path: "/?token=0" }), 403);
    assert.equal(await status(address, { path: `/file/0${token}` }), 200);
    for (const path of ["/file/2", "/file/-1", "/file/../0", "/../Cargo.toml", "/file/%2e%2e/%2e%2e/etc/passwd", "/etc/passwd"]) {
      assert.equal(await status(address, { path: path + token }), 404, path);
    }
    assert.equal(await status(address, { path: `/${token}`, headers: { Host: "example.com" } }), 403);
    assert.equal(await status(address, { path: `/files${token}`, headers: { Origin: "https://example.com" } }), 403);
    assert.equal(await status(address, { path: `/${token}`, method: "POST" }), 405);
    const many = await Promise.all(Array.from({ length: 1000 }, () => status(address, { path: `/files${token}` })));
    assert.ok(many.every((code) => code === 200));

    const page = await open(browser(), { address });
    await page.waitForFunction(() => viewer.store.state.openFiles.length === 2);
    assert.equal(await shown(page, "recording.duration"), 4);
    await run("trim", wave, "--time", "0..1", "--quiet", "--force", "-o", file);
    await page.waitForFunction(() => {
      const [file] = viewer.store.state.openFiles;
      return file.versions[0].recording.duration === 1;
    });
    assert.deepEqual(page.errors, []);
    await page.context().close();
  } finally {
    stop();
  }
});

/** Returns the current and the peak memory of the largest renderer in bytes. */
async function memory() {
  const session = await browser().newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  const renderers = processInfo.filter(({ type }) => type === "renderer");
  const sizes = renderers.map(({ id }) => {
    const status = readFileSync(`/proc/${id}/status`, "utf8");
    return ["VmRSS", "VmHWM"].map((name) => 1024 * Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)[1]));
  });
  return sizes.sort(([a], [b]) => b - a)[0];
}

test("large recordings are shown before they are examined, and need little memory", async () => {
  const lines = [`${cpus().length} processors, ${cpus()[0].model.trim()}, load ${loadavg()[0].toFixed(1)}; drawn without a graphics card`];
  for (const seconds of [26, 600]) {
    const file = join(out, "large.bin");
    await run("generate", "two-hands", "--seconds", `${seconds}`, "--quiet", "--force", "-o", file);
    const { size } = statSync(file);
    const page = await open(browser());
    const [empty] = await memory();
    // The bytes do not pass through the test. The page reads the file as it does after a drop.
    const input = await page.evaluateHandle(() => document.body.appendChild(Object.assign(document.createElement("input"), { type: "file" })));
    await input.setInputFiles(file);
    const opened = await page.evaluate(async (node) => {
      const bytes = new Uint8Array(await node.files[0].arrayBuffer());
      globalThis.blocks = [];
      new PerformanceObserver((list) => blocks.push(...list.getEntries().map((entry) => entry.duration))).observe({ type: "longtask" });
      globalThis.begin = performance.now();
      await viewer.actions.open([{ name: "large.bin", bytes: async () => bytes }]);
      // Watchers draw all parts of the page in this microtask.
      await new Promise((resolve) => setTimeout(resolve));
      viewer.scene.redraw();
      viewer.scene.draw();
      return performance.now() - begin;
    }, input);
    // The page is not blocked while the recording is examined. The small recording may already be examined.
    if (seconds === 600) assert.ok(await page.evaluate(() => !viewer.background.isIdle));
    await settled(page);
    const [examined, blocks] = await page.evaluate(() => [performance.now() - begin, blocks]);
    const frame = await page.evaluate(() => {
      const before = performance.now();
      for (let frame = 0; frame < 200; frame++) {
        viewer.store.state.time = frame / 60;
        viewer.scene.update();
      }
      return (performance.now() - before) / 200;
    });
    // The worker ends after a few seconds, and its memory is free again.
    await page.waitForTimeout(4000);
    const [now, most] = await memory();
    const [module, objects] = await page.evaluate(() => [viewer.memorySize(), performance.memory.usedJSHeapSize]);
    const mega = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
    lines.push(
      `${mega(size)}: on the screen after ${opened.toFixed(0)} ms; examined after ${examined.toFixed(0)} ms`,
      `  ${frame.toFixed(2)} ms to sample and update a frame; the page was blocked for at most ${Math.max(0, ...blocks).toFixed(0)} ms`,
      `  memory: WebAssembly ${mega(module)}, JavaScript ${mega(objects)}; the process of the page ${mega(now)}, ` +
        `at most ${mega(most)}, with an empty page ${mega(empty)}`,
    );
    // The memory contains the bytes of the file, and its values for evaluation.
    assert.ok(module + objects < size + 150e6, `${mega(module)} and ${mega(objects)}`);
    await page.context().close();
  }
  console.log(lines.join("\n"));
});

const golden = new URL("golden/", import.meta.url);

/** Returns the part of the pixels that differ between two pictures. */
function difference(page, a, b) {
  return page.evaluate(async (both) => {
    const [one, two] = await Promise.all(both.map(async (base64) => {
      const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
      const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
      context.drawImage(image, 0, 0);
      return context.getImageData(0, 0, image.width, image.height);
    }));
    if (one.width !== two.width || one.height !== two.height) return 1;
    let different = 0;
    for (let pixel = 0; pixel < one.data.length; pixel += 4) {
      const largest = Math.max(...[0, 1, 2].map((channel) => Math.abs(one.data[pixel + channel] - two.data[pixel + channel])));
      if (largest > 24) different++;
    }
    return different / (one.width * one.height);
  }, [a, b].map((bytes) => bytes.toString("base64")));
}

/** Takes a picture of the view, and compares it with a picture that a person has checked. */
async function compareView(page, name) {
  await settled(page);
  await page.evaluate(() => (viewer.scene.redraw(), viewer.scene.draw()));
  const taken = await page.locator(".view").screenshot();
  const file = new URL(`${name}.png`, golden);
  if (process.env.SNAPSHOTS === "overwrite") writeFileSync(file, taken);
  writeFileSync(join(out, `view-${name}.png`), taken);
  // Versions of Chromium draw edges differently. A joint takes more pixels than this.
  const part = await difference(page, taken, readFileSync(file));
  assert.ok(part < 0.002, `${name}: ${(100 * part).toFixed(2)} % of the pixels differ; see ${join(out, `view-${name}.png`)}`);
  return taken;
}

test("the views look like their pictures", async () => {
  for (const scheme of ["light", "dark"]) {
    const page = await open(browser(), { size: [1000, 640], scheme });
    await drop(page, pinch);
    await page.evaluate(() => (viewer.store.update({ plot: "off" }), viewer.actions.seek(1.4)));
    const orbit = await compareView(page, `orbit-${scheme}`);
    if (scheme === "light") {
      for (const camera of ["top", "front", "head", "follow"]) {
        await page.selectOption("#camera", camera);
        await compareView(page, camera);
      }
      await page.selectOption("#camera", "orbit");
      // The ghost is the recording before it was moved in time.
      await page.evaluate(() => {
        viewer.actions.edit("trim", (recording) => recording.shift(0.4));
        viewer.store.update({ ghost: -2 });
      });
      const ghost = await compareView(page, "ghost");
      // This checks that the comparison detects different pictures.
      assert.ok((await difference(page, orbit, ghost)) > 0.002);
    }
    assert.deepEqual(page.errors, []);
    await page.context().close();
  }
});

test("a file with changes is closed only after a question", async () => {
  const page = await open(browser());
  await drop(page, wave, pinch);
  await page.click("#file-0");
  await page.click("#tab-markers");
  await page.click("#marker-add");
  await page.waitForFunction(() => document.title.startsWith("● wave.bin"));
  const close = async (answer) => {
    let question = null;
    page.once("dialog", (dialog) => ((question = dialog.message()), answer ? dialog.accept() : dialog.dismiss()));
    await page.click("#close-0");
    return [question, (await state(page)).count];
  };
  const question = "The changes of wave.bin are not saved. Close it?";
  assert.deepEqual(await close(false), [question, 2]);
  assert.deepEqual(await close(true), [question, 1]);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("a file that is closed while it is saved is saved completely", async () => {
  const other = await open(browser());
  await drop(other, wave);
  const whole = await save(other, "csv");
  await other.context().close();
  const page = await open(browser());
  // The first time, the page loads the module of the formats. The second time, it waits for a worker.
  for (const [index, count] of [[0, 1], [1, 2]]) {
    await drop(page, wave, pinch);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      // A fast user closes the file before anything else happens.
      page.evaluate((index) => {
        const node = document.getElementById("save");
        node.value = "csv";
        node.dispatchEvent(new Event("change", { bubbles: true }));
        document.getElementById(`close-${index}`).click();
      }, index),
    ]);
    assert.deepEqual(readFileSync(await download.path()), whole);
    assert.equal((await state(page)).count, count);
  }
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("a truncated file keeps its finding, and a repair its report", async () => {
  const page = await open(browser());
  await drop(page, { name: "cut.bin", bytes: readFileSync(wave).subarray(0, 100_000) });
  const codes = () => page.$$eval(".finding code", (nodes) => nodes.map((node) => node.textContent));
  await page.waitForSelector(".finding code");
  assert.equal((await codes())[0], "D7");
  await page.click("#tab-markers");
  await page.click("#marker-add");
  await page.click("#tab-findings");
  await page.waitForSelector(".finding code");
  assert.equal((await codes())[0], "D7");
  await page.click("#tab-edit");
  await page.click("#repair");
  await page.click("#tab-findings");
  await page.waitForSelector(".report");
  const report = await page.locator(".report").innerText();
  await page.evaluate(() => viewer.store.update({ message: null }));
  assert.match(report, /^Repaired \d+ keys/);
  assert.equal(await page.locator(".report").innerText(), report);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("chosen curves have the colours of their hands", async () => {
  const page = await open(browser());
  await drop(page, recording("two-hands.bin"));
  const color = () => page.$$eval(".legend-line i", (nodes) => nodes.map((node) => node.style.borderTopColor));
  await page.evaluate(() => viewer.store.update({ plot: "curves", curves: ["right.IndexTip.position.x", "left.IndexTip.position.x"] }));
  await page.waitForSelector(".legend-line");
  assert.deepEqual(await color(), ["rgb(213, 94, 0)", "rgb(0, 114, 178)"]);
  await page.context().close();
});

test("findings and measures are in the language of the page", async () => {
  const page = await open(browser());
  await drop(page, { name: "cut.bin", bytes: readFileSync(wave).subarray(0, 100_000) });
  await page.waitForSelector(".finding code");
  const texts = () => page.$$eval(".finding h2, .finding p", (nodes) => nodes.map((node) => node.textContent));
  const english = await texts();
  await page.selectOption("#language", "fr");
  const french = await texts();
  assert.equal(french.length, english.length);
  for (const [index, found] of french.entries()) assert.notEqual(found, english[index]);
  assert.match(french[3], /^Dommage · 1 × · right\.IndexTip\.position\.y$/);
  await page.click("#tab-measures");
  await page.click("#summary-head");
  await page.waitForFunction(() => /Vitesse de la tête/.test(document.querySelector(".measure-list").textContent));
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("controllers are drawn with their rays, their buttons are lanes, and their inputs are curves", async () => {
  const page = await open(browser());
  // A take with a controller, in lossless JSON.
  const take = JSON.parse(await written("controller.json", "shift", pinch, "--by", "0"));
  take.version = 3;
  const times = Array.from({ length: 41 }, (_, index) => index / 10);
  const curve = (name, kind, keys) => take.curves.push({ curve: `right.controller.${name}`, preWrap: 8, postWrap: 8, kind, keys });
  const moving = (name, value) => curve(name, "simple", times.map((time) => [time, value(time)]));
  moving("aim.position.x", () => 0.25);
  moving("aim.position.y", () => 1.2);
  moving("aim.position.z", () => 0.35);
  for (const axis of ["x", "y", "z"]) moving(`aim.rotation.${axis}`, () => 0);
  moving("aim.rotation.w", () => 1);
  moving("grip.position.x", () => 0.25);
  moving("grip.position.y", (time) => 1.2 + 0.1 * Math.sin(time));
  moving("grip.position.z", () => 0.3);
  moving("grip.rotation.x", () => 0);
  moving("grip.rotation.y", (time) => Math.sin(Math.sin(time) / 4));
  moving("grip.rotation.z", () => 0);
  moving("grip.rotation.w", (time) => Math.cos(Math.sin(time) / 4));
  curve("a.click", "boolean", [[0, 0], [1, 1], [2.5, 0]]);
  curve("b.click", "boolean", [[0, 0]]);
  moving("thumbstick.x", (time) => Math.sin(3 * time));
  curve("trigger.click", "boolean", [[0, 0], [3, 1]]);
  curve("trigger.value", "simple", [[1, 0.25], [4, 1]]);
  take.gaps = [{ element: "right.controller.trigger.value", unknown: [["-Infinity", 1]] }, { element: "right.controller.a.click", unknown: [[3, 3.5]] }];
  take.devices = [{
    device: "right.controller", profiles: [[0, true, "/interaction_profiles/valve/index_controller"]],
    haptics: [[1, "haptic", null, 160, 0.5]],
  }];
  await drop(page, { name: "controller.json", bytes: new TextEncoder().encode(JSON.stringify(take)) });
  await page.evaluate(() => viewer.store.update({ time: 2, panel: "info", plot: "curves", curves: ["right.controller.trigger.value", "right.controller.grip.position.y"] }));
  await settled(page);
  const drawn = await page.evaluate(() => {
    const found = [];
    viewer.scene.update();
    viewer.scene.scene.traverse((object) => {
      if (object.type === "Line" && object.visible && object.geometry.getAttribute("position")?.count === 2) {
        found.push([...object.geometry.getAttribute("position").array].map((value) => Number(value.toFixed(2))));
      }
    });
    return found;
  });
  // The aim points along −z in the axes of the scene.
  assert.ok(drawn.some((ray) => ray.join() === [0.25, 1.2, -0.35, 0.25, 1.2, -0.95].join()), JSON.stringify(drawn));
  const rows = await page.evaluate(() => document.querySelector("canvas.timeline").clientHeight);
  assert.equal(rows, 22 + 14 * (2 + 3 + 2));
  const info = await page.textContent("#panel");
  assert.ok(info.includes("/interaction_profiles/valve/index_controller") && info.includes("aim, grip"), info);
  assert.ok(info.includes("a.click") && info.includes("trigger.value"), info);
  const legend = await page.textContent(".plot");
  assert.ok(legend.includes("right.controller.trigger.value") && legend.includes("0.5"), legend);
  // The row of the device shows the unknown times of all parts, the row of a button only its own.
  const unknown = await page.evaluate(() => Object.fromEntries(viewer.lanes().map((lane) => [lane.name, lane.unknown])));
  const ofButton = { start: 3, end: 3.5 };
  const expected = { "right.controller": [ofButton, { start: 0, end: 1 }], "right.controller.a.click": [ofButton] };
  const found = Object.fromEntries(Object.keys(expected).map((name) => [name, unknown[name]]));
  const sorted = (lanes) => Object.fromEntries(Object.entries(lanes).map(([name, ranges]) => [name, ranges.toSorted((a, b) => a.start - b.start)]));
  assert.deepEqual(sorted(found), sorted(expected));
  assert.deepEqual(unknown["right.controller.trigger.click"], []);
  await picture(page, "viewer-controller");
  await page.evaluate(() => viewer.store.update({ panel: "curves" }));
  await page.click("#eye-right\\.controller");
  const isHidden = await page.evaluate(() => viewer.store.state.hidden.has("right.controller"));
  assert.ok(isHidden);
  assert.deepEqual(page.errors, []);
});
