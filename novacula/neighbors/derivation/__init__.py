"""The work of learners of neighbours: model.py derives what is kept, answers.py what neighbours say of rows."""
