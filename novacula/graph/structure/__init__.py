"""Graphs, and the search for their edges."""
