"""The symmetries of the filters of trained networks, and networks with these symmetries built in."""

from lgn.discovery.networks.network_answer import inspect
from lgn.discovery.networks.orbit_layers import convert_found

__all__ = ["convert_found", "inspect"]
