"""How fast: ratios to the bare libraries, measured in one run; results are kept as JSON."""
