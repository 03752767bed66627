"""Which encoding text is in, where nobody said: UTF-8 unless its bytes say otherwise.

Text that is not UTF-8 is taken for Western European (cp1252) if it reads as such: its letters beyond ASCII stand among
letters, and are few. Anything else, such as a byte that was damaged, is left to be refused with its line.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable

from novacula.errors import ParameterError

UTF_8, WESTERN = "utf-8", "cp1252"

_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, UTF_8),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_OF_NAMES = ("idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape")
"""Encodings of the names of machines, and of letters in programs."""
_ASCII_ENOUGH = 0.3  # of all letters may lie beyond ASCII in a Western European text
_CONTROLS_ENOUGH = 0.02  # of the bytes of a text may be of control characters
_ODD_ENOUGH = 0.05  # of the characters beyond ASCII may stand where they do not in words
_MARKS = "€‚„…‰‹‘’“”•–—™›£¥§©®°±²³µ·¹º¼½¾¿¡«»¢ª´\u00a0\u00ad"
_EDGE = 4  # bytes that a character may need, and that the sample may have cut off


def encoding_of(head: bytes) -> str | None:
    """The encoding of text that begins with these bytes; None if it is none that is known here.

    >>> encoding_of("naïve".encode()), encoding_of("naïve".encode("cp1252")), encoding_of("naïve".encode("utf-16"))
    ('utf-8', 'cp1252', 'utf-16')
    """
    for mark, encoding in _BOMS:
        if head.startswith(mark):
            return encoding
    if (wide := _without_mark(head)) is not None:
        return wide
    if is_utf8(head):
        return UTF_8
    return WESTERN if is_western([head]) else None


def known_encoding(name: str) -> str:
    """An encoding of whole texts, by its usual name.

    >>> known_encoding("Latin-1"), known_encoding("utf-8-sig")
    ('iso8859-1', 'utf-8')
    """
    try:
        known = codecs.lookup(name)
    except (LookupError, ValueError):
        raise ParameterError(f"there is no encoding called {name!r}") from None
    if known.name in _OF_NAMES or not _gives_text(known):
        raise ParameterError(f"{name!r} is not an encoding of tables: name one of text, such as utf-8 or cp1252")
    return UTF_8 if known.name == "utf-8-sig" else known.name


def _gives_text(codec: codecs.CodecInfo) -> bool:
    """Whether a codec makes characters of bytes, and not of characters, or other bytes."""
    try:
        return isinstance(codec.incrementaldecoder().decode(b""), str)
    except (TypeError, ValueError):
        return False


def is_utf8(head: bytes) -> bool:
    """Whether bytes are UTF-8, but for a character that is cut off at their end."""
    try:
        codecs.getincrementaldecoder(UTF_8)().decode(head)
    except UnicodeDecodeError as error:
        return error.start >= len(head) - _EDGE and "unexpected end" in error.reason
    return True


def is_western(pieces: Iterable[bytes]) -> bool:
    """Whether pieces of one text read as Western European words, and hold no character in UTF-8."""
    letters = beyond = odd = marks = 0
    for piece in pieces:
        if re.search(rb"[\xc3-\xf4][\x80-\xbf]", piece) and has_utf8(piece):
            return False
        try:
            text = piece.decode(WESTERN)
        except UnicodeDecodeError:
            return False
        letters += len(re.findall(r"[A-Za-z]", text))
        for found in re.finditer(r"[^\x00-\x7f]", text):
            character = found[0]
            if character in _MARKS:
                marks += 1
                continue
            beyond += 1
            around = text[max(found.start() - 1, 0) : found.start()] + text[found.end() : found.end() + 1]
            odd += not _is_at_home(character, around)
    return beyond + marks > 0 and odd <= _ODD_ENOUGH * (beyond + marks) and beyond <= _ASCII_ENOUGH * max(letters, 1)


def _is_at_home(letter: str, around: str) -> bool:
    """Whether a letter beyond ASCII stands where letters do; ÿ is rare, and is what a byte of ones reads as."""
    return letter.isalpha() and letter != "ÿ" and not any(map(str.isdigit, around))


def has_utf8(piece: bytes) -> bool:
    """Whether there is a character of several bytes in UTF-8 that Western European text is unlikely to hold."""
    for found in re.finditer(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}", piece):
        try:
            found[0].decode(UTF_8)
        except UnicodeDecodeError:
            continue
        return True
    return False


def decodes(data: bytes, encoding: str) -> bool:
    """Whether bytes are text in an encoding."""
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def is_binary(head: bytes) -> bool:
    """Whether bytes are too seldom those of text: many are of control characters, which no encoding of letters has."""
    return len(re.findall(rb"[\x01-\x08\x0e-\x1a\x1c-\x1f]", head)) > _CONTROLS_ENOUGH * len(head)


def _without_mark(head: bytes) -> str | None:
    """UTF-16 that does not say so: nearly every other byte of its beginning is zero."""
    sample = head[: len(head) // 2 * 2][:1024]
    if len(sample) < 4:
        return None
    low, high = sample[::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    if high > 0.7 * half and low < 0.1 * half:
        return "utf-16-le"
    return "utf-16-be" if low > 0.7 * half and high < 0.1 * half else None
