/* Rows of codes, of images and of filters, and how they meet: what a layer of the unfolded encoder is made of.

Note [Native step]
1. A vector holds eight neighbours of a row, and all work is on rows: one channel or three fill it as well as twenty.
2. Two rows of codes and three rows of a filter meet in four products of rows, not six (Winograd's F(2, 3)): with
     A: rows (a, b) of codes -> (a, a + b, a - b, b),   B: rows (a, b, c, d) of an image -> (a - c, b + c, c - b, d - b)
   and the filters at the same four points (`at_points` in step.py), only correlations along rows are left:
     S^T = A^T corr B,    S = B^T corr^T A,    the filters' gradient = sum of (A g)(B r).
   Taller filters are cut into groups of three rows; a group of one channel is a slice, two rows of codes are a tile.
3. Sums stay in registers, 2 outputs x 4 vectors, for the gradient 4 filters x 3 columns: then multiplication is the
   limit, and not loading. An image's codes stay in the second cache from its first piece to its last.
4. Batch normalisation makes no pass of its own. A layer, z' = relu(u + S^T(x - S u) + b) with u = scale z + shift, also
   gives the sums of z' and of its squares, which scale and shift of the next are made from; and their gradients come
   back as an affine function of z', added where its own gradient is read.
Threads share out the images. Each has sums of its own, added in a fixed order: the same threads, the same bits. */

#include <stdlib.h>
#include <string.h>

enum { LANES = 8, POINTS = 4, TAPS = 3, OUTPUTS = 2, VECTORS = 4, FILTERS = 4, SHIFTS = 3 };
enum { GROUPS = (ROWS + TAPS - 1) / TAPS, SHIFT_BLOCKS = (COLUMNS + SHIFTS - 1) / SHIFTS };
enum { MARGIN = (COLUMNS + LANES - 2) / LANES * LANES }; /* zeros before a row of codes: COLUMNS - 1 or more */

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 16")

typedef float vec __attribute__((vector_size(4 * LANES), aligned(4)));
typedef int mask __attribute__((vector_size(4 * LANES), aligned(4)));

INLINE vec load(const float *p) { return *(const vec *)p; }
INLINE void store(float *p, vec v) { *(vec *)p = v; }
INLINE vec unless(mask m, vec v) { return (vec)((mask)v & ~m); } /* a comparison with NaN is false, so NaN stays */
INLINE int up(int n, int unit) { return (n + unit - 1) / unit * unit; }
INLINE int larger(int a, int b) { return a > b ? a : b; }

INLINE vec load_once(const float *p) { /* GCC would load anew in every multiplication */
    vec v = load(p);
#ifdef __AVX__
    __asm__("" : "+x"(v));
#endif
    return v;
}

typedef struct { /* as `_Layer` in step.py; sums have a place for each thread and are zero at first */
    long batch, filters, channels, height, width, top, left, code_height, code_width, threads;
    const float *codes, *scale, *shift; /* z, or NULL for u = 0 */
    const float *image, *bias;
    const float *analysis, *synthesis; /* filters at the points:  (POINTS, blocks, inputs, COLUMNS, OUTPUTS) */
    float *residual, *out;
    double *sums;                            /* of z' and of its squares:  (threads, 2, filters) */
    const float *g_out, *g_sums, *g_squares; /* the gradient by the squares' sums comes doubled */
    float *g_codes, *g_image;                /* g_image may be NULL */
    float *g_filters;                        /* at the points, as `correlate_codes` leaves them:  (threads, ...) */
    double *g_bias, *g_affine;               /* (threads, 2, filters): the bias and nothing; shift and scale */
} layer;

typedef struct { /* what a thread needs for an image */
    layer is;
    int tiles, slices, columns, code_columns, stride, code_stride, code_rows, frame_rows;
    float *codes;    /* A of codes:  (tiles, POINTS, code_rows, code_stride) */
    float *image;    /* B of an image:  (tiles, POINTS, slices, stride) */
    float *frame;    /* an image within its margins:  (channels, frame_rows, stride) */
    float *products; /* of a tile:  (POINTS, outputs, columns) */
    float *sums;     /* in lanes:  (2, filters, LANES) */
} work;

static float *zeros(size_t count) {
    size_t bytes = (count * sizeof(float) + 63) / 64 * 64;
    return memset(aligned_alloc(64, bytes), 0, bytes);
}

static work begin(const layer *is) {
    work w = {.is = *is, .tiles = (is->code_height + 1) / 2, .slices = is->channels * GROUPS};
    w.columns = up(is->width, LANES);
    w.code_columns = up(is->code_width, LANES);
    w.stride = up(larger(is->left + w.columns, w.code_columns + SHIFT_BLOCKS * SHIFTS - 1), LANES);
    w.code_stride = MARGIN + up(larger(is->left + w.columns, w.code_columns), LANES);
    w.code_rows = up(is->filters, FILTERS);
    w.frame_rows = 2 * w.tiles + TAPS * GROUPS;
    w.codes = zeros((size_t)w.tiles * POINTS * w.code_rows * w.code_stride);
    w.image = zeros((size_t)w.tiles * POINTS * w.slices * w.stride);
    w.frame = zeros((size_t)is->channels * w.frame_rows * w.stride);
    w.products = zeros((size_t)POINTS * up(larger(is->filters, w.slices), OUTPUTS) * larger(w.columns, w.code_columns));
    w.sums = zeros((size_t)2 * is->filters * LANES);
    return w;
}

static void end(work *w) {
    free(w->codes), free(w->image), free(w->frame), free(w->products), free(w->sums);
}

INLINE float *codes_at(const work *w, int tile, int point, int filter) {
    return w->codes + (((size_t)tile * POINTS + point) * w->code_rows + filter) * w->code_stride + MARGIN;
}

INLINE float *image_at(const work *w, int tile, int point, int slice) {
    return w->image + (((size_t)tile * POINTS + point) * w->slices + slice) * w->stride;
}

INLINE float *frame_at(const work *w, int tile, int slice) { /* the first of four rows */
    return w->frame + ((size_t)slice / GROUPS * w->frame_rows + 2 * tile + slice % GROUPS * TAPS) * w->stride;
}

/* A row's last vector ends where the row ends: it repeats some of the one before, and sums leave those out. */
INLINE int place(int column, int width) { return column + LANES <= width ? column : width - LANES; }
INLINE vec fresh(int column, int x, vec v) { return unless((mask){0, 1, 2, 3, 4, 5, 6, 7} < column - x, v); }

INLINE void add(float *to, vec v) { store(to, load(to) + v); }

/* `scale codes + shift`; or, where active > 0, `codes + scale active + shift`. */
INLINE vec code(const float *codes, const float *active, float scale, float shift, size_t at) {
    if (!active) return scale * load(codes + at) + shift;
    return unless(load(active + at) <= 0, load(codes + at) + scale * load(active + at) + shift);
}

/* A of codes; with `active`, their sums too. Plane by plane, as they lie in memory. */
INLINE void lift_codes(const work *w, const float *codes, const float *active, const float *scale, const float *shift) {
    int width = w->is.code_width, height = w->is.code_height;
    for (int f = 0; f < w->is.filters; f++) {
        vec sum = {0};
        for (int tile = 0; tile < w->tiles; tile++)
            for (int column = 0; column < width; column += LANES) {
                int x = place(column, width);
                size_t at = ((size_t)f * height + 2 * tile) * width + x;
                vec a = code(codes, active, scale[f], shift[f], at);
                vec b = 2 * tile + 1 < height ? code(codes, active, scale[f], shift[f], at + width) : (vec){0};
                store(codes_at(w, tile, 0, f) + x, a);
                store(codes_at(w, tile, 1, f) + x, a + b);
                store(codes_at(w, tile, 2, f) + x, a - b);
                store(codes_at(w, tile, 3, f) + x, b);
                sum += fresh(column, x, a + b);
            }
        if (active) add(w->sums + f * LANES, sum);
    }
}

/* B of a tile of the frame. */
static void lift_image(const work *w, int tile) {
    for (int slice = 0; slice < w->slices; slice++)
        for (int x = 0; x < w->stride; x += LANES) {
            const float *row = frame_at(w, tile, slice) + x;
            vec a = load(row), b = load(row + w->stride), c = load(row + 2 * w->stride), d = load(row + 3 * w->stride);
            store(image_at(w, tile, 0, slice) + x, a - c);
            store(image_at(w, tile, 1, slice) + x, b + c);
            store(image_at(w, tile, 2, slice) + x, c - b);
            store(image_at(w, tile, 3, slice) + x, d - b);
        }
}

INLINE void correlate_block(int vectors, const float *rows, int inputs, int stride, const float *filters, float *to,
                            int columns) {
    vec sum[OUTPUTS][VECTORS] = {{{0}}};
    for (int i = 0; i < inputs; i++, rows += stride)
        UNROLL for (int j = 0; j < COLUMNS; j++, filters += OUTPUTS)
            UNROLL for (int v = 0; v < vectors; v++) {
                vec row = load_once(rows + j + v * LANES);
                UNROLL for (int o = 0; o < OUTPUTS; o++) sum[o][v] += filters[o] * row;
            }
    for (int o = 0; o < OUTPUTS; o++)
        for (int v = 0; v < vectors; v++) store(to + o * columns + v * LANES, sum[o][v]);
}

/* products <- the correlations of rows with filters, at each point; the distance of points in them is returned. */
static int correlate(const work *w, const float *rows, int inputs, int stride, int point_stride, const float *filters,
                     int outputs, int columns) {
    float *to = w->products;
    for (int point = 0; point < POINTS; point++, rows += point_stride)
        for (int o = 0; o < outputs; o += OUTPUTS, filters += inputs * COLUMNS * OUTPUTS, to += OUTPUTS * columns) {
            int x = 0;
            for (; x + VECTORS * LANES <= columns; x += VECTORS * LANES)
                correlate_block(VECTORS, rows + x, inputs, stride, filters, to + x, columns);
            for (; x < columns; x += LANES) correlate_block(1, rows + x, inputs, stride, filters, to + x, columns);
        }
    return up(outputs, OUTPUTS) * columns;
}

/* to += the filters' gradient:  (POINTS, code_rows / FILTERS, slices, SHIFT_BLOCKS, FILTERS, SHIFTS, LANES) */
static void correlate_codes(const work *w, float *to) {
    for (int point = 0; point < POINTS; point++)
        for (int f = 0; f < w->code_rows; f += FILTERS)
            for (int slice = 0; slice < w->slices; slice++)
                for (int shift = 0; shift < COLUMNS; shift += SHIFTS, to += FILTERS * SHIFTS * LANES) {
                    vec sum[FILTERS][SHIFTS] = {{{0}}};
                    for (int tile = 0; tile < w->tiles; tile++) {
                        const float *codes = codes_at(w, tile, point, f);
                        const float *image = image_at(w, tile, point, slice) + shift;
                        for (int x = 0; x < w->code_columns; x += LANES) {
                            vec shifted[SHIFTS];
                            for (int j = 0; j < SHIFTS; j++) shifted[j] = load_once(image + x + j);
                            for (int i = 0; i < FILTERS; i++) {
                                vec row = load_once(codes + i * w->code_stride + x);
                                for (int j = 0; j < SHIFTS; j++) sum[i][j] += row * shifted[j];
                            }
                        }
                    }
                    for (int i = 0; i < FILTERS * SHIFTS; i++) add(to + i * LANES, sum[i / SHIFTS][i % SHIFTS]);
                }
}

