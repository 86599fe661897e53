"""The filters of any trained network: twins, orbits, balance, and the groups that follow."""

from lgn.inspection.deeper import Carried, carried
from lgn.inspection.inspect import Inspection, inspect
from lgn.inspection.inspect_bank import inspect_bank
from lgn.inspection.orbits import Orbit
from lgn.inspection.result import BankInspection, FittedMap, Row
from lgn.inspection.square import FoundGroup

__all__ = [
    "BankInspection",
    "Carried",
    "FittedMap",
    "FoundGroup",
    "Inspection",
    "Orbit",
    "Row",
    "carried",
    "inspect",
    "inspect_bank",
]
