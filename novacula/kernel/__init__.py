"""Kernels and what is learned with them: support vector machines, Gaussian processes, kernel ridge and PCA."""

from typing import TYPE_CHECKING

from novacula.lazy import load_when_used

if TYPE_CHECKING:
    from novacula.kernel.algebra import (
        Constant,
        Custom,
        Gaussian,
        Kernel,
        Linear,
        Multiquadric,
        Polynomial,
        Precomputed,
    )
    from novacula.kernel.gaussian_process import GaussianProcessRegressor
    from novacula.kernel.kernel_pca import KernelPCA
    from novacula.kernel.kernel_ridge import KernelRidge
    from novacula.kernel.nystroem import Nystroem
    from novacula.kernel.random_fourier_features import RandomFourierFeatures
    from novacula.kernel.svc import SVC
    from novacula.kernel.svr import SVR

_HOME = {
    "Constant": "algebra",
    "Custom": "algebra",
    "Gaussian": "algebra",
    "GaussianProcessRegressor": "gaussian_process",
    "Kernel": "algebra",
    "KernelPCA": "kernel_pca",
    "KernelRidge": "kernel_ridge",
    "Linear": "algebra",
    "Multiquadric": "algebra",
    "Nystroem": "nystroem",
    "Polynomial": "algebra",
    "Precomputed": "algebra",
    "RandomFourierFeatures": "random_fourier_features",
    "SVC": "svc",
    "SVR": "svr",
}

is_family = True
__all__ = [
    "SVC",
    "SVR",
    "Constant",
    "Custom",
    "Gaussian",
    "GaussianProcessRegressor",
    "Kernel",
    "KernelPCA",
    "KernelRidge",
    "Linear",
    "Multiquadric",
    "Nystroem",
    "Polynomial",
    "Precomputed",
    "RandomFourierFeatures",
]

__getattr__, __dir__ = load_when_used(__name__, _HOME)
