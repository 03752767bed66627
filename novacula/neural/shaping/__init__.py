"""Networks changed or built without training: linear layers made one, weights pruned."""
