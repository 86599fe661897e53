"""Networks that others published: where they come from, and the formats that nothing else here reads."""
