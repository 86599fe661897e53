"""Which symmetries do images have, which does their task keep, and what does a network gain from them?"""

from lgn.symmetry.ask import symmetries
from lgn.symmetry.asked import EVIDENCE
from lgn.symmetry.candidates import NAMES
from lgn.symmetry.gain import Gain
from lgn.symmetry.labels import LabelEvidence
from lgn.symmetry.result import ClassReading, FamilyFacts, Row, Symmetries

__all__ = [
    "EVIDENCE",
    "NAMES",
    "ClassReading",
    "FamilyFacts",
    "Gain",
    "LabelEvidence",
    "Row",
    "Symmetries",
    "symmetries",
]
