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

if (window.MathJax) {                               // its settings; a page without formulas has none
  MathJax.startup = { ready() { MathJax.startup.defaultReady(); MathJax.startup.promise.then(watch); } };
}
