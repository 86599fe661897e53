"""`python -m lgn`, which is also what torchrun starts."""

import sys

from lgn.cli import main

sys.exit(main())
