// The question that some figures ask first. Until the reader has set a guess, or asked to be shown, the marks that tell the
// answer, the readout and the other controls are not on the page; afterwards the guess stays in the figure as a line.

/** How far a guess is from the answer, "12 too high"; nothing if it is as near as makes no difference. */
function distance({ names, log, unit, values }, guessed, answer) {
  const nearly = log ? Math.abs(Math.log(guessed / answer)) < 0.05 : Math.abs(guessed - answer) < 0.005 * (values.at(-1) - values[0]);
  if (nearly) return "";
  const side = guessed > answer ? "high" : "low";
  if (log && guessed > 0 && answer > 0) return `${format(Math.max(guessed / answer, answer / guessed))} times too ${side}`;
  return `${written({ names, unit, values }, Math.abs(guessed - answer))} too ${side}`;
}

/** The words about a guess once it is set; about the answer alone if there is no guess. */
function verdict(control, guessed, answer) {
  if (guessed === null) return `The answer is ${written(control, answer)}.`;
  const said = `You guessed ${written(control, guessed)}; the answer is ${written(control, answer)}.`;
  if (control.names.length) return guessed === answer ? `${said} That is right.` : said;
  const off = distance(control, guessed, answer);
  return `${said} ${off ? `Your guess was ${off}.` : "That is right, or as near as makes no difference."}`;
}

/** The same inside the figure: the answer in large type, the guess below it, and a bracket on the axis from one to the other. */
function verdictMark({ axis, ...control }, guessed, answer) {
  if (guessed === null) return { words: [written(control, answer), "the answer"], bracket: null };
  const off = control.names.length ? guessed !== answer && `you guessed ${written(control, guessed)}` : distance(control, guessed, answer);
  return { words: [written(control, answer), off || "as you guessed"], bracket: axis ? { axis, from: guessed, to: answer } : null };
}

/** The box of a question: {node, refresh}; `set(index)` is called as the guess moves, `done(made)` when it is set or given up. */
function makeQuestion(control, id, font, set, done) {
  const slider = makeControl(control, id, font, set);
  const button = (text, made) => {
    const node = element("button", { type: "button" }, text);
    node.addEventListener("click", () => done(made));
    return node;
  };
  const settle = button("This is my guess", true);
  const node = element("div", { class: "dp-controls dp-question" }, ...slider.nodes, element("div", { class: "dp-decide" }, settle, button("Show me", false)));
  const refresh = (index) => {
    slider.refresh(index);
    settle.disabled = index === null;                                    // nothing is chosen for the reader
  };
  return { node, refresh };
}
