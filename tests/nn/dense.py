"""Convolution as a matrix, for comparison in tests."""

from torch import Tensor

from lgn.nn.kernels.adjoint import Margins


def dense_matrix(filters: Tensor, margins: Margins, size: tuple[int, int]) -> Tensor:
    """`W` of `x = W z` as a matrix, from the definition: a column is a filter in its place.

    Shapes: (F, C, n, m) -> (C * H * W, F * H' * W')
    """
    count, channels, n, m = filters.shape
    ((top, left), (bottom, right)), (height, width) = margins, size
    rows, columns = height + top + bottom - n + 1, width + left + right - m + 1
    matrix = filters.new_zeros(channels, height, width, count, rows, columns)
    for i in range(rows):
        for j in range(columns):
            canvas = filters.new_zeros(count, channels, height + top + bottom, width + left + right)
            canvas[..., i : i + n, j : j + m] = filters
            matrix[..., i, j] = canvas[..., top : top + height, left : left + width].permute(1, 2, 3, 0)
    return matrix.flatten(3).flatten(0, 2)
