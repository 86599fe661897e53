/* All that depends on the width of vectors, for LANES of them in so many REGISTERS. */

#undef OUTPUTS
#undef PLACES
#undef SHIFTS
#define OUTPUTS 6 /* filters with sums in registers, at most */
#define PLACES 6
#define SHIFTS (REGISTERS == 32 ? 6 : 3) /* columns of filters with sums in registers, at most, beside FILTERS */

#include "vectors.h"
#include "work.h"
#include "correlate.h"
#include "planes.h"
#include "step.h"
