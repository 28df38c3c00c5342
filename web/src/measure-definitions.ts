// Groups, plain names and definitions of measures.

import { type Quantity as Definition, quantities } from "../package/inputanim.js";
import { text } from "./strings.js";
import { measureTexts } from "./translations.js";

/** The statistics of a quantity, in the order of the library. */
export const STATISTICS = ["mean", "sd", "min", "median", "p95", "max"] as const;
export type Statistic = (typeof STATISTICS)[number];

export type { Definition };

/** The measures that differ only in their statistic, and their definition. */
export interface MeasureFamily {
  /** The name without statistic: `left.Palm.speed`. */
  name: string;
  definition: Definition;
  hasStatistics: boolean;
  /** The parts of the name that differ between the quantities of a definition: `left`, `Palm`. */
  parts: string[];
}

/** A device, such as `right.controller`. */
const DEVICE = "(?:(?:left|right)\\.controller|(?:tracker|device)\\.[a-z0-9_-]+)";
const PART = `${DEVICE}\\.[a-z0-9_-]+`;

const PLACEHOLDERS: Record<string, string> = {
  pose: PART, pointer: PART, stick: PART, input: `${PART}(?:\\.[a-z0-9_-]+)+`,
  side: "left|right", joint: "\\w+", finger: "Thumb|Index|Middle|Ring|Pinky", stream: "head|left|right|gaze",
  source: "pinch|geometric_pinch", method: "idt|ivt",
};

/** Words of names that are not plain English. */
const WORDS: Record<string, string> = { idt: "I-DT", ivt: "I-VT", sparc: "SPARC", ldlj: "LDLJ", bcea: "BCEA" };

let patterns: { definition: Definition; pattern: RegExp }[] | null = null;

/** Returns the definitions in the order of the library, with patterns of their names. */
function all(): NonNullable<typeof patterns> {
  patterns ??= quantities().map((definition) => {
    const source = `${definition.name}${definition.hasDistribution ? ".{statistic}" : ""}`
      .replaceAll(".", "\\.")
      .replace("{statistic}", `(?<statistic>${STATISTICS.join("|")})`)
      .replaceAll(/\{(\w+)\}/g, (_, name: string) => `(${PLACEHOLDERS[name] ?? ".+"})`);
    return { definition, pattern: new RegExp(`^${source}$`) };
  });
  return patterns;
}

const known = new Map<string, MeasureFamily | null>();

/** Returns the quantity of a measure; null for a measure without a definition. */
export function quantityOf(measure: string): MeasureFamily | null {
  let found = known.get(measure);
  if (found === undefined) known.set(measure, (found = find(measure)));
  return found;
}

function find(measure: string): MeasureFamily | null {
  for (const { definition, pattern } of all()) {
    const match = pattern.exec(measure);
    if (!match) continue;
    const { statistic } = match.groups ?? {};
    return {
      name: statistic ? measure.slice(0, -statistic.length - 1) : measure,
      definition,
      hasStatistics: statistic !== undefined,
      // The statistic is the last group.
      parts: match.slice(1, statistic ? -1 : undefined),
    };
  }
  return null;
}

/** Returns what differs between the quantities of a definition: `Left · Palm`. */
export function instance({ parts }: MeasureFamily): string {
  const word = (part: string) => (["left", "right", "head", "gaze"].includes(part) ? text(part) : plain(part));
  return capital(parts.map(word).join(" · "));
}

/** Returns the definition of a measure in the language of the page. */
export function definitionOf({ name, definition }: Definition): string {
  return measureTexts(name)?.[1] ?? definition;
}

/** Returns the plain name of a definition: `Path length`. */
export function title({ name }: Definition): string {
  const translated = measureTexts(name)?.[0];
  if (translated) return capital(translated);
  const words = name.split(".").filter((part) => !part.startsWith("{"));
  return capital(words.map(plain).join(", ").replace(/^hands,/, "both hands,"));
}

/** Returns the plain name of a quantity: `Left hand · Palm · Speed`. */
export function plainName(quantity: MeasureFamily): string {
  return [instance(quantity), title(quantity.definition)].filter(Boolean).join(" · ");
}

function plain(part: string): string {
  return WORDS[part] ?? part.replaceAll("_", " ");
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
