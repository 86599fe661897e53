"""Do the numbers hold? Cases without anything to find, and cases with it, through the same functions."""
