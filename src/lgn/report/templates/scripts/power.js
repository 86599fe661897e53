// A^j with a slider over j, and the entry under the pointer.
const power = {
  // powers that are shown: twice round the filter set
  count: (generator) => Math.min(2 * (generator.order ?? 4), 12),

  render(run, generator, most) {
    const canvas = dom.make("canvas", { id: "power-map", role: "img" });
    const low = dom.make("span"),
      high = dom.make("span"),
      readout = dom.make("p", { className: "readout" }),
      output = dom.make("output", { for: "exponent" });
    const slider = dom.make("input", {
      type: "range",
      id: "exponent",
      min: 0,
      max: most,
      step: 1,
      "aria-label": "Power j of the generator",
    });
    slider.value = Math.min(page.state.power, most);
    const update = () => power.update(run, generator, Number(slider.value), { canvas, low, high, readout, output });
    slider.addEventListener("input", update);
    const ramp = dom.make("div", { className: "ramp", style: `background:${colours.gradient()}` });
    const scale = dom.make("div", { className: "scale" }, low, dom.make("span", {}, "0"), high);
    const label = dom.make("label", { for: "exponent" }, "power");
    dom.fill(
      dom.get("power"),
      dom.make("figure", {}, canvas, ramp, scale),
      dom.make("div", { className: "slider" }, label, slider, output),
      readout,
    );
    update();
  },

  update(run, generator, exponent, { canvas, low, high, readout, output }) {
    const [n, m] = run.patch,
      d = n * m;
    const values = algebra.power(generator.matrixValues, d, exponent);
    page.state.power = exponent;
    page.current.exponent = exponent;
    page.current.matrix = Array.from(values);
    const most = colours.draw(canvas, values, d, d, { zoom: Math.max(2, Math.round(430 / d)), block: n });
    canvas.setAttribute("aria-label", `Heat map of the generator to the power ${exponent}`);
    output.textContent = exponent === 1 ? "A" : `A${painter.superscript(exponent)}`;
    low.textContent = dom.number(-most);
    high.textContent = dom.number(most);
    const distance = algebra.norm(algebra.subtract(values, algebra.identity(d))) / Math.sqrt(d);
    const resting = `‖${output.textContent} − I‖ / √d = ${dom.number(distance)}`;
    readout.textContent = resting;
    canvas.onmouseleave = () => (readout.textContent = resting);
    canvas.onmousemove = (event) => {
      const box = canvas.getBoundingClientRect();
      const place = (offset, size) => Math.max(0, Math.min(d - 1, Math.floor((offset / size) * d)));
      const row = place(event.clientY - box.top, box.height),
        column = place(event.clientX - box.left, box.width);
      const pixel = (index) => `(${(index % n) + 1}, ${Math.floor(index / n) + 1})`;
      const taken = dom.number(values[row * d + column]);
      readout.textContent = `new pixel ${pixel(row)}: weight ${taken} of pixel ${pixel(column)}`;
    };
  },
};
