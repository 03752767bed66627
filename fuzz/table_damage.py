"""Ways to damage a file: bytes flipped, cut and moved, lengths and offsets rewritten, characters that mean much."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fuzz.target import pick

Random = np.random.Generator
Damage = Callable[[Random, bytearray], None]

_EXTREMES = (0, 1, -1, 2, 7, 127, 255, 256, 65535, 10**6, 2**30, 2**31 - 1, 2**31, 2**40, 2**62, 2**63 - 1)
_TOKENS = (
    *(b"\r", b"\n", b"\r\n", b"\n\r", b"\n\n", b'"', b'""', b"'", b",", b";", b"\t", b"|", b"{", b"}", b"%", b"@data"),
    *(b"\0", b"\xff", b"\xef\xbb\xbf", b"\xc3", b"\xe2\x80\xa8", b"\xc2\xa0", b"\x0b", b"\x0c", b"\x1c", b"\x85", b" "),
    *(
        b"nan",
        b"inf",
        b"-Infinity",
        b"1e400",
        b"1e-400",
        b"0x10",
        b"1_000",
        b"NA",
        b"?",
        b"-",
        b"+1",
        b"1.",
        b".5",
        b"#",
    ),
    *(b"9" * 30, b"1" * 400, b"0:1", b"-1:2", b"4294967296:1", b"99999999999999999999:1", b"qid:1", b"\xd9\xa3"),
)


def _place(random: Random, data: bytearray, size: int = 1) -> int:
    """A place with room for some bytes: anywhere, or near the beginning or the end, where formats keep what matters."""
    last = max(len(data) - size, 0)
    near = min(last, 400)
    return int(pick(random, (random.integers(last + 1), random.integers(near + 1), last - random.integers(near + 1))))


def flip(random: Random, data: bytearray) -> None:
    """Flip some bits."""
    for _ in range(int(pick(random, (1, 1, 3, 10)))):
        data[_place(random, data)] ^= 1 << int(random.integers(8))


def overwrite(random: Random, data: bytearray) -> None:
    """Write random bytes over a short run."""
    at, size = _place(random, data), int(random.integers(1, 9))
    data[at : at + size] = random.bytes(len(data[at : at + size]))


def rewrite_number(random: Random, data: bytearray) -> None:
    """Take four or eight bytes for a whole number, as lengths, offsets and codes are, and make it another."""
    size = int(pick(random, (1, 4, 4, 8)))
    at = _place(random, data, size) // size * size
    old = int.from_bytes(data[at : at + size], "little", signed=True)
    new = int(pick(random, (*_EXTREMES, old + 1, old - 1, old + 8, old * 2, -old, old + 2**16)))
    data[at : at + size] = (new % (1 << 8 * len(data[at : at + size]))).to_bytes(len(data[at : at + size]), "little")


def rewrite_varint(random: Random, data: bytearray) -> None:
    """Write a number of variable length, as Thrift's are in a Parquet footer and in the headers of pages."""
    at, number = _place(random, data), abs(int(pick(random, _EXTREMES)))
    written = bytearray()
    while number > 127:
        written.append(number & 127 | 128)
        number >>= 7
    written.append(number)
    data[at : at + int(pick(random, (1, len(written))))] = written


def cut(random: Random, data: bytearray) -> None:
    """Lose the end, or a run somewhere."""
    if random.random() < 0.5:
        del data[_place(random, data) :]
    else:
        at = _place(random, data)
        del data[at : at + int(pick(random, (1, 2, 8, 64)))]


def splice(random: Random, data: bytearray) -> None:
    """Copy a run to another place, over what is there or before it."""
    size = int(pick(random, (1, 8, 32, 200)))
    source, at = _place(random, data, size), _place(random, data, size)
    run = data[source : source + size]
    data[at : at + (len(run) if random.random() < 0.6 else 0)] = run


def spoil_word(random: Random, data: bytearray) -> None:
    """Put bytes that are not UTF-8 into a word."""
    places = [at for word in (b"red", b"green", b"blue", b"yes", b"note", b"c1") if (at := data.find(word)) >= 0]
    if places:
        data[pick(random, places)] = int(pick(random, (0xFF, 0xC3, 0x80, 0xED, 0xF8)))


def insert_token(random: Random, data: bytearray) -> None:
    """Insert, or write over something, a few characters that mean much in some format."""
    token, at = pick(random, _TOKENS), _place(random, data)
    data[at : at + int(pick(random, (0, 0, 1, len(token))))] = token


BINARY: tuple[Damage, ...] = (
    *(flip, overwrite, rewrite_number, rewrite_number, rewrite_number, rewrite_varint, cut, splice, spoil_word),
)
TEXT: tuple[Damage, ...] = (flip, cut, splice, spoil_word, insert_token, insert_token, insert_token, insert_token)


def damaged(random: Random, data: bytes, ways: tuple[Damage, ...]) -> bytes:
    """A damaged copy, by one or a few of some ways."""
    changed = bytearray(data)
    for _ in range(int(pick(random, (1, 1, 1, 2, 4)))):
        if changed:
            pick(random, ways)(random, changed)
    return bytes(changed)
