// A deck: until its formulas are set, its slides stand one below the other, so that each has its size; then reveal.js shows them.
const LEAST = 70;                                     // percent of the text size of a slide

function overflows(body) {
  return body.scrollHeight > body.clientHeight || body.scrollWidth > body.clientWidth;
}

// A statement that is long is set in smaller letters.
function shrink(body) {
  for (let size = 95; overflows(body) && size >= LEAST; size -= 5) body.style.fontSize = `${size}%`;
}

// The window of the speaker has no MathJax, but every browser can show the formulas that are there for screen readers.
function writeNotes() {
  for (const formula of document.querySelectorAll('.notes mjx-container')) formula.replaceWith(formula.querySelector('math'));
}

// A figure fills the screen on demand. A key that is pressed over it is meant for its sliders, elsewhere for the deck.
function handle(demo) {
  const screen = demo.querySelector('.screen'), frame = demo.querySelector('iframe');
  demo.querySelector('.whole').addEventListener('click', () => screen.requestFullscreen());
  frame.addEventListener('mouseleave', () => frame.blur());
  screen.addEventListener('fullscreenchange', () => {
    const whole = document.fullscreenElement === screen;
    screen.style.setProperty('--larger', whole ? Math.min(innerWidth / frame.offsetWidth, innerHeight / frame.offsetHeight) : 1);
  });
}

async function start() {
  await window.MathJax?.startup?.promise;
  await document.fonts.ready;
  document.querySelectorAll('.body').forEach(shrink);
  writeNotes();
  document.querySelectorAll('.demo').forEach(handle);
  document.querySelector('.deck').classList.add('reveal');
  await Talk.Reveal.initialize({
    width: 1280, height: 720, margin: 0, center: false, hash: true, slideNumber: 'c/t', controlsTutorial: false, transition: 'none', plugins: [Talk.Notes],
    pdfMaxPagesPerSlide: 1, pdfSeparateFragments: false, scrollLayout: 'compact',          // on a phone
  });
}

start();
