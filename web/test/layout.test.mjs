// Tests that the page has a place for every text and control, at the sizes of phones, tablets and screens, in all languages.
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { browser, damaged, drag, drop, open, out, recording, settled } from "./browser.mjs";

const wave = recording("wave.bin");
const pinch = recording("pinch-drag.bin");
const SIZES = [[360, 740], [390, 844], [844, 390], [768, 1024], [1024, 768], [1366, 768], [1920, 1080], [2560, 1440]];
const LANGUAGES = ["en", "fr", "ko", "ru", "zh-Hans", "zh-Hant"];
const PANELS = ["findings", "info", "curves", "markers", "edit", "diff", "measures", "events"];

/**
 * Returns texts that are cut, controls that overlap or are outside of the screen, and parts that scroll sideways, in each language. It
 * does not wait for pictures, because the page changes its texts at once.
 */
async function faults(languages) {
  const found = [];
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  for (const language of languages) {
    viewer.store.update({ language });
    await Promise.resolve();
    found.push(...inPage().map((fault) => `${language}: ${fault}`));
  }
  return found;
}

/** The part of `faults` for one language. */
function inPage() {
  const found = [];
  const name = (node) => `${node.tagName.toLowerCase()} ${node.id || node.className || node.parentElement.id}: ${(node.placeholder || node.textContent).slice(0, 40)}`;
  const isVisible = (node) => node.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && node.getClientRects().length > 0;
  const context = document.createElement("canvas").getContext("2d");
  const isTooNarrow = (node, text) => {
    const style = getComputedStyle(node);
    context.font = style.font;
    return context.measureText(text).width > node.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) + 1;
  };
  for (const node of document.querySelectorAll("button, p, label, th, td, dt, dd, summary, h2, h3, .toggles, .film-tools span, .ghost-note, .marks, .body")) {
    if (!isVisible(node) || getComputedStyle(node).display === "inline" || node.matches(".film-name")) continue;
    if (node.scrollWidth > node.clientWidth + 1) found.push(`${name(node)} is cut: ${node.scrollWidth} of ${node.clientWidth} pixels`);
  }
  for (const node of document.querySelectorAll("input[placeholder]")) {
    if (isVisible(node) && isTooNarrow(node, node.placeholder)) found.push(`${name(node)} is cut`);
  }
  // The list of comparisons has names of files, which may be long.
  for (const node of document.querySelectorAll("select:not(#ghost)")) {
    if (isVisible(node) && isTooNarrow(node, node.selectedOptions[0]?.textContent ?? "")) found.push(`${name(node)} is cut`);
  }
  // The list of files and the table of measures scroll sideways if they are long.
  const controls = [...document.querySelectorAll("button, select, input, summary")]
    .filter((node) => isVisible(node) && !node.closest(".files, .table-scroll"))
    .map((node) => ({ node, box: node.getBoundingClientRect() }));
  for (const { node, box } of controls) {
    if (box.left < -1 || box.right > innerWidth + 1) found.push(`${name(node)} is outside`);
    for (const { node: other, box: its } of controls) {
      if (node === other || node.contains(other) || other.contains(node) || node.parentElement !== other.parentElement) continue;
      if (Math.min(box.right, its.right) - Math.max(box.left, its.left) > 1 && Math.min(box.bottom, its.bottom) - Math.max(box.top, its.top) > 1) {
        found.push(`${name(node)} overlaps ${name(other)}`);
      }
    }
  }
  if (document.documentElement.scrollWidth > innerWidth) found.push("the page scrolls sideways");
  const rows = new Set([...document.querySelectorAll("[role=tab]")].filter(isVisible).map((node) => Math.round(node.getBoundingClientRect().top)));
  if (rows.size > 2) found.push(`the tabs have ${rows.size} rows`);
  return found;
}

/** Checks the page at all sizes and in all languages. On a phone, the part with this name is opened. */
async function check(page, where, part = null, sizes = SIZES) {
  const problems = [];
  for (const [width, height] of sizes) {
    await page.setViewportSize({ width, height });
    if (part) await page.evaluate((part) => {
      const button = document.querySelector(`#sheet-${part}`);
      if (button.checkVisibility() && button.getAttribute("aria-expanded") !== "true") button.click();
    }, part);
    const found = await page.evaluate(`(() => { ${inPage}; return (${faults})(${JSON.stringify(LANGUAGES)}); })()`);
    problems.push(...found.map((fault) => `${where}, ${width} x ${height}, ${fault}`));
  }
  assert.equal(problems.length, 0, problems.slice(0, 40).join("\n"));
}

test("no text is cut and no control overlaps in any panel, size and language", async () => {
  const page = await open(browser());
  await check(page, "empty");
  await drop(page, pinch);
  await page.click("#tab-markers");
  for (const panel of PANELS) {
    await page.evaluate((panel) => viewer.store.update({ panel }), panel);
    await settled(page);
    if (panel === "measures") await page.evaluate(() => document.querySelector("#summary-hands").click());
    await check(page, panel, "panels");
  }
  for (const part of ["plot", "range", "options"]) await check(page, part, part, SIZES.slice(0, 3));
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("no text is cut and no control overlaps with damage, repairs, comparisons and tables", async () => {
  const page = await open(browser());
  await drop(page, await damaged(), wave, pinch);
  await page.click("#overview-0");
  await check(page, "damage", "panels");
  await page.evaluate(() => document.querySelector("#repair").click());
  await page.waitForFunction(() => viewer.store.state.openFiles[0].versions.length === 2);
  await settled(page);
  await check(page, "repaired", "panels");
  await page.evaluate(() => viewer.store.update({ panel: "diff", ghost: 1 }));
  await settled(page);
  await check(page, "compared", "panels");
  await page.evaluate(() => viewer.store.update({ panel: "measures", table: true }));
  await settled(page);
  await check(page, "table");
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("the overview has a place for its filter and its messages in every size and language", async () => {
  const folder = join(out, "overview");
  rmSync(folder, { recursive: true, force: true });
  const cut = readFileSync(pinch).subarray(0, 40_000);
  for (let index = 0; index < 24; index++) {
    const path = join(folder, `P${index}/take-0${index}.bin`);
    mkdirSync(dirname(path), { recursive: true });
    copyFileSync([wave, pinch][index % 2], path);
  }
  const page = await open(browser(), { size: [1440, 900] });
  await drag(page, folder);
  await page.waitForFunction(() => viewer.store.state.openFiles.length === 24 && !viewer.store.state.opening);
  await drop(page, await damaged(), { name: "cut.bin", bytes: cut });
  await page.waitForFunction(() => document.querySelectorAll(".card img[src^=data]").length === 26);
  // The path of the hand fills its figure.
  const parts = await page.evaluate(async () => {
    const image = [...document.querySelectorAll(".card")].find((card) => /P0\/take-00/.test(card.textContent)).querySelector("img");
    const [width, height] = [280, 206];
    const context = Object.assign(document.createElement("canvas"), { width, height }).getContext("2d");
    await image.decode();
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 50, width - 80, 100);
    const [xs, ys] = [[], []];
    // The right hand is orange.
    for (let at = 0; at < data.length; at += 4) {
      if (data[at + 3] > 128 && data[at] > data[at + 2] + 80) xs.push((at / 4) % (width - 80)), ys.push(Math.floor(at / 4 / (width - 80)));
    }
    const extent = (values) => Math.max(...values) - Math.min(...values);
    return [extent(xs) / 190, extent(ys) / 92];
  });
  assert.ok(Math.max(...parts) > 0.8, `the path has ${parts} of the figure`);
  await check(page, "overview");
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.click("#overview-0");
  await check(page, "list", "files");
  // A name of usual length is complete on a phone.
  for (const [width, height] of SIZES.slice(0, 3)) {
    await page.setViewportSize({ width, height });
    const names = await page.$$eval(".file .name", (nodes) => nodes.filter((node) => node.scrollWidth > node.clientWidth + 1).map((node) => node.textContent));
    assert.deepEqual(names, [], `${width} x ${height}`);
  }
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("a message covers no control of the time, and the grid has the colour of the theme", async () => {
  const page = await open(browser());
  await drop(page, pinch);
  await page.evaluate(() => viewer.actions.note("a message\nof two lines that are long enough to be as wide as messages usually are"));
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    const covered = await page.evaluate(() => {
      const message = document.querySelector(".message:not(.working)").getBoundingClientRect();
      const isCovered = (box) => box.width > 0 && box.top < message.bottom && box.bottom > message.top && box.left < message.right && box.right > message.left;
      return [...document.querySelectorAll(".header, .options, .transport, .range, .timeline, .panels")].filter((node) => isCovered(node.getBoundingClientRect())).map((node) => node.className);
    });
    assert.deepEqual(covered, [], `${width} x ${height}`);
  }
  for (const theme of ["dark", "light", "dark"]) {
    await page.evaluate((theme) => viewer.store.update({ theme }), theme);
    const [grid, wanted] = await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => resolve([
      `#${viewer.scene.grid.material.color.getHexString()}`, getComputedStyle(document.documentElement).getPropertyValue("--grid").trim(),
    ]))));
    assert.equal(grid, wanted, theme);
  }
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("numbers have the decimal sign of the language, and saved files and addresses have a point", async () => {
  const page = await open(browser());
  await drop(page, pinch);
  await page.evaluate(() => viewer.actions.seek(1.25));
  // What the canvas of the timeline draws.
  await page.evaluate(() => {
    const draw = CanvasRenderingContext2D.prototype.fillText;
    globalThis.drawn = new Set();
    CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
      globalThis.drawn.add(text);
      return draw.call(this, text, ...place);
    };
  });
  for (const [language, sign] of [["fr", ","], ["ru", ","], ["ko", "."]]) {
    await page.selectOption("#language", language);
    await settled(page);
    assert.equal(await page.inputValue("#time"), `1${sign}250 s`, language);
    assert.match(await page.textContent(".legend"), new RegExp(`1\\${sign}250 s.*\\d\\${sign}\\d{4} m`));
    assert.ok((await page.$$eval("#rate option", (nodes) => nodes.map((node) => node.textContent))).includes(`0${sign}5×`));
    const wrong = sign === "," ? "." : ",";
    for (const panel of ["info", "edit", "measures", "events"]) {
      await page.click(`#tab-${panel}`);
      await settled(page);
      if (panel === "measures") await page.evaluate(() => [...document.querySelectorAll("#panel details:not([open]) summary")].forEach((node) => node.click()));
      const numbers = (await page.locator("#panel").innerText()).match(/\d[.,]\d+(?= (s|Hz|m|mm)\b)/g) ?? [];
      assert.ok(numbers.length > 0, `${language} ${panel}`);
      assert.deepEqual(numbers.filter((number) => number.includes(wrong)), [], `${language} ${panel}`);
    }
    const ticks = await page.evaluate(() => {
      globalThis.drawn.clear();
      viewer.store.update({ view: [0, 2.2] });
      return new Promise((resolve) => setTimeout(() => resolve([...globalThis.drawn].filter((text) => /^\d[.,]\d+$/.test(text))), 400));
    });
    assert.ok(ticks.length > 3, `${language}: ${ticks}`);
    assert.deepEqual(ticks.filter((tick) => tick.includes(wrong)), [], language);
    await page.evaluate(() => viewer.store.update({ view: [0, 5] }));
  }
  // Fields accept both signs, and keep the exact time if nothing is typed.
  await page.selectOption("#language", "fr");
  for (const typed of ["2,5", "2.5 s"]) {
    await page.click("#time");
    await page.keyboard.type(typed);
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => viewer.store.state.time), 2.5, typed);
    await page.evaluate(() => viewer.actions.seek(0));
  }
  await page.click("#tab-events");
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save-events")]);
  assert.match(readFileSync(await download.path(), "utf8"), /,\d+\.\d+,/);
  assert.equal(await page.evaluate(() => location.hash.includes(",")), false);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});
