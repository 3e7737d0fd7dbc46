// The front end of the explorers: sliders below a figure. `render` runs under anywidget in a live kernel, and page.js calls it
// on a static page; what the other files of this folder define is in scope. A spec is JSON: {id, alt, readout, draws, controls,
// columns, names, plot, guess}.
// A *position* gives each control an index into its grid of values; in a live kernel also one between two grid points.

let views = 0;                                                          // a model can be shown twice: ids need a number

const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

function render({ model, el: root }) {
  const spec = JSON.parse(model.get("spec")), table = unpack(spec.columns, model.get("table"));
  const position = { draw: 0 };
  for (const { name, start } of spec.controls) position[name] = start;
  const asked = spec.guess, guess = { index: null, open: asked !== null, made: false };
  const view = ++views;
  const figure = element("div", { class: "dp-figure" }), pointed = element("div", { class: "dp-pointed", "aria-hidden": "true" });
  const failure = element("p", { class: "dp-failure", role: "alert" });
  const controls = element("div", { class: "dp-controls" });
  const readout = element("output", { class: "dp-readout", "aria-live": "polite" });
  const judged = element("p", { class: "dp-verdict", role: "status", tabindex: "-1" });
  const frame = element("div", { class: "dp-frame" }, figure, pointed);
  const { fontFamily, fontSize } = getComputedStyle(root), font = `${fontSize} ${fontFamily}`;
  let columns, values, width;                                            // what is drawn: columns for these values

  function draw() {
    const home = asked && isHome();
    const svg = drawFigure(spec, columns, values, width, fontFamily, `dp-frame-${view}`, guess.open, asked && said(home));
    if (figure.firstChild) morph(figure.firstChild, svg);
    else figure.append(svg);
    Object.assign(figure.firstChild, { scale: svg.scale, prepared: svg.prepared });
    for (const place of handles) place(figure.firstChild);
    judged.classList.toggle("dp-past", !home);
    root.explorer = { spec, columns, values, position, guess, svg: figure.firstChild, kernel, update, decide };   // what tests look at
  }

  /** What the figure shows of the guess: where it lies and, once it is set, how far from the answer. Both mean nothing elsewhere. */
  function said(home) {
    const { axis } = asked, value = asked.values[guess.index ?? asked.start];
    if (guess.open) return { axis, value, label: "your guess" };
    if (!guess.made || !home) return null;
    return { axis, value, label: "you guessed", bracket: axis && { axis, from: value, to: guess.answer } };
  }

  /** Does the figure stand where the answer is seen? */
  function isHome() {
    const home = { draw: 0, ...Object.fromEntries(spec.controls.map(({ name, start }) => [name, start])), ...asked.at };
    if (asked.run) home[asked.run.name] = asked.run.to;
    return Object.entries(home).every(([name, index]) => position[name] === index);
  }

  /** The numbers of the point under the pointer or the finger. */
  function pointAt(event) {
    const svg = figure.firstChild, { left, top } = svg.getBoundingClientRect();
    const found = pointNear(svg, { x: event.clientX - left, y: event.clientY - top });
    pointed.hidden = !found;
    if (!found) return;
    pointed.textContent = `${format(found.x)}, ${format(found.y)}`;
    pointed.style.borderColor = found.ink;
    const onLeft = found.at.x > width / 2;                               // it never hides what is ahead of it
    pointed.style.transform = `translate(${found.at.x + (onLeft ? -10 : 10)}px, ${found.at.y - 34}px) translateX(${onLeft ? -100 : 0}%)`;
  }

  function show(newColumns, theirValues) {
    [columns, values] = [newColumns, theirValues];
    pointed.hidden = true;
    complain("");
    draw();
    readout.replaceChildren(...(guess.open ? [] : withNumbers(spec.readout, columns, values, spec)));
  }

  /** A message; the figure below it belongs to older values, and looks it. */
  function complain(message) {
    failure.textContent = message;
    figure.classList.toggle("dp-stale", message !== "");
    if (message) readout.textContent = "";
  }

  function present() {
    return Object.fromEntries(spec.controls.map((control) => [control.name, valueAt(control, position[control.name])]));
  }

  function refreshControls() {
    for (const refresh of refreshers) refresh();
  }

  function fromTable() {
    for (const name in position) position[name] = Math.round(position[name]);
    refreshControls();
    show(lookUp(spec, table, position), present());
  }

  function fromKernel(fresh) {
    const index = Object.fromEntries(Object.entries(position).map(([name, i]) => [name, Math.round(i)]));
    return kernel.ask({ values: present(), index, fresh });
  }

  /** After `position` has changed. */
  function update({ fresh = false } = {}) {
    refreshControls();
    if (!kernel.live || !fromKernel(fresh)) fromTable();
  }

  const kernel = connect(model, { show, complain, refreshControls, lost: fromTable, back: update });

  let still;
  function moved(how) {
    figure.classList.add("dp-moving");                                   // marks move, so that one sees which is which
    clearTimeout(still);
    still = setTimeout(() => figure.classList.remove("dp-moving"), 250);
    update(how);
    root.dispatchEvent(new Event("dp-moved"));
  }

  function moveTo(name, index) {
    position[name] = index;
    moved();
  }

  /** Puts a control below the figure, and its handle into it; returns a function that makes it show the present value. */
  function addControl(control) {
    const { name, drag } = control, set = (index) => moveTo(name, index);
    const { nodes, refresh } = makeControl(control, `dp-${spec.id}-${name}-${view}`, font, set);
    controls.append(...nodes);
    if (drag) {
      const place = makeHandle(control, frame, set);
      handles.push((svg) => place(svg, guess.open ? NaN : position[name]));
    }
    return () => refresh(position[name], kernel.live ? liveStep(control) : 1);
  }

  function addButton() {
    const button = element("button", { type: "button" });
    button.addEventListener("click", () => {
      position.draw = (position.draw + 1) % spec.draws;
      moved({ fresh: true });
    });
    controls.append(button);
    return () => {
      button.textContent = kernel.live ? "Fresh randomness" : `Draw again (${position.draw + 1} of ${spec.draws})`;
    };
  }

  /** While the question stands, nobody is told what to do with controls that are not there. */
  function asks(open) {
    root.classList.toggle("dp-asking", open);
    root.closest(".dp-drawn")?.classList.toggle("dp-unanswered", open);
  }

  /** The question before the controls; it ends with a guess that is made, or with the wish to be shown. */
  function ask() {
    const set = (index) => { guess.index = index; draw(); question.refresh(index); };
    const question = makeQuestion(asked, `dp-${spec.id}-guess-${view}`, font, set, (made) => {
      decide(made, asked.at, true, asked.run);
      judged.focus({ preventScroll: true });
      root.dispatchEvent(new Event("dp-moved"));
    });
    if (asked.axis) {
      const place = makeHandle(asked, frame, set);
      handles.push((svg) => place(svg, guess.open ? guess.index ?? asked.start : NaN));
    }
    question.refresh(guess.index);
    return question.node;
  }

  /** The end of the question: the figure at the place that was asked about and, once a control has run, the answer in words. */
  function decide(made, at = asked?.at, tells = made, first = null) {
    if (!guess.open) return;
    Object.assign(position, at);
    const reached = lookUp(spec, table, position);
    Object.assign(guess, { open: false, made, answer: reached[asked.answer][asked.entry] });
    figure.classList.add("dp-revealing");                                // what was hidden appears
    setTimeout(() => figure.classList.remove("dp-revealing"), 2400);
    show(reached, present());
    asks(false);
    root.querySelector(".dp-question").remove();
    update();
    const lasts = first ? 0 : arrive();
    if (!tells) return;
    const exactly = asked.tell && fillIn(asked.tell, reached, values, spec);
    const [before, answer, after] = verdict(asked, made ? asked.values[guess.index] : null, guess.answer, exactly);
    const told = element("span", {}, before, element("strong", {}, answer), after);
    judged.append(element("span", { class: "dp-asked" }, asked.label), told);
    if (first) run(first, told);
    else if (lasts && !isStill()) awaited([told, readout], (tell) => { setTimeout(tell, lasts); return tell; });
  }

  /** Where no control runs, marks come one after another, single ones and texts with the last; returns when, in milliseconds. */
  function arrive() {
    const groups = [...figure.querySelectorAll("g.dp-answer")].map((group) => [...group.children]);
    const delay = (i, { length }) => (1600 * i) / length, wait = (node, ms) => { node.style.animationDelay = `${ms}ms`; };
    const last = Math.max(0, ...groups.map((parts) => delay(parts.length - 1, parts)));
    for (const parts of groups) parts.forEach((part, i) => wait(part, parts.length > 1 ? delay(i, parts) : last));
    for (const text of figure.querySelectorAll("text.dp-answer")) wait(text, last);
    return last;
  }

  /** Words have their room, so that nothing moves when they come: `start` is given what shows them, and returns what does at once. */
  function awaited(nodes, start) {
    const seen = (is) => { for (const node of nodes) node.classList.toggle("dp-awaited", !is); };
    seen(false);
    const stop = start(() => seen(true));
    for (const kind of ["pointerdown", "keydown"]) root.addEventListener(kind, stop, { once: true });
  }

  /** A control runs up to where the answer is seen, and then it is told, unless the reader takes over or wants no motion. */
  function run({ name, to }, answer) {
    const from = isStill() ? to : position[name] < to ? position[name] : 0;
    readout.setAttribute("aria-live", "off");                            // of all steps a screen reader says the last
    awaited([answer], (tell) => climb(from, to, (index) => moveTo(name, index), () => {
      readout.setAttribute("aria-live", "polite");
      tell();
    }));
  }

  const handles = [], refreshers = spec.controls.map(addControl);
  if (spec.draws) refreshers.push(addButton());
  root.classList.add("dp-explorer");
  asks(guess.open);
  root.replaceChildren(frame, failure, ...(asked ? [ask(), judged] : []), controls, readout);

  // JupyterLab's shortcuts act on any focused element of a notebook in command mode (arrows move the cell, D D deletes
  // it). They leave an element alone if this attribute is on the element itself; on an ancestor it has no effect.
  for (const node of root.querySelectorAll("input, button")) node.dataset.lmSuppressShortcuts = "true";

  for (const kind of ["pointermove", "pointerdown"]) figure.addEventListener(kind, pointAt);
  figure.addEventListener("pointerleave", () => { pointed.hidden = true; });
  // To ask for the width lays the page out, so that is done when it changes, not whenever a figure is drawn.
  // A folded figure has no width yet.
  const readWidth = () => width !== (width = Math.max(240, Math.min(704, root.clientWidth || 704)));
  readWidth();
  if (guess.open) Object.assign(position, asked.at);                      // the answer's place from the start: its axes stay
  fromTable();
  addEventListener("beforeprint", () => decide(false));
  fromKernel(false);                                                     // if somebody answers, the figure is live
  const resized = new ResizeObserver(() => readWidth() && draw());
  resized.observe(root);
  return () => resized.disconnect();
}
