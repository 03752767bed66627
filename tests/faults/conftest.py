"""What is run as a program of its own, and imports what lies beside it, is not collected."""

collect_ignore = ["cluster_moments.py"]
