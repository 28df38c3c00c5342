// The viewer: drop a recording, see it, check it, edit it, save it. Nothing leaves the computer.

// This is the first import, so that it handles the errors of the other modules.
import { part, showUncaughtWith } from "./uncaught.js";
import { columnNames } from "../package/inputanim.js";
import { address } from "./address.js";
import { Actions } from "./actions.js";
import { Background } from "./background.js";
import { Commands, serve } from "./commands.js";
import { element, replace, update } from "./dom.js";
import { droppedSources, source } from "./dropped.js";
import { embedded, embeddedRecordings } from "./embedded.js";
import { fileList } from "./files.js";
import { answerWith, facts } from "./facts.js";
import { CAN_CONVERT, FORMATS, extensionOf } from "./formats.js";
import { helpDialog } from "./help.js";
import { IS_EMBEDDED } from "./host.js";
import { loadModule, memorySize } from "./instances.js";
import { FIRST_MEASURES, measureTable } from "./measure-table.js";
import { panels } from "./panels.js";
import { PICTURES, type PictureKind, Pictures } from "./pictures.js";
import { plots } from "./plots.js";
import { remember, remembered } from "./remember.js";
import { makeScene } from "./scene.js";
import { connect } from "./server.js";
import { sheetBar } from "./sheets.js";
import { listen, withKey } from "./shortcuts.js";
import { splitters } from "./splitters.js";
import { CAMERAS, type Camera, type State, Store, isUnsaved, shown } from "./store.js";
import { LANGUAGES, localized, preferred, setLanguage, text } from "./strings.js";
import { NO_FILTER } from "./triage.js";
import { timeFields } from "./timefields.js";
import { timeline } from "./timeline.js";
import { videoPane } from "./video.js";
import { viewKeys } from "./view-keys.js";
import { viewNotes } from "./view-notes.js";
import { xrButtons } from "./xr.js";

const initial: State = {
  openFiles: [],
  opening: false,
  opened: "",
  selected: -1,
  ghost: -1,
  ghostOffset: 0,
  answers: 0,
  live: null,
  following: false,
  overview: false,
  filter: NO_FILTER,
  problems: [],
  time: 0,
  playing: false,
  rate: 1,
  loop: true,
  inPoint: null,
  outPoint: null,
  view: [0, 1],
  camera: "orbit",
  moves: 0,
  panel: "findings",
  sheet: null,
  plot: "position",
  morePlots: [],
  rows: [],
  layout: { files: null, panels: null, height: null, video: null },
  trails: true,
  follow: false,
  axes: false,
  overlay: true,
  videos: {},
  videoStarts: {},
  hidden: new Set(),
  curves: [],
  beside: false,
  measures: FIRST_MEASURES,
  table: false,
  language: preferred(),
  theme: "system",
  working: null,
  message: null,
  viewProblem: null,
  ...remembered(),
};

const RATES = [0.1, 0.25, 0.5, 1, 2, 4];

const module = await WebAssembly.compile(await embedded("recordings"));
await loadModule(module);
const store = new Store(initial);
remember(store);
const background = new Background(module);
const actions = new Actions(store, background);
showUncaughtWith((error) => actions.fail(error));
// While many answers arrive, the page is drawn after some of them. Drawing hundreds of cards for each answer takes long.
let answering = 0;
answerWith(background, () => {
  if (answering) return;
  const draw = () => {
    answering = 0;
    store.update({ answers: store.state.answers + 1 });
  };
  if (background.waiting > 10) answering = window.setTimeout(draw, 300);
  else draw();
});
// This watcher is the first one, because the others draw texts.
store.watch((state) => [state.language], (state) => {
  document.documentElement.lang = state.language;
  setLanguage(state.language);
});

const view = element("div", { class: "view" });
// The view reads the colours of the theme, so the theme changes first.
store.watch((state) => [state.theme], (state) => {
  if (state.theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = state.theme;
});

const scene = makeScene(store, view, columnNames().length);

/** Builds a part of the page, or an element that says why this failed. */
function ownPart(build: () => HTMLElement): HTMLElement {
  return part(build, (failed) => failed);
}

/** Opens the dialog for files. */
function choose(): void {
  const input = element("input", { type: "file", multiple: true });
  input.addEventListener("change", () => void actions.open([...(input.files ?? [])].map(source)));
  input.click();
}

function select(id: string, label: string, options: [string, string][], value: string, change: (value: string) => void): HTMLElement {
  return element(
    "select",
    { id, title: label, "aria-label": label, onchange: (event: Event) => change((event.target as HTMLSelectElement).value) },
    ...options.map(([option, name]) => element("option", { value: option, selected: option === value }, name)),
  );
}

/** Returns a button with a tooltip that shows its key. `shortcut` is the label of the key, if it differs. */
function tool(id: string, label: string, symbol: string, onclick: () => void, properties = {}, shortcut = label): HTMLElement {
  return element("button", { id, title: withKey(label, shortcut), "aria-label": text(label), onclick, ...properties }, symbol);
}

/** Returns the formats of "Save as": first those that hold all of the shown recording, if a `.bin` file cannot hold its devices. */
function offeredFormats(state: State): string[] {
  const recording = shown(state);
  const hasDevices = recording !== null && facts(recording).devices.length > 0;
  const isFirst = (format: string) => hasDevices && (format === "mcap" || format === "json");
  return [...FORMATS].sort((a, b) => Number(isFirst(b)) - Number(isFirst(a)));
}

const help = helpDialog();
const header = element("div", { class: "header" });
store.watch(
  (state) => [state.language, state.openFiles, state.selected, state.working, state.opened],
  (state) => {
    const file = state.openFiles[state.selected];
    document.title = file ? `${isUnsaved(file) ? "● " : ""}${file.name} – inputanim` : "inputanim";
    update(
      header,
      element("h1", {}, "inputanim"),
      state.openFiles.length === 1 && file && element("span", { class: "file-name", title: file.name }, `${isUnsaved(file) ? "● " : ""}${file.name}`),
      state.opened && element("span", { class: "file-name", role: "status" }, state.opened),
      element("button", { id: "open", title: withKey("open"), onclick: choose }, text("open")),
      element("select", {
          id: "save", title: withKey("saveAs", "saveBin"), "aria-label": text("saveAs"), disabled: !file,
          onchange: (event: Event) => {
            const node = event.target as HTMLSelectElement;
            const { value } = node;
            node.value = "";
            if (PICTURES.includes(value as PictureKind)) void pictures.save(value as PictureKind);
            else void actions.save(value);
          },
        },
        element("option", { value: "", selected: true }, text("saveAs")),
        ...offeredFormats(state).map((format) => element("option", { value: format }, `.${extensionOf(format)}`)),
        ...PICTURES.filter((kind) => scene || kind === "svg").map((kind) => element("option", { value: kind }, `${text(`picture.${kind}`)} (.${kind})`)),
      ),
      tool("undo", "undo", "↶", () => void actions.undo(), { disabled: !file || file.current === 0 || state.working !== null }),
      tool("redo", "redo", "↷", () => void actions.redo(), { disabled: !file || file.current === file.versions.length - 1 || state.working !== null }),
    );
  },
);

/** Returns the options of the view. */
function viewOptions(state: State): HTMLElement[] {
  return [
    select("camera", text("camera"), CAMERAS.map((camera) => [camera, text(`camera.${camera}`)]), state.camera,
      (camera) => store.update({ camera: camera as Camera })),
    element("label", {}, element("input", { id: "trails", type: "checkbox", checked: state.trails,
      onchange: () => store.update({ trails: !store.state.trails }) }), ` ${text("trails")}`),
    element("label", { title: text("followHelp") }, element("input", { id: "follow", type: "checkbox", checked: state.follow,
      onchange: () => store.update({ follow: !store.state.follow }) }), ` ${text("followHands")}`),
    element("label", { title: text("axesHelp") }, element("input", { id: "axes", type: "checkbox", checked: state.axes,
      onchange: () => store.update({ axes: !store.state.axes }) }), ` ${text("axes")}`),
  ];
}

const options = element("div", { class: "options" });
const link = element("button", { id: "link" });
store.watch(
  (state) => [state.language, state.camera, state.theme, state.trails, state.follow, state.axes],
  (state) => {
    update(
      options,
      ...(scene ? viewOptions(state) : []),
      select("theme", text("theme"), (["system", "light", "dark"] as const).map((theme) => [theme, text(`theme.${theme}`)]), state.theme,
        (theme) => store.update({ theme: theme as State["theme"] })),
      select("language", "Language", LANGUAGES.map(([code, name]) => [code, name]), state.language,
        (language) => store.update({ language })),
      link,
      tool("help", "help", "?", help),
    );
  },
);

const { list, overview } = part(() => fileList(store, actions), (failed) => ({ list: failed, overview: element("div") }));

const fields = timeFields(store, actions);
const transport = element("div", { class: "transport" });
store.watch(
  (state) => [state.playing, state.language, shown(state), state.live !== null, state.following],
  (state) => {
    const disabled = !shown(state);
    update(
      transport,
      tool("start", "toStart", "|◀", () => actions.seek(store.state.inPoint ?? 0), { disabled }),
      tool("previous", "previousKey", "|◁", () => actions.stepKey(-1), { disabled }),
      tool("play", state.playing ? "pause" : "play", state.playing ? "❚❚" : "▶", () => actions.togglePlay(), { disabled, className: "primary" }, "play"),
      tool("next", "nextKey", "▷|", () => actions.stepKey(1), { disabled }),
      state.live && element("button", { id: "live", title: text("live"), "aria-pressed": String(state.following), onclick: () => actions.follow() },
        `● ${text("live")}`),
      fields.position,
    );
  },
);

const range = element("div", { class: "range" });
store.watch(
  (state) => [state.rate, state.loop, state.language, state.inPoint, state.outPoint, shown(state)],
  (state) => {
    const disabled = !shown(state);
    const hasNoPoints = state.inPoint === null && state.outPoint === null;
    update(
      range,
      select("rate", text("rate"), RATES.map((rate) => [String(rate), `${localized(rate)}×`]), String(state.rate), (rate) => store.update({ rate: Number(rate) })),
      tool("loop", "loop", "⟳", () => store.update({ loop: !store.state.loop }), { "aria-pressed": String(state.loop) }),
      element("span", { class: "points" },
        tool("in", "setIn", "[", () => actions.setIn(store.state.time), { disabled }),
        fields.inPoint,
        fields.outPoint,
        tool("out", "setOut", "]", () => actions.setOut(store.state.time), { disabled })),
      tool("all", "clearRange", "[ ]", () => store.update({ inPoint: null, outPoint: null }), { disabled: hasNoPoints }),
      tool("trim-range", "trim", text("trim"), () => void actions.trim(), { disabled: hasNoPoints }),
      element("span", { class: "space" }),
      tool("zoom-in", "zoomIn", "+", () => actions.zoom(0.5, store.state.time), { disabled }),
      tool("zoom-out", "zoomOut", "−", () => actions.zoom(2, store.state.time), { disabled }),
    );
  },
);

const message = element("div", { class: "message", role: "status", "aria-live": "polite" });
store.watch((state) => [state.message, state.openFiles.length > 1, state.language], (state) => {
  // The overview lists the problems of several files.
  message.hidden = !state.message || (state.message.isList === true && state.openFiles.length > 1);
  message.className = `message ${state.message?.kind ?? ""}`;
  const action = state.message?.action;
  replace(message, element("pre", {}, state.message?.text ?? ""),
    action && element("button", { id: "message-action", class: "primary", onclick: action.run }, action.label),
    tool("dismiss", "close", "✕", () => store.update({ message: null }), {}, "closeMessage"));
});

const working = element("div", { class: "message working", role: "status", "aria-live": "polite" });
const progress = element("progress");
store.watch((state) => [state.working?.stop, state.language], ({ working: found }) => {
  working.hidden = !found;
  if (!found) return update(working);
  progress.setAttribute("aria-label", text(found.label));
  update(working, element("span", {}, `${text(found.label).replace(/…$/, "")}…`), progress,
    element("button", { id: "cancel-edit", onclick: () => found.stop.abort() }, text("cancel")));
});
// The button must stay the same while the user presses it, so only the bar is drawn again.
store.watch((state) => [state.working?.done], ({ working: found }) => {
  progress.hidden = found?.done === undefined;
  progress.value = found?.done ?? 0;
});

// Findings are computed for all files, because the list shows their number. The shown file comes first.
store.watch((state) => [state.openFiles, state.selected], (state) => {
  for (const file of [state.openFiles[state.selected], ...state.openFiles]) {
    const recording = file && !file.isLive && file.versions[file.current]?.recording;
    if (!recording) continue;
    try {
      facts(recording).answer("findings");
    } catch {
      // The panel shows the error.
    }
  }
});

const empty = element("div", { class: "empty" });
store.watch((state) => [shown(state), state.language], (state) => {
  empty.hidden = shown(state) !== null;
  replace(empty, element("p", {}, text(CAN_CONVERT ? "dropHint" : "dropBin")), element("p", {}, text("nothingUploaded")),
    element("button", { id: "open-first", class: "primary", onclick: choose }, text("open")));
});
view.append(empty);
const problem = element("p", { class: "view-problem", role: "status" });
store.watch((state) => [state.viewProblem, shown(state), state.language], (state) => {
  problem.hidden = state.viewProblem === null || shown(state) === null;
  problem.textContent = state.viewProblem ? text(state.viewProblem) : "";
});
view.append(problem);

view.append(overview, ownPart(() => measureTable(store, actions)), message);
const plotted = part(() => plots(store, actions), (failed) => ({ host: failed, tools: element("div"), svg: () => null }));
const side = ownPart(() => panels(store, actions));
const film = ownPart(() => videoPane(store, actions));
const pair = element("div", { class: "pair" }, view, film);
const stage = element("main", { class: "stage" }, list, pair, side);
const controls = element("div", { class: "controls" }, transport, range, plotted.tools);
const upper = element("div", { class: "upper" }, stage, element("footer", {}, controls, ownPart(() => timeline(store, actions))));
document.body.append(
  element("header", {}, header, options),
  element("div", { class: "work" }, upper, plotted.host),
  sheetBar(store),
  working,
);

ownPart(() => (splitters(store, list, pair, view, film, side, upper, plotted.host), element("div")));
if (scene) viewKeys(store, scene);
view.append(ownPart(() => viewNotes(store, scene)));
if (scene) view.append(ownPart(() => xrButtons(store, actions, scene, tick)));
const pictures = new Pictures(store, actions, scene, plotted.svg);
const commands = new Commands(store, actions, address(store, actions, scene, link));
listen({ store, actions, choose, help, picture: () => void pictures.save("png") });
document.addEventListener("dragover", (event) => {
  event.preventDefault();
  document.body.classList.add("dragging");
});
document.addEventListener("dragleave", () => document.body.classList.remove("dragging"));
document.addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("dragging");
  if (event.dataTransfer) void droppedSources(event.dataTransfer).then((sources) => actions.open(sources));
});
// Changes would be lost without a word if the page were left or loaded again.
addEventListener("beforeunload", (event) => {
  if (store.state.openFiles.some(isUnsaved)) event.preventDefault();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => store.update({ theme: store.state.theme }));

let last = performance.now();

/** Plays until now, a time in milliseconds. */
function tick(now: number): void {
  actions.advance(Math.min((now - last) / 1000, 0.25));
  last = now;
}
const draw = (now: number) => {
  requestAnimationFrame(draw);
  // A headset has its own frames.
  if (scene?.renderer.xr.isPresenting) return;
  tick(now);
  scene?.draw();
};
requestAnimationFrame(draw);

if (IS_EMBEDDED) serve(commands, store);
else {
  // The page shows the errors of its recordings itself.
  commands.start({}, embeddedRecordings()).catch(() => undefined);
  void connect(actions);
}

// For tests, and for people who open the console.
const lanes = () => {
  const recording = shown(store.state);
  return recording ? facts(recording).lanes : [];
};
Object.assign(window, { viewer: { store, actions, scene, background, memorySize, lanes } });
document.documentElement.dataset.ready = "true";
