/* Steps for some of the images, by one thread; included once for each width. */

/* A of the rows of a tile of codes, at a column. */
INLINE void lift_at(const work *w, int i, int tile, int x, const vec *row) {
    float *to = codes_at(w, tile, 0, i) + x;
    size_t far = (size_t)FILTERS * w->code_stride;
    vec a = row[0], b = row[1], c = row[2], d = row[3], e = row[4];
    vec even = a + c + e, odd = b + d, even_2 = a + 4 * c + 16 * e, odd_2 = 2 * b + 8 * d;
    store(to, a);
    store(to + far, even + odd), store(to + 2 * far, even - odd);
    store(to + 3 * far, even_2 + odd_2), store(to + 4 * far, even_2 - odd_2);
    store(to + 5 * far, a + .5f * b + .25f * c + .125f * d + .0625f * e);
    store(to + 6 * far, e);
}

/* A of the codes of one of a band's filters: u, or, where there is one, what is in the plane. */
INLINE void lift(const work *w, int given, int i, int f, const float *plane) {
    int width = w->by->is.code_width, height = w->by->is.code_height;
    size_t from = (size_t)f * height * width;
    for (int tile = 0; tile < w->by->tiles; tile++) {
        int whole = ROWS * (tile + 1) <= height;
        for (int column = 0; column < width; column += LANES) {
            int x = place(column, width), at = ROWS * tile * width + x;
            vec row[ROWS] = {0};
            UNROLL for (int j = 0; j < ROWS; j++, at += width) /* the last tile may be short */
                if (whole || ROWS * tile + j < height) row[j] = plane ? load(plane + at) : u_at(w, given, f, from + at);
            lift_at(w, i, tile, x, row);
        }
    }
}

/* The last band may be short: what an earlier one left must not count. */
static void lift_nothing(const work *w, int i) {
    for (int tile = 0; tile < w->by->tiles * POINTS; tile++)
        memset(codes_at(w, 0, tile, i), 0, sizeof(float) * w->by->is.code_width);
}

/* A of the u of a band. */
INLINE void lift_codes(const work *w, int given, int band) {
    for (int i = 0, f = band * FILTERS; i < FILTERS; i++, f++)
        if (f < w->by->is.filters) lift(w, given, i, f, NULL);
        else lift_nothing(w, i);
}

/* Where the gradient of a filter is at work: where that by z will be, if it is wanted. */
INLINE float *plane_at(const work *w, int f) {
    return w->g_z ? w->g_z + (size_t)f * w->by->is.code_height * w->by->is.code_width : w->plane;
}

/* A of the gradient of a band, which stays in its planes. */
INLINE void lift_gradient(const work *w, int given, int band, const float *g_pooled) {
    int cells = w->by->is.pool * w->by->is.pool;
    for (int i = 0, f = band * FILTERS; i < FILTERS; i++, f++)
        if (f < w->by->is.filters) {
            float *plane = plane_at(w, f);
            if (g_pooled) spread_cells(w, g_pooled + f * cells, plane);
            over_plane(w, given, f, plane, gradient_at);
            lift(w, given, i, f, plane);
        } else lift_nothing(w, i);
}

/* The sum of vectors by a row or a column of B; what is zero there is known when this is compiled. */
INLINE vec combined(const vec *of, const float *by, int step) {
    vec sum = {0};
    UNROLL for (int i = 0; i < POINTS; i++) if (by[i * step] != 0) sum += by[i * step] * of[i];
    return sum;
}

/* B of the frame. */
static void lift_image(const work *w) {
    for (int tile = 0; tile < w->by->tiles; tile++)
        for (int slice = 0; slice < w->by->slices; slice++)
            for (int column = 0; column < w->stride; column += LANES) {
                int x = place(column, w->stride);
                const float *row = frame_at(w, tile, slice) + x;
                vec of[POINTS];
                UNROLL for (int i = 0; i < POINTS; i++) of[i] = load(row + i * w->stride);
                UNROLL for (int point = 0; point < POINTS; point++)
                    store(image_at(w, tile, point, slice) + x, combined(of, OF_IMAGE[point], 1));
            }
}

/* products (+)= S of the band that was lifted, at the points; the first band begins anew. */
static void synthesise_band(const work *w, int band) {
    const plan *by = w->by;
    int outputs = by->outputs[1], all = up(by->slices, outputs), taps = by->is.columns;
    int step = apart(by->tiles * (w->columns / LANES));
    const float *rows = codes_at(w, 0, 0, 0) + by->is.left - (taps - 1);
    if (band == 0) memset(w->products, 0, sizeof(float) * POINTS * all * step);
    for (int o = 0; o < all; o += outputs)
        correlate_more(rows, by->tiles, FILTERS * w->code_stride, FILTERS, w->code_stride, taps,
                       by->synthesis + ((size_t)band * all + o) * POINTS * FILTERS * taps, outputs, w->columns,
                       w->products + (size_t)o * POINTS * step);
}

/* frame <- S of all bands */
static void synthesised(const work *w) {
    const plan *by = w->by;
    int outputs = by->outputs[1], step = apart(by->tiles * (w->columns / LANES)), far = outputs * step;
    memset(w->frame, 0, sizeof(float) * by->is.channels * w->frame_rows * w->stride);
    for (int slice = 0; slice < by->slices; slice++)
        for (int tile = 0; tile < by->tiles; tile++)
            for (int x = 0; x < w->columns; x += LANES) {
                const float *product = w->products + (size_t)(slice / outputs * outputs * POINTS + slice % outputs) * step;
                product += tile * w->columns + x;
                float *row = frame_at(w, tile, slice) + by->is.left + x;
                vec of[POINTS];
                UNROLL for (int point = 0; point < POINTS; point++) of[point] = load(product + point * far);
                UNROLL for (int i = 0; i < POINTS; i++)
                    add(row + i * w->stride, combined(of, OF_IMAGE[0] + i, POINTS));
            }
}

/* frame <- image - frame, or the image alone, or -frame; with zeros around. `copy`, where there is one, gets it times
   `sign`. */
static void subtract(const work *w, const float *image, int alone, float *copy, float sign) {
    const layer *is = &w->by->is;
    for (int c = 0; c < is->channels; c++)
        for (int y = 0; y < w->frame_rows; y++) {
            float *row = w->frame + ((size_t)c * w->frame_rows + y) * w->stride, *inner = row + is->left;
            int kept = y >= is->top && y < is->top + is->height ? is->width : 0;
            size_t at = ((size_t)c * is->height + y - is->top) * is->width;
            if (image && alone) memcpy(inner, image + at, sizeof(float) * kept);
            else if (image)
                for (int x = 0; x < kept; x++) inner[x] = image[at + x] - inner[x];
            else
                for (int x = 0; x < kept; x++) inner[x] = -inner[x];
            for (int x = 0; copy && x < kept; x++) copy[at + x] = sign * inner[x];
            memset(row, 0, sizeof(float) * is->left);
            memset(inner + kept, 0, sizeof(float) * (w->stride - is->left - kept));
        }
}

/* A^T of the products of a filter in some tiles: its codes, stored in a plane or added to it. */
INLINE void unlift(const work *w, int added, int first, int tiles, const float *products, int far, float *plane) {
    int width = w->by->is.code_width, height = w->by->is.code_height;
    for (int tile = 0; tile < tiles; tile++, products += w->code_columns)
        for (int column = 0; column < width; column += LANES) {
            int x = place(column, width);
            float *to = plane + ROWS * (first + tile) * width + x;
            vec p = load(products + x), q = load(products + far + x), r = load(products + 2 * far + x);
            vec s = load(products + 3 * far + x), t = load(products + 4 * far + x), half = load(products + 5 * far + x);
            vec even = q + r, odd = q - r, even_2 = s + t, odd_2 = s - t;
            vec row[ROWS] = {p + even + even_2 + half, odd + 2 * odd_2 + .5f * half, even + 4 * even_2 + .25f * half,
                             odd + 8 * odd_2 + .125f * half,
                             even + 16 * even_2 + .0625f * half + load(products + 6 * far + x)};
            UNROLL for (int j = 0; j < ROWS; j++, to += width)
                if (ROWS * (first + tile) + j < height) {
                    if (added) put(to, column, x, load(to) + row[j]);
                    else store(to, row[j]); /* what is repeated is the same */
                }
        }
}

/* Some tiles of planes that are next: so many lines of the cache come while products are computed. Beyond the last
   filter are those of the next image; beyond the last image nothing happens. */
INLINE void ask(const work *w, const float *planes, int filters, int first, int tiles) {
    int width = w->by->is.code_width, size = w->by->is.code_height * width;
    for (int f = 0; f < filters; f++)
        for (int i = 0; i < ROWS * tiles * width; i += LINE)
            __builtin_prefetch(planes + f * size + ROWS * first * width + i, 1);
}

/* S^T of the image that was lifted, in planes of codes `to`, stored or added. `act` is done to each of them, inlined. */
INLINE void analyse(const work *w, int given, int added, float *to, void (*act)(const work *, int, spot *)) {
    const plan *by = w->by;
    int outputs = by->outputs[0], taps = by->is.columns, size = by->is.code_height * by->is.code_width;
    int at_once = tiles_at_once(outputs, w->code_columns);
    for (int first_f = 0; first_f < by->is.filters; first_f += outputs) {
        int filters = first_f + outputs <= by->is.filters ? outputs : by->is.filters - first_f;
        for (int first = 0; first < by->tiles; first += at_once) {
            int tiles = first + at_once <= by->tiles ? at_once : by->tiles - first;
            int step = apart(tiles * (w->code_columns / LANES));
            ask(w, (added ? w->z : to) + (size_t)(first_f + outputs) * size, outputs, first, tiles);
            correlate(image_at(w, first, 0, 0), tiles, by->slices * w->stride, by->slices, w->stride, taps,
                      by->analysis + (size_t)first_f * POINTS * by->slices * taps, outputs, w->code_columns, w->products);
            for (int i = 0; i < filters; i++)
                unlift(w, added, first, tiles, w->products + i * step, outputs * step, to + (size_t)(first_f + i) * size);
        }
        for (int f = first_f; f < first_f + filters; f++) over_plane(w, given, f, to + (size_t)f * size, act);
    }
}

INLINE void forward_images(const plan *by, int given, int thread, long from, long to) {
    const layer *is = &by->is;
    size_t pixels = is->channels * is->height * is->width, cells = is->filters * is->pool * is->pool;
    work w = begin(by);
    for (long n = from; n < to; n++) {
        turn_to(&w, n);
        for (int band = 0; given != NOTHING && band < by->bands; band++) {
            lift_codes(&w, given, band);
            synthesise_band(&w, band);
        }
        if (given != NOTHING) synthesised(&w);
        subtract(&w, is->image + n * pixels, given == NOTHING, is->residual + n * pixels, 1);
        lift_image(&w);
        analyse(&w, given, 0, w.out, threshold);
        if (is->next_moments) settle_moments(&w, by->sums + thread * 2 * is->filters);
        if (is->pooled) pool_codes(&w, is->pooled + n * cells);
    }
    end(&w);
}

/* With g masked by z' > 0 and q = S g:  g_u = g - S^T q,  g_S = corr(r, g) - corr(q, u),  g_x = q. */
INLINE void backward_images(const plan *by, int given, int thread, long from, long to) {
    const layer *is = &by->is;
    size_t pixels = is->channels * is->height * is->width, cells = is->filters * is->pool * is->pool;
    work w = begin(by);
    for (long n = from; n < to; n++) {
        turn_to(&w, n);
        subtract(&w, is->residual + n * pixels, 1, NULL, 1);
        lift_image(&w);
        for (int band = 0; band < by->bands; band++) {
            lift_gradient(&w, given, band, part(is->g_pooled, n * cells));
            correlate_codes(&w, thread, band);
            if (given != NOTHING || is->g_image) synthesise_band(&w, band);
        }
        settle(&w, 0, by->sums + thread * 2 * is->filters);
        if (given == NOTHING && !is->g_image) continue;
        synthesised(&w);
        subtract(&w, NULL, 0, is->g_image ? is->g_image + n * pixels : NULL, -1); /* now the frame is -q */
        if (given == NOTHING) continue;
        lift_image(&w);
        analyse(&w, given, 1, w.g_z, chain);
        settle(&w, 0, by->affine + thread * 2 * is->filters);
        settle(&w, 1, by->affine + (thread * 2 + 1) * is->filters);
        for (int band = 0; band < by->bands; band++) {
            lift_codes(&w, given, band);
            correlate_codes(&w, thread, band);
        }
    }
    end(&w);
}

static void forward(const plan *by, int thread, long from, long to) {
    switch (given_to(&by->is)) {
        case NOTHING: forward_images(by, NOTHING, thread, from, to); break;
        case CODES: forward_images(by, CODES, thread, from, to); break;
        case MIXED: forward_images(by, MIXED, thread, from, to); break;
    }
}

static void backward(const plan *by, int thread, long from, long to) {
    switch (given_to(&by->is)) {
        case NOTHING: backward_images(by, NOTHING, thread, from, to); break;
        case CODES: backward_images(by, CODES, thread, from, to); break;
        case MIXED: backward_images(by, MIXED, thread, from, to); break;
    }
}

/* residual <- S z */
static void decode(const plan *by, int thread, long from, long to) {
    (void)thread;
    size_t pixels = by->is.channels * by->is.height * by->is.width;
    work w = begin(by);
    for (long n = from; n < to; n++) {
        turn_to(&w, n);
        for (int band = 0; band < by->bands; band++) {
            lift_codes(&w, CODES, band);
            synthesise_band(&w, band);
        }
        synthesised(&w);
        subtract(&w, NULL, 0, by->is.residual + n * pixels, -1);
    }
    end(&w);
}

/* With the gradient g of S z, as `image`:  g_z = S^T g,  g_S = corr(g, z). */
static void decode_backward(const plan *by, int thread, long from, long to) {
    size_t pixels = by->is.channels * by->is.height * by->is.width;
    work w = begin(by);
    for (long n = from; n < to; n++) {
        turn_to(&w, n);
        subtract(&w, by->is.image + n * pixels, 1, NULL, 1);
        lift_image(&w);
        if (w.g_z) analyse(&w, CODES, 0, w.g_z, keep);
        for (int band = 0; band < by->bands; band++) {
            lift_codes(&w, CODES, band);
            correlate_codes(&w, thread, band);
        }
    }
    end(&w);
}
