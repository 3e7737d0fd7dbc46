// Bundles the part of Observable Plot that the explorers draw with into ../plot.js, its licences into
// ../plot.LICENSES.txt. Needed only to update Plot: both products are kept, so the book itself builds without Node.
//   npm ci && npm run build
import { build } from "esbuild";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";

// The marks of spec.py; `text` is absent because draw.js places every text itself.
const names = ["plot", "areaY", "dot", "line", "rect", "rectY", "ruleX", "ruleY"];

const { metafile, outputFiles: [bundle] } = await build({
  stdin: { contents: `export { ${names.join(", ")} } from "@observablehq/plot";`, resolveDir: import.meta.dirname },
  bundle: true, minify: true, format: "iife", globalName: "Plot", target: "es2020", charset: "utf8",
  legalComments: "none", metafile: true, write: false,
});

// Every package of which at least one byte is in the bundle, with the text of its licence.
const [output] = Object.values(metafile.outputs);
const packageOf = (path) => path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1];
const inBundle = Object.entries(output.inputs).filter(([, part]) => part.bytesInOutput > 0);
const used = new Set(inBundle.map(([path]) => packageOf(path)));
used.delete(undefined);
const licences = [...used].sort().map((name) => {
  const folder = new URL(`node_modules/${name}/`, import.meta.url);
  const { version, license } = JSON.parse(readFileSync(new URL("package.json", folder)));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) throw new Error(`${name} ships no licence text`);
  return { title: `${name} ${version} (${license})`, text: readFileSync(new URL(file, folder), "utf8").trim() };
});

const plot = licences.find(({ title }) => title.startsWith("@observablehq/plot"));
const products = new URL("../", import.meta.url);
const banner = `/* ${plot.title} with parts of d3; licences: plot.LICENSES.txt */\n`;
const texts = licences.map(({ title, text }) => `${title}\n\n${text}\n`);
writeFileSync(new URL("plot.js", products), banner + bundle.text);
writeFileSync(new URL("plot.LICENSES.txt", products), texts.join("\n---\n\n"));
console.log(`${plot.title}: ${(bundle.contents.length / 1024).toFixed(0)} KB uncompressed, ${texts.length} packages`);
