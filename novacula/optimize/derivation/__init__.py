"""The work of optimisers, of problems with constraints, and of line searches."""
