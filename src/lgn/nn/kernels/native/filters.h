/* Filters at the points, in the order in which correlations read them; and their gradient back. */

static float at_point(const plan *by, int point, int f, int slice, int column) {
    const layer *is = &by->is;
    double sum = 0;
    for (int i = 0, y = slice % by->groups * TAPS; i < TAPS && y < is->rows; i++, y++)
        sum += OF_FILTERS[point][i] *
               is->bank[((f * is->channels + slice / by->groups) * is->rows + y) * is->columns + column];
    return sum;
}

/* (bands, blocks, POINTS, inputs, columns, outputs): filters from slices for analysis, in one band; slices from filters,
   with their columns the other way round, for synthesis, in bands of so many FILTERS. */
static float *packed(const plan *by, int synthesis) {
    int filters = by->is.filters, columns = by->is.columns, block = by->outputs[synthesis];
    int inputs = synthesis ? FILTERS : by->slices, outputs = synthesis ? by->slices : filters;
    int bands = synthesis ? by->bands : 1;
    float *to = zeros(sizeof(float) * bands * POINTS * up(outputs, block) * inputs * columns), *at = to;
    for (int band = 0; band < bands; band++)
        for (int first = 0; first < outputs; first += block)
            for (int point = 0; point < POINTS; point++)
                for (int input = band * inputs; input < (band + 1) * inputs; input++)
                    for (int column = 0; column < columns; column++)
                        for (int output = first; output < first + block; output++, at++)
                            if (output < outputs && input < (synthesis ? filters : inputs))
                                *at = synthesis ? at_point(by, point, input, output, columns - 1 - column)
                                                : at_point(by, point, output, input, column);
    return to;
}

/* What threads and lanes have of the gradient at the points, as the gradient of the filters. */
static void finish_filters(const plan *by) {
    const layer *is = &by->is;
    int blocks = up(is->columns, by->shifts) / by->shifts, lanes = by->lanes;
    for (int f = 0; f < is->filters; f++)
        for (int slice = 0; slice < by->slices; slice++)
            for (int column = 0; column < is->columns; column++) {
                double rows[TAPS] = {0};
                for (int point = 0; point < POINTS; point++) {
                    double at = 0;
                    size_t block = (f / FILTERS * POINTS + point) * by->slices + slice;
                    size_t place = ((block * blocks + column / by->shifts) * FILTERS + f % FILTERS) * by->shifts;
                    for (int thread = 0; thread < is->threads; thread++)
                        for (int lane = 0; lane < lanes; lane++)
                            at += by->g_points[(thread * by->lane_sums + place + column % by->shifts) * lanes + lane];
                    for (int i = 0; i < TAPS; i++) rows[i] += OF_FILTERS[point][i] * at;
                }
                for (int i = 0; i < TAPS && slice % by->groups * TAPS + i < is->rows; i++) {
                    int y = slice % by->groups * TAPS + i, channel = slice / by->groups;
                    is->g_bank[((f * is->channels + channel) * is->rows + y) * is->columns + column] = rows[i];
                }
            }
}
