// The commands that start and control the viewer. The page itself starts with them, and so does a page around it that uses the
// function `embed` of the npm package.

import type { Actions, Source } from "./actions.js";
import { type Place, parsePlace } from "./address.js";
import { saving } from "./download.js";
import type { EmbedEvents } from "./embed.js";
import { type EmbedCommands, type EmbedMessage, type EmbedRequest, GREETING, type SentFile } from "./embed-messages.js";
import { type State, type Store, endOf, isUnsaved, shown } from "./store.js";
import { LANGUAGES } from "./strings.js";

/** The themes. */
const THEMES: readonly unknown[] = ["system", "light", "dark"];

/** What a viewer shows at its start. */
type Start = EmbedCommands["start"][0];

/** Checks the value of an argument, which another page may have given. */
function checked<T>(value: T, isValid: boolean, expected: string): T {
  if (!isValid) throw new TypeError(`invalid value ${JSON.stringify(value)}: expected ${expected}`);
  return value;
}

export class Commands {
  constructor(private readonly store: Store, private readonly actions: Actions, private readonly show: (place: Place) => void) {}

  /** Starts the viewer: opens files, and shows a part of them. */
  async start({ time, theme, language, view, downloads = true }: Start, files: Source[]): Promise<void> {
    if (theme !== undefined) this.theme(theme);
    if (language !== undefined) {
      checked(language, LANGUAGES.some(([code]) => code === language), LANGUAGES.map(([code]) => code).join(", "));
      this.store.update({ language });
    }
    saving.asDownload = downloads;
    await this.open(files);
    if (view !== undefined) this.show(parsePlace(view));
    if (time !== undefined) this.seek(time);
  }

  async open(files: Source[]): Promise<void> {
    const errors = await this.actions.open(files);
    if (errors.length > 0) throw new Error(errors.join("\n"));
  }

  seek(time: number): void {
    this.actions.seek(checked(time, Number.isFinite(time), "seconds"));
  }

  play(): void {
    if (!this.store.state.playing && shown(this.store.state)) this.actions.togglePlay();
  }

  pause(): void {
    this.store.update({ playing: false });
  }

  theme(theme: State["theme"]): void {
    this.store.update({ theme: checked(theme, THEMES.includes(theme), THEMES.join(", ")) });
  }

  select({ file, start, end }: EmbedCommands["select"][0]): void {
    const { openFiles } = this.store.state;
    if (file !== undefined) {
      const index = openFiles.findIndex(({ name }) => name === file);
      checked(file, index >= 0, `the name of an open file: ${openFiles.map(({ name }) => name).join(", ") || "none is open"}`);
      this.actions.select(index);
    }
    const length = endOf(shown(this.store.state));
    const from = start === undefined ? this.store.state.inPoint : start;
    const to = end === undefined ? this.store.state.outPoint : end;
    const areNumbers = [from, to].every((value) => value === null || Number.isFinite(value));
    const isInside = (from ?? 0) >= 0 && (from ?? 0) < (to ?? length) && (to ?? 0) <= length;
    checked([from, to], areNumbers && isInside, `a range within ${length} s`);
    this.store.update({ inPoint: from, outPoint: to });
  }
}

/** Returns the source of a file that a page around this one has sent. */
function source(file: SentFile): Source {
  const bytes = async () => {
    if ("error" in file) throw new Error(file.error);
    return new Uint8Array(await file.data.arrayBuffer());
  };
  return { name: file.name, bytes, parts: () => ("error" in file ? undefined : file.parts) };
}

/** Runs the commands of the page around this one, and sends it events. */
export function serve(commands: Commands, store: Store): void {
  const run: { [Name in keyof EmbedCommands]: (...values: EmbedCommands[Name]) => unknown } = {
    start: (options, files) => commands.start(options, files.map(source)),
    open: (files) => commands.open(files.map(source)),
    seek: (time) => commands.seek(time),
    play: () => commands.play(),
    pause: () => commands.pause(),
    select: (selection) => commands.select(selection),
    theme: (theme) => commands.theme(theme),
  };
  addEventListener("message", ({ source, data, ports: [port] }) => {
    if (source !== parent || data !== GREETING || !port) return;
    const send = (message: EmbedMessage) => port.postMessage(message);
    port.onmessage = async ({ data: { id, command, values } }: MessageEvent<EmbedRequest>) => {
      try {
        await (run[command] as (...values: unknown[]) => unknown)(...values);
        // The events of a command come before its answer.
        setTimeout(() => send({ id, error: null }));
      } catch (error) {
        send({ id, error: (error as Error).message });
      }
    };
    sendEvents(store, (event, value) => send({ event, value }));
  });
  parent.postMessage(GREETING, "*");
}

function sendEvents(store: Store, send: <Name extends keyof EmbedEvents>(event: Name, value: EmbedEvents[Name]) => void): void {
  store.watch((state) => [state.openFiles], ({ openFiles }) => {
    send("files", openFiles.map((file) => ({ name: file.name, duration: endOf(file.versions[file.current]?.recording), unsaved: isUnsaved(file) })));
  });
  store.watch((state) => [nameOf(state), state.inPoint, state.outPoint], (state) => {
    send("selection", { file: nameOf(state), start: state.inPoint, end: state.outPoint });
  });
  store.watch((state) => [state.time, state.playing], ({ time, playing }) => send("time", { time, playing }));
  saving.tell = (name, data) => send("saved", { name, data });
}

/** Returns the name of the file that is shown. */
function nameOf({ openFiles, selected, overview }: State): string | null {
  return overview ? null : (openFiles[selected]?.name ?? null);
}
