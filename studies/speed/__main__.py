"""What a training step costs, next to a straightforward implementation and to the limit of the machine.

    python -m studies.speed --quick                     # 1 min
    python -m studies.speed --out results/speed.json  # 12 min; --parts replaces some parts and keeps the others

Expected: on two threads, at least 5 times (MNIST) and 4 times (CIFAR-10) as fast as the straightforward step.
See docs/evidence/speed.md.
"""

from studies.runner import Study, main
from studies.speed.measure import PARTS, measure

OPTIONS = {
    "authors": "a directory with model.py of the authors' code, which is run: time it as well",
    "escnn": "a directory into which escnn was installed: time its networks as well",
}
STUDY = Study("speed", PARTS, measure, minutes=(1, 12), options=OPTIONS)

if __name__ == "__main__":
    main(STUDY)
