// The explorers of a static page, each with its state in the address; what the other files of this folder define is in scope.

/** Draw every <div class="dp-static"> of the page. Its state lives in the address, page.html#id?eps=0.5&draw=3. */
function boot() {
  const hosts = [];
  for (const host of document.querySelectorAll(".dp-static")) {
    try {
      const state = JSON.parse(host.querySelector('script[type="application/json"]').textContent);
      render({ model: { get: (name) => state[name] }, el: host });
      hosts.push(host);
    } catch (error) {                                                    // a broken figure must not take others with it
      host.append(element("p", { class: "dp-failure" }, "This figure could not be drawn."));
      reportError(error);
    }
  }
  let timer;                                                             // browsers limit how often an address changes
  const later = (host) => {
    clearTimeout(timer);
    timer = setTimeout(toAddress, 200, host);
  };
  for (const host of hosts) host.addEventListener("dp-moved", () => later(host));

  function toAddress({ explorer: { spec, values, position, guess } }) {
    const query = new URLSearchParams(Object.entries(values));
    if (guess.made) query.set("guess", spec.guess.values[guess.index]);
    if (spec.draws) query.set("draw", position.draw + 1);
    history.replaceState(null, "", `#${spec.id}?${query}`);
  }

  function fromAddress(hash) {
    const [id, query] = hash.slice(1).split("?");
    const host = hosts.find((h) => h.explorer.spec.id === id);
    if (!host || !query) return;
    const { spec, position, guess, decide } = host.explorer, wanted = new URLSearchParams(query);
    const guessed = Number(wanted.get("guess") ?? NaN);
    if (guess.open && Number.isFinite(guessed)) guess.index = nearest(spec.guess, guessed);
    decide(Number.isFinite(guessed));                                    // who follows a link to a state sees that state
    for (const control of spec.controls) {
      const value = Number(wanted.get(control.name) ?? NaN);
      if (Number.isFinite(value)) position[control.name] = nearest(control, value);
    }
    const draw = Number(wanted.get("draw"));
    if (Number.isInteger(draw) && draw >= 1 && draw <= spec.draws) position.draw = draw - 1;
    host.explorer.update();
    host.scrollIntoView();
    later(host);
  }

  // The address of the event: a move of a moment ago may have written its own over it in the meantime.
  addEventListener("hashchange", ({ newURL }) => fromAddress(new URL(newURL).hash));
  fromAddress(location.hash);
  const query = new URLSearchParams(location.search);                    // ?embed=id, or ?embed for the first: it alone
  const alone = query.has("embed") && (hosts.find((h) => h.explorer.spec.id === query.get("embed")) ?? hosts[0]);
  if (!alone) return;
  alone.classList.add("dp-embed");
  for (let node = alone; node !== document.body; node = node.parentElement) {
    if (node.matches("details")) node.open = true;
    for (const other of node.parentElement.children) other.inert = other !== node;
  }
}
