"""Unknown symmetries in closed form: the linear maps that keep the moments of data, with no list to choose from."""

from lgn.discovery.moments.discover import discover_from_data
from lgn.discovery.moments.result import DataSymmetry, Element, GroupFound, LieGenerator, Verified
from lgn.discovery.moments.warp import Warp

__all__ = ["DataSymmetry", "Element", "GroupFound", "LieGenerator", "Verified", "Warp", "discover_from_data"]
