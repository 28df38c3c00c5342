// Tests the time fields, the timeline, the keyboard and the layout of a phone with real gestures.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { browser, drop, open, out, recording, settled } from "./browser.mjs";

const wave = recording("wave.bin");
const pinch = recording("pinch-drag.bin");
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const documented = readFileSync(new URL("../../docs/viewer.md", import.meta.url), "utf8");

const values = (page) => page.evaluate(() => {
  const { time, inPoint, outPoint, view } = viewer.store.state;
  return { time, inPoint, outPoint, view };
});

/** Types into a field as a user does: a click selects its text. */
async function type(page, field, typed, key = "Enter") {
  await page.click(field);
  await page.keyboard.type(typed);
  await page.keyboard.press(key);
}

/** Returns the horizontal position of a time on the timeline, and the top of the timeline, in pixels of the page. */
async function placeOf(page, time) {
  const box = await page.locator("canvas.timeline").boundingBox();
  const { view: [from, to] } = await values(page);
  return [box.x + 74 + ((time - from) / (to - from)) * (box.width - 84), box.y];
}

test("a typed time moves the position, and text that is not a time is refused", async () => {
  const page = await open(browser());
  await drop(page, wave);
  for (const [typed, wanted] of [["1.5", 1.5], ["0:02.25", 2.25], ["0:00:3", 3], ["2,125 s", 2.125], [".5", 0.5], ["99:00", 4]]) {
    await type(page, "#time", typed);
    assert.equal((await values(page)).time, wanted, typed);
  }
  assert.equal(await page.inputValue("#time"), "4.000 s");
  await type(page, "#time", "1");
  for (const typed of ["abc", "-1", "1:75", "1e3", "1:2:3:4", "NaN"]) {
    await type(page, "#time", typed);
    assert.equal(await page.locator("#time:invalid").count(), 1, typed);
    await page.keyboard.press("Escape");
    assert.equal(await page.inputValue("#time"), "1.000 s");
    assert.equal((await values(page)).time, 1, typed);
  }
  // Keys in the field are not shortcuts, and after Enter they are.
  await type(page, "#time", "i");
  assert.equal((await values(page)).inPoint, null);
  await page.keyboard.press("Escape");
  await page.keyboard.press("i");
  assert.equal((await values(page)).inPoint, 1);
  // Typing does not end when the position moves.
  await page.keyboard.press("Space");
  await page.click("#time");
  await page.keyboard.type("2.");
  await page.waitForTimeout(300);
  assert.equal(await page.inputValue("#time"), "2.");
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("typed in and out points limit the range, and an empty field removes them", async () => {
  const page = await open(browser());
  await drop(page, wave);
  await type(page, "#in-point", "1.25");
  await type(page, "#out-point", "0:03", "Tab");
  assert.deepEqual(await values(page), { time: 0, inPoint: 1.25, outPoint: 3, view: [0, 4] });
  await type(page, "#out-point", "1");
  assert.deepEqual([(await values(page)).inPoint, (await values(page)).outPoint], [null, 1]);
  // The range would be empty.
  for (const [field, typed] of [["#in-point", "4"], ["#in-point", "9"], ["#out-point", "0"]]) {
    await type(page, field, typed);
    assert.deepEqual([(await values(page)).inPoint, (await values(page)).outPoint], [null, 1], `${field} ${typed}`);
  }
  await type(page, "#out-point", "99");
  assert.equal((await values(page)).outPoint, 4);
  await page.click("#out-point");
  await page.keyboard.press("Delete");
  await page.keyboard.press("Enter");
  assert.equal((await values(page)).outPoint, null);
  assert.equal(await page.getAttribute("#out-point", "placeholder"), "4.000 s");
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("handles on the timeline set the in and out points", async () => {
  const page = await open(browser());
  await drop(page, wave);
  const dragHandle = async (from, to) => {
    const [[x, y], [end]] = [await placeOf(page, from), await placeOf(page, to)];
    await page.mouse.move(x, y + 18);
    assert.equal(await page.evaluate(() => document.querySelector(".timeline").style.cursor), "ew-resize");
    await page.mouse.down();
    await page.mouse.move((x + end) / 2, y + 30, { steps: 4 });
    await page.mouse.move(end, y + 18, { steps: 4 });
    await page.mouse.up();
  };
  const near = (found, wanted) => assert.ok(Math.abs(found - wanted) < 0.01, `${found} ${wanted}`);
  await dragHandle(0, 1);
  near((await values(page)).inPoint, 1);
  near((await values(page)).time, 1);
  await dragHandle(4, 3);
  near((await values(page)).outPoint, 3);
  // Handles do not pass each other.
  await dragHandle(1, 3.5);
  const crossed = await values(page);
  assert.ok(crossed.inPoint < crossed.outPoint && crossed.outPoint - crossed.inPoint < 0.01, JSON.stringify(crossed));
  await dragHandle(crossed.inPoint - 0.01, -0.5);
  assert.equal((await values(page)).inPoint, null);
  await dragHandle(3, 4.5);
  assert.equal((await values(page)).outPoint, null);
  // A click on a handle, and a drag below the handles, move the position.
  const [x, y] = await placeOf(page, 0);
  await page.mouse.click(x, y + 18);
  assert.deepEqual(await values(page), { time: 0, inPoint: null, outPoint: null, view: [0, 4] });
  await page.mouse.move(x, y + 60);
  await page.mouse.down();
  await page.mouse.move((await placeOf(page, 2))[0], y + 60, { steps: 4 });
  await page.mouse.up();
  near((await values(page)).time, 2);
  assert.equal((await values(page)).inPoint, null);
  // The plot has the same time axis.
  const plot = await page.locator(".u-over").boundingBox();
  await page.mouse.move(plot.x + plot.width / 4, plot.y + 40);
  await page.mouse.down();
  await page.mouse.move(plot.x + (3 * plot.width) / 4, plot.y + 40, { steps: 4 });
  await page.mouse.up();
  near((await values(page)).time, 3);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("two fingers zoom the timeline, and do not move the position", async () => {
  const page = await open(browser(), { size: [390, 844], touch: true });
  await drop(page, wave);
  await type(page, "#time", "1");
  const session = await page.context().newCDPSession(page);
  const [left, y] = await placeOf(page, 1.5);
  const [right] = await placeOf(page, 2.5);
  const touch = (kind, ...xs) =>
    session.send("Input.dispatchTouchEvent", { type: kind, touchPoints: xs.map((x, id) => ({ x, y: y + 60, id })) });
  await touch("touchStart", left);
  await touch("touchStart", left, right);
  for (const by of [5, 10, 15, 20, 25]) await touch("touchMove", left - by, right + by);
  await touch("touchEnd");
  const { view: [from, to], time } = await values(page);
  assert.equal(time, 1);
  const scale = (right - left) / (right - left + 50);
  assert.ok(Math.abs((to - from) / 4 - scale) < 0.05, `${from} ${to}, expected a part of ${scale}`);
  assert.ok(Math.abs((await placeOf(page, 1.5))[0] - (left - 25)) < 4);
  // A finger drags a handle.
  await page.evaluate(() => viewer.actions.zoom(10, 2));
  const [handle] = await placeOf(page, 0);
  const [wanted] = await placeOf(page, 1);
  await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x: handle + 12, y: y + 30, id: 0 }] });
  for (const x of [handle + 30, wanted - 20, wanted]) {
    await session.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: [{ x, y: y + 30, id: 0 }] });
  }
  await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  assert.ok(Math.abs((await values(page)).inPoint - 1) < 0.05, JSON.stringify(await values(page)));
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("the help lists the keys, tooltips contain them, and they work on other keyboards", async () => {
  for (const scheme of ["light", "dark"]) {
    const page = await open(browser(), { scheme });
    await page.keyboard.press("?");
    assert.ok(await page.locator("dialog.help").isVisible());
    const keys = await page.$$eval(".help kbd", (nodes) => nodes.map((node) => node.textContent));
    for (const key of ["Space", "←", "Shift+→", "i", "o", "?", "Ctrl+Z", "Esc"]) assert.ok(keys.includes(key), key);
    for (const key of keys) assert.ok(documented.includes(`\`${key}\``), `docs/viewer.md does not list ${key}`);
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => globalThis.axe.run());
    assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes[0].html]), []);
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("dialog.help").isVisible(), false);
    await page.click("#help");
    // Shortcuts do not reach the page below the dialog.
    await page.keyboard.press("?");
    await page.click("#help-close");
    assert.equal(await page.locator("dialog.help").isVisible(), false);
    await page.click("#help");
    await page.mouse.click(10, 400);
    assert.equal(await page.locator("dialog.help").isVisible(), false);
    await drop(page, wave);
    // Each key of a button is in the list of the help.
    const titles = await page.$$eval("header button, .controls button", (nodes) => nodes.map(({ id, title }) => [id, title]));
    for (const [id, title] of titles) {
      assert.ok(title, id);
      const key = /\(([^()]+)\)$/.exec(title)?.[1];
      if (key) assert.ok(keys.includes(key), `${id}: ${title}`);
    }
    assert.equal(await page.getAttribute("#play", "title"), "Play (Space)");
    const symbols = await page.$$eval("button", (nodes) =>
      nodes.filter((node) => node.offsetParent && !/\p{L}{2}/u.test(node.textContent) && !(node.title && node.ariaLabel)).map((node) => node.outerHTML));
    assert.deepEqual(symbols, []);
    // The key of the letter i on a Russian keyboard.
    const session = await page.context().newCDPSession(page);
    await page.evaluate(() => viewer.actions.seek(1));
    await session.send("Input.dispatchKeyEvent", { type: "keyDown", key: "ш", text: "ш", code: "KeyI", windowsVirtualKeyCode: 73 });
    await session.send("Input.dispatchKeyEvent", { type: "keyUp", key: "ш", code: "KeyI", windowsVirtualKeyCode: 73 });
    assert.equal((await values(page)).inPoint, 1);
    assert.deepEqual(page.errors, []);
    await page.context().close();
  }
});

/** Returns the controls that are too small for a finger, overlap, or are outside of the screen. */
function crowded() {
  const boxes = [...document.querySelectorAll("button, select, input, .timeline, label:has(input)")]
    .filter((node) => !node.closest("label") || node.tagName === "LABEL")
    .filter((node) => node.checkVisibility({ visibilityProperty: true }))
    .map((node) => ({ node, box: node.getBoundingClientRect() }));
  const problems = [];
  const name = (node) => node.id || node.className || node.outerHTML.slice(0, 60);
  for (const { node, box } of boxes) {
    if (box.width < 43.5 || box.height < 43.5) problems.push(`${name(node)} has ${box.width.toFixed(0)} x ${box.height.toFixed(0)} pixels`);
    // A part that scrolls may be larger than the screen.
    if (node.scrollWidth > node.clientWidth + 1 && node.tagName === "BUTTON") problems.push(`${name(node)} is too narrow for its text`);
    if (node.closest(".files, .tabs, .body, .plot")) continue;
    if (box.left < 0 || box.top < 0 || box.right > innerWidth + 0.5 || box.bottom > innerHeight + 0.5) problems.push(`${name(node)} is outside`);
    const covered = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    if (!covered || !(node.contains(covered) || covered.contains(node))) problems.push(`${name(node)} is covered by ${covered && name(covered)}`);
    for (const other of boxes) {
      if (other.node === node || other.node.closest(".files, .tabs, .body, .plot")) continue;
      const across = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
      const down = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
      if (across > 0.5 && down > 0.5) problems.push(`${name(node)} overlaps ${name(other.node)}`);
    }
  }
  return problems;
}

test("on a phone, the view takes most of the screen, and every part opens and is large enough for a finger", async () => {
  for (const [scheme, size, part] of [["light", [390, 844], 0.65], ["dark", [844, 390], 0.6], ["dark", [360, 640], 0.5]]) {
    const page = await open(browser(), { size, scheme, touch: true });
    const where = `${size.join(" x ")}`;
    assert.deepEqual(await page.evaluate(crowded), [], `${where}, empty`);
    await drop(page, pinch, wave);
    await page.tap("#overview-0");
    await page.evaluate(axe);
    const viewHeight = () => page.evaluate(() => document.querySelector(".view").clientHeight);
    const most = await viewHeight();
    assert.ok(most / size[1] >= part, `${where}: the view has ${most} pixels`);
    assert.deepEqual(await page.evaluate(crowded), [], where);
    if (size[0] === 390) {
      await page.evaluate(() => viewer.actions.seek(1.4));
      await page.waitForTimeout(300);
      await page.screenshot({ path: join(process.env.INPUTANIM_PICTURES ?? out, "viewer-phone.png") });
    }
    for (const language of ["en", "ru", "fr"]) {
      await page.evaluate((language) => viewer.store.update({ language }), language);
      for (const [sheet, content] of [["files", ".files"], ["panels", ".panels"], ["plot", ".plot canvas"], ["range", "#in-point"], ["options", "#camera"]]) {
        assert.equal(await page.locator(content).isVisible(), false, `${where} ${sheet}`);
        await page.tap(`#sheet-${sheet}`);
        await page.locator(content).waitFor();
        // The part slides into its place.
        await page.evaluate(() => Promise.all(document.getAnimations().map((animation) => animation.finished)));
        assert.deepEqual(await page.evaluate(crowded), [], `${where} ${language} ${sheet}`);
        const left = await page.evaluate(() => [innerWidth, document.documentElement.scrollWidth]);
        assert.ok(left[1] <= left[0], `${where} ${sheet}: the page is ${left[1]} pixels wide`);
        if (language === "en") {
          const { violations } = await page.evaluate(() => globalThis.axe.run());
          assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes[0].html]), [], `${where} ${sheet}`);
        }
        await page.tap(`#sheet-${sheet}`);
      }
    }
    await page.evaluate(() => viewer.store.update({ language: "en" }));
    // The parts work: a view is selected, a panel is shown, and a file is opened.
    await page.tap("#sheet-options");
    await page.selectOption("#camera", "top");
    await page.tap("#sheet-panels");
    await page.tap("#tab-info");
    assert.match(await page.locator("#panel").innerText(), /Layout/);
    await page.tap("#sheet-files");
    await page.tap("#file-1");
    await page.tap("#sheet-files");
    assert.equal(await viewHeight(), most);
    await page.tap("#play");
    await page.waitForFunction(() => viewer.store.state.time > 0);
    // The hand stays inside the view when the phone is turned.
    await page.setViewportSize({ width: size[1], height: size[0] });
    await page.waitForTimeout(300);
    const inside = await page.evaluate(() => {
      viewer.actions.seek(1);
      const [x, y] = viewer.scene.project("right.Palm");
      const { clientWidth, clientHeight } = viewer.scene.renderer.domElement;
      return x > 0 && y > 0 && x < clientWidth && y < clientHeight;
    });
    assert.ok(inside, where);
    await settled(page);
    assert.deepEqual(page.errors, []);
    await page.context().close();
  }
});
