// Pictures: the view as PNG, the played range as a video, and the plot as SVG.

import { Muxer, StreamTarget } from "webm-muxer";

import { type Actions, stemOf } from "./actions.js";
import { time as formatted } from "./dom.js";
import type { Scene } from "./scene.js";
import { text } from "./strings.js";
import { type OpenFile, type Store, played, shown } from "./store.js";

/** The kinds of pictures, which are also the extensions of their files. */
export const PICTURES = ["png", "webm", "svg"] as const;
export type PictureKind = (typeof PICTURES)[number];

/** Codecs of videos: the names for the encoder and for the file, the best one first. VP8 needs the least time. */
const CODECS = [["vp8", "V_VP8"], ["vp09.00.50.08", "V_VP9"]] as const;

/** Frames per second, bits per second, and frames between two frames that are encoded completely, of a video. */
const FRAME_RATE = 30;
const BIT_RATE = 8e6;
const KEY_FRAMES = 60;

/** Frames that wait for the encoder. More frames need more memory, and are not faster. */
const QUEUE = 4;

/** Saves pictures of what the page shows. */
export class Pictures {
  /** `plot` returns the plot as SVG; null without a plot. */
  constructor(
    private readonly store: Store, private readonly actions: Actions, private readonly scene: Scene | null,
    private readonly plot: () => string | null,
  ) {}

  /** Saves a picture. */
  async save(kind: PictureKind): Promise<void> {
    const { openFiles, selected, working } = this.store.state;
    const file = openFiles[selected];
    if (!file || !shown(this.store.state) || working) return;
    try {
      const { scene } = this;
      if (kind === "svg") this.svg(file);
      else if (!scene) throw new Error(text("noWebGl"));
      else if (kind === "png") await this.still(file, scene);
      else await this.video(file, scene);
    } catch (error) {
      this.actions.fail(error, file.name);
    }
  }

  /** Returns a canvas with the size of the view in pixels of the screen. */
  private canvas({ renderer }: Scene): HTMLCanvasElement {
    const canvas = document.createElement("canvas");
    const { width, height } = renderer.domElement;
    // Video codecs need even sizes.
    canvas.width = Math.max(2, width - (width % 2));
    canvas.height = Math.max(2, height - (height % 2));
    return canvas;
  }

  private async still(file: OpenFile, scene: Scene): Promise<void> {
    const canvas = this.canvas(scene);
    scene.paint(canvas);
    const data = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve));
    if (!data) throw new Error(text("unknownError"));
    const { time } = this.store.state;
    this.actions.saveFile(`${stemOf(file)}-${time.toFixed(3)}s.png`, data, `${text("picture.png")} (${formatted(time)})`);
  }

  private svg(file: OpenFile): void {
    const drawn = this.plot();
    if (!drawn) throw new Error(text("nothingToPlot"));
    const { plot } = this.store.state;
    this.actions.saveFile(`${stemOf(file)}-${plot}.svg`, new Blob([drawn], { type: "image/svg+xml" }), text("picture.svg"));
  }

  /** Draws the frames of the range and encodes them. A slow computer needs more time, and loses no frame. */
  private async video(file: OpenFile, scene: Scene): Promise<void> {
    const canvas = this.canvas(scene);
    const size = { width: canvas.width, height: canvas.height };
    const { time } = this.store.state;
    const video = await this.actions.work("recordingVideo", file, async (signal, progress) => {
      for (const [codec, codecOfFile] of CODECS) {
        const config = { codec, ...size, bitrate: BIT_RATE, framerate: FRAME_RATE };
        const supported = "VideoEncoder" in window && (await VideoEncoder.isConfigSupported(config)).supported;
        if (supported) return this.encode(canvas, scene, config, codecOfFile, signal, progress);
      }
      throw new Error(text("noVideo"));
    });
    this.store.update({ time, playing: false });
    const range = played(this.store.state).map(formatted).join(" – ");
    if (video) this.actions.saveFile(`${stemOf(file)}.webm`, video, `${text("picture.webm")} (${range})`);
    else this.actions.fail(new Error(text("cancelled")), file.name);
  }

  /** Returns the video; null if it is cancelled. */
  private async encode(
    canvas: HTMLCanvasElement, scene: Scene, config: VideoEncoderConfig, codec: string, signal: AbortSignal, progress: (done: number) => void,
  ): Promise<Blob | null> {
    const { store } = this;
    const [start, end] = played(store.state);
    const recording = shown(store.state);
    const duration = (end - start) / store.state.rate;
    const count = Math.max(1, Math.round(duration * FRAME_RATE));
    let data = new Blob([], { type: "video/webm" });
    const target = new StreamTarget({
      chunked: true,
      // The header is written again at the end, when the duration is known.
      onData: (bytes, at) => {
        data = new Blob([data.slice(0, at), bytes.slice(), data.slice(at + bytes.length)], { type: data.type });
      },
    });
    const muxer = new Muxer({ target, video: { codec, width: canvas.width, height: canvas.height, frameRate: FRAME_RATE } });
    let failure: unknown = null;
    const encoder = new VideoEncoder({
      output: (chunk, information) => muxer.addVideoChunk(chunk, information),
      error: (error) => (failure = error),
    });
    encoder.configure(config);
    try {
      for (let index = 0; index <= count; index++) {
        store.update({ time: start + ((end - start) * index) / count, playing: false, following: false });
        scene.paint(canvas);
        const frame = new VideoFrame(canvas, { timestamp: (1e6 * duration * index) / count, duration: (1e6 * duration) / count });
        encoder.encode(frame, { keyFrame: index % KEY_FRAMES === 0 });
        frame.close();
        progress(index / count);
        // The page answers clicks between two frames.
        do await new Promise((resolve) => setTimeout(resolve));
        while (encoder.encodeQueueSize > QUEUE && !failure);
        if (failure) throw failure;
        // The file may have been closed or edited.
        if (signal.aborted || shown(store.state) !== recording) return null;
      }
      await encoder.flush();
    } finally {
      if (encoder.state !== "closed") encoder.close();
    }
    muxer.finalize();
    return data;
  }
}
