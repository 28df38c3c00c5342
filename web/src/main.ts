// The viewer: drop a recording, see it, check it, edit it, save it. Nothing leaves the computer.

// This is the first import, so that it handles the errors of the other modules.
import { showUncaughtWith } from "./uncaught.js";
import init, { columnNames } from "../package/inputanim.js";
import { Actions } from "./actions.js";
import { Background } from "./background.js";
import { element, replace, time } from "./dom.js";
import { droppedSources, source } from "./dropped.js";
import { embedded, embeddedRecordings } from "./embedded.js";
import { fileList } from "./files.js";
import { answerWith, facts } from "./facts.js";
import { FORMATS } from "./formats.js";
import { FIRST_MEASURES, measureTable } from "./measure-table.js";
import { panels } from "./panels.js";
import { PLOTS } from "./plot-lines.js";
import { plots } from "./plots.js";
import { Scene } from "./scene.js";
import { connect } from "./server.js";
import { listen } from "./shortcuts.js";
import { type Camera, type State, Store, isUnsaved, shown } from "./store.js";
import { LANGUAGES, preferred, setLanguage, text } from "./strings.js";
import { timeline } from "./timeline.js";
import { viewNotes } from "./view-notes.js";
import { xrButtons } from "./xr.js";

const initial: State = {
  openFiles: [],
  selected: -1,
  ghost: -1,
  ghostOffset: 0,
  answers: 0,
  live: null,
  following: false,
  overview: false,
  time: 0,
  playing: false,
  rate: 1,
  loop: true,
  inPoint: null,
  outPoint: null,
  view: [0, 1],
  camera: "orbit",
  panel: "findings",
  plot: "position",
  trails: true,
  axes: false,
  hidden: new Set(),
  curves: [],
  beside: false,
  measures: FIRST_MEASURES,
  table: false,
  language: preferred(),
  theme: "system",
  working: null,
  message: null,
};

const RATES = [0.1, 0.25, 0.5, 1, 2, 4];
const CAMERAS: Camera[] = ["orbit", "hands", "top", "front", "head", "follow"];

const module = await WebAssembly.compile(await embedded("recordings"));
const { memory } = await init({ module_or_path: module });
const store = new Store(initial);
const background = new Background(module);
const actions = new Actions(store, background);
answerWith(background, () => store.update({ answers: store.state.answers + 1 }));
// This watcher is the first one, because the others draw texts.
store.watch((state) => [state.language], (state) => {
  document.documentElement.lang = state.language;
  setLanguage(state.language);
});

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

function tool(id: string, label: string, symbol: string, onclick: () => void, properties = {}): HTMLElement {
  return element("button", { id, title: label, "aria-label": label, onclick, ...properties }, symbol);
}

const header = element("header");
store.watch(
  (state) => [
    state.language, state.openFiles, state.selected, state.camera, state.theme, state.trails, state.axes, state.working,
  ],
  (state) => {
    const file = state.openFiles[state.selected];
    replace(
      header,
      element("h1", {}, "inputanim"),
      element("button", { id: "open", onclick: choose }, text("open")),
      element("select", {
          id: "save", "aria-label": text("saveAs"), disabled: !file,
          onchange: (event: Event) => {
            const node = event.target as HTMLSelectElement;
            void actions.save(node.value);
            node.value = "";
          },
        },
        element("option", { value: "", selected: true }, text("saveAs")),
        ...FORMATS.map((format) => element("option", { value: format }, `.${format}`)),
      ),
      tool("undo", text("undo"), "↶", () => void actions.undo(), { disabled: !file || file.current === 0 || state.working !== null }),
      tool("redo", text("redo"), "↷", () => void actions.redo(), { disabled: !file || file.current === file.versions.length - 1 || state.working !== null }),
      element("span", { class: "space" }),
      select("camera", text("camera"), CAMERAS.map((camera) => [camera, text(`camera.${camera}`)]), state.camera,
        (camera) => store.update({ camera: camera as Camera })),
      element("label", {}, element("input", { id: "trails", type: "checkbox", checked: state.trails,
        onchange: () => store.update({ trails: !store.state.trails }) }), ` ${text("trails")}`),
      element("label", { title: text("axesHelp") }, element("input", { id: "axes", type: "checkbox", checked: state.axes,
        onchange: () => store.update({ axes: !store.state.axes }) }), ` ${text("axes")}`),
      select("theme", text("theme"), (["system", "light", "dark"] as const).map((theme) => [theme, text(`theme.${theme}`)]), state.theme,
        (theme) => store.update({ theme: theme as State["theme"] })),
      select("language", "Language", LANGUAGES.map(([code, name]) => [code, name]), state.language,
        (language) => store.update({ language })),
    );
  },
);

const { list, overview } = fileList(store, actions);

const transport = element("div", { class: "transport" });
store.watch(
  (state) => [
    state.playing, state.rate, state.loop, state.language, state.plot, state.inPoint, state.outPoint, shown(state),
    state.live !== null, state.following,
  ],
  (state) => {
    const disabled = !shown(state);
    replace(
      transport,
      tool("start", text("toStart"), "|◀", () => actions.seek(store.state.inPoint ?? 0), { disabled }),
      tool("previous", text("previousKey"), "|◁", () => actions.stepKey(-1), { disabled }),
      tool("play", text(state.playing ? "pause" : "play"), state.playing ? "❚❚" : "▶", () => actions.togglePlay(), { disabled, className: "primary" }),
      tool("next", text("nextKey"), "▷|", () => actions.stepKey(1), { disabled }),
      state.live && element("button", { id: "live", "aria-pressed": String(state.following), onclick: () => actions.follow() },
        `● ${text("live")}`),
      element("output", { id: "time", class: "time" }, time(store.state.time)),
      select("rate", text("rate"), RATES.map((rate) => [String(rate), `${rate}×`]), String(state.rate), (rate) => store.update({ rate: Number(rate) })),
      tool("loop", text("loop"), "⟳", () => store.update({ loop: !store.state.loop }), { "aria-pressed": String(state.loop) }),
      tool("in", text("setIn"), "[", () => actions.setIn(store.state.time), { disabled }),
      tool("out", text("setOut"), "]", () => actions.setOut(store.state.time), { disabled }),
      tool("all", text("clearRange"), "[ ]", () => store.update({ inPoint: null, outPoint: null }), { disabled: state.inPoint === null && state.outPoint === null }),
      tool("trim-range", text("trim"), text("trim"), () => void actions.trim(), { disabled: state.inPoint === null && state.outPoint === null }),
      element("span", { class: "space" }),
      tool("zoom-in", text("zoomIn"), "+", () => actions.zoom(0.5, store.state.time), { disabled }),
      tool("zoom-out", text("zoomOut"), "−", () => actions.zoom(2, store.state.time), { disabled }),
      select("plot", text("plot"), PLOTS.map((plot) => [plot, text(plot === "curves" ? "chosenCurves" : plot)]), state.plot, (plot) => store.update({ plot })),
    );
  },
);
store.watch((state) => [state.time], (state) => {
  const output = document.getElementById("time");
  if (output) output.textContent = time(state.time);
});

const message = element("div", { class: "message", role: "status", "aria-live": "polite" });
store.watch((state) => [state.message, state.language], (state) => {
  message.hidden = !state.message;
  message.className = `message ${state.message?.kind ?? ""}`;
  const action = state.message?.action;
  replace(message, element("pre", {}, state.message?.text ?? ""),
    action && element("button", { id: "message-action", class: "primary", onclick: action.run }, action.label),
    tool("dismiss", text("close"), "✕", () => store.update({ message: null })));
});

const working = element("div", { class: "message working", role: "status", "aria-live": "polite" });
store.watch((state) => [state.working, state.language], ({ working: found }) => {
  working.hidden = !found;
  if (!found) return replace(working);
  replace(working, element("span", {}, `${text(found.label).replace(/…$/, "")}…`),
    element("button", { id: "cancel-edit", onclick: () => found.stop.abort() }, text("cancel")));
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

const view = element("div", { class: "view" });
const empty = element("div", { class: "empty" });
store.watch((state) => [shown(state), state.language], (state) => {
  empty.hidden = shown(state) !== null;
  replace(empty, element("p", {}, text("dropHint")), element("p", {}, text("nothingUploaded")),
    element("button", { id: "open-first", class: "primary", onclick: choose }, text("open")));
});
view.append(empty);

store.watch((state) => [state.theme], (state) => {
  if (state.theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = state.theme;
});

view.append(overview, measureTable(store, actions));
const stage = element("main", { class: "stage" }, list, view, panels(store, actions));
showUncaughtWith((error) => actions.fail(error));
document.body.append(header, stage, element("footer", {}, transport, timeline(store, actions), plots(store, actions)), message, working);

const scene = new Scene(store, view, columnNames().length);
view.append(viewNotes(store, scene), xrButtons(store, actions, scene));
listen(store, actions);
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
scene.renderer.setAnimationLoop((now) => {
  actions.advance(Math.min((now - last) / 1000, 0.25));
  last = now;
  if (scene.renderer.xr.isPresenting) {
    scene.update();
    scene.renderer.render(scene.scene, scene.camera);
  } else scene.draw();
});

void actions.open(embeddedRecordings());
void connect(actions);

// For tests, and for people who open the console.
Object.assign(window, { viewer: { store, actions, scene, background, memory } });
document.documentElement.dataset.ready = "true";
