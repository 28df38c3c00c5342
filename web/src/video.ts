// The video beside the data. It plays on the clock of the page: while its picture moves, its time is the time of the page, so that
// picture and data always belong together. At times without a picture, the page uses its own clock.

import type { Actions } from "./actions.js";
import { element, time as formatted, update } from "./dom.js";
import { parseTime } from "./timefields.js";
import { type OpenFile, type State, type Store, type Video, videoStart } from "./store.js";
import { text } from "./strings.js";
import { cameraOf, drawJoints } from "./video-joints.js";

/** Seconds by which a wanted time is moved into its frame. Times of frames are rounded to microseconds in files. */
const INTO_FRAME = 1e-3;

/** The largest difference in seconds between the video and the page at which its picture belongs to the time of the page. */
const MAX_DRIFT = 0.25;

/** If the video does not move for this time in seconds, the page goes on without it. */
const MAX_WAIT = 1;

/** If the picture of the current time is missing for this time in milliseconds, the old one is covered. */
const LATE = 400;

/** The length in seconds of a step in the video. The rate of its frames is not known. */
const STEP = 1 / 30;

/** A time after the end of any video, in seconds. Seeking to it shows the length of videos whose header lacks it. */
const AFTER_END = 1e7;

/** Builds the part of the page with the video of the shown recording. */
export function videoPane(store: Store, actions: Actions): HTMLElement {
  const film = element("video", { muted: true, playsInline: true, preload: "auto" });
  const joints = element("canvas");
  const note = element("p", { role: "status" });
  const tools = element("div", { class: "film-tools" });
  const screen = element("div", { class: "film" }, film, joints, note);
  const host = element("section", { class: "video", id: "video" }, screen, tools);
  /** True while the user moves the video and the recording separately. */
  let isMatching = false;
  let hasFailed = false;
  /** The time that was asked for while the video does not play. */
  let asked = NaN;
  /** The time in the video of the picture that is shown; NaN while none is shown. */
  let pictured = NaN;
  let position = 0;
  let waited = 0;
  /** The last time that the video gave the page. */
  let given = NaN;
  let late = 0;

  const fileOf = (state: State): OpenFile | undefined => state.openFiles[state.selected];
  const videoOf = (state: State): Video | undefined => state.videos[fileOf(state)?.id ?? 0];
  const isReady = () => film.readyState >= HTMLMediaElement.HAVE_METADATA && Number.isFinite(film.duration) && !hasFailed;
  /** Returns the wanted time in the video; null if the video has no picture at the time of the page. */
  const wanted = (state: State): number | null => {
    const file = fileOf(state);
    if (!file || !videoOf(state) || !isReady()) return null;
    const found = state.time - videoStart(state, file);
    return found >= -INTO_FRAME && found <= film.duration + INTO_FRAME ? Math.min(Math.max(found, 0), film.duration) : null;
  };

  const say = (message: string, isCovered: boolean) => {
    if (note.textContent !== message) note.textContent = message;
    note.hidden = message === "";
    screen.classList.toggle("covered", isCovered);
  };
  const describe = (state: State) => {
    const file = fileOf(state);
    const video = videoOf(state);
    if (!file || !video) return;
    if (hasFailed) return say(text("videoFailed", { name: video.name }), true);
    if (isMatching) return say("", false);
    if (wanted(state) === null) {
      if (!isReady()) return say(text("videoLate"), true);
      const start = videoStart(state, file);
      return say(text("videoOutside", { from: formatted(start), to: formatted(start + film.duration) }), true);
    }
    const recording = file.versions[file.current]?.recording;
    const hasOtherSize = state.overlay && recording && film.videoWidth > 0 && cameraOf(recording)?.fits(film.videoWidth, film.videoHeight) === false;
    say(hasOtherSize ? text("videoOtherSize") : "", false);
  };
  /** Covers a picture that stays although the time has changed. */
  const checkPicture = () => {
    clearTimeout(late);
    describe(store.state);
    const isCurrent = () => {
      const now = wanted(store.state);
      return now === null || isMatching || (!film.seeking && film.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA && Math.abs(film.currentTime - now) <= MAX_DRIFT);
    };
    if (!isCurrent()) late = window.setTimeout(() => !isCurrent() && say(text("videoLate"), true), LATE);
  };

  const drawOver = () => {
    const { state } = store;
    const file = fileOf(state);
    const recording = file?.versions[file.current]?.recording;
    const isShown = videoOf(state) && recording && state.overlay && !isMatching && wanted(state) !== null && Number.isFinite(pictured);
    drawJoints(joints, film, isShown ? recording : null, pictured + (file ? videoStart(state, file) : 0), state.hidden);
  };
  const follow = () => {
    const { state } = store;
    const to = isMatching ? null : wanted(state);
    if (to === null) film.pause();
    else if (state.playing) {
      asked = NaN;
      film.playbackRate = state.rate;
      // The user or the loop has moved the page.
      const isJump = !(Math.abs(state.time - given) <= INTO_FRAME);
      if (isJump && Math.abs(film.currentTime - to) > 2 * INTO_FRAME) film.currentTime = to;
      // A browser may refuse to play sound. The page then goes on by its own clock.
      if (film.paused && !film.ended) film.play().catch(() => undefined);
    } else {
      film.pause();
      waited = 0;
      const inFrame = Math.min(to + INTO_FRAME, film.duration);
      if (!film.seeking && inFrame !== asked) film.currentTime = asked = inFrame;
    }
    checkPicture();
  };
  actions.clock = (seconds) => {
    const { state } = store;
    const file = fileOf(state);
    given = NaN;
    if (!file || isMatching || wanted(state) === null || film.paused || film.ended) return null;
    waited = film.currentTime === position ? waited + seconds : 0;
    position = film.currentTime;
    if (waited > MAX_WAIT) return null;
    return (given = position + videoStart(state, file));
  };

  const pictureShown = (at: number) => {
    pictured = at;
    drawOver();
    const slider = document.getElementById("video-time") as HTMLInputElement | null;
    if (slider) {
      slider.value = String(film.currentTime);
      slider.setAttribute("aria-valuetext", formatted(film.currentTime));
      (slider.nextElementSibling as HTMLElement).textContent = formatted(film.currentTime);
    }
  };
  if ("requestVideoFrameCallback" in film) {
    const next = (_now: number, { mediaTime }: VideoFrameCallbackMetadata) => {
      pictureShown(mediaTime);
      film.requestVideoFrameCallback(next);
    };
    film.requestVideoFrameCallback(next);
  } else {
    for (const event of ["seeked", "timeupdate", "loadeddata"]) (film as HTMLElement).addEventListener(event, () => pictureShown((film as HTMLVideoElement).currentTime));
  }
  film.addEventListener("loadedmetadata", () => {
    // The sound of a video whose pictures the browser cannot decode would play.
    if (film.videoWidth === 0) fail();
    else if (!Number.isFinite(film.duration)) film.currentTime = AFTER_END;
  });
  const fail = () => {
    if (!film.getAttribute("src")) return;
    hasFailed = true;
    film.pause();
    drawTools(store.state);
    checkPicture();
  };
  film.addEventListener("error", fail);
  for (const event of ["durationchange", "seeked", "canplay", "playing", "waiting"]) film.addEventListener(event, () => follow());
  film.addEventListener("durationchange", () => drawTools(store.state));
  new ResizeObserver(drawOver).observe(screen);

  const match = (isOn: boolean) => {
    isMatching = isOn;
    if (isOn) store.update({ playing: false });
    asked = NaN;
    film.pause();
    drawTools(store.state);
    follow();
    drawOver();
    document.getElementById(isOn ? "video-time" : "video-match")?.focus();
  };
  const move = (to: number) => (film.currentTime = Math.min(Math.max(to, 0), film.duration));
  const setStart = (start: number) => {
    const { state } = store;
    const file = fileOf(state);
    // The start belongs to the recording before its edits.
    if (file) actions.changeVideo(file.id, { start: start + (videoOf(state)?.start ?? 0) - videoStart(state, file) });
  };
  const start = element("input", { id: "video-start", class: "time", autocomplete: "off", spellcheck: false });
  const commit = () => {
    const { state } = store;
    const file = fileOf(state);
    if (!file) return;
    const typed = /^\s*([-−]?)(.*)$/.exec(start.value);
    const value = parseTime(typed?.[2] ?? "");
    if (value !== null && start.value !== formatted(videoStart(state, file))) setStart(typed?.[1] ? -value : value);
    start.value = formatted(videoStart(store.state, file));
  };
  start.addEventListener("focus", () => start.select());
  start.addEventListener("change", commit);
  start.addEventListener("keydown", (event) => {
    if (event.key === "Enter") start.blur();
  });

  const drawTools = (state: State) => {
    const file = fileOf(state);
    const recording = file?.versions[file.current]?.recording;
    const video = videoOf(state);
    host.hidden = !video || !recording || state.overview;
    if (!file || !video || !recording) return;
    host.setAttribute("aria-label", text("video"));
    start.title = text("videoStartHelp");
    start.setAttribute("aria-label", text("videoStartHelp"));
    if (document.activeElement !== start) start.value = formatted(videoStart(state, file));
    const button = (id: string, label: string, symbol: string, onclick: () => void, properties = {}) =>
      element("button", { id, key: id, title: text(label), "aria-label": text(label), onclick, ...properties }, symbol);
    const remove = button("video-remove", "videoRemove", "✕", () => actions.removeVideos([file.id]));
    if (isMatching && isReady()) {
      update(tools,
        element("p", { key: "help" }, text("videoMatchHelp")),
        element("span", { class: "film-slider", key: "slider" },
          button("video-back", "videoBack", "◁", () => move(film.currentTime - STEP)),
          element("input", {
            id: "video-time", type: "range", min: "0", max: String(film.duration), step: String(STEP), value: String(film.currentTime),
            "aria-label": text("videoPosition"), oninput: (event: Event) => move(Number((event.target as HTMLInputElement).value) + INTO_FRAME),
          }),
          element("span", { class: "time" }, formatted(film.currentTime)),
          button("video-next", "videoNext", "▷", () => move(film.currentTime + STEP))),
        element("button", {
          id: "video-same", key: "same", class: "primary",
          // The time of a picture is the time at which it begins.
          onclick: () => (setStart(store.state.time - (Number.isFinite(pictured) ? pictured : film.currentTime)), match(false)),
        }, text("videoSame")),
        element("button", { id: "video-cancel", key: "cancel", onclick: () => match(false) }, text("cancel")));
      return;
    }
    update(tools,
      element("span", { class: "film-name", key: "name", title: video.name }, video.name),
      !hasFailed && element("label", { key: "start" }, `${text("videoStart")} `, start),
      !hasFailed && element("button", { id: "video-match", key: "match", title: text("videoMatchHelp"), disabled: !isReady(), onclick: () => match(true) }, text("videoMatch")),
      !hasFailed && cameraOf(recording) && element("label", { key: "joints", title: text("videoJointsHelp") },
        element("input", { id: "video-joints", type: "checkbox", checked: state.overlay, onchange: () => store.update({ overlay: !store.state.overlay }) }), ` ${text("videoJoints")}`),
      !hasFailed && button("video-sound", "videoSound", "♪", () => {
        film.muted = !film.muted;
        drawTools(store.state);
      }, { "aria-pressed": String(!film.muted) }),
      remove);
  };

  store.watch((state) => [fileOf(state)?.id, videoOf(state)?.address], (state) => {
    const address = videoOf(state)?.address;
    [isMatching, hasFailed, asked, pictured] = [false, false, NaN, NaN];
    if (address) film.src = address;
    else film.removeAttribute("src");
    // Without this, the browser keeps the last video.
    film.load();
  });
  store.watch((state) => [fileOf(state), videoOf(state), state.language, state.overview, state.overlay], drawTools);
  store.watch((state) => [state.time, state.playing, state.rate, fileOf(state), videoOf(state), state.language, state.overlay], follow);
  store.watch((state) => [fileOf(state), videoOf(state), state.overlay, state.hidden, wanted(state) === null], drawOver);
  return host;
}
