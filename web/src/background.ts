// Answers questions about recordings in workers, so that the page is not blocked. A slow question does not delay the
// others, because they get another worker.

import { type Analysis, type Recording, shared } from "../package/inputanim.js";
import { contentOf, opened } from "./content.js";
import { adopt, instanceOf, using } from "./instances.js";
import { type Job, Lane } from "./lane.js";
import { type Answers, type Details, type Question, answer } from "./questions.js";
import { text } from "./strings.js";

/** Waiting questions get another worker after this time in milliseconds. */
const PATIENCE = 3000;

/** A question is stopped after this time in milliseconds if other questions wait and all workers are in use. */
const MAX_TIME = 20_000;

/** If more questions than this wait, for example about hundreds of files, two workers answer them. */
const MANY = 8;

/** The number of workers is limited, because each worker has its recordings in its memory. */
const MAX_WORKERS = 3;

export class Background {
  private readonly lanes: Lane[] = [];
  private readonly jobs: Job[] = [];
  private timer = 0;
  /** True if the browser does not allow workers. */
  private isBroken = false;
  /** Bytes of files that were opened. A worker gets them, so that they are not copied. */
  private readonly given = new WeakMap<Recording, Uint8Array>();

  constructor(private readonly module: WebAssembly.Module) {}

  /** Hands over the bytes of the file from which a recording was opened. */
  give(recording: Recording, bytes: Uint8Array): void {
    this.given.set(recording, bytes);
  }

  /** True if all questions are answered. */
  get isIdle(): boolean {
    return this.jobs.length === 0 && this.lanes.every((lane) => !lane.job);
  }

  /** The number of questions that no worker has begun. */
  get waiting(): number {
    return this.jobs.length;
  }

  /** Answers a question. The signal cancels it. */
  ask<Q extends Question>(
    question: Q,
    recordings: Recording[],
    { numbers = [], texts = [], ...rest }: Partial<Details> = {},
    signal?: AbortSignal,
  ): Promise<Answers[Q]> {
    return using(recordings, () => new Promise((resolve, reject) => {
      const job: Job = { question, recordings, details: { numbers, texts, ...rest }, signal, resolve, reject };
      signal?.addEventListener("abort", () => this.cancel(job, new Error(text("cancelled"))));
      this.jobs.push(job);
      this.next();
    }));
  }

  private cancel(job: Job, reason: Error): void {
    const index = this.jobs.indexOf(job);
    if (index >= 0) this.jobs.splice(index, 1);
    const lane = this.lanes.find((found) => found.job === job);
    // The work of a worker cannot be interrupted.
    if (lane) this.end(lane);
    job.reject(reason);
    this.next();
  }

  /** Ends the workers that do nothing, because no file is open. Their memory never shrinks. */
  rest(): void {
    for (const lane of this.lanes.filter(({ job }) => !job)) this.end(lane);
  }

  private end(lane: Lane): void {
    lane.end();
    this.lanes.splice(this.lanes.indexOf(lane), 1);
  }

  /** Gives waiting questions to free workers. */
  private next(): void {
    clearTimeout(this.timer);
    for (let job = this.jobs[0]; job; job = this.jobs[0]) {
      const lane = this.freeLane(job);
      if (!lane) return this.wait();
      this.jobs.shift();
      void this.run(lane, job);
    }
  }

  /** Returns the worker for a question, if possible one that has the recording; null if the question has to wait. */
  private freeLane(job: Job): Lane | null {
    const free = this.lanes.filter((lane) => !lane.job);
    const known = free.find((lane) => job.recordings.every((recording) => lane.has(recording))) ?? free[0];
    if (known) return known;
    const isStuck = this.lanes.every((lane) => lane.seconds * 1000 >= PATIENCE);
    const isMany = this.jobs.length > MANY && this.lanes.length < Math.min(2, navigator.hardwareConcurrency);
    if (this.lanes.length >= MAX_WORKERS || !(isStuck || isMany)) return null;
    const lane = new Lane(this.module, this.given);
    this.lanes.push(lane);
    return lane;
  }

  private wait(): void {
    this.timer = window.setTimeout(() => {
      const [longest] = [...this.lanes].sort((a, b) => b.seconds - a.seconds);
      const isFull = this.lanes.length >= MAX_WORKERS && this.lanes.every((lane) => lane.seconds * 1000 >= PATIENCE);
      if (isFull && longest?.job && longest.seconds * 1000 >= MAX_TIME) {
        this.cancel(longest.job, new Error(text("tookTooLong")));
      } else this.next();
    }, PATIENCE / 4);
  }

  private async run(lane: Lane, job: Job): Promise<void> {
    try {
      const result = this.isBroken ? null : await lane.run(job);
      if (lane.isBroken) this.isBroken = true;
      // The page itself answers questions that no worker can answer.
      job.resolve((result ?? local(job)) as never);
    } catch (error) {
      // A worker is lost if it is out of memory, for example. The next question starts another worker.
      if (lane.isLost && this.lanes.includes(lane)) this.end(lane);
      job.reject(error);
    }
    this.next();
  }
}

/** Answers a question on the page. The page is blocked until the answer is computed. */
function local({ question, recordings, details }: Job): unknown {
  const [first] = recordings;
  const classes = first ? instanceOf(first) : shared;
  // An instance of the module can use only its own recordings.
  const used = recordings.map((recording) =>
    instanceOf(recording) === classes ? recording : opened(contentOf(recording), classes));
  let made: Analysis | null = null;
  const analysis = () => (made ??= new classes.Analysis(first as Recording));
  try {
    const found = answer(question, used, analysis, classes.Analysis, details);
    if ("recording" in found) adopt(found.recording);
    return found;
  } finally {
    (made as Analysis | null)?.free();
    for (const recording of used) if (!recordings.includes(recording)) recording.free();
  }
}
