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
from itertools import accumulate
from operator import sub
from typing import Any, Final, cast
from uuid import UUID

SHINGLE_WORDS: Final = 8
SAMPLE_SIZE: Final = 64
MAX_ASKED: Final = 200  # that a client may have looked for at once
MAX_QUOTING: Final = 100  # documents with the same words that are looked for, and named
_KEY_BYTES: Final = 32
_DIGEST_BYTES: Final = 16  # 128 bits: no other text has one of them by chance
_NUMBER_BITS: Final = 29
"""Of a word's number. A sum of eight lies in about a billion values: one text in a million words is
hashed in vain for 1,000 shingles, and a sum stands for too many rows of words to tell which."""
_MOST_NUMBERED: Final = 300_000  # words kept with their numbers, about 30 MB
_WORD: Final = re.compile(r"\w+")
_FEWEST_DIFFERENT: Final = 6  # of eight: a row of figures or of dots tells nothing


@dataclass(frozen=True, slots=True)
class Sample:
    """Hashes of some shingles under a key of their own: without the key they say nothing.

    `sums` are of the shingles' words as numbers: a text without any of them has no shingle of the
    sample, and nothing of it need be hashed. None: kept by a version that did not add them up.

    `quoted_by` are the documents that had some of the shingles while their words were known. None:
    not looked up, so that only reading everything can tell.
    """

    key: bytes
    hashes: frozenset[bytes]
    sums: frozenset[int] | None = None
    quoted_by: frozenset[UUID] | None = None

    @classmethod
    def of(cls, shingles: Iterable[str], *, key: bytes) -> "Sample":
        chosen = list(shingles)
        numbers = _Numbers()
        sums = frozenset(sum(numbers[word] for word in shingle.split(" ")) for shingle in chosen)
        return cls(key, frozenset(_digest(key, shingle) for shingle in chosen), sums)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Sample":
        hashes = frozenset(bytes.fromhex(each) for each in stored["hashes"])
        sums = frozenset(stored["sums"]) if "sums" in stored else None
        quoting = stored.get("quoted_by")
        quoted_by = None if quoting is None else frozenset(map(UUID, quoting))
        return cls(bytes.fromhex(stored["key"]), hashes, sums, quoted_by)

    def to_json(self) -> dict[str, Any]:
        hashes = sorted(each.hex() for each in self.hashes)
        known: dict[str, Any] = {} if self.sums is None else {"sums": sorted(self.sums)}
        if self.quoted_by is not None:
            known["quoted_by"] = sorted(map(str, self.quoted_by))
        return {"key": self.key.hex(), "hashes": hashes} | known


class Matcher:
    """Finds the shingles of several samples in one reading of a text.

    By their sums first: 0.4 microseconds a word, however many samples; to hash each shingle takes
    1.5 for each sample.
    """

    def __init__(self, samples: Iterable[Sample]) -> None:
        by_key: dict[bytes, set[bytes]] = {}
        sums = set[int]()
        self._has_sums = True
        for sample in samples:
            if sample.hashes:
                by_key.setdefault(sample.key, set()).update(sample.hashes)
                sums.update(sample.sums or ())
                self._has_sums = self._has_sums and sample.sums is not None
        self._by_key = by_key
        self._sums = sums
        self._numbers = _Numbers()

    @property
    def is_empty(self) -> bool:
        return not self._by_key

    def found_in(self, text: str) -> frozenset[bytes]:
        words = _words_of(text)
        added = list(accumulate(map(self._numbers.__getitem__, words), initial=0))
        sums = list(map(sub, added[SHINGLE_WORDS:], added))
        if self._has_sums and self._sums.isdisjoint(sums):
            return frozenset()
        found: set[bytes] = set()
        for start, total in enumerate(sums):
            if not self._has_sums or total in self._sums:
                shingle = " ".join(words[start : start + SHINGLE_WORDS])
                digests = ((_digest(key, shingle), hashes) for key, hashes in self._by_key.items())
                found.update(digest for digest, hashes in digests if digest in hashes)
        return frozenset(found)


class _Numbers(dict[str, int]):
    """The number of each word that was asked for."""

    def __missing__(self, word: str) -> int:
        if len(self) >= _MOST_NUMBERED:
            self.clear()
        digest = blake2b(word.encode(), digest_size=4).digest()
        number = self[word] = int.from_bytes(digest, "big") >> (32 - _NUMBER_BITS)
        return number


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
    words = _words_of(text)
    for start in range(len(words) - SHINGLE_WORDS + 1):
        yield " ".join(words[start : start + SHINGLE_WORDS])


def _words_of(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


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
