/* What a layer of the unfolded encoder is given and gives, and the memory that a thread works in.

Note [Native step]
1. A vector holds neighbours of a row, and all work is on rows: one channel or three fill it as well as twenty.
2. Five rows of codes and three rows of a filter meet in seven products of rows, not fifteen (Winograd's F(5, 3)): with
   A, the polynomial of five rows of codes at the points 0, 1, -1, 2, -2, 1/2 and infinity, B of seven rows of an image
   (`OF_IMAGE`) and the filters at the same points (`OF_FILTERS`), only correlations along rows are left:
     S^T = A^T corr B,    S = B^T corr^T A,    the filters' gradient = sum of (A g)(B r).
   Tiles of more rows would save little more where there are 25 or 29, and lose digits.
   Taller filters are cut into groups of three rows; a group of one channel is a slice, five rows of codes are a tile.
3. Sums stay in registers, as many as there are: then multiplication is the limit, and not loading. What is lifted stays
   in the first cache: four filters at a time, a band, are lifted, synthesised and correlated before the next.
4. Neither batch normalisation nor momentum makes a pass of its own. A layer is z' = relu(u + S^T(x - S u) + b) with
   u = scale v + shift and v = ahead z + (1 - ahead) y, for the codes z and y of the two layers before it. It also gives
   mean and variance of what the next layer will normalise, v' = following z' + (1 - following) z, and their gradients
   come back as an affine function of v', added where the gradient by z' is read.
5. The same source is compiled for each width of vectors, and the widest that the processor has is taken when it runs.
Threads share out the images. Each has sums of its own, added in a fixed order: the same threads, the same bits. */

#include <stdlib.h>
#include <string.h>

enum { POINTS = 7, TAPS = 3, ROWS = 5 }; /* rows of filters in a group, and of codes in a tile */
enum { FILTERS = 4, CHAINS = 4 };        /* chains: sums that do not wait for each other */
enum { LINE = 16 };                      /* floats of a line of the cache */

/* What images (B) and filters have at each point, of their rows. */
static const float OF_IMAGE[POINTS][POINTS] = {
    {-2, 4, 2.5, -5, -.5, 1, 0},  /* 0 */
    {0, 2, -2, -4.5, .5, 1, 0},   /* 1 */
    {0, -2, 6, -3.5, -1.5, 1, 0}, /* -1 */
    {0, 1, -1.5, -2, 1.5, 1, 0},  /* 2 */
    {0, -1, 2.5, 0, -2.5, 1, 0},  /* -2 */
    {0, 4, 0, -5, 0, 1, 0},       /* 1/2 */
    {0, -2, 4, 2.5, -5, -.5, 1},  /* infinity */
};
static const double OF_FILTERS[POINTS][TAPS] = {
    {-1 / 2., 0, 0},
    {-1 / 3., -1 / 3., -1 / 3.},
    {1 / 9., -1 / 9., 1 / 9.},
    {1 / 36., 2 / 36., 4 / 36.},
    {-1 / 60., 2 / 60., -4 / 60.},
    {32 / 45., 16 / 45., 8 / 45.},
    {0, 0, 1},
};

typedef struct { /* as `_Layer` in step.py; what is not there is NULL */
    long batch, filters, channels, height, width, rows, columns, top, left, code_height, code_width, threads;
    long pool;                         /* z' averaged over so many cells a side, or 0 */
    double ahead, following, eps;
    const float *codes, *previous;     /* z and y:  (batch, filters, code_height, code_width); u = 0 without z */
    const double *moments;             /* mean and variance of v:  (2, filters); u = v without them */
    const float *weight, *shift;       /* of the normalisation:  (filters) */
    const float *image, *bank, *bias;  /* (batch, channels, height, width), (filters, channels, rows, columns), (filters) */
    float *residual, *out;             /* x - S u, and z' */
    float *pooled;                     /* (batch, filters, pool, pool) */
    double *next_moments;              /* mean and variance of v':  (2, filters) */
    const float *g_pooled;
    const float *g_out, *g_passed;     /* gradients by z', and by z where the layer after next has it for its y */
    const double *g_next_moments;
    float *g_codes, *g_previous, *g_image, *g_bank, *g_bias, *g_weight, *g_shift;
    double *g_moments;
} layer;

typedef struct { /* the layer in numbers that all threads share; made by `plan_of` in kernels.c */
    layer is;
    int lanes, groups, slices, tiles, bands; /* a band: so many FILTERS */
    int outputs[2], shifts;                  /* with sums in registers: of analysis, of synthesis; columns of filters */
    size_t lane_sums;                                      /* how many vectors of the filters' gradient a thread has */
    float *analysis, *synthesis;       /* filters at the points; see `packed` */
    float *scale, *shift;              /* u = scale v + shift:  (filters) */
    float *slope, *level;              /* the moments' gradient by v' is slope v' + level:  (filters) */
    double *sums;                      /* (threads, 2, filters) each: of v' and squares, or of the bias' gradient ... */
    double *affine;                    /* ... and of the gradients by shift and by scale */
    float *g_points;                   /* (threads, lane_sums, lanes) */
} plan;

/* What a layer is given: u = 0;  v = z and v' = z';  momentum, here or next. The steps are made for each, so that
   nothing is asked of every vector. */
enum { NOTHING, CODES, MIXED };
static inline int given_to(const layer *is) {
    return !is->codes ? NOTHING : is->previous || is->g_passed || is->following != 1 ? MIXED : CODES;
}

static inline int up(int n, int unit) { return (n + unit - 1) / unit * unit; }
static inline int larger(int a, int b) { return a > b ? a : b; }

static void *zeros(size_t bytes) {
    bytes = (bytes + 63) / 64 * 64;
    return memset(aligned_alloc(64, bytes), 0, bytes);
}
