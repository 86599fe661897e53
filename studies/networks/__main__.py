"""Whether a network with a found symmetry is better than one with free filters, at equal parameters.

    python -m studies.networks --quick                       # 3 min, bundled data
    python -m studies.networks --out results/networks.json  # hours; finished trainings in runs/networks are used again

Expected: on rotated MNIST, an error below 1.5 % with the found group, and above 5 % with free filters.
See docs/evidence/networks.md.
"""

from functools import partial

from studies.networks.cases import PARTS, cells
from studies.runner import declared

STUDY = declared(__name__, "networks", {part: partial(cells, part) for part in PARTS}, minutes=(3, 1000))
