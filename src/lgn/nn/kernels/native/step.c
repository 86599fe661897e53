/* A layer of the unfolded encoder, z' = relu(u + S^T(x - S u) + b) with u = scale z + shift: forward and backward.
See Note [Native step]. */

#include <omp.h>

#include "rows.h"

static void settle(work *w, double *to) { /* after each image: long sums of floats are not exact enough */
    for (int i = 0; i < 2 * w->is.filters * LANES; i++) to[i / LANES] += w->sums[i];
    memset(w->sums, 0, sizeof(float) * 2 * w->is.filters * LANES);
}

enum { CHAINS = 4 }; /* sums that do not wait for each other */

/* The sums of an image's codes and of their squares, from the distances to their mean, which is what `sums` has by now:
   the difference of large squares would lose the variance of a nearly constant filter. */
static void settle_codes(work *w, const float *codes, double *to) {
    int filters = w->is.filters, size = w->is.code_height * w->is.code_width;
    for (int f = 0; f < filters; f++, codes += size) {
        vec sum[CHAINS] = {{0}}, squares[CHAINS] = {{0}};
        double mean = 0, distance = 0, square = 0;
        for (int i = 0; i < LANES; i++) mean += w->sums[f * LANES + i];
        float near = mean / size;
        int at = 0;
        for (; at + CHAINS * LANES <= size; at += CHAINS * LANES)
            UNROLL for (int i = 0; i < CHAINS; i++) {
                vec y = load(codes + at + i * LANES) - near;
                sum[i] += y, squares[i] += y * y;
            }
        for (; at < size; at += LANES) {
            vec y = fresh(at, place(at, size), load(codes + place(at, size)) - near);
            sum[0] += y, squares[0] += y * y;
        }
        for (int i = 0; i < CHAINS * LANES; i++)
            distance += sum[i / LANES][i % LANES], square += squares[i / LANES][i % LANES];
        to[f] += distance + (double)size * near;
        to[filters + f] += square + 2 * near * distance + (double)size * near * near;
    }
    memset(w->sums, 0, sizeof(float) * 2 * filters * LANES);
}

/* frame += S of a tile's codes. */
static void synthesise(const work *w, int tile) {
    const float *rows = codes_at(w, tile, 0, 0) + w->is.left - (COLUMNS - 1);
    int step = correlate(w, rows, w->is.filters, w->code_stride, w->code_rows * w->code_stride, w->is.synthesis,
                         w->slices, w->columns);
    for (int slice = 0; slice < w->slices; slice++)
        for (int x = 0; x < w->columns; x += LANES) {
            const float *product = w->products + slice * w->columns + x;
            float *row = frame_at(w, tile, slice) + w->is.left + x;
            vec p = load(product), q = load(product + step), r = load(product + 2 * step), s = load(product + 3 * step);
            add(row, p);
            add(row + w->stride, q - r - s);
            add(row + 2 * w->stride, q + r - p);
            add(row + 3 * w->stride, s);
        }
}

static void clear(const work *w) {
    memset(w->frame, 0, sizeof(float) * w->is.channels * w->frame_rows * w->stride);
}

/* frame <- image - frame, with zeros around; `copy`, where there is one, gets it times `sign`. */
static void subtract(const work *w, const float *image, float *copy, float sign) {
    int height = w->is.height, width = w->is.width, left = w->is.left;
    for (int c = 0; c < w->is.channels; c++)
        for (int y = 0; y < w->frame_rows; y++) {
            float *row = w->frame + ((size_t)c * w->frame_rows + y) * w->stride;
            int kept = y >= w->is.top && y < w->is.top + height ? width : 0;
            size_t at = ((size_t)c * height + y - w->is.top) * width;
            for (int x = 0; x < kept; x++) row[left + x] = (image ? image[at + x] : 0) - row[left + x];
            for (int x = 0; copy && x < kept; x++) copy[at + x] = sign * row[left + x];
            memset(row, 0, sizeof(float) * left);
            memset(row + left + kept, 0, sizeof(float) * (w->stride - left - kept));
        }
}

/* out <- relu(codes + S^T r + bias), or scale (codes + S^T r) without a bias; sums of it, and of it times `with`. */
INLINE void analyse(const work *w, int tile, const float *bias, const float *scale, const float *with, float *out) {
    int width = w->is.code_width, filters = w->is.filters;
    int step = correlate(w, image_at(w, tile, 0, 0), w->slices, w->stride, w->slices * w->stride, w->is.analysis,
                         filters, w->code_columns);
    for (int f = 0; f < filters; f++) {
        vec sum = {0}, sum_with = {0};
        UNROLL for (int second = 0; second < 2; second++) {
            if (2 * tile + second >= w->is.code_height) break;
            size_t start = ((size_t)f * w->is.code_height + 2 * tile + second) * width;
            for (int column = 0; column < width; column += LANES) {
                int x = place(column, width);
                const float *product = w->products + f * w->code_columns + x;
                vec q = load(product + step), r = load(product + 2 * step);
                vec y = second ? q - r + load(product + 3 * step) : q + r + load(product);
                y += load(codes_at(w, tile, second ? 3 : 0, f) + x);
                if (bias) y = unless(y + bias[f] < 0, y + bias[f]);
                sum += fresh(column, x, y);
                if (with) sum_with += fresh(column, x, y * load(with + start + x));
                store(out + start + x, bias ? y : (vec)(scale[f] * y));
            }
        }
        add(w->sums + f * LANES, sum);
        if (with) add(w->sums + (filters + f) * LANES, sum_with);
    }
}

void forward(const layer *is) {
    size_t code = is->filters * is->code_height * is->code_width, pixels = is->channels * is->height * is->width;
#pragma omp parallel num_threads(is->threads)
    {
        work w = begin(is);
#pragma omp for schedule(static)
        for (long n = 0; n < is->batch; n++) {
            clear(&w);
            if (is->codes) lift_codes(&w, is->codes + n * code, NULL, is->scale, is->shift);
            for (int tile = 0; is->codes && tile < w.tiles; tile++) synthesise(&w, tile);
            subtract(&w, is->image + n * pixels, is->residual + n * pixels, 1);
            for (int tile = 0; tile < w.tiles; tile++) {
                lift_image(&w, tile);
                analyse(&w, tile, is->bias, NULL, NULL, is->out + n * code);
            }
            settle_codes(&w, is->out + n * code, is->sums + omp_get_thread_num() * 2 * is->filters);
        }
        end(&w);
    }
}

/* With g masked by z' > 0 and q = S g:  g_u = g - S^T q,  g_S = corr(r, g) - corr(q, u),  g_x = q. */
void backward(const layer *is) {
    size_t code = is->filters * is->code_height * is->code_width, pixels = is->channels * is->height * is->width;
#pragma omp parallel num_threads(is->threads)
    {
        work w = begin(is);
        int thread = omp_get_thread_num();
        size_t lanes = (size_t)POINTS * w.code_rows * w.slices * SHIFT_BLOCKS * SHIFTS * LANES;
#pragma omp for schedule(static)
        for (long n = 0; n < is->batch; n++) {
            clear(&w);
            subtract(&w, is->residual + n * pixels, NULL, 1);
            for (int tile = 0; tile < w.tiles; tile++) lift_image(&w, tile);
            clear(&w);
            lift_codes(&w, is->g_out + n * code, is->out + n * code, is->g_squares, is->g_sums);
            for (int tile = 0; (is->codes || is->g_image) && tile < w.tiles; tile++) synthesise(&w, tile);
            settle(&w, is->g_bias + thread * 2 * is->filters);
            correlate_codes(&w, is->g_filters + thread * lanes);
            subtract(&w, NULL, is->g_image ? is->g_image + n * pixels : NULL, -1); /* now the frame is -q */
            if (!is->codes) continue;
            for (int tile = 0; tile < w.tiles; tile++) {
                lift_image(&w, tile);
                analyse(&w, tile, NULL, is->scale, is->codes + n * code, is->g_codes + n * code);
            }
            lift_codes(&w, is->codes + n * code, NULL, is->scale, is->shift);
            settle(&w, is->g_affine + thread * 2 * is->filters);
            correlate_codes(&w, is->g_filters + thread * lanes);
        }
        end(&w);
    }
}
