"""Letters and signs: Greek letters, accents, raised and lowered digits, and how a name is put together."""

from __future__ import annotations

from typing import NamedTuple
from unicodedata import normalize

GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "varepsilon", "ζ": "zeta", "η": "eta",
    "θ": "theta", "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "π": "pi",
    "ρ": "rho", "σ": "sigma", "ς": "varsigma", "τ": "tau", "υ": "upsilon", "φ": "varphi", "χ": "chi",
    "ψ": "psi", "ω": "omega", "Γ": "Gamma", "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda", "Ξ": "Xi",
    "Π": "Pi", "Σ": "Sigma", "Υ": "Upsilon", "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega", "ℓ": "ell", "∇": "nabla",
}  # fmt: skip
"""Letters that LaTeX knows by a name."""
ACCENTS = {"\u0302": "hat", "\u0303": "tilde", "\u0304": "bar", "\u0305": "bar", "\u0307": "dot"}
"""Marks over a letter, by LaTeX's names."""
MARKS = {"hat": "^", "tilde": "~", "bar": "¯", "dot": "˙"}
"""Marks as MathML sets them over a letter."""
SUPERSCRIPTS = dict(zip("0123456789-+()nik", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺⁽⁾ⁿⁱᵏ", strict=True))
SUBSCRIPTS = dict(zip("0123456789+-aehijklmnoprstuvxβγρφχ", "₀₁₂₃₄₅₆₇₈₉₊₋ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ", strict=True))
LOWERED = 3  # characters of an index that are lowered in plain text; longer ones are easier to read as they are


class NameParts(NamedTuple):
    """A name: its letter or word, the mark over it, its primes, what stands below, and its iteration."""

    head: str
    accent: str
    primes: int
    lower: str
    iteration: str


def split_name(name: str) -> NameParts:
    """Take a name apart.

    >>> split_name("θ̂_1"), split_name("hʹ"), split_name("μ_k__2")
    (NameParts(head='θ', accent='hat', primes=0, lower='1', iteration=''), NameParts(head='h', accent='', primes=1, \
lower='', iteration=''), NameParts(head='μ', accent='', primes=0, lower='k', iteration='2'))
    """
    rest, _, iteration = name.partition("__")
    head, _, index = rest.partition("_")
    if not head:  # a name that begins with an underscore is a word
        return NameParts(name, "", 0, "", "")
    primes = head.count("ʹ")
    letters = normalize("NFD", head.replace("ʹ", ""))
    accents = [ACCENTS[c] for c in letters if c in ACCENTS]
    if accents and len(letters) == 2:
        return NameParts(letters[0], accents[0], primes, index, iteration)
    return NameParts(head.replace("ʹ", ""), "", primes, index, iteration)


def lowered(index: str) -> str | None:
    """A short index in lowered characters, or None where there are none."""
    short = len(index) <= LOWERED and all(c in SUBSCRIPTS for c in index)
    return "".join(SUBSCRIPTS[c] for c in index) if short and index else None


def raised(text: str) -> str | None:
    """A text in raised characters, or None where there are none."""
    plain = text.replace("−", "-")
    return "".join(SUPERSCRIPTS[c] for c in plain) if plain and all(c in SUPERSCRIPTS for c in plain) else None
