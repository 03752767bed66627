"""One file per workload; each is found by walking this folder."""
