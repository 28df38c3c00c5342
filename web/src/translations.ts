// The texts of findings and measures in the languages of the page. The English texts come from the library.

import type { Finding } from "../package/inputanim.js";
import { language } from "./strings.js";

/** For each code or name of a measure, the texts in each language. */
type Translated<Texts> = Record<string, Record<string, Texts> | undefined>;

interface Translations {
  findings: Translated<[title: string, meaning: string, advice: string]>;
  quantities: Translated<[title: string, definition: string]>;
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

/** Returns the title and the definition of a measure in the language of the page; null in English. */
export function measureTexts(name: string): [string, string] | null {
  return all().quantities[name]?.[language()] ?? null;
}
