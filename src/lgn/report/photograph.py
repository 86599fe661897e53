"""An image as a page shows it: a PNG inside the page, grey or in colour."""

import base64
import io

from torch import Tensor


def photograph(image: Tensor) -> str:
    """A data address. Shapes: (n, m), from 0, black, to 1, white, or (n, m, 3) in colour"""
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray((image.clamp(0, 1) * 255).round().byte().cpu().numpy()).save(buffer, "PNG")
    return f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}"
