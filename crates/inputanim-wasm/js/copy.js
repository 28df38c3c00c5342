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
