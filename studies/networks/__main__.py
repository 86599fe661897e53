"""Whether a network with a found symmetry is better than one with free filters, at equal parameters.

    python -m studies.networks --quick                       # 3 min, bundled data
    python -m studies.networks --out results/networks.json  # hours; finished networks are not trained again

Expected: on rotated MNIST, an error below 1.5 % with the found group, and above 5 % with free filters.
See docs/evidence/networks.md.
"""

from studies.networks.cases import PARTS
from studies.networks.rows import measure
from studies.runner import Study, main

STUDY = Study("networks", tuple(PARTS), measure, minutes=(3, 1000))

if __name__ == "__main__":
    main(STUDY)
