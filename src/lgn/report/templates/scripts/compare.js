// Two runs side by side: their findings, and the highest scores of one structure.
const compare = {
  structure: "Toeplitz",

  render(runs) {
    const place = dom.get("comparison");
    if (runs.length < 2) {
      dom.fill(
        place,
        dom.make(
          "p",
          { className: "hint" },
          "There is one run on this page. `lgn report RUN --against OTHER` puts two side by side.",
        ),
      );
      return;
    }
    const shares = dom.make("div", { className: "chart tall", id: "shares" }),
      means = dom.make("div", { className: "chart tall", id: "means" });
    const sides = dom.make("div", { className: "sides", id: "sides" });
    const names = runs[0].generators[0].scores.map((row) => row.name);
    const choice = dom.select(
      "structure",
      "structure",
      names.map((name) => [name, name]),
      (event) => {
        compare.structure = event.target.value;
        compare.best(runs, sides);
      },
    );
    dom.fill(
      place,
      compare.facts(runs),
      dom.make(
        "div",
        { className: "panels" },
        dom.make("article", { className: "panel" }, dom.make("h3", {}, "Generators with a finding"), shares),
        dom.make("article", { className: "panel" }, dom.make("h3", {}, "Mean scores"), means),
      ),
      dom.make(
        "article",
        { className: "panel" },
        dom.make("h3", {}, "The highest scores of one structure"),
        dom.make("div", { className: "controls" }, choice),
        sides,
      ),
    );
    dom.get("structure").value = compare.structure;
    compare.shares(runs, shares);
    compare.means(runs, means, names);
    compare.best(runs, sides);
  },

  facts(runs) {
    const maps = runs.map((run) => new Map(run.facts)),
      keys = [...new Set(maps.flatMap((map) => [...map.keys()]))];
    const row = (cells) =>
      dom.make("tr", {}, ...cells.map((cell, k) => dom.make(k ? "td" : "th", k ? {} : { scope: "row" }, cell)));
    const rows = [
      ["result", ...runs.map((run) => run.result ?? "–")],
      ...keys.map((key) => [key, ...maps.map((map) => map.get(key) ?? "–")]),
    ];
    return dom.make(
      "div",
      { className: "scroll" },
      dom.make(
        "table",
        {},
        dom.make("thead", {}, row(["", ...runs.map((run) => run.title)])),
        dom.make("tbody", {}, ...rows.map(row)),
      ),
    );
  },

  strokes: () => [colours.css("--accent"), colours.css("--warm")],

  shares(runs, target) {
    const names = [...new Set(runs.flatMap((run) => run.generators.flatMap((g) => g.findings.map((f) => f.name))))];
    const share = (run, name) =>
      run.generators.filter((g) => g.findings.some((f) => f.name === name)).length / run.generators.length;
    names.sort((a, b) => Math.max(...runs.map((run) => share(run, a))) - Math.max(...runs.map((run) => share(run, b))));
    page.current.shares = Object.fromEntries(names.map((name) => [name, runs.map((run) => share(run, name))]));
    charts.draw(
      target,
      runs.map((run, k) => ({
        type: "bar",
        orientation: "h",
        y: names,
        x: names.map((name) => share(run, name)),
        name: charts.plain(run.title),
        marker: { color: compare.strokes()[k], pattern: { shape: k ? "/" : "", solidity: 0.55 } },
        hovertemplate: "%{x:.0%}<extra></extra>",
      })),
      {
        showlegend: true,
        barmode: "group",
        margin: { l: 10, r: 14, t: 30, b: 36 },
        xaxis: charts.axis("share of generators", { tickformat: ".0%", range: [0, 1] }),
        yaxis: charts.axis(""),
      },
    );
  },

  means(runs, target, names) {
    const mean = (run, name, key) =>
      run.generators.reduce((sum, g) => sum + (g.scores.find((row) => row.name === name)?.[key] ?? 0), 0) /
      run.generators.length;
    const traces = runs.map((run, k) => ({
      mode: "markers",
      x: names.map((name) => mean(run, name, "score")),
      y: names.map((_, i) => -i + (k ? -0.12 : 0.12)),
      name: charts.plain(run.title),
      marker: { size: 10, color: compare.strokes()[k], symbol: k ? "square" : "circle" },
      hovertemplate: "%{x:.3f}<extra></extra>",
    }));
    traces.push({
      mode: "markers",
      x: names.map((name) => mean(runs[0], name, "chance")),
      y: names.map((_, i) => -i),
      name: "Gaussian matrices",
      marker: { symbol: "line-ns", size: 13, line: { width: 2, color: colours.css("--soft") } },
      hovertemplate: "%{x:.3f} by chance<extra></extra>",
    });
    charts.draw(target, traces, {
      showlegend: true,
      margin: { l: 10, r: 14, t: 46, b: 36 },
      xaxis: charts.axis("mean score", { range: [0, 1] }),
      yaxis: charts.axis("", { tickvals: names.map((_, i) => -i), ticktext: names, range: [-names.length + 0.4, 0.6] }),
    });
  },

  best(runs, sides) {
    const name = compare.structure;
    dom.fill(
      sides,
      ...runs.map((run, k) => {
        const d = run.patch[0] * run.patch[1],
          score = (g) => g.scores.find((row) => row.name === name);
        const top = run.generators
          .map((g, index) => ({ g, index }))
          .sort((a, b) => score(b.g).score - score(a.g).score)
          .slice(0, 3);
        const figures = top.map(({ g, index }) => {
          const row = score(g),
            beyond =
              row.adjusted_p_value === null ? "" : row.adjusted_p_value <= run.rate ? `, p ${dom.p(row.adjusted_p_value)}` : "; within chance";
          const figure = dom.heatmap(
            g.matrixValues,
            d,
            d,
            g.name,
            `${row.score.toFixed(2)}, chance ${row.chance.toFixed(2)}${beyond}`,
            { zoom: Math.max(1, Math.round(200 / d)), block: run.patch[0] },
          );
          figure.append(
            dom.make(
              "button",
              {
                type: "button",
                className: "quiet",
                onclick: () => {
                  page.choose(k);
                  page.open(index, true);
                },
              },
              "explore",
            ),
          );
          return figure;
        });
        return dom.make("div", {}, dom.make("h4", {}, run.title), dom.make("div", { className: "trio" }, ...figures));
      }),
    );
  },
};
