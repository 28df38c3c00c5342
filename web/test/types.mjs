// Reads the interfaces of a TypeScript file, and checks that values have them. It knows the part of the language that
// the types of the package use.
import { readFileSync } from "node:fs";

/** Returns the types of a file by their names: interfaces as maps of fields, others as parsed types. */
export function typesOf(file) {
  return typesIn(readFileSync(file, "utf8"));
}

/** Returns the types of a text, as typesOf. */
export function typesIn(content) {
  const text = content.replace(/\/\*[^]*?\*\//g, "").replace(/\/\/.*/g, "");
  const tokens = text.match(/"[^"]*"|\w+|\?:|[^\s]/g);
  let at = 0;
  const peek = () => tokens[at];
  const next = () => tokens[at++];
  const skip = (token) => peek() === token && next();
  const expect = (token) => {
    const found = next();
    if (found !== token) throw new Error(`expected ${token}, found ${found} in ${tokens.slice(at - 8, at + 3).join(" ")}`);
  };
  const type = () => {
    skip("|");
    const options = [single()];
    while (skip("|")) options.push(single());
    return options.length === 1 ? options[0] : { kind: "union", options };
  };
  const single = () => {
    let found;
    if (skip("(")) {
      found = type();
      expect(")");
    } else if (peek() === "{") found = { kind: "object", fields: fields() };
    else if (skip("[")) {
      found = { kind: "tuple", items: [] };
      while (!skip("]")) {
        found.items.push(type());
        skip(",");
      }
    } else {
      const name = next();
      found = { kind: "name", name, parameters: [] };
      if (skip("<")) {
        while (!skip(">")) {
          found.parameters.push(type());
          skip(",");
        }
      }
    }
    while (peek() === "[" && tokens[at + 1] === "]") {
      at += 2;
      found = { kind: "array", item: found };
    }
    return found;
  };
  const fields = () => {
    const found = new Map();
    expect("{");
    while (!skip("}")) {
      if (skip("[")) {
        // `[name: string]: unknown` allows any field.
        while (!skip("]")) next();
        expect(":");
        found.set("*", { type: type(), isOptional: true });
      } else {
        const name = next();
        const isOptional = skip("?:");
        if (!isOptional) expect(":");
        found.set(name, { type: type(), isOptional: !!isOptional });
      }
      skip(";");
    }
    return found;
  };
  const types = new Map();
  while (at < tokens.length) {
    expect("export");
    const kind = next();
    const name = next();
    if (kind === "type") {
      expect("=");
      types.set(name, type());
    } else {
      const parents = skip("extends") ? [next()] : [];
      types.set(name, { kind: "object", fields: fields(), parents });
    }
    skip(";");
  }
  return types;
}

/** Returns the fields of an interface and of its parent. */
export function fieldsOf(types, name) {
  const { fields, parents = [] } = types.get(name);
  return new Map([...parents.flatMap((parent) => (types.has(parent) ? [...fieldsOf(types, parent)] : [])), ...fields]);
}

/** Returns the differences between a value and a type. `seen` gets the fields that had a value other than null. */
export function differences(types, type, value, seen, path = "") {
  const check = (inner, content, place) => differences(types, inner, content, seen, place);
  switch (type.kind) {
    case "union": {
      const all = type.options.map((option) => check(option, value, path));
      return all.find((found) => found.length === 0) ?? all.sort((a, b) => a.length - b.length)[0];
    }
    case "array":
      return Array.isArray(value) ? value.flatMap((item) => check(type.item, item, `${path}[]`)) : [`${path}: expected an array`];
    case "tuple":
      return Array.isArray(value) && value.length === type.items.length
        ? value.flatMap((item, index) => check(type.items[index], item, `${path}[${index}]`))
        : [`${path}: expected ${type.items.length} items`];
    case "object":
      return object(type.fields, value, path, check, seen);
  }
  const { name, parameters } = type;
  if (name.startsWith('"')) return JSON.stringify(value) === name ? [] : [`${path}: ${JSON.stringify(value)} is not ${name}`];
  if (name === "null") return value === null ? [] : [`${path}: expected null`];
  if (["string", "number", "boolean"].includes(name)) return typeof value === name ? [] : [`${path}: expected ${name}, found ${value}`];
  if (name === "Record") return Object.entries(value).flatMap(([key, item]) => check(parameters[1], item, `${path}.${key}`));
  if (name === "Omit") {
    const left = new Map(fieldsOf(types, parameters[0].name));
    const omitted = parameters[1].kind === "union" ? parameters[1].options : [parameters[1]];
    for (const { name: quoted } of omitted) left.delete(JSON.parse(quoted));
    return object(left, value, path, check, seen);
  }
  if (!types.has(name)) return value?.constructor?.name === name ? [] : [`${path}: expected ${name}, found ${value}`];
  const found = types.get(name);
  return found.kind === "object" ? object(fieldsOf(types, name), value, name, check, seen) : check(found, value, path);
}

function object(fields, value, path, check, seen) {
  if (value === null || typeof value !== "object") return [`${path}: expected an object, found ${value}`];
  const unknown = Object.keys(value).filter((key) => !fields.has(key)).map((key) => `${path}.${key}: not in the type`);
  const missing = [...fields].filter(([key, field]) => !(key in value) && !field.isOptional).map(([key]) => `${path}.${key}: missing`);
  const inner = Object.entries(value).flatMap(([key, content]) => {
    if (content !== null && !(Array.isArray(content) && content.length === 0)) seen.add(`${path}.${key}`);
    return fields.has(key) ? check(fields.get(key).type, content, `${path}.${key}`) : [];
  });
  return [...unknown, ...missing, ...inner];
}
