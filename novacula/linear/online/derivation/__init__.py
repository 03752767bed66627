"""How planes are taught row by row, step by step."""
