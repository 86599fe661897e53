"""The commands of the command line, one file each, with a function `run(args)` that returns the exit status."""
