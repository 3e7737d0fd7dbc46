// MathJax 3 never breaks a formula of the text, however narrow the page. Here a long one becomes pieces that end behind a
// relation or a binary operator, where TeX breaks too: MathJax marks both by their space. book.css breaks lines between them.
const LONG = 16;                                    // symbols; a shorter formula fits the narrowest line and stays whole
const TYPESET = 150;                                // what MathJax calls a formula that is drawn and not yet in the page

function intoPieces({ display, typesetRoot }) {
  const math = typesetRoot.querySelector('mjx-math');
  if (display || math.querySelectorAll('mjx-c').length < LONG) return;
  let piece = null;
  for (const node of [...math.children]) {
    piece ??= math.appendChild(document.createElement('span'));
    piece.append(node);
    if (node.matches('mjx-mo:is([space="3"], [space="4"])')) piece = null;
  }
}

if (window.MathJax) {                               // its settings; a page without formulas has none
  MathJax.options.renderActions = { pieces: [TYPESET + 1, doc => [...doc.math].forEach(intoPieces), intoPieces] };
}
