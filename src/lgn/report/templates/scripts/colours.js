// Diverging colours, zero in the middle: blue and orange differ for every kind of colour vision, and both move away
// from the ground in lightness.
const colours = {
  ramps: {
    light: [
      [13, 59, 122],
      [58, 125, 193],
      [160, 200, 232],
      [252, 251, 249],
      [250, 198, 133],
      [222, 124, 28],
      [133, 60, 0],
    ],
    dark: [
      [190, 222, 255],
      [96, 163, 232],
      [35, 82, 140],
      [24, 27, 33],
      [122, 68, 14],
      [224, 137, 44],
      [255, 218, 168],
    ],
  },

  theme: () => document.documentElement.dataset.theme,
  css: (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim(),

  // the colour of a number in [-1, 1]
  of(value) {
    const ramp = colours.ramps[colours.theme()];
    const place = ((Math.max(-1, Math.min(1, value)) + 1) / 2) * (ramp.length - 1);
    const low = Math.min(Math.floor(place), ramp.length - 2),
      share = place - low;
    return [0, 1, 2].map((c) => Math.round(ramp[low][c] * (1 - share) + ramp[low + 1][c] * share));
  },

  gradient() {
    const stops = Array.from({ length: 21 }, (_, k) => `rgb(${colours.of(k / 10 - 1).join(",")})`);
    return `linear-gradient(90deg, ${stops.join(",")})`;
  },

  // Draw (rows, columns) numbers, each `zoom` pixels wide; lines every `block` cells.
  draw(canvas, values, rows, columns, { scale = null, zoom = 4, block = 0 } = {}) {
    const most = scale ?? algebra.largest(values);
    const small = document.createElement("canvas");
    small.width = columns;
    small.height = rows;
    const image = new ImageData(columns, rows);
    for (let k = 0; k < rows * columns; k++) {
      const [r, g, b] = colours.of(most > 0 ? values[k] / most : 0);
      image.data.set([r, g, b, 255], 4 * k);
    }
    small.getContext("2d").putImageData(image, 0, 0);
    canvas.width = columns * zoom;
    canvas.height = rows * zoom;
    const context = canvas.getContext("2d");
    context.imageSmoothingEnabled = false;
    context.drawImage(small, 0, 0, canvas.width, canvas.height);
    if (block) {
      context.strokeStyle = colours.theme() === "dark" ? "rgba(255,255,255,.13)" : "rgba(0,0,0,.13)";
      context.beginPath();
      for (let k = block; k < columns; k += block) {
        context.moveTo(k * zoom, 0);
        context.lineTo(k * zoom, canvas.height);
      }
      for (let k = block; k < rows; k += block) {
        context.moveTo(0, k * zoom);
        context.lineTo(canvas.width, k * zoom);
      }
      context.stroke();
    }
    return most;
  },
};
