"""What things cost, measured: interleaved minima, printed for people or as JSON."""
