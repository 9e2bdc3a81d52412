"""One question, or one search, in the documents that options choose."""

import re
from pathlib import Path
from typing import Final

import click

from pulsedocs.client import PulseDocs
from pulsedocs.client.options import QuestionOptions
from pulsedocs.client.reading import answer_lines, refusal_lines
from pulsedocs_cli.connection import on_a_stage
from pulsedocs_cli.parameters import a_proof, a_query, a_question
from pulsedocs_cli.printing import as_json, say, show, text_of
from pulsedocs_cli.scope import Scope, in_scope

_SHOWN: Final = 160  # characters of a passage
_BEFORE: Final = 40  # of them, those before the first word that was asked for


@click.command()
@a_question
@in_scope
@click.option("--profile", help="Retrieval profile.")
@a_proof
@as_json
@on_a_stage
def ask(
    stage: PulseDocs,
    *,
    question: str,
    scope: Scope,
    profile: str | None,
    proof: Path | None,
    as_json: bool,
) -> None:
    """Answer a question, citing pages and words."""
    answer = stage.ask(question, **scope.on(stage) | QuestionOptions(profile=profile))
    say(text_of(answer) if as_json else "\n".join(answer_lines(answer)))
    if proof is not None:
        proof.write_text(stage.prove(question, answer), encoding="utf-8", newline="")
        say(f"its proof: {proof}", err=True)


@click.command()
@a_query
@in_scope
@click.option("--profile", help="Retrieval profile.")
@click.option("--top-k", type=click.IntRange(1, 100))
@click.option(
    "--reranking/--no-reranking", default=None, help="Whether a reranker reads what was found."
)
@as_json
@on_a_stage
def search(
    stage: PulseDocs,
    *,
    query: str,
    scope: Scope,
    profile: str | None,
    top_k: int | None,
    reranking: bool | None,
    as_json: bool,
) -> None:
    """Find passages, best first; a page that was shown waits until others were."""
    options = QuestionOptions(profile=profile, top_k=top_k, enable_reranking=reranking)
    found = stage.retrieve(query, **scope.on(stage) | options)
    if as_json:
        show(found)
        return
    for chunk in found["chunks"]:
        pages = ", ".join(map(str, chunk["pages"]))
        relevance = chunk["relevance_score"]
        shown = "    " if relevance is None else f"{relevance:.2f}"
        say(f"{shown}  {chunk['source']}, p. {pages}: {excerpt(chunk['content'], query)}")
    if (abstained := found["abstained"]) is not None:
        say("\n".join([abstained["message"], *refusal_lines(abstained)]))


def excerpt(passage: str, query: str) -> str:
    """Return the part of a passage that has most of the query's words, in one line."""
    text = " ".join(passage.split())
    if len(text) <= _SHOWN:
        return text
    stems = {_stem(word) for word in re.findall(r"\w+", query)}
    words = [(each.start(), _stem(each[0])) for each in re.finditer(r"\w+", text)]
    places = [(at, stem) for at, stem in words if stem in stems]

    def met(begin: int) -> tuple[int, int]:
        """Count the letters of the words that follow, and how closely they do."""
        end = begin + _SHOWN - _BEFORE
        firsts = {stem: at for at, stem in reversed(places) if begin <= at < end}
        return sum(map(len, firsts)), begin - max(firsts.values())

    begin = max((at for at, _ in places), key=met, default=0)
    earliest = max(begin - _BEFORE, 0)
    space = text.find(" ", earliest - 1, begin) if earliest else -1  # Chinese has none to cut at
    first = earliest if space < 0 else space + 1
    cut = text[first : first + _SHOWN]
    return f"{'…' if first else ''}{cut}{'…' if first + _SHOWN < len(text) else ''}"


def _stem(word: str) -> str:
    """Return what "descale" and "descaling" have in common."""
    return word.casefold()[:5]
