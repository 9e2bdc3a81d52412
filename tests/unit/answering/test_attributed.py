"""A true quote carries no other number in words, and no figure of something else in it."""

import pytest

from tests.unit.answering.blocks import block
from tests.unit.answering.test_verification import verified

SALES = "Sales were 43.6 million in 2025 and 33.3 million in 2024."
RISE = "In 2025 sales were 43.6 million, up from 33.3 million in 2024."
RENT = "The rent is 900 euros in Bonn and 700 euros in Dover."
CLUB = "Members pay 45 euros a month; students pay 20 euros."
MEETING = "The meeting was attended by 14 members, that of the board by 9."
FINE = "The fine is 50 euros for the first offence and 100 euros for any other."
ASIA = "Asia | 43.6 | 33.3"
TABLE = f"Sales by region\n\nRegion | 2025 | 2024\n{ASIA}\nEurope | 51.2 | 50.0\n"
POOL = "Pool | 3 euros | 6 euros"
FEES = f"Fees\n\nService | Members | Guests\nSauna | 5 euros | 9 euros\n{POOL}\n"


def is_shown(said: str, quote: str, page: str) -> bool:
    return bool(verified(f'{said[:-1]} [1: "{quote}"].', [block(1, page)]).text)


@pytest.mark.parametrize(
    ("page", "true", "false"),
    [
        ("Six bolts hold the lid.", "6 bolts hold it.", "Eight bolts hold it."),
        ("It lasts two years.", "It lasts for 2 years.", "It lasts for five years."),
        ("He is thirty-five.", "He is 35 years old.", "He is 30 years old."),
        ("Die Frist betr\u00e4gt drei Monate.", "Es sind 3 Monate.", "Es sind sechs Monate."),
        ("El plazo es de diez d\u00edas.", "Son 10 d\u00edas.", "Son cinco d\u00edas."),
        ("The rent is fixed for 24 months.", "It is fixed for two years.", "It is for nine years."),
        ("Exits are in the north, south and west.", "There are three exits.", "There are 9 exits."),
        (CLUB, "Students pay 20 euros.", "Students pay 45 euros."),
        (CLUB, "A month costs 45 euros.", "Members pay 20 euros."),
        (RENT, "In Dover the rent is 700 euros.", "In Dover the rent is 900 euros."),
        (SALES, "In 2024 they were 33.3 million.", "In 2024 they were 43.6 million."),
        (RISE, "They were 43.6 million in 2025.", "They were 43.6 million in 2024."),
        (SALES, "They rose from 33.3 to 43.6 million in 2025.", "They were 33.3 million in 2025."),
        (MEETING, "Nine came to the board's meeting.", "The meeting had 14 of eleven members."),
    ],
)
def test_a_number_is_that_of_the_quote_and_of_the_same_thing(
    page: str, true: str, false: str
) -> None:
    """Fails when: "6 bolts" are withheld that the page calls "six", or 2023's figure is 2024's."""
    assert is_shown(true, page, page)
    assert not is_shown(false, page, page)


@pytest.mark.parametrize(
    ("row", "page", "true", "false"),
    [
        (ASIA, TABLE, "Asia sold 33.3 in 2024.", "Asia sold 43.6 in 2024."),
        (ASIA, TABLE, "Asia went from 33.3 to 43.6 in 2025.", "Asia sold 33.3 in 2025."),
        (POOL, FEES, "Guests pay 6 euros for the pool.", "Guests pay 3 euros for the pool."),
    ],
)
def test_a_cell_is_said_of_its_own_column(row: str, page: str, true: str, false: str) -> None:
    assert is_shown(true, row, page)
    assert not is_shown(false, row, page)


def test_what_both_parts_are_said_of_tells_nothing() -> None:
    assert is_shown("A second offence costs 100 euros.", FINE, FINE)


@pytest.mark.parametrize(
    ("said", "is_true"),
    [
        ("The deposit for the hall is 80 euros.", True),
        ("The deposit for the pool is 80 euros.", False),
        ("The deposit is 80 euros.", True),
    ],
)
def test_what_is_said_of_the_hall_is_not_said_of_the_pool(said: str, *, is_true: bool) -> None:
    quote = "The deposit for the hall is 80 euros, paid in cash."
    page = f"The pool is heated.\n\n{quote}"

    assert is_shown(said, quote, page) is is_true
