let numbers = new Float32Array(0);

/** Copies numbers from the memory of the module into an array, without allocation. */
export function copyNumbers(memory, address, length, out) {
  // Memory that grew has another buffer, and views of the old one are empty.
  if (numbers.buffer !== memory.buffer) numbers = new Float32Array(memory.buffer);
  const first = address >>> 2;
  for (let i = 0; i < length; i++) out[i] = numbers[first + i];
}
