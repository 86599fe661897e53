// Elements without HTML strings: text from data is always a text node.
const dom = {
  get: (id) => document.getElementById(id),

  make(tag, properties = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (name === "className" || name === "value") element[name] = value;
      else if (value !== null && value !== undefined) element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child !== null));
    return element;
  },

  fill(element, ...children) {
    element.replaceChildren(...children.filter((child) => child !== null));
    return element;
  },

  // A heat map with a caption: a figure that keeps its numbers.
  heatmap(values, rows, columns, caption, note, options = {}) {
    const canvas = dom.make("canvas", { role: "img", "aria-label": caption });
    colours.draw(canvas, values, rows, columns, options);
    const words = dom.make("figcaption", {}, caption, note ? dom.make("small", {}, note) : null);
    return dom.make("figure", {}, canvas, words);
  },

  select(label, id, options, onchange) {
    const list = dom.make(
      "select",
      { id, onchange },
      ...options.map(([value, words]) => dom.make("option", { value }, words)),
    );
    return dom.make("label", {}, label, list);
  },

  number(value, digits = 3) {
    if (value === null || value === undefined || Number.isNaN(value)) return "–";
    if (value !== 0 && (Math.abs(value) >= 1e5 || Math.abs(value) < 1e-3)) return value.toExponential(1);
    return String(Number(value.toPrecision(digits)));
  },

  percent: (value) => (value === null || value === undefined ? "–" : `${(100 * value).toFixed(0)} %`),
  p: (value) => (value === null || value === undefined ? "–" : value < 0.001 ? "< 0.001" : value.toPrecision(2)),
};
