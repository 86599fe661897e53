/* What a thread needs for an image; included once for each width. */

typedef struct {
    const plan *by;
    int columns, code_columns, stride, code_stride, frame_rows;
    float *memory;   /* all of the following */
    float *codes;    /* A of a band's codes:  (tiles, POINTS, FILTERS, code_stride); zeros between the rows */
    float *image;    /* B of an image:  (tiles, POINTS, slices, stride) */
    float *frame;    /* an image within its margins:  (channels, frame_rows, stride) */
    float *products; /* of all tiles or of some:  (blocks, POINTS, outputs, vectors, LANES) */
    float *sums;     /* in lanes:  (2, filters, LANES) */
    float *plane;    /* the gradient of a filter where it is not kept:  (code_height, code_width) */
    const float *z, *y, *g, *g_passed; /* of the image at hand, as in `layer`; g is the gradient by z' */
    float *out, *g_z, *g_y;
} work;

static int tiles_at_once(int outputs, int columns);

/* How far apart outputs are in products of so many vectors: blocks of two may end one beyond the last. */
INLINE int apart(int vectors) { return (vectors + 1) * LANES; }

static work begin(const plan *by) {
    const layer *is = &by->is;
    work w = {.by = by, .columns = up(is->width, LANES), .code_columns = up(is->code_width, LANES)};
    w.stride = up(larger(is->left + w.columns, w.code_columns + up(is->columns, by->shifts) - 1), 8);
    /* Synthesis reads beyond a row of codes, at both ends, where zeros must be: those of its neighbours do for both. */
    int before = is->columns - 1 - is->left, after = is->left + is->width - is->code_width;
    w.code_stride = up(larger(w.code_columns, is->code_width + larger(before, after)), 8);
    w.frame_rows = ROWS * by->tiles + TAPS * by->groups;
    int margin = up(is->columns, 16);
    int analysed = by->outputs[0] * tiles_at_once(by->outputs[0], w.code_columns) * w.code_columns;
    int made = up(by->slices, by->outputs[1]) * by->tiles * w.columns;
    size_t codes = (size_t)by->tiles * POINTS * FILTERS * w.code_stride + 2 * margin + w.columns;
    size_t image = (size_t)by->tiles * POINTS * by->slices * w.stride + 2 * LANES;
    size_t frame = (size_t)is->channels * w.frame_rows * w.stride + 2 * LANES;
    size_t products = (size_t)POINTS * 2 * larger(analysed, made);
    size_t plane = is->code_height * is->code_width;
    w.memory = zeros(sizeof(float) * (codes + image + frame + products + 2 * is->filters * LANES + plane + 6 * 16));
    w.codes = w.memory + margin;
    w.image = w.memory + up(codes, 16);
    w.frame = w.image + up(image, 16);
    w.products = w.frame + up(frame, 16);
    w.sums = w.products + up(products, 16);
    w.plane = w.sums + 2 * is->filters * LANES;
    return w;
}

INLINE float *part(const float *of, size_t from) { return of ? (float *)of + from : NULL; }

/* Point at what an image has of everything. */
static void turn_to(work *w, long n) {
    const layer *is = &w->by->is;
    size_t from = n * is->filters * is->code_height * is->code_width;
    w->z = part(is->codes, from), w->y = part(is->previous, from), w->out = part(is->out, from);
    w->g = part(is->g_out, from), w->g_passed = part(is->g_passed, from);
    w->g_z = part(is->g_codes, from), w->g_y = part(is->g_previous, from);
}

static void end(work *w) { free(w->memory); }

INLINE float *codes_at(const work *w, int tile, int point, int filter) {
    return w->codes + (((size_t)tile * POINTS + point) * FILTERS + filter) * w->code_stride;
}

INLINE float *image_at(const work *w, int tile, int point, int slice) {
    return w->image + (((size_t)tile * POINTS + point) * w->by->slices + slice) * w->stride;
}

INLINE float *frame_at(const work *w, int tile, int slice) { /* the first of its rows */
    int groups = w->by->groups;
    return w->frame + ((size_t)(slice / groups) * w->frame_rows + ROWS * tile + slice % groups * TAPS) * w->stride;
}

/* to += what the lanes of one of the sums have, after each image: long sums of floats are not exact enough. */
static void settle(work *w, int which, double *to) {
    float *lanes = w->sums + (size_t)which * w->by->is.filters * LANES;
    for (int f = 0; f < w->by->is.filters; f++) to[f] += total(lanes + f * LANES);
    memset(lanes, 0, sizeof(float) * w->by->is.filters * LANES);
}
