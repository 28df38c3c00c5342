// A browser for the tests, and functions that use a page.
import { execFile, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { after, before } from "node:test";
import { promisify } from "node:util";
import { chromium } from "playwright-core";

export const program = process.env.INPUTANIM_PROGRAM;
// Files of tests run at the same time, so each has a folder of its own.
export const out = join(process.env.INPUTANIM_OUT, basename(process.argv[1], ".test.mjs"));
export const files = process.env.INPUTANIM_RECORDINGS.split("\n");
export const viewer = new URL("../../crates/inputanim-page/viewer/inputanim.html", import.meta.url).href;
mkdirSync(out, { recursive: true });

/** Returns the path of a recording by its name; undefined if it is part of the corpus and the corpus is missing. */
export const recording = (name) => files.find((file) => basename(file) === name);

let started = null;

/** Returns the browser that the tests of a file share. */
export const browser = () => started;

before(async () => {
  started = await chromium.launch({
    executablePath: process.env.INPUTANIM_CHROMIUM,
    // The loader does not find the libraries of extracted packages without this variable.
    env: { ...process.env, LD_LIBRARY_PATH: process.env.INPUTANIM_CHROMIUM_LIBRARIES ?? "" },
    args: [
      "--no-sandbox",
      "--use-angle=swiftshader",
      "--enable-unsafe-swiftshader",
      // Without a graphics card, the page is drawn much faster without OpenGL. The view still uses WebGL.
      "--disable-gpu-compositing",
      "--disable-background-networking",
      "--disable-component-update",
    ],
  });
});
// A test that fails may leave a program, which would keep this process.
const programs = new Set();
after(async () => {
  for (const program of programs) program.kill("SIGKILL");
  await started?.close();
});

/** Returns the script that gives a page a headset, the emulator IWER, with `hand` or `controller` as its input. */
export function headset(input) {
  const iwer = readFileSync(createRequire(import.meta.url).resolve("iwer/build/iwer.min.js"), "utf8");
  return `${iwer};
    globalThis.headset = new IWER.XRDevice(IWER.metaQuest3);
    headset.installRuntime({ forceInstall: true });
    headset.primaryInputMode = "${input}";`;
}

/** Opens the viewer in a new page. */
export async function open(browser, { size = [1280, 800], scheme = "light", address = viewer, before, touch = false, route } = {}) {
  const context = await browser.newContext({
    viewport: { width: size[0], height: size[1] },
    colorScheme: scheme,
    locale: "en-GB",
    acceptDownloads: true,
    hasTouch: touch,
  });
  if (route) await context.route(...route);
  // Other tests may use the processors at the same time.
  context.setDefaultTimeout(180_000);
  const page = await context.newPage();
  page.errors = [];
  page.on("pageerror", (error) => page.errors.push(error));
  if (before) await page.addInitScript(before);
  await page.goto(address);
  await page.waitForFunction(() => document.documentElement.dataset.ready === "true");
  return page;
}

/** Drops files on the page, and waits until they are open or refused. */
export async function drop(page, ...dropped) {
  const contents = dropped.map((file) =>
    typeof file === "string"
      ? { name: basename(file), text: readFileSync(file).toString("base64") }
      : { name: file.name, text: Buffer.from(file.bytes).toString("base64") },
  );
  await page.evaluate(async (list) => {
    const transfer = new DataTransfer();
    for (const { name, text } of list) {
      const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
      transfer.items.add(new File([bytes], name));
    }
    const before = viewer.store.state;
    document.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
    const isDone = () => {
      const { state } = viewer.store;
      return state.openFiles.length >= before.openFiles.length + list.length || (state.message && state.message !== before.message);
    };
    for (let tries = 0; !isDone() && tries < 600; tries++) await new Promise((resolve) => setTimeout(resolve, 50));
  }, contents);
  await settled(page);
}

/** Drags files and folders onto the page as a file manager does, and drops them. A page cannot do this itself. */
export async function drag(page, ...paths) {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: paths, dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"]) {
    await session.send("Input.dispatchDragEvent", { type, x: 300, y: 300, data });
  }
  await session.detach();
}

/** Waits until the worker has answered all questions, and the page shows the answers. */
export async function settled(page) {
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
  await page.waitForFunction(() => viewer.background.isIdle && !/Examining/.test(document.querySelector("#panel").textContent));
}

/** Saves the recording that is shown, and returns the bytes. */
export async function save(page, format = "bin") {
  const [download] = await Promise.all([page.waitForEvent("download"), page.selectOption("#save", format)]);
  return readFileSync(await download.path());
}

/** Runs the program, and returns its standard output. */
export async function run(...args) {
  try {
    return (await promisify(execFile)(program, args, { maxBuffer: 1 << 30 })).stdout;
  } catch (error) {
    // The exit code 3 means that the program finished, but data was lost.
    if (error.code === 3) return error.stdout;
    throw error;
  }
}

/** Runs a command that writes a recording, and returns the bytes. */
export async function written(name, ...args) {
  const output = join(out, name);
  await run(...args, "--quiet", "--force", "-o", output);
  return readFileSync(output);
}

/** Returns a copy of a sample whose w curves were not saved, as by MRTK 2.6. */
export async function damaged(source = recording("pinch-drag.bin")) {
  const [json, file] = [join(out, "lost-w.json"), join(out, "lost-w.bin")];
  await run("convert", "--quiet", "--force", source, json);
  // Each line is one curve. MRTK saved only the first key of w.
  const lines = readFileSync(json, "utf8").split("\n");
  const lost = lines.map((line) => (line.includes("rotation.w") ? line.replace(/(\[\[[^\]]*\]).*\]/, "$1]") : line));
  writeFileSync(json, lost.join("\n"));
  await run("convert", "--quiet", "--force", json, file);
  return file;
}

/** Starts `inputanim view`, and returns its address and a function that ends it. */
export async function serve(...args) {
  const child = spawn(program, ["view", "--no-open", ...args], { stdio: ["ignore", "pipe", "inherit"] });
  programs.add(child);
  const address = await printedAddress(child, child.stdout);
  return { address, stop: () => child.kill() };
}

/** Starts `inputanim record --view`, and returns its address, its standard input and a promise of its end. */
export async function record(...args) {
  const child = spawn(program, ["record", "--view", "--no-open", ...args], { stdio: ["pipe", "inherit", "pipe"] });
  programs.add(child);
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const address = await printedAddress(child, child.stderr);
  child.stderr.resume();
  return { address, input: child.stdin, ended, stop: () => child.kill("SIGKILL") };
}

/** Returns the address that a program prints. */
function printedAddress(child, stream) {
  return new Promise((resolve, reject) => {
    // A line may arrive in several pieces.
    let printed = "";
    stream.on("data", (data) => {
      printed += data;
      const found = /(http:\S+)\s/.exec(printed);
      if (found) resolve(found[1]);
    });
    child.once("exit", (code) => reject(new Error(`the program ended with ${code}`)));
  });
}
