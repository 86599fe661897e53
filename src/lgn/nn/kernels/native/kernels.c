/* The kernels of the unfolded encoder, for each width of vectors, and how one is chosen; see Note [Native step]. */

#include <math.h>

#include "layer.h"
#include "names.h"

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 16")

#if defined(__x86_64__) && !defined(PORTABLE)

#pragma GCC push_options
#pragma GCC target("avx2,fma")
#define LANES 8
#define REGISTERS 16
#include "width.h"
#pragma GCC pop_options

#undef LANES
#undef REGISTERS
#pragma GCC push_options
#pragma GCC target("avx2,fma,avx512f,avx512vl,avx512dq,prefer-vector-width=512")
#define LANES 16
#define REGISTERS 32
#include "width.h"
#pragma GCC pop_options

enum { WIDEST = 16, NARROWEST = 8 };
static int has(int lanes) {
    if (lanes == 8) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
}
#define FOR(lanes, name) ((lanes) == 16 ? name##_16 : name##_8)

#else /* any machine: what the compiler makes of vectors of four */

#define LANES 4
#define REGISTERS 16
#include "width.h"

enum { WIDEST = 4, NARROWEST = 4 };
static int has(int lanes) { return lanes == 4; }
#define FOR(lanes, name) name##_4

#endif

#include "filters.h"

/* The widest vectors of this machine that are not above a limit; 0 where it has none. */
int lanes_here(int limit) {
    for (int lanes = WIDEST; lanes >= NARROWEST; lanes /= 2)
        if (lanes <= limit && has(lanes)) return lanes;
    return 0;
}

/* How many outputs to compute at once: the fewest cycles, of two multiplications or two loads each, for all of them.
   A vector that lies across two lines of the cache counts as two loads; a sum waits four cycles for the one before. */
static int best_block(int outputs, int lanes) {
    int best = 1;
    double fewest = INFINITY;
    for (int block = 1; block <= OUTPUTS; block++) {
        int places = FOR(lanes, places_beside)(block), blocks = (outputs + block - 1) / block;
        double cycles = larger(larger(block * places, 2 * places + block), 8) * (double)blocks / places;
        if (cycles <= fewest) fewest = cycles, best = block;
    }
    return best;
}

static plan plan_of(const layer *is, int limit) {
    plan by = {.is = *is, .lanes = lanes_here(limit), .groups = (is->rows + TAPS - 1) / TAPS};
    int filters = is->filters, most = by.lanes == 16 ? 6 : 3, shift_blocks = (is->columns + most - 1) / most;
    by.slices = is->channels * by.groups;
    by.tiles = (is->code_height + ROWS - 1) / ROWS;
    by.bands = (filters + FILTERS - 1) / FILTERS;
    by.outputs[0] = best_block(filters, by.lanes);
    by.outputs[1] = best_block(by.slices, by.lanes);
    by.shifts = (is->columns + shift_blocks - 1) / shift_blocks;
    by.lane_sums = (size_t)POINTS * up(filters, FILTERS) * by.slices * up(is->columns, by.shifts);
    by.analysis = packed(&by, 0);
    by.synthesis = packed(&by, 1);
    by.scale = zeros(4 * sizeof(float) * filters);
    by.shift = by.scale + filters, by.slope = by.shift + filters, by.level = by.slope + filters;
    double count = (double)is->batch * is->code_height * is->code_width;
    for (int f = 0; f < filters; f++) {
        by.scale[f] = 1;
        if (is->moments) {
            double scale = is->weight[f] / sqrt(is->moments[filters + f] + is->eps);
            by.scale[f] = scale, by.shift[f] = is->shift[f] - is->moments[f] * scale;
        }
        if (is->g_next_moments) { /* of mean and variance = sum (v - mean)^2 / count, by v */
            double slope = 2 * is->g_next_moments[filters + f] / count;
            by.slope[f] = slope, by.level[f] = is->g_next_moments[f] / count - slope * is->next_moments[f];
        }
    }
    by.sums = zeros(4 * sizeof(double) * is->threads * filters);
    by.affine = by.sums + 2 * is->threads * filters;
    if (is->g_bank) by.g_points = zeros(sizeof(float) * is->threads * by.lane_sums * by.lanes);
    return by;
}

static void forget(plan *by) {
    free(by->analysis), free(by->synthesis), free(by->scale), free(by->sums), free(by->g_points);
}

/* The threads are torch's own, as `use_threads` is told: a second pool beside them would fight for the cores, and which
   library has them is known when the program runs. These are what GCC makes of `#pragma omp parallel`. */
static void (*run_parallel)(void (*)(void *), void *, unsigned, unsigned);
static int (*thread_number)(void), (*thread_count)(void);

void use_threads(void *parallel, void *number, void *count) {
    run_parallel = (void (*)(void (*)(void *), void *, unsigned, unsigned))parallel;
    thread_number = (int (*)(void))number, thread_count = (int (*)(void))count;
}

typedef struct {
    const plan *by;
    void (*images)(const plan *, int, long, long);
} job;

static void do_part(void *data) {
    job *mine = data;
    long batch = mine->by->is.batch, thread = thread_number(), threads = thread_count();
    mine->images(mine->by, thread, batch * thread / threads, batch * (thread + 1) / threads);
}

static void on_threads(const plan *by, void (*images)(const plan *, int, long, long)) {
    job whole = {by, images};
    if (run_parallel && by->is.threads > 1) run_parallel(do_part, &whole, by->is.threads, 0);
    else images(by, 0, 0, by->is.batch);
}

static double over_threads(const plan *by, const double *sums, int which, int f) {
    double sum = 0;
    for (int thread = 0; thread < by->is.threads; thread++) sum += sums[(thread * 2 + which) * by->is.filters + f];
    return sum;
}

void layer_forward(const layer *is, int limit) {
    plan by = plan_of(is, limit);
    on_threads(&by, FOR(by.lanes, forward));
    double count = (double)is->batch * is->code_height * is->code_width;
    for (int f = 0; is->next_moments && f < is->filters; f++) {
        double mean = over_threads(&by, by.sums, 0, f) / count;
        double variance = over_threads(&by, by.sums, 1, f) / count - mean * mean;
        is->next_moments[f] = mean;
        is->next_moments[is->filters + f] = variance < 0 ? 0 : variance;
    }
    forget(&by);
}

void layer_backward(const layer *is, int limit) {
    plan by = plan_of(is, limit);
    on_threads(&by, FOR(by.lanes, backward));
    finish_filters(&by);
    for (int f = 0; f < is->filters; f++) is->g_bias[f] = over_threads(&by, by.sums, 0, f);
    for (int f = 0; is->moments && f < is->filters; f++) { /* scale = weight / deviation, shift - mean scale */
        double mean = is->moments[f], deviation = sqrt(is->moments[is->filters + f] + is->eps);
        double g_shift = over_threads(&by, by.affine, 0, f);
        double g_scale = over_threads(&by, by.affine, 1, f) - mean * g_shift;
        is->g_shift[f] = g_shift;
        is->g_weight[f] = g_scale / deviation;
        is->g_moments[f] = -g_shift * is->weight[f] / deviation;
        is->g_moments[is->filters + f] = -g_scale * is->weight[f] / (2 * deviation * deviation * deviation);
    }
    forget(&by);
}

/* The running statistics of a normalisation, one batch further; `unbiased` is count / (count - 1). */
void track(const double *moments, float *mean, float *variance, long long *batches, long filters, double momentum,
           double unbiased) {
    for (long f = 0; f < filters; f++) {
        mean[f] += momentum * (moments[f] - mean[f]);
        variance[f] += momentum * (unbiased * moments[filters + f] - variance[f]);
    }
    ++*batches;
}

void decoder_forward(const layer *is, int limit) {
    plan by = plan_of(is, limit);
    on_threads(&by, FOR(by.lanes, decode));
    forget(&by);
}

void decoder_backward(const layer *is, int limit) {
    plan by = plan_of(is, limit);
    on_threads(&by, FOR(by.lanes, decode_backward));
    finish_filters(&by);
    forget(&by);
}
