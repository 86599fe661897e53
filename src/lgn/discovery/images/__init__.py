"""Named transformations of images, signals and volumes: which of them preserve samples, and their classes?"""

from lgn.discovery.images.asking import discover_images

__all__ = ["discover_images"]
