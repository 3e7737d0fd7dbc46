// Bundles what the book takes from others: the part of Observable Plot that the explorers draw with, into ../plot.js, MathJax
// with its fonts, into chapters/_web/mathjax, and reveal.js, which shows the slides, into ../reveal. Needed only to update them:
// the products are kept, so the book itself builds without Node.
//   npm ci && npm run build
import { build } from "esbuild";
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";

const here = new URL("./", import.meta.url);
const plotFile = new URL("../plot.js", here);
const mathjax = new URL("../../../../chapters/_web/mathjax/", here);
const reveal = new URL("../reveal/", here);

// The marks of spec.py; `text` is absent because draw.js places every text itself.
const names = ["plot", "areaY", "dot", "line", "rect", "rectY", "ruleX", "ruleY"];

// It ships no text: its code is under the licence of MathJax, and its faces are made from New Computer Modern.
const FONT = "@mathjax/mathjax-newcm-font";
const OF_FONT = "Code: the licence of @mathjax/src. Faces: subsets of New Computer Modern by Antonis Tsolomitis, GUST Font License.";

async function bundle(options) {
  const { metafile, outputFiles: [output] } = await build({
    bundle: true, minify: true, format: "iife", target: "es2020", charset: "utf8", legalComments: "none", metafile: true, write: false,
    ...options,
  });
  return { text: output.text, licences: licencesOf(packagesIn(Object.values(metafile.outputs)[0])) };
}

// Every package of which at least one byte is in a bundle. The notes of reveal.js have swallowed another one.
function packagesIn(output) {
  const packageOf = (path) => path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1];
  const inBundle = Object.entries(output.inputs).filter(([, part]) => part.bytesInOutput > 0);
  const used = new Set(inBundle.map(([path]) => packageOf(path)));
  used.delete(undefined);
  return used.has("reveal.js") ? [...used, "marked"] : [...used];
}

// They, with the texts of their licences.
function licencesOf(packages) {
  return packages.sort().map((name) => {
    const folder = new URL(`node_modules/${name}/`, here);
    const { version, license } = JSON.parse(readFileSync(new URL("package.json", folder)));
    const title = `${name} ${version} (${license})`, file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (!file && name !== FONT) throw new Error(`${name} ships no licence text`);
    return { title, text: file ? readFileSync(new URL(file, folder), "utf8").trim() : OF_FONT };
  });
}

function write(script, licenceFile, { text, licences }) {
  const { title } = licences.find((licence) => /plot |mathjax.src |reveal/.test(licence.title));
  writeFileSync(script, `/* ${title} with parts of others; licences: ${licenceFile} */\n${text}`);
  writeFileSync(new URL(licenceFile, script), licences.map((one) => `${one.title}\n\n${one.text}\n`).join("\n---\n\n"));
  console.log(`${title}: ${(text.length / 1024).toFixed(0)} KB uncompressed, ${licences.length} packages`);
}

const plot = `export { ${names.join(", ")} } from "@observablehq/plot";`;
write(plotFile, "plot.LICENSES.txt", await bundle({ stdin: { contents: plot, resolveDir: import.meta.dirname }, globalName: "Plot" }));

rmSync(mathjax, { recursive: true, force: true });
mkdirSync(mathjax, { recursive: true });
write(new URL("mathjax.js", mathjax), "mathjax.LICENSES.txt", await bundle({ entryPoints: ["mathjax.js"] }));
// The faces that a formula of the book may use; a page loads those that it uses.
const faces = ["ar", "b", "bi", "brk", "c", "cb", "ds", "em", "i", "lo", "lt", "m", "mm", "n", "rb", "s", "s3", "s4", "s5", "s6", "s7",
  "so", "sy", "u", "v", "zero"];
for (const face of faces) {
  const file = `mathjax-newcm-font/chtml/woff2/mjx-ncm-${face}.woff2`;
  cpSync(new URL(`node_modules/@mathjax/${file}`, here), new URL(file, mathjax));
}

// Slides, and the window of whoever gives the talk.
const talk = 'export { default as Reveal } from "reveal.js"; export { default as Notes } from "reveal.js/plugin/notes";';
mkdirSync(reveal, { recursive: true });
write(new URL("reveal.js", reveal), "reveal.LICENSES.txt",
  await bundle({ stdin: { contents: talk, resolveDir: import.meta.dirname }, globalName: "Talk" }));
cpSync(new URL("node_modules/reveal.js/dist/reveal.css", here), new URL("reveal.css", reveal));
