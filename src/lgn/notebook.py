"""What results look like in a notebook: tables, pictures of matrices, and bars, as HTML that needs nothing else."""

import base64
import html
import io
from collections.abc import Iterable, Sequence

import torch
from torch import Tensor

#: Blue is negative, orange positive, zero in the middle: the colours of the figures and of the page.
DIVERGING = ("#0d3b7a", "#3a7dc1", "#a0c8e8", "#fcfbf9", "#fac685", "#de7c1c", "#853c00")


class Html(str):
    """Text that is HTML already; any other text is escaped where it is put into a table."""


def picture(values: Tensor, side: int = 72) -> Html:
    """A matrix (rows, columns) as a heat map on its own scale, `side` pixels high."""
    from PIL import Image

    values = values.detach().double().cpu()
    most = float(values.abs().max()) or 1.0
    stops = torch.tensor([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in DIVERGING], dtype=torch.float64)
    place = (values / most + 1) / 2 * (len(stops) - 1)  # on the scale of the stops
    below = place.floor().clamp(0, len(stops) - 2).long()
    share = (place - below)[..., None]
    pixels = stops[below] * (1 - share) + stops[below + 1] * share
    buffer = io.BytesIO()
    Image.fromarray(pixels.round().to(torch.uint8).numpy()).save(buffer, "PNG")
    source = base64.b64encode(buffer.getvalue()).decode()
    return Html(
        f'<img src="data:image/png;base64,{source}" height="{side}" alt="{len(values)}x{values.shape[1]} matrix" '
        'style="image-rendering:pixelated">'
    )


def photograph(image: Tensor) -> str:
    """The address of an image as PNG data: (n, m) from 0, black, to 1, white, or (n, m, 3) in colour."""
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray((image.clamp(0, 1) * 255).round().byte().cpu().numpy()).save(buffer, "PNG")
    return f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}"


def bar(share: float, width: int = 160) -> Html:
    """A share as a bar, 1 as long as `width` pixels; one that is longer than three times that is cut."""
    colour = DIVERGING[1] if share <= 1 else DIVERGING[5]
    long = round(width * min(share, 3))
    return Html(f'<div style="width:{max(long, 1)}px;height:10px;background:{colour}"></div>')


def cells(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Html:
    """A table; cells that are `Html` stay as they are."""
    lines = ["".join(f"<th>{_cell(cell)}</th>" for cell in head)]
    lines += ["".join(f'<td style="text-align:left">{_cell(cell)}</td>' for cell in row) for row in rows]
    return Html("<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>")


def together(*parts: str) -> str:
    """Paragraphs of text, and tables, one below the other."""
    return "".join(part if isinstance(part, Html) else f"<p>{_cell(part)}</p>" for part in parts)


def _cell(text: str) -> str:
    return text if isinstance(text, Html) else html.escape(text)
