"""The work of chains: an iteration of Baum–Welch, the emissions it solves, and a sequence worked out by hand."""
