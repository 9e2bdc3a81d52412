"""Reads Markdown (CommonMark with GitHub's tables) by way of HTML, which it may contain."""

import re
from html import escape, unescape
from typing import Any

from markdown_it import MarkdownIt

from pulsedocs.errors import ResourceExhausted
from pulsedocs.extraction.budgets import Budgets
from pulsedocs.extraction.encoding import decoded
from pulsedocs.extraction.html import prose_of
from pulsedocs.extraction.prose import ProseFile

_PARSER = "markdown"
_DEEPEST = 100  # lists and quotes within each other; the parser leaves out what lies deeper
_FRONT_MATTER = "---\n"
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
    html = markdown.renderer.render(tokens, markdown.options, environment)
    prose = prose_of(front + html)
    named = _TITLE.search(front)
    if named:
        prose.title = unescape(named[1]).strip("\"' ")
    return ProseFile([prose], parser=_PARSER, budgets=budgets)
