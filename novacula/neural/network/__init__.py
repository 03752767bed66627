"""The mathematics of layered networks: what they compute, what they minimise, and its exact derivatives."""

from novacula.neural.network.activation import ACTIVATIONS
from novacula.neural.network.architecture import Architecture, Layers, forward
from novacula.neural.network.back_propagation import BackPropagation
from novacula.neural.network.boolean import boolean_network
from novacula.neural.network.bumps import bump_network
from novacula.neural.network.loss import LOSSES, OUTPUTS
from novacula.neural.network.objective import NetworkObjective
from novacula.neural.network.penalties import Penalties, why_no_curvature
from novacula.neural.network.tape import Tape
from novacula.neural.network.tying import Tying

__all__ = [
    "ACTIVATIONS",
    "LOSSES",
    "OUTPUTS",
    "Architecture",
    "BackPropagation",
    "Layers",
    "NetworkObjective",
    "Penalties",
    "Tape",
    "Tying",
    "boolean_network",
    "bump_network",
    "forward",
    "why_no_curvature",
]
