// The controls below a figure: a slider, a row of buttons for categories, a handle on an axis that can be dragged.
// A control is {name, label, values, start, log, integer, unit, names, drag}; what it sets is an index into its values.

function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/** The value of a control at an index: exact on the grid, interpolated between grid points. */
function valueAt({ values, log, integer }, index) {
  const i = Math.floor(index), t = index - i;
  if (t === 0) return values[i];
  const [a, b] = [values[i], values[i + 1]];
  const value = log ? a * (b / a) ** t : a + (b - a) * t;
  return integer ? Math.round(value) : value;
}

/** The index of the grid point nearest to a value. */
function nearest({ values, log }, value) {
  const gap = (v) => Math.abs(log ? Math.log(v / value) : v - value);
  return values.reduce((best, v, i) => (gap(v) < gap(values[best]) ? i : best), 0);
}

/** How far a slider moves at a time in a live kernel: a twentieth of a grid step, but at least one integer. */
function liveStep({ values, integer }) {
  return integer ? Math.min(1, Math.max(0.05, ...values.slice(1).map((v, i) => 1 / (v - values[i])))) : 0.05;
}

/** A value of a control as its reader sees it. */
function written({ values, names, unit }, value) {
  if (names.length) return names[values.indexOf(value)];
  return format(value) + (unit === "%" ? unit : unit && ` ${unit}`);
}

const FEW = 8;                                                          // stops of a slider that get a tick each

/** A control as {nodes, refresh}; `set(index)` is called when it is moved, `refresh(index, step)` makes it show an index, or that
 *  it is not set yet, null. */
function makeControl(control, id, font, set) {
  return (control.names.length ? makeChoice : makeSlider)(control, id, font, set);
}

function makeSlider(control, id, font, set) {
  const { name, label, values } = control, range = { min: 0, max: values.length - 1, step: 1 };
  const input = element("input", { type: "range", id, name, ...range, value: control.start, autocomplete: "off" });
  const value = element("span", { class: "dp-value", "aria-hidden": "true" });
  value.style.minWidth = `${widest(values.map((v) => written(control, v)), font)}px`;
  input.addEventListener("input", () => set(+input.value));
  const row = element("div", { class: "dp-control" }, element("label", { for: id }, label), input, value);
  const nodes = [row];
  if (values.length <= FEW) {
    nodes.unshift(element("datalist", { id: `${id}-stops` }, ...values.map((_, i) => element("option", { value: i }))));
    input.setAttribute("list", nodes[0].id);
  }
  const refresh = (index, step = 1) => {
    input.step = step;
    if (index !== null && +input.value !== index) input.value = index;
    value.textContent = index === null ? "?" : written(control, valueAt(control, index));
    input.setAttribute("aria-valuetext", index === null ? "not set" : value.textContent);
  };
  return { nodes, refresh };
}

function makeChoice({ name, label, names }, id, font, set) {
  const title = element("span", { id: `${id}-label`, class: "dp-name" }, label);
  const inputs = names.map((_, i) => element("input", { type: "radio", id: `${id}-${i}`, name: id, value: i, "data-control": name, autocomplete: "off" }));
  inputs.forEach((input, i) => input.addEventListener("input", () => set(i)));
  const words = names.map((word, i) => element("span", {}, inputs[i], element("label", { for: inputs[i].id }, word)));
  const row = element("div", { class: "dp-control dp-choice", role: "radiogroup", "aria-labelledby": title.id }, title, element("div", {}, ...words));
  return { nodes: [row], refresh: (index) => inputs.forEach((input, i) => { input.checked = i === index; }) };
}

/** A handle at the value of a control on its axis, for the pointer; the keyboard has the slider. `place(svg, index)` puts it there. */
function makeHandle(control, frame, set) {
  const handle = element("div", { class: `dp-handle dp-handle-${control.drag}`, "aria-hidden": "true" });
  let scale, shown;
  const along = (event) => {
    const { left, top } = frame.getBoundingClientRect();
    return control.drag === "x" ? event.clientX - left : event.clientY - top;
  };
  handle.addEventListener("pointerdown", (event) => {
    handle.setPointerCapture(event.pointerId);
    event.preventDefault();                                              // no text is marked
    set(shown);                                                          // a guess may be where the handle lies
  });
  handle.addEventListener("pointermove", (event) => {
    if (!handle.hasPointerCapture(event.pointerId)) return;
    const [low, high] = [...scale.range].sort((a, b) => a - b);
    set(nearest(control, scale.invert(Math.max(low, Math.min(high, along(event))))));
  });
  frame.append(handle);
  return (svg, index) => {
    [scale, shown] = [svg.scale(control.drag), index];
    const at = scale.apply(valueAt(control, index)), [x, y] = [svg.scale("x").range[0], svg.scale("y").range[0]];
    const [low, high] = [...scale.range].sort((a, b) => a - b);
    handle.hidden = !(at >= low - 1 && at <= high + 1);
    // on the axis, but clear of its numbers
    handle.style.transform = control.drag === "x" ? `translate(${at}px, ${y - 6}px)` : `translate(${x + 13}px, ${at}px)`;
  };
}
