// The mosaic of caught mistakes: a tile says its name under the pointer and under the focus, and the arrows lead from tile to
// tile, so that a thousand tiles are one stop of the Tab key. Without this script they are plain links.
const mosaic = document.querySelector('.dp-mosaic');

function nameTiles() {
  const tiles = [...mosaic.querySelectorAll('.dp-tile')], line = mosaic.querySelector('.dp-tile-name'), hint = line.textContent;
  const steps = { ArrowRight: 1, ArrowLeft: -1 };
  let stop = tiles[0];                              // the one that Tab comes to

  const say = ({ target }) => { line.textContent = target.getAttribute('aria-label') ?? hint; };

  function stopAt(tile) {
    stop.tabIndex = -1;
    stop = tile;
    stop.tabIndex = 0;
  }

  // The tile above or below is that of the next row whose middle is nearest.
  function beyond(tile, down) {
    const middle = (one) => { const { left, right } = one.getBoundingClientRect(); return (left + right) / 2; };
    const height = (one) => one.getBoundingClientRect().top, here = height(tile);
    const rows = tiles.map(height), next = rows.filter((top) => (down ? top > here + 1 : top < here - 1));
    if (!next.length) return tile;
    const row = down ? Math.min(...next) : Math.max(...next);
    return tiles.filter((_, i) => Math.abs(rows[i] - row) < 1)
      .reduce((best, one) => (Math.abs(middle(one) - middle(tile)) < Math.abs(middle(best) - middle(tile)) ? one : best));
  }

  function toOf(tile, key) {
    if (key in steps) return tiles[tiles.indexOf(tile) + steps[key]] ?? tile;
    if (key === 'ArrowUp' || key === 'ArrowDown') return beyond(tile, key === 'ArrowDown');
    return { Home: tiles[0], End: tiles.at(-1) }[key];
  }

  for (const tile of tiles) tile.tabIndex = tile === stop ? 0 : -1;
  mosaic.addEventListener('pointerover', say);
  mosaic.addEventListener('focusin', (event) => { say(event); if (tiles.includes(event.target)) stopAt(event.target); });
  mosaic.addEventListener('keydown', (event) => {
    const to = tiles.includes(event.target) && !event.ctrlKey && !event.metaKey && !event.altKey && toOf(event.target, event.key);
    if (!to) return;
    event.preventDefault();
    to.focus();
  });
}

if (mosaic) nameTiles();
