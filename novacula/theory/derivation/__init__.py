"""How the numbers of learning theory come about: bounds step by step, sizes of spaces, labellings."""
