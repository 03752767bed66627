"""What states show: symbols, numbers with a normal distribution, counts."""
