// The page as a whole: which run, which generator, dark or light. `window.lgn.current` has the shown numbers.
const page = {
  runs: JSON.parse(dom.get("data").textContent).runs,
  state: { run: 0, generator: 0, power: 1 },
  current: {},

  // Packed numbers are unpacked once.
  prepare(run) {
    const size = run.patch[0] * run.patch[1];
    const slices = (packed) => {
      if (!packed) return [];
      const { shape, values } = algebra.unpack(packed);
      return Array.from({ length: shape[0] }, (_, k) => values.slice(k * size, (k + 1) * size));
    };
    run.cropImages = slices(run.crops);
    for (const generator of run.generators) {
      generator.matrixValues = algebra.unpack(generator.matrix).values;
      generator.startValues = generator.start ? algebra.unpack(generator.start).values : null;
      generator.changeValues = generator.startValues
        ? algebra.subtract(generator.matrixValues, generator.startValues)
        : null;
      generator.baseImages = slices(generator.bases?.filters);
    }
  },

  run: () => page.runs[page.state.run],

  render() {
    overview.render(page.run());
    gallery.render(page.run());
    explorer.render(page.run(), page.state.generator);
    setTimeout(() => compare.render(page.runs)); // the last section of the page
  },

  choose(index) {
    page.state.run = index;
    page.state.generator = overview.clearest(page.run())[0].index;
    [...dom.get("runs").children].forEach((button, k) => button.setAttribute("aria-pressed", String(k === index)));
    page.render();
  },

  open(index, scroll = false) {
    page.state.generator = index;
    explorer.render(page.run(), index);
    for (const card of dom.get("cards").children)
      card.setAttribute("aria-current", String(Number(card.dataset.index) === index));
    if (scroll) {
      dom.get("explorer").scrollIntoView();
      dom.get("choice").focus({ preventScroll: true });
    }
  },

  dress(theme) {
    document.documentElement.dataset.theme = theme;
    dom.get("theme").textContent = theme === "dark" ? "Light" : "Dark";
  },

  begin() {
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    page.dress(dark.matches ? "dark" : "light");
    dark.addEventListener("change", () => {
      page.dress(dark.matches ? "dark" : "light");
      page.render();
    });
    dom.get("theme").addEventListener("click", () => {
      page.dress(colours.theme() === "dark" ? "light" : "dark");
      page.render();
    });
    page.runs.forEach(page.prepare);
    if (page.runs.length > 1)
      dom.fill(
        dom.get("runs"),
        ...page.runs.map((run, k) =>
          dom.make("button", { type: "button", title: run.title, onclick: () => page.choose(k) }, run.title),
        ),
      );
    const step = (by) => () =>
      page.open((page.state.generator + by + page.run().generators.length) % page.run().generators.length);
    dom.get("previous").addEventListener("click", step(-1));
    dom.get("next").addEventListener("click", step(1));
    dom.get("choice").addEventListener("change", (event) => page.open(Number(event.target.value)));
    page.choose(0);
    window.lgn = { page, algebra, current: page.current, state: page.state };
  },
};
page.begin();
