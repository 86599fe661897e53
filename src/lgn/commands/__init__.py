"""The commands of the command line, one file each: a function `run` of its options."""
