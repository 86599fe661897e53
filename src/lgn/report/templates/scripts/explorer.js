// Everything about one generator.
const explorer = {
  render(run, index) {
    const generator = run.generators[index],
      powers = power.count(generator);
    dom.fill(dom.get("choice"), ...run.generators.map((g, k) => dom.make("option", { value: k }, g.name)));
    dom.get("choice").value = index;
    dom.get("sentence").textContent = generator.sentence + ".";
    explorer.numbers(run, generator);
    power.render(run, generator, powers);
    painter.render(run, generator, powers);
    explorer.parts(run, generator);
    explorer.sets(run, generator);
    charts.eigenvalues(dom.get("eigenvalues"), generator.eigenvalues, generator.order);
    charts.singularValues(dom.get("singular-values"), generator.singularValues);
    charts.scores(dom.get("scores"), generator, run.gaussian, run.rate);
    explorer.nearest(run, generator);
  },

  numbers(run, generator) {
    const d = run.patch[0] * run.patch[1];
    const rows = [
      ["nearest period", `${generator.period}`],
      ["|A^q − I| at it", dom.number(generator.periodError)],
    ];
    if (generator.order) rows.push([`closure, order ${generator.order}`, dom.number(generator.closureError)]);
    rows.push(
      ["condition number", generator.condition === null ? "∞" : dom.number(generator.condition)],
      ["rank", `${generator.rank} of ${d}`],
    );
    if (generator.span)
      rows.push(
        ["identifiable", `${generator.span.shape[1]} of ${d} dimensions`],
        ["its energy on them", dom.percent(generator.energyShare)],
      );
    if (generator.changeShare !== null) rows.push(["its change on them", dom.percent(generator.changeShare)]);
    dom.fill(
      dom.get("numbers"),
      ...rows.map(([name, value]) => dom.make("div", {}, dom.make("dt", {}, name), dom.make("dd", {}, value))),
    );
  },

  parts(run, generator) {
    const [n, m] = run.patch,
      d = n * m,
      zoom = Math.max(1, Math.round(250 / d));
    const map = (values, caption, note) => dom.heatmap(values, d, d, caption, note, { zoom, block: n });
    const range = (values) => `±${dom.number(algebra.largest(values))}`;
    const a = generator.matrixValues,
      shown = [map(a, "A", range(a))];
    if (generator.span) {
      const span = algebra.unpack(generator.span),
        part = algebra.restrict(a, span.values, d, span.shape[1]);
      page.current.identifiable = Array.from(part);
      shown.push(
        map(
          part,
          "A P_U, its identifiable part",
          `${dom.percent(generator.energyShare)} of its energy, on ${span.shape[1]} dimensions`,
        ),
      );
    }
    if (generator.startValues) {
      const change = generator.changeValues;
      shown.push(map(generator.startValues, "A₀, before training", range(generator.startValues)));
      shown.push(
        map(
          change,
          "A − A₀, its change",
          `${dom.percent(algebra.norm(change) / algebra.norm(generator.startValues))} of the norm of A₀`,
        ),
      );
    }
    page.current.fourier = {};
    for (const basis of ["1-D", "2-D"]) {
      const magnitude = algebra.fourier(a, n, m, basis);
      page.current.fourier[basis] = Array.from(magnitude);
      shown.push(
        map(
          magnitude,
          `|F A F⁻¹|, ${basis}`,
          `${dom.percent(generator.diagonalShares[basis])} of its energy on the diagonal`,
        ),
      );
    }
    dom.fill(dom.get("parts"), ...shown);
  },

  sets(run, generator) {
    const [n, m] = run.patch;
    if (!generator.baseImages.length || !generator.order) {
      dom.fill(
        dom.get("sets"),
        dom.make("p", { className: "hint" }, "The basis filters are not known, so there is no filter set to show."),
      );
      return;
    }
    page.current.sets = generator.baseImages.map((base) =>
      algebra.orbit(generator.matrixValues, base, n, m, generator.order).map((image) => Array.from(image)),
    );
    const most = 12,
      rows = page.current.sets
        .slice(0, most)
        .map((set, k) =>
          dom.make(
            "div",
            { className: "set" },
            dom.make("h4", {}, generator.bases.names[k]),
            dom.make(
              "div",
              { className: "orbit wide" },
              ...set.map((image, j) =>
                dom.heatmap(
                  image,
                  n,
                  m,
                  j === 0 ? "W" : j === 1 ? "φ(W)" : `φ${painter.superscript(j)}(W)`,
                  `±${dom.number(algebra.largest(image))}`,
                  { zoom: Math.round(92 / m) },
                ),
              ),
            ),
          ),
        );
    if (page.current.sets.length > most)
      rows.push(
        dom.make(
          "p",
          { className: "hint" },
          `The first ${most} of ${page.current.sets.length} basis filters that share this generator.`,
        ),
      );
    dom.fill(dom.get("sets"), ...rows);
  },

  nearest(run, generator) {
    const d = run.patch[0] * run.patch[1],
      zoom = Math.max(1, Math.round(220 / d));
    const shown = generator.nearest
      .filter((match) => match.matrix)
      .map((match) =>
        dom.heatmap(
          algebra.unpack(match.matrix).values,
          d,
          d,
          match.text,
          `cosine ${match.cosine.toFixed(2)}, chance ${match.chance.toFixed(2)}` +
            (match.adjusted_p_value <= run.rate ? "" : "; within chance"),
          { zoom, block: run.patch[0] },
        ),
      );
    const rows = generator.nearest.map((match) =>
      dom.make(
        "tr",
        {},
        dom.make("td", {}, match.text),
        ...[match.cosine.toFixed(3), match.chance.toFixed(3), dom.p(match.adjusted_p_value)].map((words) =>
          dom.make("td", {}, words),
        ),
      ),
    );
    const head = dom.make(
      "tr",
      {},
      ...["nearest of each family", "cosine", "chance", "p"].map((words) => dom.make("th", { scope: "col" }, words)),
    );
    dom.fill(
      dom.get("nearest"),
      dom.make("div", { className: "matches" }, ...shown),
      dom.make(
        "div",
        { className: "scroll" },
        dom.make("table", {}, dom.make("thead", {}, head), dom.make("tbody", {}, ...rows)),
      ),
    );
  },
};
