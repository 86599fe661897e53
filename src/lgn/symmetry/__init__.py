"""Which symmetries do images, signals and volumes have, which does their task keep, what does a network gain?"""

from lgn.symmetry.affine import AffineMap
from lgn.symmetry.ask import symmetries
from lgn.symmetry.asked import EVIDENCE
from lgn.symmetry.candidates import ALL_NAMES, NAMES
from lgn.symmetry.gain import Gain
from lgn.symmetry.labels import LabelEvidence
from lgn.symmetry.result import Symmetries
from lgn.symmetry.row import ClassReading, FamilyFacts, Row

__all__ = [
    "ALL_NAMES",
    "EVIDENCE",
    "NAMES",
    "AffineMap",
    "ClassReading",
    "FamilyFacts",
    "Gain",
    "LabelEvidence",
    "Row",
    "Symmetries",
    "symmetries",
]
