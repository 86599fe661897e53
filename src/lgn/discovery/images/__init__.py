"""The named transformations that preserve images, signals or volumes, and their classes."""

from lgn.discovery.images.images_answer import discover_images

__all__ = ["discover_images"]
