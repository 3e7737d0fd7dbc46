// MathJax as the pages use it: TeX in, HTML out, MathML for screen readers, and of the font the rarer alphabets and signs that
// a formula of the book may use. Without menu, speech and explorer, which would ask for files of their own.
import { startup } from "@mathjax/src/components/js/startup/init.js";
import { Loader } from "@mathjax/src/js/components/loader.js";
import "@mathjax/src/components/js/core/core.js";
import "@mathjax/src/components/js/input/tex/tex.js";
import { loadFont } from "@mathjax/src/components/js/output/chtml/chtml.js";
import { AssistiveMmlHandler } from "@mathjax/src/js/a11y/assistive-mml.js";
import "@mathjax/mathjax-newcm-font/js/chtml/dynamic/arrows.js";
import "@mathjax/mathjax-newcm-font/js/chtml/dynamic/calligraphic.js";
import "@mathjax/mathjax-newcm-font/js/chtml/dynamic/double-struck.js";
import "@mathjax/mathjax-newcm-font/js/chtml/dynamic/math.js";
import "@mathjax/mathjax-newcm-font/js/chtml/dynamic/script.js";
import "@mathjax/mathjax-newcm-font/js/chtml/dynamic/symbols.js";

window.MathJax.startup.extendHandler((handler) => AssistiveMmlHandler(handler));
Loader.preLoaded("loader", "startup", "core", "input/tex", "output/chtml",
  ...["arrows", "calligraphic", "double-struck", "math", "script", "symbols"].map((part) => `[mathjax-newcm]/chtml/dynamic/${part}.js`));
loadFont(startup, true);
