// Figures from descriptions: `drawFigure` makes an <svg> of a spec and its columns; `Plot`, the library, is in scope.
//
// The marks and axes of a spec are Plot's, but a string that names a column stands for that column, c1…c4 are inks, and
// texts are placed by texts.js.

// ------------------------------------------------------------------------------------------------ texts

const decimal = new Intl.NumberFormat("en-US", { maximumFractionDigits: 10 });

/** A number as readers see it: integers in full, else three digits. The same as `format` in spec.py. */
function format(value) {
  if (!Number.isFinite(value)) return "–";
  const sign = value < 0 ? "−" : "", size = Math.abs(value);
  if (size >= 1e6 || (size > 0 && size < 1e-3)) {
    const [mantissa, power] = size.toExponential(1).split("e");
    const ten = "10" + String(+power).replace(/./g, (c) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)]);
    return sign + (mantissa === "1.0" ? ten : `${mantissa.replace(/\.0$/, "")}·${ten}`);
  }
  return sign + decimal.format(seen(size));
}

/** A number as exactly as it is written. */
function seen(value) {
  return value % 1 ? +value.toPrecision(3) : value;
}

const PLACE = /\{(\w+)(?:\[(\d+)\])?\}/g;

/** A text with its placeholders {name} and {name[3]} filled in; a value that has a name is said by it. */
function fillIn(template, columns, values, { controls, names }) {
  const nameOf = (name, value) => {
    const control = controls.find((control) => control.name === name);
    return control ? control.names[control.values.indexOf(value)] : names[name]?.[value];
  };
  return template.replace(PLACE, (_, name, i = 0) => {
    const value = values[name] ?? columns[name]?.[i];
    return nameOf(name, value) ?? format(value);
  });
}

/** The same as nodes, what is filled in as strong ones: the eye finds what a slider changes. */
function withNumbers(template, columns, values, spec) {
  const places = template.match(PLACE) ?? [], between = template.replace(PLACE, "\0").split("\0");
  return between.flatMap((text, i) => [text, ...(i < places.length ? [element("b", {}, fillIn(places[i], columns, values, spec))] : [])]);
}

const pen = document.createElement("canvas").getContext("2d");

const SIZE = 13;                    // of all text, in pixels, at every width

/** The width of a text in pixels. */
function measure(text, font) {
  pen.font = font;
  return pen.measureText(text).width;
}

const widest = (texts, font) => Math.max(0, ...texts.map((text) => measure(text, font)));

// ------------------------------------------------------------------------------------------------ the drawing

const CHANNEL = /^[xy][12]?$|Opacity$/;
const INK = /^c[1-4]$/;

/** One mark of a spec with its columns and inks put in: {mark, kind, text, label, labelAt, answer, length, options}; `mark` is its class. */
function prepare([kind, { text, label, labelAt, answer, ...given }], columns, number) {
  const mark = `dp-mark-${number}${answer ? " dp-answer" : ""}`, options = { className: `dp-mark ${mark}` };
  for (const [name, v] of Object.entries(given)) {
    options[name] = CHANNEL.test(name) && typeof v === "string" ? columns[v] : INK.test(v) ? `var(--dp-${v[1]})` : v;
  }
  const many = Object.values(options).filter(ArrayBuffer.isView);
  const length = Math.max(1, ...many.map((column) => column.length));
  for (const [name, v] of Object.entries(options)) {                     // Plot wants one entry per point
    if (/^[xy]/.test(name) && typeof v === "number") options[name] = new Float64Array(length).fill(v);
    else if (ArrayBuffer.isView(v) && v.length < length) options[name] = new Float64Array(length).fill(v[0]);
  }
  return { mark, kind, text, label, labelAt, answer, length, options };
}

/** A guess as a mark: a line at its value, as long as the line of the answer, which is among the `marks`, or across the figure. */
function guessed({ axis, value, label }, marks, answer) {
  const look = { stroke: "currentColor", strokeWidth: 2, strokeDasharray: "1 4", strokeLinecap: "round", className: "dp-mark dp-guessed" };
  const kind = axis === "x" ? "ruleX" : "ruleY", ends = axis === "x" ? ["y1", "y2"] : ["x1", "x2"];
  const { options: line = {} } = marks.find((mark) => mark.kind === kind && mark.options[axis] === answer) ?? {};
  for (const end of ends) if (line[end]) look[end] = line[end];
  return { kind, label, ofGuess: true, length: 1, options: { ...look, [axis]: Float64Array.of(value) } };
}

/** The figure as an <svg>, `width` pixels wide; `frame` is the id of the rectangle that clips its marks. While something is
    `asked`, the marks that tell the answer are left out; `guess` is the reader's, {axis, value, label, bracket}. */
function drawFigure(spec, columns, values, width, fontFamily, frame, asked = false, guess = null) {
  const { marks, x, y, empty, equal, ...given } = spec.plot, all = marks.map((mark, i) => prepare(mark, columns, i));
  const prepared = all.filter(({ answer }) => !(asked && answer));
  const line = guess?.axis && guessed(guess, all, columns[spec.guess.answer]);
  if (line) prepared.push(line);
  const font = `600 ${SIZE}px ${fontFamily}`;
  const yAxis = axis(y, values, () => 6);
  const sides = sideMargins(all, yAxis, x, values, width, font);
  const margins = { marginTop: 28, marginBottom: isBare(x) ? 32 : 46, ...sides, ...given };
  const xAxis = axis(x, values, (widest) => (width - margins.marginLeft - margins.marginRight) / (widest + 24), font);
  const svg = Plot.plot({
    width, height: equal ? heightOfPlane(width, margins, xAxis, yAxis) : Math.round(Math.min(340, 110 + width / 2)), ...margins, x: { labelOffset: isBare(x) ? 24 : 38, ...xAxis }, y: yAxis,
    grid: true, clip: true,
    style: { background: "none", color: "inherit", fontSize: `${SIZE}px`, fontFamily: "inherit" },
    marks: prepared.filter(({ kind }) => kind !== "text").map(({ kind, length, options }) =>
      Plot[kind]({ length }, kind === "dot" ? wholeDots(options, xAxis, yAxis) : options)),
  });
  for (const clipped of svg.querySelectorAll("[clip-path]")) clipped.setAttribute("clip-path", `url(#${frame})`);
  svg.querySelector("clipPath")?.setAttribute("id", frame);              // Plot numbers them anew in each drawing
  for (const part of svg.querySelectorAll("g[aria-label]")) {            // a picture has one name, and its parts none
    part.dataset.part = part.getAttribute("aria-label");
    part.removeAttribute("aria-label");
  }
  svg.setAttribute("role", "img");
  const fill = (text) => fillIn(text, columns, values, spec);
  svg.setAttribute("aria-label", asked ? `${spec.guess.label} The figure shows the answer once you have guessed.` : fill(spec.alt));
  placeTexts(svg, prepared, fill, width, font, yAxis.label, guess?.bracket && { ...guess.bracket, end: line.options.x2?.[0] });
  if (empty && !prepared.some((mark) => isSeen(mark, xAxis, yAxis))) svg.append(sayEmpty(svg, fill(empty), width));
  svg.prepared = prepared;
  return svg;
}

/** Of a plane, on whose two axes a unit has the same length. */
function heightOfPlane(width, { marginLeft, marginRight, marginTop, marginBottom }, { domain: [left, right] }, { domain: [low, high] }) {
  return marginTop + marginBottom + ((width - marginLeft - marginRight) * (high - low)) / (right - left);
}

/** Is a point of a line, a dot or a bar inside the frame? Rules and texts do not count. */
function isSeen({ kind, length, options: { x, y, x1, y1, y2 } }, { domain: [left, right] }, { domain: [low, high] }) {
  if (kind === "ruleX" || kind === "ruleY" || kind === "text") return false;
  const inside = (i) => {
    const [across, up] = [(x ?? x1)[i], (y ?? y2 ?? y1)[i]];
    return across >= left && across <= right && up >= low && up <= high;
  };
  return Array.from({ length }, (_, i) => i).some(inside);
}

/** Why there is nothing to see, in the middle of the frame. */
function sayEmpty(svg, text, width) {
  const [bottom, top] = svg.scale("y").range;
  const place = { class: "dp-label dp-empty", x: width / 2, y: (bottom + top) / 2, "text-anchor": "middle", fill: "currentColor", "font-size": SIZE };
  return svgNode(svg, "text", place, text);
}

/** Dots are shown whole or, outside the frame, not at all; half a pixel outside still counts as inside. */
function wholeDots(options, ...axes) {
  const insides = axes.map(({ type, domain }) => {
    const f = type === "log" ? Math.log : (v) => v, [low, high] = domain.map(f), slack = (high - low) / 1000;
    return (v) => f(v) >= low - slack && f(v) <= high + slack;
  });
  return { ...options, x: options.x.map((x, i) => (insides[0](x) && insides[1](options.y[i]) ? x : NaN)), clip: false };
}

/** An axis without numbers is a title, which points nowhere and needs little room. */
const isBare = ({ ticks }) => Array.isArray(ticks) && ticks.length === 0;

/** Plot's options of an axis with room for `many(width of its widest number)` numbers. A domain may name controls, and
    `ticks` is a list of numbers or about how many of them. */
function axis({ type, domain, ticks, ...given }, values, many, font) {
  domain = domain.map((v) => values[v] ?? v);
  ticks ??= many(font ? widest([...domain.map(format), "0.00"], font) : 0);
  if (type === "log") given = { tickFormat: format, ...given };
  if (isBare({ ticks })) given = { labelArrow: "none", ...given };
  return { type, domain, ticks: type === "log" && !Array.isArray(ticks) ? logTicks(domain, ticks) : ticks, ...given };
}

/** Powers of ten inside a domain, at most about `many`; over less than two decades also their doubles and fives. */
function logTicks([low, high], many) {
  const decades = Math.log10(high / low), digits = decades < 2 && many > 4 ? [1, 2, 5] : [1];
  const each = Math.max(1, Math.ceil(decades / many)), ticks = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high) + 1e-9; power++) {
    if (power % each === 0) ticks.push(...digits.map((digit) => +`${digit}e${power}`));
  }
  return ticks.filter((t) => t >= low * (1 - 1e-9) && t <= high * (1 + 1e-9));
}

/** Room for numbers on the left, and for direct labels on the right unless they would take a third of the figure. */
function sideMargins(prepared, yAxis, x, values, width, font) {
  const numbers = yAxis.tickFormat === format ? yAxis.ticks : [...yAxis.domain, 0.25];
  const labelled = prepared.filter(({ label, kind }) => label && kind !== "ruleX");
  const right = widest(labelled.map(({ label }) => label.replace(/\{.*?\}/g, "0.000")), font) + 10;
  const last = measure(format(values[x.domain[1]] ?? x.domain[1]), font) / 2 + 4;
  return {
    marginLeft: isBare(yAxis) ? 14 : widest(numbers.map(format), font) + 18,
    marginRight: Math.max(12, last, right < width / 3 ? right : 0),
  };
}

/** What a mark is seen by: its line, or else its area. */
const inkOf = ({ stroke, fill }) => (stroke && stroke !== "none" ? stroke : fill);

/** The point of a line, or the dot, nearest to a place in the figure, if it is within `reach` pixels: {x, y, at, ink}. */
function pointNear({ scale, prepared }, place, reach = 24) {
  const x = scale("x"), y = scale("y");
  let best = null;
  for (const { kind, length, options } of prepared) {
    if (kind !== "line" && kind !== "dot") continue;
    for (let i = 0; i < length; i++) {
      const at = { x: x.apply(options.x[i]), y: y.apply(options.y[i]) }, away = Math.hypot(at.x - place.x, at.y - place.y);
      if (away < reach) [best, reach] = [{ x: options.x[i], y: options.y[i], at, ink: inkOf(options) }, away];
    }
  }
  return best;
}

/** Turn one drawing into another by changing only what differs: to lay out all anew costs more than to draw it. */
function morph(old, fresh) {
  const alike = old.nodeName === fresh.nodeName && old.childNodes.length === fresh.childNodes.length;
  if (!alike) return old.replaceWith(fresh);
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return;
  }
  const attributes = fresh.getAttributeNames();
  for (const name of attributes) {
    const value = fresh.getAttribute(name);
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  if (old.attributes.length !== attributes.length) {
    for (const name of old.getAttributeNames()) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
  }
  for (let a = old.firstChild, b = fresh.firstChild, next; a; a = next[0], b = next[1]) {
    next = [a.nextSibling, b.nextSibling];                               // before b moves, if it replaces a
    morph(a, b);
  }
}

