// Groups, plain names and definitions of measures. The definitions are data of the library, which the build puts into the
// page.

/** The statistics of a quantity, in the order of the library. */
export const STATISTICS = ["mean", "sd", "min", "median", "p95", "max"] as const;
export type Statistic = (typeof STATISTICS)[number];

export interface Definition {
  group: string;
  /** The name with placeholders: `{side}.{joint}.speed.*`. */
  name: string;
  unit: string;
  definition: string;
}

/** A measure without its statistic, and its definition. */
export interface Quantity {
  /** The name without statistic: `left.Palm.speed`. */
  name: string;
  definition: Definition;
  hasStatistics: boolean;
  /** The part of the name that differs between the quantities of a definition: `Left · Palm`. */
  instance: string;
}

const PLACEHOLDERS: Record<string, string> = {
  side: "left|right", joint: "\\w+", finger: "Thumb|Index|Middle|Ring|Pinky", stream: "head|left|right|gaze",
  source: "pinch|geometric_pinch", method: "idt|ivt",
};

/** Words of names that are not plain English. */
const WORDS: Record<string, string> = { idt: "I-DT", ivt: "I-VT", sparc: "SPARC", ldlj: "LDLJ", bcea: "BCEA" };

let patterns: { definition: Definition; pattern: RegExp }[] | null = null;

/** Returns the definitions in the order of the library, with patterns of their names. */
function all(): NonNullable<typeof patterns> {
  patterns ??= (JSON.parse(document.getElementById("definitions")?.textContent ?? "[]") as Definition[]).map((definition) => {
    const source = definition.name
      .replace(/\.\*$/, ".{statistic}")
      .replaceAll(".", "\\.")
      .replace("{statistic}", `(?<statistic>${STATISTICS.join("|")})`)
      .replaceAll(/\{(\w+)\}/g, (_, name: string) => `(${PLACEHOLDERS[name] ?? ".+"})`);
    return { definition, pattern: new RegExp(`^${source}$`) };
  });
  return patterns;
}

const known = new Map<string, Quantity | null>();

/** Returns the quantity of a measure; null for a measure without a definition. */
export function quantityOf(measure: string): Quantity | null {
  let found = known.get(measure);
  if (found === undefined) known.set(measure, (found = find(measure)));
  return found;
}

function find(measure: string): Quantity | null {
  for (const { definition, pattern } of all()) {
    const match = pattern.exec(measure);
    if (!match) continue;
    const { statistic } = match.groups ?? {};
    // The statistic is the last group.
    const parts = match.slice(1, statistic ? -1 : undefined);
    return {
      name: statistic ? measure.slice(0, -statistic.length - 1) : measure,
      definition,
      hasStatistics: statistic !== undefined,
      instance: capital(parts.map(plain).join(" · ")),
    };
  }
  return null;
}

/** Returns the plain name of a definition: `Path length`. */
export function title({ name }: Definition): string {
  const words = name.replace(/\.\*$/, "").split(".").filter((part) => !part.startsWith("{"));
  return capital(words.map(plain).join(", ").replace(/^hands,/, "both hands,"));
}

/** Returns the plain name of a quantity: `Left · Palm · speed`. */
export function plainName({ name }: Quantity): string {
  return capital(name.split(".").map(plain).join(" · "));
}

function plain(part: string): string {
  return WORDS[part] ?? part.replaceAll("_", " ");
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
