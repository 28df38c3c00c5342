// Tests many files at once with real gestures: names, the filter, the summary, damage, repair and saving.
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { browser, damaged, drag, drop, open, out, recording, run, settled, written } from "./browser.mjs";

const wave = recording("wave.bin");
const pinch = recording("pinch-drag.bin");

/** Writes files below a new folder, and returns the path of the folder. */
function folderOf(name, files) {
  const top = join(out, name);
  rmSync(top, { recursive: true, force: true });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(top, path)), { recursive: true });
    if (typeof content === "string") copyFileSync(content, join(top, path));
    else writeFileSync(join(top, path), content);
  }
  return top;
}

const opened = async (page, count) => {
  await page.waitForFunction((length) => viewer.store.state.openFiles.length === length && !viewer.store.state.opening, count);
  await settled(page);
};

const parse = (text) => text.trimEnd().split("\n").map((line) => line.split(","));

/** Saves the table of measures, and returns its rows as objects. */
async function savedMeasures(page) {
  await page.waitForFunction(() => !document.querySelector("#save-measures").disabled);
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save-measures")]);
  const [head, ...rows] = parse(readFileSync(await download.path(), "utf8"));
  return { head, rows: rows.map((row) => Object.fromEntries(row.map((cell, index) => [head[index], cell]))) };
}

test("the table of measures shows damage of the file, and has the ranges, names and findings of the program", async () => {
  const early = await written("early.bin", "shift", wave, "--by", "-5.25");
  const cut = readFileSync(wave).subarray(0, 20_000);
  const folder = folderOf("measured", { "P01/reach.bin": wave, "P02/reach.bin": early, "P03/reach.bin": cut });
  const page = await open(browser(), { size: [1440, 900] });
  await drag(page, folder);
  await opened(page, 3);
  await page.click("#all-measures");
  const { head, rows } = await savedMeasures(page);
  assert.match(await page.locator(".message pre").innerText(), /^Saved measures\.csv: Recordings: 3, Measures: 9, [\d,]+ bytes$/);
  assert.deepEqual(rows.map((row) => row.recording), ["P01/reach", "P02/reach", "P03/reach"]);
  // The numbers and ranges are those of the program, also for a recording that begins before 0.
  const intact = ["P01/reach.bin", "P02/reach.bin"].map((path) => join(folder, path));
  const [wantedHead, ...wanted] = parse(await run("stats", ...intact, "--format", "csv"));
  assert.deepEqual(head, [...["recording", "start_s", "end_s"], ...head.slice(3, -2), "findings", "uncertain_keys"]);
  for (const [index, line] of wanted.entries()) {
    for (const name of head.slice(0, -2)) {
      const [found, expected] = [rows[index][name], line[wantedHead.indexOf(name)]];
      assert.ok(found === expected || Number(found) === Number(expected), `${name}: ${found}, not ${expected}`);
    }
  }
  // The damaged file has its finding, and no values of curves that it has lost.
  const [infoHead, ...info] = parse(await run("info", ...["P01", "P02", "P03"].map((name) => join(folder, name, "reach.bin")), "--format", "csv").catch((error) => error.stdout));
  assert.deepEqual(rows.map((row) => row.findings), info.map((line) => line[infoHead.indexOf("findings")]));
  const lossy = rows[2];
  assert.equal(lossy["right.Palm.path_length"], "");
  assert.equal(lossy["right.tracked_share"], rows[0]["right.tracked_share"], "the states are before the lost curves");
  assert.equal(Number(lossy.damaged), 4);
  assert.ok(Number(lossy["head.path_length"]) > 0, "the head is intact");
  const cells = await page.$$eval(".measure-table tbody tr", (nodes) => nodes.map((node) => node.textContent));
  assert.match(cells[2], /⚠ D7/);
  assert.match(cells[2], /damaged ⚠/);
  assert.doesNotMatch(cells[0], /D7/);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("files in folders keep their names in cards, tables, comparisons and saved files", async () => {
  const folder = folderOf("named", Object.fromEntries(["P01", "P02", "P03", "P04"].map((name) => [`${name}/reach.bin`, wave])));
  const page = await open(browser());
  await drag(page, folder);
  await opened(page, 4);
  const wanted = ["P01", "P02", "P03", "P04"].map((name) => `${name}/reach.bin`);
  const texts = (selector) => page.$$eval(selector, (nodes) => nodes.map((node) => node.textContent));
  assert.deepEqual(await texts(".card .name"), wanted);
  assert.deepEqual(await texts(".file .name"), wanted);
  await page.click("#overview-1");
  assert.match(await page.title(), /^P02\/reach\.bin/);
  await page.click("#tab-diff");
  assert.deepEqual((await texts("#ghost option")).slice(1), wanted.filter((name) => !name.startsWith("P02")));
  const [download] = await Promise.all([page.waitForEvent("download"), page.selectOption("#save", "csv")]);
  assert.equal(download.suggestedFilename(), "P02-reach.csv");
  // If the others are closed, the names are as short as the program writes them.
  for (const _ of [1, 2, 3]) await page.click("#close-0");
  assert.equal(await page.evaluate(() => viewer.store.state.openFiles[0].name), "P04/reach.bin");
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

/** A folder with many recordings of several participants. Some are damaged, and two files are not recordings. */
async function study(count) {
  const [lost, second] = [readFileSync(await damaged()), readFileSync(await damaged(wave))];
  const cut = readFileSync(pinch).subarray(0, 40_000);
  const files = {};
  const broken = [];
  for (let index = 0; index < count; index++) {
    const path = `P${String(index % 20).padStart(2, "0")}/take-${Math.floor(index / 20)}.bin`;
    const isDamaged = index % 14 === 3;
    if (isDamaged) broken.push(path);
    files[path] = isDamaged ? [lost, second, cut][broken.length % 3] : [wave, pinch][index % 2];
  }
  files["P00/notes.bin"] = Buffer.from("these are notes, and not a recording");
  files["P01/empty.bin"] = Buffer.alloc(0);
  return { top: folderOf("study", files), broken };
}

/** Reads the files of a .zip file without compression. */
function unzipped(bytes) {
  const found = {};
  let at = 0;
  while (bytes.readUInt32LE(at) === 0x04034b50) {
    const [size, name, extra] = [bytes.readUInt32LE(at + 18), bytes.readUInt16LE(at + 26), bytes.readUInt16LE(at + 28)];
    const start = at + 30 + name + extra;
    found[bytes.toString("utf8", at + 30, at + 30 + name)] = bytes.subarray(start, start + size);
    at = start + size;
  }
  return found;
}

test("many files are filtered, repaired together, and saved as one archive", async () => {
  const { top, broken } = await study(60);
  const page = await open(browser(), { size: [1440, 900] });
  await drag(page, top);
  await opened(page, 60);
  await page.waitForFunction(() => document.querySelectorAll(".card img[src^=data]").length === 60);
  assert.equal(await page.textContent("#summary-title"), `${broken.length} of 60 need repair`);
  await page.screenshot({ path: join(process.env.INPUTANIM_PICTURES ?? out, "viewer-overview.png") });
  // The errors are a list that covers no card.
  assert.equal(await page.locator(".message:not(.working)").isVisible(), false);
  assert.equal(await page.textContent("#problems"), `Messages about files: ${2 + Math.ceil((broken.length - 1) / 3)}`);
  const names = () => page.$$eval(".card .name", (nodes) => nodes.map((node) => node.textContent));
  await page.click("#filter-damage");
  assert.deepEqual((await names()).sort(), [...broken].sort());
  await page.click("#code-D7");
  assert.equal((await names()).length, broken.filter((_, index) => (index + 1) % 3 === 2).length);
  await page.click("#filter-none");
  await page.fill("#filter-words", "p03 take-0");
  assert.deepEqual(await names(), ["P03/take-0.bin"]);
  await page.fill("#filter-words", "nothing like this");
  assert.match(await page.locator(".cards").innerText(), /No recording matches/);
  await page.click("#filter-none");
  await page.selectOption("#filter-sort", "findings");
  assert.deepEqual((await names()).slice(0, broken.length).sort(), [...broken].sort());
  // The next damaged recording, in the order of the overview.
  await page.click("#overview-0");
  const seen = new Set();
  for (let step = 0; step < broken.length; step++) {
    await page.click("#next-damaged");
    seen.add(await page.evaluate(() => viewer.store.state.openFiles[viewer.store.state.selected].name));
  }
  assert.deepEqual([...seen].sort(), [...broken].sort());
  // All are repaired with one button, and saved with another one.
  await page.click("#overview");
  await page.click("#repair-all");
  await page.waitForFunction(() => viewer.store.state.working === null && /Recordings repaired/.test(viewer.store.state.message?.text));
  await settled(page);
  // Nothing is left to repair, and what truncated files have lost is named.
  const lost = broken.filter((_, index) => (index + 1) % 3 === 2).length;
  const isDone = async () => {
    assert.equal(await page.textContent("#summary-title"), "0 of 60 need repair");
    assert.match(await page.textContent(".summary"), new RegExp(`Truncated files whose intact part is kept: ${lost}\\.`));
    assert.ok(await page.isDisabled("#repair-all"));
  };
  await isDone();
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save-zip")]);
  assert.equal(download.suggestedFilename(), "recordings.zip");
  await isDone();
  assert.ok(await page.isDisabled("#save-zip"));
  assert.match(await page.locator(".message pre").innerText(), new RegExp(`^Saved recordings\\.zip: Recordings: ${broken.length}, [\\d,]+ bytes$`));
  const archive = unzipped(readFileSync(await download.path()));
  const repaired = broken.filter((_, index) => (index + 1) % 3 !== 2);
  // The intact parts of truncated files are saved with the others.
  assert.deepEqual(Object.keys(archive).sort(), [...broken].sort());
  for (const path of repaired.slice(0, 2)) {
    const wanted = await written("repaired.bin", "repair", join(top, path));
    assert.ok(archive[path].equals(wanted), path);
  }
  assert.equal(await page.evaluate(() => viewer.store.state.openFiles.filter((file) => file.versions[file.current].recording !== file.saved).length), 0);
  await page.fill("#filter-words", "p03");
  await page.click("#close-all");
  assert.equal(await page.evaluate(() => viewer.store.state.openFiles.length), 0);
  assert.equal(await page.evaluate(() => viewer.store.state.filter.words), "");
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("uncertain keys that repairs leave are shown, filtered, sorted and visited in all files, and the buttons keep their places", async () => {
  const [reached, moved] = [readFileSync(await damaged(recording("reach.bin"))), readFileSync(await damaged(recording("two-hands.bin")))];
  const content = { "a.bin": wave, "b.bin": reached, "c.bin": pinch, "d.bin": moved, "e.bin": readFileSync(wave).subarray(0, 20_000) };
  const page = await open(browser(), { size: [1440, 900] });
  await drag(page, folderOf("uncertain", content));
  await opened(page, 5);
  const places = () => page.$$eval(".summary .buttons button, .filter button, .filter input, .filter select", (nodes) =>
    Object.fromEntries(nodes.filter(({ id }) => !["filter-none", "filter-code"].includes(id)).map((node) => {
      const { x, y } = node.getBoundingClientRect();
      return [node.id, [x, y]];
    })));
  assert.match(await page.textContent("#filter-uncertain"), /0$/);
  const before = await places();
  await page.click("#repair-all");
  await page.waitForFunction(() => viewer.store.state.working === null && /Recordings repaired/.test(viewer.store.state.message?.text));
  await settled(page);
  assert.deepEqual(await places(), before);
  // The numbers are those of the program.
  const uncertain = {};
  for (const name of ["b.bin", "d.bin"]) {
    const [report] = JSON.parse(await run("repair", join(out, "uncertain", name), "--force", "-o", join(out, "printed.bin"), "--format", "json"));
    uncertain[name] = report.repaired.reduce((sum, { uncertainKeys }) => sum + uncertainKeys, 0);
    assert.ok(uncertain[name] > 0);
  }
  const names = () => page.$$eval(".card .name", (nodes) => nodes.map((node) => node.textContent.replace("● ", "")));
  const card = (index) => page.locator(`#overview-${index}`).innerText();
  const shown = (name) => `Uncertain keys: ${uncertain[name].toLocaleString("en")}`;
  assert.ok((await card(1)).includes(shown("b.bin")), await card(1));
  assert.doesNotMatch(await card(0), /uncertain/i);
  await page.click("#filter-uncertain");
  assert.deepEqual(await places(), before);
  assert.match(await page.textContent("#filter-uncertain"), /2$/);
  assert.deepEqual(await names(), ["b.bin", "d.bin"]);
  await page.selectOption("#filter-sort", "uncertain");
  assert.deepEqual(await names(), ["b.bin", "d.bin"].sort((a, b) => uncertain[b] - uncertain[a]));
  await page.click("#filter-none");
  await page.selectOption("#filter-sort", "opened");
  // The list, and the table of measures.
  await page.click("#overview-0");
  assert.ok((await page.textContent("#file-3")).includes(shown("d.bin")));
  // The keys n and b lead through the times of all files.
  const place = () => page.evaluate(() => [viewer.store.state.openFiles[viewer.store.state.selected].name, viewer.store.state.time]);
  const visited = [];
  for (let step = 0; step < 400; step++) {
    await page.keyboard.press("n");
    visited.push(await place());
    if (visited.at(-1)[0] === "e.bin") break;
  }
  assert.deepEqual([...new Set(visited.map(([name]) => name))], ["b.bin", "d.bin", "e.bin"]);
  await page.keyboard.press("b");
  assert.deepEqual(await place(), visited.at(-2));
  await page.click("#previous-damaged");
  assert.equal((await place())[0], "b.bin");
  // The rows of the list move, and its buttons stay.
  await page.setViewportSize({ width: 1440, height: 660 });
  await page.click("#file-0");
  const button = () => page.locator("#next-damaged").boundingBox();
  const buttonBefore = await button();
  for (let step = 0; step < 3; step++) {
    await page.click("#next-damaged");
    assert.deepEqual(await button(), buttonBefore);
    const [row, list] = [await page.locator(".file [aria-current]").boundingBox(), await page.locator(".files").boundingBox()];
    assert.ok(row.y > buttonBefore.y + buttonBefore.height && row.y + row.height <= list.y + list.height, JSON.stringify([row, list]));
  }
  // The card of the shown recording is scrolled into view.
  await page.click("#file-4");
  await page.click("#overview");
  const [card4, overview] = [await page.locator("#overview-4").boundingBox(), await page.locator(".overview").boundingBox()];
  assert.ok(card4.y + card4.height <= overview.y + overview.height + 1 && card4.y >= overview.y, JSON.stringify([card4, overview]));
  await page.click("#all-measures");
  await page.waitForSelector(".measure-table tbody tr");
  const rows = await page.$$eval(".measure-table tbody th", (nodes) => nodes.map((node) => node.textContent));
  assert.ok(rows[3].includes(shown("d.bin")), rows[3]);
  const saved = await savedMeasures(page);
  assert.deepEqual(saved.rows.map((row) => Number(row.uncertain_keys)), [0, uncertain["b.bin"], 0, uncertain["d.bin"], 0]);
  // After Trim, the keys that were removed are not counted.
  await page.click("#file-1");
  await page.evaluate(() => viewer.store.update({ inPoint: 0.5, outPoint: 1.5 }));
  await page.click("#tab-edit");
  await page.click("#trim");
  await page.waitForFunction(() => viewer.store.state.openFiles[1].versions.length === 3);
  await settled(page);
  const left = await page.evaluate(() => viewer.store.state.openFiles[1].versions[1].repaired.groups.flatMap((group) => group.uncertain)
    .filter(({ start, end }) => end >= 0.5 && start <= 1.5).reduce((sum, { keys }) => sum + keys, 0));
  assert.ok(left > 0 && left < uncertain["b.bin"], `${left} of ${uncertain["b.bin"]}`);
  assert.ok((await page.textContent("#file-1")).includes(`Uncertain keys: ${left.toLocaleString("en")}`));
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("on a phone, the buttons for the next file keep their place, and a message covers only its text", async () => {
  const lost = readFileSync(await damaged(wave));
  const page = await open(browser(), { size: [390, 844] });
  await drag(page, folderOf("phone", { "a.bin": wave, "b.bin": lost, "c.bin": pinch, "d.bin": wave, "e.bin": lost }));
  await opened(page, 5);
  await page.click("#sheet-panels");
  await page.click("#repair-all");
  await page.waitForFunction(() => viewer.store.state.working === null && /Recordings repaired/.test(viewer.store.state.message?.text));
  await settled(page);
  const [message, text] = [await page.locator(".message:not(.working)").boundingBox(), await page.locator(".message pre").boundingBox()];
  assert.ok(message.height < text.height + 60, JSON.stringify([message, text]));
  await page.click("#dismiss");
  await page.click("#sheet-files");
  const button = () => page.locator("#next-damaged").boundingBox();
  const places = [];
  for (const wanted of ["b.bin", "e.bin", "b.bin"]) {
    // A click waits until the sheet is open.
    await page.click("#next-damaged");
    assert.match(await page.title(), new RegExp(wanted));
    places.push(await button());
  }
  assert.deepEqual(places, places.map(() => places[0]));
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("the overview shows the timeline and the plot of a file only while the filter shows the file", async () => {
  const page = await open(browser(), { size: [1440, 900] });
  await drag(page, folderOf("kept", { "P01.bin": wave, "P02.bin": pinch, "P03.bin": readFileSync(wave).subarray(0, 20_000) }));
  await opened(page, 3);
  await page.click("#overview-1");
  await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("i");
  await page.click("#overview");
  const now = () => page.evaluate(() => {
    const { selected, time, inPoint } = viewer.store.state;
    return [selected, time, inPoint, document.title.split(" ")[0]];
  });
  assert.deepEqual(await now(), [1, 1, 1, "P02.bin"]);
  assert.equal(await page.getAttribute("#overview-1", "aria-current"), "true");
  await page.fill("#filter-words", "p01");
  assert.equal(await page.locator(".plot").isVisible(), false);
  assert.deepEqual((await now()).slice(0, 3), [-1, 0, null]);
  assert.ok(await page.isDisabled("#play") && await page.isDisabled("#save"));
  assert.equal(await page.title(), "inputanim");
  // The same file at the same time, when the filter shows it again, or when the overview ends.
  await page.fill("#filter-words", "p0");
  assert.deepEqual(await now(), [1, 1, 1, "P02.bin"]);
  assert.ok(await page.locator(".plot").isVisible());
  await page.click("#filter-damage");
  assert.equal((await now())[0], -1);
  await page.click("#overview");
  assert.deepEqual(await now(), [1, 1, 1, "P02.bin"]);
  // The list has the files of the filter, the shown one, and a button that ends the filter.
  const rows = () => page.$$eval(".file .name", (nodes) => nodes.map((node) => node.textContent));
  assert.deepEqual(await rows(), ["P02.bin", "P03.bin"]);
  await page.click("#list-all");
  assert.deepEqual(await rows(), ["P01.bin", "P02.bin", "P03.bin"]);
  // New files are not hidden by a filter for the old ones, and the list of messages about files covers no file.
  await page.click("#overview");
  await page.fill("#filter-words", "p01");
  await drop(page, { name: "notes.bin", bytes: Buffer.from("these are notes") }, { name: "new.bin", bytes: readFileSync(wave) });
  await page.waitForSelector("#overview-3");
  assert.equal(await page.locator(".card").count(), 4);
  await page.click("#overview-3");
  assert.equal(await page.locator(".message:not(.working)").isVisible(), false);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

/** Returns a recording whose rotations are all damaged, and whose head ends early. A repair leaves the second problem. */
async function twoProblems() {
  await damaged(wave);
  const lines = readFileSync(join(out, "lost-w.json"), "utf8").split("\n").map((line) => {
    const [, before, keys, after] = /^(.*?"head\..*?)(\[\[.*\]\])(.*)$/.exec(line) ?? [];
    return keys ? before + JSON.stringify(JSON.parse(keys).slice(0, 60)) + after : line;
  });
  const [json, file] = [join(out, "two-problems.json"), join(out, "two-problems.bin")];
  writeFileSync(json, lines.join("\n"));
  await run("convert", "--quiet", "--force", json, file);
  return file;
}

test("the panel names the problem that a step has reached within a longer one", async () => {
  const page = await open(browser());
  await drop(page, await twoProblems());
  await page.keyboard.press("n");
  assert.match(await page.textContent(".problem-walk .place"), /^2 of 2 · D3/);
  await page.keyboard.press("b");
  assert.match(await page.textContent(".problem-walk .place"), /^1 of 2 · D1/);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("only recordings with damage that a repair removes count as those that need repair", async () => {
  const page = await open(browser());
  await drop(page, await twoProblems(), wave);
  const title = () => page.textContent("#summary-title");
  assert.equal(await title(), "1 of 2 need repair");
  await page.click("#repair-all");
  await page.waitForFunction(() => viewer.store.state.working === null && /Recordings repaired/.test(viewer.store.state.message?.text));
  await settled(page);
  assert.equal(await title(), "0 of 2 need repair");
  assert.match(await page.textContent(".summary"), /Recordings with damage that a repair cannot remove: 1\./);
  assert.equal((await page.textContent("#filter-damage")).replace(/\D/g, ""), "1");
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("curves that a truncated file has lost are named", async () => {
  const page = await open(browser());
  await drop(page, { name: "cut.bin", bytes: readFileSync(wave).subarray(0, 20_000) });
  const finding = await page.locator(".finding").first().innerText();
  // The findings of edits have them too.
  await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("i");
  await page.keyboard.press("t");
  await page.waitForFunction(() => viewer.store.state.openFiles[0].current === 1);
  await settled(page);
  assert.match(await page.locator("#panel").innerText(), /D7 /);
  assert.match(finding, /lost \(\d+\): left\.MiddleDistalJoint\.rotation\.w, left\.MiddleTip, .*left\.PinkyTip, right\.joints, gaze$/m);
  await page.context().close();
});

test("the row of an event is scrolled into view when the position comes to it", async () => {
  const page = await open(browser(), { size: [1280, 700] });
  await drop(page, recording("two-hands.bin"));
  await page.click("#tab-events");
  await settled(page);
  await page.waitForSelector("#event-kind");
  const isVisible = (name) => page.evaluate((label) => {
    const [panel, head] = [".panels > .body:not(.summary)", ".events .buttons"].map((selector) => document.querySelector(selector).getBoundingClientRect());
    const rows = [...document.querySelectorAll(".event-table tr[aria-current]")].map((row) => row.firstChild.getBoundingClientRect());
    return rows.some(({ top, bottom }) => top >= head.bottom - 1 && bottom <= panel.bottom) || label;
  }, name);
  await page.keyboard.press("End");
  assert.equal(await isVisible("End"), true);
  await page.keyboard.press("Home");
  assert.equal(await isVisible("Home"), true);
  const button = () => page.locator("#next-event").boundingBox();
  for (let step = 0; step < 8; step++) await page.click("#next-event");
  const place = await button();
  for (let step = 0; step < 8; step++) {
    await page.click("#next-event");
    assert.equal(await isVisible(`step ${step}`), true);
    assert.deepEqual(await button(), place);
  }
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("the first page says that many files and folders can be dropped", async () => {
  const page = await open(browser());
  assert.match(await page.locator(".empty").innerText(), /^Drop recordings .*folder/);
  await page.context().close();
});

test("clicks work while many files are opened, and cards stay the same elements", async () => {
  const { top } = await study(60);
  const page = await open(browser(), { size: [1440, 900] });
  await drag(page, top);
  await page.waitForSelector("#overview-1");
  await page.evaluate(() => (globalThis.firstCard = document.querySelector("#overview-1")));
  // The button of the mouse is held while other files are opened.
  const box = await page.locator("#overview-1").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.waitForTimeout(400);
  await page.mouse.up();
  assert.deepEqual(await page.evaluate(() => [viewer.store.state.overview, viewer.store.state.selected]), [false, 1]);
  await opened(page, 60);
  assert.deepEqual(await page.evaluate(() => [viewer.store.state.overview, viewer.store.state.selected]), [false, 1]);
  await page.click("#overview");
  assert.ok(await page.evaluate(() => document.querySelector("#overview-1") === globalThis.firstCard));
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("events are a list with a filter, a click moves to them, and the saved table is that of the program", async () => {
  const page = await open(browser());
  await drop(page, pinch);
  await page.click("#tab-events");
  await settled(page);
  await page.waitForSelector("#event-kind");
  await page.selectOption("#event-kind", "pinch");
  const wanted = parse(await run("events", pinch, "--kind", "pinch", "--format", "csv"));
  const starts = wanted.slice(1).map((line) => Number(line[wanted[0].indexOf("start_s")]));
  const shown = await page.$$eval(".event-table tbody tr", (nodes) => nodes.map((node) => [...node.children].map((cell) => cell.textContent)));
  assert.deepEqual(shown.map(([, start]) => start), starts.map((start) => `${start.toFixed(3)} s`));
  await page.click("#event-1");
  assert.ok(Math.abs((await page.evaluate(() => viewer.store.state.time)) - starts[1]) < 1e-5);
  await page.click("#previous-event");
  assert.ok(Math.abs((await page.evaluate(() => viewer.store.state.time)) - starts[0]) < 1e-5);
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save-events")]);
  assert.equal(download.suggestedFilename(), "pinch-drag-events.csv");
  assert.match(await page.locator(".message pre").innerText(), new RegExp(`^Saved pinch-drag-events\\.csv: Events: ${starts.length}, [\\d,]+ bytes$`));
  const found = parse(readFileSync(await download.path(), "utf8"));
  assert.deepEqual(found[0], wanted[0]);
  const numbers = (line) => line.map((cell) => (cell === "" || isNaN(cell) ? cell : Number(cell)));
  assert.deepEqual(found.slice(1).map(numbers), wanted.slice(1).map(numbers));
  // The length sets the range.
  await page.click("#event-range-0");
  const { inPoint, outPoint } = await page.evaluate(() => viewer.store.state);
  assert.ok(Math.abs(inPoint - starts[0]) < 1e-5 && outPoint > inPoint);
  await page.selectOption("#event-side", "left");
  assert.match(await page.locator(".events").innerText(), /No events/);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("shortcuts work when a list of choices has the focus, and the view turns by keys", async () => {
  const page = await open(browser());
  await drop(page, wave);
  await page.focus("#plot");
  await page.keyboard.press("Space");
  await page.waitForFunction(() => viewer.store.state.playing);
  await page.keyboard.press("Space");
  await page.evaluate(() => viewer.actions.seek(1));
  await page.keyboard.press("i");
  assert.equal(await page.evaluate(() => viewer.store.state.inPoint), 1);
  assert.equal(await page.inputValue("#plot"), "position");
  // Ctrl+S saves the recording also while a text field has the focus.
  await page.click("#tab-markers");
  await page.focus("#marker-name");
  const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Control+s")]);
  assert.equal(download.suggestedFilename(), "wave.bin");
  // The view turns only if the keyboard has moved the focus to it.
  const canvas = page.locator(".view canvas").first();
  const camera = () => page.evaluate(() => viewer.scene.camera.position.toArray());
  const before = await camera();
  await canvas.focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("PageUp");
  assert.notDeepEqual(await camera(), before);
  assert.equal(await page.evaluate(() => viewer.store.state.time), 1);
  await page.evaluate(() => document.activeElement.blur());
  const box = await canvas.boundingBox();
  await page.mouse.click(box.x + 40, box.y + 40);
  await page.keyboard.press("ArrowRight");
  assert.ok((await page.evaluate(() => viewer.store.state.time)) > 1);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("errors name what helps in the page, in its language, and nothing of the library", async () => {
  const page = await open(browser());
  await drop(page, await damaged());
  // Resampling would hide the damage, and the message has the button that helps.
  await page.click("#tab-edit");
  await page.click("#resample");
  await page.waitForSelector("#message-action");
  const message = await page.locator(".message pre").innerText();
  assert.doesNotMatch(message, /recording\.|\(\)|hint/);
  assert.match(message, /Repair the recording first/);
  await page.click("#message-action");
  await page.waitForFunction(() => viewer.store.state.openFiles[0].versions.length === 2);
  // Each option of the program that a hint names exists.
  const help = await run("convert", "--help");
  const options = new Set(readFileSync(new URL("../src/errors.ts", import.meta.url), "utf8").match(/"--[a-z-]+"/g));
  assert.ok(options.size > 5);
  for (const option of options) assert.ok(help.includes(option.slice(1, -1)), option);
  await page.selectOption("#language", "ru");
  await page.evaluate(() => viewer.store.update({ message: null }));
  await drop(page, { name: "leer.bin", bytes: [] });
  assert.match(await page.locator(".message pre").innerText(), /^leer\.bin: файл пуст/);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("changed recordings are saved in a folder that the user chooses, and a file that cannot be written prevents no other", async () => {
  const lost = readFileSync(await damaged());
  const folder = folderOf("saved", { "P01/reach.bin": lost, "P02/reach.bin": lost, "P03/reach.bin": wave });
  // A browser without a window cannot show its dialog for folders.
  const picker = () => {
    globalThis.saved = {};
    const handle = (path) => ({
      getDirectoryHandle: async (name) => handle(`${path}${name}/`),
      getFileHandle: async (name) => ({
        createWritable: async () => ({ write: async (bytes) => (globalThis.saved[path + name] = bytes.length), close: async () => undefined }),
      }),
    });
    globalThis.showDirectoryPicker = async () => ({ ...handle(""), name: "results" });
  };
  const page = await open(browser(), { before: picker });
  await drag(page, folder);
  await opened(page, 3);
  await page.click("#repair-all");
  await page.waitForSelector("#save-folder:not(:disabled)");
  await page.evaluate(() => {
    const { openFiles } = viewer.store.state;
    openFiles[0].versions[openFiles[0].current].recording.losses = () => { throw new Error("it cannot be written"); };
  });
  await page.click("#save-folder");
  await page.waitForFunction(() => /Saved results: Recordings: 1, /.test(viewer.store.state.message?.text));
  const repaired = await written("repaired.bin", "repair", join(folder, "P02", "reach.bin"));
  assert.deepEqual(await page.evaluate(() => saved), { "P02/reach.bin": repaired.length });
  assert.match(await page.locator(".message pre").innerText(), /P01\/reach\.bin: it cannot be written/);
  // The other one still counts as changed.
  assert.match(await page.textContent("#save-zip"), /Save changed: 1/);
  assert.deepEqual(page.errors, []);
  await page.context().close();
});
