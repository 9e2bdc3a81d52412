"""One poisoned text costs that text: which of a batch a provider does not accept."""

from collections.abc import Callable, Sequence
from typing import Final

from pulsedocs.calls.failures import is_about_the_text
from pulsedocs.errors import ProviderRefused
from pulsedocs.model.embeddings import EmbeddedBatch

_PROBE: Final = "ok"

Embed = Callable[[Sequence[str]], EmbeddedBatch]


def embedded_but_refused(texts: Sequence[str], embed: Embed) -> EmbeddedBatch:
    """Embed a batch; a text that the provider does not accept comes back as refused.

    It is found by halving; the other texts keep their vectors.
    """
    try:
        return embed(texts)
    except ProviderRefused as error:
        if not is_about_the_text(error):
            raise
    # A 400 may also mean that nothing is accepted, say for wrong dimensions. One short call
    # tells, where halving would take 191 calls for 96 texts and then blame every one of them.
    embed([_PROBE])
    return _apart(texts, embed)


def _apart(texts: Sequence[str], embed: Embed) -> EmbeddedBatch:
    """Embed a batch known to be refused as a whole, half by half."""
    if len(texts) == 1:
        return EmbeddedBatch(((),), input_tokens=0, refused=(0,))
    halves: list[EmbeddedBatch] = []
    middle = len(texts) // 2
    for half in (texts[:middle], texts[middle:]):
        try:
            halves.append(embed(half))
        except ProviderRefused as error:
            if not is_about_the_text(error):
                raise
            halves.append(_apart(half, embed))
    return joined(halves)


def joined(batches: Sequence[EmbeddedBatch]) -> EmbeddedBatch:
    """Return several calls' vectors as those of one."""
    vectors: list[tuple[float, ...]] = []
    refused: list[int] = []
    for batch in batches:
        refused += [len(vectors) + index for index in batch.refused]
        vectors += batch.vectors
    tokens = sum(batch.input_tokens for batch in batches)
    return EmbeddedBatch(tuple(vectors), input_tokens=tokens, refused=tuple(refused))
