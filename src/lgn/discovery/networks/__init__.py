"""The filters of any trained network: twins, orbits, balance, and the groups that follow."""

from lgn.discovery.networks.converting import convert_found
from lgn.discovery.networks.deeper import Carried, carried
from lgn.discovery.networks.inspect import Inspection, inspect
from lgn.discovery.networks.inspect_bank import inspect_bank
from lgn.discovery.networks.orbits import Orbit
from lgn.discovery.networks.result import BankInspection, FittedMap, Row
from lgn.discovery.networks.square import FoundGroup

__all__ = [
    "BankInspection",
    "Carried",
    "FittedMap",
    "FoundGroup",
    "Inspection",
    "Orbit",
    "Row",
    "carried",
    "convert_found",
    "inspect",
    "inspect_bank",
]
