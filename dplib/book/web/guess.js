// The question that some figures ask first. Until the reader has set a guess, or asked to be shown, the marks that tell the
// answer, the readout, the other controls and what to try with them are not on the page; afterwards the guess stays in the
// figure as a line.

/** How far a guess is from the answer, "12 too high"; nothing if it is as near as makes no difference. */
function distance({ names, log, unit, values }, guessed, answer) {
  const nearly = log ? Math.abs(Math.log(guessed / answer)) < 0.05 : Math.abs(guessed - answer) < 0.005 * (values.at(-1) - values[0]);
  if (nearly) return "";
  const side = guessed > answer ? "high" : "low";
  if (log && guessed > 0 && answer > 0) return `${format(Math.max(guessed / answer, answer / guessed))} times too ${side}`;
  const between = Math.abs(seen(guessed) - seen(answer));               // of the two numbers that are told
  return `${written({ names, unit: unit === "%" ? "percentage points" : unit, values }, between)} too ${side}`;
}

/** What is said of a guess once it is set: [before, the answer, after]. Without a guess it is about the answer alone. Of an
 *  answer that is one of a few ranges, `exactly` is the number. */
function verdict(control, guessed, answer, exactly = "") {
  const said = ["Answer: ", exactly || written(control, answer)];
  if (guessed === null) return [...said, "."];
  if (control.names.length) return [...said, guessed === answer ? ". You guessed right." : `. Your guess: ${written(control, guessed)}.`];
  return [...said, `. You guessed ${written(control, guessed)}, which is ${distance(control, guessed, answer) || "right, or as near as makes no difference"}.`];
}

/** Moves an index from one value up to another in about two seconds, and is `done` before the last move; returns what stops it. */
function climb(from, to, move, done) {
  let index = from;
  const stop = () => {
    if (timer) done();
    timer = clearInterval(timer);
  };
  const step = () => {
    if (index >= to) stop();
    move(index++);
  };
  let timer = setInterval(step, Math.max(100, 1800 / (to - from)));
  step();
  return stop;
}

/** The box of a question: {node, refresh}; `set(index)` is called as the guess moves, `done(made)` when it is set or given up. Until
 *  its reader has touched the control, the index is null: nothing is guessed for anybody. */
function makeQuestion(control, id, font, set, done) {
  const slider = makeControl(control, id, font, set);
  const button = (text, made) => {
    const node = element("button", { type: "button" }, text);
    node.addEventListener("click", () => done(made));
    return node;
  };
  const settle = button("This is my guess", true);
  const stays = ({ target, key }) => settle.disabled && target.matches("input") && key !== "Tab" && key !== "Shift" && set(+target.value);
  for (const kind of ["click", "keyup"]) slider.nodes.at(-1).addEventListener(kind, stays);   // a guess may be where the slider stands
  const node = element("div", { class: "dp-controls dp-question" }, ...slider.nodes, element("div", { class: "dp-decide" }, settle, button("Show me", false)));
  const refresh = (index) => {
    slider.refresh(index);
    settle.disabled = index === null;
  };
  return { node, refresh };
}
