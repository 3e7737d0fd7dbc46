// The numbers of a figure as its page carries them: what dplib/book/columns.py has packed.

/** Base64 of the differences of uint16 codes, low bytes before high bytes → {column: numbers}, NaN at gaps. */
function unpack(columns, base64) {
  const bytes = atob(base64), size = bytes.length / 2, codes = new Uint16Array(size);
  for (let i = 0, code = 0; i < size; i++) codes[i] = code += bytes.charCodeAt(i) + 256 * bytes.charCodeAt(size + i);
  const decode = ({ scale, low, step }) => (code) => {
    if (code === 0) return NaN;
    if (scale === "linear") return low + step * (code - 2);
    return code === 1 ? 0 : Math.exp(low + step * (code - 2));
  };
  const column = (c) => c.values
    ? Float64Array.from(c.values, (v) => v ?? NaN)
    : Float64Array.from(codes.subarray(c.offset, c.offset + c.count), decode(c));
  return Object.fromEntries(Object.entries(columns).map(([name, c]) => [name, column(c)]));
}

/** The part of every column that belongs to a grid point. */
function lookUp(spec, table, position) {
  const size = { draw: spec.draws };
  for (const { name, values } of spec.controls) size[name] = values.length;
  const part = ([name, { by, length }]) => {
    const start = length * by.reduce((k, control) => k * size[control] + position[control], 0);
    return [name, table[name].subarray(start, start + length)];
  };
  return Object.fromEntries(Object.entries(spec.columns).map(part));
}
