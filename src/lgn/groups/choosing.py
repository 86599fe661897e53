"""The group that a layer is asked for: by its order, short for a cyclic one, by name, or itself."""

from lgn.groups.group import Group
from lgn.groups.known import cyclic, named


def as_group(given: Group | str | int) -> Group:
    """A group as it is, by its name ("dihedral:4"), or the cyclic one of an order."""
    if isinstance(given, Group):
        return given
    return named(given) if isinstance(given, str) else cyclic(given)


def chosen_group(order: int | None, group: Group | str | None, default: int | None = None) -> Group:
    """The group of a layer: `order` alone means the cyclic one; both must agree; it has 2 elements at least."""
    if group is None:
        order = default if order is None else order
        if order is None:
            raise ValueError("order or group must be given, got neither")
        if order < 2:
            raise ValueError(f"order must be at least 2, got {order}")
        return cyclic(order)
    found = as_group(group)
    if order is not None and order != found.order:
        raise ValueError(f"order must be {found.order} for the group {found.name}, or left out, got {order}")
    if found.order < 2:
        raise ValueError(f"group must have at least 2 elements, got the {found.name} one")
    return found
