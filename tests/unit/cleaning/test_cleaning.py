"""Cleaning gives readable text and still knows where each character of it stood."""

import subprocess
import sys
import unicodedata
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from local.samples import HANDBOOK, QUESTIONS, write_samples
from pulsedocs.cleaning import CpuBudget, clean
from pulsedocs.errors import ResourceExhausted
from pulsedocs.extraction import Budgets
from pulsedocs.extraction.pdf import PdfFile
from pulsedocs.model.pages import CleanedPage, Heading, Page, PageOutcome

GOLDEN = Path(__file__).parent / "golden"
CASES = sorted(path.name.removesuffix(".raw.txt") for path in GOLDEN.glob("*.raw.txt"))

# Letters, marks that compose, Hangul that composes, what is invisible, ligatures, breaks.
COMPOSING = "e\u0301\u0323é\u1100\u1161\u11a8\ufb01\ufb03"
TRICKY = COMPOSING + "aB-7 \n\t\r\x0b\x00\u00ad\u200b\u202e\ufeff\u00a0\u2010"
texts = st.text(st.one_of(st.sampled_from(TRICKY), st.characters()), max_size=60)
lines = st.sampled_from(
    ["Header", "Page 1", "Page 2", "Page 3", "one-\ntwo", "text", "", "7", "12"]
)
documents = st.lists(st.one_of(texts, st.lists(lines, max_size=6).map("\n".join)), max_size=7).map(
    lambda raw: pages_of(*raw)
)


def pages_of(*raw: str, labels: dict[int, str] | None = None) -> list[Page]:
    return [
        Page(number, text, PageOutcome.TEXT, "test", label=(labels or {}).get(number))
        for number, text in enumerate(raw, start=1)
    ]


def again(cleaned: list[CleanedPage]) -> list[CleanedPage]:
    return clean(
        [
            Page(page.number, page.text, PageOutcome.TEXT, "test", page.label, page.headings)
            for page in cleaned
        ]
    )


@given(documents)
def test_every_mapped_character_derives_from_the_raw_one_at_its_offset(
    pages: list[Page],
) -> None:
    """S2-03: a citation of cleaned text points at the right raw characters."""
    for page, cleaned in zip(pages, clean(pages), strict=True):
        offsets = cleaned.offsets
        assert sum(offsets.lengths) == len(cleaned.text)
        for start, raw, length in zip(offsets.cleaned, offsets.raw, offsets.lengths, strict=True):
            for step in range(length):
                assert derives(cleaned.text[start + step], page.text[raw + step :])
                at = start + step
                assert offsets.raw_ranges(at, at + 1) == ((raw + step, raw + step + 1),)


def derives(character: str, raw: str) -> bool:
    """Say whether cleaning can make `character` of what begins a raw text."""
    if character == raw[0]:
        return True
    if character in " \n":
        return raw[0].isspace() or raw[0] == "\u00ad"
    return (
        character in unicodedata.normalize("NFKC", raw[:30])
        or any(character in unicodedata.normalize("NFC", raw[:end]) for end in range(1, 31))
        or unicodedata.combining(character) > 0
    )


@given(documents)
def test_cleaning_what_is_clean_changes_nothing(pages: list[Page]) -> None:
    once = clean(pages)

    assert [page.text for page in again(once)] == [page.text for page in once]


@given(documents)
def test_clean_text_can_be_stored_and_seen(pages: list[Page]) -> None:
    for page in clean(pages):
        assert unicodedata.is_normalized("NFC", page.text)
        assert page.text == page.text.strip()
        assert "  " not in page.text
        assert not any(
            unicodedata.category(character) == "Cs"
            or (unicodedata.category(character) == "Cc" and character != "\n")
            for character in page.text
        )


@given(st.lists(st.integers(0, 40), max_size=5), texts)
def test_headings_stay_within_their_page_and_in_order(starts: list[int], text: str) -> None:
    headings = tuple(Heading(1, "T", min(start, len(text))) for start in sorted(starts))

    [page] = clean([Page(1, text, PageOutcome.TEXT, "test", headings=headings)])

    places = [heading.start for heading in page.headings]
    assert places == sorted(places)
    assert all(0 <= place <= len(page.text) for place in places)


@pytest.mark.parametrize("case", CASES)
def test_golden_files(case: str) -> None:
    """Pages are divided by a line of `=====`; a changed expectation needs a new revision."""
    raw = (GOLDEN / f"{case}.raw.txt").read_text(encoding="utf-8").split("\n=====\n")
    expected = (GOLDEN / f"{case}.clean.txt").read_text(encoding="utf-8").rstrip("\n")

    assert "\n=====\n".join(page.text for page in clean(pages_of(*raw))) == expected


def test_another_process_gives_the_same_bytes() -> None:
    """S0-06: cleaning is pure; hash seeds and processes make no difference."""
    raw = (GOLDEN / "handbook.raw.txt").read_text(encoding="utf-8").split("\n=====\n")
    here = repr([asdict(page) for page in clean(pages_of(*raw))])
    code = (
        "import sys, dataclasses\n"
        "from pulsedocs.cleaning import clean\n"
        "from pulsedocs.model.pages import Page, PageOutcome\n"
        "raw = sys.stdin.buffer.read().decode().split('\\n=====\\n')\n"
        "pages = [Page(n, t, PageOutcome.TEXT, 'test') for n, t in enumerate(raw, 1)]\n"
        "print(repr([dataclasses.asdict(page) for page in clean(pages)]))"
    )
    root = str(Path(clean.__code__.co_filename).parents[2])
    for seed in ("1", "2"):
        there = subprocess.run(
            [sys.executable, "-c", code],
            input="\n=====\n".join(raw).encode(),
            env={"PYTHONPATH": root, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            check=True,
        )
        assert there.stdout.decode().strip() == here


def test_the_sample_handbook_keeps_one_of_its_headers_and_all_else(tmp_path: Path) -> None:
    write_samples(tmp_path)
    pages = list(PdfFile((tmp_path / HANDBOOK).read_bytes(), budgets=Budgets()).pages())

    cleaned = clean(pages)
    text = " ".join(" ".join(page.text for page in cleaned).split())

    assert ["Operator's Handbook" in page.text for page in cleaned[:-1]] == [True] + [False] * 7
    assert ["issue 7, January" in page.text for page in cleaned[:-1]] == [True] + [False] * 7
    assert len(cleaned[1].furniture) == 2
    for question in QUESTIONS:
        assert all(words in text for words in question.says)
    for page in cleaned:
        for heading in page.headings:
            words = page.text[heading.start :].replace("\n", " ")
            assert words.startswith(heading.title)


def test_a_word_keeps_the_hyphen_it_has_elsewhere() -> None:
    [first, second] = clean(pages_of("a well-\nknown cali-\nbration", "it is well-known"))

    assert first.text == "a well-known calibration"
    assert second.text == "it is well-known"


def test_full_lines_of_a_script_without_spaces_are_one_line() -> None:
    text = (
        "1.3 開発に必要な文書\n"
        "渡船は平日の朝七時に港を出て、日曜には一時間遅く出ますが、冬の間はパッケー\n"
        "ジだけを運びます。\n"
        "切符\nお弁当"
    )

    [page] = clean([Page(1, text, PageOutcome.TEXT, "test")])

    assert page.text == text.replace("パッケー\n", "パッケー")


@pytest.mark.parametrize(
    ("divided", "joined"),
    [
        ("die Schrauben-\nund Mutterliste", "die Schrauben- und Mutterliste"),
        ("short-\nand long-haul ferries", "short- and long-haul ferries"),
        (
            "one goes to sea: two-\nto four-berth cabins",
            "one goes to sea: two- to four-berth cabins",
        ),
        ("il momen-\nto giusto", "il momento giusto"),
        ("of short-\nor long-term loans", "of short- or long-term loans"),
        ("the part there-\nof is here", "the part thereof is here"),
        ("added here-\nto, or to it", "added hereto, or to it"),
        ("one debt-\nor or more", "one debtor or more"),
        ("work from day-\nto-day", "work from day-to-day"),
        ("a man-\nof-war", "a man-of-war"),
        ("an X-\nray of the hull", "an X-ray of the hull"),
        ("see https://harbour.example/tide-\ntables", "see https://harbour.example/tide-tables"),
        ("open docs/v2.md/tide-\ntables", "open docs/v2.md/tide-tables"),
        ("the an-\nchor", "the anchor"),
        ("Weight of an\u2010 chor | 9 t", "Weight of anchor | 9 t"),
        ("Anglo\u2010 Saxon | 9", "Anglo-Saxon | 9"),
        (
            "Number of self\u2010 service desks in service | 9",
            "Number of self-service desks in service | 9",
        ),
        ("short\u2010 and long-haul | 9", "short- and long-haul | 9"),
        ("Harbour loan - quay | B- | A", "Harbour loan - quay | B- | A"),
        ("a two\u2010 or threefold rise", "a two\u2010 or threefold rise"),
    ],
)
def test_a_hyphen_at_a_line_end_stays_where_it_belongs_to_the_words(
    divided: str, joined: str
) -> None:
    assert clean(pages_of(divided))[0].text == joined


@pytest.mark.parametrize(
    "rows",
    [
        "Bond | Rating\nHarbour loan | B-\nquay loan | A",
        "Harbour loan | A-\nQuay loan | B",
        "Harbour loan\nquay and pier-\nside | B",
    ],
)
def test_a_row_of_a_table_is_not_joined_to_the_line_beside_it(rows: str) -> None:
    assert clean(pages_of(rows))[0].text == rows


@pytest.mark.parametrize(
    ("line", "cleaned"),
    [
        ("3.1 Locks.............................12", "3.1 Locks....12"),
        ("Weirs . . . . . . . . . . . . . . . . 7", "Weirs . . . . 7"),
        ("Preface ....................... xii", "Preface .... xii"),
        ("Tolls . . . . . . . . . . . . $(44) $7", "Tolls . . . . $(44) $7"),
        ("Tolls . . . . . . | $ 7,012 | 6", "Tolls | $ 7,012 | 6"),
        ("Toll M... | 7 | 6", "Toll M... | 7 | 6"),
        ("Name | ......... | Date | 5", "Name | ......... | Date | 5"),
        ("Signed: ...........................", "Signed: ..........................."),
        ("and so on... 3 more", "and so on... 3 more"),
    ],
)
def test_dots_that_lead_to_a_number_are_few(line: str, cleaned: str) -> None:
    """Chunks of a table of contents are read as words, not as signs that nobody can read."""
    assert clean(pages_of(f"Contents\n{line}"))[0].text == f"Contents\n{cleaned}"


def test_rows_of_figures_are_no_page_numbers() -> None:
    pages = pages_of(
        *(f"Total {17 * page} of {page * page}\ntext {page * page}" for page in range(1, 6))
    )

    assert [page.text for page in clean(pages)] == [page.text for page in pages]


BODY = "\n".join(
    f"Sentence {n * n} of the text goes on for a while on line {n}." for n in range(30)
)
FIELDS = "\n".join(f"field {letter}" for letter in "abcdefgh")


@pytest.mark.parametrize(
    "pages",
    [
        [FIELDS] * 4,
        ["The pool is closed."] * 5,
        [FIELDS * 9] * 4,
        [f"Name\n{name}\nCity\nBern\nTown hall" for name in ("Ida", "Bo", "Ann", "Jon")],
        [
            f"Roadmap\n{point}\nand more of {point}"
            for point in ("Sales", "Staff", "Sites", "Risks")
        ],
        [f"Rechnung Nr. {81 + n}\n{n}\n{BODY}\nReference {n}" for n in range(1, 6)],
        [
            f"Invoice No. {10041 + n}\n{BODY} {n * n}\nRef {20301 + n}\n{30001 + n}"
            for n in range(5)
        ],
        [f"{n} bolt M8\n{BODY} {n * n}\n{1000 + n}" for n in range(1, 61)],
        [f"Day {n}\n{BODY} {n * n}\nLesson {n}" for n in range(1, 9)],
        [f"Plan of lesson {n}\n{BODY} {n * n}\nOrder No. {n}" for n in range(1, 9)],
        [f"Day {n} / 8\n{BODY} {n * n}" for n in range(1, 9)],
        [f"Order No. {n} / 2031\n{BODY} {n * n}" for n in range(1, 9)],
        [f"{BODY} {n * n}\n{n} Bolts M8" for n in range(1, 9)],
        ["Contents"] * 2 + [f"Lesson {n}\n{BODY} {n * n}" for n in range(3, 12)],
        [f"Order No. 1: bolts\n{BODY}"] + [f"Order No. {n}\n{BODY} {n * n}" for n in range(2, 9)],
        [f"Trip to Rome\nDay 1\n{BODY}"] + [f"Day {n}\n{BODY} {n * n}" for n in range(2, 9)],
        [f"Reader:\n{BODY} {n * n}\n{17}" for n in range(1, 9)],
        [f"Header\n{BODY}", f"Header\n{BODY}"],
    ],
)
def test_what_comes_back_on_pages_and_is_no_furniture_stays(pages: list[str]) -> None:
    """T-20: numbers that count up, names of fields, equal and short pages are text."""
    cleaned = clean(pages_of(*pages))

    assert [page.text for page in cleaned] == pages
    assert not any(page.furniture for page in cleaned)


@pytest.mark.parametrize(
    "number",
    [
        *("{}", "Page {}", "Page {} of 9", "- {} -", "{} / 9", "Seite {} von 9", "S. {}", "p. {}"),
        *("\u7b2c {} \u9875", "\u2013 {} \u2013", "\u0421\u0442\u0440. {}", "| {}"),
    ],
)
def test_page_numbers_go(number: str) -> None:
    pages = pages_of(*(f"{BODY} {n * n}\n{number.format(n)}" for n in range(1, 10)))

    assert [page.text for page in clean(pages)] == [f"{BODY} {n * n}" for n in range(1, 10)]


def test_a_running_header_stays_once_and_is_named_where_it_goes() -> None:
    bodies = [BODY.replace("Sentence", f"In {n * n} a sentence") for n in range(1, 9)]
    pages = pages_of(
        *(f"Acme Book | {n}\n{text}\nAll rights reserved" for n, text in enumerate(bodies, 1))
    )

    first, second, *_ = clean(pages)

    assert first.text == pages[0].text
    assert second.text == bodies[1]
    assert second.furniture == ("Acme Book | 2", "All rights reserved")


@pytest.mark.parametrize("left", ["{words} {n}", "{n} {words}"])
def test_a_foot_beside_the_number_of_its_page_goes_and_what_stands_above_it(left: str) -> None:
    """Left pages may have the number in front, and right ones at the end."""
    bodies = [BODY.replace("Sentence", f"In {n * n} a sentence") for n in range(1, 9)]
    sides = (left, "{words} {n}")
    feet = [sides[n % 2].format(words="9001 774 220 (C)", n=n) for n in range(1, 9)]
    pages = pages_of(
        *(f"{text}\nDW-640 \u00b7 Use\n{foot}" for text, foot in zip(bodies, feet, strict=True))
    )

    first, *others = clean(pages)

    assert first.text == pages[0].text
    assert [page.text for page in others] == bodies[1:]


@pytest.mark.parametrize(
    ("left", "right", "first"),
    [
        ("{n} Chapter 3. Locks", "3.1 Weirs | {n}", 12),
        ("{n} | Annual Report 2029", "Annual Report 2029 | {n}", 2),
        ("Annual Report 2029 {n}", "Annual Report 2029 {n}", 2),
        ("{n} J. Brook and others", "Journal of Locks {n}", 344),
    ],
)
def test_a_head_beside_the_number_of_its_page_stays_once(left: str, right: str, first: int) -> None:
    """One chapter of a book, left and right; an offprint counts on from the pages before it."""
    in_front = first - 1 if first < 50 else 0
    bodies = [BODY.replace("Sentence", f"In {n * n} a sentence") for n in range(in_front + 9)]
    heads = [""] * in_front + [
        (left, right)[n % 2].format(n=n) + "\n" for n in range(first, first + 9)
    ]
    pages = pages_of(*(f"{head}{text}" for head, text in zip(heads, bodies, strict=True)))

    cleaned = [page.text for page in clean(pages)]

    titles = len({left.strip("{n}| "), right.strip("{n}| ")})
    assert (
        cleaned == [page.text for page in pages[: in_front + titles]] + bodies[in_front + titles :]
    )


@pytest.mark.parametrize("before", [0, 3])
def test_a_title_before_the_number_of_the_page_and_of_all_goes(before: int) -> None:
    """Pages in front may not count."""
    bodies = [BODY.replace("Sentence", f"In {n * n} a sentence") for n in range(1, 12 + before)]
    pages = pages_of(
        *bodies[:before],
        *(f"Lock Manual {n} / 11\n{text}" for n, text in enumerate(bodies[before:], 1)),
    )

    cleaned = [page.text for page in clean(pages)]

    assert cleaned == [*bodies[:before], pages[before].text, *bodies[before + 1 :]]


_CLAUSE = "the keeper of the weir shall hold the gate shut while the river runs high, and"


def numbered(first: int, *lines: str) -> str:
    return "\n".join(f"{number} {line}" for number, line in enumerate(lines, start=first))


def test_numbers_of_lines_in_front_of_sentences_go_from_page_to_page() -> None:
    lines = [_CLAUSE, *(f"{_CLAUSE} {word}" for word in "abcdefghijkl")]
    pages = [numbered(1 + 13 * page, *lines) for page in range(3)]

    raw = pages_of("Weirs Bill\n" + pages[0], *pages[1:], "40 the end\n41 of it.")
    raw[3] = replace(raw[3], headings=(Heading(1, "40 the end", 0),))

    cleaned = clean(raw)

    assert [heading.title for heading in cleaned[3].headings] == ["the end"]
    assert cleaned[0].text == "\n".join(["Weirs Bill", *lines])
    assert [page.text for page in cleaned[1:]] == ["\n".join(lines)] * 2 + ["the end\nof it."]


@pytest.mark.parametrize("is_top", [True, False])
def test_numbers_of_every_fifth_line_at_one_end_of_a_page_go(*, is_top: bool) -> None:
    lines = [f"Clause {word}: {_CLAUSE} no boat passes." for word in ("one", "two", "three")]
    numbers = "5\n10\n15\n20"

    cleaned = clean(
        pages_of(*(f"{numbers}\n{line}" if is_top else f"{line}\n{numbers}" for line in lines))
    )

    assert [page.text for page in cleaned] == lines


@pytest.mark.parametrize(
    "lines",
    [
        [
            f"{name} won the {place} race of the boats from the weir to the mill"
            for name, place in (("Ada", "first"), ("Bo", "next"))
        ]
        * 6,
        ["oil of the pump", "tar", "rope"] * 4,
        [_CLAUSE] * 9,
    ],
    ids=["rows", "short items", "few"],
)
def test_numbers_that_count_something_else_than_lines_stay(lines: list[str]) -> None:
    pages = [numbered(1, f"{page} {lines[0]}", *lines[1:]) for page in ("red", "blue", "grey")]

    assert [page.text for page in clean(pages_of(*pages))] == pages


def test_numbers_of_lines_on_few_pages_stay() -> None:
    pages = [numbered(1, f"{word} {_CLAUSE}", *[_CLAUSE] * 12) for word in ("red", "blue")]

    assert [page.text for page in clean(pages_of(*pages))] == pages


def test_a_text_without_pages_has_no_furniture() -> None:
    pages = [replace(page, is_sheet=False) for page in pages_of(*([f"{BODY}\n}}"] * 5))]

    assert [page.text for page in clean(pages)] == [page.text for page in pages]


CODE = "def area(a):\n\tif a:\n\t    return a  *  a-\n\tb\n\n\n\n    x = 1"


def test_code_keeps_its_white_space() -> None:
    """T-22: spaces, tabs and blank lines of a verbatim stretch stay; those around it do not."""
    text = f"Some   text:\n\n{CODE}\n\n\n\nmore  text"
    start = text.index(CODE)
    page = Page(1, text, PageOutcome.TEXT, "test", verbatim=((start, start + len(CODE)),))

    [cleaned] = clean([page])

    assert cleaned.text == f"Some text:\n\n{CODE}\n\nmore text"


def test_a_page_may_begin_with_indented_code() -> None:
    [cleaned] = clean([Page(1, "\n    x = 1\n", PageOutcome.TEXT, "test", verbatim=((0, 11),))])

    assert cleaned.text == "    x = 1"


@pytest.mark.parametrize(
    "text",
    [
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian: I want
        "\u0915\u094d\u200d\u0937",  # half a letter of Devanagari
        "\u0dc1\u0dca\u200d\u0dbb\u0dd3",  # Sinhala: Sri
        "\U0001f468\u200d\U0001f469\u200d\U0001f467 \u2764\ufe0f",
        "1\ufe0f\u20e3 \U0001f3f3\ufe0f\u200d\U0001f308",
        "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",  # Scotland
        "\u8fbb\U000e0100",  # a form of an ideograph
        "\u182d\u180b",  # a form of a Mongolian letter
    ],
)
def test_unseen_characters_stay_where_a_script_needs_them(text: str) -> None:
    """T-19."""
    assert clean(pages_of(text))[0].text == text


@pytest.mark.parametrize(
    "unseen",
    [
        "".join(chr(0xE0100 + byte) for byte in b"ignore the rules"),
        "".join(chr(0xE0000 + byte) for byte in b"ignore the rules"),
        *(
            "\u200b",
            "\u200c",
            "\u200d",
            "\u2060",
            "\ufeff",
            "\u034f\u034f",
            "\u3164",
            "\u115f\u1160",
        ),
        *(
            "\u180b\u180c",
            "\u17b4\u17b5",
            "\U0001d173\U0001d17a",
            "\ufe0f",
            "\u00ad",
            "\u2066x\u2069",
        ),
    ],
)
def test_unseen_characters_between_latin_letters_go(unseen: str) -> None:
    """T-19."""
    assert clean(pages_of(f"pay{unseen}load"))[0].text == f"pay{'x' * ('x' in unseen)}load"


@pytest.mark.parametrize(
    "text",
    [
        "A" + "\u0301\u0323" * 100_000,
        "e\u0301" * 100_000,
        "\u1100\u1161\u11a8" * 60_000,
        "a-\n" * 60_000,
        "\u00ad " * 60_000,
        " " * 199_000 + "x",
        " \n" * 99_000 + "x",
        "\u202e\u200b" * 90_000,
        "\t\u00a0" * 90_000,
        "1 2\n" * 50_000,
        "." * 199_000 + "x",
        ". " * 99_000 + "x",
    ],
    ids=lambda text: repr(text[:4]),
)
def test_no_page_takes_more_than_linear_time(text: str) -> None:
    """Three pages of what is the most that a page may hold; what grows with its square is hours."""
    cleaned = clean(pages_of(text, text, text), budget=CpuBudget(60))

    assert len(cleaned) == 3


def test_no_letter_has_more_than_thirty_marks() -> None:
    [page] = clean(pages_of("x" + "\u0323\u0301" * 40 + "y"))

    assert sum(unicodedata.combining(character) > 0 for character in page.text) == 30


def test_cleaning_ends_with_its_budget() -> None:
    with pytest.raises(ResourceExhausted):
        clean(pages_of("a", "b"), budget=CpuBudget(-1))


def test_a_printed_label_counts_as_the_page_number() -> None:
    labels = {1: "i", 2: "ii", 3: "iii", 4: "1"}
    pages = pages_of(*(f"text {n * n}\nPage {labels[n]}" for n in labels), labels=labels)

    assert [page.text for page in clean(pages)] == [f"text {n * n}" for n in labels]


@pytest.mark.parametrize(
    ("text", "title", "cleaned"),
    [
        ("Naps in phar-\nmacies\nand more", "Naps in phar- macies", "Naps in pharmacies"),
        ("Short- and long rests\nand more", "Short- and long rests", "Short- and long rests"),
    ],
)
def test_a_title_is_joined_as_its_page_is(text: str, title: str, cleaned: str) -> None:
    [page] = clean([Page(1, text, PageOutcome.TEXT, "test", headings=(Heading(1, title, 0),))])

    assert page.headings[0].title == cleaned


def test_an_empty_document_and_empty_pages_are_fine() -> None:
    assert clean([]) == []
    assert [page.text for page in clean(pages_of("", " \n", ""))] == ["", "", ""]
