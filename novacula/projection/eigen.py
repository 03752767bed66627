"""All eigenvalues of a symmetric matrix, and only the eigenvectors that are requested.

    A = QTQᵀ        Tu = λu        v = Qu

To find Q, which makes T tridiagonal, takes (4/3)n³ operations. The eigenvalues of T then take n², and each of its
eigenvectors some more; to have all n of them takes as long again as T.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from novacula.table.chunk import Floats

SMALL = 256
"""Rows up to which all eigenvectors are found at once."""


def eigenvalues(matrix: Floats) -> tuple[Floats, Callable[[int], Floats]]:
    """The eigenvalues of a finite symmetric matrix (n, n), falling, and a function that gives the first k vectors."""
    if len(matrix) <= SMALL:
        values, vectors = np.linalg.eigh(matrix)
        return values[::-1], lambda k: vectors[:, ::-1][:, :k]
    from scipy.linalg import lapack

    room = int(lapack.dsytrd_lwork(len(matrix), lower=1)[0])
    reflectors, diagonal, beside, tau, _ = lapack.dsytrd(matrix, lower=1, lwork=room)
    values, unsettled = lapack.dsterf(diagonal, beside)
    if unsettled:
        raise np.linalg.LinAlgError("the eigenvalues did not converge")

    def first(k: int) -> Floats:
        if not k:  # of which LAPACK knows no range
            return np.empty((len(matrix), 0))
        try:
            vectors = _largest(diagonal, beside, k)
        except np.linalg.LinAlgError:  # where very many eigenvalues are equal
            return np.linalg.eigh(matrix)[1][:, : -k - 1 : -1]
        # The first entry stays as it is, and the reflectors that make Q act on the others.
        vectors[1:] = _reflected(reflectors[1:, :-1], tau, np.asfortranarray(vectors[1:]))
        return vectors

    return values[::-1], first


def _largest(diagonal: Floats, beside: Floats, k: int) -> Floats:
    """The eigenvectors (n, k) of the k largest eigenvalues of a tridiagonal matrix, these falling."""
    from scipy.linalg import eigh_tridiagonal

    n = len(diagonal)
    chosen = {"select": "i", "select_range": (n - k, n - 1), "check_finite": False, "lapack_driver": "stemr"}
    return np.asarray(eigh_tridiagonal(diagonal, beside, **chosen)[1][:, ::-1])


def _reflected(reflectors: Floats, tau: Floats, vectors: Floats) -> Floats:
    """Q times vectors, for Q as the product of reflectors below the diagonal."""
    from scipy.linalg import lapack

    room = int(lapack.dormqr("L", "N", reflectors, tau, vectors, -1)[1][0])
    return np.asarray(lapack.dormqr("L", "N", reflectors, tau, vectors, room)[0])
