// Prints the checksum of each recording, computed in WebAssembly: wasm.mjs PROGRAM.wasm FILE...
import { readFileSync } from "node:fs";

const [program, ...files] = process.argv.slice(2);
const { instance } = await WebAssembly.instantiate(readFileSync(program), {});
const { allocate, digest, memory } = instance.exports;
for (const file of files) {
  const bytes = readFileSync(file);
  const address = allocate(bytes.length);
  // A view of the memory as it is now: it grows while checksums are computed.
  new Uint8Array(memory.buffer, address, bytes.length).set(bytes);
  const sum = BigInt.asUintN(64, digest(address, bytes.length));
  console.log(sum.toString(16).padStart(16, "0"));
}
