// MathJax breaks a displayed formula for the width that it finds. In a closed fold it finds none, and a window may change its
// width: then the formulas concerned are set once more.
function fit(part) {
  const { document: all } = MathJax.startup;
  for (const formula of all.getMathItemsWithin([part])) {
    const place = formula.typesetRoot.parentNode;
    if (!formula.display || !place.offsetWidth) continue;
    const { em, ex, containerWidth, scale } = all.outputJax.getMetricsFor(place, true);
    if (containerWidth === formula.metrics.containerWidth) continue;
    formula.setMetrics(em, ex, containerWidth, scale);
    formula.rerender(all);
  }
}

function watch() {
  let waiting;
  document.addEventListener('toggle', ({ target }) => target.open && fit(target), true);
  window.addEventListener('resize', () => { clearTimeout(waiting); waiting = setTimeout(fit, 150, document.body); });
}

// A formula of the text breaks behind a sign, as in print, and a short one stays whole (book.css).
const SHORT = 16;                                   // symbols

function breakBehind({ math, data }) {
  if (!math.display) data.root.walkTree(node => node.isKind('mo') && node.attributes.set('linebreakstyle', 'after'));
}

function keepWhole() {
  for (const formula of document.querySelectorAll('mjx-container:not([display])')) {
    formula.classList.toggle('dp-whole', formula.querySelectorAll('mjx-c').length < SHORT);
  }
}

if (window.MathJax) {                               // its settings; a page without formulas has none
  MathJax.tex = { postFilters: [breakBehind] };
  MathJax.startup = { ready() { MathJax.startup.defaultReady(); MathJax.startup.promise.then(keepWhole).then(watch); } };
}

// Paper has no folds: proofs are printed, and so are solutions (book.css).
let folded = [];
window.addEventListener('beforeprint', () => {
  folded = [...document.querySelectorAll('.bd-article details:not([open])')].filter(fold => !fold.closest('.cell'));
  for (const fold of folded) fold.open = true;
});
window.addEventListener('afterprint', () => { for (const fold of folded) fold.open = false; });

// Code that a page shows is folded on a phone, where a line of it is wider than the window.
const phone = window.matchMedia('(max-width: 575.98px)');

function foldCode() {
  for (const fold of document.querySelectorAll('details.dp-shown')) fold.open = !phone.matches;
}

phone.addEventListener('change', foldCode);
if (phone.matches) foldCode();

// What a search shows of a page: its text, without code, and formulas as they are read.
const SIGNS = { varepsilon: 'ε', delta: 'δ', beta: 'β', alpha: 'α', mu: 'μ', sigma: 'σ', rho: 'ρ', theta: 'θ', lambda: 'λ', Delta: 'Δ', Phi: 'Φ',
  le: '≤', ge: '≥', lesssim: '≲', gtrsim: '≳', infty: '∞', in: '∈', cdot: '·', times: '×', pm: '±', sum: 'Σ', to: '→', approx: '≈', sqrt: '√' };

function readable(tex) {
  const plain = tex.replace(/\\[()[\]]/g, '').replace(/\\[dt]?frac\s*\{?(\\?\w+)\}?\s*\{?(\\?\w+)\}?/g, '$1/$2');
  return plain.replace(/\\([A-Za-z]+) ?/g, (_, name) => SIGNS[name] ?? (name.length < 4 && /^(ln|log|max|min|Pr)$/.test(name) ? `${name} ` : ''))
    .replace(/[{}\\$]|\^(?=\W)/g, '').trim();
}

function searchReadably() {
  if (typeof Search === 'undefined') return;
  const { htmlToText } = Search;
  Search.htmlToText = (page, anchor) => {
    const content = new DOMParser().parseFromString(page, 'text/html');
    for (const aside of content.querySelectorAll('.cell_input, .cell_output, details.hide, .dp-strip, .headerlink')) aside.remove();
    for (const formula of content.querySelectorAll('.math')) formula.textContent = readable(formula.textContent);
    return htmlToText(content.documentElement.outerHTML, anchor).replace(/\s+/g, ' ');
  };
}

document.addEventListener('DOMContentLoaded', searchReadably);

// A fold opens when something leads to it or into it; the title of a section that is folded stands before its fold.
function unfoldTarget() {
  const target = document.getElementById(location.hash.slice(1).split('?')[0]);
  if (!target) return;
  const own = target.querySelector(':scope:is(div.dp-claim) > details, :scope:is(section.dp-further) > details'), closed = [];
  for (let fold = own ?? target.closest('details'); fold; fold = fold.parentElement.closest('details')) if (!fold.open) closed.push(fold);
  for (const fold of closed) fold.open = true;
  if (closed.length) target.scrollIntoView();
}

unfoldTarget();
window.addEventListener('hashchange', unfoldTarget);

// In the list of all claims a word leaves only the checks that have it.
const claims = [...document.querySelectorAll('div.dp-claim')];

function offerFilter() {
  const field = document.createElement('input'), label = document.createElement('label');
  Object.assign(field, { type: 'search', placeholder: 'a statement, a function, a mistake' });
  label.className = 'dp-filter';
  label.append('Show only ', field);
  field.addEventListener('input', () => {
    const words = field.value.toLowerCase().split(/\s+/);
    for (const claim of claims) claim.hidden = !words.every(word => claim.textContent.toLowerCase().includes(word));
    for (const part of document.querySelectorAll('section:has(> div.dp-claim)')) part.hidden = !part.querySelector('div.dp-claim:not([hidden])');
  });
  claims[0].closest('section').before(label);
}

if (claims.length) offerFilter();

// Names of the package stood on one page once: an old address leads to the page of the name's module.
if (location.hash.startsWith('#dplib.') && !document.getElementById(location.hash.slice(1))) {
  const moved = [...document.querySelectorAll('.bd-article a')].find(({ hash }) => hash === location.hash);
  if (moved) location.replace(moved.href);
}

// The arrow that unfolds a list of contents has no name of its own.
for (const arrow of document.querySelectorAll('.has-children > details > summary')) {
  arrow.setAttribute('aria-label', `Pages of ${arrow.closest('.has-children').querySelector('a').textContent.trim()}`);
}

// How far you have read: a line on top of the window, with a tick for each section. It lies over the page and moves nothing.
function followReading(article) {
  const line = document.createElement('div'), read = document.createElement('i');
  line.className = 'dp-progress';
  line.setAttribute('aria-hidden', 'true');
  const ticks = [...article.querySelectorAll('section > h2')].map(heading => ({ heading, tick: document.createElement('b') }));
  line.append(read, ...ticks.map(({ tick }) => tick));
  const way = () => Math.max(1, document.documentElement.scrollHeight - window.innerHeight);
  const show = () => {
    read.style.transform = `scaleX(${Math.min(1, window.scrollY / way())})`;
    line.classList.toggle('dp-begun', window.scrollY > 0);            // before that, ticks look like dirt
  };
  const place = () => {
    for (const { heading, tick } of ticks) {
      tick.style.left = `${Math.min(1, (heading.getBoundingClientRect().top + window.scrollY) / way()) * 100}%`;
    }
    show();
  };
  document.body.append(line);
  window.addEventListener('scroll', show, { passive: true });
  new ResizeObserver(place).observe(article);          // folds, formulas and windows change where sections begin
}

// The list of pages shows the one that is read, wherever it stood when the last one was left.
function showWhereWeAre() {
  const list = document.querySelector('.bd-sidebar-primary'), here = list?.querySelector('a.current[href="#"], li.current.active > a');
  if (!here) return;
  const { top, bottom } = here.getBoundingClientRect(), room = list.getBoundingClientRect();
  if (top < room.top || bottom > room.bottom) list.scrollTop += top - room.top - room.height / 3;
}

// In the contents of a page, what is further stands back behind its core.
for (const entry of document.querySelectorAll('.bd-toc-nav a')) {
  entry.classList.toggle('dp-further-entry', /^[\d.\s]*Further:/.test(entry.textContent.trim()));
}

const read = document.querySelector('.bd-article');
if (read?.querySelector('section > h2')) followReading(read);
window.addEventListener('load', showWhereWeAre);
