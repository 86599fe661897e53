"""How often groups are found in filters that have one, and in filters that do not.

    python -m studies.inspection --quick                       # 1 min, bundled data
    python -m studies.inspection --out results/inspection.json  # 10 min

Expected: no group in unrelated filters, and the right group wherever 48 of 64 filters are in orbits.
See docs/evidence/inspection.md.
"""

from studies.inspection import banks, following, planted
from studies.runner import main, study_of_cells

STUDY = study_of_cells(
    "inspection",
    {
        "unrelated": banks.unrelated,
        "orbits": planted.cells,
        "balance": banks.balance,
        "following": following.cells,
    },
    minutes=(1, 10),
)

if __name__ == "__main__":
    main(STUDY)
