// The connection to `inputanim view`, which serves this page and the recordings.

import type { Actions } from "./actions.js";

interface Listed {
  name: string;
  /** Changes when the file changes. */
  tag: string;
}

/** Opens the recordings of the server, and opens them again when they change. */
export async function connect(actions: Actions): Promise<void> {
  const token = new URLSearchParams(location.search).get("token");
  if (!token || location.protocol === "file:") return;
  const get = (path: string) => fetch(`${path}?token=${token}`);
  const tags = new Map<string, string>();
  const update = async (): Promise<void> => {
    const response = await get("files");
    if (!response.ok) return;
    const files = (await response.json()) as Listed[];
    for (const [index, { name, tag }] of files.entries()) {
      if (tags.get(name) === tag) continue;
      tags.set(name, tag);
      try {
        const bytes = await (await get(`file/${index}`)).arrayBuffer();
        await actions.reload(name, new Uint8Array(bytes));
      } catch (error) {
        actions.fail(error, name);
      }
    }
  };
  await update();
  if (actions.store.state.takes.length > 1) actions.select(0);
  // The server ends with Ctrl-C; the page goes on without it.
  setInterval(() => void update().catch(() => undefined), 1500);
}
