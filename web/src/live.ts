// A recording in progress of `inputanim record --view`. It grows while the page shows it.

import { Recorder, columnNames } from "../package/inputanim.js";
import type { Actions } from "./actions.js";
import type { Content } from "./content.js";
import { text } from "./strings.js";

/** The page keeps only these last seconds, so that its memory is limited. The finished recording is complete. */
const MAX_SECONDS = 600;

/** The recording is copied for the timeline and the plots at most this often, in milliseconds. */
const INTERVAL = 500;

/** The minimum time between two copies, as a multiple of the time that a copy takes. */
const REST = 10;

/** If the connection is lost for this time in milliseconds, the program has ended. */
const LOST = 5000;

interface Start {
  layout: string;
  keepLast: number | null;
  columns: string[];
}

/** Shows a recording while it is made. `finished` returns the content of its file. */
export function followLive(
  name: string,
  address: string,
  finished: () => Promise<Content>,
  actions: Actions,
): void {
  const names = columnNames();
  const frame = new Float32Array(names.length).fill(NaN);
  const source = new EventSource(address);
  const known = new Set<string>();
  let recorder: Recorder | null = null;
  let places: number[] = [];
  let isNew = false;
  let timer = 0;
  let lost = 0;
  let hasEnded = false;

  const data = <T>(event: Event) => JSON.parse((event as MessageEvent<string>).data) as T;
  const on = (kind: string, handle: (event: Event) => void) => source.addEventListener(kind, handle);
  const copy = () => {
    const start = performance.now();
    if (recorder && isNew) actions.grow(name, recorder.snapshot());
    isNew = false;
    // The timeout lets watchers draw the page before the time is measured.
    setTimeout(() => {
      timer = window.setTimeout(copy, Math.max(INTERVAL, REST * (performance.now() - start)));
    });
  };
  const end = (isSaved: boolean) => {
    if (hasEnded) return;
    hasEnded = true;
    clearTimeout(timer);
    const finish = async () => {
      // The program ends when the connection is closed, so the file is fetched first.
      const content = isSaved ? await finished().catch(() => null) : null;
      source.close();
      if (content) await actions.finishLive(name, content);
      else if (recorder && recorder.frames > 0) actions.grow(name, recorder.snapshot());
    };
    const close = () => {
      actions.endLive();
      actions.note(text("liveEnded", { name }));
    };
    void finish().catch((error: unknown) => actions.fail(error, name)).then(close);
  };
  on("error", () => {
    // The browser tries to connect again.
    lost ||= window.setTimeout(() => end(false), LOST);
  });
  on("start", (event) => {
    clearTimeout(lost);
    lost = 0;
    // The connection may be interrupted and start again.
    if (recorder) return;
    const { layout, keepLast, columns } = data<Start>(event);
    places = columns.map((column) => names.indexOf(column));
    recorder = new Recorder({ layout, keepLast: Math.min(keepLast ?? MAX_SECONDS, MAX_SECONDS) });
  });
  on("frame", (event) => {
    const [time, numbers] = data<[number, (number | null)[]]>(event);
    numbers.forEach((value, index) => (frame[places[index] ?? -1] = value ?? NaN));
    try {
      recorder?.push(time, frame);
    } catch {
      // After an interruption, frames are sent again.
      return;
    }
    actions.liveFrame(frame, time);
    if (!isNew && timer === 0) {
      isNew = true;
      timer = -1;
      copy();
    }
    isNew = true;
  });
  on("marker", (event) => {
    const [time, label] = data<[number, string]>(event);
    // After an interruption, markers are sent again.
    const key = `${time} ${label}`;
    if (known.has(key)) return;
    known.add(key);
    try {
      recorder?.mark(time, label);
      isNew = true;
    } catch {
      // The recorder of the program has accepted the marker. If this one refuses it, it appears in the finished
      // recording.
    }
  });
  on("end", (event) => end(data<{ isSaved: boolean }>(event).isSaved));
}
