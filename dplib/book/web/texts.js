// Where the texts of a figure stand: each as near to its place as it can, hiding no mark and no other text.

const GAP = 14;                     // pixels between the baselines of two labels
const REACH = 120;                  // how far from its place a text may stand, in pixels
const RISE = 0.4;                   // half the height of a text's letters, in its size

/** Where else a text may stand, as shifts of its place, the nearest first; a line lower or higher before further along. */
const SHIFTS = [];
for (let dy = -REACH; dy <= REACH; dy += 7) {
  for (let dx = -REACH; dx <= REACH; dx += 12) SHIFTS.push({ dx, dy, away: Math.hypot(dy, 1.2 * dx) });
}
SHIFTS.sort((a, b) => a.away - b.away);
const SHORT = SHIFTS.filter(({ away }) => away <= 2 * GAP);             // of a guess: further off it would name another line

/** Put text marks and direct labels into a figure, and a bracket from a guess to the answer, if there is one. */
function placeTexts(svg, prepared, fill, width, font, title, bracket) {
  const x = svg.scale("x"), y = svg.scale("y"), frame = { left: x.range[0], right: x.range[1], top: y.range[1], bottom: y.range[0] };
  const dots = solids(prepared, x, y), texts = [{ left: 0, right: measure(title, font) + 6, top: 0, bottom: 20 }];
  const lines = strokes(prepared, x, y);
  for (const text of [...textMarks(prepared, x, y, fill, width, font), ...directLabels(prepared, x, y, fill, width, font)]) {
    const shift = freeShift(text, lines, dots, texts, frame, width);
    texts.push(boxOf(text, shift));
    svg.append(textNode(svg, text, shift));
  }
  if (bracket) svg.append(bracketNode(svg, bracket, texts, frame));
}

/** A bracket on an axis from a guess to the answer, inside the frame, before the `end` of their lines, and clear of texts. */
function bracketNode(svg, { axis, from, to, end }, texts, frame) {
  const upright = axis === "y", [low, high] = upright ? [frame.top, frame.bottom] : [frame.left, frame.right];
  const [a, b] = [from, to].map((v) => Math.max(low, Math.min(high, svg.scale(axis).apply(v)))).sort((p, q) => p - q);
  const boxAt = (c) => (upright ? { left: c - 6, right: c + 6, top: a, bottom: b } : { left: a, right: b, top: c - 6, bottom: c + 6 });
  const [first, last] = upright ? [(end === undefined ? frame.right : svg.scale("x").apply(end)) - 30, frame.left + 10] : [frame.top + 60, frame.bottom - 10];
  const across = Array.from({ length: 21 }, (_, k) => first + (k / 20) * (last - first));
  const c = across.find((c) => !texts.some((text) => overlap(text, boxAt(c)))) ?? first;
  const d = upright ? `M${c - 5},${a}h10m-5,0V${b}m-5,0h10` : `M${a},${c - 5}v10m0,-5H${b}m0,-5v10`;
  return svgNode(svg, "path", { class: "dp-said", d, fill: "none", stroke: "currentColor", "stroke-width": 2 });
}

function svgNode(svg, tag, attributes, text = "") {
  const node = document.createElementNS(svg.namespaceURI, tag);
  for (const [name, v] of Object.entries(attributes)) node.setAttribute(name, v);
  node.textContent = text;
  return node;
}

function textNode(svg, { text, x, y, ink, size, weight, className }, { dx, dy }) {
  return svgNode(svg, "text", { class: className, x: (x + dx).toFixed(1), y: (y + dy).toFixed(1), dy: "0.32em", "text-anchor": "start",
    fill: ink, "font-size": size, "font-weight": weight, "data-place": y.toFixed(1) }, text);
}

/** The text marks at their places, which are what their author gave, inside the figure's sides. */
function textMarks(prepared, x, y, fill, width, font) {
  return prepared.flatMap(({ mark, kind, text: template, length, options }) => {
    if (kind !== "text") return [];
    const { dx = 0, dy = 0, fontSize: size = SIZE, fontWeight: weight = 400, textAnchor = "middle", fill: ink = "currentColor" } = options;
    const text = fill(template), wide = measure(text, font.replace(`600 ${SIZE}px`, `${weight} ${size}px`));
    const before = { start: 0, middle: wide / 2, end: wide }[textAnchor];
    return Array.from({ length }, (_, i) => ({
      text, wide, ink, size, weight, shifts: SHIFTS, className: `dp-label ${mark}`, y: y.apply(options.y[i]) + dy,
      x: Math.max(2, Math.min(width - wide - 2, x.apply(options.x[i]) + dx - before)),
    })).filter((at) => Number.isFinite(at.x + at.y));
  });
}

/** The direct labels, each beside the end of its mark, or above it if there is no room, and clear of one another. */
function directLabels(prepared, x, y, fill, width, font) {
  const [bottom, top] = y.range;
  const labels = prepared.filter(({ label }) => label).flatMap((mark) => {
    const at = anchor(mark, x, y), text = fill(mark.label), wide = measure(text, font);
    if (!at || !Number.isFinite(at.x + at.y)) return [];
    const beside = at.x + 6 + wide <= width, rule = mark.kind === "ruleX";
    const left = beside ? at.x + 6 : rule ? at.x - 6 - wide : Math.min(at.x, width - 2) - wide;
    return [{ text, wide, ink: inkOf(mark.options), size: SIZE, weight: 600, shifts: mark.ofGuess ? SHORT : SHIFTS, className: `dp-label dp-direct${mark.answer ? " dp-answer" : ""}`, x: left,
      y: beside || rule ? at.y : at.y - 10 }];
  });
  labels.sort((a, b) => a.y - b.y);
  const meet = (a, b) => a.x < b.x + b.wide && b.x < a.x + a.wide;
  const before = (i) => labels.slice(0, i).filter((other) => meet(labels[i], other)).map((other) => other.y);
  labels.forEach((label, i) => {                                         // downwards, each below those before it
    label.y = Math.max(top, label.y, ...before(i).map((other) => other + GAP));
  });
  labels.reverse().forEach((label, i) => {                               // and back up, if that went below the frame
    label.y = Math.min(bottom - 6, label.y, ...before(i).map((other) => other - GAP));
  });
  return labels;
}

/** Where the direct label of a mark belongs: at its last (or first) point inside the frame; null if there is none. */
function anchor({ kind, labelAt, length, options }, x, y) {
  if (kind === "ruleX") return { x: x.apply(options.x[0]), y: y.range[1] + 8 };
  if (kind === "ruleY") return { x: options.x2 ? x.apply(options.x2[0]) : x.range[1], y: y.apply(options.y[0]) };
  const inside = (v, [a, b]) => v >= Math.min(a, b) - 1 && v <= Math.max(a, b) + 1;
  const [xs, ys] = [options.x ?? options.x2, options.y ?? options.y2];
  for (let k = 0; k < length; k++) {
    const i = labelAt === "first" ? k : length - 1 - k, at = { x: x.apply(xs[i]), y: y.apply(ys[i]) };
    if (inside(at.x, x.range) && inside(at.y, y.range)) return at;
  }
  return null;
}

// ------------------------------------------------------------------------------------------------ what is in the way

/** All drawn lines as pieces [x1, y1, x2, y2], in pixels. */
function strokes(prepared, x, y) {
  const pieces = [], add = (...piece) => { if (Number.isFinite(piece[0] + piece[1] + piece[2] + piece[3])) pieces.push(piece); };
  for (const { kind, length, options: o } of prepared) {
    const at = (side, name, i, otherwise) => (o[name] ? side.apply(o[name][i]) : otherwise);
    for (let i = 0; i < length; i++) {
      if (kind === "ruleX") add(at(x, "x", i), at(y, "y1", i, y.range[0]), at(x, "x", i), at(y, "y2", i, y.range[1]));
      if (kind === "ruleY") add(at(x, "x1", i, x.range[0]), at(y, "y", i), at(x, "x2", i, x.range[1]), at(y, "y", i));
      if (kind !== "line" || i === 0) continue;
      const [a, b, c, d] = [at(x, "x", i - 1), at(y, "y", i - 1), at(x, "x", i), at(y, "y", i)];
      const turn = { step: (a + c) / 2, "step-after": c, "step-before": a }[o.curve];
      if (turn === undefined) add(a, b, c, d);
      else [[a, b, turn, b], [turn, b, turn, d], [turn, d, c, d]].forEach((piece) => add(...piece));
    }
  }
  return pieces;
}

/** Dots, and bars that hide what is behind them, as boxes. */
function solids(prepared, x, y) {
  return prepared.flatMap(({ kind, length, options: o }) => {
    const box = (i) => {
      if (kind === "dot") {
        const [cx, cy, r] = [x.apply(o.x[i]), y.apply(o.y[i]), o.r ?? 3];
        return { left: cx - r, right: cx + r, top: cy - r, bottom: cy + r };
      }
      const [a, b, c, d] = [x.apply(o.x1[i]), x.apply(o.x2[i]), y.apply(o.y1[i]), y.apply(o.y2[i])];
      return { left: Math.min(a, b), right: Math.max(a, b), top: Math.min(c, d), bottom: Math.max(c, d) };
    };
    const solid = (i) => o.fill !== "none" && (o.fillOpacity?.[i] ?? o.fillOpacity ?? 1) > 0.5;
    return Array.from({ length }, (_, i) => i).filter((i) => kind === "dot" || (kind.startsWith("rect") && solid(i))).map(box);
  });
}

function boxOf({ x, y, wide, size }, { dx, dy }) {
  return { left: x + dx, right: x + dx + wide, top: y + dy - RISE * size, bottom: y + dy + RISE * size };
}

const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** Does a piece of a line go through a box? (Liang and Barsky: what is left of the piece after each side has cut it.) */
function crosses([x1, y1, x2, y2], { left, right, top, bottom }) {
  if (Math.max(x1, x2) < left || Math.min(x1, x2) > right || Math.max(y1, y2) < top || Math.min(y1, y2) > bottom) return false;
  let [from, to] = [0, 1];
  for (const [speed, room] of [[x1 - x2, x1 - left], [x2 - x1, right - x1], [y1 - y2, y1 - top], [y2 - y1, bottom - y1]]) {
    if (speed === 0 && room < 0) return false;
    if (speed < 0) from = Math.max(from, room / speed);
    if (speed > 0) to = Math.min(to, room / speed);
  }
  return from <= to;
}

/** The smallest shift at which a text hides nothing; if there is none, at which it hides lines, then dots, too; else none. */
function freeShift(text, lines, dots, texts, frame, width) {
  const inside = ({ left, right, top, bottom }) => right <= width - 1 && left >= Math.min(frame.left + 2, text.x)
    && top >= Math.min(frame.top, text.y - RISE * text.size) && bottom <= Math.max(frame.bottom - 1, text.y + RISE * text.size);
  const hidesNoText = (box) => !texts.some((other) => overlap(box, other)), hidesNoDot = (box) => !dots.some((dot) => overlap(box, dot));
  const hidesNoLine = ({ left, right, top, bottom }) => {                // lines are clipped by the frame
    const seen = { left: left - 1, right: Math.min(right + 1, frame.right), top: Math.max(top - 1, frame.top), bottom: Math.min(bottom + 1, frame.bottom) };
    return seen.left >= seen.right || !lines.some((piece) => crosses(piece, seen));
  };
  const best = (...wishes) => text.shifts.find((shift) => wishes.every((wish) => wish(boxOf(text, shift))));
  return best(inside, hidesNoText, hidesNoDot, hidesNoLine) ?? best(inside, hidesNoText, hidesNoDot) ?? best(inside, hidesNoText) ?? SHIFTS[0];
}
