"""A row is quoted with its own heads, and no row of figures is taken for heads."""

from collections.abc import Sequence
from typing import Final

import pytest

from pulsedocs.answering.asked.judging import judged
from pulsedocs.answering.extractive.extract import by_shared_words, extract
from pulsedocs.answering.governing import in_context
from pulsedocs.answering.left_out import Judge
from pulsedocs.answering.passages import Words, sentences_of
from pulsedocs.answering.reading import note_on
from pulsedocs.answering.tables import Row, row_of, rows_beside, rows_named_in
from tests.unit.answering.blocks import block

BOATS = "Boats\n\nBoat | Seats | Price a day\nGull | 2 | 31 euros\nTern | 4 | 52 euros"
PLAIN = (
    "Boats\nBoat Seats Price Pier\n"
    "Gull 2 31 euros north\nTern 4 52 euros south\nAuk 6 70 euros north"
)


def row_with(label: str, page: str) -> tuple[Words, Row]:
    [found] = [words for words in sentences_of(block(1, page)) if words.text.startswith(label)]
    row = row_of(found)
    assert row is not None
    return found, row


@pytest.mark.parametrize(
    ("page", "label", "heads", "spoken"),
    [
        (
            BOATS,
            "Tern",
            "Boat | Seats | Price a day",
            "Boat: Tern, Seats: 4, Price a day: 52 euros",
        ),
        (PLAIN, "Tern", "Boat Seats Price Pier", None),
        ("Gull | 2\nTern | 4\nAuk | 6", "Tern", None, "Tern, 4"),
        (
            "Pool | Sauna\nMay | 9 | 10\nJune | 8 | 10",
            "June",
            "Pool | Sauna",
            "June, Pool: 8, Sauna: 10",
        ),
        ("Mill | 1887\nWell | 1902", "Well", None, "Well, 1902"),
        (
            "Pier | 2031 | 2030\nNorth | 7 | 8",
            "North",
            "Pier | 2031 | 2030",
            "Pier: North, 2031: 7, 2030: 8",
        ),
        ("Assets 2031 2030\nCash 300 200\nDebt 50 40", "Debt", "Assets 2031 2030", None),
        ("Balance\nOpening 500\nCash 300 200\nDebt 50 40", "Debt", "Balance", None),
        ("Visitors 1990 1887\nGuests 1500 1700", "Guests", None, None),
        ("A 2031 2030\nCash 3 2\n\nB 2029 2028\nDebt 5 4", "Debt", "B 2029 2028", None),
        (
            "Income | 2031 | 2030\nOil | 7 | 8\nCash | 2031 | 2030\nTea | 5 | 6",
            "Tea",
            "Cash | 2031 | 2030",
            "Cash: Tea, 2031: 5, 2030: 6",
        ),
        (
            "Who | Where\nAnna | Oslo\n\nWhat | When\nRace | May",
            "Race",
            "What | When",
            "What: Race, When: May",
        ),
    ],
)
def test_a_row_has_the_heads_of_its_own_table(
    page: str, label: str, heads: str | None, spoken: str | None
) -> None:
    words, row = row_with(label, page)

    assert "\n" not in words.text
    assert (row.columns and row.columns.text, row.spoken) == (heads, spoken)


@pytest.mark.parametrize(
    ("page", "label", "shown"),
    [
        ("Gull | 2\nTern | 4\nAuk | 6", "Tern", "Tern: 4"),
        ("Bore: | 31 mm\nWeight: | 4 kg", "Weight", "Weight: 4 kg"),
        ("Pier | Boats\nNorth | 7", "North", "Pier: North, Boats: 7"),
    ],
)
def test_a_label_is_shown_with_a_colon_before_its_value(page: str, label: str, shown: str) -> None:
    _, row = row_with(label, page)

    assert row.shown == shown


GROUPS = (
    "| 2031 | 2030\nFares: | |\nAdults | 70 | 80\nTotal fares | 70 | 80\nCosts: | |\nOil | 4 |"
    "\nRope | 5 | 6\nNet result | 61 | 74\nVisitors | 900 | 800"
)


@pytest.mark.parametrize(
    ("label", "spoken"),
    [
        ("Adults", "Fares: Adults, 2031: 70, 2030: 80"),
        ("Total fares", "Total fares, 2031: 70, 2030: 80"),
        ("Oil", "Costs: Oil, 2031: 4"),
        ("Rope", "Costs: Rope, 2031: 5, 2030: 6"),
        ("Net result", "Net result, 2031: 61, 2030: 74"),
        ("Visitors", "Visitors, 2031: 900, 2030: 800"),
    ],
)
def test_a_row_is_said_in_its_group_and_a_total_ends_the_group(label: str, spoken: str) -> None:
    _, row = row_with(label, GROUPS)

    assert row.spoken == spoken


def test_net_sales_and_totals_below_a_year_are_of_that_year() -> None:
    rows = "Net sales | 5 | 6\nTotal costs | 3 | 4"

    _, row = row_with("Total costs | 3 | 4", f"| First | Second\n2031 | |\n{rows}\nOil | 1 | 2")

    assert row.spoken == "2031: Total costs, First: 3, Second: 4"


@pytest.mark.parametrize(
    ("rows", "spoken"),
    [
        (
            "2030 | |\nOil | 1 | 2\n2031 | |\nOil | 3 | 4\nTotal | 4 | 6",
            "Total, First: 4, Second: 6",
        ),
        (
            "2030 | |\nTotal | 1 | 2\n2031 | |\nOil | 3 | 4\nTotal | 4 | 6",
            "2031: Total, First: 4, Second: 6",
        ),
    ],
)
def test_a_total_below_the_last_year_is_of_all_unless_each_has_one(rows: str, spoken: str) -> None:
    assert row_with("Total | 4", f"| First | Second\n{rows}")[1].spoken == spoken


@pytest.mark.parametrize(
    ("rows", "spoken"),
    [
        ("Total | 7 | 9\nSold: | |\nOil | 3 | 4\nTotal | 3 | 4\nLeft | 4 | 5", "Hired: Total,"),
        ("Total | 7 | 9\nSold: | |\nOil | 3 | 4\nLeft | 4 | 5", "Hired: Total,"),
        ("Sold: | |\nOil | 3 | 4\nTotal | 7 | 9\nLeft | 4 | 5", "Total,"),
        ("Total | 7 | 9", "Total,"),
    ],
)
def test_what_is_only_called_total_is_of_its_group_if_it_can_be_of_no_more(
    rows: str, spoken: str
) -> None:
    page = f"| First | Second\nHired: | |\nBoats | 5 | 6\nCrew | 2 | 3\n{rows}"

    assert row_with("Total | 7", page)[1].spoken == f"{spoken} First: 7, Second: 9"


@pytest.mark.parametrize("label", ["TIMEOUT", "server.port", "--verbose"])
def test_a_setting_without_values_names_no_group_of_others(label: str) -> None:
    """It was "API_KEY: TIMEOUT, default: 30"."""
    page = f"Option | Default | Meaning\nAPI_KEY | |\n{label} | 30 | Seconds"

    _, row = row_with(label, page)

    assert row.spoken == f"Option: {label}, Default: 30, Meaning: Seconds"


def test_a_row_whose_last_cells_are_left_out_keeps_its_heads() -> None:
    _, row = row_with("Tern", "Boat | Seats | Pier\nGull | 2 | north\nTern | 4")

    assert row.spoken == "Boat: Tern, Seats: 4"


def test_the_first_of_a_list_of_keys_is_no_title_of_the_others() -> None:
    keys = "-: Fold\nF2: Simple edition\nF5: State None\nCtrl+F7: State Failed\n"

    _, row = row_with("Ctrl+F7", keys)

    assert row.heading == ""


def test_prose_with_figures_is_no_table() -> None:
    page = (
        "Das Boot hat im Jahr 2031 rund 40 Fahrten\nGemacht und dabei 900 Personen an den\n"
        "Pier gebracht. Das war neu."
    )

    [first, _] = sentences_of(block(1, page))

    assert first.text.endswith("gebracht.")
    assert row_of(first) is None


def test_items_with_figures_are_no_rows() -> None:
    page = "Ingredients:\n\n- 500 g potatoes\n- 150 g flour\n- 12 plums"

    assert [row_of(words) for words in sentences_of(block(1, page))] == [None] * 4


def test_a_paragraph_that_ends_in_a_telephone_number_is_no_row() -> None:
    page = "Lockers\n\nA locker costs 4 euros. Call the office in Bergen, phone 55 210 33."

    assert [row_of(words) for words in sentences_of(block(1, page))] == [None, None, None]


@pytest.mark.parametrize(
    ("years", "spoken"),
    [
        ("2031 2030", "Earnings data:: Tolls, 2031: 61, 2030: 74"),
        ("2031 2030 2029", "Earnings data:: Tolls, 61, 74"),  # of another table
        ("In 2031 2030 was gone.", "Earnings data:: Tolls, 61, 74"),
    ],
)
def test_years_stand_over_what_a_table_is_called(years: str, spoken: str) -> None:
    page = f"{years}\n(In millions)\nEarnings data:\nBerths | 12 | 14\nTolls | 61 | 74"

    _, row = row_with("Tolls", page)

    assert f"{row.title}: {row.spoken}" == spoken


_PLANS: Final = (
    "Plan | Period | Price\nBasic | month | 9\nBasic | year | 90\nFamily | month | 19\n"
    "Family | year | 190\nBasic Plus | month | 12"
)


@pytest.mark.parametrize(
    ("question", "prices"),
    [
        ("What does the Basic plan cost per month and per year?", ["9", "90"]),
        ("What do Basic and Family cost per month?", ["9", "19"]),
        ("What do Basic and Basic Plus cost?", ["9", "90", "12"]),
        ("What does Basic Plus cost per month?", []),
        ("What does the plan cost?", []),
    ],
)
def test_the_rows_that_a_question_names_have_all_that_it_names(
    question: str, prices: list[str]
) -> None:
    words, _ = row_with("Family | month", _PLANS)

    named = rows_named_in(question, rows_beside(words))

    assert [row.text.split(" | ")[-1] for row in named] == prices


def test_all_rows_that_say_as_much_are_shown_wherever_in_a_long_table_they_stand() -> None:
    stores = ["Harbour shed" if number in {250, 260} else "Main store" for number in range(300)]
    rows = "\n".join(f"Tool {number} | {store}" for number, store in enumerate(stores))
    page = block(1, f"Tools\n\nTool | Store\n{rows}")

    found = extract(
        "Which tools are in the Harbour shed?",
        [page],
        judge=Judge(by_shared_words),
        relevance={},
    )

    shown = [line.split(",")[0] for line in found.text.split("\n")]
    assert shown == ["Tool: Tool 250", "Tool: Tool 260"]
    assert found.rows_left == 0


_STAFF = (
    "Staff\n\nName | Team | Since | Maximum leave\nAnna | Sales | 2016 | 27\n"
    "Bruno | IT | 2021 | 30\nChen | Sales | 2023 | 28\nEmil | IT | 2020 | 25"
)


@pytest.mark.parametrize(
    ("question", "names", "is_left"),
    [
        ("Who works in sales?", ["Anna", "Chen"], False),
        ("Who works in IT?", ["Bruno", "Emil"], False),
        ("Since when has Chen been in sales?", ["Chen"], False),
        ("Who came to the team after 2020?", ["Anna", "Bruno", "Chen", "Emil"], True),
        ("What is the longest leave in the team?", ["Anna", "Bruno", "Chen", "Emil"], True),
        ("What is the last name in the list of Emil?", ["Emil"], False),
    ],
)
def test_rows_that_say_as_much_as_the_one_that_answers_are_shown_with_it(
    question: str, names: list[str], *, is_left: bool
) -> None:
    """Fails when: one of two is shown alone, or any row passes for the one with most."""

    def answers(_question: str, texts: Sequence[str]) -> list[float]:
        return [0.9 if names[-1] in one else 0.5 for one in texts]

    judge = Judge(lambda _question, texts: [0.9 for _ in texts], reads=True, answers=answers)
    found = extract(question, [block(1, _STAFF)], judge=judge, relevance={}, gate=0.3)

    assert [line.split(",")[0] for line in found.text.split("\n")] == [f"Name: {n}" for n in names]
    assert (note_on(question, found.quoted, rows=found.rows) is not None) is is_left


_ROTA = (
    "Rota\n\nName | Monday | Tuesday | Friday\nAnna | night | off | late"
    "\nBruno | off | night | night\nChen | late | late | off"
)


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Who is on nights on Monday?", ["Anna"]),
        ("Who is on nights?", ["Anna", "Bruno"]),
        ("Who is late on Tuesday?", ["Chen"]),
        ("Who is on nights in May?", ["Bruno"]),
    ],
)
def test_what_a_row_says_of_other_days_is_not_said_of_the_day_that_is_asked_about(
    question: str, names: list[str]
) -> None:
    judge = Judge(lambda _question, texts: [0.9 for _ in texts], reads=True)
    of_months = _ROTA.replace("Monday", "April").replace("Tuesday", "June").replace("Friday", "May")
    rota = of_months if "May" in question else _ROTA

    found = extract(question, [block(1, rota)], judge=judge, relevance={}, gate=0.3)

    assert [line.split(",")[0] for line in found.text.split("\n")] == [f"Name: {n}" for n in names]


@pytest.mark.parametrize(
    "question",
    ["Who works late on Monday?", "Who works nights on Tuesday?"],
)
def test_a_row_that_is_sure_to_answer_says_it_of_the_day_that_is_asked_about(question: str) -> None:
    page = "Rota\n\nName | Monday | Tuesday\nAnna | night | late\nBruno | off | off"
    judge = Judge(
        lambda _question, texts: [0.9 for _ in texts],
        reads=True,
        answers=lambda _question, texts: [0.9 if "Anna" in one else 0.1 for one in texts],
    )

    assert extract(question, [block(1, page)], judge=judge, relevance={}, gate=0.3).text == ""


def test_what_a_row_says_of_another_day_is_not_left_to_the_rest_of_its_page() -> None:
    page = "Class\n\nTime | Monday | Friday\n9:00 | art | music\n10:00 | art | art"
    words, row = row_with("9:00", page)
    question = "When does the class have music on Monday?"

    match = judged(question, in_context(words, row, question=question), likeness=None)

    assert match.unmet == ("music",)
    assert not match.is_nearly_met


_ADVICE = (
    "Errors\n\ncode | meaning | what to do\nE404 | no trace | Traces are kept for 30 days. Ask."
    "\nE410 | gone | It is kept for a week."
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How long are traces kept?", "Traces are kept for 30 days [1]."),
        (
            "What is done about E404?",
            "code: E404, meaning: no trace, what to do: Traces are kept for 30 days. Ask [1].",
        ),
        (
            "How long is E410 kept?",
            "code: E410, meaning: gone, what to do: It is kept for a week [1].",
        ),
    ],
)
def test_a_sentence_in_a_cell_answers_without_the_others_where_it_says_all_that_is_asked(
    question: str, answer: str
) -> None:
    found = extract(question, [block(1, _ADVICE)], judge=Judge(by_shared_words), relevance={})

    assert found.text == answer
    assert [one.quote for one in found.citations][-1] in _ADVICE


_REPORT = (
    "Report\n\nUnit | R&D | EPS\nPumps | 14 | 3\nValves | 9 | 2\n\n"
    "Year to May | 2031 | 2030\nResearch and development | 31 | 28"
    "\nEarnings per share if basic | 4 | 3\nEarnings per share if diluted | 4 | 3"
)


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What was spent on R&D in 2031?", ["Research and development"]),
        ("What was EPS in 2031?", ["Earnings per share if basic", "Earnings per share if diluted"]),
        ("What was diluted EPS in 2031?", ["Earnings per share if diluted"]),
        ("What did pumps spend on R&D?", ["Pumps"]),
    ],
)
def test_a_row_that_is_asked_for_by_its_letters_goes_before_parts_of_another_table(
    question: str, names: list[str]
) -> None:
    judge = Judge(lambda _question, texts: [0.9 for _ in texts], reads=True)

    found = extract(question, [block(1, _REPORT)], judge=judge, relevance={}, gate=0.3)

    rows = [line.split(",")[0].split(": ")[1] for line in found.text.split("\n")]
    assert rows == names


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What was the cash in 2031?", ["Tolls"]),
        ("What were the earnings in 2031?", ["Tolls", "Oil", "Rope"]),
    ],
)
def test_rows_that_share_only_their_year_with_a_question_are_shown_if_that_is_all_it_asks(
    question: str, names: list[str]
) -> None:
    """Fails when: asked for what is in no row, all rows of the year are shown."""
    page = "Earnings\n\nItem | 2031 | 2030\nTolls | 61 | 74\nOil | 4 | 5\nRope | 8 | 7"

    def answers(_question: str, texts: Sequence[str]) -> list[float]:
        return [0.9 if names[0] in one else 0.5 for one in texts]

    judge = Judge(lambda _question, texts: [0.9 for _ in texts], reads=True, answers=answers)
    found = extract(question, [block(1, page)], judge=judge, relevance={}, gate=0.3)

    shown = [line.split(",")[0] for line in found.text.split("\n")]
    assert shown == [f"Item: {name}" for name in names]


def test_of_many_rows_it_is_said_how_many_are_left() -> None:
    rows = "\n".join(f"Tool {number} | Main store" for number in range(80))

    found = extract(
        "Which tools are in the Main store?",
        [block(1, f"Tools\n\nTool | Store\n{rows}")],
        judge=Judge(by_shared_words),
        relevance={},
    )

    assert (found.text.count("\n") + 1, found.rows_left) == (50, 30)
    note = note_on("Which tools are in the Main store?", found.quoted, rows_left=30)
    assert note is not None
    assert "30 more rows" in note.message


_HEADS: Final = "Map | Depth | Width"
_ON_RIVERS: Final = f"{_HEADS}\nOtter | 91 | 88\nBear | 71 | 68"
_ON_LAKES: Final = f"{_HEADS}\nOtter | 81 | 78\nBear | 61 | 65"


@pytest.mark.parametrize(
    "page",
    [
        f"4.2 Results\nTable 3: On\nrivers.\n{_ON_RIVERS}\n\nTable 4: On lakes.\n\n{_ON_LAKES}",
        f"{_ON_RIVERS}\nTable 3. Results on rivers.\n{_ON_LAKES}\nTable 4. Results on lakes.",
        f"Table 3\nResults on rivers\n{_ON_RIVERS}\n\nTable 4\nResults on lakes\n{_ON_LAKES}",
    ],
    ids=["above", "below", "on two lines"],
)
@pytest.mark.parametrize(
    ("question", "depth"),
    [
        ("What is the depth of Otter on lakes?", 81),
        ("What is the depth of Otter on rivers?", 91),
        ("What is the depth of Bear in Table 4?", 61),
    ],
)
def test_the_caption_tells_two_tables_apart(page: str, question: str, depth: int) -> None:
    found = extract(question, [block(1, page)], judge=Judge(by_shared_words), relevance={})

    assert [f"Depth: {each}" in found.text for each in (91, 81, 71, 61)] == [
        each == depth for each in (91, 81, 71, 61)
    ]


@pytest.mark.parametrize(
    ("page", "titles"),
    [
        ("{}\n\nTable 3: On lakes.\n{}\n\nTable 4: On seas.\n{}", ["", "lakes", "seas"]),
        ("{}\nTable 3: On lakes.\n\n{}", ["lakes", ""]),
        ("{}\nTable 3: On lakes.\n{}", ["", ""]),
        (
            "Table 3: On lakes.\n{}\nThe depth is in metres.\n{}\nTable 4: On seas.",
            ["lakes", "seas"],
        ),
    ],
    ids=["goes on from before", "goes on behind", "nothing tells", "above and below"],
)
def test_a_caption_between_two_tables_is_that_of_the_nearer_one(
    page: str, titles: list[str]
) -> None:
    labels = ["Otter", "Bear", "Crane"]
    tables = [f"{_HEADS}\n{label} | 91 | 88" for label in labels]

    found = [row_with(f"{one} |", page.format(*tables))[1].title for one in labels[: len(titles)]]

    assert [title.rpartition(" ")[2] for title in found] == titles


def test_a_sentence_that_goes_on_with_a_table_s_number_is_no_caption() -> None:
    page = f"It is deeper, as shown in\nTable 3. The rest is shallow.\n{_ON_RIVERS}"

    _, row = row_with("Otter", page)

    assert row.title == ""


@pytest.mark.parametrize(
    ("title", "lines"),
    [
        (
            "会則",
            ["第2条 会費は4,000円です。", "第3条 鍵は1,500円です。", "第4条 閉館は21時です。"],
        ),
        (
            "ระเบียบ",
            [
                "ข้อ 1 ค่าสมาชิกเดือนละ 350 บาท",
                "ข้อ 2 ผู้ที่ทำกุญแจหายต้องจ่าย 100 บาท",
                "ข้อ 3 ค่าจอดรถชั่วโมงละ 20 บาท",
            ],
        ),
    ],
    ids=["Japanese", "Thai"],
)
def test_rules_in_scripts_without_spaces_are_no_table_below_their_title(
    title: str, lines: Sequence[str]
) -> None:
    """Counted by spaces, each line was half figures, and was said of the title as a row is."""
    given = block(text="\n".join((title, *lines)))
    [page] = given.pages
    start = len(title) + 1

    assert row_of(Words(given, page, start, start + len(lines[0]))) is None
