// Data inside the page: the WebAssembly modules, scripts and texts, and the recordings of a report. Each of them is a script
// element with base64 text, so the page is one file that opens from disk.

import type { Parts } from "../package/inputanim.js";
import type { Video } from "./store.js";

/** Returns the bytes of an embedded module. */
export async function embedded(id: string): Promise<Uint8Array<ArrayBuffer>> {
  const node = document.getElementById(id);
  if (!node) throw new Error(`the page does not contain ${id}`);
  return unpacked(node);
}

/** Returns the bytes that an element contains, compressed with gzip. */
export async function unpacked(node: HTMLElement): Promise<Uint8Array<ArrayBuffer>> {
  const packed = new Blob([decode(node.textContent ?? "")]).stream();
  return new Uint8Array(await new Response(packed.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
}

function decode(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64.trim());
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}

/** A recording of a report. */
interface EmbeddedRecording {
  name: string;
  /** Number of the recording in the report. */
  source: number;
  bytes: () => Promise<Uint8Array>;
  /** Returns the parts of the recording that the bytes cannot hold. */
  parts: () => Parts;
  /** The video that the report links. */
  video: Pick<Video, "name" | "address" | "given"> | undefined;
}

/** Returns the video whose link follows the element of a recording. */
function linkedVideo({ nextElementSibling: node }: HTMLElement): EmbeddedRecording["video"] {
  const { video, start = "0" } = (node as HTMLElement | null)?.dataset ?? {};
  return video ? { name: decodeURIComponent(video.slice(video.lastIndexOf("/") + 1)), address: video, given: Number(start) } : undefined;
}

/** Returns the recordings of a report, and removes their text from the page. */
export function embeddedRecordings(): EmbeddedRecording[] {
  return [...document.querySelectorAll<HTMLScriptElement>("script[data-recording]")].map((node, index) => ({
    name: node.dataset.recording ?? "",
    source: index,
    bytes: async () => {
      const bytes = decode(node.textContent ?? "");
      node.remove();
      return bytes;
    },
    parts: () => JSON.parse(node.dataset.parts ?? "{}") as Parts,
    video: linkedVideo(node),
  }));
}
