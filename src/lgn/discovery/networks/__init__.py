"""The filters of trained networks: which symmetries they have, and networks with these symmetries built in."""

from lgn.discovery.networks.inspecting import inspect
from lgn.discovery.networks.orbit_layers import convert_found

__all__ = ["convert_found", "inspect"]
