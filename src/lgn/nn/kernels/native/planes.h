/* What is done to codes filter by filter, for those of an image are one run of memory; included once for each width. */

/* A vector of codes: its filter, where it is in the plane (`x`, and `column` where nothing repeats) and in memory. What
   is at work on the plane is there too. The sums stay. */
typedef struct {
    int f, column, x;
    size_t at;
    float *plane;
    vec sum, other_sum;
} spot;

/* One of the functions below, inlined, at every vector of a plane. */
INLINE void over_plane(const work *w, int given, int f, float *plane, void (*act)(const work *, int, spot *)) {
    int filters = w->by->is.filters, size = w->by->is.code_height * w->by->is.code_width;
    spot here = {.f = f, .plane = plane, .at = (size_t)f * size};
    for (; here.column + LANES <= size; here.x = here.column += LANES, here.at += LANES) act(w, given, &here);
    if (here.column < size) {
        here.x = size - LANES, here.at = (size_t)f * size + here.x;
        act(w, given, &here);
    }
    add(w->sums + f * LANES, here.sum);
    add(w->sums + (filters + f) * LANES, here.other_sum);
}

/* v = ahead z + (1 - ahead) y, and u = scale v + shift */
INLINE vec v_at(const work *w, int given, size_t at) {
    float ahead = w->by->is.ahead;
    vec z = load(w->z + at);
    return given == MIXED && w->y ? ahead * z + (1 - ahead) * load(w->y + at) : z;
}
INLINE vec u_at(const work *w, int given, int f, size_t at) {
    return w->by->scale[f] * v_at(w, given, at) + w->by->shift[f];
}

/* slope v' + level, with v' = following z' + (1 - following) z: the gradient of the next layer's moments by v'. */
INLINE vec of_moments(const work *w, int given, int f, size_t at) {
    float following = w->by->is.following;
    vec v = load(w->out + at);
    if (given == MIXED) v = following * v + (1 - following) * load(w->z + at);
    return w->by->slope[f] * v + w->by->level[f];
}

/* z' <- relu(u + S^T r + b), of S^T r */
INLINE void threshold(const work *w, int given, spot *here) {
    vec y = load(here->plane + here->x) + w->by->is.bias[here->f];
    if (given != NOTHING) y += u_at(w, given, here->f, here->at);
    y = unless(y < 0, y);
    put(here->plane + here->x, here->column, here->x, y);
    here->sum += fresh(here->column, here->x, y);
}

/* The gradient by what was thresholded: by z', with what the moments add, where z' > 0. */
INLINE void gradient_at(const work *w, int given, spot *here) {
    vec added = of_moments(w, given, here->f, here->at);
    if (given == MIXED) added *= (float)w->by->is.following;
    vec g = load(w->g ? w->g + here->at : here->plane + here->x) + added;
    g = unless(load(w->out + here->at) <= 0, g);
    put(here->plane + here->x, here->column, here->x, g);
    here->sum += fresh(here->column, here->x, g);
}

/* Of g_u = g - S^T q: the gradients by z, by y, and the sums of those by shift and scale. */
INLINE void chain(const work *w, int given, spot *here) {
    float ahead = w->y ? w->by->is.ahead : 1, following = w->by->is.following;
    vec g_u = load(here->plane + here->x), g = w->by->scale[here->f] * g_u;
    here->sum += fresh(here->column, here->x, g_u);
    here->other_sum += fresh(here->column, here->x, g_u * v_at(w, given, here->at));
    if (given == MIXED) {
        if (w->y) put(w->g_y + here->at, here->column, here->x, (1 - ahead) * g);
        g *= ahead;
        if (w->g_passed) g += load(w->g_passed + here->at);
        g += (1 - following) * of_moments(w, given, here->f, here->at);
    }
    put(here->plane + here->x, here->column, here->x, g);
}

/* What is in the plane stays. */
INLINE void keep(const work *w, int given, spot *here) { (void)w, (void)given, (void)here; }

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

/* plane <- the gradient by z' of a filter, from that by its means over cells. */
static void spread_cells(const work *w, const float *from, float *plane) {
    int height = w->by->is.code_height, width = w->by->is.code_width, pool = w->by->is.pool;
    float *line = w->frame;
    memset(plane, 0, sizeof(float) * height * width);
    for (int i = 0; i < pool; i++) {
        int top = cell_begin(i, height, pool), below = cell_end(i, height, pool);
        memset(line, 0, sizeof(float) * width);
        for (int j = 0; j < pool; j++, from++) {
            int left = cell_begin(j, width, pool), right = cell_end(j, width, pool);
            for (int x = left; x < right; x++) line[x] += *from / ((below - top) * (right - left));
        }
        for (int y = top; y < below; y++)
            for (int x = 0; x < width; x++) plane[y * width + x] += line[x];
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
