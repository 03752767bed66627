"""One file a workload; each is found by walking this folder."""
