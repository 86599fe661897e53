"""Unknown symmetries: are they found where they are, and none where there are none?

Expected: see docs/unknown.md. `--quick` takes under 3 minutes.
"""
