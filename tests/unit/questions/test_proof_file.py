"""A proof's file: nothing in it can be changed unseen, and nothing in it is markup by accident."""

from dataclasses import replace
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulsedocs.adapters.ed25519 import Ed25519Signer, is_signed
from pulsedocs.errors import InvalidRequest
from pulsedocs.model.proofs import CitedWords, Mark, Origin, Proof, ProvenCitation
from pulsedocs.questions.proof_file import opened, signed_file
from pulsedocs.retrieval.trace import Trace

SIGNER = Ed25519Signer(b"a secret of thirty-two characters")


def proof_of(quote: str, source: str = "report.pdf") -> Proof:
    origin = Origin(source, None, "iv", "ab" * 32, "application/pdf", "pdfium 5", "5")
    citation = ProvenCitation(
        n=1,
        status="found",
        mark=Mark(UUID(int=7), 1, 4, 10, 10 + len(quote)),
        words=CitedWords(origin, quote, "cd" * 32, None),
    )
    trace: Trace = {"candidates": [], "models": {"embedding": None}, "profile": {"name": "default"}}
    return Proof("2026-11-23T03:00:00+00:00", "Why?", quote, None, (citation,), trace)


FILE = signed_file(proof_of("It rains."), signer=SIGNER)


@given(st.text())
def test_what_is_written_is_read_again_and_is_never_markup(words: str) -> None:
    hostile = f"{words}</script><script>alert(1)</script><img src=x>--><!-- signed {{}}"
    file = signed_file(proof_of(hostile, source=hostile), signer=SIGNER)

    proof, body, signature = opened(file)

    assert is_signed(body, signature)
    assert proof.citations[0].words.quote == hostile
    assert body.count(b"<script") == 1
    assert b"<img" not in body


def test_a_refusal_is_told_in_words_and_what_is_written_from_right_to_left_is_shown_so() -> None:
    arabic = "\u0643\u0644 400 \u0633\u0627\u0639\u0629."
    refused = replace(proof_of(arabic), citations=(), refused_for="BELOW_THRESHOLD")

    told = signed_file(refused, signer=SIGNER).decode().partition("<script")[0]
    cited = signed_file(proof_of(arabic), signer=SIGNER).decode().partition("<script")[0]

    assert "BELOW_THRESHOLD" not in told
    assert f'dir="auto">{arabic}</p>' in told
    assert f'dir="auto">{arabic}</blockquote>' in cited


@given(st.integers(0, len(FILE) - 1), st.integers(1, 255))
def test_a_changed_byte_anywhere_is_found(place: int, change: int) -> None:
    changed = bytearray(FILE)
    changed[place] ^= change

    try:
        _, body, signature = opened(bytes(changed))
    except InvalidRequest:
        return
    assert not (is_signed(body, signature) and signature.key_id == SIGNER.key_id)


@pytest.mark.parametrize("cut", [1, 10, 400])
def test_a_file_that_was_cut_is_no_proof(cut: int) -> None:
    with pytest.raises(InvalidRequest):
        opened(FILE[:-cut])


def test_another_secret_is_another_key_and_the_same_is_the_same() -> None:
    assert Ed25519Signer(b"another").key_id != SIGNER.key_id
    assert Ed25519Signer(b"a secret of thirty-two characters").key_id == SIGNER.key_id
