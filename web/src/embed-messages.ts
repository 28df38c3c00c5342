// The messages between the viewer in a frame and the page around it, which uses the function `embed`.

import type { Parts } from "../package/inputanim.js";
import type { EmbedEvents, EmbedOptions, EmbedSelection, EmbedTheme } from "./embed.js";

/** The commands, and their arguments. */
export interface EmbedCommands {
  start: [options: Pick<EmbedOptions, "time" | "theme" | "language" | "view" | "downloads">, files: SentFile[]];
  open: [files: SentFile[]];
  seek: [time: number];
  play: [];
  pause: [];
  select: [selection: Partial<EmbedSelection>];
  theme: [theme: EmbedTheme];
}

/** A file for the frame: with its bytes, or with the reason why it could not be read. */
export type SentFile = { name: string; data: Blob; parts?: Parts | undefined } | { name: string; error: string };

/** A message to the frame: a command. The frame answers with its number. */
export interface EmbedRequest {
  id: number;
  command: keyof EmbedCommands;
  values: unknown[];
}

/** A message from the frame: an event, or the answer to a command. */
export type EmbedMessage = { event: keyof EmbedEvents; value: unknown } | { id: number; error: string | null };

/** The text of the first messages in both directions. */
export const GREETING = "inputanim";

/** The part after `#` of the address by which the page knows that it is embedded. */
export const HASH = "#embed";
