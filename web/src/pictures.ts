// Pictures: the view as PNG, the played range as a video, and the plot as SVG.

import { type Actions, stemOf } from "./actions.js";
import { download } from "./download.js";
import type { Scene } from "./scene.js";
import { text } from "./strings.js";
import { type OpenFile, type Store, played, shown } from "./store.js";

/** The kinds of pictures, which are also the extensions of their files. */
export const PICTURES = ["png", "webm", "svg"] as const;
export type PictureKind = (typeof PICTURES)[number];

/** Types of videos, the best one first. VP8 needs the least time, so that few frames are lost. Safari records only MP4. */
const VIDEOS = [["video/webm;codecs=vp8", "webm"], ["video/webm", "webm"], ["video/mp4", "mp4"]] as const;

/** The last frame is shown for this time in milliseconds, because a recorder that is stopped at once loses it. */
const HOLD = 1000;

/** Frames per second, and bits per second, of a video. */
const FRAME_RATE = 30;
const BIT_RATE = 8e6;

/** Saves pictures of what the page shows. */
export class Pictures {
  /** `plot` returns the plot as SVG; null without a plot. */
  constructor(
    private readonly store: Store, private readonly actions: Actions, private readonly scene: Scene,
    private readonly plot: () => string | null,
  ) {}

  /** Saves a picture. */
  async save(kind: PictureKind): Promise<void> {
    const { openFiles, selected, working } = this.store.state;
    const file = openFiles[selected];
    if (!file || !shown(this.store.state) || working) return;
    try {
      if (kind === "png") await this.still(file);
      else if (kind === "svg") this.svg(file);
      else await this.video(file);
    } catch (error) {
      this.actions.fail(error, file.name);
    }
  }

  private saved(name: string, data: Blob): void {
    download(name, data);
    this.actions.note(text("saved", { name, bytes: data.size }));
  }

  /** Returns a canvas with the size of the view in pixels of the screen. */
  private canvas(): HTMLCanvasElement {
    const canvas = document.createElement("canvas");
    const { width, height } = this.scene.renderer.domElement;
    // Video codecs need even sizes.
    canvas.width = Math.max(2, width - (width % 2));
    canvas.height = Math.max(2, height - (height % 2));
    return canvas;
  }

  private async still(file: OpenFile): Promise<void> {
    const canvas = this.canvas();
    this.scene.paint(canvas);
    const data = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve));
    if (!data) throw new Error(text("unknownError"));
    this.saved(`${stemOf(file)}-${this.store.state.time.toFixed(3)}s.png`, data);
  }

  private svg(file: OpenFile): void {
    const drawn = this.plot();
    if (!drawn) throw new Error(text("nothingToPlot"));
    this.saved(`${stemOf(file)}-${this.store.state.plot}.svg`, new Blob([drawn], { type: "image/svg+xml" }));
  }

  /** Plays the range once, and records the view. The time of the video is the time of the clock. */
  private async video(file: OpenFile): Promise<void> {
    const found = VIDEOS.find(([type]) => typeof MediaRecorder !== "undefined" && MediaRecorder.isTypeSupported(type));
    const canvas = this.canvas();
    if (!found || !canvas.captureStream) throw new Error(text("noVideo"));
    const [type, extension] = found;
    const { time } = this.store.state;
    const data = await this.actions.work("recordingVideo", file, (signal, progress) => this.record(canvas, type, signal, progress));
    this.store.update({ time, playing: false });
    if (data) this.saved(`${stemOf(file)}.${extension}`, data);
    else this.actions.fail(new Error(text("cancelled")), file.name);
  }

  /** Returns the recorded video; null if it is cancelled. */
  private async record(
    canvas: HTMLCanvasElement, type: string, signal: AbortSignal, progress: (done: number) => void,
  ): Promise<Blob | null> {
    const { store, scene } = this;
    const [start, end] = played(store.state);
    const recording = shown(store.state);
    const { rate } = store.state;
    const parts: Blob[] = [];
    const stream = canvas.captureStream(FRAME_RATE);
    const track = stream.getVideoTracks()[0] as CanvasCaptureMediaStreamTrack;
    const recorder = new MediaRecorder(stream, { mimeType: type, videoBitsPerSecond: BIT_RATE });
    recorder.addEventListener("dataavailable", (event) => parts.push(event.data));
    const stopped = new Promise<unknown>((resolve) => {
      recorder.addEventListener("stop", resolve);
      recorder.addEventListener("error", resolve);
    });
    /** Draws a time. */
    const draw = (time: number) => {
      store.update({ time, playing: false, following: false });
      scene.paint(canvas);
      // Without a request, a busy browser may not take the frame.
      track.requestFrame?.();
    };
    draw(start);
    recorder.start();
    let clock = 0;
    let last = performance.now();
    let slowest = 0;
    let shownPercent = -1;
    for (let time = start; time < end; ) {
      const now = await new Promise<number>(requestAnimationFrame);
      // A page in the background draws no frames. The video continues where it stopped.
      const passed = Math.min(Math.max(now - last, 0) / 1000, 0.25);
      slowest = Math.max(slowest, passed);
      clock += passed;
      last = now;
      // The file may have been closed or edited.
      if (signal.aborted || shown(store.state) !== recording || recorder.state === "inactive") break;
      time = Math.min(start + clock * rate, end);
      draw(time);
      const percent = Math.floor((100 * (time - start)) / (end - start));
      if (percent !== shownPercent) progress((shownPercent = percent) / 100);
    }
    const isComplete = !signal.aborted && shown(store.state) === recording && recorder.state !== "inactive";
    const release = performance.now() + Math.max(HOLD, 4000 * slowest);
    while (isComplete && performance.now() < release) {
      await new Promise(requestAnimationFrame);
      draw(end);
    }
    if (recorder.state !== "inactive") recorder.stop();
    await stopped;
    for (const track of recorder.stream.getTracks()) track.stop();
    return isComplete ? new Blob(parts, { type }) : null;
  }
}
