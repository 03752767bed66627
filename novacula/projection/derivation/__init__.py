"""The work of projections: principal components, and columns ranked."""
