// Curves, eigenvalues, singular values and null distributions, drawn by plotly in the colours of the page.
const charts = {
  config: {
    displaylogo: false,
    responsive: true,
    displayModeBar: false,
    showSendToCloud: false,
    plotlyServerURL: "",
    modeBarButtonsToRemove: ["sendDataToCloud"],
  },

  // plotly reads some tags in text as markup: they are removed from data
  plain: (text) => String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),

  axis(title, extra = {}) {
    return {
      title: { text: title, font: { size: 12 } },
      gridcolor: colours.css("--line"),
      zerolinecolor: colours.css("--line"),
      linecolor: colours.css("--line"),
      tickfont: { size: 11 },
      automargin: true,
      ...extra,
    };
  },

  draw(target, traces, layout) {
    const base = {
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      margin: { l: 44, r: 10, t: 8, b: 40 },
      font: { family: colours.css("--sans"), size: 12, color: colours.css("--soft") },
      hoverlabel: { font: { family: colours.css("--sans") } },
      showlegend: false,
      legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0, font: { size: 11 } },
    };
    return Plotly.react(target, traces, { ...base, ...layout }, charts.config);
  },

  curve(target, metrics, names, title, percent) {
    const strokes = [colours.css("--accent"), colours.css("--warm"), colours.css("--soft")];
    const traces = names.map((name, k) => ({
      x: metrics.map((row) => row.epoch),
      y: metrics.map((row) => row[name]),
      name: charts.plain(name.replaceAll("_", " ")),
      mode: metrics.length > 30 ? "lines" : "lines+markers",
      line: { color: strokes[k % 3], width: 2, dash: k === 2 ? "dot" : "solid" },
      marker: { size: 5, symbol: ["circle", "square", "diamond"][k % 3] },
      connectgaps: true,
    }));
    charts.draw(target, traces, {
      height: 215,
      showlegend: names.length > 1,
      margin: { l: 50, r: 10, t: names.length > 1 ? 26 : 10, b: 38 },
      xaxis: charts.axis("epoch", { tickformat: "d", ...(metrics.length < 9 ? { dtick: 1 } : { nticks: 8 }) }),
      yaxis: charts.axis(title, percent ? { tickformat: ".0%" } : {}),
    });
  },

  eigenvalues(target, values, order) {
    const angles = Array.from({ length: 121 }, (_, k) => (2 * Math.PI * k) / 120);
    const traces = [
      {
        x: angles.map(Math.cos),
        y: angles.map(Math.sin),
        mode: "lines",
        hoverinfo: "skip",
        name: "unit circle",
        line: { color: colours.css("--soft"), width: 1 },
      },
    ];
    if (order) {
      const roots = Array.from({ length: order }, (_, k) => (2 * Math.PI * k) / order);
      traces.push({
        x: roots.map(Math.cos),
        y: roots.map(Math.sin),
        mode: "markers",
        name: "roots of unity",
        marker: { symbol: "cross-thin", size: 13, line: { width: 2.5, color: colours.css("--warm") } },
      });
    }
    traces.push({
      x: values.map((v) => v[0]),
      y: values.map((v) => v[1]),
      mode: "markers",
      name: "eigenvalues",
      marker: { size: 8, color: colours.css("--accent"), opacity: 0.75 },
      hovertemplate: "%{x:.3f} %{y:+.3f} i<extra></extra>",
    });
    charts.draw(target, traces, {
      showlegend: true,
      margin: { l: 44, r: 10, t: 26, b: 40 },
      xaxis: charts.axis("real part"),
      yaxis: charts.axis("imaginary part", { scaleanchor: "x", scaleratio: 1 }),
    });
  },

  singularValues(target, values) {
    charts.draw(
      target,
      [
        {
          x: values.map((_, k) => k + 1),
          y: values,
          type: "bar",
          marker: { color: colours.css("--accent") },
          hovertemplate: "%{y:.4f}<extra></extra>",
        },
      ],
      { xaxis: charts.axis("number"), yaxis: charts.axis("singular value", { rangemode: "tozero" }), bargap: 0.25 },
    );
  },

  // One row per score: scores of random matrices as a shape, the score as a mark.
  scores(target, generator, gaussian, rate) {
    const rows = generator.scores;
    const shape = (histograms, colour, name) => {
      const x = [],
        y = [];
      rows.forEach((row, k) => {
        if (!histograms[row.name]) return;
        const [low, high, counts] = histograms[row.name];
        const most = Math.max(...counts),
          width = Math.max((high - low) / counts.length, 5e-4);
        x.push(low);
        y.push(-k);
        counts.forEach((count, b) => {
          x.push(low + b * width, low + (b + 1) * width);
          y.push(-k + (0.7 * count) / most, -k + (0.7 * count) / most);
        });
        x.push(low + counts.length * width, null);
        y.push(-k, null);
      });
      return {
        x,
        y,
        mode: "lines",
        fill: "toself",
        hoverinfo: "skip",
        name,
        line: { color: colour, width: 1 },
        opacity: 0.75,
      };
    };
    const found = new Set(
      generator.findings.filter((finding) => finding.on === "matrix").map((finding) => finding.name),
    );
    const beyond = (row) =>
      row.adjusted_p_value !== null
        ? row.adjusted_p_value <= rate
        : (row.name.startsWith("causal") && found.has("causal")) ||
          (row.name === "quadrant signs" && found.has("multi-scale"));
    const words = (row) =>
      `${row.name}: ${row.score.toFixed(3)}, chance ${row.chance.toFixed(3)}, ` +
      (row.by_construction ? "by construction" : row.p_value === null ? "not tested" : `p ${dom.p(row.p_value)}`);
    const traces = [
      shape(gaussian, colours.css("--soft"), "Gaussian matrices"),
      shape(generator.smooth, colours.css("--warm"), "as smooth as it is"),
    ];
    if (rows.some((row) => row.start !== null))
      traces.push({
        x: rows.map((row) => row.start),
        y: rows.map((_, k) => -k),
        mode: "markers",
        name: "at the start",
        hovertemplate: "%{x:.3f} at the start<extra></extra>",
        marker: { symbol: "line-ns", size: 10, line: { width: 1.6, color: colours.css("--ink") } },
      });
    traces.push({
      x: rows.map((row) => row.score),
      y: rows.map((_, k) => -k),
      mode: "markers",
      name: "this generator",
      text: rows.map(words),
      hovertemplate: "%{text}<extra></extra>",
      marker: {
        size: 10,
        symbol: rows.map((row) => (beyond(row) ? "circle" : "circle-open")),
        color: colours.css("--accent"),
        line: { width: 2, color: colours.css("--accent") },
      },
    });
    charts.draw(target, traces, {
      showlegend: true,
      margin: { l: 10, r: 10, t: 46, b: 34 },
      xaxis: charts.axis("", { range: [-0.02, 1.02] }),
      yaxis: charts.axis("", {
        tickvals: rows.map((_, k) => -k),
        ticktext: rows.map((row) => row.name),
        range: [-rows.length + 0.4, 1],
      }),
    });
  },
};
