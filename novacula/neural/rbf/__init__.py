"""The parts of radial basis networks: bases, centres and widths, the output layer, fine-tuning, and the derivation."""
