"""Which symmetries do images, signals and volumes have, which does their task keep, what does a network gain?"""

from lgn.discovery.images.affine import AffineMap
from lgn.discovery.images.ask import symmetries
from lgn.discovery.images.asked import EVIDENCE
from lgn.discovery.images.candidates import ALL_NAMES, NAMES
from lgn.discovery.images.gain import Gain
from lgn.discovery.images.labels import LabelEvidence
from lgn.discovery.images.result import Symmetries
from lgn.discovery.images.row import ClassReading, FamilyFacts, Row

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
