"""What was seen in a model, with the numbers put in."""
