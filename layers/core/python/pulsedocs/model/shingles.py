"""Eight words in a row, as keyed hashes: how a text is recognised by someone who must not keep it.

A sample of a document's shingles is taken before it is purged, and looked for in everything that is
left. Words are compared without case, punctuation and Unicode form: a copy that was cleaned, or put
into JSON, is found too.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Final, cast

SHINGLE_WORDS: Final = 8
SAMPLE_SIZE: Final = 64
_KEY_BYTES: Final = 32
_DIGEST_BYTES: Final = 16
_WORD: Final = re.compile(r"\w+")
_FEWEST_DIFFERENT: Final = 6  # of eight: a row of figures or of dots tells nothing


@dataclass(frozen=True, slots=True)
class Sample:
    """Hashes of some shingles under a key of their own: without the key they say nothing."""

    key: bytes
    hashes: frozenset[bytes]

    @classmethod
    def of(cls, shingles: Iterable[str], *, key: bytes) -> "Sample":
        return cls(key, frozenset(_digest(key, shingle) for shingle in shingles))

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Sample":
        hashes = frozenset(bytes.fromhex(each) for each in stored["hashes"])
        return cls(bytes.fromhex(stored["key"]), hashes)

    def to_json(self) -> dict[str, Any]:
        return {"key": self.key.hex(), "hashes": sorted(each.hex() for each in self.hashes)}


class Matcher:
    """Finds the shingles of several samples in one reading of a text."""

    def __init__(self, samples: Iterable[Sample]) -> None:
        by_key: dict[bytes, set[bytes]] = {}
        for sample in samples:
            if sample.hashes:
                by_key.setdefault(sample.key, set()).update(sample.hashes)
        self._by_key = by_key

    @property
    def is_empty(self) -> bool:
        return not self._by_key

    def found_in(self, text: str) -> frozenset[bytes]:
        found: set[bytes] = set()
        for shingle in shingles_of(text):
            for key, hashes in self._by_key.items():
                digest = _digest(key, shingle)
                if digest in hashes:
                    found.add(digest)
        return frozenset(found)


def texts_in(value: object) -> Iterator[str]:
    """Yield every string of a JSON value that can hold shingles, keys included.

    A list of strings is one text: a list of words has no shingle in any single item.
    """
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in cast("Mapping[str, object]", value).items():
            yield key
            yield from texts_in(item)
    elif isinstance(value, list):
        items = cast("list[object]", value)
        if all(isinstance(item, str) for item in items):
            yield " ".join(cast("list[str]", items))
        else:
            for item in items:
                yield from texts_in(item)


def shingles_of(text: str) -> Iterator[str]:
    """Yield every row of eight words, normalised."""
    words = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    for start in range(len(words) - SHINGLE_WORDS + 1):
        yield " ".join(words[start : start + SHINGLE_WORDS])


def normalised(shingle: str) -> str | None:
    """Return a client's shingle as ours are written, or None for fewer or more than eight words."""
    found = list(shingles_of(shingle))
    return found[0] if len(found) == 1 else None


def distinctive(texts: Iterable[str], *, most: int = SAMPLE_SIZE) -> list[str]:
    """Choose up to `most` telling shingles, spread over the texts in order.

    One candidate of each part of a text: what the text says once, in many and long words. What two
    parts offer (a running header) is no candidate of either, unless there is nothing else.
    """
    candidates: Counter[str] = Counter()
    for text in texts:
        shingles = list(shingles_of(text))
        said = Counter(shingles)
        for part in _parts(shingles):
            best = max(part, key=lambda shingle: (said[shingle] == 1, *_tells(shingle)))
            if _tells(best)[0] >= _FEWEST_DIFFERENT:
                candidates[best] += 1
    single = [shingle for shingle, times in candidates.items() if times == 1]
    return _spread(single or list(candidates), most)


def key_of(randomness: bytes) -> bytes:
    """Return a key of the right length from fresh random bytes."""
    return blake2b(randomness, digest_size=_KEY_BYTES).digest()


def _parts(shingles: Sequence[str]) -> Iterator[Sequence[str]]:
    """Cut a text's shingles into at most eight runs that do not overlap."""
    length = max(SHINGLE_WORDS, -(-len(shingles) // 8))
    for start in range(0, len(shingles), length):
        yield shingles[start : start + length]


def _tells(shingle: str) -> tuple[int, int]:
    words = {word for word in shingle.split(" ") if not word.isdigit()}
    return len(words), len(shingle)


def _spread(shingles: Sequence[str], most: int) -> list[str]:
    if len(shingles) <= most:
        return list(shingles)
    return [shingles[index * len(shingles) // most] for index in range(most)]


def _digest(key: bytes, shingle: str) -> bytes:
    return blake2b(shingle.encode(), digest_size=_DIGEST_BYTES, key=key).digest()
