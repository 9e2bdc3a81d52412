"""Sentences end where a reader would end them."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulsedocs.answering.sentences import before_final_stop, is_options, split_sentences


def split(text: str) -> list[str]:
    return [text[span.start : span.end] for span in split_sentences(text)]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Dr. Smith paid 3.50 EUR. He left.", ["Dr. Smith paid 3.50 EUR.", "He left."]),
        ("See Fig. 3 and No. 7. Done.", ["See Fig. 3 and No. 7.", "Done."]),
        ("Costs, e.g. rent, rise. i.e. more.", ["Costs, e.g. rent, rise. i.e. more."]),
        ("J. Doe signed. So did A. Roe.", ["J. Doe signed.", "So did A. Roe."]),
        ("Say no. Then go.", ["Say no.", "Then go."]),
        ('Run echo "It is done." > log.txt first.', ['Run echo "It is done." > log.txt first.']),
        ('He said "stop." She did.', ['He said "stop."', "She did."]),
        ("Wrapped over\ntwo lines. Next.", ["Wrapped over\ntwo lines.", "Next."]),
        ("1. Scope\n2. Fees", ["1. Scope", "2. Fees"]),
        (
            "9.00 Peat. Ada Lind\n9:30-10:00 B. Chair: Bo\n12.30 Lunch\n\nBack by\n18.00. Go!",
            [
                "9.00 Peat. Ada Lind",
                "9:30-10:00 B. Chair: Bo",
                "12.30 Lunch",
                "Back by\n18.00.",
                "Go!",
            ],
        ),
        (
            "7.9 Pets. None.\n7.10 Noise. None.\n7.15 Bins. Two.\n7.20 Keys.",
            ["7.9 Pets.", "None.", "7.10 Noise.", "None.", "7.15 Bins.", "Two.", "7.20 Keys."],
        ),
        ("- one\n- two", ["- one", "- two"]),
        (
            "a) Open the valve of the tank\nb) Wait until it is cold",
            ["a) Open the valve of the tank", "b) Wait until it is cold"],
        ),
        (
            "1.1. Open the valve of the tank\n1.2. Wait until it is cold",
            ["1.1. Open the valve of the tank", "1.2. Wait until it is cold"],
        ),
        ("1. Go\n  iv. The left.\n  v. The right.", ["1. Go", "iv. The left.", "v. The right."]),
        ("Das gilt auch,\nz. B. hier.", ["Das gilt auch,\nz. B. hier."]),
        ("A paragraph\n\nand another", ["A paragraph", "and another"]),
        (
            "Noise: 41 dB(A) at low speed, 46 at high\nUsed coolant: R290, 65 g\nUse: dry",
            [
                "Noise: 41 dB(A) at low speed, 46 at high",
                "Used coolant: R290, 65 g",
                "Use: dry",
            ],
        ),
        ("Lundi : 12 h - 20 h\nMardi : 7 h - 9 h", ["Lundi : 12 h - 20 h", "Mardi : 7 h - 9 h"]),
        (
            "CARD OF THE TOWN\nSurname: LINDQVIST\nZone: C4\n\nIt is for the\nTreasurer: he pays.",
            [
                "CARD OF THE TOWN",
                "Surname: LINDQVIST",
                "Zone: C4",
                "It is for the\nTreasurer: he pays.",
            ],
        ),
        (
            "6 Fees\n6.1 Dates\nThe monthly fee is due.",
            ["6 Fees", "6.1 Dates", "The monthly fee is due."],
        ),
        (
            "Region 2025 2024\nAsia 43.6 33.3\nA line as wide as the page that it is printed on is",
            [
                "Region 2025 2024",
                "Asia 43.6 33.3",
                "A line as wide as the page that it is printed on is",
            ],
        ),
        (
            "Fees\nThe monthly fee is 30 EUR and is due at once.",
            ["Fees", "The monthly fee is 30 EUR and is due at once."],
        ),
        (
            "A title that is as wide as its page\n\nPaid by the\nHalden Fund.\nAm Ende der\nHalle.",
            [
                "A title that is as wide as its page",
                "Paid by the\nHalden Fund.",
                "Am Ende der\nHalle.",
            ],
        ),
        (
            "How to log in\nOpen the page that all members of the rowing club know.",
            ["How to log in", "Open the page that all members of the rowing club know."],
        ),
        (
            "Reefed sails are slow.\nreef\nMake a sail smaller.",
            ["Reefed sails are slow.", "reef", "Make a sail smaller."],
        ),
        (
            "A line as wide as the page that it is printed on is\nPaid by the fund 5/B/\nNZ8/0.",
            ["A line as wide as the page that it is printed on is\nPaid by the fund 5/B/\nNZ8/0."],
        ),
        ("l Wind it up\nl Leave it", ["l Wind it up", "l Leave it"]),  # the dot of a symbol font
        ("wind\nl and more", ["wind\nl and more"]),
        (
            "The pier is closed from 24.12. to\n31.12. of each year.",
            ["The pier is closed from 24.12. to\n31.12. of each year."],
        ),
        ("\u6211\u6765\u3002\u4f60\u8d70\u3002", ["\u6211\u6765\u3002", "\u4f60\u8d70\u3002"]),
        ("   ", []),
    ],
)
def test_stops_end_sentences_and_abbreviations_do_not(text: str, sentences: list[str]) -> None:
    assert split(text) == sentences


def test_a_column_of_prose_is_as_wide_as_its_own_lines() -> None:
    """A line that goes on with a capital or a figure in the next ends no sentence there."""
    column = (
        "The keeper winds the clock of the\nlighthouse before dusk, and the one of\nthe harbour"
        " master every year in\nMay and June, if it has not\nstopped before."
    )
    heading = "Clocks of the lighthouse and of the harbour master, and who has to wind them when"

    assert split(f"{heading}\n\n{column}") == [heading, column]


def test_a_column_of_short_sentences_below_a_wide_abstract_is_as_wide_as_its_own_lines() -> None:
    """A line that ends with a stop says nothing of how wide its column is."""
    abstract = (
        "Four harbour clocks were wound by hand for a year, and"
        " nobody who lived there was told of it."
    )
    column = (
        "The keepers were told to write down each hour by\nthe light of the pier.\n"
        "Each of the clocks was wound by somebody who had\nwound one before. A clock of the make\n"
        "Ravensworth was hung in the tower on 4 March.\nIt was taken down on 7 June."
    )
    lines = split(f"{abstract}\n{column}")

    assert "A clock of the make\nRavensworth was hung in the tower on 4 March." in lines


@pytest.mark.parametrize(
    ("above", "line", "below", "is_title"),
    [
        ("", "7.1.4 Opening hours", "lockctl opens the gate", True),
        ("He has the key.\n", "7.1.4 Opening hours", "lockctl opens the gate", True),
        ("", "7.3 Costs of small repairs", "are paid by the tenant", False),
        ("", "1.5 Million visitors", "saw the pier in 2031", False),
        ("In 2031 it was visited, as the owner says, by\n", "1.5 Million guests", "alone", False),
        ("The boat to the western end of the lake leaves at\n", "10.30 Uhr", "ab Steg 4", False),
    ],
)
def test_the_title_of_a_section_ends_above_a_name_in_small_letters(
    above: str, line: str, below: str, *, is_title: bool
) -> None:
    """A numbered paragraph is none, nor a line amid a sentence that a figure begins."""
    text = f"{above}{line}\n{below} and goes on to the end of a full line."

    assert (line in split(text)) == is_title
    assert is_title or len(split(text)) == 1


@pytest.mark.parametrize(
    "articles",
    [
        ["ข้อ 1 ค่าสมาชิกเดือนละ 350 บาท", "ข้อ 2 ผู้ที่ทำกุญแจหายต้องจ่าย 100 บาท"],
        ["第一条 遗失钥匙的会员须赔偿五十元并登记", "第二条 会员每月缴费四十元"],
        ["제1조 열쇠를 분실한 회원은 사무실에 신고한다", "제2조 회비는 매월 낸다"],
    ],
    ids=["Thai", "Chinese", "Korean"],
)
def test_an_article_of_rules_without_a_stop_is_a_sentence(articles: list[str]) -> None:
    text = "\n".join(articles)

    assert [text[one.start : one.end] for one in split_sentences(text)] == articles


def test_text_without_stops_is_cut_at_a_space() -> None:
    parts = split("word " * 400)

    assert len(parts) > 1
    assert all(len(part) <= 600 and part.split() for part in parts)


@pytest.mark.parametrize(
    ("line", "is_one"),
    [("-w, --wind", True), ("-o FILE | -p", True), ("--dim=N", True), ("-Apples", False)],
)
def test_options_of_a_command_are_told_from_items_of_a_list(line: str, *, is_one: bool) -> None:
    assert is_options(line) is is_one


def test_a_line_that_is_nearly_options_takes_no_doubling_time() -> None:
    assert not is_options("-a=b," * 1_000 + " !")


@given(st.text(alphabet="ab .!?\n1-\u3002\"'", max_size=80))
def test_sentences_lie_in_order_and_miss_no_word(text: str) -> None:
    spans = split_sentences(text)

    assert all(a.end <= b.start for a, b in pairwise(spans))
    kept = "".join(text[span.start : span.end] for span in spans)
    assert "".join(kept.split()) == "".join(text.split())


def test_a_marker_goes_before_the_final_stop() -> None:
    assert before_final_stop('It "ends."') == 8
    assert before_final_stop("It goes on") == 10


def test_a_unit_of_temperature_is_no_initial() -> None:
    text = "Keep it below 45 \u00b0C. Then wait. It was J. Doe who said 90 \u00b0F. So be it."

    found = [text[span.start : span.end] for span in split_sentences(text)]

    assert found == [
        "Keep it below 45 \u00b0C.",
        "Then wait.",
        "It was J. Doe who said 90 \u00b0F.",
        "So be it.",
    ]
