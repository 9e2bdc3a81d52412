"""Whatever a text says, reading it ends in storable pages or in an error of the tree."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pulsedocs.errors import DocumentRejected
from pulsedocs.extraction import FORMATS, Budgets
from pulsedocs.extraction.page_breaks import PAGE_CHARACTERS, Stretch, sheets
from pulsedocs.extraction.reading import open_file
from pulsedocs.model.pages import Page
from tests.plugins.examples import examples

TEXT_TYPES = [kind.content_types[0] for kind in FORMATS if not kind.with_pictures]
MARKUP = st.sampled_from(
    [
        *(
            "# ",
            "## ",
            "=====",
            "-----",
            "~~~",
            "- ",
            "1. ",
            "> ",
            "```",
            "    ",
            "::",
            ".. ",
        ),
        *(
            ".. note:: ",
            ".. x::",
            ":r:`",
            "`",
            "``",
            "*",
            "**",
            "_",
            "__",
            "[",
            "](",
            "![",
            "<h1>",
        ),
        *(
            "</h1>",
            "<h2",
            "<p>",
            "<p hidden>",
            "<pre>",
            "</pre>",
            "<table><tr><td>",
            "<td>",
        ),
        *(
            "</table>",
            "<li>",
            "<ol>",
            "</div>",
            "<div>",
            "<!--",
            "-->",
            "<script>",
            "</script>",
        ),
        *(
            "<textarea>",
            "<svg>",
            "&amp;",
            "&#0;",
            "&lt",
            "\\",
            "\t",
            "\n",
            "\n\n",
            "\r",
            "\x0c",
        ),
        *(
            "\u2028",
            "\x85",
            "\xa0",
            "e\u0301",
            "\u202e",
            "+---+",
            "=== ===",
            ":a: b",
            ".. [1] ",
        ),
        *(
            "[1]_",
            ".. ",
            "x",
            " date::",
            "-v  x",
        ),
    ]
)
TEXTS = st.lists(st.one_of(MARKUP, st.text(st.characters(codec="utf-8"), max_size=8)), max_size=60)


def read(text: str, content_type: str) -> list[Page] | str:
    try:
        file = open_file(text.encode(), content_type=content_type, budgets=Budgets())
        return list(file.pages())
    except DocumentRejected as error:
        return error.code


@pytest.mark.parametrize("content_type", TEXT_TYPES)
@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(parts=TEXTS, times=st.sampled_from([1, 1, 1, 40]))
def test_any_text_ends_as_pages_or_in_a_typed_error(
    content_type: str, parts: list[str], times: int
) -> None:
    """S4-02: no parser's own error comes out, headings stand where they say, twice is the same."""
    text = "".join(parts) * times

    pages = read(text, content_type)

    assert pages == read(text, content_type)
    if isinstance(pages, str):
        return
    assert [page.number for page in pages] == list(range(1, len(pages) + 1))
    for page in pages:
        page.text.encode()
        assert "\0" not in page.text
        assert "\r" not in page.text
        assert len(page.text) <= PAGE_CHARACTERS
        for heading in page.headings:
            assert heading.title
            assert page.text[heading.start :].startswith(heading.title)


@given(
    st.lists(st.integers(1, 40), max_size=600),
    st.lists(st.integers(0, 500), max_size=20),
)
def test_pages_are_the_whole_text_and_cut_no_heading(words: list[int], lengths: list[int]) -> None:
    text = " ".join("x" * length for length in words)
    whole: list[Stretch] = []
    for length in lengths:
        start = whole[-1].end + 700 if whole else 0
        whole.append(Stretch(start, start + length))

    parts = list(sheets(text, whole=whole))

    assert "".join(text[part.start : part.end] for part in parts) == text
    assert all(0 < part.end - part.start <= PAGE_CHARACTERS for part in parts)
    for part in parts[:-1]:
        assert not any(stretch.start < part.end < stretch.end for stretch in whole)
