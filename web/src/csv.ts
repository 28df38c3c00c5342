// Tables as comma-separated values.

import { download } from "./download.js";

/** Saves a table. Missing values are empty. */
export function saveCsv(name: string, rows: (string | number | null | undefined)[][]): void {
  const cell = (value: string | number | null | undefined) => {
    const text = String(value ?? "");
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = rows.map((row) => `${row.map(cell).join(",")}\n`);
  download(name, new Blob(lines, { type: "text/csv" }));
}
