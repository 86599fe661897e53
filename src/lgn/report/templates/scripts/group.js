// The group of the filter sets: its relations and its Cayley graph.
const groupGraph = {
  render(run) {
    const panel = dom.get("group");
    panel.hidden = !run.group;
    if (!run.group) return;
    dom.get("group-title").textContent = `The group ${run.group.name}`;
    dom.get("relations").textContent = `Relations: ${run.group.relations.join(", ")}. A line leads from g to a g.`;
    const styles = ["--accent", "--warm", "--soft"];
    const lines = run.group.arrows.map((arrow, k) => {
      const ends = arrow.flatMap((h, g) => [run.group.places[g], run.group.places[h], [null, null]]);
      return {
        x: ends.map((end) => end[0]),
        y: ends.map((end) => end[1]),
        mode: "lines",
        name: run.group.generators[k],
        hoverinfo: "skip",
        line: { color: colours.css(styles[k % styles.length]), width: 2 },
      };
    });
    const elements = {
      x: run.group.places.map((place) => place[0]),
      y: run.group.places.map((place) => place[1]),
      mode: "markers+text",
      text: run.group.words,
      textposition: "top right",
      hoverinfo: "text",
      showlegend: false,
      marker: { size: 12, color: colours.css("--accent") },
    };
    charts.draw(dom.get("cayley"), [...lines, elements], {
      showlegend: true,
      margin: { l: 10, r: 10, t: 26, b: 10 },
      xaxis: { visible: false, range: [-1.3, 1.3] },
      yaxis: { visible: false, range: [-1.3, 1.3], scaleanchor: "x", scaleratio: 1 },
    });
  },
};
