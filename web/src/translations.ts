// The texts of findings, measures, losses and notes in the languages of the page. The English texts come from the library.

import type { ConversionNote, Loss } from "../package/formats.js";
import type { AnalysisNote, Finding } from "../package/inputanim.js";
import { time } from "./dom.js";
import { language, text } from "./strings.js";

/** The number of time ranges that the details of a finding list. */
const MOST_RANGES = 5;

/** For each code or name of a measure, the texts in each language. */
type Translated<Texts> = Record<string, Record<string, Texts> | undefined>;

interface Translations {
  findings: Translated<[title: string, meaning: string, advice: string]>;
  quantities: Translated<[title: string, definition: string]>;
  conversions: { losses: Translated<string>; notes: Translated<string>; analysis: Translated<string> };
}

let translations: Translations | null = null;

function all(): Translations {
  const host = document.getElementById("translations");
  return (translations ??= JSON.parse(host?.textContent ?? "") as Translations);
}

/** Returns the title, the meaning and the advice of a finding in the language of the page. */
export function findingTexts({ code, title, meaning, advice }: Finding): [string, string, string] {
  return all().findings[code]?.[language()] ?? [title, meaning, advice];
}

/**
 * Returns the details of a finding: in English the text of the library, in other languages its number, its streams or
 * curves, and its times.
 */
export function findingDetail({ detail, count, streams, curves, ranges }: Finding): string {
  if (language() === "en") return detail;
  const [first = "", ...others] = curves.length > 0 ? curves : streams;
  const place = others.length > 0 ? `${first} … (${1 + others.length})` : first;
  const times = ranges.slice(0, MOST_RANGES).map(({ start, end }) => (start === end ? time(start) : `${time(start)} – ${time(end)}`));
  const more = ranges.length > MOST_RANGES ? ["…"] : [];
  return [`${count} ×`, place, [...times, ...more].join(", ")].filter(Boolean).join(" · ");
}

/** Returns the title and the definition of a measure in the language of the page; null in English. */
export function measureTexts(name: string): [string, string] | null {
  return all().quantities[name]?.[language()] ?? null;
}

/** Returns the text of a loss: in English the text of the library, in other languages its kind and its amount. */
export function lossText({ kind, count, message }: Loss): string {
  const title = all().conversions.losses[kind]?.[language()];
  return `${text("lost")}: ${title === undefined ? message : `${title} · ${count} ×`}`;
}

/** Returns the text of a note about a conversion. In other languages, its kind is before the text of the library, which has numbers and names. */
export function noteText({ kind, message }: ConversionNote): string {
  return titled(all().conversions.notes[kind]?.[language()], message);
}

/** Returns the text of a note about an analysis, as `noteText`. */
export function analysisNoteText({ kind, detail }: AnalysisNote): string {
  return titled(all().conversions.analysis[kind]?.[language()] ?? kind, detail);
}

function titled(title: string | undefined, detail: string): string {
  return title === undefined ? detail : `${title}: ${detail}`;
}
