// All generators at once, sorted and filtered.
const gallery = {
  view: { show: "matrix", scale: "own", sort: "place", layer: "", set: "", channel: "", finding: "" },

  // every way to sort, as a number to sort by, the smallest first
  sorts(run) {
    const ways = {
      place: ["place in the network", (g, k) => k],
      finding: ["clearest finding", (g) => Math.min(2, ...g.findings.map((f) => f.adjusted_p_value)) - 1e-6 * g.findings.length],
      operator: ["nearest operator", (g) => -g.nearest[0].excess],
      closure: ["closure", (g) => g.closureError ?? g.periodError],
      change: ["change since the start", (g) => (g.startValues ? -algebra.norm(g.changeValues) : 0)],
    };
    for (const row of run.generators[0].scores)
      ways[`score ${row.name}`] = [row.name, (g) => -g.scores.find((other) => other.name === row.name).score];
    return ways;
  },

  render(run) {
    const controls = dom.get("controls"),
      view = gallery.view;
    Object.assign(view, { layer: "", set: "", channel: "", finding: "" });
    const has = run.generators.some((g) => g.startValues);
    if (!has) view.show = "matrix";
    const set = (name) => (event) => {
      view[name] = event.target.value;
      gallery.cards(run);
    };
    const values = (key) =>
      [...new Set(run.generators.map((g) => g[key]).filter((value) => value !== null))].sort((a, b) => a - b);
    const filters = ["layer", "set", "channel"]
      .filter((key) => values(key).length > 1)
      .map((key) =>
        dom.select(
          key,
          `filter-${key}`,
          [["", "all"], ...values(key).map((value) => [String(value), String(value)])],
          set(key),
        ),
      );
    const names = [...new Set(run.generators.flatMap((g) => g.findings.map((f) => f.name)))].sort();
    const findings = [
      ["", "all"],
      ["any", "any finding"],
      ["none", "no finding"],
      ...names.map((name) => [`is ${name}`, name]),
    ];
    dom.fill(
      controls,
      has
        ? dom.select(
            "show",
            "show",
            [
              ["matrix", "A"],
              ["change", "A − A₀, its change"],
            ],
            set("show"),
          )
        : null,
      dom.select(
        "colours",
        "scale",
        [
          ["own", "own scale"],
          ["one", "one scale"],
        ],
        set("scale"),
      ),
      dom.select(
        "sort by",
        "sort",
        Object.entries(gallery.sorts(run)).map(([key, [words]]) => [key, words]),
        set("sort"),
      ),
      ...filters,
      dom.select("finding", "filter-finding", findings, set("finding")),
    );
    for (const [id, key] of [
      ["show", "show"],
      ["scale", "scale"],
      ["sort", "sort"],
    ])
      if (dom.get(id)) dom.get(id).value = view[key];
    gallery.cards(run);
  },

  chosen(run) {
    const view = gallery.view;
    const [, key] = gallery.sorts(run)[view.sort] ?? gallery.sorts(run).place;
    const passes = (g) =>
      ["layer", "set", "channel"].every((place) => view[place] === "" || String(g[place]) === view[place]) &&
      (view.finding === "" ||
        (view.finding === "any"
          ? g.findings.length > 0
          : view.finding === "none"
            ? g.findings.length === 0
            : g.findings.some((f) => `is ${f.name}` === view.finding)));
    return run.generators
      .map((g, index) => ({ g, index, key: key(g, index) }))
      .filter(({ g }) => passes(g))
      .sort((a, b) => a.key - b.key || a.index - b.index);
  },

  cards(run) {
    const view = gallery.view,
      chosen = gallery.chosen(run),
      d = run.patch[0] * run.patch[1];
    const values = (g) => (view.show === "change" && g.changeValues ? g.changeValues : g.matrixValues);
    const scale = view.scale === "one" ? Math.max(...run.generators.map((g) => algebra.largest(values(g)))) : null;
    dom.get("count").textContent =
      `${chosen.length} of ${run.generators.length}` +
      (scale === null ? "" : `, from ${dom.number(-scale)} to ${dom.number(scale)}`);
    dom.fill(
      dom.get("cards"),
      ...chosen.map(({ g, index }) => {
        const canvas = dom.make("canvas", { "aria-hidden": "true" });
        colours.draw(canvas, values(g), d, d, { scale, zoom: Math.max(1, Math.round(150 / d)) });
        const found = [...new Set(g.findings.map((f) => f.name))];
        const what = view.sort.startsWith("score ")
          ? `${view.sort.slice(6)} ${g.scores.find((row) => row.name === view.sort.slice(6)).score.toFixed(2)}`
          : found.slice(0, 2).join(", ") + (found.length > 2 ? ` and ${found.length - 2} more` : "") ||
            "nothing beyond chance";
        return dom.make(
          "button",
          {
            type: "button",
            className: "card",
            "data-index": index,
            "aria-current": String(index === page.state.generator),
            onclick: () => page.open(index, true),
          },
          canvas,
          dom.make("span", { className: "name" }, g.name),
          dom.make("span", { className: "what" }, what),
        );
      }),
    );
  },
};
