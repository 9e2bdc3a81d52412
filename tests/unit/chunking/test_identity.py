"""A chunk's identity is made of what it is, and of nothing else."""

from dataclasses import replace
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulsedocs.chunking import GARBLED, TOO_LONG, TOO_SHORT, identify, identity, validate
from pulsedocs.model.chunks import Chunk, PageSpan

DOCUMENT = UUID(int=1)
SHA256 = bytes(32)
CHUNK = Chunk(
    index=4,
    text="The pump delivers 12 litres a minute.",
    spans=(PageSpan(2, 0, 20), PageSpan(3, 0, 16)),
    section=("1 Pumps",),
    tokens=9,
    profile="classic",
    method="characters",
    parameters={"characters": 512},
)


def test_the_hash_is_the_same_on_every_run() -> None:
    """S0-07: the identity is fixed, in this process and any other."""
    first = identify(DOCUMENT, SHA256, CHUNK)

    assert first == identify(DOCUMENT, SHA256, replace(CHUNK))
    assert first.chunk_id.version == 8
    assert first.chunk_hash.hex().startswith("83ee0a2f03da42d3")
    assert str(first.chunk_id) == "110aab24-30e8-85b5-9239-4f9520142055"


@pytest.mark.parametrize(
    "other",
    [
        replace(CHUNK, text="The pump delivers 13 litres a minute."),
        replace(CHUNK, spans=(PageSpan(1, 0, 20), PageSpan(3, 0, 16))),
        replace(CHUNK, spans=(PageSpan(2, 0, 20), PageSpan(4, 0, 16))),
        replace(CHUNK, index=5),
    ],
    ids=["text", "page start", "page end", "index"],
)
def test_text_pages_and_index_each_change_the_hash(other: Chunk) -> None:
    """S0-07: changing any one of the four changes chunk_hash, and with it the id."""
    before, after = identify(DOCUMENT, SHA256, CHUNK), identify(DOCUMENT, SHA256, other)

    assert before.chunk_hash != after.chunk_hash
    assert before.chunk_id != after.chunk_id
    assert (before.content_hash == after.content_hash) == (CHUNK.text == other.text)


def test_what_does_not_define_a_chunk_does_not_change_it() -> None:
    other = replace(CHUNK, section=(), tokens=1, flags=("GARBLED",), profile="words")

    assert identify(DOCUMENT, SHA256, CHUNK).chunk_id == identify(DOCUMENT, SHA256, other).chunk_id


def test_document_bytes_and_revision_each_change_the_id(monkeypatch: pytest.MonkeyPatch) -> None:
    """S0-07: the same words in another file, or under other rules, are another chunk."""
    first = identify(DOCUMENT, SHA256, CHUNK)
    ids = {
        first.chunk_id,
        identify(UUID(int=2), SHA256, CHUNK).chunk_id,
        identify(DOCUMENT, b"\x01" * 32, CHUNK).chunk_id,
    }
    monkeypatch.setattr(identity, "PIPELINE_REVISION", "next")
    ids.add(identify(DOCUMENT, SHA256, CHUNK).chunk_id)

    assert len(ids) == 4


@given(st.text(max_size=20), st.integers(1, 99), st.integers(0, 99))
def test_no_two_chunks_are_written_alike(text: str, page: int, index: int) -> None:
    storable = text.encode("utf-8", "replace").decode() + "x"
    one = replace(CHUNK, text=storable, spans=(PageSpan(page, 0, 1),), index=index)
    other = replace(one, text=f"{storable}{page}", spans=(PageSpan(page, 0, 1),), index=index)

    hashes = {identify(DOCUMENT, SHA256, each).chunk_hash for each in (one, other)}
    assert len(hashes) == 2


@pytest.mark.parametrize(
    ("text", "tokens", "flags"),
    [
        ("The pump delivers 12 litres a minute.", 9, ()),
        ("Il gèle à pierre fendre, 気温は氷点下です。", 20, ()),
        ("184.6 | 164.8 | +12 % | Net sales of the quarter", 20, ()),
        ("Chapter 3", 2, (TOO_SHORT,)),
        ("word " * 1_500, 1_500, (TOO_LONG,)),
        ("\ufffd\ufffd\ufffd a broken font \ufffd\ufffd\ufffd\ufffd", 20, (GARBLED,)),
        ("\ue001\ue002\ue003\ue004 private characters \ue005\ue006", 20, (GARBLED,)),
        (". . . . . . . . . . . . . . . . . . . . 7", 20, (GARBLED,)),
        ("x" * 300, 40, (GARBLED,)),
        ("#!", 1, (GARBLED, TOO_SHORT)),
    ],
)
def test_doubtful_text_is_flagged(text: str, tokens: int, flags: tuple[str, ...]) -> None:
    assert validate(text, tokens=tokens) == flags
