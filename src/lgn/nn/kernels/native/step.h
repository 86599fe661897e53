/* Steps for some of the images, by one thread; included once for each width. */

/* v = ahead z + (1 - ahead) y, and u = scale v + shift */
INLINE vec v_at(const work *w, size_t at) {
    float ahead = w->by->is.ahead;
    return w->y ? ahead * load(w->z + at) + (1 - ahead) * load(w->y + at) : load(w->z + at);
}
INLINE vec u_at(const work *w, int f, size_t at) { return w->by->scale[f] * v_at(w, at) + w->by->shift[f]; }

/* slope v' + level, with v' = following z' + (1 - following) z: the gradient of the next layer's moments by v'. */
INLINE vec of_moments(const work *w, int f, size_t at) {
    float following = w->by->is.following;
    vec v = load(w->out + at);
    if (following != 1) v = following * v + (1 - following) * load(w->z + at);
    return w->by->slope[f] * v + w->by->level[f];
}

/* The gradient by what was thresholded: by z', with what the moments add, where z' > 0. */
INLINE vec gradient_at(const work *w, int f, size_t at) {
    vec sum = load(w->g + at);
    if (w->by->is.g_next_moments) sum += (float)w->by->is.following * of_moments(w, f, at);
    return unless(load(w->out + at) <= 0, sum);
}

/* A of the codes of a band: those that `value` gives, inlined. Their sums are added where there are to be any. */
INLINE void lift(const work *w, vec (*value)(const work *, int, size_t), int band, float *sums) {
    const plan *by = w->by;
    int width = by->is.code_width, height = by->is.code_height;
    for (int i = 0, f = band * FILTERS; i < FILTERS; i++, f++) {
        vec sum = {0};
        if (f >= by->is.filters) { /* the last band may be short: what an earlier one left must not count */
            for (int tile = 0; tile < by->tiles * POINTS; tile++)
                memset(codes_at(w, 0, tile, i), 0, sizeof(float) * width);
            continue;
        }
        for (int tile = 0; tile < by->tiles; tile++)
            for (int column = 0; column < width; column += LANES) {
                int x = place(column, width);
                size_t at = ((size_t)f * height + 2 * tile) * width + x;
                vec a = value(w, f, at), b = {0};
                if (2 * tile + 1 < height) b = value(w, f, at + width);
                store(codes_at(w, tile, 0, i) + x, a);
                store(codes_at(w, tile, 1, i) + x, a + b);
                store(codes_at(w, tile, 2, i) + x, a - b);
                store(codes_at(w, tile, 3, i) + x, b);
                sum += fresh(column, x, a + b);
            }
        if (sums) add(sums + f * LANES, sum);
    }
}

/* B of the frame. */
static void lift_image(const work *w) {
    for (int tile = 0; tile < w->by->tiles; tile++)
        for (int slice = 0; slice < w->by->slices; slice++)
            for (int column = 0; column < w->stride; column += LANES) {
                int x = place(column, w->stride);
                const float *row = frame_at(w, tile, slice) + x;
                vec a = load(row), b = load(row + w->stride), c = load(row + 2 * w->stride), d = load(row + 3 * w->stride);
                store(image_at(w, tile, 0, slice) + x, a - c);
                store(image_at(w, tile, 1, slice) + x, b + c);
                store(image_at(w, tile, 2, slice) + x, c - b);
                store(image_at(w, tile, 3, slice) + x, d - b);
            }
}

/* products (+)= S of the band that was lifted, at the points; the first band begins anew. */
static void synthesise_band(const work *w, int band) {
    const plan *by = w->by;
    int outputs = by->outputs[1], all = up(by->slices, outputs);
    const float *rows = codes_at(w, 0, 0, 0) + by->is.left - (by->is.columns - 1);
    if (band == 0) memset(w->products, 0, sizeof(float) * POINTS * all * up(by->tiles * (w->columns / LANES), 2) * LANES);
    correlate_more(w, rows, by->tiles, FILTERS * w->code_stride, FILTERS, w->code_stride,
                   by->synthesis + (size_t)band * POINTS * all * FILTERS * by->is.columns, by->slices, outputs, w->columns);
}

/* frame <- S of all bands */
static void synthesised(const work *w) {
    const plan *by = w->by;
    int step = up(by->tiles * (w->columns / LANES), 2) * LANES, far = up(by->slices, by->outputs[1]) * step;
    memset(w->frame, 0, sizeof(float) * by->is.channels * w->frame_rows * w->stride);
    for (int slice = 0; slice < by->slices; slice++)
        for (int tile = 0; tile < by->tiles; tile++)
            for (int x = 0; x < w->columns; x += LANES) {
                const float *product = w->products + slice * step + tile * w->columns + x;
                float *row = frame_at(w, tile, slice) + by->is.left + x;
                vec p = load(product), q = load(product + far), r = load(product + 2 * far), s = load(product + 3 * far);
                add(row, p);
                add(row + w->stride, q - r - s);
                add(row + 2 * w->stride, q + r - p);
                add(row + 3 * w->stride, s);
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

/* A vector of codes: its filter, its column, where it is in memory, and S^T r there. The sums stay. */
typedef struct {
    int f, column, x;
    size_t at;
    vec analysed, sum, other_sum;
} spot;

/* S^T of the image that was lifted, spot by spot. What is done there is one of the functions below, inlined. */
INLINE void analyse(const work *w, void (*act)(const work *, spot *)) {
    const plan *by = w->by;
    int width = by->is.code_width, filters = by->is.filters, outputs = by->outputs[0];
    int at_once = tiles_at_once(outputs, w->code_columns);
    for (int first = 0; first < by->tiles; first += at_once) {
        int tiles = first + at_once <= by->tiles ? at_once : by->tiles - first;
        int step = correlate(w, image_at(w, first, 0, 0), tiles, by->slices * w->stride, by->slices, w->stride,
                             by->analysis, filters, outputs, w->code_columns);
        int far = up(filters, outputs) * step;
        for (int f = 0; f < filters; f++) {
            spot here = {.f = f};
            for (int tile = 0; tile < tiles; tile++)
                UNROLL for (int second = 0; second < 2; second++) {
                    int y = 2 * (first + tile) + second;
                    if (y >= by->is.code_height) break;
                    for (here.column = 0; here.column < width; here.column += LANES) {
                        here.x = place(here.column, width);
                        here.at = ((size_t)f * by->is.code_height + y) * width + here.x;
                        const float *product = w->products + f * step + tile * w->code_columns + here.x;
                        vec q = load(product + far), r = load(product + 2 * far);
                        here.analysed = second ? q - r + load(product + 3 * far) : q + r + load(product);
                        act(w, &here);
                    }
                }
            add(w->sums + f * LANES, here.sum);
            add(w->sums + (filters + f) * LANES, here.other_sum);
        }
    }
}

/* z' <- relu(u + S^T r + b) */
INLINE void threshold(const work *w, spot *here) {
    vec y = here->analysed + w->by->is.bias[here->f];
    if (w->z) y += u_at(w, here->f, here->at);
    y = unless(y < 0, y);
    store(w->out + here->at, y);
    here->sum += fresh(here->column, here->x, y);
}

/* With g_u = g - S^T q: the gradients by z, by y, and the sums of those by shift and scale. */
INLINE void chain(const work *w, spot *here) {
    float ahead = w->y ? w->by->is.ahead : 1, following = w->by->is.following;
    vec g_u = gradient_at(w, here->f, here->at) + here->analysed, g_v = w->by->scale[here->f] * g_u, g = ahead * g_v;
    here->sum += fresh(here->column, here->x, g_u);
    here->other_sum += fresh(here->column, here->x, g_u * v_at(w, here->at));
    if (w->y) store(w->g_y + here->at, (1 - ahead) * g_v);
    if (w->g_passed) g += load(w->g_passed + here->at);
    if (w->by->is.g_next_moments && following != 1) g += (1 - following) * of_moments(w, here->f, here->at);
    store(w->g_z + here->at, g);
}

/* S^T g alone. */
INLINE void keep(const work *w, spot *here) { store(w->g_z + here->at, here->analysed); }

/* The cells of a side are those of adaptive pooling: from floor(i n / p) to ceil((i + 1) n / p). */
INLINE int cell_begin(int i, int side, int pool) { return i * side / pool; }
INLINE int cell_end(int i, int side, int pool) { return ((i + 1) * side + pool - 1) / pool; }

/* to <- means of z' over cells:  (filters, pool, pool) */
static void pool_codes(const work *w, float *to) {
    int height = w->by->is.code_height, width = w->by->is.code_width, pool = w->by->is.pool;
    float *line = w->frame; /* free by now */
    for (int f = 0; f < w->by->is.filters; f++)
        for (int i = 0; i < pool; i++) {
            int from = cell_begin(i, height, pool), below = cell_end(i, height, pool);
            memset(line, 0, sizeof(float) * width);
            for (int y = from; y < below; y++)
                for (int x = 0; x < width; x++) line[x] += w->out[((size_t)f * height + y) * width + x];
            for (int j = 0; j < pool; j++) {
                int left = cell_begin(j, width, pool), right = cell_end(j, width, pool);
                float sum = 0;
                for (int x = left; x < right; x++) sum += line[x];
                *to++ = sum / ((below - from) * (right - left));
            }
        }
}

/* spread <- the gradient by z' of the gradient by means over cells. */
static void spread_cells(const work *w, const float *from) {
    int height = w->by->is.code_height, width = w->by->is.code_width, pool = w->by->is.pool;
    float *line = w->frame;
    memset(w->spread, 0, sizeof(float) * w->by->is.filters * height * width);
    for (int f = 0; f < w->by->is.filters; f++)
        for (int i = 0; i < pool; i++) {
            int top = cell_begin(i, height, pool), below = cell_end(i, height, pool);
            memset(line, 0, sizeof(float) * width);
            for (int j = 0; j < pool; j++, from++) {
                int left = cell_begin(j, width, pool), right = cell_end(j, width, pool);
                for (int x = left; x < right; x++) line[x] += *from / ((below - top) * (right - left));
            }
            for (int y = top; y < below; y++)
                for (int x = 0; x < width; x++) w->spread[((size_t)f * height + y) * width + x] += line[x];
        }
}

/* The sums of v' and of its squares, from the distances to near its mean, as `sums` of z' has it by now: the difference
   of large squares would lose the variance of a nearly constant filter. */
static void settle_moments(work *w, double *to) {
    const layer *is = &w->by->is;
    int filters = is->filters, size = is->code_height * is->code_width;
    const float *out = w->out, *codes = is->following != 1 ? w->z : NULL;
    float of_out = codes ? is->following : 1, of_codes = 1 - of_out;
    for (int f = 0; f < filters; f++, out += size, codes += codes ? size : 0) {
        vec sum[CHAINS] = {{0}}, squares[CHAINS] = {{0}};
        double distance = 0, square = 0;
        float near = total(w->sums + f * LANES) / size;
        int at = 0;
        for (; at + CHAINS * LANES <= size; at += CHAINS * LANES)
            UNROLL for (int i = 0; i < CHAINS; i++) {
                vec v = of_out * load(out + at + i * LANES) - near;
                if (codes) v += of_codes * load(codes + at + i * LANES);
                sum[i] += v, squares[i] += v * v;
            }
        for (; at < size; at += LANES) {
            int x = place(at, size);
            vec v = of_out * load(out + x) - near;
            if (codes) v += of_codes * load(codes + x);
            v = fresh(at, x, v);
            sum[0] += v, squares[0] += v * v;
        }
        for (int i = 1; i < CHAINS; i++) sum[0] += sum[i], squares[0] += squares[i];
        for (int i = 0; i < LANES; i++) distance += sum[0][i], square += squares[0][i];
        to[f] += distance + (double)size * near;
        to[filters + f] += square + 2 * near * distance + (double)size * near * near;
    }
    memset(w->sums, 0, sizeof(float) * 2 * filters * LANES);
}

static void forward(const plan *by, int thread, long from, long to) {
    const layer *is = &by->is;
    size_t pixels = is->channels * is->height * is->width, cells = is->filters * is->pool * is->pool;
    work w = begin(by);
    for (long n = from; n < to; n++) {
        turn_to(&w, n);
        for (int band = 0; w.z && band < by->bands; band++) {
            lift(&w, u_at, band, NULL);
            synthesise_band(&w, band);
        }
        if (w.z) synthesised(&w);
        subtract(&w, is->image + n * pixels, !w.z, is->residual + n * pixels, 1);
        lift_image(&w);
        analyse(&w, threshold);
        if (is->next_moments) settle_moments(&w, by->sums + thread * 2 * is->filters);
        if (is->pooled) pool_codes(&w, is->pooled + n * cells);
    }
    end(&w);
}

/* With g masked by z' > 0 and q = S g:  g_u = g - S^T q,  g_S = corr(r, g) - corr(q, u),  g_x = q. */
static void backward(const plan *by, int thread, long from, long to) {
    const layer *is = &by->is;
    size_t pixels = is->channels * is->height * is->width, cells = is->filters * is->pool * is->pool;
    work w = begin(by);
    for (long n = from; n < to; n++) {
        turn_to(&w, n);
        if (is->g_pooled) spread_cells(&w, is->g_pooled + n * cells);
        subtract(&w, is->residual + n * pixels, 1, NULL, 1);
        lift_image(&w);
        for (int band = 0; band < by->bands; band++) {
            lift(&w, gradient_at, band, w.sums);
            correlate_codes(&w, thread, band);
            if (w.z || is->g_image) synthesise_band(&w, band);
        }
        settle(&w, 0, by->sums + thread * 2 * is->filters);
        if (!w.z && !is->g_image) continue;
        synthesised(&w);
        subtract(&w, NULL, 0, is->g_image ? is->g_image + n * pixels : NULL, -1); /* now the frame is -q */
        if (!w.z) continue;
        lift_image(&w);
        analyse(&w, chain);
        settle(&w, 0, by->affine + thread * 2 * is->filters);
        settle(&w, 1, by->affine + (thread * 2 + 1) * is->filters);
        for (int band = 0; band < by->bands; band++) {
            lift(&w, u_at, band, NULL);
            correlate_codes(&w, thread, band);
        }
    }
    end(&w);
}

/* residual <- S z */
static void decode(const plan *by, int thread, long from, long to) {
    (void)thread;
    size_t pixels = by->is.channels * by->is.height * by->is.width;
    work w = begin(by);
    for (long n = from; n < to; n++) {
        turn_to(&w, n);
        for (int band = 0; band < by->bands; band++) {
            lift(&w, u_at, band, NULL);
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
        if (w.g_z) analyse(&w, keep);
        for (int band = 0; band < by->bands; band++) {
            lift(&w, u_at, band, NULL);
            correlate_codes(&w, thread, band);
        }
    }
    end(&w);
}
