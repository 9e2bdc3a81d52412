"""Plug-ins as a stranger would write them: they import `pulsedocs.plugins`, nothing else of us."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any
from zlib import crc32

from pulsedocs.plugins import Match, Piece, Point, ScoredChunk


def words_of(text: str) -> list[str]:
    return re.findall(r"\w{3,}", text.lower())


class ParagraphChunker:
    """A paragraph a piece; `limit` characters at most."""

    plugin_name = "paragraphs"

    def chunk(self, text: str, config: Mapping[str, Any]) -> list[Piece]:
        limit = config.get("limit", 8_000)
        pieces: list[Piece] = []
        for paragraph in re.finditer(r"(?s).+?(?:\n\n+|\Z)", text):
            pieces += [
                Piece(start, min(start + limit, paragraph.end()))
                for start in range(*paragraph.span(), limit)
            ]
        return pieces

    def validate_config(self, config: Mapping[str, Any]) -> bool:
        return set(config) <= {"limit"} and config.get("limit", 8_000) in range(10, 8_001)


class ForgetfulChunker(ParagraphChunker):
    """Leaves out the end of the text."""

    plugin_name = "forgetful"

    def chunk(self, text: str, config: Mapping[str, Any]) -> list[Piece]:
        return super().chunk(text, config)[:-1]


class DaringChunker(ParagraphChunker):
    plugin_name = "daring"
    is_experimental = True


class WordEmbedder:
    """Counts words, each in the dimension that its checksum says."""

    plugin_name = "toy"

    def __init__(self, name: str, dimensions: int) -> None:
        self.name = name
        self._dimensions = dimensions

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [self._vector(text) for text in texts]

    def get_dimensions(self) -> int:
        return self._dimensions

    def _vector(self, text: str) -> list[float]:
        vector = [0.0] * self._dimensions
        for word in words_of(text):
            vector[crc32(word.encode()) % self._dimensions] += 1.0
        return vector if any(vector) else []


class WordReranker:
    """The share of the question's words that a passage has."""

    plugin_name = "toy"

    def __init__(self, name: str) -> None:
        self.name = name

    def rerank(self, query: str, chunks: Sequence[str], top_k: int) -> list[ScoredChunk]:
        asked = set(words_of(query))
        scored = [
            ScoredChunk(index, len(asked & set(words_of(text))) / max(1, len(asked)))
            for index, text in enumerate(chunks)
        ]
        return sorted(scored, key=lambda item: (-item.score, item.index))[:top_k]


class DictionaryVectorDB:
    """Points in a dictionary, searched one by one."""

    plugin_name = "toy"

    def __init__(self) -> None:
        self._points: dict[str, dict[str, Point]] = {}
        self._dimensions: dict[str, int] = {}

    def create_collection(self, name: str, dimensions: int) -> None:
        self._points.setdefault(name, {})
        self._dimensions[name] = dimensions

    def upsert(self, collection: str, points: Sequence[Point]) -> None:
        for point in points:
            length = math.hypot(*point.vector)
            if len(point.vector) != self._dimensions[collection] or not 0 < length < math.inf:
                raise ValueError(point.id)
        self._points[collection] |= {point.id: point for point in points}

    def search(
        self,
        collection: str,
        query_vector: Sequence[float],
        filters: Mapping[str, Any] | None = None,
        limit: int = 10,
    ) -> list[Match]:
        found = [
            Match(point.id, _cosine(point.vector, query_vector), point.text, point.metadata)
            for point in self._points[collection].values()
            if _fits(point, filters or {})
        ]
        return sorted(found, key=lambda match: -match.score)[:limit]

    def delete(self, collection: str, filters: Mapping[str, Any]) -> int:
        points = self._points[collection]
        unwanted = [key for key, point in points.items() if _fits(point, filters)]
        for key in unwanted:
            del points[key]
        return len(unwanted)


def _fits(point: Point, filters: Mapping[str, Any]) -> bool:
    return all(point.metadata.get(key) == value for key, value in filters.items())


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    product = sum(a * b for a, b in zip(one, other, strict=True))
    return product / (math.hypot(*one) * math.hypot(*other))
