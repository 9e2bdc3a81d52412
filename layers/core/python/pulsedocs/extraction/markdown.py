"""Reads Markdown (CommonMark with GitHub's tables) by way of HTML, which it may contain."""

import re
from html import escape, unescape
from itertools import pairwise
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from pulsedocs.errors import ResourceExhausted
from pulsedocs.extraction.budgets import Budgets
from pulsedocs.extraction.encoding import decoded
from pulsedocs.extraction.html import prose_of
from pulsedocs.extraction.prose import ProseFile

_PARSER = "markdown"
_DEEPEST = 100  # lists and quotes within each other; the parser leaves out what lies deeper
_FRONT_MATTER = "---\n"
_LABEL = re.compile(r"[^\W\d_][^\n:!?]{0,40}:\s+\S")
_TITLE = re.compile(r"^(?:<pre>)?title:[ \t]*(\S[^\n<]{0,500})", re.MULTILINE)


def open_markdown(body: bytes, *, budgets: Budgets) -> ProseFile:
    """Return the pages. Raises TextNotUTF8, ResourceExhausted, TooMuchText and TooManyPages."""
    front, text = "", decoded(body)
    if text.startswith(_FRONT_MATTER):
        # Metadata at the top is not Markdown, in which its last line would be a heading: a line of
        # dashes stands below it. With an empty line among it, it is text between two rules.
        metadata, found, rest = text.removeprefix(_FRONT_MATTER).partition("\n---\n")
        if found and "\n\n" not in metadata:
            front, text = f"<pre>{escape(metadata)}</pre>", rest
    markdown = MarkdownIt("commonmark", {"html": True, "maxNesting": _DEEPEST})
    markdown.enable(["table", "strikethrough"])
    # Of links only the words are kept, of pictures nothing: an address written once can be linked
    # to from a thousand places, 100 MB from 100 KB.
    for name in ("link_open", "link_close", "image"):
        markdown.add_render_rule(name, lambda *_: "")
    # Every address is taken for one, since a refused one would stay as text.
    markdown.validateLink = lambda url: True  # noqa: ARG005 -- the parser names its argument
    environment: dict[str, Any] = {}
    tokens = markdown.parse(text, environment)
    if any(token.level >= _DEEPEST - 1 for token in tokens):
        raise ResourceExhausted(f"lists or quotes lie more than {_DEEPEST} deep in each other")
    for token in tokens:
        _keep_labelled_lines(token.children or [])
    html = markdown.renderer.render(tokens, markdown.options, environment)
    prose = prose_of(front + html)
    named = _TITLE.search(front)
    if named:
        prose.title = unescape(named[1]).strip("\"' ")
    return ProseFile([prose], parser=_PARSER, budgets=budgets)


def _keep_labelled_lines(parts: list[Token]) -> None:
    """Part lines that each begin with a label, as those of a form, which CommonMark runs together.

    One such line alone may be wrapped prose.
    """
    breaks = [at for at, part in enumerate(parts) if part.type == "softbreak"]
    if not breaks:
        return
    lines = (
        "".join(part.content for part in parts[start:end])
        for start, end in pairwise([0, *breaks, len(parts)])
    )
    are_labelled = [_LABEL.match(line) is not None for line in lines]
    for number, at in enumerate(breaks, start=1):
        above, here, below = (
            are_labelled[n : n + 1] == [True] for n in (number - 1, number, number + 1)
        )
        if here and (above or below):
            parts[at].type = "hardbreak"
