"""Tables: rows from arrays, frames, files or a cluster, laid out by one schema, and the loop over them."""

from novacula.table.chunk import Chunk
from novacula.table.parallel import threads
from novacula.table.reading import read
from novacula.table.schema import Column, Schema
from novacula.table.table import Table

__all__ = ["Chunk", "Column", "Schema", "Table", "read", "threads"]
