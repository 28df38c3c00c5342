// Tables as comma-separated values.

/** Returns a table as a file. Missing values are empty. */
export function csvFile(rows: (string | number | null | undefined)[][]): Blob {
  const cell = (value: string | number | null | undefined) => {
    const text = String(value ?? "");
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return new Blob(rows.map((row) => `${row.map(cell).join(",")}\n`), { type: "text/csv" });
}
