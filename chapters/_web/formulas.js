// MathJax 3 never breaks a formula of the text, however narrow the page. Here it becomes pieces that end behind a relation
// or a binary operator, where TeX breaks too: MathJax marks both by their space. book.css lets lines break between pieces.
function intoPieces({ display, typesetRoot }) {
  const math = !display && typesetRoot.querySelector('mjx-math');
  let piece = null;
  for (const node of math ? [...math.children] : []) {
    piece ??= math.appendChild(document.createElement('span'));
    piece.append(node);
    if (node.matches('mjx-mo:is([space="3"], [space="4"])')) piece = null;
  }
}

if (window.MathJax) {                               // its settings; a page without formulas has none
  const typeset = 150;                              // MathJax's number for "typeset"; 200 is "in the page"
  MathJax.options.renderActions = { pieces: [typeset + 1, doc => [...doc.math].forEach(intoPieces), intoPieces] };
}
