// The worker's other end. It sends one question at a time, and the recordings that the worker does not have yet.

import { Analysis, type Recording } from "../package/inputanim.js";
import { type Answers, type Question, answer } from "./questions.js";
import type { Reply, Request } from "./worker.js";

/** Recordings of the worker in bytes, above which it drops those that it does not need for the next question. */
const MAX_BYTES = 32e6;

/** Time without questions after which a worker with large recordings ends, in milliseconds. Its memory never shrinks. */
const IDLE = 3000;

interface Job {
  question: Question;
  recordings: Recording[];
  numbers: number[];
  resolve: (answer: never) => void;
  reject: (error: Error) => void;
}

export class Background {
  private worker: Worker | null = null;
  private isBroken = false;
  private readonly jobs: Job[] = [];
  private isBusy = false;
  private idle = 0;
  /** Sizes of the recordings that the worker has, by their keys. */
  private readonly held = new Map<number, number>();
  private peak = 0;
  private readonly keys = new WeakMap<Recording, number>();
  private nextKey = 1;
  /** Bytes of files that were opened. The worker gets them, so that they are not copied. */
  private readonly given = new WeakMap<Recording, Uint8Array>();

  constructor(private readonly module: WebAssembly.Module) {}

  /** Gives away the bytes of the file from which a recording was opened. */
  give(recording: Recording, bytes: Uint8Array): void {
    this.given.set(recording, bytes);
  }

  /** All questions are answered. */
  get isIdle(): boolean {
    return !this.isBusy && this.jobs.length === 0;
  }

  /** Answers a question. Several questions are answered one after the other. */
  ask<Q extends Question>(question: Q, recordings: Recording[], numbers: number[] = []): Promise<Answers[Q]> {
    return new Promise((resolve, reject) => {
      this.jobs.push({ question, recordings, numbers, resolve, reject });
      void this.next();
    });
  }

  private async next(): Promise<void> {
    if (this.isBusy) return;
    const job = this.jobs.shift();
    if (!job) return;
    this.isBusy = true;
    clearTimeout(this.idle);
    try {
      job.resolve((await this.run(job)) as never);
    } catch (error) {
      job.reject(error as Error);
    }
    this.isBusy = false;
    if (this.jobs.length > 0) return this.next();
    if (this.peak > MAX_BYTES) this.idle = window.setTimeout(() => this.end(), IDLE);
  }

  private end(): void {
    this.worker?.terminate();
    this.worker = null;
    this.held.clear();
    this.peak = 0;
  }

  private async run(job: Job): Promise<unknown> {
    const request = this.request(job);
    const worker = request && this.start(request);
    if (!request || !worker) return local(job);
    const reply = await new Promise<Reply>((resolve, reject) => {
      worker.onmessage = (event: MessageEvent<Reply>) => resolve(event.data);
      worker.onerror = (event) => {
        // For example out of memory. The next question starts another worker.
        this.end();
        reject(new Error(event.message));
      };
      worker.postMessage(request, [...request.bytes.values()].map((bytes) => bytes.buffer as ArrayBuffer));
    });
    if (!reply.error) return reply.answer;
    throw Object.assign(new Error(reply.error.message), { hint: reply.error.hint });
  }

  /** Returns the worker; null if the browser does not allow one. */
  private start(request: Request): Worker | null {
    if (this.worker || this.isBroken) return this.worker;
    try {
      const source = document.getElementById("worker")?.textContent ?? "";
      const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
      this.worker = new Worker(address);
      URL.revokeObjectURL(address);
      request.module = this.module;
    } catch {
      this.isBroken = true;
    }
    return this.worker;
  }

  /** Returns the message for the worker; null if a recording cannot be sent. */
  private request({ question, recordings, numbers }: Job): Request | null {
    const keys = recordings.map((recording) => this.key(recording));
    const bytes = new Map<number, Uint8Array>();
    for (const [index, recording] of recordings.entries()) {
      const key = keys[index] as number;
      if (this.held.has(key) || bytes.has(key)) continue;
      try {
        bytes.set(key, own(this.given.get(recording) ?? recording.toBytes()));
      } catch {
        // Its layout cannot represent a recovered recording.
        return null;
      }
      this.given.delete(recording);
    }
    for (const [key, { length }] of bytes) this.held.set(key, length);
    const total = () => [...this.held.values()].reduce((sum, size) => sum + size, 0);
    this.peak = Math.max(this.peak, total());
    const dropped = [];
    for (const key of this.held.keys()) {
      if (total() <= MAX_BYTES) break;
      if (keys.includes(key)) continue;
      this.held.delete(key);
      dropped.push(key);
    }
    return { question, keys, bytes, numbers, dropped };
  }

  private key(recording: Recording): number {
    const known = this.keys.get(recording);
    if (known !== undefined) return known;
    this.keys.set(recording, this.nextKey);
    return this.nextKey++;
  }
}

/** Returns bytes with a buffer of their own, which can be transferred. */
function own(bytes: Uint8Array): Uint8Array {
  return bytes.length === bytes.buffer.byteLength ? bytes : bytes.slice();
}

/** Answers a question on the page, which then waits. */
function local({ question, recordings, numbers }: Job): unknown {
  let made: Analysis | null = null;
  const analysis = () => (made ??= new Analysis(recordings[0] as Recording));
  try {
    return answer(question, recordings, analysis, numbers);
  } finally {
    (made as Analysis | null)?.free();
  }
}
