/* Vectors of LANES floats by the compiler's own types; included once for each width. */

typedef float vec __attribute__((vector_size(4 * LANES), aligned(4)));
typedef int mask __attribute__((vector_size(4 * LANES), aligned(4)));

INLINE vec load(const float *p) { return *(const vec *)p; }
INLINE void store(float *p, vec v) { *(vec *)p = v; }
INLINE void add(float *to, vec v) { store(to, load(to) + v); }
INLINE vec unless(mask m, vec v) { return (vec)((mask)v & ~m); } /* a comparison with NaN is false, so NaN stays */

INLINE vec everywhere(float x) { return x - (vec){0}; } /* 0 + x is not x to a compiler: it would add, for -0 */

INLINE vec once(vec v) { /* GCC would load anew in every multiplication */
#if defined(__x86_64__)
    __asm__("" : "+v"(v));
#endif
    return v;
}

/* A row's last vector ends where the row ends: it repeats some of the one before, and sums leave those out. */
INLINE int place(int column, int width) { return column + LANES <= width ? column : width - LANES; }
INLINE mask repeated(int column, int x) {
    static const int numbers[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return *(const mask *)numbers < column - x;
}
INLINE vec fresh(int column, int x, vec v) { return column == x ? v : unless(repeated(column, x), v); }
INLINE void put(float *to, int column, int x, vec v) { /* what is repeated was stored before, and stays */
    store(to, column == x ? v : (vec)((mask)fresh(column, x, v) | ((mask)load(to) & repeated(column, x))));
}

INLINE double total(const float *lanes) {
    double sum = 0;
    for (int i = 0; i < LANES; i++) sum += lanes[i];
    return sum;
}
