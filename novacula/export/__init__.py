"""A model as a file without Novacula in it, which gives the same answers: Python, SQL, ONNX, C, JSON, PMML."""

from novacula.export.writing import FORMATS, export_model

__all__ = ["FORMATS", "export_model"]
