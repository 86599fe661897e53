// The settings of a run, its curves, and the findings in sentences.
const overview = {
  shown: 8,

  render(run) {
    dom.get("title").textContent = run.title;
    dom.get("result").textContent = run.result ?? "";
    dom.fill(dom.get("notes"), ...run.notes.map((note) => dom.make("li", {}, note)));
    dom.fill(dom.get("summary"), ...run.overview.map((sentence) => dom.make("li", {}, sentence)));
    const facts = [...run.facts];
    if (run.classes.length) facts.push(["classes", run.classes.join(", ")]);
    dom.fill(
      dom.get("facts"),
      ...facts.flatMap(([name, value]) => [dom.make("dt", {}, name), dom.make("dd", {}, value)]),
    );
    overview.curves(run);
    groupGraph.render(run);
    overview.findings(run, overview.shown);
    const all = dom.get("all-findings");
    all.hidden = run.generators.length <= overview.shown;
    all.textContent = `Show all ${run.generators.length}`;
    all.onclick = () => {
      overview.findings(run, run.generators.length);
      all.hidden = true;
    };
  },

  curves(run) {
    const keys = [...new Set(run.metrics.flatMap((row) => Object.keys(row)))];
    const drawn = (word) =>
      keys.filter((key) => key.includes(word) && run.metrics.some((row) => row[key])); // columns of zeros are left out
    const panels = [
      ["accuracy", true],
      ["error", false],
      ["loss", false],
      ["penalty", false],
    ]
      .map(([word, percent]) => ({ word, percent, names: drawn(word) }))
      .filter((panel) => panel.names.length);
    const places = panels.map(() => dom.make("div"));
    dom.fill(dom.get("curves"), ...places);
    panels.forEach((panel, k) => charts.curve(places[k], run.metrics, panel.names, panel.word, panel.percent));
  },

  // generators by their smallest p-value, then by the excess of their nearest operator
  clearest(run) {
    const least = (generator) => Math.min(1, ...generator.findings.map((finding) => finding.adjusted_p_value));
    return run.generators
      .map((generator, index) => ({ generator, index }))
      .sort(
        (a, b) =>
          least(a.generator) - least(b.generator) || b.generator.nearest[0].excess - a.generator.nearest[0].excess,
      );
  },

  findings(run, count) {
    dom.fill(
      dom.get("findings"),
      ...overview
        .clearest(run)
        .slice(0, count)
        .map(({ generator, index }) => {
          const rest = generator.sentence.slice(generator.name.length);
          const button = dom.make(
            "button",
            { type: "button", onclick: () => page.open(index, true) },
            dom.make("b", {}, generator.name),
            rest,
          );
          if (!generator.findings.length) button.className = "none";
          return dom.make("li", {}, button);
        }),
    );
  },
};
