// A patch that the user paints, and phi^j of it for every j at once.
const painter = {
  patch: null,
  brush: 1,
  cursor: null,
  crop: 0,

  render(run, generator, powers) {
    const [n, m] = run.patch;
    if (!painter.patch || painter.patch.length !== n * m) painter.patch = painter.eye(n, m);
    const canvas = dom.make("canvas", {
      id: "patch",
      tabindex: "0",
      role: "application",
      "aria-label": `A patch of ${n} by ${m} pixels. Arrow keys move, space paints.`,
    });
    const results = dom.make("div", { className: "orbit", id: "acted" });
    const refresh = () => painter.refresh(canvas, results, run, generator, powers);
    const use = (make) => () => {
      painter.patch = make();
      refresh();
    };
    const tool = (words, make) => dom.make("button", { type: "button", onclick: use(make) }, words);
    const brushes = [
      [1, "+1"],
      [0, "0"],
      [-1, "−1"],
    ].map(([value, words]) =>
      dom.make(
        "button",
        {
          type: "button",
          "aria-pressed": String(painter.brush === value),
          onclick: () => {
            painter.brush = value;
            mark();
          },
        },
        words,
      ),
    );
    const mark = () =>
      brushes.forEach((button, k) => button.setAttribute("aria-pressed", String([1, 0, -1][k] === painter.brush)));
    const starts = [
      tool("identity", () => painter.eye(n, m)),
      tool("stroke", () => painter.stroke(n, m)),
      run.cropImages.length
        ? tool("crop of an image", () => run.cropImages[painter.crop++ % run.cropImages.length].slice())
        : null,
      generator.baseImages.length ? tool("its basis", () => generator.baseImages[0].slice()) : null,
      tool("clear", () => new Float64Array(n * m)),
    ].filter((button) => button !== null);
    const tools = dom.make(
      "div",
      { className: "tools" },
      dom.make("div", { role: "group", "aria-label": "Take a patch" }, ...starts),
      dom.make("div", { role: "group", "aria-label": "Paint with" }, ...brushes),
      dom.make("p", { className: "hint" }, "Paint on the patch: press and drag, or use arrow keys and space."),
    );
    dom.fill(dom.get("painter"), dom.make("div", { className: "paint" }, canvas, tools), results);
    painter.listen(canvas, n, m, refresh);
    refresh();
  },

  listen(canvas, n, m, refresh) {
    const paint = (event) => {
      const box = canvas.getBoundingClientRect();
      const column = Math.floor(((event.clientX - box.left) / box.width) * m),
        row = Math.floor(((event.clientY - box.top) / box.height) * n);
      if (row < 0 || column < 0 || row >= n || column >= m) return;
      painter.patch[row * m + column] = painter.brush;
      refresh();
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      painter.cursor = null;
      paint(event);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (event.buttons) paint(event);
    });
    canvas.addEventListener("blur", () => {
      painter.cursor = null;
      refresh();
    });
    canvas.addEventListener("keydown", (event) => {
      const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], " ": [0, 0] };
      if (!(event.key in moves)) return;
      event.preventDefault();
      const [down, right] = moves[event.key],
        [row, column] = painter.cursor ?? [0, 0];
      painter.cursor = [Math.max(0, Math.min(n - 1, row + down)), Math.max(0, Math.min(m - 1, column + right))];
      if (event.key === " ") painter.patch[painter.cursor[0] * m + painter.cursor[1]] = painter.brush;
      refresh();
    });
  },

  refresh(canvas, results, run, generator, powers) {
    const [n, m] = run.patch,
      zoom = Math.max(4, Math.round(240 / m));
    colours.draw(canvas, painter.patch, n, m, { zoom, block: 1 });
    if (painter.cursor) {
      const context = canvas.getContext("2d");
      context.strokeStyle = colours.css("--ink");
      context.lineWidth = 3;
      context.strokeRect(painter.cursor[1] * zoom + 2, painter.cursor[0] * zoom + 2, zoom - 4, zoom - 4);
    }
    const acted = algebra.orbit(generator.matrixValues, painter.patch, n, m, powers + 1);
    page.current.acted = acted.map((image) => Array.from(image));
    dom.fill(
      results,
      ...acted.map((image, j) =>
        dom.heatmap(
          image,
          n,
          m,
          j === 0 ? "X" : j === 1 ? "φ(X)" : `φ${painter.superscript(j)}(X)`,
          `±${dom.number(algebra.largest(image))}`,
          { zoom: Math.max(1, Math.round(90 / m)) },
        ),
      ),
    );
  },

  superscript: (j) => [...String(j)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join(""),

  eye(n, m) {
    const image = new Float64Array(n * m);
    for (let i = 0; i < Math.min(n, m); i++) image[i * m + i] = 1;
    return image;
  },

  // a vertical stroke through the middle, soft at its sides
  stroke(n, m) {
    const image = new Float64Array(n * m);
    for (let i = 0; i < n; i++)
      for (let j = 0; j < m; j++) image[i * m + j] = Math.exp((-2 * (j - (m - 1) / 2) ** 2) / Math.max(1, m / 6));
    return image;
  },
};
