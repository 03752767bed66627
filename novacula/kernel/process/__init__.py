"""Behind Gaussian processes, kernel ridge and kernel PCA: rows that are kept, matrices of them, and their work."""
