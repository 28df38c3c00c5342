// Reads MCAP with the library of the MCAP project for JavaScript, and decodes the messages by the schemas in the file. check.py
// reads the same files with the library for Python.

import { open, readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { convert, frames, recordings, require, run } from "../inputanim.mjs";

const module = (name) => import(pathToFileURL(require.resolve(name)));
const { McapIndexedReader } = await module("@mcap/core");
const { decompress } = await module("fzstd");
const protobuf = (await module("protobufjs")).default;
const descriptor = (await module("protobufjs/ext/descriptor.js")).default;

/** The largest distance of a position in metres. Numbers in the file are 32-bit floats. */
const METRES = 1e-6;
const RECORDING = "/inputanim/recording";

function expect(holds, what) {
  if (!holds) throw new Error(what);
}

/** Returns the decoder of a channel's messages. */
function decoder(schema) {
  const files = descriptor.FileDescriptorSet.decode(schema.data);
  const type = protobuf.Root.fromDescriptor(files).lookupType(schema.name);
  return (data) => type.decode(data);
}

async function topics(path) {
  const file = await open(path);
  const { size } = await file.stat();
  const readable = {
    size: async () => BigInt(size),
    read: async (offset, length) => {
      const bytes = new Uint8Array(Number(length));
      await file.read(bytes, 0, bytes.length, Number(offset));
      return bytes;
    },
  };
  const decompressHandlers = { zstd: (bytes) => decompress(bytes) };
  const reader = await McapIndexedReader.Initialize({ readable, decompressHandlers });
  const decoders = new Map();
  const found = new Map();
  for await (const message of reader.readMessages()) {
    const channel = reader.channelsById.get(message.channelId);
    if (!decoders.has(channel.id)) decoders.set(channel.id, decoder(reader.schemasById.get(channel.schemaId)));
    const list = found.get(channel.topic) ?? found.set(channel.topic, []).get(channel.topic);
    list.push({ time: message.logTime, content: decoders.get(channel.id)(message.data) });
  }
  await file.close();
  const { statistics } = reader;
  const count = [...found.values()].reduce((sum, list) => sum + list.length, 0);
  expect(statistics.messageCount === BigInt(count), `${path}: ${count} messages, not ${statistics.messageCount}`);
  return found;
}

let compared = 0;
for (const recording of recordings) {
  const path = convert(recording, "js.mcap", "--rate", "30");
  const found = await topics(path);
  const pieces = found.get(RECORDING).map(({ content }) => Buffer.from(content.data));
  expect(Buffer.concat(pieces).equals(await readFile(recording)), `${path}: the bytes of the recording`);
  const markers = JSON.parse(run("markers", "list", recording, "--format", "json"));
  const names = markers.filter(({ time }) => time >= 0).sort((a, b) => a.time - b.time);
  const logged = (found.get("/markers") ?? []).map(({ content }) => content.message);
  expect(JSON.stringify(logged) === JSON.stringify(names.map(({ name }) => name)), `${path}: markers`);
  const transforms = (found.get("/tf") ?? []).map(({ time, content }) => [Math.fround(Number(time) / 1e9), content.transforms]);
  const times = transforms.map(([time]) => String(time));
  const sampled = times.length > 0 ? frames(recording, "--at", times.join(","), "--space", "blender") : [];
  for (const [index, frame] of sampled.entries()) {
    const there = new Map(transforms[index][1].map((transform) => [transform.childFrameId, transform]));
    const poses = Object.entries({ head: frame.head });
    for (const side of ["left", "right"]) {
      const joints = Object.entries(frame[side]?.joints ?? {});
      poses.push(...joints.filter(([name]) => name !== "None").map(([name, pose]) => [`${side}/${name}`, pose]));
    }
    for (const [name, pose] of poses) {
      if (!pose || !pose.position.every(Number.isFinite) || !pose.rotation.every(Number.isFinite)) continue;
      if (!pose.rotation.some(Boolean)) continue;
      const place = there.get(name)?.translation;
      expect(place, `${path} at ${frame.time} s: no ${name}`);
      const apart = Math.hypot(place.x - pose.position[0], place.y - pose.position[1], place.z - pose.position[2]);
      const size = Math.max(1, Math.hypot(...pose.position));
      expect(apart <= METRES * size, `${path} at ${frame.time} s: ${name} is ${apart} m away`);
      compared += 1;
    }
  }
}
// Without this, a check that compares nothing would pass.
expect(compared > 1000, `only ${compared} positions were compared`);
console.log(`${compared} positions, the markers and the recordings in ${recordings.length} files are equal in @mcap/core`);
