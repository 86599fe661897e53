"""Unknown symmetries in closed form: the linear maps that keep the moments of data, with no list to choose from."""

from lgn.discovery.moments.discover import discover_from_data
from lgn.discovery.moments.result import DataSymmetry, Element, GroupFound, LieGenerator

__all__ = ["DataSymmetry", "Element", "GroupFound", "LieGenerator", "discover_from_data"]
