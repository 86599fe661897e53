/* Correlations along rows, with sums in registers: where the time goes; included once for each width. */

/* to[o][p] = sum over rows i and columns j of filters[i][j][o] at[p][i stride + j], for vectors at so many places;
   `more` adds it to what is there. The fewer of filters and vectors stay in registers beside the sums. */
INLINE void correlate_block(int outputs, int places, int more, const float *const *at, int inputs, int stride, int columns,
                            const float *filters, float *to, int to_stride) {
    vec sum[OUTPUTS][PLACES];
    UNROLL for (int o = 0; o < outputs; o++)
        UNROLL for (int p = 0; p < places; p++) sum[o][p] = more ? load(to + o * to_stride + p * LANES) : (vec){0};
    for (size_t row = 0; inputs--; row += stride)
        for (int j = 0; j < columns; j++, filters += outputs) {
            if (outputs < places) {
                vec filter[OUTPUTS];
                UNROLL for (int o = 0; o < outputs; o++) filter[o] = once(everywhere(filters[o]));
                UNROLL for (int p = 0; p < places; p++) {
                    vec rows = once(load(at[p] + row + j));
                    UNROLL for (int o = 0; o < outputs; o++) sum[o][p] += filter[o] * rows;
                }
            } else {
                vec rows[PLACES];
                UNROLL for (int p = 0; p < places; p++) rows[p] = once(load(at[p] + row + j));
                UNROLL for (int o = 0; o < outputs; o++) {
                    vec filter = once(everywhere(filters[o]));
                    UNROLL for (int p = 0; p < places; p++) sum[o][p] += filter * rows[p];
                }
            }
        }
    UNROLL for (int o = 0; o < outputs; o++)
        UNROLL for (int p = 0; p < places; p++) store(to + o * to_stride + p * LANES, sum[o][p]);
}

/* How many vectors fill the registers beside so many filters: their sums, the fewer of both, and one of the other. */
INLINE int places_beside(int outputs) {
    int places = PLACES;
    while (places > 2 && outputs * places + (outputs < places ? outputs : places) + 1 > REGISTERS) places--;
    return places;
}

/* The fewest tiles whose vectors make whole blocks. */
static int tiles_at_once(int outputs, int columns) {
    int places = places_beside(outputs), tiles = 1;
    while (tiles * (columns / LANES) % places) tiles++;
    return tiles;
}

#define BLOCK(outputs, places) \
    correlate_block(outputs, places, more, at, inputs, stride, taps, filters, to + first * LANES, to_stride)
#define CASE(count)                              \
    case count:                                  \
        if (places == 2) BLOCK(count, 2);        \
        else BLOCK(count, places_beside(count)); \
        break;

/* products (+)= the correlations of the rows of some tiles with a block of filters, at each point:  (POINTS, outputs,
   vectors). `far` is the distance of points in the rows. */
INLINE void correlate_any(int more, const float *rows, int tiles, int far, int inputs, int stride, int taps,
                          const float *filters, int outputs, int columns, float *to) {
    int vectors = columns / LANES, count = tiles * vectors, to_stride = apart(count);
    for (int point = 0; point < POINTS; point++, rows += far, filters += inputs * taps * outputs, to += outputs * to_stride)
        for (int first = 0, places; first < count; first += places) {
            places = first + places_beside(outputs) <= count ? places_beside(outputs) : 2;
            const float *at[PLACES];
            for (int p = 0; p < places; p++) { /* of two places the second may not be there */
                int vector = first + p < count ? first + p : first;
                at[p] = rows + (size_t)(vector / vectors) * POINTS * far + vector % vectors * LANES;
            }
            switch (outputs) {
                CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6)
            }
        }
}

/* Once each, since they are long: anew, and added. */
static void correlate(const float *rows, int tiles, int far, int inputs, int stride, int taps, const float *filters,
                      int outputs, int columns, float *to) {
    correlate_any(0, rows, tiles, far, inputs, stride, taps, filters, outputs, columns, to);
}
static void correlate_more(const float *rows, int tiles, int far, int inputs, int stride, int taps, const float *filters,
                           int outputs, int columns, float *to) {
    correlate_any(1, rows, tiles, far, inputs, stride, taps, filters, outputs, columns, to);
}

INLINE void correlate_codes_block(const work *w, int shifts, int point, int slice, int shift, float *to) {
    vec sum[FILTERS][SHIFTS];
    UNROLL for (int i = 0; i < FILTERS; i++) UNROLL for (int j = 0; j < shifts; j++) sum[i][j] = (vec){0};
    for (int tile = 0; tile < w->by->tiles; tile++) {
        const float *codes = codes_at(w, tile, point, 0), *image = image_at(w, tile, point, slice) + shift;
        for (int x = 0; x < w->code_columns; x += LANES) {
            vec shifted[SHIFTS];
            UNROLL for (int j = 0; j < shifts; j++) shifted[j] = once(load(image + x + j));
            UNROLL for (int i = 0; i < FILTERS; i++) {
                vec row = once(load(codes + i * w->code_stride + x));
                UNROLL for (int j = 0; j < shifts; j++) sum[i][j] += row * shifted[j];
            }
        }
    }
    UNROLL for (int i = 0; i < FILTERS; i++)
        UNROLL for (int j = 0; j < shifts; j++) add(to + (i * shifts + j) * LANES, sum[i][j]);
}

/* The filters' gradient of a band, added for each thread:  (bands, POINTS, slices, columns / shifts, FILTERS, shifts,
   LANES) */
static void correlate_codes(const work *w, int thread, int band) {
    int shifts = w->by->shifts, columns = up(w->by->is.columns, shifts);
    float *to = w->by->g_points + thread * w->by->lane_sums * LANES;
    to += (size_t)band * POINTS * w->by->slices * columns * FILTERS * LANES;
    for (int point = 0; point < POINTS; point++)
        for (int slice = 0; slice < w->by->slices; slice++)
            for (int shift = 0; shift < columns; shift += shifts, to += FILTERS * shifts * LANES)
                switch (shifts) {
                    case 1: correlate_codes_block(w, 1, point, slice, shift, to); break;
                    case 2: correlate_codes_block(w, 2, point, slice, shift, to); break;
                    case 3: correlate_codes_block(w, 3, point, slice, shift, to); break;
#if REGISTERS == 32
                    case 4: correlate_codes_block(w, 4, point, slice, shift, to); break;
                    case 5: correlate_codes_block(w, 5, point, slice, shift, to); break;
                    case 6: correlate_codes_block(w, 6, point, slice, shift, to); break;
#endif
                }
}
