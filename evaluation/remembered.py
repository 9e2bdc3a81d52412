"""Models that compute each text once: what they said is kept in a file outside the project."""

import hashlib
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from pulsedocs.model.deadline import Deadline
from pulsedocs.model.embeddings import EmbeddedBatch
from pulsedocs.ports.providers import Embedder, Reranker

_TABLE: Final = (
    "CREATE TABLE IF NOT EXISTS said (name BLOB PRIMARY KEY, numbers BLOB) WITHOUT ROWID"
)
_BATCH: Final = 64  # texts between two commits: a stopped run loses a few seconds
_FOREVER: Final = 1e9


class Memory:
    """Numbers by the hash of what they were computed from."""

    def __init__(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        self._rows = sqlite3.connect(file, timeout=60, isolation_level=None)
        self._rows.execute("PRAGMA journal_mode = WAL")
        self._rows.execute(_TABLE)

    def find(self, *parts: str) -> tuple[float, ...] | None:
        row = self._rows.execute("SELECT numbers FROM said WHERE name = ?", (_name(parts),))
        found = row.fetchone()
        return None if found is None else tuple(np.frombuffer(found[0]).tolist())

    def keep(self, rows: Sequence[tuple[tuple[str, ...], Sequence[float]]]) -> None:
        packed = [(_name(parts), np.array(numbers).tobytes()) for parts, numbers in rows]
        self._rows.execute("BEGIN")
        self._rows.executemany("INSERT OR REPLACE INTO said VALUES (?, ?)", packed)
        self._rows.execute("COMMIT")


class RememberingEmbedder:
    """Implements `ports.providers.Embedder` over another one. It has all the time it needs."""

    def __init__(self, embedder: Embedder, memory: Memory) -> None:
        self._embedder, self._memory = embedder, memory

    @property
    def model(self) -> str:
        return self._embedder.model

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    def embed_passages(self, texts: Sequence[str], *, deadline: Deadline) -> EmbeddedBatch:
        del deadline
        known = {text: self._memory.find(self.model, "passage", text) for text in texts}
        missing = [text for text, vector in known.items() if vector is None]
        for start in range(0, len(missing), _BATCH):
            batch = missing[start : start + _BATCH]
            made = self._embedder.embed_passages(batch, deadline=Deadline.after(_FOREVER)).vectors
            rows = list(zip(batch, made, strict=True))
            self._memory.keep([((self.model, "passage", text), own) for text, own in rows])
            known.update(rows)
        vectors = tuple(vector for text in texts if (vector := known[text]) is not None)
        return EmbeddedBatch(vectors, input_tokens=0)

    def embed_query(self, text: str, *, deadline: Deadline) -> tuple[float, ...]:
        del deadline
        known = self._memory.find(self.model, "query", text)
        if known is not None:
            return known
        made = self._embedder.embed_query(text, deadline=Deadline.after(_FOREVER))
        self._memory.keep([((self.model, "query", text), made)])
        return made


class RememberingReranker:
    """Implements `ports.providers.Reranker` over another one, which is built when first needed."""

    def __init__(self, model: str, make: Callable[[], Reranker], memory: Memory) -> None:
        self._model, self._make, self._memory = model, make, memory
        self._made: Reranker | None = None

    @property
    def model(self) -> str:
        return self._model

    def rerank(
        self, query: str, passages: Sequence[str], *, deadline: Deadline
    ) -> tuple[float, ...]:
        del deadline
        known = {text: self._memory.find(self._model, query, text) for text in passages}
        missing = [text for text, score in known.items() if score is None]
        if missing:
            self._made = self._made or self._make()
            scores = self._made.rerank(query, missing, deadline=Deadline.after(_FOREVER))
            rows = [(text, (score,)) for text, score in zip(missing, scores, strict=True)]
            self._memory.keep([((self._model, query, text), own) for text, own in rows])
            known.update(rows)
        return tuple(score[0] for text in passages if (score := known[text]) is not None)


def _name(parts: Sequence[str]) -> bytes:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(hashlib.sha256(part.encode("utf-8", "replace")).digest())
    return digest.digest()
