/** A view of the row that was copied last. A player copies each row from the same address. */
let row = new Float32Array(0);

/** Copies numbers from the memory of the module into an array. Allocates a view only if the address changes. */
export function copyNumbers(memory, address, length, out) {
  // Memory that has grown has another buffer, and views of the old buffer are empty.
  if (row.buffer !== memory.buffer || row.byteOffset !== address || row.length !== length) {
    row = new Float32Array(memory.buffer, address, length);
  }
  out.set(row);
}

/** Returns bytes as text in Base64. */
export function textOfBytes(bytes) {
  let text = "";
  // A call takes a limited number of arguments.
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text);
}

/** Returns the bytes of a text in Base64. Throws an error if the text is not valid. */
export function bytesOfText(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = letters.charCodeAt(at);
  return bytes;
}
