// The connection of the page to one worker. It sends one question at a time, and the recordings that the worker does
// not have yet.

import type { Recording } from "../package/inputanim.js";
import { type Content, contentOf, opened } from "./content.js";
import { inInstance } from "./instances.js";
import type { Details, Question } from "./questions.js";
import { text } from "./strings.js";
import type { Reply, Request } from "./worker.js";

/** If the recordings of a worker have more bytes, it drops the recordings that the next question does not need. */
const MAX_BYTES = 32e6;

/** A worker with large recordings ends after this idle time in milliseconds, because its memory never shrinks. */
const IDLE = 3000;

/** Keys of recordings, which are the same in all workers. */
const keys = new WeakMap<Recording, number>();
let nextKey = 1;

/** A question, and the functions that get its answer. */
export interface Job {
  question: Question;
  recordings: Recording[];
  details: Details;
  signal: AbortSignal | undefined;
  resolve: (answer: never) => void;
  reject: (error: unknown) => void;
}

export class Lane {
  /** The question that the worker answers. */
  job: Job | null = null;
  /** True if the browser does not allow workers. */
  isBroken = false;
  /** True if the worker has failed and cannot answer more questions. */
  isLost = false;
  private worker: Worker | null = null;
  /** True if the worker has the compiled module. */
  private hasModule = false;
  private begin = 0;
  private idle = 0;
  /** Sizes of the recordings that the worker has, by their keys. */
  private readonly held = new Map<number, number>();
  private peak = 0;

  constructor(private readonly module: WebAssembly.Module, private readonly given: WeakMap<Recording, Uint8Array>) {}

  /** Seconds since the question was sent. */
  get seconds(): number {
    return this.job ? (performance.now() - this.begin) / 1000 : 0;
  }

  has(recording: Recording): boolean {
    return this.held.has(key(recording));
  }

  /** Ends the worker. */
  end(): void {
    clearTimeout(this.idle);
    this.worker?.terminate();
    this.worker = null;
    this.held.clear();
    this.peak = 0;
    this.job = null;
  }

  /** Returns the answer to a question; null if a worker cannot answer it. */
  async run(job: Job): Promise<unknown> {
    this.job = job;
    this.begin = performance.now();
    clearTimeout(this.idle);
    try {
      const worker = this.worker ?? (await this.start());
      if (this.job !== job) {
        // The question was cancelled while the worker started.
        worker?.terminate();
        throw new Error(text("cancelled"));
      }
      if (!worker) this.isBroken = true;
      if (worker !== this.worker) this.hasModule = false;
      this.worker = worker;
      const request = worker && this.request(job);
      if (!request) return null;
      const reply = await new Promise<Reply>((resolve, reject) => {
        const lose = (message: string) => {
          this.isLost = true;
          reject(new Error(message));
        };
        worker.onmessage = (event: MessageEvent<Reply>) => resolve(event.data);
        worker.onmessageerror = () => lose(text("crashed"));
        worker.onerror = (event) => lose(event.message || text("crashed"));
        const bytes = [...request.contents.values()].map((content) => content.bytes);
        worker.postMessage(request, [...bytes, ...(request.file ? [request.file] : [])].map(({ buffer }) => buffer as ArrayBuffer));
      });
      if (reply.error?.isCrash) {
        this.isLost = true;
        throw new Error(text("crashed"));
      }
      if (reply.error) throw Object.assign(new Error(reply.error.message), reply.error);
      if (reply.edited) return await this.opened(reply.edited);
      return reply.answer ?? null;
    } finally {
      if (this.job === job) this.job = null;
      if (this.peak > MAX_BYTES) this.idle = window.setTimeout(() => this.end(), IDLE);
    }
  }

  /** Opens the recording that is the result of an edit. */
  private async opened({ content, ...rest }: NonNullable<Reply["edited"]>): Promise<unknown> {
    const recording = await inInstance(content.bytes.length, (classes) => opened(content, classes));
    this.given.set(recording, content.bytes);
    return { recording, ...rest };
  }

  /** Starts the worker. Returns null if the browser does not allow one. */
  private async start(): Promise<Worker | null> {
    try {
      const source = document.getElementById("worker")?.textContent ?? "";
      const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
      const worker = new Worker(address);
      // Some browsers report only here that they do not allow workers from this page. Nothing was sent yet.
      const isReady = await new Promise<boolean>((resolve) => {
        worker.onmessage = () => resolve(true);
        worker.onerror = () => resolve(false);
      });
      URL.revokeObjectURL(address);
      if (!isReady) return null;
      return worker;
    } catch {
      return null;
    }
  }

  /** Returns the message for the worker; null if a recording cannot be sent. */
  private request({ question, recordings, details }: Job): Request | null {
    const wanted = recordings.map(key);
    const contents = new Map<number, Content>();
    for (const [index, recording] of recordings.entries()) {
      const each = wanted[index] as number;
      if (this.held.has(each) || contents.has(each)) continue;
      try {
        const given = this.given.get(recording);
        const content = given ? { bytes: given, parts: recording.parts, damage: recording.fileDamage } : contentOf(recording);
        contents.set(each, { ...content, bytes: own(content.bytes) });
      } catch {
        // The layout cannot represent the recovered recording.
        return null;
      }
      this.given.delete(recording);
    }
    for (const [each, { bytes }] of contents) this.held.set(each, bytes.length);
    const total = () => [...this.held.values()].reduce((sum, size) => sum + size, 0);
    this.peak = Math.max(this.peak, total());
    const dropped = [];
    for (const each of this.held.keys()) {
      if (total() <= MAX_BYTES) break;
      if (wanted.includes(each)) continue;
      this.held.delete(each);
      dropped.push(each);
    }
    const file = details.file && own(details.file);
    const module = this.hasModule ? undefined : this.module;
    this.hasModule = true;
    return { ...details, file, question, keys: wanted, contents, dropped, module };
  }
}

function key(recording: Recording): number {
  const known = keys.get(recording);
  if (known !== undefined) return known;
  keys.set(recording, nextKey);
  return nextKey++;
}

/** Returns bytes in a separate buffer, which can be transferred. */
function own(bytes: Uint8Array): Uint8Array {
  return bytes.length === bytes.buffer.byteLength ? bytes : bytes.slice();
}
