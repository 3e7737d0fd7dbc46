// The question that some figures ask first. Until the reader has set a guess, or asked to be shown, the marks that tell the
// answer, the readout and the other controls are not on the page; afterwards the guess stays in the figure as a line.

/** How far a guess is from the answer, in words. */
function distance({ names, log, unit, values }, guessed, answer) {
  if (names.length) return guessed === answer ? "That is right." : "";
  const nearly = log ? Math.abs(Math.log(guessed / answer)) < 0.05 : Math.abs(guessed - answer) < 0.005 * (values.at(-1) - values[0]);
  if (nearly) return "That is right, or as near as makes no difference.";
  const side = guessed > answer ? "high" : "low";
  if (log && guessed > 0 && answer > 0) return `Your guess was ${format(Math.max(guessed / answer, answer / guessed))} times too ${side}.`;
  return `Your guess was ${written({ names, unit, values }, Math.abs(guessed - answer))} too ${side}.`;
}

/** The words about a guess once it is set. */
function verdict(control, guessed, answer) {
  const said = (value) => written(control, value);
  return `You guessed ${said(guessed)}; the answer is ${said(answer)}. ${distance(control, guessed, answer)}`.trim();
}

/** The box of a question: {node, refresh}; `set(index)` is called as the guess moves, `done(made)` when it is set or given up. */
function makeQuestion(control, id, font, set, done) {
  const slider = makeControl(control, id, font, set);
  const button = (text, made) => {
    const node = element("button", { type: "button" }, text);
    node.addEventListener("click", () => done(made));
    return node;
  };
  const buttons = element("div", { class: "dp-decide" }, button("This is my guess", true), button("Show me", false));
  const node = element("div", { class: "dp-controls dp-question" }, ...slider.nodes, buttons);
  return { node, refresh: slider.refresh };
}
