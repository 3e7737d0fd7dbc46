/**
 * A line to the kernel: one request in flight, of those that wait only the newest is sent. Without an answer within two
 * seconds `lost` is called, and the table serves until an answer, however late, shows that the kernel is `back`.
 */
function connect(model, { show, complain, refreshControls, lost, back }) {
  const kernel = { live: false, ask: () => false };                      // `ask` says whether the request is on its way
  if (!model.send) return kernel;
  const token = Math.random().toString(36).slice(2);                     // all views of a model hear every answer
  let flight = null, waiting = null, count = 0, timer;
  const hangUp = () => {
    clearTimeout(timer);
    kernel.live = false;
    flight = waiting = null;
  };
  kernel.ask = (request) => {
    if (flight) {
      waiting = { ...request, fresh: request.fresh || waiting?.fresh === true };
      return true;
    }
    flight = { ...request, id: `${token}-${++count}` };
    timer = setTimeout(() => {
      const wasLive = kernel.live;
      hangUp();
      if (wasLive) lost();
    }, 2000);
    try {
      model.send(flight);
    } catch {                                                            // "Cannot send": the kernel is dead
      hangUp();
      return false;
    }
    return true;
  };
  model.on("msg:custom", ({ id, names, error }, buffers) => {
    if (!id.startsWith(token)) return;
    const { values } = flight ?? {}, next = waiting, late = id !== flight?.id;
    kernel.live = true;
    if (late) return back();
    clearTimeout(timer);
    flight = waiting = null;
    const numbers = (b) => new Float64Array(b.buffer.slice(b.byteOffset, b.byteOffset + b.byteLength));
    if (error) complain(error);
    else show(Object.fromEntries(names.map((name, i) => [name, numbers(buffers[i])])), values);
    refreshControls();                                                   // they say whether the figure is live
    if (next && !kernel.ask(next)) lost();
  });
  return kernel;
}
