"""Trees that are added one by one, each of which lowers the loss that those before have left."""
