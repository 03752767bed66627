"""Pictures of networks."""
