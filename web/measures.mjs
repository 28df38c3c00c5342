// The definitions of measures for the page, from the table in docs/analysis.md. A test of the library keeps this table
// equal to the definitions of the library.
import { readFileSync } from "node:fs";

/** Returns the group, the name, the unit and the definition of each measure. Names have placeholders: `{side}.aperture.*`. */
export function measureDefinitions() {
  const text = readFileSync("../docs/analysis.md", "utf8");
  const table = /<!-- measures: [^]*?<!-- end of measures -->/.exec(text)?.[0] ?? "";
  let group = "";
  const definitions = table.split("\n").flatMap((line) => {
    group = /^### (\w+)/.exec(line)?.[1] ?? group;
    const [, name, unit, definition] = /^\| `([^`]+)` \| ([^|]*) \| ([^|]*) \|$/.exec(line) ?? [];
    return name ? [{ group, name, unit: unit.trim(), definition: definition.trim() }] : [];
  });
  if (definitions.length < 50) throw new Error("docs/analysis.md has no table of measures");
  return JSON.stringify(definitions).replaceAll("<", "\\u003c");
}
