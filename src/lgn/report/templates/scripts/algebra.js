// The algebra of the page. Matrices are row-major arrays of d * d numbers, images row-major arrays of n * m; `vec`
// stacks columns, so the pixel (i, j) of an image is at place j * n + i of its vector.
"use strict";
const algebra = {
  unpack(packed) {
    const bytes = Uint8Array.from(atob(packed.data), (character) => character.charCodeAt(0));
    const values = new Float64Array(packed.shape.reduce((product, size) => product * size, 1));
    const view = new DataView(bytes.buffer);
    for (let k = 0; k < values.length; k++)
      values[k] = "scale" in packed ? packed.scale * view.getInt16(2 * k, true) : view.getFloat32(4 * k, true);
    return { shape: packed.shape, values };
  },

  identity(d) {
    const result = new Float64Array(d * d);
    for (let i = 0; i < d; i++) result[i * d + i] = 1;
    return result;
  },

  // a (rows, inner) times b (inner, columns)
  multiply(a, b, rows, inner, columns) {
    const result = new Float64Array(rows * columns);
    for (let i = 0; i < rows; i++)
      for (let k = 0; k < inner; k++) {
        const factor = a[i * inner + k];
        if (factor !== 0) for (let j = 0; j < columns; j++) result[i * columns + j] += factor * b[k * columns + j];
      }
    return result;
  },

  transpose(a, rows, columns) {
    const result = new Float64Array(a.length);
    for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) result[j * rows + i] = a[i * columns + j];
    return result;
  },

  power(a, d, exponent) {
    let result = algebra.identity(d);
    for (let j = 0; j < exponent; j++) result = algebra.multiply(a, result, d, d, d);
    return result;
  },

  // phi_A of an (n, m) image; the vec of a row-major image is its transpose read row by row
  act(a, image, n, m) {
    const vector = algebra.transpose(image, n, m);
    return algebra.transpose(algebra.multiply(a, vector, n * m, n * m, 1), m, n);
  },

  // [image, phi(image), ..., phi^(count - 1)(image)]
  orbit(a, image, n, m, count) {
    const images = [Float64Array.from(image)];
    while (images.length < count) images.push(algebra.act(a, images[images.length - 1], n, m));
    return images;
  },

  // A P_U, for an orthonormal basis (d, k) of U
  restrict(a, basis, d, k) {
    const onto = algebra.multiply(a, basis, d, d, k);
    return algebra.multiply(onto, algebra.transpose(basis, d, k), d, k, d);
  },

  subtract: (a, b) => a.map((value, k) => value - b[k]),
  largest: (values) => values.reduce((most, value) => Math.max(most, Math.abs(value)), 0),
  norm: (values) => Math.sqrt(values.reduce((sum, value) => sum + value * value, 0)),

  // |F A F^-1|: "1-D" is the transform of all d places, "2-D" that of the n rows and m columns of a patch
  fourier(a, n, m, basis) {
    const d = n * m;
    const cosine = new Float64Array(d * d),
      sine = new Float64Array(d * d);
    for (let u = 0; u < d; u++)
      for (let x = 0; x < d; x++) {
        const turns =
          basis === "1-D" ? (u * x) / d : ((u % n) * (x % n)) / n + (Math.floor(u / n) * Math.floor(x / n)) / m;
        cosine[u * d + x] = Math.cos(2 * Math.PI * turns);
        sine[u * d + x] = -Math.sin(2 * Math.PI * turns);
      }
    const times = (left, right) => algebra.multiply(left, right, d, d, d);
    const real = times(cosine, a),
      imaginary = times(sine, a); // F A
    // F^-1 is the conjugate of F over d, and F is symmetric.
    const re1 = times(real, cosine),
      re2 = times(imaginary, sine);
    const im1 = times(imaginary, cosine),
      im2 = times(real, sine);
    return re1.map((value, k) => Math.hypot(value + re2[k], im1[k] - im2[k]) / d);
  },
};
