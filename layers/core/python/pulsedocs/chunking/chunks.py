"""Cuts a document as one stream of text and says on which pages each piece stands."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from pulsedocs.chunking.context import Surroundings
from pulsedocs.chunking.cutting import MAX_CHARACTERS, cut_characters, cut_words
from pulsedocs.chunking.profiles import CHARACTERS, CONTEXT, PLUGIN, SEMANTIC, WORDS, ChunkProfile
from pulsedocs.chunking.recursive import Place
from pulsedocs.chunking.semantic import CutPassage, MeasuredDistances, cut_semantically
from pulsedocs.chunking.stream import Stream
from pulsedocs.chunking.validation import validate as flags_of
from pulsedocs.errors import ChunkingError
from pulsedocs.model.chunks import Chunk, PageSpan
from pulsedocs.model.pages import CleanedPage

CutBy = Callable[[str], Iterable[Place]]
"""How a plug-in cuts a text: what it returns is checked before it is used."""


def chunk(
    pages: Sequence[CleanedPage],
    *,
    profile: ChunkProfile,
    count_tokens: Callable[[str], int],
    title: str = "",
    validate: bool = True,
    measured: MeasuredDistances | None = None,
    cut_by: CutBy | None = None,
) -> list[Chunk]:
    """Return the chunks of a document in reading order; a document without text has none.

    `title` is the document's, for a profile whose chunks are embedded with it. `measured` is what
    the semantic profile goes by, `cut_by` the plug-in of a plug-in's profile. Nothing is
    dropped: a doubtful chunk carries a flag, unless `validate` is off.
    """
    stream = Stream.of(pages)
    if profile.method == SEMANTIC:
        pieces = cut_semantically(
            stream.text,
            parameters=profile.parameters,
            count_tokens=count_tokens,
            measured=measured or MeasuredDistances(),
        )
    else:
        pieces = _pieces(stream, profile, cut_by=cut_by)
    surroundings = Surroundings(profile.context, title, stream.text, count_tokens)
    chunks: list[Chunk] = []
    for piece in pieces:
        spans = stream.spans(piece.start, piece.end)
        if not spans:  # a piece that is all blank
            continue
        section = stream.section_at(spans[0])
        spans = _with_heads(spans, piece, stream)
        text = stream.text_of(spans)
        tokens = count_tokens(text)
        most = profile.parameters.get("max_tokens", tokens)
        if tokens > most or len(text) > MAX_CHARACTERS:
            # Pieces are measured without what they are given beside.
            spans = stream.spans(piece.start, piece.end, indented=False)
            text = stream.text_of(spans)
            tokens = count_tokens(text)
        if chunks and chunks[-1].spans == spans:
            continue
        made = Chunk(
            index=len(chunks),
            text=text,
            spans=spans,
            section=section,
            tokens=tokens,
            profile=profile.name,
            method=piece.method,
            parameters={**piece.parameters, CONTEXT: profile.context},
            flags=flags_of(text, tokens=tokens) if validate else (),
        )
        chunks.append(replace(made, context=surroundings.of(made, piece.start, piece.end)))
    return chunks


def _with_heads(
    spans: tuple[PageSpan, ...], piece: CutPassage, stream: Stream
) -> tuple[PageSpan, ...]:
    """Let a piece begin with what its first line belongs to.

    A row stands whole below the names of its columns, an item below those that it lies in.
    """
    start = stream.place_of(spans[0])
    row = stream.row_at(start)
    heads = stream.heads_over(row)
    if heads:
        return *heads, *stream.spans(row, piece.end)
    return *stream.items_over(start), *spans


def _pieces(stream: Stream, profile: ChunkProfile, *, cut_by: CutBy | None) -> Iterator[CutPassage]:
    numbers, text = profile.parameters, stream.text
    places: Iterable[Place]
    if profile.method == CHARACTERS:
        size, overlap = numbers["characters"], numbers["overlap_characters"]
        places = [
            (sheet.start + start, sheet.start + end)
            for sheet in stream.sheets(least=size // 4, run_on=size // 2)
            for start, end in cut_characters(
                text[sheet.start : sheet.run_on], size=size, overlap=overlap
            )
            if sheet.start + start < sheet.end  # the next sheet begins with what is after it
        ]
    elif profile.method == WORDS:
        places = cut_words(text, size=numbers["words"], overlap=numbers["overlap_words"])
    elif profile.method == PLUGIN and cut_by is not None:
        places = _checked(text, cut_by(text), name=profile.name)
    else:
        raise ChunkingError(f"there is nothing here that cuts by profile {profile.name!r}")
    for start, end in places:
        yield CutPassage(start, end, profile.method, numbers)


def _checked(text: str, places: Iterable[Place], *, name: str) -> list[Place]:
    """Return a plug-in's places; raise ChunkingError unless they cover the text in order."""
    checked = list(places)
    covered, before = 0, -1
    for start, end in checked:
        if not before < start < end <= len(text) or end - start > MAX_CHARACTERS:
            raise ChunkingError(
                f"{name!r} returned the piece {start} to {end} of {len(text)} characters; pieces"
                f" start one after another and hold at most {MAX_CHARACTERS}"
            )
        if start > covered and text[covered:start].strip():
            raise ChunkingError(f"{name!r} left out the characters {covered} to {start}")
        covered, before = max(covered, end), start
    if text[covered:].strip():
        raise ChunkingError(f"{name!r} left out the characters from {covered} on")
    return checked
