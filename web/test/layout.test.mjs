// Tests what the page shows in its languages.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { browser, drop, open, recording, settled } from "./browser.mjs";

const pinch = recording("pinch-drag.bin");

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
