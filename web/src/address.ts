// The state of the page in its address: the file, the time, the view, and the in and out points. The part after `#` stays
// on the computer of the user, and the token of the server in the part before it is never changed.

import type { Actions } from "./actions.js";
import { IS_EMBEDDED } from "./host.js";
import type { Scene } from "./scene.js";
import { withKey } from "./shortcuts.js";
import { text } from "./strings.js";
import { CAMERAS, type Camera, type State, type Store, endOf, shown } from "./store.js";

/** The shortest time between two changes of the address, in milliseconds. Browsers limit the number of changes. */
const INTERVAL = 500;

/** An address that is longer than this was not made by the page. */
const MAX_LENGTH = 2000;

/** Coordinates of the camera that are larger than this are not accepted, in metres. */
const MAX_COORDINATE = 1000;

/** A chain. Not all systems have a character for it. */
const ICON = '<svg width="16" height="16" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" aria-hidden="true">'
  + '<path d="M10 13a5 5 0 0 0 7 0l3-3a5 5 0 0 0-7-7l-1 1m2 7a5 5 0 0 0-7 0l-3 3a5 5 0 0 0 7 7l1-1"/></svg>';

/** The parts of the state that an address contains. */
export interface Place {
  file: string | null;
  time: number | null;
  inPoint: number | null;
  outPoint: number | null;
  camera: Camera | null;
  /** The position of the camera and the point at its centre. */
  pose: number[] | null;
  /** The time of the recording at which its video starts; null if it is the given one. */
  video: number | null;
}

/** Reads the part of an address after `#`. Anybody can write an address, so values that are not valid are ignored. */
export function parsePlace(hash: string): Place {
  const values = new URLSearchParams(hash.length <= MAX_LENGTH ? hash.replace(/^#/, "") : "");
  const number = (name: string, isSigned = false) => {
    const value = values.get(name);
    return value !== null && (isSigned ? /^-?\d+(\.\d+)?$/ : /^\d+(\.\d+)?$/).test(value) ? Number(value) : null;
  };
  const pose = values.get("pose")?.split(",").map(Number) ?? [];
  const isPose = pose.length === 6 && pose.every((value) => Math.abs(value) <= MAX_COORDINATE)
    && pose.slice(0, 3).some((value, axis) => value !== pose[axis + 3]);
  return {
    file: values.get("file"),
    time: number("t"),
    inPoint: number("in"),
    outPoint: number("out"),
    camera: CAMERAS.find((camera) => camera === values.get("view")) ?? null,
    pose: isPose ? pose : null,
    video: number("video", true),
  };
}

/** Returns the part of an address after `#` for a state; null without a file. */
function placeOf(state: State, pose: number[] | null): string | null {
  const file = state.openFiles[state.selected];
  if (!file) return null;
  const video = state.videos[file.id];
  const rounded = (value: number) => String(Number(value.toFixed(3)));
  const values: [string, string | null][] = [
    ["file", state.overview ? null : file.name],
    ["t", state.overview || state.following ? null : rounded(state.time)],
    ["in", state.inPoint === null ? null : rounded(state.inPoint)],
    ["out", state.outPoint === null ? null : rounded(state.outPoint)],
    ["view", state.camera],
    ["pose", pose && pose.map(rounded).join(",")],
    ["video", !video || video.start === video.given ? null : rounded(video.start)],
  ];
  return new URLSearchParams(values.filter((entry): entry is [string, string] => entry[1] !== null)).toString();
}

/**
 * Writes the state into the address, and restores it from the address. `button` copies the address. Returns a function that shows a
 * place. A page inside another page has no address.
 */
export function address(store: Store, actions: Actions, scene: Scene | null, button: HTMLButtonElement): (place: Place) => void {
  /** The place that is shown when its file is open. */
  let wanted: Place | null = location.hash && !IS_EMBEDDED ? parsePlace(location.hash) : null;
  let timer = 0;
  let written = 0;

  const show = ({ file, time, inPoint, outPoint, camera, pose, video }: Place) => {
    const { openFiles } = store.state;
    const index = file === null ? -1 : openFiles.findIndex(({ name }) => name === file);
    if (index < 0) return;
    if (index !== store.state.selected || store.state.overview) actions.select(index);
    const end = endOf(shown(store.state));
    const start = inPoint !== null && inPoint < Math.min(end, outPoint ?? end) ? inPoint : null;
    store.update({
      playing: false,
      inPoint: start,
      outPoint: outPoint !== null && outPoint > (start ?? 0) && outPoint < end ? outPoint : null,
      ...(camera ? { camera } : {}),
    });
    if (time !== null) actions.seek(time);
    const { id } = openFiles[index] ?? {};
    if (video !== null && id !== undefined) actions.changeVideo(id, { start: video });
    // The watchers of the file and of the view move the camera first.
    setTimeout(() => {
      if (scene && pose && store.state.camera !== "head") scene.pose = pose;
    });
  };
  button.hidden = IS_EMBEDDED;
  if (IS_EMBEDDED) return show;
  const write = () => {
    clearTimeout(timer);
    timer = 0;
    const place = placeOf(store.state, !scene || store.state.camera === "head" ? null : scene.pose);
    if (wanted || place === null || `#${place}` === location.hash) return;
    written = performance.now();
    try {
      history.replaceState(history.state, "", `#${place}`);
    } catch {
      // The browser allows no more changes at this moment.
    }
  };
  store.watch(
    (state) => [state.openFiles, state.selected, state.opening, state.overview, state.time, state.inPoint, state.outPoint, state.camera, state.moves, state.videos],
    (state) => {
      if (wanted && state.openFiles.length > 0 && !state.opening) {
        const place = wanted;
        wanted = null;
        show(place);
      }
      timer ||= window.setTimeout(write, Math.max(0, INTERVAL - (performance.now() - written)));
    },
  );
  // A user who does something before all files are open no longer wants the place of the address.
  for (const event of ["pointerdown", "keydown"]) {
    addEventListener(event, () => store.state.openFiles.length > 0 && (wanted = null), { capture: true });
  }
  addEventListener("hashchange", () => show(parsePlace(location.hash)));

  const copy = async () => {
    write();
    const link = location.href;
    try {
      await navigator.clipboard.writeText(link);
      actions.note(text("linkCopied"));
    } catch {
      // Browsers refuse to copy without a secure address.
      actions.note(text("copyThis", { link }));
    }
  };
  button.innerHTML = ICON;
  button.addEventListener("click", () => void copy());
  store.watch((state) => [state.language, state.openFiles, state.selected], (state) => {
    const file = state.openFiles[state.selected];
    // Another page can open only the files of the server or of the report.
    button.disabled = file?.source === undefined;
    button.title = withKey(button.disabled ? "linkUnavailable" : "copyLink");
    button.setAttribute("aria-label", text("copyLink"));
  });
  return show;
}
