// The connection to `inputanim view` and `inputanim record --view`, which serve this page and the recordings.

import type { Parts } from "../package/inputanim.js";
import type { Actions, Report } from "./actions.js";
import type { Content } from "./content.js";
import { followLive } from "./live.js";

interface Listed {
  name: string;
  /** Changes when the file changes. */
  tag: string;
  isLive: boolean;
  /** The video beside the file, and the time of the recording at which it starts, in seconds. */
  video?: { name: string; start: number };
}

/** Opens the recordings of the server, and opens them again when they change. */
export async function connect(actions: Actions): Promise<void> {
  const token = new URLSearchParams(location.search).get("token");
  if (!token || location.protocol === "file:") return;
  const get = async (path: string) => {
    const response = await fetch(`${path}?token=${token}`);
    // The answer begins with its status.
    if (!response.ok) throw new Error((await response.text()).replace(/^\d+ [\w ]+: /, "").trimEnd());
    return response;
  };
  const reports: (Report | undefined)[] = [];
  const content = async (index: number): Promise<Content> => {
    const response = await get(`file/${index}`);
    const report = response.headers.get("Inputanim-Report");
    reports[index] = report === null ? undefined : (JSON.parse(decodeURIComponent(report)) as Report);
    const body = new Uint8Array(await response.arrayBuffer());
    // The parts that the file cannot hold follow it.
    const end = response.headers.get("Inputanim-Parts");
    if (end === null) return { bytes: body, parts: {} };
    const parts = JSON.parse(new TextDecoder().decode(body.subarray(Number(end)))) as Parts;
    return { bytes: body.slice(0, Number(end)), parts };
  };
  const list = async () => (await (await get("files")).json()) as Listed[];
  const files = await list();
  const [first] = files;
  if (first?.isLive) {
    actions.markLive = async (time, name) => {
      const response = await fetch(`marker?token=${token}&time=${time}&name=${encodeURIComponent(name)}`, { method: "POST" });
      if (!response.ok) throw new Error(await response.text());
    };
    return followLive(first.name, `live?token=${token}`, () => content(0), actions);
  }

  const tags: string[] = [];
  const update = async (listed: Listed[]): Promise<void> => {
    for (const [index, { name, tag }] of listed.entries()) {
      if (tags[index] === tag) continue;
      tags[index] = tag;
      await content(index).then((changed) => actions.reload(index, changed, reports[index])).catch((error) => actions.fail(error, name));
    }
  };
  files.forEach(({ tag }, index) => (tags[index] = tag));
  const parts: Parts[] = [];
  const bytes = async (index: number) => {
    const found = await content(index);
    parts[index] = found.parts;
    return found.bytes;
  };
  await actions.open(files.map(({ name, video }, index) => ({
    name, source: index, video: video && { name: video.name, address: `video/${index}?token=${token}`, given: video.start },
    bytes: () => bytes(index), report: () => reports[index], parts: () => parts[index],
  })));
  // Requests run one after the other, because large files may take longer than the pause. Ctrl-C ends the server, and
  // the page then works without it.
  const watch = () => setTimeout(() => void list().then(update).catch(() => undefined).then(watch), 1500);
  watch();
}
