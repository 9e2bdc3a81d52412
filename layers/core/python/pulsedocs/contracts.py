"""Test suites for plug-ins, one per interface: what the product relies on, shown by example.

Subclass a suite in a test file, name the class `Test…` and return the plug-in from `make`. pytest
collects it; nothing here imports pytest, so it may as well be called by hand:

    class TestMine(EmbedderContract):
        def make(self) -> BaseEmbedder:
            return MyEmbedder(name="small", dimensions=256)
"""

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, ClassVar, Final, Generic, TypeVar

from pulsedocs.plugins import (
    BaseChunker,
    BaseEmbedder,
    BaseReranker,
    BaseVectorDB,
    Match,
    Piece,
    Point,
)

Subject = TypeVar("Subject")

MAX_CHARACTERS: Final = 8_000
"""The longest chunk that is stored."""

QUESTION: Final = "How many euros does the bicycle allowance pay?"
TEXTS: Final = (
    "Visitors sign the register at the main gate and wear a helmet on the site.",
    "The bicycle allowance pays 300 euros a year for tyres, brakes and repairs.",
    "Revenue of the northern region rose by four per cent in the third quarter.",
)
ANSWER: Final = 1
"""The place in TEXTS of the text that answers QUESTION."""

ODD_TEXTS: Final = (
    *("x", " a ", "a\n\nb", "\u4e2d\u6587 \U0001f642", "na\u00efve caf\u00e9", "word " * 10_000),
    *("x" * 20_000, "One. Two! Three? Four\u2026 Five; six.\n\nA heading\n\n1. An item"),
)


class Suite(Generic[Subject]):
    """One plug-in under test."""

    @abstractmethod
    def make(self) -> Subject:
        """Return the plug-in; called anew for every test."""


class ChunkerContract(Suite[BaseChunker]):
    """A chunker quotes all of the text, in order, alike on every run."""

    config: ClassVar[Mapping[str, Any]] = {}
    """Options that the chunker accepts; a subclass may give others."""

    def test_all_of_a_text_is_in_its_pieces_in_order(self) -> None:
        for text in (*TEXTS, *ODD_TEXTS):
            covered, before = 0, -1
            for piece in self.make().chunk(text, self.config):
                assert before < piece.start < piece.end <= len(text), f"{piece} of {len(text)}"
                assert piece.end - piece.start <= MAX_CHARACTERS, f"{piece} is too long"
                assert not text[covered : piece.start].strip(), f"left out before {piece}"
                covered, before = max(covered, piece.end), piece.start
            assert not text[covered:].strip(), f"left out after {covered}"

    def test_a_text_without_words_has_no_piece_with_words(self) -> None:
        for text in ("", " \n"):
            pieces: Sequence[Piece] = self.make().chunk(text, self.config)
            assert all(not text[piece.start : piece.end].strip() for piece in pieces)

    def test_the_same_text_is_cut_alike(self) -> None:
        text = "\n\n".join(TEXTS * 50)
        assert list(self.make().chunk(text, self.config)) == list(
            self.make().chunk(text, self.config)
        )

    def test_it_says_which_options_it_takes(self) -> None:
        chunker = self.make()
        assert chunker.validate_config(self.config) is True
        assert chunker.validate_config({"no chunker has such an option": 1}) is False


class EmbedderContract(Suite[BaseEmbedder]):
    """An embedder gives each text one vector with a direction, by itself, alike on every run."""

    def test_each_text_gets_a_vector_of_the_dimensions(self) -> None:
        embedder = self.make()
        vectors = embedder.embed(TEXTS)
        assert [len(vector) for vector in vectors] == [embedder.get_dimensions()] * len(TEXTS)
        assert all(math.isfinite(math.hypot(*vector)) and any(vector) for vector in vectors)

    def test_no_texts_get_no_vectors(self) -> None:
        assert list(self.make().embed([])) == []

    def test_a_vector_does_not_depend_on_the_other_texts(self) -> None:
        embedder = self.make()
        for text, vector in zip(TEXTS, embedder.embed(TEXTS), strict=True):
            assert _cosine(vector, embedder.embed([text])[0]) > 0.999  # noqa: PLR2004 -- the claim

    def test_the_same_text_gets_the_same_vector(self) -> None:
        first, again = self.make().embed(TEXTS), self.make().embed(TEXTS)
        assert [list(vector) for vector in first] == [list(vector) for vector in again]

    def test_a_question_is_nearest_to_its_answer(self) -> None:
        question, *vectors = self.make().embed([QUESTION, *TEXTS])
        similarities = [_cosine(question, vector) for vector in vectors]
        assert similarities.index(max(similarities)) == ANSWER

    def test_an_odd_text_gets_a_vector_or_an_empty_one(self) -> None:
        embedder = self.make()
        for text in ("", "\x00", *ODD_TEXTS):
            [vector] = embedder.embed([text])
            assert len(vector) in {0, embedder.get_dimensions()}
            assert all(map(math.isfinite, vector))


class RerankerContract(Suite[BaseReranker]):
    """A reranker scores each passage by itself and returns the best, best first."""

    def test_the_passage_that_answers_comes_first(self) -> None:
        best, *rest = self.make().rerank(QUESTION, TEXTS, len(TEXTS))
        assert best.index == ANSWER
        assert sorted([best.index, *(item.index for item in rest)]) == list(range(len(TEXTS)))

    def test_scores_fall_and_are_numbers(self) -> None:
        scores = [item.score for item in self.make().rerank(QUESTION, TEXTS, len(TEXTS))]
        assert scores == sorted(scores, reverse=True)
        assert all(map(math.isfinite, scores))

    def test_no_more_than_top_k_come_back(self) -> None:
        assert [item.index for item in self.make().rerank(QUESTION, TEXTS, 1)] == [ANSWER]
        assert list(self.make().rerank(QUESTION, [], 5)) == []

    def test_a_score_does_not_depend_on_the_order(self) -> None:
        forward = self.make().rerank(QUESTION, TEXTS, len(TEXTS))
        backward = self.make().rerank(QUESTION, TEXTS[::-1], len(TEXTS))
        last = len(TEXTS) - 1
        assert {item.index: item.score for item in forward} == {
            last - item.index: item.score for item in backward
        }

    def test_an_odd_passage_gets_a_score(self) -> None:
        for text in ("", "\x00", *ODD_TEXTS):
            [item] = self.make().rerank(QUESTION, [text], 1)
            assert math.isfinite(item.score)


class VectorDBContract(Suite[BaseVectorDB]):
    """A vector store keeps one point per id, finds the nearest and forgets what is deleted."""

    def filled(self) -> BaseVectorDB:
        store = self.make()
        store.create_collection("shelf", 3)
        store.upsert("shelf", POINTS)
        return store

    def test_the_nearest_point_comes_first_with_its_cosine(self) -> None:
        matches = self.filled().search("shelf", (1.0, 0.0, 0.0))
        assert [match.id for match in matches] == ["east", "north-east", "north"]
        assert [round(match.score, 2) for match in matches] == [1.0, 0.71, 0.0]
        assert (matches[0].text, matches[0].metadata) == (POINTS[0].text, POINTS[0].metadata)

    def test_a_limit_and_filters_narrow_the_search(self) -> None:
        store = self.filled()
        assert ids(store.search("shelf", (1.0, 0.0, 0.0), limit=1)) == ["east"]
        assert ids(store.search("shelf", (1.0, 0.0, 0.0), {"kind": "b"})) == ["north-east", "north"]
        assert ids(store.search("shelf", (1.0, 0.0, 0.0), {"kind": "b", "year": 2}, 5)) == ["north"]
        assert ids(store.search("shelf", (1.0, 0.0, 0.0), {"kind": "none"})) == []

    def test_a_point_of_the_same_id_is_replaced(self) -> None:
        store = self.filled()
        store.upsert("shelf", [Point("east", (0.0, 0.0, 1.0), "moved up", {"kind": "c"})])
        [moved, *_] = store.search("shelf", (0.0, 0.0, 1.0))
        assert (moved.id, moved.text, moved.metadata) == ("east", "moved up", {"kind": "c"})
        assert len(store.search("shelf", (1.0, 0.0, 0.0))) == len(POINTS)

    def test_the_same_points_twice_are_there_once(self) -> None:
        store = self.filled()
        store.upsert("shelf", POINTS)
        store.create_collection("shelf", 3)
        assert len(store.search("shelf", (1.0, 0.0, 0.0))) == len(POINTS)

    def test_what_is_deleted_is_not_found(self) -> None:
        store = self.filled()
        assert store.delete("shelf", {"kind": "b"}) == len(POINTS) - 1
        assert ids(store.search("shelf", (0.0, 1.0, 0.0))) == ["east"]
        assert store.delete("shelf", {"kind": "b"}) == 0

    def test_a_deleted_point_can_be_written_again(self) -> None:
        store = self.filled()
        store.delete("shelf", {"kind": "b"})
        store.upsert("shelf", POINTS[1:])
        assert len(store.search("shelf", (1.0, 0.0, 0.0))) == len(POINTS)

    def test_collections_do_not_see_each_other(self) -> None:
        store = self.filled()
        store.create_collection("other", 3)
        assert ids(store.search("other", (1.0, 0.0, 0.0))) == []
        store.upsert("other", [Point("east", (0.0, 1.0, 0.0), "of the other", {})])
        assert ids(store.search("other", (1.0, 0.0, 0.0))) == ["east"]
        assert store.search("shelf", (1.0, 0.0, 0.0))[0].text == POINTS[0].text

    def test_a_vector_of_other_dimensions_or_without_direction_is_refused(self) -> None:
        for vector in ((1.0, 0.0), (0.0, 0.0, 0.0), (math.nan, 0.0, 0.0)):
            store = self.filled()
            with suppress(Exception):
                store.upsert("shelf", [Point("bad", vector, "bad", {})])
            assert "bad" not in ids(store.search("shelf", (1.0, 0.0, 0.0)))


POINTS: Final = (
    Point("east", (1.0, 0.0, 0.0), "towards the sunrise", {"kind": "a", "year": 1}),
    Point("north-east", (2.0, 2.0, 0.0), "in between", {"kind": "b", "year": 1}),
    Point("north", (0.0, 1.0, 0.0), "towards the pole", {"kind": "b", "year": 2}),
)


def ids(matches: Sequence[Match]) -> list[str]:
    return [match.id for match in matches]


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    product = sum(a * b for a, b in zip(one, other, strict=True))
    return product / (math.hypot(*one) * math.hypot(*other))
