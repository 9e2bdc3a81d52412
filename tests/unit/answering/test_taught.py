"""One who was taught tells what answers from what only speaks of it, in whatever words."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from pulsedocs.answering.asked.terms import terms_of
from pulsedocs.answering.extractive.candidates import worth_reading
from pulsedocs.answering.extractive.extract import Extract, extract
from pulsedocs.answering.extractive.taught import as_read
from pulsedocs.answering.left_out import Judge
from pulsedocs.answering.passages import Block, Wording
from pulsedocs.answering.reading import note_on
from pulsedocs.model.pages import Heading
from tests.unit.answering.blocks import block

PAGE = (
    "Boats\n\nThe skiff is kept in the long shed. It may be rowed until nine in the evening. "
    "The wardens lock the long shed at ten.\n"
)


def foreign(text: str) -> Block:
    return replace(block(text=text), wording=Wording.FOREIGN)


def asked(question: str, chance: float, *, page: str = PAGE, of: str = "nine") -> Extract:
    """Answer by two who read: the one is rather sure of all, the other `of` what has a word."""

    def reader(_question: str, sentences: Sequence[str]) -> list[float]:
        return [0.85 for _ in sentences]

    def answers(_question: str, sentences: Sequence[str]) -> list[float]:
        return [chance if of in one else 0.0 for one in sentences]

    judge = Judge(reader, reads=True, answers=answers)
    return extract(question, [block(text=page)], judge=judge, relevance={}, gate=0.3)


@pytest.mark.parametrize(("chance", "is_answered"), [(0.06, True), (0.05, False)])
def test_what_is_beside_the_question_does_not_answer_by_its_words(
    chance: float, *, is_answered: bool
) -> None:
    found = asked("When is the long shed locked by the wardens?", chance, of="wardens")

    assert bool(found.text) is is_answered


@pytest.mark.parametrize(
    ("page", "is_answered"),
    [("The skiff costs nothing.", True), ("The skiff is free for a day, then 2 \u20ac.", False)],
)
def test_what_is_free_is_judged_where_it_has_a_price_too(page: str, *, is_answered: bool) -> None:
    assert bool(asked("What does the skiff cost?", 0.0, page=page).text) is is_answered


@pytest.mark.parametrize(("chance", "is_answered"), [(0.4, True), (0.39, False)])
def test_what_likely_answers_does_in_its_own_words(chance: float, *, is_answered: bool) -> None:
    found = asked("Up to what hour are sculls allowed out?", chance)

    assert found.chance == chance
    assert bool(found.text) is is_answered
    assert [one.quote for one in found.citations] == (
        ["The skiff is kept in the long shed. It may be rowed until nine in the evening."]
        if is_answered
        else []
    )


@pytest.mark.parametrize(
    ("question", "is_answered"),
    [
        ("Where do sculls lie?", True),
        ("How many sculls lie?", False),  # no number stands there
        ("Where did sculls lie in 2019?", False),
        ("Where do the sculls of berth 188 lie?", False),
        ("Where does HX-400 lie?", False),
        ("Where does Norden keep sculls?", False),  # whom the page does not know
        ("Where do sculls lie in June?", True),  # a month may lie between two others
        ("Where do the sculls of line 15 lie?", False),
        ("Where do the sculls of line no. 15 lie?", False),
        ("Where do the sculls of line #15 lie?", False),
        ("Where do the sculls of 15 people lie?", True),
        ("Where do sculls lie on June 15?", True),
        ("I am 74, where do sculls lie?", True),  # a figure of the asker's own
        ("Where do narrow sculls lie?", True),
        ("Where do short sculls lie?", False),  # where the page says "long" it does not mean them
    ],
)
def test_however_likely_nothing_answers_that_lacks_what_tells_it_from_others(
    question: str, *, is_answered: bool
) -> None:
    page = "The skiff is kept in the long shed. The short oar is kept by Otto."
    found = asked(question, 1.0, page=page, of="skiff")

    assert bool(found.text) is is_answered


@pytest.mark.parametrize(
    ("kind", "alone", "is_answered"),
    [
        ("the country", 0.8, True),
        ("the country", 0.79, False),
        ("the Northern Union", 0.8, True),
        ("for Emden", 0.8, False),  # another place
    ],
)
def test_what_surely_answers_may_speak_of_a_name_by_its_kind(
    kind: str, alone: float, *, is_answered: bool
) -> None:
    """The page knows no Norden, only another country: who reads the sentence in both ways tells."""
    page = f"The wardens know the skiffs. They must not leave {kind}."

    def answers(_question: str, texts: Sequence[str]) -> list[float]:
        return [(1.0 if "skiffs" in one else alone) if "leave" in one else 0.0 for one in texts]

    judge = Judge(lambda _question, texts: [0.85 for _ in texts], reads=True, answers=answers)
    own = block(text=page)
    found = extract("Can I row to Norden?", [own], judge=judge, relevance={}, gate=0.3)

    assert bool(found.text) is is_answered


@pytest.mark.parametrize(
    ("question", "likely", "is_answered"),
    [
        ("What does an eight-year-old hound cost?", "Dog under 7 years", False),
        ("What does an eight-year-old hound cost?", "Dog over 7 years", True),
        ("What does a six-year-old hound cost?", "Dog under 7 years", True),
        ("What does a \u017fix-year-old hound cost?", "Dog under 7 years", True),  # a long s
        ("What does a hound of 8 years cost?", "Dog under 7 years", False),
        ("How many litres does a hound drink?", "Dog over 7 years", True),
        ("How many hounds drink?", "Dog over 7 years", False),  # its figures count others
    ],
)
def test_a_row_answers_what_lies_in_its_range_and_what_it_counts(
    question: str, likely: str, *, is_answered: bool
) -> None:
    rows = ("Dog under 7 years | 95 euros | 2", "Dog over 7 years | 140 euros | 3")
    page = "\n".join(("Animal | Fee | Water (l)", *rows))
    found = asked(question, 0.9, page=page, of=likely)

    assert [one.quote for one in found.citations][1:] == (
        [row for row in rows if likely in row] if is_answered else []
    )


@pytest.mark.parametrize(
    ("month", "is_answered"), [("May", False), ("July", False), ("June", True), ("spring", True)]
)
def test_a_row_of_one_month_does_not_answer_for_another(month: str, *, is_answered: bool) -> None:
    page = "Month | Wash\nApril | with snow\nJune | with spray"
    found = asked(f"How is the hull cleaned in {month}?", 0.9, page=page, of="spray")

    assert bool(found.text) is is_answered


def test_a_list_as_a_whole_is_none_of_what_was_taught() -> None:
    page = "What to do when a member leaves the club:\n- collect the keys\n- close the account\n"

    found = asked("What should I do when a member leaves the club?", 0.0, page=page)

    assert [one.quote for one in found.citations] == [page.strip()]


def test_what_is_counted_stands_in_no_single_sentence() -> None:
    page = "The sheds of the club:\n- the long shed\n- the low shed\n- the dry shed\n"

    found = asked("How many sheds does the club have?", 0.0, page=page)

    assert len(found.citations) == 1
    assert found.citations[0].quote.count("shed") == 4


@pytest.mark.parametrize(
    ("page", "is_answered"),
    [
        (
            "The sheds are a topic; 214 members of the club took part in the survey.",
            False,
        ),
        ("The sheds of the club were counted: it has 14 sheds for its members.", True),
        ("The sheds of the club and its members have stood there since 1887.", True),
    ],
)
def test_of_what_is_counted_the_number_of_something_else_tells_nothing(
    page: str, *, is_answered: bool
) -> None:
    found = asked("How many sheds do the members of the club have?", 0.05, page=page, of="sheds")

    assert bool(found.text) is is_answered


def reads(own: Block) -> list[str]:
    return [as_read(one) for one in worth_reading("When is it locked?", [own])]


def test_a_sentence_is_read_under_its_title_and_heading_and_behind_the_one_before() -> None:
    plain = block(text=PAGE)
    page = replace(plain.pages[0], headings=(Heading(title="Boats", level=1, start=0),))

    over = "Club rules. Boats."
    assert reads(replace(plain, title="Club rules", pages=(page,))) == [
        f"{over} The skiff is kept in the long shed.",
        f"{over} The skiff is kept in the long shed. It may be rowed until nine in the evening.",
        f"{over} It may be rowed until nine in the evening. The wardens lock the long shed at ten.",
    ]


@pytest.mark.parametrize(
    ("source", "over"),
    [
        ("boat-rules.txt", "boat-rules. "),
        ("2019.txt", "2019. "),
        ("answer 3.txt", ""),
        ("a.txt", ""),
    ],
)
def test_a_name_that_tells_nothing_is_not_read(source: str, over: str) -> None:
    own = replace(block(text="The shed is locked at ten."), source=source)

    assert reads(own) == [f"{over}The shed is locked at ten."]


def test_a_line_of_a_form_is_read_by_itself() -> None:
    """Its label says what the value is, in however few words."""
    form = "PERMIT OF THE TOWN\nSurname: LINDQVIST\nZone: C4\n\nDrawn by: Anna Maria Berg\n"
    own = replace(block(text=form), title="Permit")

    assert reads(own) == [
        "Permit. PERMIT OF THE TOWN. Surname: LINDQVIST",
        "Permit. PERMIT OF THE TOWN. Zone: C4",
        "Permit. PERMIT OF THE TOWN. Drawn by: Anna Maria Berg",
    ]


def test_a_row_is_read_with_its_columns_and_an_item_with_what_leads_to_it() -> None:
    own = block(text="Boat | Fee\npunt | 7\ncanoe | 9\n\nBring along:\n- a long rope\n")

    assert reads(own)[-1] == "Bring along: - a long rope"
    assert any(one.endswith("Boat: punt, Fee: 7") for one in reads(own))


STALL = "Otto Berg sells honey at the gate. Ragna Lind knows the code of the shed."


@pytest.mark.parametrize(("alone", "is_answered"), [(0.3, True), (0.29, False)])
def test_a_sentence_is_not_credited_with_what_the_one_before_says(
    alone: float, *, is_answered: bool
) -> None:
    """Read together they say that somebody sells; the one that would be quoted does not."""

    def answers(_question: str, texts: Sequence[str]) -> list[float]:
        return [0.0 if "Ragna" not in one else 0.9 if "honey" in one else alone for one in texts]

    judge = Judge(lambda _question, texts: [0.5 for _ in texts], reads=True, answers=answers)
    own = block(text=STALL)
    found = extract("What does Ragna Lind sell?", [own], judge=judge, relevance={}, gate=0.3)

    assert bool(found.text) is is_answered


DEPOSIT = "The deposit for the pool is paid at the office. The deposit for the pool is 80 euros."


@pytest.mark.parametrize("fails", [False, True])
def test_what_is_beside_the_question_takes_nothing_with_it(*, fails: bool) -> None:
    """The next best that meets the question answers; a model that fails takes nothing either."""

    def reader(_question: str, texts: Sequence[str]) -> list[float]:
        return [0.99 if "office" in one else 0.5 for one in texts]

    def answers(_question: str, texts: Sequence[str]) -> list[float] | None:
        return None if fails else [0.9 if "80" in one else 0.0 for one in texts]

    judge = Judge(reader, reads=True, answers=answers)
    own = block(text=DEPOSIT)
    found = extract("What is the pool's deposit?", [own], judge=judge, relevance={}, gate=0.3)

    shown = "is paid at the office." if fails else "is 80 euros."
    assert found.text == f"The deposit for the pool {shown[:-1]} [1]."


@pytest.mark.parametrize(
    ("question", "is_answered"),
    [
        ("Where do skiffs and punts lie?", False),  # it says nothing of punts
        ("Where do canoes and punts lie?", True),  # nor of canoes: it may mean both
        ("My skiff and the punt leak. Where do sculls lie?", True),  # asks for neither
        ("Where may skiffs lie and still be lit?", True),  # "still" is no second thing
    ],
)
def test_a_sentence_that_says_one_of_two_things_does_not_likely_answer_for_both(
    question: str, *, is_answered: bool
) -> None:
    found = asked(question, 0.9, page="The skiff is kept in the long shed.", of="skiff")

    assert bool(found.text) is is_answered


def test_a_passage_in_a_language_that_the_model_may_not_know_is_left_to_the_words() -> None:
    def reader(_question: str, texts: Sequence[str]) -> list[float]:
        return [0.9 for _ in texts]

    judge = Judge(reader, reads=True, answers=lambda _question, texts: [0.0 for _ in texts])
    question, own = "When is the long shed locked by the wardens?", block(text=PAGE)

    found = {
        wording: extract(
            question, [replace(own, wording=wording)], judge=judge, relevance={}, gate=0.3
        )
        for wording in Wording
    }

    assert [wording for wording, one in found.items() if one.text] == [Wording.FOREIGN]


@pytest.mark.parametrize(
    ("text", "relevance", "chance", "is_answered"),
    [
        ("Scullers are back by nine in the evening.", 0.1, 0.8, True),
        ("Scullers are back by nine in the evening.", 0.1, 0.79, False),
        ("Scullers are back by nine in the evening.", 0.3, 0.5, True),
        ("Who rows is back by nine in the evening.", 0.1, 0.5, True),
    ],
)
def test_what_says_no_word_of_a_question_has_to_be_relevant_or_sure_to_answer(
    text: str, relevance: float, chance: float, *, is_answered: bool
) -> None:
    """Who asked where to cook was told "The work will be done by Ardent Heating"."""
    judge = Judge(
        lambda _question, texts: [relevance for _ in texts],
        reads=True,
        answers=lambda _question, texts: [chance for _ in texts],
    )

    found = extract(
        "Until when may I row?", [block(text=text)], judge=judge, relevance={}, gate=0.3
    )

    assert bool(found.text) is is_answered


@pytest.mark.parametrize(("chance", "is_answered"), [(0.06, True), (0.05, False)])
def test_of_a_list_whose_words_are_not_compared_what_leads_into_it_is_judged(
    chance: float,
    is_answered: bool,  # noqa: FBT001 -- what becomes of it
) -> None:
    """A page of numbered rules under its title answered whatever was asked."""
    read: list[str] = []

    def answers(_question: str, texts: Sequence[str]) -> list[float]:
        read.extend(texts)
        return [chance if text == "House rules" else 0.0 for text in texts]

    judge = Judge(
        lambda _question, texts: [0.9 for _ in texts],
        reads=True,
        answers=answers,
        is_multilingual=True,
    )
    page = "House rules\n1. The key costs 20 euros.\n2. Guests leave at ten.\n"
    own = replace(block(text=page), title="Office", wording=Wording.UNLISTED)

    found = extract("Where is the library?", [own], judge=judge, relevance={}, gate=0.3)

    assert bool(found.text) is is_answered
    assert "1. The key costs 20 euros." in read


@pytest.mark.parametrize(("chance", "is_answered"), [(0.02, True), (0.001, False)])
def test_a_judge_of_several_languages_refuses_across_them_what_says_nothing_of_it(
    chance: float,
    is_answered: bool,  # noqa: FBT001 -- what becomes of it
) -> None:
    """It chooses no sentence there: no pair of two languages was taught."""
    judge = Judge(
        lambda _question, texts: [0.9 for _ in texts],
        reads=True,
        answers=lambda _question, texts: [chance for _ in texts],
        is_multilingual=True,
    )
    question, own = "When is the long shed locked by the wardens?", foreign(PAGE)

    found = extract(question, [own], judge=judge, relevance={}, gate=0.3)

    assert bool(found.text) is is_answered
    assert found.chance == chance


@pytest.mark.parametrize(("relevance", "is_answered"), [(0.97, True), (0.95, False)])
def test_across_languages_an_embedder_that_is_sure_is_not_contradicted(
    relevance: float,
    is_answered: bool,  # noqa: FBT001 -- what becomes of it
) -> None:
    """Of "Die Miete wird abgebucht" it said .00004 to who asked when the rent is debited."""
    judge = Judge(
        lambda _question, texts: [relevance for _ in texts],
        reads=True,
        answers=lambda _question, texts: [0.00004 for _ in texts],
        is_multilingual=True,
    )
    question, own = "When is the long shed locked by the wardens?", foreign(PAGE)

    found = extract(question, [own], judge=judge, relevance={}, gate=0.3)

    assert bool(found.text) is is_answered


def test_what_is_counted_in_another_language_is_left_to_the_embedder() -> None:
    judge = Judge(
        lambda _question, texts: [0.9 for _ in texts],
        reads=True,
        answers=lambda _question, texts: [0.001 for _ in texts],
        is_multilingual=True,
    )
    question, own = "How many wardens lock it?", foreign("Three wardens lock the long shed.")

    found = extract(question, [own], judge=judge, relevance={}, gate=0.3)

    assert found.text


def test_what_another_document_says_like_an_answer_stays_beside_it() -> None:
    """What contradicts an answer is shown with it, though nothing over it says "town hall"."""
    said = ("The fee for the key is 20 euros.", "The fee for the key is 35 euros.")
    own = [block(n, text=text) for n, text in enumerate(said, 1)]
    alone = block(1, text="\n\n".join(said))

    def answers(_question: str, texts: Sequence[str]) -> list[float]:
        return [0.9 if "20" in one else 0.0 for one in texts]

    judge = Judge(lambda _question, texts: [0.95 for _ in texts], reads=True, answers=answers)
    both, one = (
        extract("What is the fee for the key?", blocks, judge=judge, relevance={}, gate=0.3)
        for blocks in (own, [alone])
    )

    assert [cited.quote for cited in both.citations] == list(said)
    assert [cited.quote for cited in one.citations] == list(said[:1])


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Up to what hour are sculls allowed out?", "Boats may be rowed until {} in the evening."),
        ("What does a skiff cost for a day?", "A skiff costs {} for members."),
        ("Who runs the yard?", "The yard is run by {} Berg."),
    ],
)
@pytest.mark.parametrize("years", [(2018, 2025), (2025, 2018)])
def test_what_answers_in_its_own_words_is_not_shown_without_what_is_newer(
    question: str, said: str, years: tuple[int, int]
) -> None:
    """The model is surer of the older one, which alone would pass for what holds today."""
    figures = {2018: "Otto 4.20", 2025: "Ragna 5.50"}
    own = [
        replace(
            block(n, text=said.format(figures[year])), dated_at=datetime(year, 6, 1, tzinfo=UTC)
        )
        for n, year in enumerate(years, 1)
    ]

    def answers(_question: str, texts: Sequence[str]) -> list[float]:
        return [0.9 if figures[2018] in one else 0.5 for one in texts]

    judge = Judge(lambda _question, texts: [0.9 for _ in texts], reads=True, answers=answers)
    found = extract(question, own, judge=judge, relevance={}, gate=0.3)

    assert [one.quote for one in found.citations] == [
        said.format(figures[year]) for year in (2025, 2018)
    ]


@pytest.mark.parametrize(
    ("named", "hours", "other", "is_answered"),
    [
        ("museum", "We are open on Friday from eight.", "The museum opens at ten.", False),
        ("museum", "We are open on Friday from eight.", "A gallery opens at ten.", True),
        ("museum", "Wir haben am Freitag ab acht offen.", "The museum opens at ten.", True),
        ("museum at the castle", "We are open on Friday.", "The castle is closed.", True),
    ],
)
def test_another_document_does_not_answer_for_the_thing_that_is_named(
    named: str, hours: str, other: str, *, is_answered: bool
) -> None:
    """Where no document names all, or one is in another language, it may be said otherwise."""

    def answers(_question: str, texts: Sequence[str]) -> list[float]:
        return [0.9 if hours in one else 0.0 for one in texts]

    judge = Judge(lambda _question, texts: [0.9 for _ in texts], reads=True, answers=answers)
    blocks = [block(1, hours), block(2, other)]
    question = f"When does the {named} open on Friday?"
    found = extract(question, blocks, judge=judge, relevance={}, gate=0.3)

    assert (hours in found.quoted) is is_answered


def test_a_figure_is_put_as_the_range_that_holds_it() -> None:
    put: list[str] = []

    def answers(question: str, texts: Sequence[str]) -> list[float]:
        put.append(question)
        return [0.9 for _ in texts]

    judge = Judge(lambda _question, texts: [0.9 for _ in texts], reads=True, answers=answers)
    page = block(text="If you cancel 2 to 6 days before, half of the deposit is kept.")
    question = "If I cancel 3 days before, how much of the deposit is kept?"
    found = extract(question, [page], judge=judge, relevance={}, gate=0.3)

    assert found.text
    assert set(put) == {question.replace("3 days", "2 to 6 days")}


@pytest.mark.parametrize(
    ("period", "written"),
    [("in FY20", "in 2020"), ("in the third quarter of 2021", "in the Q3 2021")],
)
def test_a_period_is_put_as_tables_write_it(period: str, written: str) -> None:
    read: list[str] = []

    def answers(question: str, texts: Sequence[str]) -> list[float]:
        read.append(question)
        return [0.9 for _ in texts]

    judge = Judge(lambda _question, texts: [0.5 for _ in texts], reads=True, answers=answers)
    own = block(text="Net sales of the year were 353 million.")
    extract(f"What were the net sales {period}?", [own], judge=judge, relevance={}, gate=0.3)

    assert set(read) == {f"What were the net sales {written}?"}


def test_costs_of_one_in_a_month_are_neither_its_own_nor_the_months_alone() -> None:
    texts = {
        "Report on Rowing, August": "The department of Rowing covers August. Costs were 68 euros.",
        "Report on Sailing, May": "The department of Sailing covers May. Costs were 63 euros.",
    }
    blocks = [replace(block(n, text), title=title) for n, (title, text) in enumerate(texts.items())]

    def sure(_question: str, sentences: Sequence[str]) -> list[float]:
        return [0.9 for _ in sentences]

    def found(question: str) -> str:
        return extract(question, blocks, judge=Judge(sure, reads=True), relevance={}).text

    assert not found("What was the total cost of Sailing in August?")
    assert "63 euros" in found("What was the total cost of Sailing in May?")
    assert "68 euros" in found("What was the total cost of Sailing and Rowing?")


@pytest.mark.parametrize(("n", "is_said"), [(3, False), (6, True)])
def test_four_sentences_of_several_that_are_asked_for_may_not_be_all(
    n: int, *, is_said: bool
) -> None:
    names = ("Auk", "Gull", "Heron", "Rail", "Stork", "Tern")[:n]
    texts = (f"The contract of the {name} ends on {at} May." for at, name in enumerate(names, 3))
    blocks = [block(at, text) for at, text in enumerate(texts, start=1)]

    def sure(_question: str, sentences: Sequence[str]) -> list[float]:
        return [0.9 for _ in sentences]

    found = extract("Which contracts end in May?", blocks, judge=Judge(sure), relevance={})

    assert len(found.citations) == min(n, 4)
    assert found.may_be_more is is_said
    note = note_on("Which contracts end in May?", found.quoted, may_be_more=found.may_be_more)
    assert (note.message if note else "") == ("There may be more than these." if is_said else "")


SHEET = (
    "The pump HX-{0} is made to last.\n\n| Property | Value |\n| --- | --- |\n| Seal | IP{0} |\n"
)


def of_sheets(question: str, *numbers: int) -> Extract:
    """Answer from sheets, by one who knows that a pump is meant, and what a row answers."""
    texts = {f"Sheet HX-{n}": SHEET.format(n) for n in numbers}
    blocks = [
        replace(block(n, text), title=title) for n, (title, text) in enumerate(texts.items(), 1)
    ]

    def reader(_question: str, sentences: Sequence[str]) -> list[float]:
        return [0.9 if "pump" in one else 0.1 for one in sentences]

    def answers(_question: str, sentences: Sequence[str]) -> list[float]:
        return [0.9 if "Seal" in one else 0.1 for one in sentences]

    judge = Judge(reader, reads=True, answers=answers)
    return extract(question, blocks, judge=judge, relevance={}, gate=0.3)


def test_the_sheets_of_other_codes_take_no_place_from_a_row() -> None:
    assert "IP77" in of_sheets("What seal does the HX-77 have?", *range(40, 55), 77).text


def test_what_stands_below_a_code_is_not_said_where_the_code_is_introduced() -> None:
    found = of_sheets("What is the value of the HX-77?", 77)

    assert "made to last" not in found.text


VERSIONS = (9, 10, 2)


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("What is the current rent of a berth?", "The rent of a berth is {} euros."),
        ("What is the rent of a berth?", "The rent of a berth is {} euros."),
        ("Wie hoch ist die aktuelle Miete eines Platzes?", "Die Miete eines Platzes ist {} Euro."),
    ],
)
@pytest.mark.parametrize("in_text", [True, False])
def test_of_the_versions_of_one_document_the_latest_is_quoted_first(
    question: str, says: str, *, in_text: bool
) -> None:
    text = f"Version {{0}}.\n\n{says.format('{0}')}" if in_text else says
    file = "berths.md" if in_text else "berths v{}.md"
    found = of_versions(question, *((text.format(one), file.format(one)) for one in VERSIONS))

    assert found == [10, 9, 2]


def test_the_version_that_is_asked_for_stays_where_it_was_selected() -> None:
    old, new = "In version 2 a berth is 2 euros.", "In version 3 a berth is 2 or 3 euros."
    versions = ((old, "berths v2.md"), (new, "berths v3.md"))

    assert of_versions("How much is a berth?", *versions) == [323, 22]
    assert of_versions("How much is a berth in version 2?", *versions) == [22, 323]


@pytest.mark.parametrize("n", [1, 2])
def test_a_name_as_it_is_asked_for_goes_before_another_like_it(n: int) -> None:
    says = "The fee of {} is {} euros."
    texts = [says.format("Redfern Textiles BV", 7), says.format("Redfern & Sons Textiles BV", 9)]
    texts = texts if n == 1 else texts[::-1]

    found = of_versions("What is the fee of Redfern Textiles BV?", *((one, "") for one in texts))

    assert found == [7, 9]


def of_versions(question: str, *versions: tuple[str, str]) -> list[int]:
    """Return the figures of the sentences that are quoted, from texts in files."""
    blocks = [
        replace(block(n, text), title="Berths", source=file)
        for n, (text, file) in enumerate(versions, start=1)
    ]

    def sure(_question: str, sentences: Sequence[str]) -> list[float]:
        return [0.9 if "uro" in one else 0.0 for one in sentences]

    found = extract(question, blocks, judge=Judge(sure, reads=True), relevance={})
    return [int("".join(filter(str.isdigit, one.quote))) for one in found.citations]


def test_an_electric_current_is_what_is_asked_about() -> None:
    asked = ["What is the current limit?", "What is the current through the coil?"]

    assert ["current" in terms_of(question) for question in asked] == [False, True]
