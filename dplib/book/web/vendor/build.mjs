// Bundles the part of Observable Plot that the explorers draw with into ../plot.js, and its licences into ../plot.LICENSES.txt.
// Needed only to update Plot: both products are kept in the repository, so the book itself builds without Node.
//   npm ci && npm run build
import { build } from "esbuild";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";

// The marks of explorer.py; `text` is absent because explore.js places every text itself.
const names = ["plot", "areaY", "dot", "line", "rect", "rectY", "ruleX", "ruleY"];

const { metafile, outputFiles: [bundle] } = await build({
  stdin: { contents: `export { ${names.join(", ")} } from "@observablehq/plot";`, resolveDir: import.meta.dirname },
  bundle: true, minify: true, format: "iife", globalName: "Plot", target: "es2020", charset: "utf8",
  legalComments: "none", metafile: true, write: false,
});

// Every package of which at least one byte is in the bundle, with the text of its licence.
const [output] = Object.values(metafile.outputs);
const packageOf = (path) => path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1];
const used = new Set(Object.entries(output.inputs).filter(([, part]) => part.bytesInOutput > 0).map(([path]) => packageOf(path)));
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
writeFileSync(new URL("plot.js", products), `/* ${plot.title} with parts of d3; licences: plot.LICENSES.txt */\n${bundle.text}`);
writeFileSync(new URL("plot.LICENSES.txt", products), licences.map(({ title, text }) => `${title}\n\n${text}\n`).join("\n---\n\n"));
console.log(`${plot.title}: ${(bundle.contents.length / 1024).toFixed(0)} KB before compression, ${licences.length} packages`);
