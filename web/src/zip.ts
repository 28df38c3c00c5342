// Several files as one .zip file, without compression.

/** A file of an archive. */
export interface Entry {
  /** The path with slashes. */
  name: string;
  bytes: Uint8Array;
}

/** The largest size and number of files that a .zip file without extensions can hold. */
const MAX_BYTES = 0xffffffff;
const MAX_FILES = 0xffff;

const TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

function checksum(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) value = (TABLE[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}

/** Returns a header with numbers of two or four bytes. */
function header(...numbers: [size: 2 | 4, value: number][]): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(numbers.reduce((sum, [size]) => sum + size, 0)));
  let at = 0;
  for (const [size, value] of numbers) {
    if (size === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += size;
  }
  return new Uint8Array(view.buffer);
}

/** Returns an archive. Throws an error if it would be too large. */
export function zipped(entries: Entry[], now = new Date()): Blob {
  const time = (now.getHours() << 11) | (now.getMinutes() << 5) | (now.getSeconds() >> 1);
  const date = (Math.max(now.getFullYear() - 1980, 0) << 9) | ((now.getMonth() + 1) << 5) | now.getDate();
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  let length = 0;
  for (const { name, bytes } of entries) {
    const path = new TextEncoder().encode(name);
    // Version 2.0, names in UTF-8, no compression.
    const common: [2 | 4, number][] = [
      [2, 20], [2, 0x800], [2, 0], [2, time], [2, date], [4, checksum(bytes)], [4, bytes.length], [4, bytes.length], [2, path.length], [2, 0],
    ];
    const local = header([4, 0x04034b50], ...common);
    const central = header([4, 0x02014b50], [2, 20], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]);
    parts.push(local, path, bytes);
    directory.push(central, path);
    offset += local.length + path.length + bytes.length;
    length += central.length + path.length;
  }
  if (offset + length > MAX_BYTES || entries.length > MAX_FILES) throw new RangeError("the archive is too large");
  const end = header([4, 0x06054b50], [2, 0], [2, 0], [2, entries.length], [2, entries.length], [4, length], [4, offset], [2, 0]);
  return new Blob([...parts, ...directory, end] as BlobPart[], { type: "application/zip" });
}
