// Reads recordings with a reader that Kaitai Struct generates from
// ../inputanim.ksy and compares every value, bit by bit, with the lossless
// JSON that the `inputanim` program writes.
//
//     node check.mjs FILE.bin FILE.json [FILE.bin FILE.json ...]
//
// Prints one line for each pair that agrees, and the first differences of a
// pair that does not. Exit code 0: all agree; 1: a pair differs or cannot be
// read; 2: usage error.
//
// The packages are loaded from the folder of this file, or from the folder in
// the environment variable INPUTANIM_NODE_MODULES (a `node_modules` folder or
// its parent).

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, resolve } from 'node:path';

const modules = process.env.INPUTANIM_NODE_MODULES;
const require = createRequire(modules ? join(resolve(modules), 'any.js') : import.meta.url);

const FIRST_DIFFERENCES = 10;

// The layouts of version 1.1 whose poses and gaze have full keys.
const FULL_KEYS_IN_1_1 = new Set(['documented-1.1', 'mixed-1.1-full-with-markers']);

const LAYOUTS = {
  'mrtk-1.0': { minor: 0, markers: true },
  'documented-1.0': { minor: 0, markers: false },
  'mrtk-1.1': { minor: 1, markers: true },
  'documented-1.1': { minor: 1, markers: false },
  'mixed-1.1-simple-no-markers': { minor: 1, markers: false },
  'mixed-1.1-full-with-markers': { minor: 1, markers: true },
};

// The names of docs/format.md, section 4.3. The generated reader has the same
// names in another case.
const JOINTS = [
  'None', 'Wrist', 'Palm',
  'ThumbMetacarpalJoint', 'ThumbProximalJoint', 'ThumbDistalJoint', 'ThumbTip',
  'IndexMetacarpal', 'IndexKnuckle', 'IndexMiddleJoint', 'IndexDistalJoint', 'IndexTip',
  'MiddleMetacarpal', 'MiddleKnuckle', 'MiddleMiddleJoint', 'MiddleDistalJoint', 'MiddleTip',
  'RingMetacarpal', 'RingKnuckle', 'RingMiddleJoint', 'RingDistalJoint', 'RingTip',
  'PinkyMetacarpal', 'PinkyKnuckle', 'PinkyMiddleJoint', 'PinkyDistalJoint', 'PinkyTip',
];

async function compileReader() {
  const compiler = require('kaitai-struct-compiler');
  const yaml = require('js-yaml');
  const source = readFileSync(new URL('../inputanim.ksy', import.meta.url), 'utf8');
  const files = await compiler.compile('javascript', yaml.load(source));
  const exports = {};
  new Function('exports', 'require', files['Inputanim.js'])(exports, require);
  return exports.Inputanim;
}

// Reads the bytes in the given layout. The f4 fields of the result are bit
// patterns, because a number would lose the payload of a NaN.
function read(Reader, bytes, layout) {
  const KaitaiStream = require('kaitai-struct/KaitaiStream');
  const stream = new KaitaiStream(
    bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  stream.readF4le = stream.readU4le;
  return new Reader(stream, null, null, FULL_KEYS_IN_1_1.has(layout));
}

// Returns [name, 'boolean' | 'float', curve] of every curve, in file order.
function* curvesOf(file) {
  const components = function* (prefix, owner, names) {
    for (const name of names) {
      const [vector, axis] = name.split('.');
      const field = vector + axis.toUpperCase();
      yield [`${prefix}.${name}`, 'float', owner[field]];
    }
  };
  const pose = (prefix, owner) => components(prefix, owner, [
    'position.x', 'position.y', 'position.z',
    'rotation.x', 'rotation.y', 'rotation.z', 'rotation.w']);
  if (file.hasCamera) yield* pose('head', file.camera);
  if (file.hasHands) {
    yield ['left.tracked', 'boolean', file.leftTracked];
    yield ['right.tracked', 'boolean', file.rightTracked];
    yield ['left.pinching', 'boolean', file.leftPinching];
    yield ['right.pinching', 'boolean', file.rightPinching];
    for (const [side, hand] of [['left', file.leftJoints], ['right', file.rightJoints]]) {
      for (const joint of hand.joints) yield* pose(`${side}.${JOINTS[joint.joint]}`, joint.pose);
    }
  }
  if (file.hasGaze) {
    yield* components('gaze', file.gaze, [
      'origin.x', 'origin.y', 'origin.z', 'direction.x', 'direction.y', 'direction.z']);
  }
}

// Returns { kind, keys } of a curve as in the JSON, with floats as bit patterns.
function keysOf(type, curve) {
  if (type === 'boolean') {
    return { kind: 'boolean', keys: curve.keys.map((k) => [k.time, k.value]) };
  }
  if (curve.hasFullKeys) {
    return {
      kind: 'full',
      keys: curve.fullKeys.map((k) => [
        k.time, k.value, k.inTangent, k.outTangent, k.inWeight, k.outWeight, k.weightedMode]),
    };
  }
  return { kind: 'simple', keys: curve.simpleKeys.map((k) => [k.time, k.value]) };
}

const KEY_FIELDS = [
  'time', 'value', 'in tangent', 'out tangent', 'in weight', 'out weight', 'weighted mode'];
const WEIGHTED_MODE = 6;

const scratch = new DataView(new ArrayBuffer(4));

// Returns the bit pattern of a float of the JSON; undefined if it is not a
// float or is too large for an f32.
function bitsOf(json) {
  if (typeof json === 'number') {
    scratch.setFloat32(0, json);
    return Number.isFinite(scratch.getFloat32(0)) ? scratch.getUint32(0) : undefined;
  }
  switch (json) {
    case 'Infinity': return 0x7f800000;
    case '-Infinity': return 0xff800000;
    case 'NaN': return 0x7fc00000;
  }
  const payload = typeof json === 'string' && /^NaN\(0x([0-9a-f]{8})\)$/.exec(json);
  if (!payload) return undefined;
  const bits = parseInt(payload[1], 16);
  const isNan = (bits & 0x7f800000) === 0x7f800000 && (bits & 0x007fffff) !== 0;
  return isNan ? bits : undefined;
}

function show(bits) {
  scratch.setUint32(0, bits);
  const value = scratch.getFloat32(0);
  return `${Object.is(value, -0) ? '-0' : value} (0x${bits.toString(16).padStart(8, '0')})`;
}

const text = (json) => (Object.is(json, -0) ? '-0' : JSON.stringify(json) ?? 'absent');

// Returns every difference between the file and the JSON.
function* compare(file, json) {
  const plain = function* (where, found, expected) {
    if (!Object.is(found, expected)) yield `${where}: file ${text(found)}, JSON ${text(expected)}`;
  };
  const float = function* (where, found, expected) {
    if (found !== bitsOf(expected)) yield `${where}: file ${show(found)}, JSON ${text(expected)}`;
  };

  const layout = LAYOUTS[json.layout];
  yield* plain('minor version', file.header.versionMinor, layout.minor);
  yield* plain('bytes after the end', file.trailing.length, 0);

  yield* plain('flags are present', file.flags !== undefined, json.flags !== undefined);
  if (file.flags && json.flags) {
    // MRTK calls the head a camera.
    for (const [flag, ours] of [['camera', 'head'], ['hand', 'hand'], ['gaze', 'gaze']]) {
      yield* plain(`flag ${flag}`, file.flags[flag], json.flags[ours]);
    }
  }

  const curves = [...curvesOf(file)];
  yield* plain('number of curves', curves.length, json.curves.length);
  for (let c = 0; c < Math.min(curves.length, json.curves.length); c++) {
    const [name, type, curve] = curves[c];
    const expected = json.curves[c];
    const { kind, keys } = keysOf(type, curve);
    yield* plain(`curve ${c}`, name, expected.curve);
    yield* plain(`${name} preWrap`, curve.header.preWrap, expected.preWrap);
    yield* plain(`${name} postWrap`, curve.header.postWrap, expected.postWrap);
    yield* plain(`${name} kind`, kind, expected.kind);
    yield* plain(`${name} number of keys`, keys.length, expected.keys.length);
    for (let k = 0; k < Math.min(keys.length, expected.keys.length); k++) {
      yield* plain(`${name} key ${k} number of fields`, keys[k].length, expected.keys[k].length);
      for (let f = 0; f < keys[k].length; f++) {
        const where = `${name} key ${k} ${KEY_FIELDS[f]}`;
        if (f === WEIGHTED_MODE) yield* plain(where, keys[k][f], expected.keys[k][f]);
        else yield* float(where, keys[k][f], expected.keys[k][f]);
      }
    }
  }

  yield* plain('marker list is present in the file', file.markers !== undefined, layout.markers);
  yield* plain('marker list is present in the JSON', layout.markers, json.markers !== undefined);
  const markers = file.markers?.markers ?? [];
  const expected = json.markers ?? [];
  yield* plain('number of markers', markers.length, expected.length);
  for (let m = 0; m < Math.min(markers.length, expected.length); m++) {
    yield* float(`marker ${m} time`, markers[m].time, expected[m].time);
    const found = Buffer.from(markers[m].name.utf8);
    if (!found.equals(Buffer.from(expected[m].name, 'utf8'))) {
      yield `marker ${m} name: file bytes ${found.toString('hex')}, JSON ${text(expected[m].name)}`;
    }
  }
}

// Returns true if the pair agrees.
function check(Reader, binPath, jsonPath) {
  const name = basename(binPath);
  try {
    const json = JSON.parse(readFileSync(jsonPath, 'utf8'));
    if (json.format !== 'inputanim-json' || json.version !== 1 || !Object.hasOwn(LAYOUTS, json.layout)) {
      throw new Error(`${jsonPath} is not version 1 of the program's JSON`);
    }
    const file = read(Reader, readFileSync(binPath), json.layout);
    let found = 0;
    for (const difference of compare(file, json)) {
      found += 1;
      if (found <= FIRST_DIFFERENCES) console.log(`DIFFERS ${name}: ${difference}`);
    }
    if (found > FIRST_DIFFERENCES) {
      console.log(`DIFFERS ${name}: and ${found - FIRST_DIFFERENCES} more differences`);
    }
    if (found > 0) return false;
    const curves = [...curvesOf(file)];
    const keys = curves.reduce((sum, [, , curve]) => sum + curve.header.numKeys, 0);
    const markers = file.markers?.numMarkers ?? 0;
    console.log(`ok ${name}: ${curves.length} curves, ${keys} keys, ${markers} markers`);
    return true;
  } catch (error) {
    console.log(`FAILED ${name}: ${error.message}`);
    return false;
  }
}

const paths = process.argv.slice(2);
if (paths.length === 0 || paths.length % 2 !== 0) {
  console.error('usage: node check.mjs FILE.bin FILE.json [FILE.bin FILE.json ...]');
  process.exit(2);
}
const Reader = await compileReader();
let agree = true;
for (let i = 0; i < paths.length; i += 2) {
  if (!check(Reader, paths[i], paths[i + 1])) agree = false;
}
process.exitCode = agree ? 0 : 1;
