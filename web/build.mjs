// Bundles the viewer into one file, crates/inputanim-page/viewer/inputanim.html, which opens from disk. The npm package gets this
// file too, and the module that shows it in other pages.
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import init, { formats } from "./package/formats.node.js";

await init();

/** The source of the texts of the page. */
const strings = readFileSync("src/strings.ts", "utf8");
const [declaration, literal] = /const TEXTS: [^=]+ = (\{[^]*?\n\});/.exec(strings);

/** Takes the texts out of scripts. Browsers read them faster as JSON, with the other texts. */
const withoutTexts = {
  name: "texts",
  setup: ({ onLoad }) => onLoad({ filter: /[\\/]src[\\/]strings\.ts$/ }, () => ({
    contents: strings.replace(declaration, "const TEXTS: Record<string, string[]> = {};"),
    loader: "ts",
  })),
};

/**
 * Loads the JavaScript of the module as a function, so that the page can have several instances of the module. The memory of an instance
 * never shrinks, so a large recording gets an instance that ends with it.
 */
const instances = {
  name: "instances",
  setup({ onLoad }) {
    onLoad({ filter: /package[\\/]inputanim\.js$/ }, async ({ path }) => {
      const { outputFiles } = await build({ entryPoints: [path], bundle: true, format: "esm", write: false });
      const [, body, list] = /^([^]*)export \{([^}]*)\};\s*$/.exec(outputFiles[0].text);
      const exported = list.split(",").map((entry) => entry.trim().split(" as ")).map(([own, name = own]) => [name, own]);
      // Views of the memory, and the instance, which a forgotten recording would otherwise keep in memory.
      const held = [...body.matchAll(/^var (cached\w+Memory0|row|wasmInstance|wasmModule)\b/gm)].map(([, name]) => `${name} = `).join("");
      const members = [...exported.map(([name, own]) => `${name}: ${own}`), `end() { wasm = beforeInit; ${held}null; }`];
      const names = exported.map(([name]) => (name === "default" ? "default: init" : name));
      const contents = `export function instance() {\n${body}\nreturn { ${members.join(", ")} };\n}
        export const shared = instance();
        export const { ${names.join(", ")} } = shared;
        export default init;`;
      return { contents, loader: "js" };
    });
  },
};

/** Returns a source file and all that it imports as one script. */
async function bundled(source, format) {
  const { outputFiles } = await build({
    entryPoints: [source],
    bundle: true,
    format,
    target: "es2022",
    minify: true,
    write: false,
    // A worker needs only one instance.
    plugins: format === "esm" ? [withoutTexts, instances] : [withoutTexts],
    legalComments: "none",
    define: {
      // The page passes the modules as bytes, so it loads no file.
      "import.meta.url": '"inputanim:"',
      // The page knows the names of files before it loads the module.
      KNOWN_FORMATS: JSON.stringify(formats()),
    },
  });
  return outputFiles[0].text;
}
/** Returns texts of the page, and the texts of findings, measures, losses and notes, in the languages of the page, as JSON. */
function translations() {
  const read = (name) => JSON.parse(readFileSync(`src/texts/${name}.json`, "utf8"));
  const [own, others] = [new Function(`return ${literal}`)(), read("page")];
  const twice = Object.keys(own).filter((name) => name in others);
  if (twice.length > 0) throw new Error(`texts that exist twice: ${twice.join(", ")}`);
  return JSON.stringify({ page: { ...own, ...others }, findings: read("findings"), quantities: read("measures"), conversions: read("conversions") });
}
const viewer = await bundled("src/main.ts", "esm");
const worker = await bundled("src/worker.ts", "iife");
const styles = ["node_modules/uplot/dist/uPlot.min.css", "src/style.css", "src/help.css", "src/layout.css"];
// The page unpacks them. Otherwise it would have twice the size.
const packed = (content) => gzipSync(content, { level: 9 }).toString("base64");
const parts = {
  STYLE: styles.map((file) => readFileSync(file, "utf8")).join(""),
  RECORDINGS: packed(readFileSync("package/inputanim_bg.wasm")),
  FORMATS: packed(readFileSync("package/formats_bg.wasm")),
  TRANSLATIONS: packed(translations()),
  WORKER: packed(worker),
  VIEWER: packed(viewer),
  LOADER: await bundled("src/loader.ts", "iife"),
};
const page = readFileSync("src/index.html", "utf8").replace(/@(\w+)@/g, (all, name) => parts[name] ?? all);
writeFileSync("../crates/inputanim-page/viewer/inputanim.html", page);
writeFileSync("package/inputanim.html", page);
await build({ entryPoints: ["src/embed.ts"], bundle: true, format: "esm", target: "es2022", outfile: "package/embed.js", logLevel: "error" });
const options = "--declaration --emitDeclarationOnly --outDir package --target es2023 --module esnext --moduleResolution bundler --skipLibCheck";
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "src/embed.ts", "--ignoreConfig", ...options.split(" ")]);
const types = readFileSync("package/embed.d.ts", "utf8");
writeFileSync("package/embed.d.ts", types.replace("../package/", "./"));
rmSync("package/embed-messages.d.ts");
const kilobytes = (bytes) => `${(bytes.length / 1000).toFixed(0)} kB`;
console.log(`crates/inputanim-page/viewer/inputanim.html: ${kilobytes(Buffer.from(page))}; JavaScript: ${kilobytes(viewer + worker)}, ${kilobytes(gzipSync(viewer + worker))} with gzip`);
